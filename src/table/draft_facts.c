/* table/draft_facts.c — what a draft remembers of one column. */
#include "table/draft_facts.h"
#include "base/text.h"
#include "table/decimal.h"
#include "table/draft.h"
#include <xxhash.h>

enum { MAX_DRAFT_DIGITS = 6, MAX_DRAFT_BINS = 10, FEW_VALUES = 20 };

const char *const jali_draft_missing[] = { "",     "NA",   "N/A",  "NaN", "nan",
                                           "null", "NULL", "None", "?" };

__extension__ typedef __int128 wide; /* 62 bits times 10^18 fit */

static int compare(jali_dec a, jali_dec b)
{
    wide x = a.units, y = b.units;
    for (unsigned d = a.digits; d < b.digits; d++) x *= 10;
    for (unsigned d = b.digits; d < a.digits; d++) y *= 10;
    return (x > y) - (x < y);
}

/* Is it a number, a date, a year, and how far do they reach? */
static void note_kind(jali_facts *f, const char *text, size_t n)
{
    jali_dec v;
    int64_t day;
    if (!f->not_number && jali_dec_scan(&v, text, n)) {
        if (v.digits > 0) f->not_whole = true;
        if (v.digits > f->digits) f->digits = v.digits;
        if (!f->seen || compare(v, f->low) < 0) f->low = v;
        if (!f->seen || compare(v, f->high) > 0) f->high = v;
    } else {
        f->not_number = true;
    }
    if (n != 4) f->not_year = true;
    if (!f->not_date && n == 10 && jali_date_scan(&day, text, n)) {
        if (!f->seen || day < f->first) f->first = day;
        if (!f->seen || day > f->last) f->last = day;
    } else {
        f->not_date = true;
    }
    f->seen = true;
}

static bool grow(jali_facts *f)
{
    size_t room = f->room == 0 ? 16 : f->room * 2;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    const char **values = realloc(f->values, room * sizeof *values);
    if (values != NULL) f->values = values;
    if (slots == NULL || values == NULL) {
        free(slots);
        return false;
    }
    for (size_t i = 0; i < f->n; i++) {
        size_t at = (size_t)XXH3_64bits(values[i], strlen(values[i])) % (2 * room);
        while (slots[at] != 0) at = (at + 1) % (2 * room);
        slots[at] = (uint32_t)(i + 1);
    }
    free(f->slots);
    f->slots = slots;
    f->room = room;
    return true;
}

static bool note_value(jali_facts *f, jali_arena *arena, const char *text, size_t n)
{
    if (f->too_many) return true;
    if (f->n == f->room && !grow(f)) return false;
    size_t at = (size_t)XXH3_64bits(text, n) % (2 * f->room);
    for (; f->slots[at] != 0; at = (at + 1) % (2 * f->room)) {
        const char *known = f->values[f->slots[at] - 1];
        if (strlen(known) == n && memcmp(known, text, n) == 0) return true;
    }
    if (f->n == JALI_DRAFT_VALUES || n > JALI_MAX_NAME || memchr(text, '\0', n) != NULL) {
        f->too_many = true;
        return true;
    }
    char *copy = jali_arena_format(arena, "%.*s", (int)n, text);
    if (copy == NULL) return false;
    f->values[f->n++] = copy;
    f->slots[at] = (uint32_t)f->n;
    return true;
}

bool jali_facts_add(jali_facts *f, jali_arena *arena, const char *text, size_t n)
{
    while (n > 0 && (text[0] == ' ' || text[0] == '\t')) text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    for (unsigned i = 0; n <= 4 && i < JALI_DRAFT_MISSING; i++) {
        if (strlen(jali_draft_missing[i]) != n || memcmp(jali_draft_missing[i], text, n) != 0)
            continue;
        f->missing |= 1u << i;
        return true;
    }
    note_kind(f, text, n);
    return note_value(f, arena, text, n);
}

/* ---- what they suggest -------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_boolean(const jali_facts *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->values[i], "true") != 0 && strcmp(f->values[i], "false") != 0)
            return false;
    return f->n > 0 && !f->too_many;
}

/* value in units of 10^-digits, down or up: bounds must hold what was seen. */
static jali_dec outward(jali_dec v, unsigned digits, bool up)
{
    while (v.digits > digits) {
        int64_t q = v.units / 10, r = v.units % 10;
        v.units = q + (up && r > 0) - (!up && r < 0);
        v.digits--;
    }
    return v;
}

/* A number of more values than a reader would go through also gets bins, so that a `why` can
 * name ranges of it: at most MAX_DRAFT_BINS, their width 1, 2 or 5 times a power of ten. */
