/* explain/contrast/lean.h — where in its cell the mass lies, guessed from the cells around it.
 */
#ifndef JALI_EXPLAIN_CONTRAST_LEAN_H
#define JALI_EXPLAIN_CONTRAST_LEAN_H

#include "explain/contrast/weigh.h"

/* Moves `mean` and narrows `reach` of cells whose `w` and `part` are known. */
JALI_MUST_USE jali_status jali_lean(jali_plot *cell, const jali_coreset *coreset,
                                    jali_err *err);

#endif
