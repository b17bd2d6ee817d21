/* explain/separate/shown.c — a column as the bars of a histogram.
 *
 * No claim: everything here follows from the schema, which is public.
 */
#include "explain/separate/shown.h"

static jali_shown cut(size_t field, const jali_field *f)
{
    uint64_t codes = f->domain - 1, step = (codes + JALI_SHOWN_PARTS - 1) / JALI_SHOWN_PARTS;
    uint64_t bars = (codes + step - 1) / step;
    return (jali_shown){ field, JALI_SHOWN_CUT, (uint32_t)bars + 1, (uint32_t)step };
}

bool jali_shown_of(const jali_schema *schema, size_t field, jali_shown *out)
{
    const jali_field *f = &schema->fields[field];
    if (f->kind == JALI_NUMBER && f->n_bins > 0)
        *out = (jali_shown){ field, JALI_SHOWN_BINS, f->n_bins + 1, 0 };
    else if (f->kind == JALI_NUMBER && f->domain > JALI_SHOWN_WHOLE && f->domain <= UINT32_MAX)
        *out = cut(field, f);
    else if (f->domain <= JALI_SHOWN_MOST)
        *out = (jali_shown){ field, JALI_SHOWN_CODES, (uint32_t)f->domain, 0 };
    else
        return false;
    return out->values <= JALI_SHOWN_MOST;
}

bool jali_shown_ordered(const jali_schema *schema, const jali_shown *shown)
{
    const jali_field *f = &schema->fields[shown->field];
    return f->kind == JALI_NUMBER || f->binned;
}

/* Bins are written "[10, 20)"; a run of them begins as its first and ends as its last. */
static const char *joined(const char *first, const char *last, jali_arena *arena)
{
    const char *comma = strchr(first, ','), *end = strrchr(last, ',');
    if (comma == NULL || end == NULL) return jali_arena_format(arena, "%s to %s", first, last);
    return jali_arena_format(arena, "%.*s%s", (int)(comma - first), first, end);
}

static const char *cut_name(const jali_field *f, const jali_shown *s, uint32_t from,
                            uint32_t to, jali_arena *arena)
{
    uint64_t low = (uint64_t)from * s->step, next = ((uint64_t)to + 1) * s->step;
    bool last = next >= f->domain - 1;
    const char *a = jali_field_text(f, low, arena);
    const char *b = jali_field_text(f, last ? f->domain - 2 : next, arena);
    if (a == NULL || b == NULL) return NULL;
    return jali_arena_format(arena, "[%s, %s%s", a, b, last ? "]" : ")");
}

static const char *one_name(const jali_field *f, const jali_shown *s, uint32_t v,
                            jali_arena *arena)
{
    return s->kind == JALI_SHOWN_BINS ? jali_field_bin(f, v, arena)
                                      : jali_field_text(f, v, arena);
}

const char *jali_shown_name(const jali_schema *schema, const jali_shown *shown, uint32_t from,
                            uint32_t to, jali_arena *arena)
{
    const jali_field *f = &schema->fields[shown->field];
    if (to + 1 == shown->values) return jali_arena_text(arena, "unknown");
    if (shown->kind == JALI_SHOWN_CUT) return cut_name(f, shown, from, to, arena);
    const char *first = one_name(f, shown, from, arena);
    if (from == to || first == NULL) return first;
    const char *last = one_name(f, shown, to, arena);
    return last == NULL ? NULL : joined(first, last, arena);
}
