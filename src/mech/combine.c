/* mech/combine.c — attributes for all clusters at once, made together with its price.
 *
 * Claim    combine.exponential
 *          If one person moves the scores of combinations so that largest change - smallest
 *          change is at most apart->range, the chosen combination is eps-DP and
 *          (eps^2/8)-zCDP in the add/remove model. The relative error of the samplers'
 *          floating sums, at most e^eta each way, is inside eps: the rate is
 *          (eps - 8 eta) / range.
 * Proof    proofs/combine.md#combine.exponential
 * Source   DPClustX, stage 2, over all combinations instead of k^|C|, with the range instead
 *          of twice the sensitivity (PRIVACY R, 3i, A.2) and exact sampling (A.3).
 * Law      P(combination) ~ exp(rate * score) e^t, |t| <= eta
 * Test     tests/mech/combine_test.c
 * Silent   The sums take time and memory by public numbers. The tree's depend on the scores, so
 *          that no plan takes it: it is the sums' check in tests.
 */
#include "mech/combine.h"
#include "budget/range.h"
#include "mech/combine_inside.h"
#include "score/open.h"
#include <math.h>

enum {
    SUMS_CLUSTERS = 15,
    STEPS_BITS = 31,  /* additions of a choice: some seconds                       */
    BYTES_BITS = 28,  /* tables of a block                                         */
    CLUSTER_LEAST = 2 /* of a block, else there are no pairs                       */
};

struct jali_combiner {
    const jali_apart *apart;
    jali_combining how;
    jali_wide_rate rate;
    jali_loss loss;
};

/* ---- the plan, from public numbers ------------------------------------------------------ */

/* a b^n, or infinity when it is beyond 2^62. */
static uint64_t power(uint64_t a, uint64_t b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(a, b, &a) || a >> 62 != 0) return UINT64_MAX;
    return a;
}

static bool sums_fit(uint32_t b, uint32_t clusters, uint32_t attributes, uint32_t each)
{
    uint64_t blocks = (clusters + b - 1) / b;
    return b <= SUMS_CLUSTERS &&
           power(blocks * attributes, 2 * (uint64_t)each + 1, b) <= (uint64_t)1 << STEPS_BITS &&
           power(16 * (uint64_t)attributes, (uint64_t)each + 1, b) <= (uint64_t)1 << BYTES_BITS;
}

uint32_t jali_combine_block(uint32_t clusters, uint32_t attributes, uint32_t each)
{
    uint32_t b = clusters < SUMS_CLUSTERS ? clusters : SUMS_CLUSTERS;
    while (b > CLUSTER_LEAST && !sums_fit(b, clusters, attributes, each)) b--;
    uint32_t blocks = (clusters + b - 1) / b;
    return (clusters + blocks - 1) / blocks; /* as equal as can be */
}

jali_combining jali_combine_how(const jali_apart_spec *s)
{
    return s->block <= SUMS_CLUSTERS ? JALI_COMBINE_SUMS : JALI_COMBINE_TREE;
}

/* eta of all blocks together, from above (proofs/combine.md): sums |A| (2^b + 64) 2^-52, the
 * tree b l (|A| + b (|A| l^2 + 64)) 2^-51 a block. The last digits of the constants cover what
 * is rounded here. */
static double eta_of(const jali_apart_spec *s, jali_combining how)
{
    double A = s->attributes, b = s->block, l = s->each, blocks = jali_apart_blocks(s);
    if (how == JALI_COMBINE_SUMS)
        return blocks * A * (ldexp(1, (int)s->block) + 64) * 0x1.01p-52;
    return blocks * b * l * (A + b * (A * l * l + 64)) * 0x1.01p-51;
}

static jali_status rate_init(jali_wide_rate *rate, const jali_apart *apart, double eta,
                             mpq_srcptr eps, jali_err *err)
{
    mpq_t x, less;
    mpq_inits(x, less, NULL);
    mpq_set_d(less, 8 * eta);
    mpq_sub(x, eps, less);
    mpq_mul_2exp(less, less, 1);
    jali_status status = JALI_OK;
    if (mpq_cmp(less, eps) > 0)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "the epsilon of the choice is so small that its roundings would "
                           "use it up; give it more than %.3g",
                           16 * eta);
    if (status == JALI_OK) {
        mpz_import(mpq_numref(less), 1, -1, sizeof apart->range, 0, 0, &apart->range);
        mpz_set_ui(mpq_denref(less), 1);
        mpq_div(x, x, less);
        status = jali_wide_rate_init(rate, x, err);
    }
    mpq_clears(x, less, NULL);
    return status;
}

