/* dice/weigh.c — one of n, each as often as its weight says.
 *
 * Claim    dice.weigh
 *          The winner follows the law below exactly, however far apart the weights are.
 * Proof    proofs/dice_weigh.md#dice.weigh
 * Source   The inverse of the distribution function over truncated weights, whose doubt is
 *          one unit each; the rare spot that falls into the doubt is placed by Arb.
 * Law      P(i) = weight[i] / sum over j of weight[j]
 * Test     tests/dice/weigh_test.c
 * Silent   A draw in about 2^60/n^2 sums all weights again in Arb.
 */
#include "dice/weigh.h"
#include "dice/inside.h"
#include "dice/lazy.h"
#include <math.h>

enum { UNIT_BITS = 62, GUARD = 128 };

/* The largest weight as m 2^(256 e); m = 0 if none is positive. */
static jali_wide largest(const jali_wide *w, size_t n)
{
    jali_wide best = jali_wide_zero();
    for (size_t i = 0; i < n; i++) {
        bool more = w[i].m > 0.0 && (w[i].e > best.e || (w[i].e == best.e && w[i].m > best.m));
        if (more) best = w[i];
    }
    return best;
}

/* floor(weight / 2^(256 top) * scale), scale a power of two with m scale < 2^63 for all. */
static uint64_t units(jali_wide w, double top, double scale)
{
    double x = w.e == top ? w.m : w.e == top - 1.0 ? w.m * JALI_WIDE_INVERSE : 0.0;
    return (uint64_t)(x * scale);
}

static double unit_scale(double m)
{
    int power;
    frexp(m, &power); /* m < 2^power */
    return ldexp(1.0, UNIT_BITS - power);
}

/* word/2^128 of b, from below; off by less than 3. */
static jali_u128 part_of(const uint64_t word[static 2], jali_u128 b)
{
    uint64_t b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    jali_u128 high = (jali_u128)word[0] * b1;
    jali_u128 middle = ((jali_u128)word[0] * b0 >> 64) + ((jali_u128)word[1] * b1 >> 64);
    return high + middle;
}

/* Finds the share that holds the spot; false when the truncated sums cannot tell. With s_i
 * the sum of units up to i, the true sum is in [s_i, s_i + i + 1), and the true spot in
 * [spot, spot + n + 4). */
static bool find(const jali_wide *w, size_t n, const uint64_t word[static 2], size_t *winner)
{
    jali_wide best = largest(w, n);
    double scale = unit_scale(best.m);
    jali_u128 total = 0, sum = 0, from = 0, to = 0;
    for (size_t i = 0; i < n; i++) total += units(w[i], best.e, scale);
    jali_u128 spot = part_of(word, total);
    size_t at = 0;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        jali_u128 next = sum + units(w[i], best.e, scale);
        bool here = !found && next > spot;
        at = here ? i : at;
        from = here ? sum : from;
        to = here ? next : to;
        found |= here;
        sum = next;
    }
    *winner = at;
    return found && spot >= from + n && spot + n + 4 < to;
}

static void exact_weight(arb_t out, jali_wide w)
{
    fmpz_t shift;
    fmpz_init(shift);
    fmpz_set_si(shift, (slong)w.e);
    fmpz_mul_ui(shift, shift, 256);
    arb_set_d(out, w.m);
    if (w.m > 0.0) arb_mul_2exp_fmpz(out, out, shift);
    fmpz_clear(shift);
}

static size_t last_positive(const jali_wide *w, size_t n)
{
    while (w[n - 1].m == 0.0) n--;
    return n - 1;
}

static bool walk(const jali_wide *w, size_t n, const jali_lazy *u, size_t *winner)
{
    slong prec = u->bits + GUARD;
    bool sure = false;
    size_t last = last_positive(w, n);
    arb_t spot, sum, one;
    arb_init(spot);
    arb_init(sum);
    arb_init(one);
    for (size_t i = 0; i <= last; i++) {
        exact_weight(one, w[i]);
        arb_add(sum, sum, one, prec);
    }
    jali_lazy_ball(spot, u);
    arb_mul(spot, spot, sum, prec);
    arb_zero(sum);
    for (size_t i = 0; i <= last; i++) {
        if (w[i].m == 0.0) continue;
        exact_weight(one, w[i]);
        arb_add(sum, sum, one, prec);
        *winner = i;
        sure = i == last || arb_lt(spot, sum); /* U < 1, so the last needs no proof */
        if (sure || !arb_ge(spot, sum)) break;
    }
    arb_clear(one);
    arb_clear(sum);
    arb_clear(spot);
    return sure;
}

static jali_status draw_exactly(const jali_wide *w, size_t n, const uint64_t word[static 2],
                                jali_dice *d, size_t *winner)
{
    jali_status status = JALI_OK;
    jali_lazy u;
    jali_lazy_init(&u, word[0], 64);
    fmpz_mul_2exp(u.value, u.value, 64);
    fmpz_add_ui(u.value, u.value, word[1]);
    u.bits = 128;
    while (status == JALI_OK && !walk(w, n, &u, winner)) status = jali_lazy_extend(&u, d);
    jali_lazy_clear(&u);
    return status;
}

jali_status jali_weigh_draw(const jali_wide *weight, size_t n, jali_dice *d, size_t *winner)
{
    uint64_t word[2];
    size_t found = 0;
    if (largest(weight, n).m == 0.0) return JALI_E_USAGE;
    JALI_TRY(jali_dice_take(d, word, 2));
    if (!find(weight, n, word, &found) || d->doubt)
        JALI_TRY(draw_exactly(weight, n, word, d, &found));
    *winner = found;
    return JALI_OK;
}
