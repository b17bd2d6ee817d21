/* audit/ratio.h — a likelihood ratio over all features, learned from the half that trains. */
#ifndef JALI_AUDIT_RATIO_H
#define JALI_AUDIT_RATIO_H

#include "audit/audit.h"

/* Adds to each row's score what this feature says for "with" against "without": log ratios of
 * counted bins, from rows of half 0. `room` holds a number a row. */
void jali_ratio_add(const jali_sheet *sheet, const uint8_t *half, size_t feature, double *room,
                    double *score);

/* Numbers of a feature in half 0, sorted. Returns how many. */
size_t jali_ratio_numbers(const jali_sheet *sheet, const uint8_t *half, size_t feature,
                          double *out);
void jali_ratio_sort(double *x, size_t n);

#endif
