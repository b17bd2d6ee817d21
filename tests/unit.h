/* tests/unit.h — what every test program includes: cmocka, and a few short words. */
#ifndef JALI_TESTS_UNIT_H
#define JALI_TESTS_UNIT_H

/* cmocka wants these four first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jali.h"
#include <stdio.h>
#include <string.h>

#define CHECK(cond) assert_true(cond)
#define CHECK_OK(expr) assert_int_equal((expr), JALI_OK)
#define TEST(function) cmocka_unit_test(function)

/* A test is a sentence: static void zero_is_not_drawn_twice(void **state). */
#define SENTENCE(name) static void name(void **state_)
#define UNUSED_STATE (void)state_

#define RUN_ALL(...)                                                                           \
    int main(void)                                                                             \
    {                                                                                          \
        const struct CMUnitTest tests_[] = { __VA_ARGS__ };                                    \
        return cmocka_run_group_tests(tests_, NULL, NULL);                                     \
    }

/* Did it refuse with this class, for this reader, in one line that says `words`? */
#define CHECK_REFUSED(err, status, who, words)                                                 \
    do {                                                                                       \
        assert_int_equal((err).code, (status));                                                \
        assert_int_equal((err).reader, (who));                                                 \
        assert_non_null(strstr((err).text, (words)));                                          \
        assert_null(strchr((err).text, '\n'));                                                 \
    } while (0)

#endif
