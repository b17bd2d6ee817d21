/* score/study.h — a question, its predicates and the rows to be counted for both.
 *
 * Everything in a study is public. All predicates of its space are scored in one go: tables
 * are counted once, in batches that bound the memory, and every score is handed on as it is
 * made (score/open.h), so that nobody holds 10^9 of them.
 */
#ifndef JALI_SCORE_STUDY_H
#define JALI_SCORE_STUDY_H

#include "base/pool.h"
#include "score/influence.h"
#include "score/score.h"
#include "score/space.h"
#include "tally/groups.h"

typedef struct jali_study {
    jali_columns *columns;
    const jali_groups *groups;   /* in the order of the weights of the influence        */
    const jali_predicate *where; /* the WHERE of the question, for COUNT(column) with
                                    "AND column IS NOT NULL"; NULL: all rows            */
    const char *summed;          /* the column of SUM and AVG; NULL for COUNT           */
    const jali_influence *influence;
    const jali_space *space;
    jali_pool *pool; /* NULL: this thread alone */
} jali_study;

/* Everything that can be refused about a study, before it is paid for: names and domains,
 * sizes, and whether the column files are whole. JALI_E_USAGE (analyst), JALI_E_ENGINE
 * (curator). */
JALI_MUST_USE jali_status jali_study_check(const jali_study *study, jali_err *err);

/* All scores by number, 8 bytes each, sealed: for eval and for small spaces (at most 2^24
 * predicates, else JALI_E_USAGE). */
JALI_MUST_USE jali_status jali_study_scores(const jali_study *study, jali_arena *arena,
                                            const jali_scores **out, jali_err *err);

#endif
