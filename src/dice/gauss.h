/* dice/gauss.h — discrete Gaussian noise: P(Z = z) ~ exp(-z^2/(2 sigma^2)) on the integers. */
#ifndef JALI_DICE_GAUSS_H
#define JALI_DICE_GAUSS_H

#include "dice/laplace.h"

/* Prepared once for a variance parameter; read-only afterwards. */
typedef struct jali_gauss {
    mpq_t sigma2;
    mpq_t centre;          /* sigma2 / (floor(sigma) + 1)     */
    double near, inverse;  /* centre and 1/(2 sigma2), rounded */
    jali_laplace proposal; /* of scale floor(sigma) + 1       */
} jali_gauss;

/* sigma2 is exact, above 0, and sigma at most 2^48; else JALI_E_USAGE, nothing to clear. */
JALI_MUST_USE jali_status jali_gauss_init(jali_gauss *s, const mpq_t sigma2, jali_err *err);
/* Would it be refused? For who only wants to know that. */
JALI_MUST_USE jali_status jali_gauss_check(const mpq_t sigma2, jali_err *err);
void jali_gauss_clear(jali_gauss *s);

/* One draw, or n of them; as in dice/laplace.h. */
JALI_MUST_USE jali_status jali_gauss_draw(const jali_gauss *s, jali_dice *d, int64_t *out);
JALI_MUST_USE jali_status jali_gauss_draw_many(const jali_gauss *s, jali_dice *d, int64_t *out,
                                               size_t n);

#endif
