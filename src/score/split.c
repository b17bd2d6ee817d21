/* score/split.c — where to cut a box: empty cells near the middle of its rows, sealed.
 *
 * Claim    split.range
 *          A row of a node changes every candidate's score of that node by a whole number
 *          between -empty and outer, and no score of another node. So m rows of a person, m_g
 *          of them in node g, move its scores with a range of at most m_g (outer + empty), and
 *          the group's own range is m (outer + empty).
 * Proof    proofs/split.md#split.range
 * Source   DPM, Definitions 2 to 6, as corrected by PRIVACY 4: depth instead of rank, the
 *          released count as the only count, no lambda and no delta. The score is f nu times
 *          JALI_SPLIT_GRAIN, an exact integer: nothing is rounded.
 * Law      score = outer min(z, z_q) + inner (min(z, z_h) - z_q)^+ + empty (nu - cell)^+,
 *          z = min(left, right), z_q = floor(nu q), z_h = floor(nu / 2), nu = max(count, 1)
 * Test     tests/score/split_test.c
 * Silent   Time depends on the number of candidates, which is public.
 */
#include "score/split.h"
#include "score/open.h"
#include "tally/open.h"

static uint64_t floor_of(mpq_srcptr x)
{
    mpz_t z;
    mpz_init(z);
    mpz_fdiv_q(z, mpq_numref(x), mpq_denref(x));
    uint64_t out = mpz_fits_ulong_p(z) ? mpz_get_ui(z) : 0;
    mpz_clear(z);
    return out;
}

static bool sound(mpq_srcptr t, mpq_srcptr q, mpq_srcptr alpha)
{
    mpq_t twice;
    mpq_init(twice);
    mpq_mul_2exp(twice, q, 1);
    bool good = mpq_sgn(q) > 0 && mpq_cmp(twice, t) <= 0 && mpq_cmp_ui(t, 1, 1) <= 0 &&
                mpq_cmp_ui(twice, 1, 1) < 0 && mpq_sgn(alpha) >= 0 &&
                mpq_cmp_ui(alpha, 1000, 1) <= 0 && mpz_fits_ulong_p(mpq_numref(q)) &&
                mpz_fits_ulong_p(mpq_denref(q)) && mpz_get_ui(mpq_denref(q)) <= 1000000;
    mpq_clear(twice);
    return good;
}

/* t/q >= 2(1-t)/(1-2q) iff t >= 2q, and flooring keeps the order. */
jali_status jali_split_make(jali_split *out, mpq_srcptr t, mpq_srcptr q, mpq_srcptr alpha,
                            jali_err *err)
{
    if (!sound(t, q, alpha))
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "a split needs 0 < 2q <= t <= 1, q below 1/2 and alpha from 0 to 1000: "
            "outside, its price would not hold");
    mpq_t x, y, grain;
    mpq_inits(x, y, grain, NULL);
    mpq_set_ui(grain, JALI_SPLIT_GRAIN, 1);
    mpq_div(x, t, q);
    mpq_mul(x, x, grain);
    out->outer = (uint32_t)floor_of(x);
    mpq_set_ui(x, 1, 1);
    mpq_sub(x, x, t);
    mpq_set_ui(y, 1, 2);
    mpq_sub(y, y, q); /* (1 - 2q) / 2 */
    mpq_div(x, x, y);
    mpq_mul(x, x, grain);
    out->inner = (uint32_t)floor_of(x);
    mpq_mul(x, alpha, grain);
    out->empty = (uint32_t)floor_of(x);
    out->q_num = mpz_get_ui(mpq_numref(q));
    out->q_den = mpz_get_ui(mpq_denref(q));
    mpq_clears(x, y, grain, NULL);
    return JALI_OK;
}

/* Odd borders strictly inside (low, high). */
static uint32_t first_inside(const jali_split_node *v, size_t axis)
{
    return (uint32_t)v->low[axis] / 2 * 2 + 1 > v->low[axis] ? v->low[axis] / 2u * 2 + 1
                                                             : v->low[axis] + 2u;
}

