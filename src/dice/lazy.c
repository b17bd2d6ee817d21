/* dice/lazy.c — a uniform real whose bits are drawn when needed. */
#include "dice/lazy.h"
#include "dice/inside.h"
#include <flint/fmpq.h>

enum { GUARD_BITS = 64 };

void jali_real_set_q(arb_t out, const mpq_t q, slong prec)
{
    fmpq_t f;
    fmpq_init(f);
    fmpq_set_mpq(f, q);
    arb_set_fmpq(out, f, prec);
    fmpq_clear(f);
}

void jali_real_exp_minus_q(arb_t out, const mpq_t q, slong prec)
{
    jali_real_set_q(out, q, prec);
    arb_neg(out, out);
    arb_exp(out, out, prec);
}

uint64_t jali_real_prefix(jali_real *p, const void *self, unsigned bits)
{
    arb_t x;
    fmpz_t whole;
    arb_init(x);
    fmpz_init(whole);
    for (slong prec = 2 * GUARD_BITS;; prec *= 2) {
        p(x, self, prec);
        arb_mul_2exp_si(x, x, (slong)bits);
        arb_floor(x, x, prec);
        if (arb_get_unique_fmpz(whole, x)) break;
    }
    uint64_t most = UINT64_MAX >> (64 - bits);
    uint64_t prefix = fmpz_cmp_ui(whole, most) > 0 ? most : fmpz_get_ui(whole);
    fmpz_clear(whole);
    arb_clear(x);
    return prefix;
}

void jali_lazy_init(jali_lazy *u, uint64_t first, unsigned bits)
{
    fmpz_init_set_ui(u->value, first);
    u->bits = (slong)bits;
}

void jali_lazy_clear(jali_lazy *u)
{
    fmpz_clear(u->value);
}

jali_status jali_lazy_extend(jali_lazy *u, jali_dice *d)
{
    uint64_t word;
    JALI_TRY(jali_dice_next(d, &word));
    fmpz_mul_2exp(u->value, u->value, 64);
    fmpz_add_ui(u->value, u->value, word);
    u->bits += 64;
    return JALI_OK;
}

void jali_lazy_ball(arb_t out, const jali_lazy *u)
{
    fmpz_t twice;
    fmpz_init(twice);
    fmpz_mul_2exp(twice, u->value, 1);
    fmpz_add_ui(twice, twice, 1);
    arb_set_fmpz(out, twice);
    arb_mul_2exp_si(out, out, -u->bits - 1);
    arb_add_error_2exp_si(out, -u->bits - 1);
    fmpz_clear(twice);
}

jali_status jali_lazy_below(jali_dice *d, uint64_t first, unsigned bits, jali_real *p,
                            const void *self, bool *below)
{
    jali_status status = JALI_OK;
    jali_lazy u;
    arb_t x, y;
    jali_lazy_init(&u, first, bits);
    arb_init(x);
    arb_init(y);
    for (;;) {
        jali_lazy_ball(x, &u);
        p(y, self, u.bits + GUARD_BITS);
        if (arb_lt(x, y) || arb_ge(x, y)) break;
        status = jali_lazy_extend(&u, d);
        if (status != JALI_OK) break;
    }
    if (status == JALI_OK) *below = arb_lt(x, y);
    arb_clear(y);
    arb_clear(x);
    jali_lazy_clear(&u);
    return status;
}
