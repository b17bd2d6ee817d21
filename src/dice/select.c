/* dice/select.c — the exponential mechanism, one winner.
 *
 * Claim    dice.select
 *          The winner follows the law below exactly, for any scores.
 * Proof    proofs/dice_select.md#dice.select
 * Source   McSherry, Talwar, FOCS 2007, drawn by the inverse of the distribution function
 *          over enclosed weights. Not by rejection: that is over at once if all scores tie
 *          and takes n rounds if one wins, and a clock would tell which.
 * Law      P(i) = exp(rate * score[i]) / sum over j of exp(rate * score[j])
 * Test     tests/dice/select_test.c
 * Silent   A draw in about 2^48/n sums all weights again in Arb: microseconds a candidate.
 *          Which block of 64 candidates holds the winner is visible to a shared cache.
 */
#include "dice/select.h"
#include "dice/inside.h"
#include "dice/lazy.h"
#include "dice/reals.h"

enum { BLOCK = JALI_LANES };

/* Weights relative to the best score, exp(-rate (best - score)), in units of 2^-62, and
 * how far they may be from the true ones altogether, in ones, but for 2 units each. Always
 * BLOCK of them: the last block is padded, so that the loops are of one kind. */
static void weigh(const jali_rate *rate, const int64_t *score, size_t n, int64_t best,
                  uint64_t weight[static BLOCK], double *blur)
{
    uint64_t behind[BLOCK];
    double x[BLOCK], y[BLOCK], loose[4] = { 0 };
    for (size_t i = 0; i < BLOCK; i++) behind[i] = 0;
    for (size_t i = 0; i < n; i++) behind[i] = (uint64_t)best - (uint64_t)score[i];
    for (size_t i = 0; i < BLOCK; i++) x[i] = jali_double_of(behind[i]) * rate->near;
    for (size_t i = 0; i < BLOCK; i++) y[i] = x[i] = x[i] < 64.0 ? x[i] : 64.0;
    jali_exp_minus_each(x);
    for (size_t i = 0; i < BLOCK; i++) loose[i % 4] += (y[i] + 2.0) * x[i];
    for (size_t i = 0; i < BLOCK; i++) weight[i] = (uint64_t)(int64_t)(x[i] * 0x1p62);
    *blur += (loose[0] + loose[1] + loose[2] + loose[3]) * 0x1.1p-51;
}

static size_t block_size(size_t n, size_t at)
{
    return n - at < BLOCK ? n - at : BLOCK;
}

/* floor(a b / 2^128) */
static jali_u128 high_product(jali_u128 a, jali_u128 b)
{
    uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a;
    uint64_t b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    jali_u128 middle = (jali_u128)a1 * b0 + ((jali_u128)a0 * b0 >> 64);
    jali_u128 other = (jali_u128)a0 * b1 + (uint64_t)middle;
    return (jali_u128)a1 * b1 + (middle >> 64) + (other >> 64);
}

/* end[b] = sum of the weights of blocks 0 .. b. Returns, in units, what no such sum, nor a
 * spot drawn by them, may be off by. */
static jali_u128 add_up(const jali_rate *rate, const int64_t *score, size_t n, int64_t best,
                        jali_u128 *end)
{
    uint64_t weight[BLOCK];
    jali_u128 sum = 0;
    double blur = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = block_size(n, at);
        weigh(rate, score + at, m, best, weight, &blur);
        for (size_t i = 0; i < m; i++) sum += weight[i];
        end[at / BLOCK] = sum;
    }
    return (uint64_t)(blur * 0x1.1p62) + 2 * (jali_u128)n + 3;
}

/* The candidate whose share of [0, total) holds `spot`, and the distance from spot to the
 * nearer inner end of that share. Both loops run to their end, found or not. */
