/* model/plain.h — what the explainers are, on a few rows in memory, without any privacy.
 *
 * These are the textbook definitions. tally/ calls them on one block of rows at a time (the
 * generic designs), and eval/ on a public table, for the truth. Outputs of the model are cut
 * to [lo, hi] first. The last column of a frame may be the label: frame.width may be larger
 * than the model's.
 */
#ifndef JALI_MODEL_PLAIN_H
#define JALI_MODEL_PLAIN_H

#include "model/model.h"

/* A label as a number: column `at` of the frame, read as its number, or 1 where it is `is`. */
typedef struct jali_label_of {
    const jali_field *field;
    size_t at;
    int64_t is; /* -1: the number itself */
} jali_label_of;

double jali_label_number(const jali_label_of *label, uint32_t code); /* NaN: NULL */

typedef struct jali_plain {
    jali_model *model;
    double lo, hi;
    bool absolute; /* errors are |label - output| instead of its square */
} jali_plain;

/* Cut to the bounds; NaN has no place: the middle. */
double jali_plain_within(const jali_plain *p, double y);

/* Mean output with the column set to each of n codes. */
JALI_MUST_USE jali_status jali_plain_pdp(const jali_plain *p, const jali_frame *rows,
                                         size_t column, const uint32_t *point, size_t n,
                                         double *out, jali_err *err);

/* Accumulated local effects at n codes in order, the intervals between them being (previous,
 * this], centred over the rows. An interval without rows has no effect. */
JALI_MUST_USE jali_status jali_plain_ale(const jali_plain *p, const jali_frame *rows,
                                         size_t column, const uint32_t *point, size_t n,
                                         double *out, jali_err *err);

/* Mean contribution of the column among the rows nearest to each point, straight lines
 * between points that have rows, constant beyond. */
JALI_MUST_USE jali_status jali_plain_shap(const jali_plain *p, const jali_frame *rows,
                                          size_t column, const uint32_t *point, size_t n,
                                          double *out, jali_err *err);

/* Mean squared error when each row borrows the column from the next one (the last from the
 * first), for every column of the model; out[width] is the error as it is. */
JALI_MUST_USE jali_status jali_plain_pfi(const jali_plain *p, const jali_frame *rows,
                                         const jali_label_of *label, double *out,
                                         jali_err *err);

/* Friedman's H^2 of each column against all others, over at most `most` of the rows. */
JALI_MUST_USE jali_status jali_plain_interaction(const jali_plain *p, const jali_frame *rows,
                                                 size_t most, double *out, jali_err *err);

/* The same by a command, which gets the rows as CSV (model/external.c). Points between those
 * that it returns are on straight lines; a ranking gives out[column] = width - place. */
JALI_MUST_USE jali_status jali_plain_points(const jali_plain *p, const char *words,
                                            unsigned timeout_s, const jali_frame *rows,
                                            size_t column, const uint32_t *point, size_t n,
                                            double *out, jali_err *err);
JALI_MUST_USE jali_status jali_plain_ranking(const jali_plain *p, const char *words,
                                             unsigned timeout_s, const jali_frame *rows,
                                             double *out, jali_err *err);

/* Tries such a command on a few rows made from the public domains, before anything is paid:
 * does it run, and is anything that it prints understood? `column` SIZE_MAX: a ranking. */
JALI_MUST_USE jali_status jali_plain_try(const jali_plain *p, const char *words,
                                         unsigned timeout_s, size_t column, jali_err *err);

/* ALE from effects and counts of n - 1 intervals: added up to n points and centred. The
 * post-processing of a release uses the same. */
void jali_accumulate(const double *effect, const double *count, size_t n, double *out);

#endif
