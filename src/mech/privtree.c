/* mech/privtree.c — a tree that grows where points are, without telling where each one is.
 *
 * Claim    privtree.structure
 *          The set of leaves that jali_privtree_grow returns is eps-DP in the add/remove model
 *          for one person with at most `rows` rows, each of weight at most `weight`, if theta
 *          is fixed and eps <= rows * 3/4, however deep the tree grows.
 * Proof    proofs/privtree.md#privtree.structure
 * Source   Zhang, Xiao, Xie, SIGMOD 2016 (PrivTree), Section 3. We draw discrete Laplace noise
 *          on a grid of 1/64 of a unit, where the paper has a real one, and prove it anew;
 *          persons of m rows get eps/m in lambda AND in delta (PRIVACY 8).
 * Law      node v at depth h splits iff max(64 count - h decay, theta - decay) + Z > theta, all
 *          in grains; P(Z = z) ~ exp(-|z|/lambda), lambda = 64 weight rows (2B-1)/((B-1) eps),
 *          decay = ceil(lambda ln B), B = fanout
 * Test     tests/mech/privtree_test.c (exact laws of small trees on all neighbours)
 * Silent   Time grows with the number of nodes, which the leaves tell anyway.
 */
#include "mech/privtree.h"
#include "base/rat.h"
#include <math.h>
#include <string.h>

static size_t place(const jali_prefix *p, const uint32_t *at)
{
    size_t i = 0;
    for (unsigned a = 0; a < p->dims; a++) i = i << p->bits | at[a];
    return i;
}

/* Inclusion and exclusion over the corners; a corner below 0 adds nothing. */
int64_t jali_prefix_box(const jali_prefix *p, const uint32_t *lo, const uint32_t *hi)
{
    int64_t total = 0;
    for (unsigned corner = 0; corner < 1u << p->dims; corner++) {
        uint32_t at[JALI_CORESET_DIMS];
        bool minus = false, outside = false;
        for (unsigned a = 0; a < p->dims; a++) {
            bool low = corner >> a & 1;
            uint32_t edge = low ? lo[a] : hi[a];
            outside |= edge == 0;
            at[a] = edge - 1;
            minus ^= low;
        }
        if (outside) continue;
        int64_t part = p->sum[place(p, at)];
        total += minus ? -part : part;
    }
    return total;
}

/* lambda = grain * weight * rows * (2B-1) / ((B-1) eps), exact. */
static void set_lambda(mpq_t out, unsigned fanout, uint32_t rows, uint64_t weight,
                       mpq_srcptr eps)
{
    mpz_set_ui(mpq_numref(out), weight);
    mpz_mul_ui(mpq_numref(out), mpq_numref(out), rows);
    mpz_mul_ui(mpq_numref(out), mpq_numref(out), JALI_CORESET_GRAIN);
    mpz_mul_ui(mpq_numref(out), mpq_numref(out), 2 * fanout - 1);
    mpz_set_ui(mpq_denref(out), fanout - 1);
    mpq_canonicalize(out);
    mpq_div(out, out, eps);
}

static bool too_large(mpq_srcptr eps, uint32_t rows)
{
    mpq_t most;
    mpq_init(most);
    mpz_set_ui(mpq_numref(most), JALI_PRIVTREE_EPS_NUM);
    mpz_set_ui(mpq_denref(most), JALI_PRIVTREE_EPS_DEN);
    mpz_mul_ui(mpq_numref(most), mpq_numref(most), rows);
    mpq_canonicalize(most);
    bool larger = mpq_cmp(eps, most) > 0;
    mpq_clear(most);
    return larger;
}

