/* explain/contrast/release.c — the body of a plan: written once, read by every question.
 *
 * No claim: what is written here was released by explain/contrast/plan.c.
 */
#include "explain/contrast/release.h"
#include "explain/contrast/stream.h"
#include <stdlib.h>
#include <string.h>

void jali_contrast_place(jali_contrast_release *r)
{
    for (size_t i = 0; i < r->ask.centres; i++)
        for (size_t a = 0; a < r->ask.n; a++)
            r->centre[i * r->ask.n + a] =
                r->ground.origin[a] + (double)r->base[i].at[a] * r->ground.length;
}

uint64_t jali_contrast_stream(const jali_coreset *coreset)
{
    uint64_t s = 0x6a616c69;
    jali_fold(&s, (uint64_t)coreset->total);
    for (size_t i = 0; i < coreset->n; i++) jali_fold(&s, (uint64_t)coreset->part[i].count);
    for (size_t i = 0; i < coreset->n_cells; i++) jali_fold(&s, (uint64_t)coreset->cell[i]);
    return s;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Reals as texts that read back to the same bits. */
static json_t *reals(const double *x, size_t n)
{
    json_t *list = json_array();
    char text[40];
    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%.17g", x[i]);
        if (json_array_append_new(list, json_string(text)) != 0) return NULL;
    }
    return list;
}

static json_t *spots(const jali_spot *s, size_t n)
{
    json_t *list = json_array();
    char text[40];
    for (size_t i = 0; i < n * JALI_SPACE; i++) {
        snprintf(text, sizeof text, "%.9g", (double)s[i / JALI_SPACE].at[i % JALI_SPACE]);
        if (json_array_append_new(list, json_string(text)) != 0) return NULL;
    }
    return list;
}

static bool add(json_t *list, int64_t x)
{
    return json_array_append_new(list, json_integer(x)) == 0;
}

/* dims numbers lo, dims hi, dims grid and the count, part after part. */
static json_t *parts(const jali_coreset *c)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < c->n; i++) {
        const jali_coreset_part *p = &c->part[i];
        for (unsigned a = 0; a < c->dims; a++) good = good && add(list, p->lo[a]);
        for (unsigned a = 0; a < c->dims; a++) good = good && add(list, p->hi[a]);
        for (unsigned a = 0; a < c->dims; a++) good = good && add(list, p->grid[a]);
        good = good && add(list, p->count);
    }
    if (good) return list;
    json_decref(list);
    return NULL;
}

static json_t *cells(const jali_coreset *c)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < c->n_cells; i++) good = add(list, c->cell[i]);
    if (good) return list;
    json_decref(list);
    return NULL;
}

static json_t *directions(const jali_project *p)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < JALI_PROJECT_DIMS * p->n; i++)
        good = add(list, p->direction[i]);
    if (good)
        return json_pack("{s:o,s:o}", "directions", list, "middle", reals(p->middle, p->n));
    json_decref(list);
    return NULL;
}

static json_t *names(const jali_contrast_ask *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n; i++)
        if (json_array_append_new(list, json_string(a->column[i])) != 0) return NULL;
    return list;
}

