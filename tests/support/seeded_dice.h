/* tests/support/seeded_dice.h — dice that repeat themselves, or fail on purpose.
 *
 * A test program calls these; the golden program only links seeded_dice.c before the
 * archive, which then takes the place of src/dice/source.c. There the seed is the number
 * in JALI_TEST_SEED, 1 without it.
 */
#ifndef JALI_TESTS_SEEDED_DICE_H
#define JALI_TESTS_SEEDED_DICE_H

#include "dice/inside.h"

/* The same seed, the same words. Free with jali_dice_free. Stops the test on failure. */
jali_dice *seeded_dice(uint64_t seed);

/* The same words, but only the first `words` of them: then JALI_E_ENTROPY for ever. */
jali_dice *failing_dice(uint64_t seed, uint64_t words);

#endif
