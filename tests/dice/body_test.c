/* Refutes dice.body if it can: the law, cell by cell; what a change costs; odd bodies. */
#include "dice/body.h"
#include "dice/laws.h"
#include "unit.h"

enum { DRAWS = 40000, EDGE = 40, SIDE = 2 * EDGE + 1 };

typedef struct shape {
    size_t d;
    uint64_t reach, range;
    const char *eps;
} shape;

/* How far the body must grow to hold y: the Law line, said once more. */
static int64_t norm(const int64_t *y, const shape *s)
{
    int64_t least = y[0], most = y[0], Q = (int64_t)s->reach, R = (int64_t)s->range;
    for (size_t i = 1; i < s->d; i++) {
        least = y[i] < least ? y[i] : least;
        most = y[i] > most ? y[i] : most;
    }
    int64_t size = most > -least ? most : -least, wide = (Q * (most - least) + R - 1) / R;
    return size > wide ? size : wide;
}

/* Vectors within EDGE, numbered; the last bin holds the others. */
static size_t vectors(size_t d)
{
    size_t n = 1;
    for (size_t i = 0; i < d; i++) n *= SIDE;
    return n;
}

static void vector_at(size_t number, size_t d, int64_t *y)
{
    for (size_t i = 0; i < d; i++, number /= SIDE) y[i] = (int64_t)(number % SIDE) - EDGE;
}

static size_t number_of(const int64_t *y, size_t d)
{
    size_t number = 0;
    for (size_t i = d; i-- > 0;) {
        if (y[i] < -EDGE || y[i] > EDGE) return vectors(d);
        number = number * SIDE + (size_t)(y[i] + EDGE);
    }
    return number;
}

static bool follows(const shape *drawn, const shape *claimed, double eps)
{
    size_t n = vectors(drawn->d);
    uint64_t *seen = calloc(n + 1, sizeof *seen);
    double *law = calloc(n + 1, sizeof *law), all = 0;
    jali_dice *dice = seeded_dice(4711);
    jali_body body;
    mpq_t q;
    int64_t y[4];
    rational(q, drawn->eps);
    CHECK_OK(jali_body_init(&body, drawn->d, drawn->reach, drawn->range, q, NULL));
    for (int i = 0; i < DRAWS; i++) {
        CHECK_OK(jali_body_draw(&body, dice, y));
        seen[number_of(y, drawn->d)]++;
    }
    for (size_t i = 0; i < n; i++) {
        vector_at(i, drawn->d, y);
        all += law[i] = exp(-eps * (double)norm(y, claimed) / (double)claimed->reach);
    }
    for (size_t i = 0; i < n; i++) law[i] /= all;
    bool good = chi_fits(seen, law, n + 1);
    jali_body_clear(&body);
    jali_dice_free(dice);
    mpq_clear(q);
    free(law);
    free(seen);
    return good;
}

/* Tails beyond EDGE have weight below 1e-8 for all of these. */
static const shape pair = { 2, 2, 3, "2" }, cube = { 2, 3, 6, "3" }, triple = { 3, 2, 3, "2" },
                   one = { 1, 3, 5, "2" }, narrow = { 3, 3, 3, "3" };

SENTENCE(vectors_follow_their_law)
{
    UNUSED_STATE;
    CHECK(follows(&pair, &pair, 2));
    CHECK(follows(&cube, &cube, 3));
    CHECK(follows(&triple, &triple, 2));
    CHECK(follows(&one, &one, 2));
    CHECK(follows(&narrow, &narrow, 3));
}

SENTENCE(another_body_or_another_eps_is_refused)
{
    UNUSED_STATE;
    const shape wide = { 2, 2, 4, "2" };
    CHECK(!follows(&pair, &wide, 2));
    CHECK(!follows(&pair, &pair, 2.12));
    CHECK(!follows(&triple, &triple, 1.9));
}

/* The largest |N(y + x) - N(y)| over y within 3 reach, for one change x. */
static int64_t moved(const shape *s, const int64_t *x)
{
    int64_t most = 0, end = 3 * (int64_t)s->reach;
    for (int64_t a = -end; a <= end; a++)
        for (int64_t b = -end; b <= end; b++) {
            int64_t y[2] = { a, b }, z[2] = { a + x[0], b + x[1] };
            int64_t by = norm(z, s) - norm(y, s);
            most = by > most ? by : -by > most ? -by : most;
        }
    return most;
}

SENTENCE(a_change_within_the_body_costs_eps_and_one_percent_more_costs_more)
{
    UNUSED_STATE;
    const shape s = { 2, 100, 150, "1" };
    for (int64_t a = -100; a <= 100; a += 10)
        for (int64_t b = -100; b <= 100; b += 10) {
            int64_t x[2] = { a, b };
            if (a - b > 150 || b - a > 150) continue;
            CHECK(moved(&s, x) <= 100);
        }
    CHECK(moved(&s, (int64_t[]){ 101, 101 }) == 101);
    CHECK(moved(&s, (int64_t[]){ 76, -76 }) > 101);
}

SENTENCE(bodies_are_checked_and_dice_may_fail)
{
    UNUSED_STATE;
    jali_body body;
    jali_err err;
    mpq_t q;
    rational(q, "17");
    CHECK(jali_body_init(&body, 2, 4, 5, q, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "too large for the grid");
    mpq_set_si(q, 0, 1);
    CHECK(jali_body_init(&body, 2, 4, 5, q, &err) == JALI_E_USAGE);
    mpq_set_ui(q, 1, 1);
    mpq_div_2exp(q, q, 60);
    CHECK(jali_body_init(&body, 2, 4, 5, q, &err) == JALI_E_USAGE);
    mpq_set_ui(q, 1, 1);
    CHECK(jali_body_init(&body, 0, 4, 5, q, &err) == JALI_E_INTERNAL);
    CHECK_OK(jali_body_init(&body, 3, 1000, 1500, q, NULL));
    for (uint64_t words = 0; words < 6; words++) {
        jali_dice *dice = failing_dice(1, words);
        int64_t y[3];
        CHECK(jali_body_draw(&body, dice, y) == JALI_E_ENTROPY);
        jali_dice_free(dice);
    }
    jali_body_clear(&body);
    mpq_clear(q);
}

RUN_ALL(TEST(vectors_follow_their_law), TEST(another_body_or_another_eps_is_refused),
        TEST(a_change_within_the_body_costs_eps_and_one_percent_more_costs_more),
        TEST(bodies_are_checked_and_dice_may_fail))