jali_status jali_contrast_write(const jali_contrast_release *r, jali_arena *arena, char **body,
                                jali_err *err)
{
    const jali_coreset *c = &r->coreset;
    double scale[] = { c->total_scale, c->part_scale, c->cell_scale },
           measure[] = { r->unit, r->row, r->ground.length };
    json_t *o =
        json_pack("{s:s,s:o,s:s?,s:I,s:s,s:b,s:I,s:I,s:s}", "kind", "contrast", "columns",
                  names(&r->ask), "weight", r->ask.weight, "centres",
                  (json_int_t)r->ask.centres, "objective", r->ask.squared ? "means" : "median",
                  "tight", r->ask.tight, "cap", (json_int_t)r->ask.cap, "rows_per_person",
                  (json_int_t)r->rows, "law", c->law == JALI_LAW_GAUSS ? "gauss" : "laplace");
    json_t *more =
        json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "total", (json_int_t)c->total,
                  "scales", reals(scale, 3), "measure", reals(measure, 3), "origin",
                  reals(r->ground.origin, c->dims), "step", reals(r->ground.step, c->dims),
                  "parts", parts(c), "cells", cells(c), "base", spots(r->base, r->ask.centres),
                  "places", reals(r->centre, r->ask.centres * r->ask.n));
    bool good = o != NULL && more != NULL && json_object_update(o, more) == 0;
    if (good && r->project.n > 0)
        good = json_object_set_new(o, "projection", directions(&r->project)) == 0;
    jali_status status =
        good ? jali_json_canonical(o, arena, body, err) : jali_fail_memory(err);
    json_decref(o);
    json_decref(more);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* The n numbers of a list; false if it is not one of that length. */
static bool read_reals(const json_t *o, const char *key, size_t n, double *out)
{
    const json_t *list = json_object_get(o, key);
    if (json_array_size(list) != n) return false;
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL) return false;
        out[i] = strtod(text, NULL);
    }
    return true;
}

static double *take_reals(const json_t *o, const char *key, size_t n, jali_arena *arena)
{
    double *x = jali_arena_take(arena, n + 1, sizeof *x);
    return x != NULL && read_reals(o, key, n, x) ? x : NULL;
}