static int64_t bin_width(int64_t low, int64_t high)
{
    static const int64_t nice[] = { 1, 2, 5 };
    uint64_t span = (uint64_t)high - (uint64_t)low;
    for (int64_t ten = 1; ten <= INT64_MAX / 100; ten *= 10)
        for (size_t i = 0; i < 3; i++)
            if (span / (uint64_t)(nice[i] * ten) < MAX_DRAFT_BINS) return nice[i] * ten;
    return 0;
}

static bool add_edge(json_t *edges, int64_t units, unsigned digits)
{
    char text[48];
    jali_dec_text(text, (jali_dec){ units, digits });
    return json_array_append_new(edges,
                                 digits == 0 ? json_integer(units) : json_string(text)) == 0;
}

/* The bounds, and the multiples of the width between them. NULL: none are needed. */
static json_t *suggest_bins(jali_dec least, jali_dec most, unsigned digits)
{
    int64_t low, high;
    if (!jali_dec_scale(&low, least, digits) || !jali_dec_scale(&high, most, digits) ||
        high <= low || (uint64_t)high - (uint64_t)low <= FEW_VALUES)
        return NULL;
    int64_t width = bin_width(low, high);
    json_t *edges = json_array();
    bool good = width > 0 && edges != NULL && add_edge(edges, low, digits);
    for (int64_t edge = width > 0 ? low / width * width : high; good && edge < high;
         edge += width)
        if (edge > low) good = add_edge(edges, edge, digits);
    if (good && add_edge(edges, high, digits)) return edges;
    json_decref(edges);
    return NULL;
}

static json_t *number_field(const jali_facts *f)
{
    char low[48], high[48], step[48];
    unsigned digits = f->digits > MAX_DRAFT_DIGITS ? MAX_DRAFT_DIGITS : f->digits;
    jali_dec least = outward(f->low, digits, false), most = outward(f->high, digits, true);
    json_t *bins = suggest_bins(least, most, f->not_whole ? digits : 0);
    jali_dec_text(low, least);
    jali_dec_text(high, most);
    jali_dec_text(step, (jali_dec){ 1, digits });
    if (f->not_whole)
        return json_pack("{s:s,s:s,s:{s:s,s:s},s:{s:s,s:o*}}", "name", f->name, "type",
                         "number", "constraints", "minimum", low, "maximum", high, "jali",
                         "step", step, "bins", bins);
    bool year = !f->not_year && f->low.units >= 1000 && f->high.units <= 2999;
    json_t *more = bins == NULL ? NULL : json_pack("{s:o}", "bins", bins);
    return json_pack("{s:s,s:s,s:{s:I,s:I},s:o*}", "name", f->name, "type",
                     year ? "year" : "integer", "constraints", "minimum",
                     (json_int_t)f->low.units, "maximum", (json_int_t)f->high.units, "jali",
                     more);
}

static json_t *date_field(const jali_facts *f)
{
    char first[48], last[48];
    jali_date_text(first, f->first);
    jali_date_text(last, f->last);
    return json_pack("{s:s,s:s,s:{s:s,s:s}}", "name", f->name, "type", "date", "constraints",
                     "minimum", first, "maximum", last);
}

static json_t *enum_field(jali_facts *f)
{
    json_t *values = json_array();
    qsort(f->values, f->n, sizeof *f->values, by_text);
    for (size_t i = 0; i < f->n; i++)
        if (json_array_append_new(values, json_string(f->values[i])) != 0) break;
    return json_pack("{s:s,s:s,s:{s:o}}", "name", f->name, "type", "string", "constraints",
                     "enum", values);
}

static bool has_control(const jali_facts *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (jali_text_commands(f->values[i]) || strpbrk(f->values[i], "\t\n\r") != NULL)
            return true;
    return false;
}

static json_t *left_out(const jali_facts *f, const char *type, const char *why)
{
    return json_pack("{s:s,s:s,s:s,s:{s:b}}", "name", f->name, "type", type, "description", why,
                     "jali", "drop", 1);
}

json_t *jali_facts_field(jali_facts *f)
{
    static const char declare[] = "declare what is publicly known of it, then remove \"drop\"";
    const char *why = f->n == 0     ? "no value was seen; left out"
                      : f->too_many ? "more values than a draft lists; left out"
                                    : "values with control characters; left out";
    bool far = f->low.units <= -(int64_t)JALI_MAX_STEPS / 2 ||
               f->high.units >= (int64_t)JALI_MAX_STEPS / 2;
    if (f->left != NULL) return left_out(f, "string", f->left);
    if (f->unseen != NULL && f->n == 0) return left_out(f, f->unseen, declare);
    if (f->seen && !f->not_number && !far) return number_field(f);
    if (f->seen && !f->not_date) return date_field(f);
    if (f->type != NULL) return left_out(f, f->type, f->n == 0 ? why : declare);
    if (is_boolean(f)) return json_pack("{s:s,s:s}", "name", f->name, "type", "boolean");
    if (f->n > 0 && !f->too_many && !has_control(f)) return enum_field(f);
    return left_out(f, "string", why);
}
