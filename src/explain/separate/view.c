/* explain/separate/view.c — a released profile read again and made consistent.
 *
 * No claim: only released numbers come in, so that everything here is post-processing.
 */
#include "explain/separate/view.h"
#include "base/json.h"
#include <math.h>

static jali_status unreadable(jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "a stored profile cannot be read; jali verify tells where the ledger was "
                     "changed");
}

static double spread_of(jali_law law, double scale)
{
    return law == JALI_LAW_GAUSS ? scale : sqrt(2) * scale;
}

/* ---- reading ---------------------------------------------------------------------------- */

static uint32_t number(const json_t *o, const char *key, size_t i)
{
    const json_t *x = json_object_get(o, key);
    if (json_is_array(x)) x = json_array_get(x, i);
    json_int_t n = json_integer_value(x);
    return n < 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

static double decimal(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text == NULL ? 0 : strtod(text, NULL);
}

static bool is_word(const json_t *o, const char *key, const char *word)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text != NULL && strcmp(text, word) == 0;
}

static void read_header(jali_view *v, const json_t *o)
{
    v->clusters = number(o, "clusters", 0);
    v->each = number(o, "each", 0);
    v->block = number(o, "block", 0);
    v->kappa_num = number(o, "kappa", 0);
    v->kappa_den = number(o, "kappa", 1);
    for (size_t i = 0; i < 3; i++) v->weight[i] = number(o, "weights", i);
    v->paper = is_word(o, "method", "paper");
    v->law = is_word(o, "law", "gauss") ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    v->scale_in = decimal(o, "scale_in");
    v->scale_beside = decimal(o, "scale_beside");
}

/* The column of a histogram and its cells; *cells is NULL where nobody is beside. */
static bool read_cells(const jali_schema *schema, const json_t *o, jali_shown *shown,
                       double **cells, jali_arena *arena)
{
    const char *name = json_string_value(json_object_get(o, "column"));
    const json_t *list = json_object_get(o, "cells");
    size_t field;
    if (name == NULL || jali_schema_find(schema, name, &field, NULL) != JALI_OK ||
        !jali_shown_of(schema, field, shown))
        return false;
    *cells = NULL;
    if (json_is_null(list)) return true;
    if (json_array_size(list) != shown->values) return false;
    *cells = jali_arena_take(arena, shown->values, sizeof **cells);
    for (size_t i = 0; *cells != NULL && i < shown->values; i++)
        (*cells)[i] = (double)json_integer_value(json_array_get(list, i));
    return *cells != NULL;
}

/* What is beside the clusters that an attribute explains. */
typedef struct beside {
    size_t n;
    jali_shown *shown;
    double **cells;
} beside;

static bool read_beside(const jali_schema *schema, const json_t *list, beside *out,
                        jali_arena *arena)
{
    out->n = json_array_size(list);
    out->shown = jali_arena_take(arena, out->n + 1, sizeof *out->shown);
    out->cells = jali_arena_take(arena, out->n + 1, sizeof *out->cells);
    bool good = out->shown != NULL && out->cells != NULL;
    for (size_t i = 0; good && i < out->n; i++)
        good =
            read_cells(schema, json_array_get(list, i), &out->shown[i], &out->cells[i], arena);
    return good;
}

static bool read_inside(jali_view *v, const json_t *list, jali_arena *arena)
{
    size_t n = (size_t)v->clusters * v->each;
    if (n == 0 || json_array_size(list) != n) return false;
    v->pair = jali_arena_take(arena, n, sizeof *v->pair);
    bool good = v->pair != NULL;
    for (size_t i = 0; good && i < n; i++) {
        jali_view_pair *p = &v->pair[i];
        const json_t *o = json_array_get(list, i);
        *p = (jali_view_pair){ .cluster = (uint32_t)(i / v->each) };
        good =
            read_cells(v->schema, o, &p->shown, &p->inside_raw, arena) && p->inside_raw != NULL;
        if (!good) break;
        p->inside = jali_arena_take(arena, p->shown.values, sizeof *p->inside);
        p->elsewhere_raw = jali_arena_take(arena, p->shown.values, sizeof *p->elsewhere_raw);
        p->elsewhere = jali_arena_take(arena, p->shown.values, sizeof *p->elsewhere);
        good = p->inside != NULL && p->elsewhere_raw != NULL && p->elsewhere != NULL;
    }
    return good;
}

