/* table/draft.h — a schema read off the data, for the curator to edit. */
#ifndef JALI_TABLE_DRAFT_H
#define JALI_TABLE_DRAFT_H

#include "engine/duckdb.h"
#include <jansson.h>

/* Categories that a draft lists; a column of texts with more of them is marked to be dropped.
 */
enum { JALI_DRAFT_VALUES = 500 };

/* Reads the files whole. *out is a new reference: a schema marked as a draft. What it says
 * is as private as the data. */
JALI_MUST_USE jali_status jali_draft_make(const char *const *files, size_t n,
                                          const jali_progress *progress, json_t **out,
                                          jali_err *err);

#endif
