/* score/apart.c — how far one person moves what tells clusters apart, from public numbers.
 *
 * K clusters, l = each, b = block, k = kappa; B = k if k >= 1/2, else 1/(4(1 - k)). One row
 * added or removed, all combinations looked at together, in units of the weights:
 *
 * Claim    score.apart.range
 *          Largest change of a combination's score less smallest: at most
 *          l (4 interest + sufficiency + 2 diversity (b-1)/(bl-1) + M),  M = max over j < b of
 *          sufficiency ((K-1-j) k + min(j k, B)) + 2 diversity j/(bl-1).   (PRIVACY 3i, A.2)
 * Claim    score.apart.range_sum
 *          Sum over clusters of (largest - smallest change of U over attributes): at most
 *          4 interest + sufficiency (1 + (K-1) k).                         (PRIVACY 3k, 3l)
 * Claim    score.apart.squares
 *          Sum over clusters of its square: at most (2 interest + sufficiency)^2 + (2 interest
 *          + k sufficiency)^2 + (K-2) (k sufficiency)^2.                   (PRIVACY 3k')
 *          A person has m = rows_per_person rows: m times the first two, m^2 times the third.
 *          `range` and `range_sum` are these in steps of 2^-grid, rounded up, and the
 *          roundings of apart_fill.c added: 6 a unary term, 2 a pair.
 * Proof    proofs/apart.md
 * Source   DPClustX, Section 4 and Appendix A, B; the constants are ours (PRIVACY 3, 8 and the
 *          note on kappa). The paper's are 2, 2 |C| and 4 |C| in units of GlScore and Score.
 * Law      none: nothing is drawn here
 * Test     tests/score/apart_reach_test.c (hill climbing: 1% less is refuted)
 * Silent   that rows_per_person was enforced (import does that).
 */
#include "score/apart.h"

enum {
    UNARY_ROUNDING = 6,
    PAIR_ROUNDING = 2,
    LEAST_RANGE = 1 << 20 /* a looser bound on scores that nobody moves: keeps rates small */
};

static jali_status check(const jali_apart_spec *s, jali_err *err)
{
    if (s->clusters == 0 || s->clusters > JALI_APART_CLUSTERS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a profile tells 1 to %d clusters apart, not %u", JALI_APART_CLUSTERS,
                         s->clusters);
    if (s->each == 0 || s->each > JALI_APART_EACH || s->each > s->attributes)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a cluster is shown by 1 to %d of the attributes; %u were asked for "
                         "and there are %u",
                         JALI_APART_EACH, s->each, s->attributes);
    if (s->interest > JALI_APART_WEIGHT || s->sufficiency > JALI_APART_WEIGHT ||
        s->diversity > JALI_APART_WEIGHT ||
        (s->interest == 0 && s->sufficiency == 0 && s->diversity == 0))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "weights are whole numbers from 0 to %d, not all 0",
                         JALI_APART_WEIGHT);
    if (s->rows_per_person == 0 || s->block == 0 || s->block > s->clusters ||
        (s->block == 1 && s->clusters > 1) || s->kappa_num == 0 || s->kappa_den == 0 ||
        s->kappa_num > s->kappa_den || s->kappa_den > JALI_APART_CLUSTERS)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a profile was planned with numbers that make no sense");
    return JALI_OK;
}

uint32_t jali_apart_blocks(const jali_apart_spec *s)
{
    return (s->clusters + s->block - 1) / s->block;
}

void jali_apart_block_of(const jali_apart_spec *s, uint32_t index, uint32_t *first, uint32_t *n)
{
    uint32_t blocks = jali_apart_blocks(s), small = s->clusters / blocks,
             larger = s->clusters % blocks;
    *first = index * small + (index < larger ? index : larger);
    *n = small + (index < larger);
}

/* out = a/b, exactly */
static void set_ratio(mpq_t out, uint64_t a, uint64_t b)
{
    mpq_set_ui(out, a, b);
    mpq_canonicalize(out);
}

