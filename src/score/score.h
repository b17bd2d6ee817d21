/* score/score.h — scores of candidates, sealed. */
#ifndef JALI_SCORE_SCORE_H
#define JALI_SCORE_SCORE_H

typedef struct jali_scores jali_scores; /* opened by score/open.h, in score/ and mech/ */

#endif
