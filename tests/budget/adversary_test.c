/* Refutes cap.filter if it can: the best adaptive adversary, by dynamic programming.
 *
 * She may ask, at each step and knowing all answers, one of a few randomized responses whose
 * exact privacy losses are multiples of a unit, some of which also show the truth with a
 * small probability. What she can reach, sum (P - e^E Q)+, is then an exact recursion over
 * (how often each was asked, realised loss so far): the largest of stopping here and of the
 * expected value of each question that the filter admits. The filter is the real one, and
 * the rho she is charged is the exact one of randomized response, eps tanh(eps/2), which is
 * less than jali_loss_pure asks: the game is harder than life.
 */
#define _POSIX_C_SOURCE 200809L
#include "desk.h"
#include <math.h>

enum { MENU = 4, DEEPEST = 24 };

typedef struct item {
    int k;        /* eps in units                             */
    double shows; /* probability of showing the truth         */
    bool pure;    /* charged with its eps, or by rho only     */
} item;

typedef struct game {
    double unit;
    int questions, n;
    item menu[MENU];
    jali_cap cap;
    bool (*admits)(const struct game *g, const int count[MENU]);
} game;

static jali_loss price(const game *g, int i)
{
    double eps = g->menu[i].k * g->unit;
    jali_loss a = { .rho_pico = (uint64_t)ceil(eps * tanh(eps / 2) * 1e12 + 1),
                    .delta_atto = (uint64_t)ceil(g->menu[i].shows * 1e18) };
    a.eps_infinite = !g->menu[i].pure;
    a.eps_pico = g->menu[i].pure ? (uint64_t)llround(eps * 1e12) : 0;
    return a;
}

static bool the_real_filter(const game *g, const int count[MENU])
{
    jali_loss sum = JALI_LOSS_NONE;
    for (int i = 0; i < g->n; i++)
        sum = jali_loss_add(sum, jali_loss_times(price(g, i), (uint64_t)count[i]));
    return jali_cap_admits(&g->cap, sum) != JALI_REFUSED;
}

/* Broken: each charge goes to whichever of two purses has room. Items 0 and 1 are paid from
 * the purse of eps, items 2 and 3 from the purse of rho. */
static bool two_purses(const game *g, const int count[MENU])
{
    uint64_t eps = 0, rho = 0;
    for (int i = 0; i < g->n; i++)
        if (i < 2)
            eps += price(g, i).eps_pico * (uint64_t)count[i];
        else
            rho += price(g, i).rho_pico * (uint64_t)count[i];
    return eps <= g->cap.eps_pico && rho <= g->cap.rho_pico;
}

/* Broken: a release with a delta of its own is added up as if it were pure. */
static bool finite_eps_whatever_delta(const game *g, const int count[MENU])
{
    double eps = 0;
    for (int i = 0; i < g->n; i++) eps += g->menu[i].k * g->unit * count[i];
    return eps * 1e12 <= (double)g->cap.eps_pico + 1;
}

/* Broken: the delta of charges is checked against all of delta, and rho_B against all, too. */
static bool reserve_counted_twice(const game *g, const int count[MENU])
{
    jali_loss sum = JALI_LOSS_NONE;
    for (int i = 0; i < g->n; i++)
        sum = jali_loss_add(sum, jali_loss_times(price(g, i), (uint64_t)count[i]));
    return sum.rho_pico <= g->cap.rho_pico && sum.delta_atto <= g->cap.delta_atto;
}

/* ---- the recursion ---- */

typedef struct table {
    int side, width, mid; /* counts are digits in base `side`; losses from -mid to mid */
    double *value;
} table;

static size_t cell_of(const table *t, const int count[MENU])
{
    size_t at = 0;
    for (int i = 0; i < MENU; i++) at = at * (size_t)t->side + (size_t)count[i];
    return at * (size_t)t->width;
}

static double value_at(const table *t, const int count[MENU], int loss)
{
    return t->value[cell_of(t, count) + (size_t)(loss + t->mid)];
}

/* Asking item i at realised loss L: the truth (all of P, none of Q), or one step either way. */
static double ask(const game *g, const table *t, const int count[MENU], int i, int loss)
{
    int after[MENU];
    memcpy(after, count, sizeof after);
    after[i]++;
    double p = 1 / (1 + exp(-g->menu[i].k * g->unit)), d = g->menu[i].shows;
    return d + (1 - d) * (p * value_at(t, after, loss + g->menu[i].k) +
                          (1 - p) * value_at(t, after, loss - g->menu[i].k));
}

static void fill_cell(const game *g, table *t, const int count[MENU], int total)
{
    bool may[MENU] = { false };
    double cap_eps = (double)g->cap.eps_pico * 1e-12;
    int reach = 0;
    for (int i = 0; i < g->n; i++) {
        int after[MENU];
        memcpy(after, count, sizeof after);
        after[i]++;
        may[i] = total < g->questions && g->admits(g, after);
        reach += count[i] * g->menu[i].k;
    }
    for (int loss = -reach; loss <= reach; loss++) {
        double best = fmax(0, 1 - exp(cap_eps - loss * g->unit));
        for (int i = 0; i < g->n; i++)
            if (may[i]) best = fmax(best, ask(g, t, count, i, loss));
        t->value[cell_of(t, count) + (size_t)(loss + t->mid)] = best;
    }
}

