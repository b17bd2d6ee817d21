/* eval/profile_draw.h — one choice of attributes, by any of the methods that are compared. */
#ifndef JALI_EVAL_PROFILE_DRAW_H
#define JALI_EVAL_PROFILE_DRAW_H

#include "dice/dice.h"
#include "eval/profile_table.h"

typedef enum jali_chosen_by {
    JALI_BY_ALL,       /* one choice among all combinations: jali profile                   */
    JALI_BY_TWO,       /* two stages with the constants of PRIVACY 3: --method paper         */
    JALI_BY_PUBLISHED, /* two stages with the constants that were published                 */
    JALI_BY_DP_TABEE,  /* two stages on TabEE's scores, noise for the sensitivity they have */
    JALI_BY_DP_NAIVE,  /* noisy tables of everything, then TabEE                            */
    JALI_BY_TABEE,     /* not private                                                       */
    JALI_BY_METHODS
} jali_chosen_by;

extern const char *const jali_by_name[JALI_BY_METHODS];

typedef struct jali_choosing {
    const jali_open_tables *tables;
    uint32_t k;         /* candidates */
    uint32_t weight[3]; /* whole      */
    double eps;         /* of the choice */
} jali_choosing;

JALI_MUST_USE jali_status jali_choosing_draw(const jali_choosing *c, jali_chosen_by by,
                                             jali_dice *dice, uint32_t *chosen, jali_err *err);

#endif