static size_t candidates_of(const jali_split_node *v, size_t axis)
{
    uint32_t first = first_inside(v, axis);
    return first < v->high[axis] ? (v->high[axis] - first + 1) / 2 : 0;
}

size_t jali_split_candidates(const jali_split_node *v, size_t axes)
{
    size_t n = 0;
    for (size_t j = 0; j < axes; j++) n += candidates_of(v, j);
    return n;
}

void jali_split_candidate(const jali_split_node *v, size_t axes, size_t index, uint32_t *axis,
                          uint32_t *cell)
{
    size_t j = 0;
    for (; j + 1 < axes && index >= candidates_of(v, j); j++) index -= candidates_of(v, j);
    *axis = (uint32_t)j;
    *cell = first_inside(v, j) + 2 * (uint32_t)index;
}

typedef struct measure {
    const jali_split *split;
    int64_t nu, z_q, z_h;
} measure;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t score_of(const measure *m, int64_t left, int64_t right, int64_t cell)
{
    int64_t z = least(left, right), deep = least(z, m->z_h) - m->z_q, none = m->nu - cell;
    return m->split->outer * least(z, m->z_q) + (deep > 0 ? m->split->inner * deep : 0) +
           (none > 0 ? m->split->empty * none : 0);
}

static int64_t *score_axis(const measure *m, const int64_t *count, size_t cells, uint32_t first,
                           uint32_t high, int64_t *to)
{
    int64_t left = 0, all = 0;
    for (size_t c = 0; c < cells; c++) all += count[c];
    for (uint32_t c = 0; c < first && c < cells; c++) left += count[c];
    for (uint32_t c = first; c < high && c < cells; c += 2) {
        *to++ = score_of(m, left, all - left, count[c - 1] + count[c]);
        left += count[c] + (c + 1 < cells ? count[c + 1] : 0);
    }
    return to;
}

/* nu is at most 2^40: a count of rows with any noise that is ever drawn; the scores stay far
 * below 2^63. */
static int64_t nu_of(const jali_split_node *v)
{
    const int64_t most = (int64_t)1 << 40;
    return v->count < 1 ? 1 : v->count > most ? most : v->count;
}

static jali_status score_node(const jali_split *split, const jali_tally *counts, size_t i,
                              const jali_split_node *v, jali_arena *arena, jali_scores *out,
                              jali_err *err)
{
    size_t axes = (size_t)counts->extent[1], cells = (size_t)counts->extent[2];
    size_t n = jali_split_candidates(v, axes);
    int64_t nu = nu_of(v), *score = jali_arena_take(arena, n + 1, sizeof *score), *to = score;
    if (score == NULL) return jali_fail_memory(err);
    measure m = { split, nu, (int64_t)((uint64_t)nu * split->q_num / split->q_den), nu / 2 };
    for (size_t j = 0; j < axes; j++)
        to = score_axis(&m, counts->cell + (i * axes + j) * cells, cells, first_inside(v, j),
                        v->high[j], to);
    uint64_t range = counts->reach.linf * ((uint64_t)split->outer + split->empty);
    *out = (jali_scores){ .n = n, .score = score, .range = range, .sensitivity = range };
    return JALI_OK;
}

jali_status jali_score_splits(const jali_split *split, const jali_tally *counts,
                              const jali_split_node *node, jali_arena *arena,
                              const jali_score_groups **out, jali_err *err)
{
    size_t n = (size_t)counts->extent[0];
    jali_score_groups *groups = jali_arena_take(arena, 1, sizeof *groups);
    jali_scores *group = jali_arena_take(arena, n + 1, sizeof *group);
    if (groups == NULL || group == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        JALI_TRY(score_node(split, counts, i, &node[i], arena, &group[i], err));
    *groups = (jali_score_groups){ n, group };
    *out = groups;
    return JALI_OK;
}
