/* table/place.c — where a member stands in a JSON text.
 *
 * The parser of base/json gives values without places. Mistakes are rare and schemas
 * small, so the place is looked for only when there is something to point at.
 */
#include "table/place.h"
#include <string.h>

typedef struct scan {
    const char *text;
    size_t n, at;
} scan;

static void skip_space(scan *s)
{
    while (s->at < s->n && memchr(" \t\r\n", s->text[s->at], 4) != NULL) s->at++;
}

static void skip_string(scan *s)
{
    for (s->at++; s->at < s->n && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\') s->at++;
    s->at++;
}

/* Leaves s behind the value that begins at s. Depth is counted, not recursed into. */
static void skip_value(scan *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        if (s->at >= s->n) return;
        char c = s->text[s->at];
        if (c == '"') {
            skip_string(s);
        } else if (c == '{' || c == '[') {
            depth++;
            s->at++;
        } else if (c == '}' || c == ']') {
            depth--;
            s->at++;
        } else if (c == ',' || c == ':') {
            s->at++;
        } else {
            while (s->at < s->n && memchr(",:]}[{\" \t\r\n", s->text[s->at], 11) == NULL)
                s->at++;
        }
    } while (depth > 0);
}

/* Moves s from `{` to the member's key; 0 if there is none. */
static int enter_object(scan *s, const char *key)
{
    size_t length = strlen(key);
    s->at++;
    for (;;) {
        skip_space(s);
        if (s->at >= s->n || s->text[s->at] != '"') return 0;
        size_t begin = s->at;
        skip_string(s);
        size_t end = s->at < s->n ? s->at : s->n;
        if (end - begin == length + 2 && memcmp(s->text + begin + 1, key, length) == 0) {
            s->at = begin;
            return 1;
        }
        skip_space(s);
        s->at++; /* the colon */
        skip_value(s);
        skip_space(s);
        if (s->at >= s->n || s->text[s->at] != ',') return 0;
        s->at++;
    }
}

static int enter_array(scan *s, size_t index)
{
    s->at++;
    for (size_t i = 0; i < index; i++) {
        skip_value(s);
        skip_space(s);
        if (s->at >= s->n || s->text[s->at] != ',') return 0;
        s->at++;
    }
    skip_space(s);
    return s->at < s->n && s->text[s->at] != ']';
}

size_t jali_json_place(const char *text, size_t n, const jali_step *path, size_t steps,
                       int at_key)
{
    scan s = { text, n, 0 };
    skip_space(&s);
    size_t found = s.at;
    for (size_t i = 0; i < steps && s.at < n; i++) {
        const char *key = path[i].key;
        if (text[s.at] != (key != NULL ? '{' : '[')) break;
        if (!(key != NULL ? enter_object(&s, key) : enter_array(&s, path[i].index))) break;
        found = s.at;
        if (key == NULL) continue;
        skip_string(&s);
        skip_space(&s);
        s.at++;
        skip_space(&s);
        if (!(at_key && i + 1 == steps)) found = s.at;
    }
    return found < n ? found : n;
}
