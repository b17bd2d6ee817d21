/* table/match.c — which column of a file is which field of the schema. */
#include "base/text.h"
#include "table/import.h"

/* Header cells may be padded: "age, sex" is common. */
static bool same_name(const char *cell, const char *name)
{
    size_t n = strlen(cell), m = strlen(name);
    if (n == m && memcmp(cell, name, n) == 0) return true;
    while (n > 0 && (cell[0] == ' ' || cell[0] == '\t')) cell++, n--;
    while (n > 0 && (cell[n - 1] == ' ' || cell[n - 1] == '\t')) n--;
    return n == m && memcmp(cell, name, n) == 0;
}

/* Column i of a file is this one; a column without a name (an index that was saved along,
 * say) goes by its place: column1, as jali draft writes it. */
static bool is_column(const jali_source *source, size_t i, const char *name)
{
    char place[32];
    if (source->names[i][strspn(source->names[i], " \t")] != '\0')
        return same_name(source->names[i], name);
    snprintf(place, sizeof place, "column%zu", i + 1);
    return strcmp(place, name) == 0;
}

static bool wanted(const jali_schema *s, size_t field)
{
    return s->fields[field].used || (int32_t)field == s->person;
}

static jali_status find_field(const jali_schema *s, const jali_source *source, size_t field,
                              size_t *out, jali_err *err)
{
    const char *name = s->fields[field].name;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < source->n; i++) {
        if (!is_column(source, i, name)) continue;
        if (found != SIZE_MAX)
            return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                             "%s has two columns named \"%s\"; rename one", source->path, name);
        found = i;
    }
    *out = found;
    if (found != SIZE_MAX) return JALI_OK;
    const char *near = jali_text_nearest(name, source->names, source->n);
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     "%s has no column \"%s\"%s%.100s%s; change the schema or the file",
                     source->path, name, near ? " (its \"" : "", near ? near : "",
                     near ? "\" is near)" : "");
}

/* How many of the schema's names stand in the first row. */
static size_t named(const jali_schema *s, const jali_source *source)
{
    size_t n = 0;
    for (size_t f = 0; f < s->n; f++) {
        size_t i = 0;
        while (i < source->n && !is_column(source, i, s->fields[f].name)) i++;
        n += i < source->n;
    }
    return n;
}

jali_status jali_import_match(const jali_schema *schema, jali_source *source, size_t *index,
                              size_t *extra, jali_err *err)
{
    size_t known = named(schema, source);
    /* A CSV without any of the names has no header, unless it looks like one. */
    bool header = source->kind != JALI_CSV || known > 0 || source->header;
    if (!header && source->n != schema->n)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%s has %zu columns and no header, and the schema has %zu: without "
                         "names they must be the same",
                         source->path, source->n, schema->n);
    source->header = header;
    for (size_t f = 0; f < schema->n; f++) {
        index[f] = SIZE_MAX;
        if (!wanted(schema, f)) continue;
        if (header)
            JALI_TRY(find_field(schema, source, f, &index[f], err));
        else
            index[f] = f;
    }
    *extra = header ? source->n - known : 0;
    return JALI_OK;
}
