/* budget/range.h — the price of a true exponential mechanism.
 *
 * eps^2/8 holds for weights exp(eps*score/range), drawn exactly so, and for nothing that
 * merely looks like it: permute-and-flip at this price is a four-fold undercharge. Hence a
 * header of its own, which tools/rooms.txt opens to mech/ alone; there sampler and price
 * live in one struct (mech/choose.h).
 */
#ifndef JALI_BUDGET_RANGE_H
#define JALI_BUDGET_RANGE_H

#include "budget/loss.h"

/* eps-bounded range: eps, and rho = eps^2/8. */
jali_loss jali_loss_bounded_range(const mpq_t eps);
/* k peeled exponential mechanisms of eps each: k*eps and k*eps^2/8. */
jali_loss jali_loss_topk(uint64_t k, const mpq_t eps);

#endif