jali_status jali_privtree_init(jali_privtree *t, unsigned fanout, uint32_t rows,
                               uint64_t weight, mpq_srcptr eps, jali_err *err)
{
    mpq_t lambda;
    if (mpq_sgn(eps) <= 0 || too_large(eps, rows) || fanout < 2 || rows == 0 || weight == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a private tree needs a budget above 0 and at most 3/4 a row");
    mpq_init(lambda);
    set_lambda(lambda, fanout, rows, weight, eps);
    jali_status status = jali_laplace_init(&t->noise, lambda, err);
    /* Up by far more than a double can be wrong: a larger decay is only more private. */
    double decay = mpq_get_d(lambda) * log(fanout) * (1 + 1e-12) + 1;
    if (status == JALI_OK) t->decay = (int64_t)ceil(decay); /* lambda is at most 2^48 then */
    mpq_clear(lambda);
    return status;
}

void jali_privtree_clear(jali_privtree *t)
{
    jali_laplace_clear(&t->noise);
}

/* ---- growing --------------------------------------------------------------------------- */

typedef struct growth {
    const jali_privtree *tree;
    const jali_prefix *counts;
    int64_t theta; /* in grains */
    jali_dice *dice;
    jali_arena *arena;
    jali_boxes *out;
} growth;

static jali_status add_leaf(growth *g, const jali_coreset_part *box, jali_err *err)
{
    jali_boxes *b = g->out;
    if (b->n == b->room) {
        size_t room = b->room == 0 ? 256 : 2 * b->room;
        jali_coreset_part *at = jali_arena_take(g->arena, room, sizeof *at);
        if (at == NULL) return jali_fail_memory(err);
        if (b->n > 0) memcpy(at, b->at, b->n * sizeof *at);
        b->at = at;
        b->room = room;
    }
    b->at[b->n++] = *box;
    return JALI_OK;
}

/* A box of one fine cell cannot be split: public geometry, no draw. */
static bool divisible(const growth *g, const jali_coreset_part *box)
{
    for (unsigned a = 0; a < g->counts->dims; a++)
        if (box->hi[a] - box->lo[a] > 1) return true;
    return false;
}

static int64_t grains(int64_t units)
{
    int64_t out;
    if (!__builtin_mul_overflow(units, (int64_t)JALI_CORESET_GRAIN, &out)) return out;
    return units < 0 ? INT64_MIN / 4 : INT64_MAX / 4; /* the same for everybody: a clamp */
}

static jali_status wants_split(growth *g, const jali_coreset_part *box, unsigned depth,
                               bool *split, jali_err *err)
{
    int64_t noise, decay = g->tree->decay;
    int64_t count = grains(jali_prefix_box(g->counts, box->lo, box->hi));
    int64_t lowest = g->theta - decay, biased = count - (int64_t)depth * decay;
    if (biased < lowest) biased = lowest;
    jali_status status = jali_laplace_draw(&g->tree->noise, g->dice, &noise);
    if (status != JALI_OK)
        return jali_fail(err, status, JALI_FOR_ANALYST,
                         "the noise could not be drawn; the charge stands");
    *split = noise > g->theta - biased;
    return JALI_OK;
}

/* One half of each axis, chosen by the bits of `which`; false if that half is empty. */
static bool child_of(const growth *g, const jali_coreset_part *box, unsigned which,
                     jali_coreset_part *out)
{
    *out = *box;
    for (unsigned a = 0; a < g->counts->dims; a++) {
        uint32_t middle = box->lo[a] + (box->hi[a] - box->lo[a] + 1) / 2;
        if (which >> a & 1)
            out->lo[a] = middle;
        else
            out->hi[a] = middle;
        if (out->lo[a] == out->hi[a]) return false;
    }
    return true;
}

/* Depth is at most the bits of the grid, 26. */
static jali_status grow(growth *g, const jali_coreset_part *box, unsigned depth, jali_err *err)
{
    bool split = false;
    if (divisible(g, box)) JALI_TRY(wants_split(g, box, depth, &split, err));
    if (!split) return add_leaf(g, box, err);
    for (unsigned which = 0; which < 1u << g->counts->dims; which++) {
        jali_coreset_part child;
        if (child_of(g, box, which, &child)) JALI_TRY(grow(g, &child, depth + 1, err));
    }
    return JALI_OK;
}

jali_status jali_privtree_grow(const jali_privtree *t, const jali_prefix *counts,
                               const jali_coreset_part *root, int64_t theta, jali_dice *dice,
                               jali_arena *arena, jali_boxes *out, jali_err *err)
{
    growth g = { .tree = t,
                 .counts = counts,
                 .theta = grains(theta),
                 .dice = dice,
                 .arena = arena,
                 .out = out };
    *out = (jali_boxes){ 0 };
    return grow(&g, root, 0, err);
}
