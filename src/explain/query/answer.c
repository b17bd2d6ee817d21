/* explain/query/answer.c — COUNT, SUM and AVG with their intervals, read off a release.
 *
 * No claim: post-processing of a release.
 *
 * AVG is mid + S/N, S the centred sum and N the count, both noisy. With Gaussian noise its
 * interval is Fieller's set: S - r N is normal at the true r with a variance that r itself
 * fixes, so the set of r that are not refused covers as it says, however small N is; when
 * N may be 0 the set is unbounded, and we say so. Half a step of each integer is added, as
 * the noise is discrete. With Laplace noise: the box of the two intervals (union bound).
 */
#include "explain/query/answer.h"
#include "base/json.h"
#include <math.h>

static jali_status not_ours(jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                     "the stored release is not an answer to this question");
}

static jali_status read_measure(jali_answer *out, size_t i, const json_t *m, jali_arena *arena,
                                jali_err *err)
{
    const json_t *cells = json_object_get(m, "cells");
    const char *scale = json_string_value(json_object_get(m, "scale"));
    if (json_array_size(cells) != out->n || scale == NULL) return not_ours(err);
    int64_t *cell = jali_arena_take(arena, out->n, sizeof *cell);
    if (cell == NULL) return jali_fail_memory(err);
    for (size_t g = 0; g < out->n; g++) {
        const json_t *value = json_array_get(cells, g);
        if (!json_is_integer(value)) return not_ours(err);
        cell[g] = json_integer_value(value);
    }
    out->cell[i] = cell;
    out->scale[i] = strtod(scale, NULL);
    return out->scale[i] > 0 ? JALI_OK : not_ours(err);
}

jali_status jali_answer_read(jali_answer *out, const jali_ask *ask, const char *body, size_t n,
                             jali_arena *arena, jali_err *err)
{
    json_t *value;
    *out = (jali_answer){ .ask = ask, .n = ask->cells };
    JALI_TRY(jali_json_parse(&value, body, n, "the release", err));
    const json_t *measures = json_object_get(value, "measures");
    jali_status status = json_array_size(measures) == ask->n_measures ? JALI_OK : not_ours(err);
    for (size_t i = 0; status == JALI_OK && i < ask->n_measures; i++)
        status = read_measure(out, i, json_array_get(measures, i), arena, err);
    json_decref(value);
    return status;
}

size_t jali_answer_group(const jali_ask *ask, const uint64_t *part)
{
    uint64_t at = 0;
    for (size_t i = 0; i < ask->query.n_groups; i++) {
        size_t j = 0;
        while (ask->query.group[j] != ask->axis[i]) j++;
        at = at * jali_query_parts(&ask->schema->fields[ask->axis[i]]) + part[j];
    }
    return at;
}

/* ---- estimates ---------------------------------------------------------------------- */

static size_t find(const jali_ask *ask, jali_measure_kind kind, size_t field)
{
    size_t i = 0;
    while (i < ask->n_measures &&
           !(ask->measure[i].kind == kind && ask->measure[i].field == field))
        i++;
    return i;
}

static size_t find_count(const jali_ask *ask, const jali_aggregate *a)
{
    size_t i =
        a->kind == JALI_COUNT_ROWS ? ask->n_measures : find(ask, JALI_MEASURE_VALUES, a->field);
    return i < ask->n_measures ? i : find(ask, JALI_MEASURE_ROWS, 0);
}

static double reach_of(const jali_answer *x, size_t i, double miss)
{
    return (double)jali_law_halfwidth(x->ask->law, x->scale[i], miss);
}

static double step_of(const jali_field *f)
{
    return f->kind == JALI_NUMBER ? (double)f->step.units * pow(10, -(double)f->step.digits)
                                  : 1;
}

static uint64_t top_of(const jali_field *f)
{
    return f->domain - 2;
}

/* The middle that sums were centred on, in steps of the value itself. */
static double middle_of(const jali_field *f, const jali_measure *m)
{
    return (double)m->centre + (f->kind == JALI_NUMBER ? (double)f->low : 0);
}

static jali_estimate count_at(const jali_answer *x, size_t i, size_t g, double miss)
{
    double value = (double)x->cell[i][g], half = reach_of(x, i, miss);
    return (jali_estimate){ value, value - half, value + half, true };
}

static double sum_half(const jali_answer *x, size_t n, size_t s, double miss)
{
    const jali_measure *m = &x->ask->measure[s];
    const jali_field *f = &x->ask->schema->fields[m->field];
    double middle = middle_of(f, m), half;
    if (x->ask->law == JALI_LAW_GAUSS)
        half = jali_normal_halfwidth(miss) * hypot(middle * x->scale[n], x->scale[s]) +
               (fabs(middle) + 1) / 2;
    else
        half = fabs(middle) * reach_of(x, n, miss / 2) + reach_of(x, s, miss / 2);
    return step_of(f) * half;
}

