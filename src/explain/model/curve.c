/* explain/model/curve.c — released sums read as a curve or as importances.
 *
 * No claim: everything here is a function of a release and of public facts, hence free.
 */
#include "explain/model/curve.h"
#include "model/plain.h"
#include "tally/probe.h"
#include <stdlib.h>

typedef struct noisy {
    size_t n;
    const double *cell;
    double scale, half; /* noise; half-width that covers it */
} noisy;

static jali_status bad(jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                     "the stored release is not what this jali can read");
}

static double number(const json_t *body, const char *key)
{
    const char *text = json_string_value(json_object_get(body, key));
    return text == NULL ? (double)NAN : strtod(text, NULL);
}

static double variance(jali_law law, double scale)
{
    return (law == JALI_LAW_LAPLACE ? 2 : 1) * scale * scale;
}

static jali_status read_noisy(const json_t *body, const char *key, jali_law law, double miss,
                              jali_arena *arena, noisy *out, jali_err *err)
{
    const json_t *object = json_object_get(body, key);
    const json_t *cells = json_object_get(object, "cells");
    size_t n = json_array_size(cells);
    *out = (noisy){ 0 };
    if (object == NULL) return JALI_OK;
    double *cell = jali_arena_take(arena, n + 1, sizeof *cell);
    if (cell == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        cell[i] = (double)json_integer_value(json_array_get(cells, i));
    double scale = number(object, "scale");
    if (n == 0 || !(scale > 0)) return bad(err);
    bool cube = json_object_get(object, "law") != NULL;
    *out = (noisy){ n, cell, scale,
                    (double)(cube ? jali_cube_halfwidth(scale, n, miss)
                                  : jali_law_halfwidth(law, scale, miss)) };
    return JALI_OK;
}

/* ---- the strip below ------------------------------------------------------------------- */

static jali_status read_strip(jali_likeness *l, const json_t *body, const jali_field *f,
                              const noisy *h, jali_arena *arena, jali_err *err)
{
    uint32_t step = (uint32_t)json_integer_value(json_object_get(body, "step"));
    bool ale = strcmp(l->what, "ale") == 0;
    if (h->n < 2 || (ale && h->n != l->n) || (!ale && step == 0)) return bad(err);
    size_t n = h->n - 1;
    uint32_t *from = jali_arena_take(arena, n, sizeof *from);
    uint32_t *to = jali_arena_take(arena, n, sizeof *to);
    jali_estimate_m *count = jali_arena_take(arena, n, sizeof *count);
    if (from == NULL || to == NULL || count == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i <= n; i++) {
        double c = h->cell[i] > 0 ? h->cell[i] : 0;
        double low = h->cell[i] - h->half > 0 ? h->cell[i] - h->half : 0;
        double high = h->cell[i] + h->half > 0 ? h->cell[i] + h->half : 0;
        if (i == n)
            l->nulls = (jali_estimate_m){ c, low, high };
        else
            count[i] = (jali_estimate_m){ c, low, high };
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t top = (uint32_t)(f->domain - 2);
        from[i] = ale ? l->code[i] + (i > 0) : (uint32_t)i * step;
        to[i] = ale ? l->code[i + 1] : (uint32_t)i * step + step - 1;
        if (to[i] > top) to[i] = top;
    }
    l->bins = n;
    l->from = from;
    l->to = to;
    l->count = count;
    return JALI_OK;
}

/* ---- curves ------------------------------------------------------------------------------ */

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A mean is middle + unit * sum / n. Both errors are bounded, so the interval is a rectangle's
 * extremes: it covers with probability at least 1 - miss. */
static jali_estimate_m mean(double sum, double half, const jali_estimate_m *n, double middle,
                            double unit)
{
    double least = n->low > 1 ? n->low : 1, most = n->high > 1 ? n->high : 1;
    double low = sum - half, high = sum + half, c = n->value > 1 ? n->value : 1;
    return (jali_estimate_m){ middle + unit * sum / c,
                              middle + unit * low / (low < 0 ? least : most),
                              middle + unit * high / (high < 0 ? most : least) };
}

static void read_pdp(const jali_likeness *l, const noisy *s, double lo, double hi,
                     jali_estimate_m *at)
{
    double unit = (hi - lo) / (2 * JALI_PROBE_HALF), middle = (lo + hi) / 2;
    for (size_t i = 0; i < s->n; i++) {
        jali_estimate_m e = mean(s->cell[i], s->half, &l->n_rows, middle, unit);
        at[i] = (jali_estimate_m){ within(e.value, lo, hi), within(e.low, lo, hi),
                                   within(e.high, lo, hi) };
    }
}

static void read_plot(const jali_likeness *l, const noisy *s, double low, double high,
                      jali_estimate_m *at)
{
    double unit = (high - low) / (2 * JALI_PROBE_HALF) / (double)l->blocks;
    double middle = (low + high) / 2;
    for (size_t i = 0; i < s->n; i++)
        at[i] = (jali_estimate_m){ within(middle + unit * s->cell[i], low, high),
                                   within(middle + unit * (s->cell[i] - s->half), low, high),
                                   within(middle + unit * (s->cell[i] + s->half), low, high) };
}

/* Effects are ratios of noisy numbers; a count far below an even share would blow one up. */
static double divisor(const noisy *counts, size_t i)
{
    double all = 0, n = (double)(counts->n - 1);
    for (size_t k = 0; k + 1 < counts->n; k++) all += counts->cell[k] > 0 ? counts->cell[k] : 0;
    double least = all / (5 * n);
    if (least < 1) least = 1;
    return counts->cell[i] > least ? counts->cell[i] : least;
}

static jali_status read_ale(const jali_likeness *l, const noisy *s, const noisy *h, double lo,
                            double hi, double miss, jali_estimate_m *at, jali_arena *arena,
                            jali_err *err)
{
    double unit = (hi - lo) / (2 * JALI_PROBE_HALF), all = 0;
    size_t n = l->n;
    double *effect = jali_arena_take(arena, 4 * n, sizeof *effect), *count = effect + n;
    double *var = effect + 2 * n, *y = effect + 3 * n;
    if (effect == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i + 1 < n; i++) {
        count[i] = divisor(h, i);
        effect[i] = within(unit * s->cell[i] / count[i], lo - hi, hi - lo);
        var[i] = (unit * unit * variance(l->law, s->scale) +
                  effect[i] * effect[i] * variance(l->law, h->scale)) /
                 (count[i] * count[i]);
        all += count[i];
    }
    jali_accumulate(effect, count, n, y);
    double z = jali_normal_halfwidth(miss), before = 0;
    for (size_t i = 0; i < n; i++) at[i] = (jali_estimate_m){ y[i], 0, 0 };
    for (size_t k = 0; k + 1 < n;
         k++) { /* what interval k adds to the mean that is taken off */
        double share = 1 - (before + count[k] / 2) / all;
        for (size_t i = 0; i < n; i++) {
            double by = (i > k ? 1 : 0) - share;
            at[i].high += by * by * var[k];
        }
        before += count[k];
    }
    for (size_t i = 0; i < n; i++) {
        double half = z * sqrt(at[i].high);
        at[i].low = at[i].value - half;
        at[i].high = at[i].value + half;
    }
    return JALI_OK;
}

static jali_status read_points(jali_likeness *l, const json_t *body, jali_arena *arena,
                               jali_err *err)
{
    const json_t *points = json_object_get(body, "points");
    l->n = json_array_size(points);
    uint32_t *code = jali_arena_take(arena, l->n + 1, sizeof *code);
    if (code == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < l->n; i++)
        code[i] = (uint32_t)json_integer_value(json_array_get(points, i));
    l->code = code;
    return l->n < 2 ? bad(err) : JALI_OK;
}

static jali_status read_curve(jali_likeness *l, const json_t *body, const jali_schema *schema,
                              const noisy *s, double miss, jali_arena *arena, jali_err *err)
{
    size_t field;
    noisy h;
    double lo = strtod(l->lo, NULL), hi = strtod(l->hi, NULL);
    bool ale = strcmp(l->what, "ale") == 0;
    JALI_TRY(read_points(l, body, arena, err));
    if (l->feature == NULL || s->n != l->n - ale) return bad(err);
    JALI_TRY(jali_schema_find(schema, l->feature, &field, err));
    JALI_TRY(read_noisy(body, "histogram", l->law, miss, arena, &h, err));
    JALI_TRY(read_strip(l, body, &schema->fields[field], &h, arena, err));
    jali_estimate_m *at = jali_arena_take(arena, l->n, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    l->at = at;
    l->approximate = ale;
    if (ale) return read_ale(l, s, &h, lo, hi, miss, at, arena, err);
    if (strcmp(l->what, "pdp") == 0)
        read_pdp(l, s, lo, hi, at);
    else
        read_plot(l, s, number(body, "low"), number(body, "high"), at);
    return JALI_OK;
}

/* ---- importances ------------------------------------------------------------------------- */

typedef struct scored {
    const char *name;
    double score;
    size_t order;
    jali_estimate_m at;
} scored;

static int best_first(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static jali_estimate_m importance(const jali_likeness *l, const noisy *s, size_t i)
{
    double lo = strtod(l->lo, NULL), hi = strtod(l->hi, NULL);
    double unit = (hi - lo) * (l->absolute ? 1 : hi - lo) / (2 * JALI_PROBE_HALF);
    return mean(s->cell[i], s->half, &l->n_rows, 0, unit);
}

static jali_estimate_m place(const jali_likeness *l, const noisy *s, size_t i)
{
    double n = (double)s->n, b = (double)l->blocks * JALI_PROBE_VOTE;
    return (jali_estimate_m){ within(n + 1 - s->cell[i] / b, 1, n),
                              within(n + 1 - (s->cell[i] + s->half) / b, 1, n),
                              within(n + 1 - (s->cell[i] - s->half) / b, 1, n) };
}

static jali_status read_bars(jali_likeness *l, const json_t *body, const noisy *s,
                             jali_arena *arena, jali_err *err)
{
    const json_t *columns = json_object_get(body, "columns");
    bool pfi = strcmp(l->what, "pfi") == 0;
    l->n = json_array_size(columns);
    if (l->n == 0 || s->n != l->n) return bad(err);
    scored *list = jali_arena_take(arena, l->n, sizeof *list);
    const char **name = jali_arena_take(arena, l->n, sizeof *name);
    jali_estimate_m *at = jali_arena_take(arena, l->n, sizeof *at);
    if (list == NULL || name == NULL || at == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < l->n; i++)
        list[i] = (scored){ json_string_value(json_array_get(columns, i)), s->cell[i], i,
                            pfi ? importance(l, s, i) : place(l, s, i) };
    qsort(list, l->n, sizeof *list, best_first);
    for (size_t i = 0; i < l->n; i++) {
        name[i] = jali_arena_text(arena, list[i].name == NULL ? "" : list[i].name);
        if (name[i] == NULL) return jali_fail_memory(err);
        at[i] = list[i].at;
    }
    l->column = name;
    l->at = at;
    return JALI_OK;
}

/* ---- the whole -------------------------------------------------------------------------- */

static const char *copy(const json_t *body, const char *key, jali_arena *arena)
{
    const char *text = json_string_value(json_object_get(body, key));
    return text == NULL ? NULL : jali_arena_text(arena, text);
}

static jali_status read_words(jali_likeness *l, const json_t *body, jali_arena *arena,
                              jali_err *err)
{
    l->what = copy(body, "what", arena);
    l->of = copy(body, "of", arena);
    l->feature = copy(body, "feature", arena);
    l->label = copy(body, "label", arena);
    l->model_kind = copy(body, "model_kind", arena);
    l->model_print = copy(body, "model_print", arena);
    l->lo = copy(body, "lo", arena);
    l->hi = copy(body, "hi", arena);
    const char *law = copy(body, "law", arena);
    if (l->what == NULL || l->lo == NULL || l->hi == NULL || law == NULL ||
        l->model_kind == NULL || l->model_print == NULL)
        return bad(err);
    l->law = strcmp(law, "gauss") == 0 ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    l->private_model = json_is_true(json_object_get(body, "private_model"));
    l->quantiles = json_is_true(json_object_get(body, "quantiles"));
    l->absolute = json_object_get(body, "loss") != NULL;
    l->rows = (uint64_t)json_integer_value(json_object_get(body, "rows"));
    l->blocks = (uint64_t)json_integer_value(json_object_get(body, "blocks"));
    l->curve = json_object_get(body, "points") != NULL;
    l->most = (unsigned)json_integer_value(json_object_get(body, "most"));
    return l->blocks == 0 ? bad(err) : JALI_OK;
}

jali_status jali_likeness_read(jali_likeness *out, const json_t *body,
                               const jali_schema *schema, double miss, jali_arena *arena,
                               jali_err *err)
{
    jali_likeness l = { .n_rows = { NAN, NAN, NAN } };
    noisy sums, count;
    JALI_TRY(read_words(&l, body, arena, err));
    /* A mean has two errors: each gets its part of `miss`. */
    bool is_mean = strcmp(l.what, "pfi") == 0 || strcmp(l.what, "pdp") == 0;
    double part = is_mean ? miss / 2 : miss;
    JALI_TRY(read_noisy(body, "sums", l.law, part, arena, &sums, err));
    JALI_TRY(read_noisy(body, "count", l.law, part, arena, &count, err));
    if (sums.n == 0) return bad(err);
    l.cube = json_object_get(json_object_get(body, "sums"), "law") != NULL;
    double n = l.rows > 0 ? (double)l.rows : count.n > 0 ? count.cell[0] : (double)NAN;
    l.n_rows = (jali_estimate_m){ n, n - (l.rows > 0 ? 0 : count.half),
                                  n + (l.rows > 0 ? 0 : count.half) };
    JALI_TRY(l.curve ? read_curve(&l, body, schema, &sums, miss, arena, err)
                     : read_bars(&l, body, &sums, arena, err));
    *out = l;
    return JALI_OK;
}
