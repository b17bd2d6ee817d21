/* score/groups.h — scores of several choices that share no row, sealed.
 *
 * Group g has its own candidates. A person with m rows has m_g of them in group g, the m_g add
 * up to m at most, and moves the scores of group g with a range of at most m_g / m times that
 * group's own `range`. Whoever makes groups proves that; mech/each.h lives on it: one price for
 * all groups together.
 */
#ifndef JALI_SCORE_GROUPS_H
#define JALI_SCORE_GROUPS_H

#include "base/arena.h"
#include "score/score.h"
#include "tally/tally.h"

typedef struct jali_score_groups jali_score_groups; /* opened by score/open.h */

size_t jali_score_groups_count(const jali_score_groups *groups);

/* The values of a column, scored by how often each occurs with each label: a group a label of
 * `counts`, which has the axes label and column. Lives in the arena; borrows the tally. */
JALI_MUST_USE jali_status jali_score_modes(const jali_tally *counts, jali_arena *arena,
                                           const jali_score_groups **out, jali_err *err);

#endif