jali_status jali_combiner_new(jali_combiner **out, const jali_apart *apart, jali_combining how,
                              mpq_srcptr eps, jali_err *err)
{
    jali_combiner made = { .apart = apart, .how = how };
    if (how == JALI_COMBINE_SUMS && apart->spec.block > SUMS_CLUSTERS)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "sums over %u clusters were planned", apart->spec.block);
    JALI_TRY(rate_init(&made.rate, apart, eta_of(&apart->spec, how), eps, err));
    made.loss = jali_loss_bounded_range(eps);
    jali_combiner *combiner = malloc(sizeof *combiner);
    if (combiner == NULL) return jali_fail_memory(err);
    *combiner = made;
    *out = combiner;
    return JALI_OK;
}

void jali_combiner_free(jali_combiner *combiner)
{
    free(combiner);
}

jali_loss jali_combiner_loss(const jali_combiner *combiner)
{
    return combiner->loss;
}

/* ---- the draw --------------------------------------------------------------------------- */

/* Memory for the knot of the largest block. */
typedef struct bench {
    uint64_t *behind, *W;
    bool *may;
} bench;

static void set_may(bool *may, const jali_apart_spec *s, const jali_shortlist *list,
                    uint32_t first, uint32_t n)
{
    for (size_t i = 0; i < (size_t)n * s->attributes; i++) may[i] = list == NULL;
    for (uint32_t c = 0; list != NULL && c < n; c++)
        for (uint32_t i = 0; i < list->k; i++)
            may[(size_t)c * s->attributes + list->entry[(size_t)(first + c) * list->k + i]] =
                true;
}

static void set_behind(uint64_t *behind, const bool *may, const uint64_t *U, uint32_t n,
                       uint32_t attributes)
{
    for (uint32_t c = 0; c < n; c++) {
        const uint64_t *u = U + (size_t)c * attributes;
        const bool *ok = may + (size_t)c * attributes;
        uint64_t best = 0;
        for (uint32_t a = 0; a < attributes; a++) best = ok[a] && u[a] > best ? u[a] : best;
        for (uint32_t a = 0; a < attributes; a++)
            behind[(size_t)c * attributes + a] = ok[a] ? best - u[a] : 0;
    }
}

static void set_W(uint64_t *W, const jali_apart_terms *t, uint32_t first, uint32_t n)
{
    const jali_apart_spec *s = &t->apart->spec;
    for (uint32_t a = 0; a < s->attributes; a++)
        for (uint32_t c = 0; c < n; c++) {
            const uint64_t *row = t->W + ((size_t)a * s->clusters + first + c) * s->block;
            for (uint32_t d = 0; d < n; d++) W[((size_t)a * n + c) * n + d] = row[d];
        }
}

static jali_status draw_blocks(const jali_combiner *m, const jali_apart_terms *t,
                               const jali_shortlist *list, const bench *b, jali_dice *dice,
                               uint32_t *chosen)
{
    const jali_apart_spec *s = &m->apart->spec;
    for (uint32_t i = 0, first, n; i < jali_apart_blocks(s); i++) {
        jali_apart_block_of(s, i, &first, &n);
        set_may(b->may, s, list, first, n);
        set_behind(b->behind, b->may, t->U + (size_t)first * s->attributes, n, s->attributes);
        set_W(b->W, t, first, n);
        jali_knot knot = { n, s->attributes, s->each, b->behind, b->may, b->W, &m->rate };
        uint32_t *to = chosen + (size_t)first * s->each;
        JALI_TRY(m->how == JALI_COMBINE_SUMS ? jali_sums_draw(&knot, dice, to)
                                             : jali_tree_draw(&knot, dice, to));
    }
    return JALI_OK;
}

jali_status jali_combine(const jali_combiner *combiner, const jali_apart_terms *terms,
                         const jali_shortlist *list, jali_charge *charge, jali_dice *dice,
                         uint32_t *chosen, jali_err *err)
{
    const jali_apart_spec *s = &combiner->apart->spec;
    jali_arena arena = { 0 };
    size_t cells = (size_t)s->block * s->attributes, all = (size_t)s->clusters * s->each;
    bench b = { jali_arena_take(&arena, cells, sizeof *b.behind),
                jali_arena_take(&arena, cells * s->block, sizeof *b.W),
                jali_arena_take(&arena, cells, sizeof *b.may) };
    uint32_t *drawn = jali_arena_take(&arena, all, sizeof *drawn);
    jali_status status = b.behind == NULL || b.W == NULL || b.may == NULL || drawn == NULL
                             ? jali_fail_memory(err)
                             : jali_charge_spend(charge, combiner->loss, err);
    if (status == JALI_OK) {
        status = draw_blocks(combiner, terms, list, &b, dice, drawn);
        if (status == JALI_OK) memcpy(chosen, drawn, all * sizeof *drawn);
        if (status != JALI_OK)
            jali_fail(err, status, JALI_FOR_ANALYST,
                      "the choice could not be drawn; the charge stands");
    }
    jali_arena_clear(&arena);
    return status;
}
