/* mech/quantiles.c — quantiles of a column, chosen by exponential mechanisms.
 *
 * Claim    quantiles.levels
 *          If one person moves the counts by at most reach.l1 in L1 norm, all k cuts together
 *          are L eps-DP and (L eps^2/8)-zCDP in the add/remove model, where L = floor(log2 k)
 *          + 1 is the number of levels and eps what one level costs; L eps is at most the
 *          budget (Laplace), or L eps^2/8 is (Gauss).
 * Proof    proofs/quantiles.md#quantiles.levels
 * Source   Kaplan, Schnapp, Stemmer, ICML 2022 (ApproximateQuantiles), over the public domain
 *          instead of the real line: a value that many rows share can be hit (ALGORITHMS 4).
 * Law      in a node of codes lo..hi, for the a-th of b parts, with M = max(a, b - a):
 *          P(v) ~ exp(eps u(v) / (2 l1 M)), u(v) = -max(0, b #{c < v} - a n, a n - b #{c <= v})
 * Test     tests/mech/quantiles_test.c
 * Silent   Time and memory depend on the number of values and on the cuts, which are public.
 */
#include "mech/quantiles.h"
#include "base/arena.h"
#include "base/rat.h"
#include "budget/range.h"
#include "dice/select.h"
#include "tally/open.h"

struct jali_quantiler {
    size_t k;
    unsigned levels;
    mpq_t eps; /* of one level */
    jali_loss loss;
};

