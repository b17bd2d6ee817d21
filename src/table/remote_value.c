/* table/remote_value.c — one field as an SQL expression that yields its code.
 *
 * The law is table/field.c's: missing words first, then the nearest step, ties away from
 * zero, then the bounds. Here the bounds come first, which is the same because they are
 * steps themselves and rounding never passes one; so no arithmetic sees a number that could
 * overflow. Decimals are PostgreSQL's numeric, which is exact; a double is read from its
 * shortest text, as an import would read it. GREATEST, LEAST and CASE are the only
 * conditions, NULL is asked for by name where an operator would not hand it on.
 */
#include "table/inside.h"
#include "table/remote_writing.h"
#include <inttypes.h>
#include <string.h>

jali_family jali_family_of(const char *type)
{
    static const struct {
        const char *type;
        jali_family family;
    } known[] = { { "int2", JALI_SQL_OF_INTEGER },    { "int4", JALI_SQL_OF_INTEGER },
                  { "int8", JALI_SQL_OF_INTEGER },    { "numeric", JALI_SQL_OF_NUMERIC },
                  { "float4", JALI_SQL_OF_FLOAT },    { "float8", JALI_SQL_OF_FLOAT },
                  { "text", JALI_SQL_OF_TEXT },       { "varchar", JALI_SQL_OF_TEXT },
                  { "bpchar", JALI_SQL_OF_TEXT },     { "name", JALI_SQL_OF_TEXT },
                  { "bool", JALI_SQL_OF_BOOLEAN },    { "date", JALI_SQL_OF_DATE },
                  { "timestamp", JALI_SQL_OF_STAMP }, { "timestamptz", JALI_SQL_OF_STAMP },
                  { "enum", JALI_SQL_OF_WORD },       { "uuid", JALI_SQL_OF_WORD } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].type, type) == 0) return known[i].family;
    return JALI_SQL_OF_NOTHING;
}

static void quoted(jali_text *to, const char *text, char quote)
{
    jali_text_add_n(to, &quote, 1);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == quote) jali_text_add_n(to, c, 1);
        jali_text_add_n(to, c, 1);
    }
    jali_text_add_n(to, &quote, 1);
}

void jali_remote_name(jali_text *to, const char *name)
{
    quoted(to, name, '"');
}

void jali_remote_text(jali_text *to, const char *text)
{
    quoted(to, text, '\'');
}

/* The column as text, compared byte by byte whatever its collation. */
void jali_writing_text(const writing *w)
{
    add(w, "(");
    add_name(w);
    add(w, "::text COLLATE \"C\")");
}

void jali_writing_dec(const writing *w, jali_dec value)
{
    char text[48];
    jali_dec_text(text, value);
    jali_text_format(w->out, value.units < 0 ? "(%s)" : "%s", text);
}

/* Can a cell of this family be written like this missing word? Texts can be anything. */
static bool may_be_missing(const writing *w, const char *word)
{
    size_t n = strlen(word);
    jali_scaled v;
    int64_t days;
    if (w->family == JALI_SQL_OF_TEXT || w->family == JALI_SQL_OF_WORD) return true;
    if (w->family == JALI_SQL_OF_BOOLEAN)
        return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
    if (w->family == JALI_SQL_OF_DATE || w->family == JALI_SQL_OF_STAMP)
        return jali_date_scan(&days, word, n);
    return jali_scaled_scan(&v, word, n, '.', 0);
}

/* " IN ('', 'NA')" of the words that matter; false: there is none. */
static bool add_missing(const writing *w)
{
    bool any = false;
    for (size_t i = 0; i < w->schema->n_missing; i++) {
        if (!may_be_missing(w, w->schema->missing[i])) continue;
        if (!any) jali_writing_text(w);
        add(w, any ? ", " : " IN (");
        jali_remote_text(w->out, w->schema->missing[i]);
        any = true;
    }
    if (any) add(w, ")");
    return any;
}

/* CASE WHEN the cell is NULL or missing THEN NULL; the caller goes on, and ends it. */
void jali_writing_start(const writing *w)
{
    add(w, "CASE WHEN ");
    add_name(w);
    add(w, " IS NULL THEN NULL WHEN ");
    if (!add_missing(w)) add(w, "false");
    add(w, " THEN NULL");
    if (w->family != JALI_SQL_OF_FLOAT && w->family != JALI_SQL_OF_NUMERIC) return;
    if (w->f->kind == JALI_CATEGORY && !w->f->binned) return; /* NaN is just undeclared */
    add(w, " WHEN ");
    add_name(w);
    add(w, " = 'NaN' THEN NULL");
}

