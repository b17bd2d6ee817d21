/* Points that askers send: words and CSV, good and bad. */
#include "door/contrast.h"
#include "unit.h"
#include <math.h>

static jali_status csv(const char *text, size_t dims, jali_points *out, jali_arena *arena,
                       jali_err *err)
{
    return jali_points_csv(out, text, strlen(text), dims, arena, err);
}

SENTENCE(a_point_a_line_with_or_without_a_heading)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_points p;
    CHECK_OK(csv("x,y\n1,2\n\n-3.5;4e1\r\n 5\t6 ", 2, &p, &arena, NULL));
    CHECK(p.n == 3 && p.at[2] == -3.5 && p.at[3] == 40 && p.at[4] == 5 && p.at[5] == 6);
    CHECK_OK(csv("7\n8", 1, &p, &arena, NULL));
    CHECK(p.n == 2 && p.at[1] == 8);
    jali_arena_clear(&arena);
}

SENTENCE(what_is_no_point_is_refused_with_its_line)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_points p = { .n = 77 };
    jali_err err;
    const char *bad[] = { "1,2\n3\n",     "1,2\n3,4,5\n", "1,2\nx,3\n",    "1,2\ninf,3\n",
                          "1,2\n0x1,3\n", "1,2\nnan,3\n", "1,2\n1e400,3\n" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(csv(bad[i], 2, &p, &arena, &err) == JALI_E_DATA);
        CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_ANALYST, "line 2");
        CHECK(err.line == 2 && p.n == 77);
    }
    CHECK(csv("", 2, &p, &arena, &err) == JALI_E_DATA);
    CHECK(csv("x,y\n", 2, &p, &arena, &err) == JALI_E_DATA);
    jali_arena_clear(&arena);
}

SENTENCE(words_come_in_whole_points)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_points p;
    const char *word[] = { "1", "-2.5", "3", "x" };
    CHECK_OK(jali_points_words(&p, word, 2, 2, &arena, NULL));
    CHECK(p.n == 1 && p.at[1] == -2.5);
    CHECK(jali_points_words(&p, word, 3, 2, &arena, NULL) == JALI_E_USAGE);
    CHECK(jali_points_words(&p, word, 4, 2, &arena, NULL) == JALI_E_USAGE);
    CHECK(jali_points_words(&p, word, 0, 2, &arena, NULL) == JALI_E_USAGE);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(a_point_a_line_with_or_without_a_heading),
        TEST(what_is_no_point_is_refused_with_its_line), TEST(words_come_in_whole_points))