/* What one sharing pair loses of diversity: 2 diversity/(bl-1), 0 where there are no pairs. */
static void set_pair(mpq_t out, const jali_apart_spec *s)
{
    uint64_t others = (uint64_t)s->block * s->each - 1;
    mpq_set_ui(out, 0, 1);
    if (s->block > 1) set_ratio(out, 2 * (uint64_t)s->diversity, others);
}

/* B: the sufficiency that clusters of one attribute can lose together. */
static void set_shared(mpq_t out, const jali_apart_spec *s)
{
    uint64_t p = s->kappa_num, q = s->kappa_den;
    if (2 * p >= q)
        set_ratio(out, p, q);
    else
        set_ratio(out, q, 4 * (q - p));
}

/* sufficiency ((K-1-j) k + min(j k, B)) + j pair */
static void set_loss(mpq_t out, const jali_apart_spec *s, uint32_t j, const mpq_t shared,
                     const mpq_t pair)
{
    mpq_t part;
    mpq_init(part);
    set_ratio(part, (uint64_t)j * s->kappa_num, s->kappa_den);
    if (mpq_cmp(part, shared) > 0) mpq_set(part, shared);
    set_ratio(out, (uint64_t)(s->clusters - 1 - j) * s->kappa_num, s->kappa_den);
    mpq_add(out, out, part);
    set_ratio(part, s->sufficiency, 1);
    mpq_mul(out, out, part);
    set_ratio(part, j, 1);
    mpq_mul(part, part, pair);
    mpq_add(out, out, part);
    mpq_clear(part);
}

static void set_range(mpq_t out, const jali_apart_spec *s)
{
    mpq_t pair, shared, most, loss;
    mpq_inits(pair, shared, most, loss, NULL);
    set_pair(pair, s);
    set_shared(shared, s);
    for (uint32_t j = 0; j < s->block; j++) {
        set_loss(loss, s, j, shared, pair);
        if (mpq_cmp(loss, most) > 0) mpq_set(most, loss);
    }
    set_ratio(out, s->block - 1, 1);
    mpq_mul(out, out, pair);
    mpq_add(out, out, most);
    set_ratio(loss, 4 * (uint64_t)s->interest + s->sufficiency, 1);
    mpq_add(out, out, loss);
    set_ratio(loss, (uint64_t)s->each * s->rows_per_person, 1);
    mpq_mul(out, out, loss);
    mpq_clears(pair, shared, most, loss, NULL);
}

static void set_range_sum(mpq_t out, const jali_apart_spec *s)
{
    mpq_t part;
    mpq_init(part);
    set_ratio(out, (uint64_t)s->kappa_den + (uint64_t)(s->clusters - 1) * s->kappa_num,
              s->kappa_den);
    set_ratio(part, s->sufficiency, 1);
    mpq_mul(out, out, part);
    set_ratio(part, 4 * (uint64_t)s->interest, 1);
    mpq_add(out, out, part);
    set_ratio(part, s->rows_per_person, 1);
    mpq_mul(out, out, part);
    mpq_clear(part);
}

static void set_square(mpq_t out, const mpq_t x)
{
    mpq_mul(out, x, x);
}

/* The sum of squares for one row, in units of the weights; K = 1 has the first term only. */
static void set_squares(mpq_t out, const jali_apart_spec *s)
{
    mpq_t twice, less, x;
    mpq_inits(twice, less, x, NULL);
    set_ratio(twice, 2 * (uint64_t)s->interest, 1);
    set_ratio(less, (uint64_t)s->kappa_num * s->sufficiency, s->kappa_den);
    set_ratio(x, s->sufficiency, 1);
    mpq_add(x, x, twice);
    set_square(out, x);
    if (s->clusters > 1) {
        mpq_add(x, twice, less);
        set_square(x, x);
        mpq_add(out, out, x);
        set_ratio(x, s->clusters - 2, 1);
        mpq_mul(x, x, less);
        mpq_mul(x, x, less);
        mpq_add(out, out, x);
    }
    mpq_clears(twice, less, x, NULL);
}

