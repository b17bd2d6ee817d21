/* The handle: what leaves the pool is erased there; a linked source takes over. */
#include "dice/dice.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <fenv.h>

SENTENCE(a_word_is_erased_when_it_leaves)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(1);
    for (int i = 0; i < 3000; i++) {
        uint64_t word;
        CHECK_OK(jali_dice_word(d, &word));
        for (uint64_t j = d->pool->left; j < JALI_DICE_WORDS; j++) CHECK(d->pool->word[j] == 0);
    }
    jali_dice_free(d);
}

SENTENCE(bytes_are_the_words_in_order)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(9), *e = seeded_dice(9);
    unsigned char bytes[21], same[24];
    CHECK_OK(jali_dice_bytes(d, bytes, sizeof bytes));
    for (int i = 0; i < 3; i++) {
        uint64_t word;
        CHECK_OK(jali_dice_word(e, &word));
        memcpy(same + 8 * i, &word, 8);
    }
    assert_memory_equal(bytes, same, sizeof bytes);
    CHECK_OK(jali_dice_bytes(d, bytes, 0));
    jali_dice_free(d);
    jali_dice_free(e);
}

/* As the golden program is linked: this file defines no hook, the archive's source is out. */
SENTENCE(a_linked_source_takes_the_place_of_the_system)
{
    UNUSED_STATE;
    jali_dice *d, *e;
    CHECK_OK(jali_dice_new(&d, NULL));
    CHECK_OK(jali_dice_new(&e, NULL));
    for (int i = 0; i < 2000; i++) {
        uint64_t a, b;
        CHECK_OK(jali_dice_word(d, &a));
        CHECK_OK(jali_dice_word(e, &b));
        CHECK(a == b);
    }
    jali_dice_free(d);
    jali_dice_free(e);
}

SENTENCE(another_rounding_mode_is_refused)
{
    UNUSED_STATE;
    jali_dice *d = NULL;
    jali_err err;
    fesetround(FE_UPWARD);
    jali_status status = jali_dice_new(&d, &err);
    fesetround(FE_TONEAREST);
    CHECK(status == JALI_E_INTERNAL && d == NULL);
    CHECK_REFUSED(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "round to nearest");
}

SENTENCE(nothing_is_freed_twice_or_not_at_all)
{
    UNUSED_STATE;
    jali_dice_free(NULL);
}

RUN_ALL(TEST(a_word_is_erased_when_it_leaves), TEST(bytes_are_the_words_in_order),
        TEST(a_linked_source_takes_the_place_of_the_system),
        TEST(another_rounding_mode_is_refused), TEST(nothing_is_freed_twice_or_not_at_all))
