/* mock/sink.c — CSV cells appended to a buffer, fast. */
#include "mock/sink.h"

void jali_mock_sink_flush(jali_mock_sink *s)
{
    if (!s->failed && s->used > 0) s->failed = !s->take(s->self, s->at, s->used);
    s->used = 0;
}

void jali_mock_sink_cell(jali_mock_sink *s, const char *text)
{
    jali_mock_sink_text(s, text, strlen(text));
    jali_mock_sink_char(s, ',');
}

/* Digits from the right, with the point before the last `decimals` of them. */
static void number(jali_mock_sink *s, int64_t value, unsigned decimals)
{
    char digits[32];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    unsigned n = 0;
    digits[--at] = ',';
    while (rest > 0 || n <= decimals) {
        if (decimals > 0 && n == decimals) digits[--at] = '.';
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
        n++;
    }
    if (value < 0) digits[--at] = '-';
    jali_mock_sink_text(s, digits + at, sizeof digits - at);
}

void jali_mock_sink_whole(jali_mock_sink *s, int64_t value)
{
    number(s, value, 0);
}

void jali_mock_sink_fixed(jali_mock_sink *s, int64_t units, unsigned decimals)
{
    number(s, units, decimals);
}
