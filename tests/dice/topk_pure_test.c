/* Refutes dice.topk.pure if it can, and dice.order with exponential noise: pairs of winners. */
#include "dice/laws.h"
#include "dice/topk.h"
#include "unit.h"

/* Single candidates, then one group; winners are told apart up to the group. */
enum { SINGLES = 3, CLASSES = SINGLES + 1, DRAWS = 40000, STEPS = 60000 };

typedef struct field {
    int64_t single[SINGLES], group;
    uint64_t size;
} field;

static const field few = { { 3, 0, 2 }, 1, 4 };

static void sample(const field *f, bool pure, bool doubt, size_t draws,
                   uint64_t seen[CLASSES * CLASSES])
{
    jali_dice *d = seeded_dice(99);
    jali_rate r;
    mpq_t q;
    d->doubt = doubt;
    rational(q, "1/2");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    memset(seen, 0, CLASSES * CLASSES * sizeof *seen);
    for (size_t i = 0; i < draws; i++) {
        jali_topk *t;
        jali_winner w[2];
        size_t n, c[2];
        CHECK_OK(pure ? jali_topk_new_pure(&t, &r, 2, NULL) : jali_topk_new(&t, &r, 2, NULL));
        CHECK_OK(jali_topk_offer(t, d, f->single, SINGLES));
        CHECK_OK(jali_topk_offer_group(t, d, f->group, f->size));
        CHECK_OK(jali_topk_finish(t, d, w, &n));
        CHECK(n == 2);
        for (int k = 0; k < 2; k++) {
            c[k] = w[k].grouped ? SINGLES : (size_t)w[k].index;
            CHECK(w[k].score == (w[k].grouped ? f->group : f->single[w[k].index]));
        }
        seen[c[0] * CLASSES + c[1]]++;
        jali_topk_free(t);
    }
    jali_rate_clear(&r);
    mpq_clear(q);
    jali_dice_free(d);
}

/* P(key < y) of one candidate with score s, rate 1/2, and its density. */
static double below(double s, double y)
{
    return y > s / 2 ? 1 - exp(-(y - s / 2)) : 0;
}

static double density(double s, double y)
{
    return y > s / 2 ? exp(-(y - s / 2)) : 0;
}

/* P(first in class a, second in class b): integral over the second key. */
static double pair(const field *f, size_t a, size_t b)
{
    double sum = 0, from = -1, to = 30, step = (to - from) / STEPS;
    double score[CLASSES], size[CLASSES];
    for (size_t c = 0; c < CLASSES; c++) {
        score[c] = (double)(c < SINGLES ? f->single[c] : f->group);
        size[c] = c < SINGLES ? 1 : (double)f->size;
    }
    double ways = size[b] * (a == b ? size[a] - 1 : size[a]);
    for (int i = 0; i < STEPS && ways > 0; i++) {
        double y = from + (i + 0.5) * step, p = density(score[b], y) * (1 - below(score[a], y));
        for (size_t c = 0; p > 0 && c < CLASSES; c++)
            p *= pow(below(score[c], y), size[c] - (c == a) - (c == b));
        sum += p * step;
    }
    return ways * sum;
}

static bool fits(const field *f, const uint64_t seen[CLASSES * CLASSES])
{
    double law[CLASSES * CLASSES], all = 0;
    for (size_t i = 0; i < CLASSES * CLASSES; i++)
        all += law[i] = pair(f, i / CLASSES, i % CLASSES);
    CHECK(fabs(all - 1) < 1e-4); /* densities jump within a step */
    for (size_t i = 0; i < CLASSES * CLASSES; i++) law[i] /= all;
    return chi_fits(seen, law, CLASSES * CLASSES);
}

SENTENCE(winners_have_the_largest_keys_with_exponential_noise)
{
    UNUSED_STATE;
    uint64_t seen[CLASSES * CLASSES];
    sample(&few, true, false, DRAWS, seen);
    CHECK(fits(&few, seen));
    sample(&few, true, true, 1200, seen); /* the exact tier */
    CHECK(fits(&few, seen));
}

SENTENCE(gumbel_noise_and_a_wrong_size_are_refused)
{
    UNUSED_STATE;
    uint64_t seen[CLASSES * CLASSES];
    const field more = { { 3, 0, 2 }, 1, 5 };
    sample(&few, false, false, DRAWS, seen);
    CHECK(!fits(&few, seen));
    sample(&few, true, false, DRAWS, seen);
    CHECK(!fits(&more, seen));
}

/* 3/2 against 10^12 that are 54 halves behind: ln(10^12) is 27.6. */
SENTENCE(many_are_not_enumerated)
{
    UNUSED_STATE;
    uint64_t seen[CLASSES * CLASSES], half[2] = { 0, 0 };
    const field huge = { { 54, 52, 53 }, 0, UINT64_C(1000000000000) };
    sample(&huge, true, false, 20000, seen);
    for (size_t i = 0; i < CLASSES * CLASSES; i++) half[i / CLASSES == SINGLES] += seen[i];
    /* The best of the group is -ln U_min, U_min about Exp(10^12); against the best single. */
    double p = 0, step = 1e-3;
    for (double x = step / 2; x < 60; x += step) { /* group's best noise in steps */
        double m = 1e12, edge = exp(-x) * m;
        double group = exp(-edge) * edge * step; /* density of the maximum, to 1e-12 */
        double single = below(54, x) * below(52, x) * below(53, x);
        p += group * single;
    }
    double law[2] = { 1 - p, p };
    CHECK(p > 0.1 && p < 0.9 && chi_fits(half, law, 2));
    law[0] = p * 1.05;
    law[1] = 1 - law[0];
    uint64_t turned[2] = { half[1], half[0] };
    CHECK(!chi_fits(turned, law, 2));
}

SENTENCE(the_exact_tier_finds_the_same_order)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    rational(q, "1/3");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (uint64_t seed = 0; seed < 30; seed++) {
        jali_winner w[2][30];
        for (int slow = 0; slow < 2; slow++) {
            jali_dice *d = seeded_dice(seed);
            jali_topk *t;
            size_t n;
            d->doubt = slow == 1;
            CHECK_OK(jali_topk_new_pure(&t, &r, 30, NULL));
            CHECK_OK(jali_topk_offer_group(t, d, -3, 25));
            CHECK_OK(jali_topk_offer(t, d, (int64_t[]){ 1, 2, 3, INT64_MIN }, 4));
            CHECK_OK(jali_topk_offer_group(t, d, -20, UINT64_MAX));
            CHECK_OK(jali_topk_finish(t, d, w[slow], &n));
            CHECK(n == 30);
            jali_topk_free(t);
            jali_dice_free(d);
        }
        for (int i = 0; i < 30; i++)
            CHECK(w[0][i].grouped == w[1][i].grouped && w[0][i].index == w[1][i].index);
    }
    jali_rate_clear(&r);
    mpq_clear(q);
}

RUN_ALL(TEST(winners_have_the_largest_keys_with_exponential_noise),
        TEST(gumbel_noise_and_a_wrong_size_are_refused), TEST(many_are_not_enumerated),
        TEST(the_exact_tier_finds_the_same_order))
