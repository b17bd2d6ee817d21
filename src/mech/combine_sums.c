/* mech/combine_sums.c — combinations drawn by sums over a frontier of attributes.
 *
 * Attribute by attribute: f_j(S) is the weight of all ways in which the first j attributes
 * serve the clusters exactly as the state S says (a cluster has 0 .. each attributes so
 * far), f_j(S) = sum over T of f_{j-1}(S - T) g_j(T), where T are the clusters that take
 * attribute j and g_j(T) the weight of that. Then back again: T_j is drawn with its share
 * of f_j(S). Every sum is one of positive numbers; nothing is ever subtracted.
 *
 * Claim    combine.sums
 *          P(combination) = exp(-rate * (sum of behind + sum of W)) e^t / Z with the same Z for
 *          all and |t| <= eta = |A| (2^n + 64) 2^-52.
 * Proof    proofs/combine.md#combine.sums
 * Source   Variable elimination by attribute instead of by cluster: two states a cluster
 *          instead of |A|. The fast subset convolution is not for us, it subtracts.
 * Law      the claim's
 * Test     tests/mech/combine_test.c (all combinations enumerated)
 * Silent   Time depends on n, |A|, each and the shortlist. Which subset won is visible to a
 *          shared cache.
 */
#include "dice/weigh.h"
#include "mech/combine_inside.h"
#include <stdlib.h>

typedef struct frontier {
    const jali_knot *knot;
    size_t states;       /* (each + 1)^n                                           */
    uint32_t *rising;    /* per state: clusters that can still take one more       */
    uint32_t *having;    /* per state: clusters that have at least one             */
    size_t *offset;      /* per set of clusters: what taking one each adds         */
    jali_sheaf level, g; /* level j at j * states; g of one attribute, 2^n sets    */
    uint64_t *behind;    /* of sets, while g is made                               */
    jali_wide *weight;   /* of the draw back                                       */
    double *scratch;
} frontier;

static jali_sheaf level_of(const frontier *f, size_t j)
{
    return (jali_sheaf){ f->level.m + j * f->states, f->level.e + j * f->states };
}

static jali_wide at(jali_sheaf s, size_t i)
{
    return (jali_wide){ s.m[i], s.e[i] };
}

static void put(jali_sheaf s, size_t i, jali_wide w)
{
    s.m[i] = w.m;
    s.e[i] = w.e;
}

static jali_status frontier_init(frontier *f, const jali_knot *k, jali_arena *arena)
{
    size_t sets = (size_t)1 << k->n, states = 1;
    for (uint32_t i = 0; i < k->n; i++) states *= k->each + 1;
    size_t all = ((size_t)k->attributes + 1) * states, extra = jali_sums_scratch(k->n);
    *f = (frontier){ .knot = k, .states = states };
    f->rising = jali_arena_take(arena, states, sizeof *f->rising);
    f->having = jali_arena_take(arena, states, sizeof *f->having);
    f->offset = jali_arena_take(arena, sets, sizeof *f->offset);
    f->level.m = jali_arena_take(arena, all, sizeof *f->level.m);
    f->level.e = jali_arena_take(arena, all, sizeof *f->level.e);
    f->g.m = jali_arena_take(arena, sets, sizeof *f->g.m);
    f->g.e = jali_arena_take(arena, sets, sizeof *f->g.e);
    f->behind = jali_arena_take(arena, sets, sizeof *f->behind);
    f->weight = jali_arena_take(arena, sets, sizeof *f->weight);
    f->scratch = jali_arena_take(arena, extra, sizeof *f->scratch);
    bool good = f->rising != NULL && f->having != NULL && f->offset != NULL &&
                f->level.m != NULL && f->level.e != NULL && f->g.m != NULL && f->g.e != NULL &&
                f->behind != NULL && f->weight != NULL && f->scratch != NULL;
    return good ? JALI_OK : JALI_E_NOMEM;
}

/* A state is a number with one digit a cluster, in base each + 1. */
static void number_states(frontier *f)
{
    const jali_knot *k = f->knot;
    for (size_t s = 0; s < f->states; s++) {
        size_t rest = s;
        f->rising[s] = f->having[s] = 0;
        for (uint32_t c = 0; c < k->n; c++, rest /= k->each + 1) {
            uint32_t digit = (uint32_t)(rest % (k->each + 1));
            if (digit < k->each) f->rising[s] |= 1u << c;
            if (digit > 0) f->having[s] |= 1u << c;
        }
    }
    f->offset[0] = 0;
    size_t one = 1;
    for (uint32_t c = 0; c < k->n; c++, one *= k->each + 1)
        for (size_t t = 0; t < (size_t)1 << c; t++)
            f->offset[t | (size_t)1 << c] = f->offset[t] + one;
}

