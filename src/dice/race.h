/* dice/race.h — candidates run with noise on their backs; the k first are kept.
 *
 * A runner's key is rate * score + noise, a real number known by an enclosure in fixed
 * point (units of 2^-44) whose width does not depend on the score. Enclosures settle the
 * order almost always; dice/race_exact.c settles the rest with the same uniforms.
 */
#ifndef JALI_DICE_RACE_H
#define JALI_DICE_RACE_H

#include "dice/dice.h"
#include "dice/rate.h"

enum { JALI_RACE_SIDE = 64, JALI_RACE_BLOCK = JALI_RACE_SIDE * JALI_RACE_SIDE };

/* What every enclosure allows for roundings, in units (proofs/dice_topk.md). */
enum { JALI_KEY_PAD = 4 };

#define JALI_KEY_MAX ((jali_i128)(~(jali_u128)0 >> 1))
#define JALI_KEY_MIN (-JALI_KEY_MAX)

/* With U uniform on (0, 1):
 *   Gumbel -ln(-ln(1 - U)), exponential -ln(U); both fall as U grows. */
typedef enum jali_noise { JALI_GUMBEL, JALI_EXPONENTIAL } jali_noise;

typedef struct jali_runner {
    jali_i128 low, high; /* the key is between them                              */
    int64_t score;
    uint64_t index; /* of the candidate, or of its crowd                         */
    uint64_t word;  /* first 64 bits of U; in a crowd: its place there, from 0   */
    bool grouped;
} jali_runner;

/* A group of equal scores, of which only the first few places are drawn (dice/order.c). */
typedef struct jali_crowd {
    int64_t score;
    uint64_t size;
    size_t n;
    uint64_t *word; /* n = min(k, size) uniforms, one a place */
} jali_crowd;

typedef struct jali_runners {
    jali_runner *at;
    size_t n, room;
} jali_runners;

/* Candidates that wait for their block to be full. */
typedef struct jali_block {
    size_t n;
    jali_i128 high[JALI_RACE_BLOCK], best[JALI_RACE_SIDE];
    uint64_t word[JALI_RACE_BLOCK];
    int64_t score[JALI_RACE_BLOCK];
} jali_block;

typedef struct jali_race {
    const jali_rate *rate;
    size_t k;
    jali_noise noise;
    jali_status status; /* sticky: after a failure nothing may be believed */
    uint64_t seen;      /* candidates, without crowds                      */
    jali_block *block;
    jali_runners kept; /* by falling high; all that may still be among the first k */
    jali_runners fresh, merged;
    jali_crowd *crowd;
    size_t n_crowds, room_crowds;
} jali_race;

/* Borrows rate. JALI_E_NOMEM: nothing to clear. */
JALI_MUST_USE jali_status jali_race_init(jali_race *r, const jali_rate *rate, size_t k,
                                         jali_noise noise);
void jali_race_clear(jali_race *r);
JALI_MUST_USE jali_status jali_race_offer(jali_race *r, jali_dice *d, const int64_t *score,
                                          size_t n);

/* Puts kept in the true order of its first min(k, kept.n) runners. */
JALI_MUST_USE jali_status jali_race_finish(jali_race *r, jali_dice *d);

/* ---- between the files of the race ------------------------------------------------- */

/* rate * score in units; off by less than 2. */
jali_i128 jali_race_base(const jali_rate *rate, int64_t score);

/* How far below its high end a key may be when the word of its U is w (PAD included). */
jali_i128 jali_race_low(jali_i128 high, jali_noise noise, uint64_t w, jali_i128 pad);

/* One more in fresh, which must have its highs falling; then fresh goes into kept. */
JALI_MUST_USE jali_status jali_runners_add(jali_runners *list, const jali_runner *one);
JALI_MUST_USE jali_status jali_race_merge(jali_race *r, bool doubt);

/* Orders kept by the exact keys (dice/race_exact.c). */
JALI_MUST_USE jali_status jali_race_exact(jali_race *r, jali_dice *d);

/* A crowd joins (dice/order.c). */
JALI_MUST_USE jali_status jali_race_offer_crowd(jali_race *r, jali_dice *d, int64_t score,
                                                uint64_t size);

#endif
