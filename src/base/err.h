/* base/err.h — how anything in this house says no.
 *
 * The types are the front door's own: a sentence written in the cellar is the sentence
 * that the user reads.
 */
#ifndef JALI_BASE_ERR_H
#define JALI_BASE_ERR_H

#include "base/banned.h"
#include "jali.h"

/* Writes *err (if not NULL) and returns code, so that callers can `return` it. */
jali_status jali_fail(jali_err *err, jali_status code, jali_reader reader, const char *fmt, ...)
    JALI_PRINTF(4, 5);

/* The same with a place in the refused text; line and column count from 1. */
jali_status jali_fail_at(jali_err *err, jali_status code, jali_reader reader, unsigned line,
                         unsigned column, const char *fmt, ...) JALI_PRINTF(6, 7);

/* Every allocation that fails says the same thing. */
jali_status jali_fail_memory(jali_err *err);

#define JALI_TRY(expr)                                                                         \
    do {                                                                                       \
        jali_status jali_try_ = (expr);                                                        \
        if (jali_try_ != JALI_OK) return jali_try_;                                            \
    } while (0)

#endif