static jali_estimate sum_at(const jali_answer *x, size_t n, size_t s, size_t g, double miss)
{
    const jali_measure *m = &x->ask->measure[s];
    const jali_field *f = &x->ask->schema->fields[m->field];
    double value =
        step_of(f) * (middle_of(f, m) * (double)x->cell[n][g] + (double)x->cell[s][g]);
    double half = sum_half(x, n, s, miss);
    return (jali_estimate){ value, value - half, value + half, true };
}

/* {r : |S - r N| <= z sqrt(ss^2 + r^2 sn^2) + (1 + |r|)/2}, by the roots of the worse square.
 */
static bool fieller(double s, double n, double ss, double sn, double z, double *low,
                    double *high)
{
    ss += 0.5 / z;
    sn += 0.5 / z;
    double a = n * n - z * z * sn * sn, b = s * n, c = s * s - z * z * ss * ss;
    double under = b * b - a * c;
    if (a <= 0 || under < 0) return false;
    *low = (b - sqrt(under)) / a;
    *high = (b + sqrt(under)) / a;
    return true;
}

static bool box(double s, double n, double ds, double dn, double *low, double *high)
{
    if (n - dn <= 0) return false;
    *low = fmin((s - ds) / (n - dn), (s - ds) / (n + dn));
    *high = fmax((s + ds) / (n - dn), (s + ds) / (n + dn));
    return true;
}

static double inside(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static jali_estimate average_at(const jali_answer *x, size_t n, size_t s, size_t g, double miss)
{
    const jali_measure *m = &x->ask->measure[s];
    const jali_field *f = &x->ask->schema->fields[m->field];
    double middle = middle_of(f, m), step = step_of(f), low, high;
    double count = (double)x->cell[n][g], sum = (double)x->cell[s][g];
    double bottom = middle - (double)m->centre, top = bottom + (double)top_of(f);
    bool known =
        x->ask->law == JALI_LAW_GAUSS
            ? fieller(sum, count, x->scale[s], x->scale[n], jali_normal_halfwidth(miss), &low,
                      &high)
            : box(sum, count, reach_of(x, s, miss / 2), reach_of(x, n, miss / 2), &low, &high);
    double value = known || count > 0 ? middle + sum / count : middle;
    jali_estimate e = { inside(value, bottom, top), bottom, top, known };
    if (known) {
        e.low = inside(middle + low, bottom, top);
        e.high = inside(middle + high, bottom, top);
    }
    e.value *= step;
    e.low *= step;
    e.high *= step;
    return e;
}

jali_raw jali_answer_raw(const jali_answer *answer, size_t a, size_t g)
{
    const jali_aggregate *what = &answer->ask->query.aggregate[a];
    size_t n = find_count(answer->ask, what);
    jali_raw raw = { .count = (double)answer->cell[n][g], .step = 1 };
    raw.count_scale = answer->scale[n];
    if (what->kind == JALI_COUNT_ROWS || what->kind == JALI_COUNT_VALUES) return raw;
    size_t s = find(answer->ask, JALI_MEASURE_SUM, what->field);
    const jali_measure *m = &answer->ask->measure[s];
    const jali_field *f = &answer->ask->schema->fields[m->field];
    raw.has_sum = true;
    raw.centred = (double)answer->cell[s][g];
    raw.centred_scale = answer->scale[s];
    raw.middle = middle_of(f, m);
    raw.step = step_of(f);
    raw.bottom = raw.middle - (double)m->centre;
    raw.top = raw.bottom + (double)top_of(f);
    return raw;
}

jali_estimate jali_answer_at(const jali_answer *answer, size_t a, size_t g, double miss)
{
    const jali_aggregate *what = &answer->ask->query.aggregate[a];
    size_t n = find_count(answer->ask, what);
    if (what->kind == JALI_COUNT_ROWS || what->kind == JALI_COUNT_VALUES)
        return count_at(answer, n, g, miss);
    size_t s = find(answer->ask, JALI_MEASURE_SUM, what->field);
    return what->kind == JALI_SUM ? sum_at(answer, n, s, g, miss)
                                  : average_at(answer, n, s, g, miss);
}

bool jali_answer_promise(const jali_ask *ask, size_t a, double miss, double *half)
{
    const jali_aggregate *what = &ask->query.aggregate[a];
    jali_answer x = { .ask = ask };
    if (what->kind == JALI_AVG) return false;
    for (size_t i = 0; i < ask->n_measures; i++)
        if (jali_noiser_scale(ask->noiser, &ask->measure[i].reach, &x.scale[i], NULL) !=
            JALI_OK)
            return false;
    size_t n = find_count(ask, what);
    *half = what->kind == JALI_SUM
                ? sum_half(&x, n, find(ask, JALI_MEASURE_SUM, what->field), miss)
                : reach_of(&x, n, miss);
    return true;
}
