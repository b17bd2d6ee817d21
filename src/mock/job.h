/* mock/job.h — what the four kinds share: rows, fields of the schema, truth. */
#ifndef JALI_MOCK_JOB_H
#define JALI_MOCK_JOB_H

#include "base/arena.h"
#include "base/json.h"
#include "base/progress.h"
#include "mock/draw.h"
#include "mock/mock.h"
#include "mock/sink.h"

typedef struct jali_mock_job {
    const jali_mock_options *o;
    jali_mock_sink *sink;
    jali_meter meter;
    jali_arena arena;
    json_t *fields, *facts; /* of the schema: its columns, its "jali" member */
    json_t *truth;
    bool failed; /* a field could not be made */
} jali_mock_job;

/* Each kind checks its own options, declares its columns, writes header and rows, and
 * tells what it planted. */
JALI_MUST_USE jali_status jali_mock_hospital(jali_mock_job *job, jali_err *err);
JALI_MUST_USE jali_status jali_mock_table(jali_mock_job *job, jali_err *err);
JALI_MUST_USE jali_status jali_mock_gauss(jali_mock_job *job, jali_err *err);
JALI_MUST_USE jali_status jali_mock_points(jali_mock_job *job, jali_err *err);

/* Fields, in the order of the columns. One that memory did not suffice for is remembered,
 * and jali_mock_header says no. */
void jali_mock_field_enum(jali_mock_job *job, const char *name, const char *const *value,
                          size_t n);
void jali_mock_field_codes(jali_mock_job *job, const char *name, unsigned n); /* "0".."n-1" */
/* The same with one or two words more; more may be NULL. */
void jali_mock_field_clusters(jali_mock_job *job, const char *name, unsigned n,
                              const char *extra, const char *more);
/* The words and the bounds are exact decimals: "0", "100", "0.01". bins may be NULL. */
void jali_mock_field_number(jali_mock_job *job, const char *name, double minimum,
                            double maximum, const char *step, const double *bins, size_t n);
void jali_mock_field_text(jali_mock_job *job, const char *name);

/* Writes the names of the fields as the CSV's first line. */
JALI_MUST_USE jali_status jali_mock_header(jali_mock_job *job, jali_err *err);

/* Called after each row (or block of rows). */
static inline void jali_mock_told(jali_mock_job *job, uint64_t row)
{
    if ((row & 0xfff) == 0) jali_meter_tell(&job->meter, row);
}

/* A share must be in [0, 1]. */
JALI_MUST_USE jali_status jali_mock_share(double share, const char *option, jali_err *err);
JALI_MUST_USE jali_status jali_mock_counts(const jali_mock_options *o, jali_err *err);

/* x rounded to whole units of 10^-decimals within [low, high], halves up. */
int64_t jali_mock_units(double x, double low, double high, unsigned decimals);

json_t *jali_mock_reals(const double *x, size_t n);

#endif
