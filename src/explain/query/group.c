/* explain/query/group.c — groups by their names, and names by their groups.
 *
 * No claim: names and domains are public.
 *
 * A name of several columns is cut at its commas. As a value may hold a comma itself
 * ("Married, spouse present"), every cut that leaves a value of the first column is tried.
 */
#include "base/text.h"
#include "explain/query/compare.h"
#include <ctype.h>
#include <strings.h>

enum { NEAR_WORDS = 4096 };

static void trim(const char **text, size_t *n)
{
    while (*n > 0 && isspace((unsigned char)**text)) ++*text, --*n;
    while (*n > 0 && isspace((unsigned char)(*text)[*n - 1])) --*n;
}

/* The value of a column, exactly, or the only one that differs by the case of letters. */
static jali_status find_part(const jali_field *f, const char *text, size_t n, uint64_t *out,
                             bool *found, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    uint64_t parts = jali_query_parts(f), alike = 0;
    *found = false;
    trim(&text, &n);
    for (uint64_t g = 0; g < parts && !*found; g++) {
        const char *name = jali_query_part(f, g, &scratch);
        if (name == NULL) {
            jali_arena_clear(&scratch);
            return jali_fail_memory(err);
        }
        bool same = strlen(name) == n && strncasecmp(name, text, n) == 0;
        *found = same && memcmp(name, text, n) == 0;
        alike += same && !*found;
        if (same) *out = g;
        if (g % 1024 == 1023) jali_arena_clear(&scratch);
    }
    jali_arena_clear(&scratch);
    *found = *found || alike == 1;
    return JALI_OK;
}

static jali_status find_from(const jali_schema *schema, const jali_query *query, size_t column,
                             const char *text, size_t n, uint64_t *part, bool *found,
                             jali_err *err)
{
    const jali_field *f = &schema->fields[query->group[column]];
    if (column + 1 == query->n_groups) return find_part(f, text, n, &part[column], found, err);
    *found = false;
    for (size_t i = 0; i < n && !*found; i++) {
        if (text[i] != ',') continue;
        JALI_TRY(find_part(f, text, i, &part[column], found, err));
        if (!*found) continue;
        JALI_TRY(
            find_from(schema, query, column + 1, text + i + 1, n - i - 1, part, found, err));
    }
    return JALI_OK;
}

jali_status jali_group_find(const jali_schema *schema, const jali_query *query,
                            const char *text, size_t n, jali_arena *arena,
                            uint64_t part[JALI_QUERY_GROUPS], bool *found, jali_err *err)
{
    (void)arena;
    trim(&text, &n);
    if (query->n_groups > 0) return find_from(schema, query, 0, text, n, part, found, err);
    *found = n == 3 && strncasecmp(text, "all", n) == 0;
    return JALI_OK;
}

/* ---- refusals ---------------------------------------------------------------------- */

static const char *near_part(const jali_field *f, const char *word, jali_arena *arena)
{
    const char **words = jali_arena_take(arena, NEAR_WORDS, sizeof *words);
    uint64_t n = 0, parts = jali_query_parts(f);
    for (; words != NULL && n < parts && n < NEAR_WORDS; n++) {
        words[n] = jali_query_part(f, n, arena);
        if (words[n] == NULL) return NULL;
    }
    return words == NULL ? NULL : jali_text_nearest(word, words, (size_t)n);
}

/* Which column does not know its part? Sets *text to that part, if the commas are right. */
static bool bad_part(const jali_schema *schema, const jali_query *query, char *word,
                     size_t *column, const char **bad)
{
    size_t commas = 0;
    for (const char *p = word; *p != '\0'; p++) commas += *p == ',';
    if (commas + 1 != query->n_groups) return false;
    char *at = word;
    for (size_t i = 0; i < query->n_groups; i++) {
        uint64_t part;
        bool found = false;
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        if (find_part(&schema->fields[query->group[i]], at, strlen(at), &part, &found, NULL) !=
            JALI_OK)
            return false;
        if (!found) {
            *column = i;
            *bad = at + strspn(at, " \t");
            return true;
        }
        at = comma == NULL ? at : comma + 1;
    }
    return false;
}

static const char *shape(const jali_schema *schema, const jali_query *query, jali_arena *arena)
{
    char *all = NULL;
    for (size_t i = 0; i < query->n_groups; i++) {
        const char *name = schema->fields[query->group[i]].name;
        all = i == 0 ? jali_arena_text(arena, name)
                     : jali_arena_format(arena, "%s,%s", all, name);
        if (all == NULL) return "";
    }
    return all;
}

void jali_group_unknown(const jali_schema *schema, const jali_query *query, const char *text,
                        size_t n, jali_arena *arena, char *words, size_t room)
{
    size_t column = 0;
    const char *bad = "";
    trim(&text, &n);
    char *word = jali_arena_format(arena, "%.*s", (int)(n < 200 ? n : 200), text);
    if (word == NULL) word = "";
    if (query->n_groups == 0) {
        snprintf(words, room,
                 "there is no group \"%.60s\": the question has no GROUP BY; its "
                 "one group is called all, as in all > 100",
                 word);
        return;
    }
    char *copy = jali_arena_text(arena, word);
    if (copy == NULL || !bad_part(schema, query, copy, &column, &bad)) {
        snprintf(words, room, "there is no group \"%.60s\"; a group is written %.120s", word,
                 shape(schema, query, arena));
        return;
    }
    const jali_field *f = &schema->fields[query->group[column]];
    const char *near = near_part(f, bad, arena);
    if (near != NULL)
        snprintf(words, room, "there is no group \"%.60s\" of %.60s; did you mean \"%.80s\"?",
                 bad, f->name, near);
    else
        snprintf(words, room,
                 "there is no group \"%.60s\" of %.60s; jali show lists them, and a name with "
                 "an operator in it goes in quotes",
                 bad, f->name);
}

const char *jali_group_name(const jali_schema *schema, const jali_query *query,
                            const uint64_t part[JALI_QUERY_GROUPS], jali_arena *arena)
{
    const char *all = query->n_groups == 0 ? "all" : NULL;
    for (size_t i = 0; i < query->n_groups; i++) {
        const char *one = jali_query_part(&schema->fields[query->group[i]], part[i], arena);
        if (one == NULL) return NULL;
        all = i == 0 ? one : jali_arena_format(arena, "%s,%s", all, one);
        if (all == NULL) return NULL;
    }
    return all;
}
