/* Numbers as CSV cells, against printf. */
#include "mock/sink.h"
#include "unit.h"
#include <stdlib.h>

static bool keep(void *self, const char *bytes, size_t n)
{
    char *at = self;
    size_t used = strlen(at);
    memcpy(at + used, bytes, n);
    at[used + n] = '\0';
    return true;
}

SENTENCE(numbers_are_written_as_printf_writes_them)
{
    UNUSED_STATE;
    static const int64_t values[] = { 0, 1, 9, 10, 99, 12345, -1, -250, 7, 1000000, INT64_MAX };
    jali_mock_sink *s = calloc(1, sizeof *s);
    assert_non_null(s);
    char seen[2048] = "", expected[2048] = "";
    s->take = keep;
    s->self = seen;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char one[64];
        snprintf(one, sizeof one, "%lld,", (long long)values[i]);
        strncat(expected, one, sizeof expected - strlen(expected) - 1);
        jali_mock_sink_whole(s, values[i]);
    }
    jali_mock_sink_flush(s);
    assert_string_equal(seen, expected);
    for (int i = -250; i <= 250; i++) {
        seen[0] = '\0';
        snprintf(expected, sizeof expected, "%s%d.%02d,", i < 0 ? "-" : "", abs(i) / 100,
                 abs(i) % 100);
        jali_mock_sink_fixed(s, i, 2);
        jali_mock_sink_flush(s);
        assert_string_equal(seen, expected);
    }
    free(s);
}

SENTENCE(a_full_buffer_goes_out_before_the_next_row)
{
    UNUSED_STATE;
    static char seen[3 << 20];
    jali_mock_sink *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->take = keep;
    s->self = seen;
    size_t rows = 0, lines = 0;
    for (; rows < 200000; rows++) {
        jali_mock_sink_row(s);
        jali_mock_sink_cell(s, "ab");
        jali_mock_sink_whole(s, (int64_t)(rows % 10000));
        jali_mock_sink_end(s);
        CHECK(s->used <= SINK_ROOM);
    }
    jali_mock_sink_flush(s);
    for (const char *p = seen; *p != '\0'; p++) lines += *p == '\n';
    assert_int_equal(lines, rows);
    free(s);
}

RUN_ALL(TEST(numbers_are_written_as_printf_writes_them),
        TEST(a_full_buffer_goes_out_before_the_next_row))
