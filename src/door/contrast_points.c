/* door/contrast_points.c — points that askers send: words and CSV. */
#include "door/contrast.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { LONGEST = 64 }; /* characters of a number */

/* A finite decimal number, and nothing else: no hexadecimal, no "inf". */
static bool read_number(const char *text, size_t n, double *out)
{
    char copy[LONGEST + 1], *end;
    if (n == 0 || n > LONGEST) return false;
    for (size_t i = 0; i < n; i++) {
        bool good = isdigit((unsigned char)text[i]) || strchr("+-.eE", text[i]) != NULL;
        if (!good || text[i] == '\0') return false;
        copy[i] = text[i];
    }
    copy[n] = '\0';
    *out = strtod(copy, &end);
    return end == copy + n && isfinite(*out) && fabs(*out) < 1e15;
}

jali_status jali_points_words(jali_points *out, const char *const *word, size_t n, size_t dims,
                              jali_arena *arena, jali_err *err)
{
    if (n == 0 || n % dims != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a point of this plan has %zu numbers; %zu cannot be cut into points",
                         dims, n);
    double *at = jali_arena_take(arena, n, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!read_number(word[i], strlen(word[i]), &at[i]))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%.40s\" is not a coordinate: write a number like 12.5",
                             word[i]);
    *out = (jali_points){ n / dims, dims, at };
    return JALI_OK;
}

static bool separates(char c)
{
    return c == ',' || c == ';' || c == '\t' || c == ' ' || c == '\r';
}

/* The numbers of one line; -1 if a word is none. Counts on beyond `dims`. */
static int read_line(const char *line, size_t n, size_t dims, double *out)
{
    size_t i = 0, found = 0;
    for (;;) {
        while (i < n && separates(line[i])) i++;
        if (i == n) return (int)found;
        size_t from = i;
        double x;
        while (i < n && !separates(line[i])) i++;
        if (!read_number(line + from, i - from, &x)) return -1;
        if (found < dims) out[found] = x;
        if (++found > 10000) return -1;
    }
}

static size_t count_lines(const char *text, size_t n)
{
    size_t lines = 1;
    for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
    return lines;
}

jali_status jali_points_csv(jali_points *out, const char *text, size_t n, size_t dims,
                            jali_arena *arena, jali_err *err)
{
    size_t lines = count_lines(text, n), from = 0;
    jali_points p = { .dims = dims };
    if (lines > JALI_POINTS_MOST + 2)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the file has more than %d lines; ask in several files",
                         JALI_POINTS_MOST);
    p.at = jali_arena_take(arena, lines * dims, sizeof *p.at);
    if (p.at == NULL) return jali_fail_memory(err);
    for (unsigned line = 1; from < n; line++) {
        const char *end = memchr(text + from, '\n', n - from);
        size_t length = end == NULL ? n - from : (size_t)(end - text) - from;
        int found = read_line(text + from, length, dims, p.at + p.n * dims);
        from += length + 1;
        if (found == 0 || (found < 0 && line == 1)) continue;
        if (found != (int)dims)
            return jali_fail_at(err, JALI_E_DATA, JALI_FOR_ANALYST, line, 1,
                                "line %u of the points is not %zu numbers", line, dims);
        p.n++;
    }
    if (p.n == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_ANALYST,
                         "the file has no point: write one a line, like 12.5,48.1");
    *out = p;
    return JALI_OK;
}