static void set_pico(mpq_t out, const mpz_t pico)
{
    mpz_set(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

/* eps = budget / L, or sqrt(8 rho / L), rounded down to the ledger's grain. */
static void level_eps(jali_quantiler *q, jali_law law, mpq_srcptr budget)
{
    mpq_t x;
    mpz_t pico, ten;
    mpq_init(x);
    mpz_inits(pico, ten, NULL);
    mpq_set_ui(x, law == JALI_LAW_GAUSS ? 8 : 1, q->levels);
    mpq_canonicalize(x);
    mpq_mul(x, x, budget);
    mpz_ui_pow_ui(ten, 10, JALI_LOSS_DIGITS * (law == JALI_LAW_GAUSS ? 2 : 1));
    mpz_mul(pico, mpq_numref(x), ten);
    mpz_fdiv_q(pico, pico, mpq_denref(x));
    if (law == JALI_LAW_GAUSS) mpz_sqrt(pico, pico);
    if (mpz_sgn(pico) == 0) mpz_set_ui(pico, 1);
    set_pico(q->eps, pico);
    mpz_clears(pico, ten, NULL);
    mpq_clear(x);
}

jali_status jali_quantiler_new(jali_quantiler **out, jali_law law, mpq_srcptr budget, size_t k,
                               jali_err *err)
{
    if (mpq_sgn(budget) <= 0 || k == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "quantiles cost something: their budget must be above 0");
    jali_quantiler *q = calloc(1, sizeof *q);
    if (q == NULL) return jali_fail_memory(err);
    q->k = k;
    while (k >> q->levels != 0) q->levels++;
    mpq_init(q->eps);
    level_eps(q, law, budget);
    q->loss = jali_loss_times(jali_loss_bounded_range(q->eps), q->levels);
    *out = q;
    return JALI_OK;
}

void jali_quantiler_free(jali_quantiler *q)
{
    if (q == NULL) return;
    mpq_clear(q->eps);
    free(q);
}

jali_loss jali_quantiler_loss(const jali_quantiler *q)
{
    return q->loss;
}

/* Codes lo..hi and the cuts first..last among them. */
typedef struct node {
    size_t lo, hi, first, last;
} node;

typedef struct search {
    const jali_quantiler *q;
    const jali_tally *counts;
    jali_dice *dice;
    int64_t *score;
    size_t *cut;
} search;

static void fill(const search *s, const node *n, int64_t a, int64_t b)
{
    int64_t all = 0, below = 0;
    for (size_t v = n->lo; v <= n->hi; v++) all += s->counts->cell[v];
    for (size_t v = n->lo; v <= n->hi; v++) {
        int64_t over = b * below - a * all;
        below += s->counts->cell[v];
        int64_t under = a * all - b * below;
        int64_t worst = over > under ? over : under;
        s->score[v - n->lo] = worst > 0 ? -worst : 0;
    }
}

static jali_status choose(const search *s, const node *n, size_t *cut, jali_err *err)
{
    size_t middle = n->first + (n->last - n->first) / 2;
    uint64_t a = middle - n->first + 1, b = n->last - n->first + 2;
    uint64_t most = a > b - a ? a : b - a, l1 = s->counts->reach.l1;
    jali_rate rate;
    mpq_t x, each;
    mpq_inits(x, each, NULL);
    mpq_set_ui(each, 1, 2 * most * (l1 == 0 ? 1 : l1));
    mpq_mul(x, s->q->eps, each);
    jali_status status = jali_rate_init(&rate, x, err);
    mpq_clears(x, each, NULL);
    if (status != JALI_OK) return status;
    size_t winner;
    fill(s, n, (int64_t)a, (int64_t)b);
    status = jali_select_draw(&rate, s->score, n->hi - n->lo + 1, s->dice, &winner);
    jali_rate_clear(&rate);
    if (status != JALI_OK)
        return jali_fail(err, status, JALI_FOR_ANALYST,
                         "the quantiles could not be drawn; the charge stands");
    *cut = n->lo + winner;
    return JALI_OK;
}

/* Splits a node at its middle cut v: codes up to v on the left, above v on the right. Where no
 * code is left, the cuts are v: a function of what was released. */
static void split(search *s, const node *n, size_t v, node *next, size_t *n_next)
{
    size_t middle = n->first + (n->last - n->first) / 2;
    s->cut[middle] = v;
    if (middle > n->first) next[(*n_next)++] = (node){ n->lo, v, n->first, middle - 1 };
    if (middle == n->last) return;
    if (v < n->hi)
        next[(*n_next)++] = (node){ v + 1, n->hi, middle + 1, n->last };
    else
        for (size_t i = middle + 1; i <= n->last; i++) s->cut[i] = v;
}

static jali_status all_levels(search *s, size_t values, jali_charge *charge, node *now,
                              node *next, jali_err *err)
{
    size_t n = 1;
    now[0] = (node){ 0, values - 1, 0, s->q->k - 1 };
    for (unsigned level = 0; level < s->q->levels; level++) {
        size_t n_next = 0;
        JALI_TRY(jali_charge_spend(charge, jali_loss_bounded_range(s->q->eps), err));
        for (size_t i = 0; i < n; i++) {
            size_t v = 0;
            JALI_TRY(choose(s, &now[i], &v, err));
            split(s, &now[i], v, next, &n_next);
        }
        node *swap = now;
        now = next;
        next = swap;
        n = n_next;
    }
    return JALI_OK;
}

jali_status jali_quantiles_release(const jali_quantiler *q, const jali_tally *counts,
                                   size_t values, jali_charge *charge, jali_dice *dice,
                                   size_t *cut, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    if (values == 0 || values > counts->n)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a column without values has no quantiles");
    search s = { q, counts, dice, jali_arena_take(&arena, values, sizeof(int64_t)),
                 jali_arena_take(&arena, q->k, sizeof(size_t)) };
    node *now = jali_arena_take(&arena, q->k + 1, sizeof *now);
    node *next = jali_arena_take(&arena, q->k + 1, sizeof *next);
    bool good = s.score != NULL && s.cut != NULL && now != NULL && next != NULL;
    jali_status status =
        good ? all_levels(&s, values, charge, now, next, err) : jali_fail_memory(err);
    if (status == JALI_OK) memcpy(cut, s.cut, q->k * sizeof *cut);
    jali_arena_clear(&arena);
    return status;
}