static int64_t number(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

static bool read_parts(jali_coreset *c, const json_t *list, jali_arena *arena)
{
    size_t each = 3 * c->dims + 1, cells = 0;
    c->n = json_array_size(list) / each;
    c->part = jali_arena_take(arena, c->n + 1, sizeof *c->part);
    if (c->part == NULL || c->n == 0 || json_array_size(list) != c->n * each) return false;
    for (size_t i = 0; i < c->n; i++) {
        jali_coreset_part *p = &c->part[i];
        size_t at = i * each, here = 1;
        for (unsigned a = 0; a < JALI_CORESET_DIMS; a++) {
            bool used = a < c->dims;
            p->lo[a] = used ? (uint32_t)number(list, at + a) : 0;
            p->hi[a] = used ? (uint32_t)number(list, at + c->dims + a) : 1;
            p->grid[a] = used ? (uint32_t)number(list, at + 2 * c->dims + a) : 1;
            if (p->lo[a] >= p->hi[a] || p->grid[a] == 0 || p->grid[a] > p->hi[a] - p->lo[a])
                return false;
            here *= p->grid[a];
        }
        p->count = number(list, at + each - 1);
        p->first = cells;
        cells += here;
    }
    c->n_cells = cells;
    return true;
}

static bool read_cells(jali_coreset *c, const json_t *list, jali_arena *arena)
{
    if (json_array_size(list) != c->n_cells) return false;
    c->cell = jali_arena_take(arena, c->n_cells, sizeof *c->cell);
    if (c->cell == NULL) return false;
    for (size_t i = 0; i < c->n_cells; i++) c->cell[i] = number(list, i);
    return true;
}

static bool read_coreset(jali_contrast_release *r, const json_t *o, jali_arena *arena)
{
    jali_coreset *c = &r->coreset;
    const char *law = json_string_value(json_object_get(o, "law"));
    double scale[3], measure[3];
    c->dims = (unsigned)json_array_size(json_object_get(o, "origin"));
    if (law == NULL || c->dims < 1 || c->dims > JALI_CORESET_DIMS) return false;
    c->law = strcmp(law, "gauss") == 0 ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    c->total = json_integer_value(json_object_get(o, "total"));
    r->ground.dims = c->dims;
    if (!read_reals(o, "scales", 3, scale) || !read_reals(o, "measure", 3, measure) ||
        !read_reals(o, "origin", c->dims, r->ground.origin) ||
        !read_reals(o, "step", c->dims, r->ground.step))
        return false;
    c->total_scale = scale[0];
    c->part_scale = scale[1];
    c->cell_scale = scale[2];
    r->unit = measure[0];
    r->row = measure[1];
    r->ground.length = measure[2];
    return r->ground.length > 0 && c->part_scale > 0 && c->cell_scale > 0 &&
           read_parts(c, json_object_get(o, "parts"), arena) &&
           read_cells(c, json_object_get(o, "cells"), arena);
}

static bool read_ask(jali_contrast_release *r, const json_t *o, jali_arena *arena)
{
    jali_contrast_ask *a = &r->ask;
    const json_t *columns = json_object_get(o, "columns");
    const char *objective = json_string_value(json_object_get(o, "objective"));
    const char *weight = json_string_value(json_object_get(o, "weight"));
    a->n = json_array_size(columns);
    a->centres = (size_t)json_integer_value(json_object_get(o, "centres"));
    a->tight = json_is_true(json_object_get(o, "tight"));
    a->cap = (uint32_t)json_integer_value(json_object_get(o, "cap"));
    r->rows = (uint32_t)json_integer_value(json_object_get(o, "rows_per_person"));
    if (a->n < 1 || a->n > JALI_CONTRAST_COLUMNS || a->centres < 1 ||
        a->centres > JALI_CENTRES_MOST || objective == NULL || r->rows == 0)
        return false;
    a->squared = strcmp(objective, "means") == 0;
    a->weight = weight == NULL ? NULL : jali_arena_text(arena, weight);
    const char **column = jali_arena_take(arena, a->n, sizeof *column);
    if (column == NULL) return false;
    for (size_t i = 0; i < a->n; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        column[i] = name == NULL ? NULL : jali_arena_text(arena, name);
        if (column[i] == NULL) return false;
    }
    a->column = column;
    return true;
}

static bool read_projection(jali_contrast_release *r, const json_t *o, jali_arena *arena)
{
    const json_t *list = json_object_get(o, "directions");
    size_t n = JALI_PROJECT_DIMS * r->ask.n;
    int16_t *direction = jali_arena_take(arena, n, sizeof *direction);
    if (direction == NULL || json_array_size(list) != n || r->coreset.dims != JALI_PROJECT_DIMS)
        return false;
    for (size_t i = 0; i < n; i++) direction[i] = (int16_t)number(list, i);
    r->project = (jali_project){ .n = r->ask.n, .direction = direction };
    r->project.middle = take_reals(o, "middle", r->ask.n, arena);
    r->project.stretch = jali_project_stretch(r->ask.n);
    return r->project.middle != NULL;
}

static bool read_spots(jali_contrast_release *r, const json_t *o, jali_arena *arena)
{
    double *x = take_reals(o, "base", r->ask.centres * JALI_SPACE, arena);
    r->base = jali_arena_take(arena, r->ask.centres, sizeof *r->base);
    r->centre = take_reals(o, "places", r->ask.centres * r->ask.n, arena);
    if (x == NULL || r->base == NULL || r->centre == NULL) return false;
    for (size_t i = 0; i < r->ask.centres * JALI_SPACE; i++)
        r->base[i / JALI_SPACE].at[i % JALI_SPACE] = (float)x[i];
    return true;
}

jali_status jali_contrast_read(jali_contrast_release *out, const char *body, size_t n,
                               jali_arena *arena, jali_err *err)
{
    json_t *o;
    jali_contrast_release r = { 0 };
    JALI_TRY(jali_json_parse(&o, body, n, "the release", err));
    const json_t *projection = json_object_get(o, "projection");
    bool good = read_ask(&r, o, arena) && read_coreset(&r, o, arena) &&
                (projection != NULL ? read_projection(&r, projection, arena)
                                    : r.ask.n == r.coreset.dims) &&
                read_spots(&r, o, arena);
    json_decref(o);
    if (!good)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                         "the stored release is not a plan of centres as this jali writes it");
    *out = r;
    return JALI_OK;
}
