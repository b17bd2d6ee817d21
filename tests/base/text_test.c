/* Text that grows, nearest words, UTF-8, places. */
#include "base/text.h"
#include "unit.h"

SENTENCE(a_text_grows_and_is_always_terminated)
{
    UNUSED_STATE;
    jali_text t = { 0 };
    for (int i = 0; i < 1000; i++) jali_text_format(&t, "%03d,", i);
    jali_text_add(&t, "end");
    CHECK_OK(jali_text_status(&t, NULL));
    CHECK(t.used == 4003 && strlen(t.at) == 4003);
    CHECK(memcmp(t.at + 3996, "999,end", 8) == 0);
    jali_text_clear(&t);
    CHECK(t.at == NULL && t.used == 0);
}

SENTENCE(the_nearest_word_is_found_and_a_stranger_is_not)
{
    UNUSED_STATE;
    static const char *const verbs[] = { "budget", "ledger", "cluster" };
    assert_string_equal(jali_text_nearest("bugdet", verbs, 3), "budget");
    assert_string_equal(jali_text_nearest("clustr", verbs, 3), "cluster");
    assert_string_equal(jali_text_nearest("ledgers", verbs, 3), "ledger");
    CHECK(jali_text_nearest("photograph", verbs, 3) == NULL);
    CHECK(jali_text_nearest("x", verbs, 0) == NULL);
}

SENTENCE(only_well_formed_utf8_passes)
{
    UNUSED_STATE;
    static const char *const good[] = {
        "", "plain", "na\xc3\xafve", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"
    };
    static const char *const bad[] = { "\x80",         "\xc3",         "\xc0\x80",
                                       "\xe2\x82",     "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                       "\xe0\x80\x80", "\xff",         "a\xf0\x9f\x98" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(jali_text_is_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!jali_text_is_utf8(bad[i], strlen(bad[i])));
    CHECK(jali_text_width("na\xc3\xafve") == 5);
}

SENTENCE(what_a_terminal_obeys_is_noticed)
{
    UNUSED_STATE;
    static const char *const quiet[] = { "",
                                         "a\tb\r\n",
                                         "na\xc3\xafve",
                                         "\xc2\xa0",
                                         "\xe2\x80\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xe2\x81\xa5" };
    static const char *const loud[] = { "\x1b[2J",
                                        "a\x07",
                                        "\x7f",
                                        "a\xc2\x9b"
                                        "31m",
                                        "\xc2\x80",
                                        "\xe2\x80\xae"
                                        "txt",
                                        "\xe2\x80\xaa",
                                        "\xe2\x81\xa6",
                                        "x\xe2\x81\xa9" };
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        CHECK(!jali_text_commands(quiet[i]));
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++) CHECK(jali_text_commands(loud[i]));
}

SENTENCE(a_place_counts_lines_and_characters)
{
    UNUSED_STATE;
    unsigned line, column;
    jali_text_place("ab\n\xc3\xa9x", 5, &line, &column);
    CHECK(line == 2 && column == 2);
    jali_text_place("ab", 0, &line, &column);
    CHECK(line == 1 && column == 1);
}

SENTENCE(an_ideograph_takes_two_columns_and_a_mark_none)
{
    UNUSED_STATE;
    CHECK(jali_text_width("\xe5\xb9\xb4\xe9\xbd\xa2") == 4);
    CHECK(jali_text_width("e\xcc\x81x") == 2);
    CHECK(jali_text_width_n("\xe5\xb9\xb4", 2) == 2); /* cut inside: a column a byte */
    CHECK(jali_text_within("\xe5\xb9\xb4\xe9\xbd\xa2", 3) == 3);
    CHECK(jali_text_within("e\xcc\x81x", 1) == 3); /* the mark stays with its letter */
    CHECK(jali_text_within("ab", 9) == 2 && jali_text_within("ab", 0) == 0);
}

RUN_ALL(TEST(a_text_grows_and_is_always_terminated),
        TEST(the_nearest_word_is_found_and_a_stranger_is_not),
        TEST(only_well_formed_utf8_passes), TEST(what_a_terminal_obeys_is_noticed),
        TEST(a_place_counts_lines_and_characters),
        TEST(an_ideograph_takes_two_columns_and_a_mark_none))