/* ---- consistency --------------------------------------------------------------------------
 */

static double sum(const double *x, uint32_t n)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++) s += x[i];
    return s;
}

/* Half an interval of a sum of noises. Far out, no sum of them has heavier tails than one
 * alone; further in, one Laplace is more peaked than its sums, which a normal bounds. */
static double half_of(const jali_view *v, double spread)
{
    double scale = 1000, one = (double)jali_law_halfwidth(v->law, scale, v->miss);
    double normal = (double)jali_law_halfwidth(JALI_LAW_GAUSS, scale, v->miss) / scale;
    return fmax(one / spread_of(v->law, scale), normal) * spread;
}

static jali_about about(double value, double half)
{
    return (jali_about){ value, half, fmax(value - half, 0), fmax(value + half, 0) };
}

/* Not negative, and with the total as it was (or 0): what was cut off is taken from the rest
 * in equal parts, as often as it takes. */
static void make_whole(double *x, uint32_t n, double total)
{
    double want = total > 0 ? total : 0;
    for (int round = 0; round < 64; round++) {
        uint32_t positive = 0;
        double have = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (x[i] <= 0) x[i] = 0;
            positive += x[i] > 0;
            have += x[i];
        }
        if (positive == 0 || fabs(have - want) <= 1e-9 * (1 + want)) return;
        for (uint32_t i = 0; i < n; i++)
            if (x[i] > 0) x[i] += (want - have) / positive;
    }
}

static bool same_column(const jali_shown *a, const jali_shown *b)
{
    return a->field == b->field;
}

/* The best total of a cluster: the mean of its histograms', by their precision. */
static jali_about cluster_total(const jali_view *v, uint32_t c, double *variance)
{
    double weight = 0, mean = 0, s = spread_of(v->law, v->scale_in);
    for (uint32_t i = 0; i < v->each; i++) {
        const jali_view_pair *p = &v->pair[(size_t)c * v->each + i];
        double w = 1 / (p->shown.values * s * s);
        weight += w;
        mean += w * sum(p->inside_raw, p->shown.values);
    }
    *variance = 1 / weight;
    return about(mean / weight, half_of(v, sqrt(1 / weight)));
}

static bool explained_by(const jali_view *v, uint32_t c, const jali_shown *shown)
{
    for (uint32_t i = 0; i < v->each; i++)
        if (same_column(&v->pair[(size_t)c * v->each + i].shown, shown)) return true;
    return false;
}

/* REST: the total beside is also the sum of the clusters that are not explained here, which
 * is usually far more exact; both are weighed by their precision and the cells moved evenly.
 */
static void adjust_beside(const jali_view *v, const jali_shown *shown, double *cells)
{
    double mine = sum(cells, shown->values), s = spread_of(v->law, v->scale_beside);
    double own = shown->values * s * s, other = 0, total = 0;
    for (uint32_t c = 0; c < v->clusters; c++) {
        double variance;
        if (explained_by(v, c, shown)) continue;
        total += cluster_total(v, c, &variance).value;
        other += variance;
    }
    if (!(other > 0)) return;
    double best = (mine / own + total / other) / (1 / own + 1 / other);
    for (uint32_t i = 0; i < shown->values; i++) cells[i] += (best - mine) / shown->values;
}

