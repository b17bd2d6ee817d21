/* score/influence_fill.c — influences of the cells of sealed tallies, exactly.
 *
 * Claim    score.influence.exact
 *          Every score is floor(influence * num/den) of the exact rational; no operation
 *          overflows and none divides by 0, for any tallies of a vault.
 * Proof    proofs/influence.md#score.influence.exact
 * Source   Tao, Gilad, Machanavajjhala, Roy, VLDB 2022 (DPXPlain), Def. 4.3 and C.2. AVG of
 *          nothing does not matter: m = 0 then, and the influence is 0 (PRIVACY 1.2).
 * Law      none: scores are exact and sealed, nothing is drawn here
 * Test     tests/score/influence_test.c (plain rationals on random tables)
 * Silent   time: no cell takes another path than its neighbours, but a division of 128 bits
 *          and GMP take longer for some numbers than for others.
 */
#include "score/open.h"
#include "tally/open.h"
#include <gmp.h>

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

enum { PIECE = 2048 }; /* 16 KB of scores */

/* What p and its complement are in one group, and the group. */
typedef struct side {
    int64_t w, a, b, n;
    int64_t s, T; /* of code - centre */
} side;

/* d > 0. The remainder by hand: the compiler would divide twice. */
static i128 floor_div(i128 x, i128 d)
{
    i128 q = x / d;
    return q - (x - q * d < 0);
}

static int64_t sides(const jali_influence_table *t, size_t cell, side *out)
{
    const jali_influence_spec *spec = &t->influence->spec;
    int64_t m = INT64_MAX;
    for (unsigned j = 0; j < spec->groups; j++) {
        size_t at = j * t->cells + cell;
        int64_t a = t->count[at], b = t->n[j] - a, s = t->sum == NULL ? 0 : t->sum[at];
        out[j] = (side){ spec->weight[j], a, b, t->n[j], s, t->S[j] - s };
        m = b < m ? b : m;
    }
    return m;
}

/* sum of w_j s_j in values, not in centred codes: SUM notices a shift. COUNT: of w_j a_j. */
static i128 loss(const jali_influence_spec *spec, const side *g)
{
    i128 W = 0,
         shift = spec->of == JALI_INFLUENCE_COUNT ? 1 : (i128)spec->low + (i128)spec->centre;
    for (unsigned j = 0; j < spec->groups; j++) W += g[j].w * (g[j].s + g[j].a * shift);
    return W;
}

static int64_t score_total(const jali_influence_table *t, size_t cell)
{
    const jali_influence_spec *spec = &t->influence->spec;
    side g[JALI_INFLUENCE_GROUPS];
    int64_t m = sides(t, cell, g);
    i128 x = floor_div(loss(spec, g) * m * (i128)spec->num, t->M);
    return (int64_t)(spec->den == 1 ? x : floor_div(x, (i128)spec->den));
}

/* (s + T)/n - T/b = (s b - T a)/(n b), the same for every centre. The denominator of a group
 * without rows outside p is 0; m is 0 then, so is every numerator, and 1 does as well. */
static i128 gap(const side *g)
{
    return (i128)g->s * g->b - (i128)g->T * g->a;
}

static uint64_t below(const side *g)
{
    uint64_t q = (uint64_t)g->n * (uint64_t)g->b;
    return q + (q == 0);
}

/* One or two groups. p/q = whole + rest/q with 0 <= rest < q; two rests make one more whole
 * iff rest0/q0 >= 1 - rest1/q1. */
static int64_t score_mean(const jali_influence_table *t, size_t cell)
{
    const jali_influence_spec *spec = &t->influence->spec;
    side g[JALI_INFLUENCE_GROUPS];
    i128 scale = (i128)sides(t, cell, g) * (i128)spec->num, whole = 0;
    uint64_t q[2] = { 1, 1 }, rest[2] = { 0, 0 };
    for (unsigned j = 0; j < spec->groups; j++) {
        i128 p = scale * g[j].w * gap(&g[j]);
        q[j] = below(&g[j]);
        i128 down = floor_div(p, (i128)q[j]);
        whole += down;
        rest[j] = (uint64_t)(p - down * (i128)q[j]);
    }
    whole += (u128)rest[0] * q[1] >= (u128)(q[1] - rest[1]) * q[0];
    return (int64_t)(spec->den == 1 ? whole : floor_div(whole, (i128)spec->den));
}

