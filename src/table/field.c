/* table/field.c — values and codes of one column.
 *
 * Total functions: every text has a code, so that after import nothing can be refused
 * because of a cell.
 */
#include "base/text.h"
#include "table/inside.h"

static bool is_number(const jali_field *f)
{
    return f->type == JALI_INTEGER || f->type == JALI_DECIMAL || f->type == JALI_YEAR;
}

int32_t jali_field_word(const jali_field *field, const char *text, size_t n)
{
    int32_t code = jali_words_find(field->words, text, n);
    if (code >= 0) return code;
    while (n > 0 && (text[0] == ' ' || text[0] == '\t')) text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    code = jali_words_find(field->words, text, n);
    if (code >= 0 || !is_number(field)) return code;
    /* 1.0, 01 and 1 are one value. */
    jali_dec value;
    char tidy[48];
    if (!jali_dec_scan(&value, text, n)) return -1;
    return jali_words_find(field->words, tidy, jali_dec_text(tidy, value));
}

/* The last bin whose lower edge is not above the value; values outside are clamped. */
static uint64_t bin_of_value(const jali_field *f, const jali_scaled *v, jali_fate *fate)
{
    bool exact;
    int64_t at = jali_scaled_floor(v, 1, &exact);
    uint32_t low = 0, high = f->n_bins - 1;
    int64_t last = f->cut[f->n_bins].units;
    *fate =
        at < f->cut[0].units || at > last || (at == last && !exact) ? JALI_CLAMPED : JALI_KEPT;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (f->cut[middle].units <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static uint64_t clamp(const jali_field *f, int64_t steps, jali_fate *fate)
{
    *fate = steps < f->low || steps > f->high ? JALI_CLAMPED : JALI_KEPT;
    if (steps < f->low) steps = f->low;
    if (steps > f->high) steps = f->high;
    return (uint64_t)(steps - f->low);
}

static uint64_t nulled(const jali_field *f, jali_fate *fate)
{
    *fate = JALI_NULLED;
    return jali_field_null(f);
}

static uint64_t number_code(const jali_field *f, const char *text, size_t n, jali_fate *fate)
{
    jali_scaled v;
    int64_t days;
    while (n > 0 && (text[0] == ' ' || text[0] == '\t')) text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    if (f->type == JALI_DATE)
        return jali_date_scan(&days, text, n) ? clamp(f, days, fate) : nulled(f, fate);
    unsigned digits = f->binned ? f->cut[0].digits : f->step.digits;
    if (!jali_scaled_scan(&v, text, n, f->point, digits)) return nulled(f, fate);
    if (f->binned) return bin_of_value(f, &v, fate);
    return clamp(f, jali_scaled_round(&v, f->step.units), fate);
}

uint64_t jali_field_code(const jali_schema *schema, const jali_field *field, const char *text,
                         size_t n, jali_fate *fate)
{
    if (jali_words_find(schema->missing_words, text, n) >= 0) {
        *fate = JALI_MISSING;
        return jali_field_null(field);
    }
    if (field->kind == JALI_NUMBER || field->binned) return number_code(field, text, n, fate);
    int32_t code = jali_field_word(field, text, n);
    if (code >= 0) {
        *fate = JALI_KEPT;
        return (uint64_t)code;
    }
    if (field->other < 0) return nulled(field, fate);
    *fate = JALI_OTHERED;
    return (uint64_t)field->other;
}

jali_dec jali_field_value(const jali_field *field, uint64_t code)
{
    return (jali_dec){ (field->low + (int64_t)code) * field->step.units, field->step.digits };
}

static void value_text(const jali_field *f, jali_dec value, char out[static 48])
{
    if (f->type == JALI_DATE)
        jali_date_text(out, value.units);
    else
        jali_dec_text(out, value);
}

const char *jali_field_text(const jali_field *field, uint64_t code, jali_arena *arena)
{
    char room[48];
    if (code >= jali_field_null(field)) return "NULL";
    if (field->kind == JALI_CATEGORY) return field->values[code];
    value_text(field, jali_field_value(field, code), room);
    return jali_arena_text(arena, room);
}

const char *jali_field_bin(const jali_field *field, uint32_t bin, jali_arena *arena)
{
    char from[48], to[48];
    bool cut = field->binned;
    value_text(field, cut ? field->cut[bin] : jali_field_value(field, field->edge[bin]), from);
    value_text(field, cut ? field->cut[bin + 1] : jali_field_value(field, field->edge[bin + 1]),
               to);
    return jali_arena_format(arena, "[%s, %s%c", from, to,
                             bin + 1 == field->n_bins ? ']' : ')');
}

uint32_t jali_field_bin_of(const jali_field *field, uint64_t code)
{
    if (field->binned) return (uint32_t)code;
    uint32_t low = 0, high = field->n_bins - 1;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (field->edge[middle] <= code)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
