/* tests/mock/sheet.h — a generated table read back, cell by cell. */
#ifndef JALI_TESTS_MOCK_SHEET_H
#define JALI_TESTS_MOCK_SHEET_H

#include "unit.h"

#include "base/text.h"
#include "mock/mock.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct sheet {
    jali_text bytes;
    char *copy, **cell; /* cell[row * columns + column]; row 0 is the header */
    size_t rows, columns;
} sheet;

static inline bool sheet_take(void *self, const char *bytes, size_t n)
{
    jali_text_add_n(self, bytes, n);
    return true;
}

static inline void sheet_split(sheet *s)
{
    size_t lines = 0, cells = 0, column = 0;
    for (size_t i = 0; i < s->bytes.used; i++) lines += s->bytes.at[i] == '\n';
    s->columns = 1;
    for (const char *p = s->bytes.at; *p != '\n'; p++) s->columns += *p == ',';
    s->rows = lines - 1;
    s->copy = strdup(s->bytes.at);
    s->cell = calloc(lines * s->columns, sizeof *s->cell);
    assert_non_null(s->cell);
    for (char *p = s->copy, *start = p; *p != '\0'; p++) {
        if (*p != ',' && *p != '\n') continue;
        bool end = *p == '\n';
        *p = '\0';
        s->cell[cells++] = start;
        start = p + 1;
        column++;
        if (!end) continue;
        assert_int_equal(column, s->columns); /* no ragged row */
        column = 0;
    }
    assert_int_equal(cells, lines * s->columns);
}

static inline sheet sheet_of(jali_mock_options *o)
{
    sheet s = { 0 };
    jali_err err = { 0 };
    o->take = sheet_take;
    o->self = &s.bytes;
    jali_status status = jali_mock_write(o, NULL, &err);
    if (status != JALI_OK) fail_msg("%s", err.text);
    assert_false(s.bytes.failed);
    sheet_split(&s);
    return s;
}

static inline void sheet_clear(sheet *s)
{
    jali_text_clear(&s->bytes);
    free(s->copy);
    free(s->cell);
}

static inline size_t sheet_column(const sheet *s, const char *name)
{
    for (size_t j = 0; j < s->columns; j++)
        if (strcmp(s->cell[j], name) == 0) return j;
    fail_msg("no column %s", name);
    return 0;
}

static inline const char *sheet_at(const sheet *s, size_t row, size_t column)
{
    return s->cell[(row + 1) * s->columns + column];
}

static inline double sheet_number(const sheet *s, size_t row, size_t column)
{
    return strtod(sheet_at(s, row, column), NULL);
}

static inline jali_mock_options options_of(const char *kind, const char *preset, uint64_t rows)
{
    jali_mock_options o;
    CHECK_OK(jali_mock_defaults(&o, kind, preset, NULL));
    o.rows = rows;
    return o;
}

/* Schema and truth go through files; these live in the folder the tests run in. */
static inline char *scratch_name(const char *what)
{
    static unsigned count;
    char *name = NULL;
    if (asprintf(&name, "jali-mock-%ld-%u.%s", (long)getpid(), count++, what) < 0) abort();
    return name;
}

static inline json_t *json_then_gone(char *path)
{
    json_error_t why;
    json_t *value = json_load_file(path, 0, &why);
    if (value == NULL) fail_msg("%s: %s", path, why.text);
    unlink(path);
    free(path);
    return value;
}

#endif
