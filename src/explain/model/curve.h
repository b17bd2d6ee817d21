/* explain/model/curve.h — what a released portrait says: points with bands, bars, a histogram.
 */
#ifndef JALI_EXPLAIN_MODEL_CURVE_H
#define JALI_EXPLAIN_MODEL_CURVE_H

#include "base/json.h"
#include "mech/interval.h"
#include "table/schema.h"
#include <math.h>

typedef struct jali_estimate_m {
    double value, low, high;
} jali_estimate_m;

typedef struct jali_likeness {
    const char *what, *of, *feature, *label; /* of, feature, label: NULL where none */
    const char *model_kind, *model_print;
    const char *lo, *hi;
    bool private_model, quantiles, absolute;
    jali_law law;
    bool cube;             /* the sums have the noise of a cube       */
    uint64_t rows, blocks; /* rows: public n, 0 without */
    bool curve;            /* else columns, best first  */
    unsigned most;         /* pfi: a row adds up to so many halves of the largest error */

    size_t n;
    const uint32_t *code;      /* curve: the points                         */
    const char *const *column; /* else their names, in the order of ranking */
    const jali_estimate_m *at;

    size_t bins;               /* of the histogram, without NULL; 0: none   */
    const uint32_t *from, *to; /* codes from..to, both included          */
    const jali_estimate_m *count;
    jali_estimate_m nulls;
    jali_estimate_m n_rows; /* NAN without                               */
    bool approximate;       /* the bands of ale are by error propagation */
} jali_likeness;

/* Reads the body of a release; everything lives in the arena. */
JALI_MUST_USE jali_status jali_likeness_read(jali_likeness *out, const json_t *body,
                                             const jali_schema *schema, double miss,
                                             jali_arena *arena, jali_err *err);

#endif