/* Elsewhere = beside + the other clusters that this attribute explains; or whole - inside. */
static void add_elsewhere(const jali_view *v, jali_view_pair *p, const double *cells)
{
    double in = spread_of(v->law, v->scale_in), by = spread_of(v->law, v->scale_beside);
    double variance = cells == NULL ? 0 : by * by;
    for (uint32_t i = 0; i < p->shown.values; i++)
        p->elsewhere_raw[i] =
            (cells == NULL ? 0 : cells[i]) - (v->paper ? p->inside_raw[i] : 0);
    if (v->paper) variance += in * in;
    for (size_t k = 0; !v->paper && k < (size_t)v->clusters * v->each; k++) {
        const jali_view_pair *q = &v->pair[k];
        if (q->cluster == p->cluster || !same_column(&q->shown, &p->shown)) continue;
        for (uint32_t i = 0; i < p->shown.values; i++) p->elsewhere_raw[i] += q->inside_raw[i];
        variance += in * in;
    }
    p->spread_in = in;
    p->spread_out = sqrt(variance);
}

static void settle(const jali_view *v, jali_view_pair *p)
{
    uint32_t n = p->shown.values;
    double variance, out = sum(p->elsewhere_raw, n);
    p->inside_all = cluster_total(v, p->cluster, &variance);
    p->elsewhere_all = about(out, half_of(v, p->spread_out * sqrt(n)));
    for (uint32_t i = 0; i < n; i++) {
        p->inside[i] = p->inside_raw[i];
        p->elsewhere[i] = p->elsewhere_raw[i];
    }
    make_whole(p->inside, n, p->inside_all.value);
    make_whole(p->elsewhere, n, out);
    if (p->inside_all.value < 0) p->inside_all.value = 0;
    if (p->elsewhere_all.value < 0) p->elsewhere_all.value = 0;
    p->too_small = !(p->inside_all.value > 2 * p->inside_all.half);
}

static void reconcile(jali_view *v, beside *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!v->paper && b->cells[i] != NULL) adjust_beside(v, &b->shown[i], b->cells[i]);
    for (size_t k = 0; k < (size_t)v->clusters * v->each; k++)
        for (size_t i = 0; i < b->n; i++)
            if (same_column(&v->pair[k].shown, &b->shown[i]))
                add_elsewhere(v, &v->pair[k], b->cells[i]);
    for (size_t k = 0; k < (size_t)v->clusters * v->each; k++) settle(v, &v->pair[k]);
}

jali_status jali_view_read(jali_view *out, const jali_schema *schema, const char *body,
                           size_t n, double miss, jali_arena *arena, jali_err *err)
{
    json_t *o;
    beside b;
    JALI_TRY(jali_json_parse(&o, body, n, "the release", err));
    *out = (jali_view){ .schema = schema, .miss = miss };
    read_header(out, o);
    bool good = out->clusters > 0 && out->each > 0 && out->scale_in > 0 &&
                out->scale_beside > 0 &&
                read_inside(out, json_object_get(o, "inside"), arena) &&
                read_beside(schema, json_object_get(o, "beside"), &b, arena);
    json_decref(o);
    if (!good) return unreadable(err);
    reconcile(out, &b);
    return JALI_OK;
}

/* ---- shares ---------------------------------------------------------------------------------
 */

/* The interval is about what was released. What is made consistent is cut at 0 and takes that
 * from all other bars: where many are empty, theirs would be too low by more than the noise. */
jali_about jali_view_share(const jali_view *v, const jali_view_pair *p, bool inside,
                           uint32_t from, uint32_t to)
{
    const double *x = inside ? p->inside : p->elsewhere;
    const double *raw = inside ? p->inside_raw : p->elsewhere_raw;
    jali_about all = inside ? p->inside_all : p->elsewhere_all;
    double spread = inside ? p->spread_in : p->spread_out, part = 0, middle = 0;
    for (uint32_t i = from; i <= to; i++) {
        part += x[i];
        middle += raw[i];
    }
    if (!(all.value > all.half)) return (jali_about){ NAN, NAN, NAN, NAN };
    double share = fmin(part / all.value, 1);
    double half = (half_of(v, spread * sqrt(to - from + 1)) + share * all.half) / all.value;
    middle = fmin(fmax(middle / all.value, 0), 1); /* as the true share is */
    return (jali_about){ share, half, fmin(share, fmax(middle - half, 0)),
                         fmax(share, fmin(middle + half, 1)) };
}