/* ceil(x 2^grid) + extra */
static uint64_t in_steps(const mpq_t x, unsigned grid, uint64_t extra)
{
    mpz_t z;
    uint64_t steps = 0;
    mpz_init(z);
    mpz_mul_2exp(z, mpq_numref(x), grid);
    mpz_cdiv_q(z, z, mpq_denref(x));
    mpz_export(&steps, NULL, -1, sizeof steps, 0, 0, z);
    mpz_clear(z);
    return steps + extra;
}

/* The grid on which `range` of one row is 2^26 .. 2^27 steps. With many rows a person the range
 * is that much longer, the scores are not. One cluster judged by diversity alone has range 0:
 * nobody moves scores that are all 0. */
static unsigned grid_of(const jali_apart_spec *s)
{
    jali_apart_spec one = *s;
    unsigned grid = 0;
    mpq_t x;
    mpq_init(x);
    one.rows_per_person = 1;
    set_range(x, &one);
    while (mpq_sgn(x) > 0 && mpq_cmp_ui(x, 1ul << (JALI_APART_GRID - 1), 1) < 0) {
        mpq_mul_2exp(x, x, 1);
        grid++;
    }
    mpq_clear(x);
    return grid;
}

/* Pairs of one block that can move with one person, times the attributes they may share. */
static uint64_t moving_pairs(const jali_apart_spec *s)
{
    uint64_t near = (uint64_t)s->block - 1, all = s->clusters * near / 2 + 1;
    uint64_t some = s->rows_per_person * near;
    return s->each * (some < all ? some : all);
}

/* squares / range_sum^2, with the roundings in both: (a + r)^2 summed is at most the sum of
 * a^2 plus 2 r sum a + K r^2, and range_sum holds K r already. Hence squares in steps are at
 * most S + range_sum^2 - sum^2 where sum is range_sum without roundings. */
static void set_share(jali_apart *out, const mpq_t sum)
{
    mpq_t steps, exact;
    mpq_inits(steps, exact, NULL);
    set_squares(out->squares, &out->spec);
    set_ratio(steps, out->spec.rows_per_person, 1);
    mpq_mul_2exp(steps, steps, out->grid);
    mpq_mul(out->squares, out->squares, steps);
    mpq_mul(out->squares, out->squares, steps);
    mpq_mul_2exp(exact, sum, out->grid);
    mpq_mul(exact, exact, exact);
    set_ratio(steps, out->range_sum, 1);
    mpq_mul(steps, steps, steps);
    mpq_add(out->squares, out->squares, steps);
    mpq_sub(out->squares, out->squares, exact);
    mpq_div(out->squares, out->squares, steps);
    mpq_clears(steps, exact, NULL);
}

jali_status jali_apart_init(jali_apart *out, const jali_apart_spec *spec, jali_err *err)
{
    JALI_TRY(check(spec, err));
    mpq_t x;
    mpq_init(x);
    jali_apart made = { .spec = *spec, .grid = grid_of(spec) };
    uint64_t terms = (uint64_t)spec->clusters * spec->each;
    set_range(x, spec);
    made.range =
        in_steps(x, made.grid, UNARY_ROUNDING * terms + PAIR_ROUNDING * moving_pairs(spec));
    if (made.range < LEAST_RANGE) made.range = LEAST_RANGE;
    set_range_sum(x, spec);
    made.range_sum = in_steps(x, made.grid, UNARY_ROUNDING * (uint64_t)spec->clusters);
    if (made.range_sum < LEAST_RANGE) made.range_sum = LEAST_RANGE;
    mpq_init(made.squares);
    set_share(&made, x);
    mpq_clear(x);
    *out = made;
    return JALI_OK;
}

void jali_apart_clear(jali_apart *apart)
{
    mpq_clear(apart->squares);
}
