/* base/width.c — how wide text is on a terminal.
 *
 * wcwidth() would ask the locale, which a library does not read. The ranges are those of
 * Unicode's East Asian Width (W and F) and of its marks, without the holes inside: a width
 * that is off by one in a rare script moves a column, and cuts nothing.
 */
#include "base/text.h"

typedef struct range {
    uint32_t from, to;
} range;

static const range nothing[] = {
    { 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
    { 0x64b, 0x65f },   { 0xe31, 0xe31 },   { 0xe34, 0xe3a },   { 0xe47, 0xe4e },
    { 0x200b, 0x200f }, { 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

static const range two[] = {
    { 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x4dbf },   { 0x4e00, 0xa4cf },
    { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
    { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
    { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool within(const range *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].from && c <= r[i].to) return true;
    return false;
}

/* The next character: its bytes, at most n, and the columns it takes. */
static size_t next(const char *text, size_t n, size_t *columns)
{
    const unsigned char *t = (const unsigned char *)text;
    size_t bytes = t[0] >= 0xf0 ? 4 : t[0] >= 0xe0 ? 3 : t[0] >= 0xc0 ? 2 : 1;
    uint32_t c = bytes == 1 ? t[0] : t[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (i >= n || (t[i] & 0xc0) != 0x80) { /* no UTF-8: one byte, one column */
            *columns = 1;
            return 1;
        }
        c = c << 6 | (t[i] & 0x3fu);
    }
    *columns = within(nothing, sizeof nothing / sizeof *nothing, c) ? 0
               : within(two, sizeof two / sizeof *two, c)           ? 2
                                                                    : 1;
    return bytes;
}

size_t jali_text_width_n(const char *text, size_t n)
{
    size_t width = 0, columns;
    for (size_t i = 0; i < n; width += columns) i += next(text + i, n - i, &columns);
    return width;
}

size_t jali_text_width(const char *text)
{
    return jali_text_width_n(text, strlen(text));
}

size_t jali_text_within(const char *text, size_t width)
{
    size_t n = strlen(text), at = 0, columns;
    while (at < n) {
        size_t bytes = next(text + at, n - at, &columns);
        if (columns > width) break;
        width -= columns;
        at += bytes;
    }
    return at;
}