static void set_u64(mpz_t out, uint64_t v)
{
    mpz_import(out, 1, -1, sizeof v, 0, 0, &v);
}

static void set_i128(mpz_t out, i128 v)
{
    u128 size = v < 0 ? 0 - (u128)v : (u128)v;
    uint64_t half[2] = { (uint64_t)size, (uint64_t)(size >> 64) };
    mpz_import(out, 2, -1, sizeof half[0], 0, 0, half);
    if (v < 0) mpz_neg(out, out);
}

typedef struct big {
    mpz_t top, bottom, p, q;
} big;

/* Any number of groups: top/bottom = sum of w_j gap_j / (n_j b_j), then m num/den, then down.
 */
static int64_t score_wide(const jali_influence_table *t, size_t cell, big *x)
{
    const jali_influence_spec *spec = &t->influence->spec;
    side g[JALI_INFLUENCE_GROUPS];
    int64_t m = sides(t, cell, g);
    mpz_set_ui(x->top, 0);
    mpz_set_ui(x->bottom, 1);
    for (unsigned j = 0; j < spec->groups; j++) {
        set_i128(x->p, gap(&g[j]));
        mpz_mul_si(x->p, x->p, g[j].w);
        mpz_mul(x->p, x->p, x->bottom);
        set_u64(x->q, below(&g[j]));
        mpz_mul(x->top, x->top, x->q);
        mpz_add(x->top, x->top, x->p);
        mpz_mul(x->bottom, x->bottom, x->q);
    }
    set_u64(x->p, spec->num);
    mpz_mul(x->top, x->top, x->p);
    mpz_mul_si(x->top, x->top, m);
    set_u64(x->q, spec->den);
    mpz_mul(x->bottom, x->bottom, x->q);
    mpz_fdiv_q(x->top, x->top, x->bottom);
    return mpz_get_si(x->top);
}

/* Where the cell of predicate `index` is within its label. */
static size_t cell_of(const jali_influence_table *t, uint64_t index)
{
    uint64_t code[JALI_INFLUENCE_ATTRIBUTES];
    jali_influence_codes(t, index, code);
    uint64_t cell = 0;
    for (unsigned k = 0; k < t->attributes; k++) cell = cell * t->extent[k] + code[k];
    return (size_t)cell;
}

/* A run of predicates that differ in the last attribute only: neighbours in the tally. */
static void fill_run(const jali_influence_table *t, size_t cell, size_t n, big *x,
                     int64_t *score)
{
    const jali_influence *inf = t->influence;
    if (inf->spec.of != JALI_INFLUENCE_AVG)
        for (size_t i = 0; i < n; i++) score[i] = score_total(t, cell + i);
    else if (inf->wide)
        for (size_t i = 0; i < n; i++) score[i] = score_wide(t, cell + i, x);
    else
        for (size_t i = 0; i < n; i++) score[i] = score_mean(t, cell + i);
}

void jali_influence_fill(const jali_influence_table *t, uint64_t first, size_t n,
                         int64_t *score)
{
    big x;
    mpz_inits(x.top, x.bottom, x.p, x.q, NULL);
    for (size_t done = 0; done < n;) {
        uint64_t last = t->values[t->attributes - 1], left = last - (first + done) % last;
        size_t run = n - done < left ? n - done : (size_t)left;
        fill_run(t, cell_of(t, first + done), run, &x, score + done);
        done += run;
    }
    mpz_clears(x.top, x.bottom, x.p, x.q, NULL);
}

jali_status jali_influence_each(const jali_influence_table *t, jali_score_taker take,
                                void *self)
{
    int64_t score[PIECE];
    for (uint64_t at = 0; at < t->predicates;) {
        size_t n = t->predicates - at < PIECE ? (size_t)(t->predicates - at) : PIECE;
        jali_influence_fill(t, at, n, score);
        JALI_TRY(take(self, score, n));
        at += n;
    }
    return JALI_OK;
}