/* All counts of a given total, larger totals first. */
static void fill(const game *g, table *t, int count[MENU], int i, int left, int total)
{
    if (i == g->n - 1) {
        count[i] = left;
        fill_cell(g, t, count, total);
        count[i] = 0;
        return;
    }
    for (count[i] = 0; count[i] <= left; count[i]++)
        fill(g, t, count, i + 1, left - count[i], total);
    count[i] = 0;
}

/* The most that she can reach. */
static double worst(const game *g)
{
    int largest = 0, count[MENU] = { 0 };
    size_t cells = 1;
    for (int i = 0; i < g->n; i++) largest = g->menu[i].k > largest ? g->menu[i].k : largest;
    table t = { .side = g->questions + 1, .mid = largest * g->questions };
    t.width = 2 * t.mid + 1;
    for (int i = 0; i < MENU; i++) cells *= (size_t)t.side;
    t.value = calloc(cells * (size_t)t.width, sizeof *t.value);
    assert_non_null(t.value);
    for (int total = g->questions; total >= 0; total--) fill(g, &t, count, 0, total, total);
    double best = value_at(&t, count, 0);
    free(t.value);
    return best;
}

static double delta_of(const game *g)
{
    return (double)g->cap.delta_atto * 1e-18;
}

/* ---- the sentences ---- */

SENTENCE(no_adversary_exceeds_delta_with_pure_questions)
{
    UNUSED_STATE;
    static const char *const deltas[] = { "0.001", "0.02", "0.1", "0.3", "0.6" };
    static const struct {
        double unit;
        const char *eps;
    } scale[] = { { 0.25, "1" }, { 0.5, "2" }, { 0.5, "1" } };
    double nearest = 0;
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < 5; i++) {
            game g = { scale[s].unit,
                       12,
                       4,
                       { { 1, 0, true }, { 2, 0, true }, { 3, 0, true }, { 4, 0, true } },
                       desk_cap(scale[s].eps, deltas[i]),
                       the_real_filter };
            double reached = worst(&g);
            CHECK(reached <= delta_of(&g) + 1e-12);
            nearest = fmax(nearest, reached / delta_of(&g));
        }
    CHECK(nearest > 0.2); /* she does get near: the bound is not idle */
}

SENTENCE(no_adversary_exceeds_delta_by_mixing_kinds)
{
    UNUSED_STATE;
    static const char *const deltas[] = { "0.02", "0.1", "0.3" };
    double nearest = 0;
    for (size_t i = 0; i < 3; i++) {
        jali_cap cap = desk_cap("1", deltas[i]);
        double shows = (double)cap.reserve_atto * 1e-18 / 3;
        game g = {
            0.25, 14,
            4,    { { 1, 0, true }, { 4, 0, true }, { 2, 0, false }, { 1, shows, false } },
            cap,  the_real_filter
        };
        double reached = worst(&g);
        CHECK(reached <= delta_of(&g) + 1e-12);
        nearest = fmax(nearest, reached / delta_of(&g));
    }
    CHECK(nearest > 0.2);
}

SENTENCE(a_pure_cap_leaves_her_nothing)
{
    UNUSED_STATE;
    game g = { 0.25,
               12,
               4,
               { { 1, 0, true }, { 2, 0, true }, { 2, 0, false }, { 1, 0.01, false } },
               desk_cap("1", "0"),
               the_real_filter };
    CHECK(worst(&g) < 1e-12);
}

SENTENCE(she_refutes_two_purses)
{
    UNUSED_STATE;
    game g = { 0.25,
               12,
               4,
               { { 1, 0, true }, { 4, 0, true }, { 1, 0, false }, { 2, 0, false } },
               desk_cap("1", "0.02"),
               two_purses };
    CHECK(worst(&g) > 2 * delta_of(&g));
    g.admits = the_real_filter;
    CHECK(worst(&g) <= delta_of(&g));
}

SENTENCE(she_refutes_a_finite_eps_with_a_delta)
{
    UNUSED_STATE;
    game g = { 0.05,
               DEEPEST,
               1,
               { { 1, 0.01, false } },
               desk_cap("1", "0.02"),
               finite_eps_whatever_delta };
    CHECK(worst(&g) > 8 * delta_of(&g)); /* 1 - 0.99^20 */
    g.admits = the_real_filter;
    CHECK(worst(&g) <= delta_of(&g));
}

SENTENCE(she_refutes_a_reserve_that_is_counted_twice)
{
    UNUSED_STATE;
    game g = { 0.25,
               12,
               3,
               { { 1, 0.02, false }, { 2, 0, false }, { 4, 0, false } },
               desk_cap("1", "0.1"),
               reserve_counted_twice };
    CHECK(worst(&g) > delta_of(&g));
    g.admits = the_real_filter;
    CHECK(worst(&g) <= delta_of(&g));
}

RUN_ALL(TEST(no_adversary_exceeds_delta_with_pure_questions),
        TEST(no_adversary_exceeds_delta_by_mixing_kinds), TEST(a_pure_cap_leaves_her_nothing),
        TEST(she_refutes_two_purses), TEST(she_refutes_a_finite_eps_with_a_delta),
        TEST(she_refutes_a_reserve_that_is_counted_twice))