static size_t find(const jali_rate *rate, const int64_t *score, size_t n, int64_t best,
                   const jali_u128 *end, jali_u128 spot, jali_u128 *margin)
{
    uint64_t weight[BLOCK];
    size_t blocks = (n - 1) / BLOCK + 1, b = 0, i = 0;
    for (size_t j = 0; j < blocks; j++) b += end[j] <= spot;
    size_t m = block_size(n, b * BLOCK);
    double blur = 0;
    weigh(rate, score + b * BLOCK, m, best, weight, &blur);
    jali_u128 from = b == 0 ? 0 : end[b - 1], sum = from, left = from, right = end[b];
    for (size_t j = 0; j < m; j++) {
        sum += weight[j];
        i += sum <= spot;
        left = sum <= spot ? sum : left;
        right = sum > spot && sum < right ? sum : right;
    }
    size_t winner = b * BLOCK + i;
    jali_u128 below = winner == 0 ? ~(jali_u128)0 : spot - left;
    jali_u128 above = winner == n - 1 ? ~(jali_u128)0 : right - spot;
    *margin = below < above ? below : above;
    return winner;
}

static void exact_weight(arb_t out, const jali_rate *rate, uint64_t behind, slong prec)
{
    mpq_t x;
    mpq_init(x);
    mpz_set_ui(mpq_numref(x), behind);
    mpq_mul(x, x, rate->exact);
    jali_real_exp_minus_q(out, x, prec);
    mpq_clear(x);
}

/* One attempt of the exact tier: false if spot and some sum are not yet apart. */
static bool walk(const jali_rate *rate, const int64_t *score, size_t n, int64_t best,
                 const jali_lazy *u, size_t *winner)
{
    slong prec = u->bits + 128;
    bool sure = false;
    arb_t spot, sum, w;
    arb_init(spot);
    arb_init(sum);
    arb_init(w);
    for (size_t i = 0; i < n; i++) {
        exact_weight(w, rate, (uint64_t)best - (uint64_t)score[i], prec);
        arb_add(sum, sum, w, prec);
    }
    jali_lazy_ball(spot, u);
    arb_mul(spot, spot, sum, prec);
    arb_zero(sum);
    for (size_t i = 0; i < n; i++) {
        exact_weight(w, rate, (uint64_t)best - (uint64_t)score[i], prec);
        arb_add(sum, sum, w, prec);
        *winner = i;
        sure = i == n - 1 || arb_lt(spot, sum); /* U < 1, so the last needs no proof */
        if (sure || !arb_ge(spot, sum)) break;
    }
    arb_clear(w);
    arb_clear(sum);
    arb_clear(spot);
    return sure;
}

static jali_status draw_exactly(const jali_rate *rate, const int64_t *score, size_t n,
                                int64_t best, const uint64_t word[static 2], jali_dice *d,
                                size_t *winner)
{
    jali_status status = JALI_OK;
    jali_lazy u;
    jali_lazy_init(&u, word[0], 64);
    fmpz_mul_2exp(u.value, u.value, 64);
    fmpz_add_ui(u.value, u.value, word[1]);
    u.bits = 128;
    while (!walk(rate, score, n, best, &u, winner)) {
        status = jali_lazy_extend(&u, d);
        if (status != JALI_OK) break;
    }
    jali_lazy_clear(&u);
    return status;
}

jali_status jali_select_draw(const jali_rate *rate, const int64_t *score, size_t n,
                             jali_dice *d, size_t *winner)
{
    if (n == 0) return JALI_E_USAGE;
    size_t blocks = (n - 1) / BLOCK + 1, found;
    jali_u128 *end = calloc(blocks, sizeof *end);
    if (end == NULL) return JALI_E_NOMEM;
    int64_t best = score[0];
    for (size_t i = 1; i < n; i++) best = score[i] > best ? score[i] : best;
    jali_u128 slack = add_up(rate, score, n, best, end);

    uint64_t word[2];
    jali_status status = jali_dice_take(d, word, 2);
    if (status == JALI_OK) {
        jali_u128 total = end[blocks - 1], margin;
        jali_u128 spot = high_product((jali_u128)word[0] << 64 | word[1], total);
        found = find(rate, score, n, best, end, spot, &margin);
        if (margin <= 2 * slack || d->doubt)
            status = draw_exactly(rate, score, n, best, word, d, &found);
    }
    free(end);
    if (status == JALI_OK) *winner = found;
    return status;
}
