/* explain/query/answer.h — COUNT, SUM and AVG with their intervals, read off a release.
 *
 * Post-processing only: the release and the schema are all that is looked at, so any
 * confidence may be asked for, again and again, for free.
 */
#ifndef JALI_EXPLAIN_QUERY_ANSWER_H
#define JALI_EXPLAIN_QUERY_ANSWER_H

#include "explain/query/ask.h"
#include <jansson.h>

typedef struct jali_answer {
    const jali_ask *ask;
    size_t n;                               /* cells                        */
    const int64_t *cell[JALI_ASK_MEASURES]; /* of each measure of the ask   */
    double scale[JALI_ASK_MEASURES];
} jali_answer;

/* An estimate and the ends of its interval. */
typedef struct jali_estimate {
    double value, low, high;
    bool bounded; /* false: the noise says nothing, the interval is the whole domain */
} jali_estimate;

/* Reads a stored body of this very ask. JALI_E_LEDGER if it is not one. In the arena. */
JALI_MUST_USE jali_status jali_answer_read(jali_answer *out, const jali_ask *ask,
                                           const char *body, size_t n, jali_arena *arena,
                                           jali_err *err);

/* Aggregate `a` of the question for group `g` (0..ask->cells-1, in the order of ask->axis);
 * the interval covers with probability at least 1 - miss over the noise. */
jali_estimate jali_answer_at(const jali_answer *answer, size_t a, size_t g, double miss);

/* What an aggregate of a group is read off, in whole numbers: value = step * sum for SUM with
 * sum = middle * count + centred, AVG their ratio. COUNT has no centred sum (has_sum false). */
typedef struct jali_raw {
    double count, centred; /* noisy                     */
    double count_scale, centred_scale;
    double middle, step;
    double bottom, top; /* of one value, in steps       */
    bool has_sum;
} jali_raw;
jali_raw jali_answer_raw(const jali_answer *answer, size_t a, size_t g);

/* The half-width that every group of a COUNT or SUM will have, known before anything is paid;
 * false for AVG, whose width depends on the counts. */
bool jali_answer_promise(const jali_ask *ask, size_t a, double miss, double *half);

/* The group whose code along query.group[i] is part[i]. */
size_t jali_answer_group(const jali_ask *ask, const uint64_t *part);

#endif
