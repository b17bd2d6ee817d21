/* base/text.c — text that grows, and the few questions we ask of text. */
#include "base/text.h"
#include <stdarg.h>

enum { LONGEST_WORD = 64 };

static bool reserve(jali_text *t, size_t more)
{
    if (t->failed) return false;
    if (more < t->room - t->used) return true;
    size_t room = t->room == 0 ? 256 : t->room;
    while (room - t->used <= more && room <= SIZE_MAX / 2) room *= 2;
    char *at = room - t->used <= more ? NULL : realloc(t->at, room);
    if (at == NULL) {
        t->failed = true;
        return false;
    }
    t->at = at;
    t->room = room;
    return true;
}

void jali_text_add_n(jali_text *t, const char *piece, size_t n)
{
    if (!reserve(t, n)) return;
    if (n > 0) memcpy(t->at + t->used, piece, n);
    t->used += n;
    t->at[t->used] = '\0';
}

void jali_text_add(jali_text *t, const char *piece)
{
    jali_text_add_n(t, piece, strlen(piece));
}

void jali_text_format(jali_text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) t->failed = true;
    if (n >= 0 && reserve(t, (size_t)n)) {
        vsnprintf(t->at + t->used, (size_t)n + 1, fmt, again);
        t->used += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void jali_text_clear(jali_text *t)
{
    free(t->at);
    *t = (jali_text){ 0 };
}

jali_status jali_text_status(const jali_text *t, jali_err *err)
{
    return t->failed ? jali_fail_memory(err) : JALI_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap two neighbours. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_WORD + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++) last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] =
                least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

const char *jali_text_nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t nw = strlen(word), least_far = nw / 3 + 2;
    if (nw > LONGEST_WORD) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t nb = strlen(words[i]);
        if (nb > LONGEST_WORD) continue;
        size_t far = distance(word, nw, words[i], nb);
        if (far < least_far) {
            least_far = far;
            best = words[i];
        }
    }
    return best;
}

/* Length of the well-formed UTF-8 character at p, 0 if it is not one. */
static size_t character(const unsigned char *p, size_t n)
{
    static const struct {
        unsigned char lead_low, lead_high, second_low, second_high, length;
    } forms[] = { { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
                  { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
                  { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
                  { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 } };
    if (p[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (p[0] < forms[i].lead_low || p[0] > forms[i].lead_high) continue;
        if (n < forms[i].length || p[1] < forms[i].second_low || p[1] > forms[i].second_high)
            return 0;
        for (size_t j = 2; j < forms[i].length; j++)
            if ((p[j] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

bool jali_text_is_utf8(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        size_t length = character(p + i, n - i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

static bool turns_around(const unsigned char *p) /* U+202A to 202E, U+2066 to 2069 */
{
    return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
                            (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

bool jali_text_commands(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
        if ((*p < ' ' && strchr("\t\n\r", *p) == NULL) || *p == 0x7f ||
            (*p == 0xc2 && p[1] < 0xa0) || turns_around(p))
            return true;
    return false;
}

void jali_text_place(const char *text, size_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && text[i] != '\0'; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            *column += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    }
}