static bool has_missing(const writing *w)
{
    for (size_t i = 0; i < w->schema->n_missing; i++)
        if (may_be_missing(w, w->schema->missing[i])) return true;
    return false;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Whole numbers in whole steps, in machine integers. Inside the bounds nothing overflows,
 * as long as twice a bound fits. */
static bool small_steps(const writing *w)
{
    const jali_field *f = w->f;
    const int64_t most = (int64_t)1 << 60;
    int64_t low, high;
    return w->family == JALI_SQL_OF_INTEGER && f->step.digits == 0 &&
           !__builtin_mul_overflow(f->low, f->step.units, &low) &&
           !__builtin_mul_overflow(f->high, f->step.units, &high) && low > -most &&
           high < most && f->step.units < most;
}

static void add_whole(const writing *w, int64_t value)
{
    jali_text_format(w->out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* The code of a cell that is strictly between the bounds. */
static void add_steps(const writing *w)
{
    const jali_field *f = w->f;
    int64_t step = f->step.units;
    add(w, " ELSE ");
    if (step == 1) {
        add_name(w);
        if (f->domain > INT32_MAX) add(w, "::int8");
        if (f->low != 0) add(w, " - ");
        if (f->low != 0) add_whole(w, f->low);
        return;
    }
    add(w, "CASE WHEN ");
    add_name(w);
    jali_text_format(w->out, " < 0 THEN -((%" PRId64 " - 2 * ", step);
    add_name(w);
    jali_text_format(w->out, "::int8) / %" PRId64 ") ELSE (%" PRId64 " + 2 * ", 2 * step, step);
    add_name(w);
    jali_text_format(w->out, "::int8) / %" PRId64 " END - ", 2 * step);
    add_whole(w, f->low);
}

static void write_integer(const writing *w)
{
    const jali_field *f = w->f;
    if (has_missing(w))
        jali_writing_start(w);
    else
        add(w, "CASE"); /* NULL falls through both comparisons and stays NULL */
    add(w, " WHEN ");
    add_name(w);
    add(w, " <= ");
    add_whole(w, f->low * f->step.units);
    add(w, " THEN 0 WHEN ");
    add_name(w);
    add(w, " >= ");
    add_whole(w, f->high * f->step.units);
    jali_text_format(w->out, " THEN %" PRIu64, f->domain - 2);
    add_steps(w);
    add(w, " END");
}

/* LEAST(GREATEST(x, low), high) as a numeric. */
static void add_clamped(const writing *w)
{
    const jali_field *f = w->f;
    add(w, "LEAST(GREATEST(");
    add_name(w);
    add(w, w->family == JALI_SQL_OF_FLOAT ? "::text::numeric, " : "::numeric, ");
    jali_writing_dec(w, jali_field_value(f, 0));
    add(w, "), ");
    jali_writing_dec(w, jali_field_value(f, f->domain - 2));
    add(w, ")");
}

/* Exact: round(u) of PostgreSQL rounds ties away from zero, and so does
 * sign(u) div(2|u| + step, 2 step), where a quotient of numerics could be cut first. */
static void write_decimal(const writing *w)
{
    const jali_field *f = w->f;
    jali_writing_start(w);
    jali_text_format(w->out, " ELSE (");
    if (f->step.units == 1) {
        add(w, "round(");
        add_clamped(w);
        jali_text_format(w->out, " * 1e%u)", f->step.digits);
    } else {
        add(w, "sign(");
        add_clamped(w);
        add(w, ") * div(2 * abs(");
        add_clamped(w);
        jali_text_format(w->out, ") * 1e%u + %" PRId64 ", %" PRId64 ")", f->step.digits,
                         f->step.units, 2 * f->step.units);
    }
    add(w, " - ");
    add_whole(w, f->low);
    add(w, ") END");
}

/* Dates of the four-digit years that an import reads; infinity is none of them. */
static void write_date(const writing *w)
{
    char low[48], high[48];
    jali_text column = { 0 };
    jali_date_text(low, w->f->low);
    jali_date_text(high, w->f->high);
    jali_remote_name(&column, w->f->name);
    if (w->zoned) jali_text_add(&column, " AT TIME ZONE 'UTC'");
    const char *c = column.failed || column.at == NULL ? "NULL" : column.at;
    if (column.failed) w->out->failed = true;
    jali_writing_start(w);
    jali_text_format(w->out,
                     " WHEN (%s) < '0001-01-01' OR (%s) >= '10000-01-01' THEN NULL WHEN "
                     "(%s)::date <= '%s' THEN 0 WHEN (%s)::date >= '%s' THEN %" PRIu64
                     " ELSE (%s)::date - '%s'::date END",
                     c, c, c, low, c, high, w->f->domain - 2, c, low);
    jali_text_clear(&column);
}

/* How many of the inner edges are not above the value. */
static void write_binned(const writing *w)
{
    jali_writing_start(w);
    add(w, " ELSE width_bucket(");
    add_name(w);
    add(w, w->family == JALI_SQL_OF_FLOAT ? "::text::numeric, '{" : "::numeric, '{");
    for (uint32_t i = 1; i < w->f->n_bins; i++) {
        char text[48];
        jali_dec_text(text, w->f->cut[i]);
        jali_text_format(w->out, "%s%s", i > 1 ? "," : "", text);
    }
    add(w, "}'::numeric[]) END");
}

void jali_remote_bin(const jali_field *field, const char *value, jali_text *out)
{
    jali_text_format(out, "width_bucket((%s)::int8, '{", value);
    for (uint32_t i = 1; i < field->n_bins; i++)
        jali_text_format(out, "%s%" PRIu64, i > 1 ? "," : "", field->edge[i]);
    jali_text_add(out, "}'::int8[])");
}

/* ---- which is which -----------------------------------------------------------------------
 */

static bool is_number(jali_family family)
{
    return family == JALI_SQL_OF_INTEGER || family == JALI_SQL_OF_NUMERIC ||
           family == JALI_SQL_OF_FLOAT;
}

typedef void (*writer)(const writing *w);

static writer choose(const writing *w)
{
    const jali_field *f = w->f;
    bool number = is_number(w->family);
    bool day = w->family == JALI_SQL_OF_DATE || w->family == JALI_SQL_OF_STAMP;
    if (f->kind == JALI_NUMBER && f->type == JALI_DATE) return day ? write_date : NULL;
    if (f->binned) return number ? write_binned : NULL;
    if (f->kind == JALI_NUMBER)
        return !number ? NULL : small_steps(w) ? write_integer : write_decimal;
    if (f->type == JALI_BOOLEAN && w->family == JALI_SQL_OF_BOOLEAN) return jali_write_boolean;
    if (f->type == JALI_STRING || f->type == JALI_BOOLEAN || f->type == JALI_DATE)
        return jali_write_words;
    return number ? jali_write_numbers : NULL;
}

jali_status jali_remote_value(const jali_schema *schema, const jali_field *field,
                              const char *type, jali_text *out, jali_err *err)
{
    static const char *const types[] = { "a string",  "an integer", "a number",
                                         "a boolean", "a date",     "a year" };
    writing w = { schema, field, jali_family_of(type), strcmp(type, "timestamptz") == 0, out };
    if (w.family == JALI_SQL_OF_NOTHING)
        return jali_fail(
            err, JALI_E_DATA, JALI_FOR_CURATOR,
            "column \"%.100s\" is of the SQL type %.60s, which jali does not read: "
            "make a view that casts it, or drop it in the schema",
            field->name, type);
    writer write = choose(&w);
    if (write == NULL)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "column \"%.100s\" is %s in the schema and %.60s in the database: a "
                         "cell that cannot be read would be an error there; make a view that "
                         "casts it",
                         field->name, types[field->type], type);
    jali_text_add(out, "(");
    write(&w);
    jali_text_format(out, ")::%s", field->domain <= 1u << 31 ? "int4" : "int8");
    return JALI_OK;
}

bool jali_remote_plain(const jali_schema *schema, const jali_field *field, const char *type)
{
    writing w = { schema, field, jali_family_of(type), false, NULL };
    return choose(&w) == write_integer && field->step.units == 1 && !has_missing(&w);
}

void jali_remote_group(const jali_field *field, const char *type, jali_text *out)
{
    jali_family family = jali_family_of(type);
    if (field->kind != JALI_CATEGORY || field->binned) return;
    if (family == JALI_SQL_OF_TEXT || family == JALI_SQL_OF_WORD) {
        jali_remote_name(out, field->name);
        jali_text_add(out, "::text COLLATE \"C\"");
    } else if (family == JALI_SQL_OF_INTEGER || family == JALI_SQL_OF_BOOLEAN) {
        jali_remote_name(out, field->name);
    }
}