static uint32_t takers(const jali_knot *k, uint32_t a)
{
    uint32_t set = 0;
    for (uint32_t c = 0; c < k->n; c++)
        if (jali_knot_may(k, c, a)) set |= 1u << c;
    return set;
}

/* How far behind the set is: a set without x, one without y, less one without both, and what
 * x and y cost each other. Whole numbers, exact. */
static uint64_t behind_set(const frontier *f, uint32_t a, uint32_t t)
{
    uint32_t rest = t & (t - 1), x = (uint32_t)__builtin_ctz(t);
    if (rest == 0) return jali_knot_behind(f->knot, x, a);
    uint32_t y = (uint32_t)__builtin_ctz(rest), both = rest & (rest - 1);
    return f->behind[rest] + f->behind[both | 1u << x] - f->behind[both] +
           jali_knot_W(f->knot, a, x, y);
}

/* g of all subsets of `set`, which are met in rising order. */
static void weigh_sets(frontier *f, uint32_t a, uint32_t set)
{
    f->behind[0] = 0;
    put(f->g, 0, jali_wide_one());
    for (uint32_t t = (0 - set) & set; t != 0; t = (t - set) & set) {
        f->behind[t] = behind_set(f, a, t);
        put(f->g, t, jali_wide_exp(f->knot->rate, f->behind[t]));
    }
}

/* One attribute more, by pushing: for any each and any set of takers. */
static void push(frontier *f, jali_sheaf prev, jali_sheaf next, uint32_t set)
{
    for (size_t s = 0; s < f->states; s++) put(next, s, jali_wide_zero());
    for (size_t s = 0; s < f->states; s++) {
        jali_wide from = at(prev, s);
        uint32_t free = f->rising[s] & set, t = 0;
        if (from.m == 0.0) continue; /* which states can be reached is public */
        do {
            size_t to = s + f->offset[t];
            put(next, to, jali_wide_add(at(next, to), jali_wide_mul(from, at(f->g, t))));
            t = (t - free) & free;
        } while (t != 0);
    }
}

static void forward(frontier *f)
{
    const jali_knot *k = f->knot;
    uint32_t everyone = (uint32_t)(((uint64_t)1 << k->n) - 1);
    jali_sheaf first = level_of(f, 0);
    for (size_t s = 0; s < f->states; s++) put(first, s, jali_wide_zero());
    put(first, 0, jali_wide_one());
    for (uint32_t a = 0; a < k->attributes; a++) {
        uint32_t set = takers(k, a);
        weigh_sets(f, a, set);
        if (k->each == 1 && k->n >= 2 && set == everyone)
            jali_sums_fold(k->n, level_of(f, a), f->g, level_of(f, a + 1), f->scratch);
        else
            push(f, level_of(f, a), level_of(f, a + 1), set);
    }
}

/* Which clusters took attribute a, when the state after it was s. */
static jali_status draw_takers(frontier *f, uint32_t a, size_t s, jali_dice *dice,
                               uint32_t *drawn)
{
    uint32_t set = takers(f->knot, a), can = f->having[s] & set, t = 0;
    jali_sheaf before = level_of(f, a);
    size_t n = 0, winner;
    weigh_sets(f, a, set);
    do {
        f->weight[n++] = jali_wide_mul(at(before, s - f->offset[t]), at(f->g, t));
        t = (t - can) & can;
    } while (t != 0);
    JALI_TRY(jali_weigh_draw(f->weight, n, dice, &winner));
    for (t = 0; winner > 0; winner--) t = (t - can) & can;
    *drawn = t;
    return JALI_OK;
}

static jali_status backward(frontier *f, jali_dice *dice, uint32_t *chosen)
{
    const jali_knot *k = f->knot;
    uint32_t left[JALI_KNOT_SUMS];
    size_t s = f->states - 1;
    for (uint32_t c = 0; c < k->n; c++) left[c] = k->each;
    for (uint32_t a = k->attributes; a-- > 0;) {
        uint32_t set;
        JALI_TRY(draw_takers(f, a, s, dice, &set));
        s -= f->offset[set];
        for (uint32_t c = 0; c < k->n; c++)
            if (set >> c & 1) chosen[c * k->each + --left[c]] = a;
    }
    return JALI_OK;
}

jali_status jali_sums_draw(const jali_knot *knot, jali_dice *dice, uint32_t *chosen)
{
    frontier f;
    jali_arena arena = { 0 };
    jali_status status = frontier_init(&f, knot, &arena);
    if (status == JALI_OK) {
        number_states(&f);
        forward(&f);
        status = backward(&f, dice, chosen);
    }
    jali_arena_clear(&arena);
    return status;
}
