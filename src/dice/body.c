/* dice/body.c — noise for whole vectors that move together: K-norm noise on the integers.
 *
 * Claim    dice.body
 *          A draw has the law below exactly, but for a tail of probability below exp(-2^14)
 *          that is clamped.
 * Proof    proofs/dice_body.md#dice.body
 * Source   Hardt, Talwar, STOC 2010 (the K-norm mechanism), on a lattice: PRIVACY 8. The level
 *          is drawn by rejection from a sum of d+1 geometrics, ours.
 * Law      P(y) ~ exp(-eps N(y)/reach),
 *          N(y) = max(max |y_i|, ceil(reach (max y - min y)/range))
 * Test     tests/dice/body_test.c
 * Silent   Time: the number of rejections and the length of t vary, and with them the clock,
 *          by the noise alone; |y| is not hidden from who can measure a draw.
 */
#include "dice/body.h"
#include "dice/uniform.h"

static void set_u64(mpz_t out, uint64_t v)
{
    mpz_import(out, 1, -1, sizeof v, 0, 0, &v);
}

/* (2 reach - range) d range^(d-1) + range^d */
static void set_bound(jali_body *s)
{
    mpz_t x;
    mpz_init(x);
    mpz_pow_ui(x, s->range, s->d - 1);
    mpz_mul_2exp(s->bound, s->reach, 1);
    mpz_sub(s->bound, s->bound, s->range);
    mpz_mul_ui(s->bound, s->bound, s->d);
    mpz_add(s->bound, s->bound, s->range);
    mpz_mul(s->bound, s->bound, x);
    mpz_pow_ui(s->unit, s->reach, s->d);
    mpz_clear(x);
}

/* Is d eps <= 8 reach? Then a level is accepted at least once in e^5 tries or so. */
static bool grid_is_fine(size_t d, uint64_t reach, const mpq_t eps)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul_ui(left, mpq_numref(eps), d);
    set_u64(right, reach);
    mpz_mul(right, right, mpq_denref(eps));
    mpz_mul_2exp(right, right, 3);
    bool fine = mpz_cmp(left, right) <= 0;
    mpz_clears(left, right, NULL);
    return fine;
}

jali_status jali_body_init(jali_body *s, size_t d, uint64_t reach, uint64_t range,
                           const mpq_t eps, jali_err *err)
{
    if (d == 0 || d > JALI_BODY_MAX || reach == 0 || reach > UINT64_MAX / 4)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a vector of %zu numbers cannot be released together", d);
    if (mpq_sgn(eps) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a release costs something: its epsilon must be above 0");
    if (!grid_is_fine(d, reach, eps))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "epsilon is too large for the grid of the scores; a smaller one "
                         "gives answers that are as exact");
    if (range < reach) range = reach;
    if (range > 2 * reach) range = 2 * reach;
    mpq_t scale;
    mpq_init(scale);
    set_u64(mpq_numref(scale), reach);
    mpq_div(scale, scale, eps);
    jali_status status = jali_laplace_init(&s->steps, scale, err);
    mpq_clear(scale);
    JALI_TRY(status);
    s->d = d;
    mpz_inits(s->reach, s->range, s->unit, s->bound, NULL);
    set_u64(s->reach, reach);
    set_u64(s->range, range);
    set_bound(s);
    return JALI_OK;
}

void jali_body_clear(jali_body *s)
{
    mpz_clears(s->reach, s->range, s->unit, s->bound, NULL);
    jali_laplace_clear(&s->steps);
}

/* What one draw works with. */
typedef struct level {
    mpz_t t, b;         /* all |y_i| <= t, max - min <= b        */
    mpz_t inner, shell; /* b^d, (b+1)^d - b^d                    */
    mpz_t size;         /* vectors of the level: |K_t|           */
    mpz_t x, y;
} level;

static void level_init(level *l)
{
    mpz_inits(l->t, l->b, l->inner, l->shell, l->size, l->x, l->y, NULL);
}

static void level_clear(level *l)
{
    mpz_clears(l->t, l->b, l->inner, l->shell, l->size, l->x, l->y, NULL);
}

/* Half of a two-sided geometric, zero with its whole weight: P(n) = (1 - p) p^n. */
static jali_status add_steps(const jali_body *s, jali_dice *dice, mpz_t t)
{
    int64_t z;
    do JALI_TRY(jali_laplace_draw(&s->steps, dice, &z));
    while (z < 0);
    mpz_add_ui(t, t, (unsigned long)z);
    return JALI_OK;
}

