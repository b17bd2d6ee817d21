/* eval/model_curve.h — curves over the codes of a column, and how far apart two of them are. */
#ifndef JALI_EVAL_MODEL_CURVE_H
#define JALI_EVAL_MODEL_CURVE_H

#include "table/schema.h"

/* Joined by straight lines between its points. */
typedef struct jali_true_curve {
    size_t n;
    uint32_t *code;
    double *y;
} jali_true_curve;

/* The mean squared difference at 1,000 places between the public bounds, or at every
 * category. */
double jali_curve_distance(const jali_true_curve *a, const jali_true_curve *b,
                           const jali_field *f);

/* The deviation of its values over the same places. */
double jali_curve_deviation(const jali_true_curve *c, const jali_field *f);

#endif
