/* table/decimal.h — decimal texts, read exactly. */
#ifndef JALI_TABLE_DECIMAL_H
#define JALI_TABLE_DECIMAL_H

#include "table/schema.h"

/* Digits after the point that a step, a bound or an edge may have. */
enum { JALI_MAX_DIGITS = 18 };

/* A text's value counted in units of 10^-digits and cut toward zero: whole, and what the
 * cut took. `whole` saturates at JALI_SCALED_MAX, far outside every bound. */
#define JALI_SCALED_MAX ((int64_t)1 << 62)
typedef struct jali_scaled {
    int64_t whole; /* of the absolute value */
    bool minus;
    bool half; /* what was cut is at least half a unit */
    bool more; /* something was cut */
} jali_scaled;

/* Reads "12", "-0.5", "1e-3", ".5", "inf"; false for anything else, NaN too. */
bool jali_scaled_scan(jali_scaled *out, const char *text, size_t n, char point,
                      unsigned digits);

/* Nearest multiple of `step` units, ties away from zero, as a count of steps. */
int64_t jali_scaled_round(const jali_scaled *v, int64_t step);

/* Largest count of steps that is not above the value; *exact: they are equal. */
int64_t jali_scaled_floor(const jali_scaled *v, int64_t step, bool *exact);

/* The whole text as units * 10^-digits with the fewest digits; false if it has none. */
bool jali_dec_scan(jali_dec *out, const char *text, size_t n);

/* The same value with `digits` digits after the point; false if it does not fit. */
bool jali_dec_scale(int64_t *units, jali_dec value, unsigned digits);

/* "-12.5"; room for 48 bytes. Returns its length. */
size_t jali_dec_text(char out[static 48], jali_dec value);

/* Days since 1970-01-01 of "2024-02-29", also with a time after a blank or a T. */
bool jali_date_scan(int64_t *days, const char *text, size_t n);
void jali_date_text(char out[static 48], int64_t days);

#endif
