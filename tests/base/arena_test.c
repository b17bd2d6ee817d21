/* Memory of one request: aligned, zeroed, apart, and gone at once. */
#include "base/arena.h"
#include "unit.h"

SENTENCE(pieces_are_zeroed_aligned_and_apart)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    unsigned char *piece[600];
    for (size_t i = 0; i < 600; i++) {
        piece[i] = jali_arena_take(&arena, i, 3);
        CHECK(piece[i] != NULL);
        CHECK((uintptr_t)piece[i] % (i * 3 >= 64 ? 64 : sizeof(max_align_t)) == 0);
        for (size_t j = 0; j < i * 3; j++) CHECK(piece[i][j] == 0);
        memset(piece[i], (int)(i & 0xff), i * 3);
    }
    for (size_t i = 0; i < 600; i++)
        for (size_t j = 0; j < i * 3; j++) CHECK(piece[i][j] == (i & 0xff));
    jali_arena_clear(&arena);
    CHECK(arena.head == NULL);
}

SENTENCE(a_large_piece_does_not_waste_the_shared_block)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    char *small = jali_arena_take(&arena, 1, 16);
    CHECK(jali_arena_take(&arena, 1, 1 << 20) != NULL);
    char *next = jali_arena_take(&arena, 1, 16);
    CHECK(next > small && next - small <= 64);
    jali_arena_clear(&arena);
}

/* Blocks that were used and given back come again: they must be as clean as new ones. */
SENTENCE(large_pieces_are_zeroed_and_aligned_whatever_was_there_before)
{
    UNUSED_STATE;
    for (int round = 0; round < 3; round++)
        for (size_t size = 12345; size < 40 << 20; size *= 7) {
            jali_arena arena = JALI_ARENA_INIT;
            unsigned char *piece = jali_arena_take(&arena, size, 1);
            CHECK(piece != NULL && (uintptr_t)piece % 64 == 0);
            unsigned any = 0;
            for (size_t j = 0; j < size; j++) any |= piece[j];
            CHECK(any == 0);
            memset(piece, 0xff, size);
            jali_arena_clear(&arena);
        }
}

SENTENCE(an_overflowing_size_is_refused)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    CHECK(jali_arena_take(&arena, SIZE_MAX / 2, 3) == NULL);
    CHECK(jali_arena_take(&arena, SIZE_MAX, 1) == NULL);
    CHECK(arena.head == NULL);
}

SENTENCE(texts_are_copied_and_formatted)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    char word[] = "jali";
    char *copy = jali_arena_text(&arena, word);
    word[0] = 'x';
    assert_string_equal(copy, "jali");
    assert_string_equal(jali_arena_format(&arena, "%s-%d", copy, 7), "jali-7");
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(pieces_are_zeroed_aligned_and_apart),
        TEST(a_large_piece_does_not_waste_the_shared_block),
        TEST(large_pieces_are_zeroed_and_aligned_whatever_was_there_before),
        TEST(an_overflowing_size_is_refused), TEST(texts_are_copied_and_formatted))