/* |K_t| = (2t - b + 1)((b+1)^d - b^d) + b^d, b = min(floor(t range / reach), 2t). */
static void measure(const jali_body *s, level *l)
{
    mpz_mul(l->b, l->t, s->range);
    mpz_fdiv_q(l->b, l->b, s->reach); /* <= 2t, because range <= 2 reach */
    mpz_pow_ui(l->inner, l->b, s->d);
    mpz_add_ui(l->x, l->b, 1);
    mpz_pow_ui(l->shell, l->x, s->d);
    mpz_sub(l->shell, l->shell, l->inner);
    mpz_mul_2exp(l->x, l->t, 1);
    mpz_sub(l->x, l->x, l->b);
    mpz_add_ui(l->x, l->x, 1);
    mpz_mul(l->size, l->x, l->shell);
    mpz_add(l->size, l->size, l->inner);
}

/* t is the sum of d+1 geometrics, which has P(t) ~ p^t (t+1)...(t+d); it is kept with
 * probability |K_t| reach^d / (bound (t+1)...(t+d)), so that P(t) ~ p^t |K_t|. */
static jali_status draw_level(const jali_body *s, jali_dice *dice, level *l)
{
    do {
        mpz_set_ui(l->t, 0);
        for (size_t i = 0; i <= s->d; i++) JALI_TRY(add_steps(s, dice, l->t));
        measure(s, l);
        mpz_set(l->x, s->bound);
        for (size_t i = 1; i <= s->d; i++) {
            mpz_add_ui(l->y, l->t, i);
            mpz_mul(l->x, l->x, l->y);
        }
        JALI_TRY(jali_uniform_below_z(dice, l->x, l->y));
        mpz_mul(l->x, l->size, s->unit);
    } while (mpz_cmp(l->y, l->x) >= 0);
    return JALI_OK;
}

/* The least number of the vector into y, and into b how far the others may be above it. What
 * is left of the same draw is uniform below (b+1)^d - b^d: into x. */
static jali_status draw_least(const jali_body *s, jali_dice *dice, level *l)
{
    JALI_TRY(jali_uniform_below_z(dice, l->size, l->x));
    if (mpz_cmp(l->x, l->inner) < 0) { /* near the upper wall: L = t - least < b */
        mpz_root(l->b, l->x, s->d);
        mpz_pow_ui(l->y, l->b, s->d);
        mpz_sub(l->x, l->x, l->y);
        mpz_sub(l->y, l->t, l->b);
        return JALI_OK;
    }
    mpz_sub(l->x, l->x, l->inner);
    mpz_fdiv_qr(l->y, l->x, l->x, l->shell);
    mpz_sub(l->y, l->y, l->t);
    return JALI_OK;
}

static int64_t clamped(const mpz_t x)
{
    if (mpz_fits_slong_p(x)) return mpz_get_si(x);
    return mpz_sgn(x) < 0 ? INT64_MIN : INT64_MAX;
}

/* The first number that is 0 above the least: i has L^i (L+1)^(d-1-i) vectors, L = b. */
static size_t first_at_least(const jali_body *s, level *l, mpz_t block)
{
    size_t i = 0;
    mpz_add_ui(l->t, l->b, 1);
    mpz_pow_ui(block, l->t, s->d - 1);
    while (mpz_cmp(l->x, block) >= 0) {
        mpz_sub(l->x, l->x, block);
        mpz_divexact(block, block, l->t);
        mpz_mul(block, block, l->b);
        i++;
    }
    return i;
}

/* Numbers before the first are 1..L above the least, those after it 0..L. */
static jali_status fill(const jali_body *s, jali_dice *dice, level *l, int64_t *out)
{
    size_t first = first_at_least(s, l, l->size);
    for (size_t i = 0; i < s->d; i++) {
        mpz_set_ui(l->x, 0);
        if (i < first) {
            JALI_TRY(jali_uniform_below_z(dice, l->b, l->x));
            mpz_add_ui(l->x, l->x, 1);
        } else if (i > first) {
            JALI_TRY(jali_uniform_below_z(dice, l->t, l->x));
        }
        mpz_add(l->x, l->x, l->y);
        out[i] = clamped(l->x);
    }
    return JALI_OK;
}

jali_status jali_body_draw(const jali_body *s, jali_dice *dice, int64_t *out)
{
    level l;
    level_init(&l);
    jali_status status = draw_level(s, dice, &l);
    if (status == JALI_OK) status = draw_least(s, dice, &l);
    if (status == JALI_OK) status = fill(s, dice, &l, out);
    level_clear(&l);
    return status;
}
