/* model/plain.c — curves: partial dependence, accumulated local effects, SHAP dependence. */
#include "model/plain.h"
#include <math.h>
#include <stdlib.h>

double jali_plain_within(const jali_plain *p, double y)
{
    if (isnan(y)) return p->lo + (p->hi - p->lo) / 2;
    return y < p->lo ? p->lo : y > p->hi ? p->hi : y;
}

double jali_label_number(const jali_label_of *label, uint32_t code)
{
    if (label->is >= 0)
        return code >= jali_field_null(label->field) ? (double)NAN : (int64_t)code == label->is;
    return jali_model_number(label->field, code);
}

static void cut(const jali_plain *p, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = jali_plain_within(p, y[i]);
}

/* A copy of the rows that may be written to. */
static uint32_t *copy_of(const jali_frame *rows, jali_arena *arena)
{
    uint32_t *code = jali_arena_take(arena, rows->rows * rows->width + 1, sizeof *code);
    if (code != NULL && rows->rows > 0)
        memcpy(code, rows->code, rows->rows * rows->width * sizeof *code);
    return code;
}

static jali_status with(const jali_plain *p, const jali_frame *rows, uint32_t *code,
                        size_t column, uint32_t value, double *y, jali_err *err)
{
    jali_frame f = { rows->rows, rows->width, code };
    for (size_t i = 0; i < rows->rows; i++) code[i * rows->width + column] = value;
    JALI_TRY(jali_model_predict(p->model, &f, y, err));
    cut(p, y, rows->rows);
    return JALI_OK;
}

static jali_status pdp(const jali_plain *p, const jali_frame *rows, size_t column,
                       const uint32_t *point, size_t n, double *out, jali_arena *arena,
                       jali_err *err)
{
    uint32_t *code = copy_of(rows, arena);
    double *y = jali_arena_take(arena, rows->rows + 1, sizeof *y);
    if (code == NULL || y == NULL) return jali_fail_memory(err);
    for (size_t r = 0; r < n; r++) {
        JALI_TRY(with(p, rows, code, column, point[r], y, err));
        out[r] = 0;
        for (size_t i = 0; i < rows->rows; i++) out[r] += y[i];
        out[r] = rows->rows == 0 ? (p->lo + p->hi) / 2 : out[r] / (double)rows->rows;
    }
    return JALI_OK;
}

jali_status jali_plain_pdp(const jali_plain *p, const jali_frame *rows, size_t column,
                           const uint32_t *point, size_t n, double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status = pdp(p, rows, column, point, n, out, &arena, err);
    jali_arena_clear(&arena);
    return status;
}

void jali_accumulate(const double *effect, const double *count, size_t n, double *out)
{
    double all = 0, mean = 0;
    out[0] = 0;
    for (size_t i = 1; i < n; i++) {
        double w = count[i - 1] > 0 ? count[i - 1] : 0;
        out[i] = out[i - 1] + effect[i - 1];
        mean += w * (out[i - 1] + out[i]) / 2;
        all += w;
    }
    mean = all > 0 ? mean / all : 0;
    for (size_t i = 0; i < n; i++) out[i] -= mean;
}

/* The interval of a code: 0 for (.., point[1]], up to n - 2; n - 1 for NULL. */
static size_t interval_of(const uint32_t *point, size_t n, uint32_t code, uint32_t null)
{
    size_t low = 0, high = n - 2;
    if (code >= null) return n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code <= point[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static jali_status ale(const jali_plain *p, const jali_frame *rows, size_t column,
                       const uint32_t *point, size_t n, uint32_t null, double *out,
                       jali_arena *arena, jali_err *err)
{
    uint32_t *code = copy_of(rows, arena);
    double *up = jali_arena_take(arena, rows->rows + 1, sizeof *up);
    double *down = jali_arena_take(arena, rows->rows + 1, sizeof *down);
    double *effect = jali_arena_take(arena, n, sizeof *effect);
    double *count = jali_arena_take(arena, n, sizeof *count);
    if (code == NULL || up == NULL || down == NULL || effect == NULL || count == NULL)
        return jali_fail_memory(err);
    jali_frame f = { rows->rows, rows->width, code };
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < rows->rows; i++) {
            size_t at = interval_of(point, n, rows->code[i * rows->width + column], null);
            code[i * rows->width + column] = at == n - 1 ? null : point[at + (size_t)side];
        }
        JALI_TRY(jali_model_predict(p->model, &f, side == 0 ? down : up, err));
        cut(p, side == 0 ? down : up, rows->rows);
    }
    for (size_t i = 0; i < rows->rows; i++) {
        size_t at = interval_of(point, n, rows->code[i * rows->width + column], null);
        effect[at] += up[i] - down[i];
        count[at]++;
    }
    for (size_t i = 0; i + 1 < n; i++) effect[i] = count[i] > 0 ? effect[i] / count[i] : 0;
    jali_accumulate(effect, count, n, out);
    return JALI_OK;
}

jali_status jali_plain_ale(const jali_plain *p, const jali_frame *rows, size_t column,
                           const uint32_t *point, size_t n, double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status =
        ale(p, rows, column, point, n, jali_model_null(p->model, column), out, &arena, err);
    jali_arena_clear(&arena);
    return status;
}

/* The nearest point of a code, by code: the grid is even in codes, or nearly so. */
static size_t nearest(const uint32_t *point, size_t n, uint32_t code)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (point[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && (point[low] < code || code - point[low - 1] <= point[low] - code)) low--;
    return low;
}

/* Straight lines between points with rows, constant beyond them, 0 where there are none. */
static void fill_gaps(double *y, const double *count, const uint32_t *x, size_t n)
{
    size_t last = n;
    for (size_t i = 0; i < n; i++) {
        if (!(count[i] > 0)) continue;
        for (size_t k = last == n ? 0 : last + 1; k < i; k++)
            y[k] = last == n ? y[i]
                             : y[last] + (y[i] - y[last]) * (double)(x[k] - x[last]) /
                                             (double)(x[i] - x[last]);
        last = i;
    }
    for (size_t k = last == n ? n : last + 1; k < n; k++) y[k] = y[last];
}

static jali_status shap(const jali_plain *p, const jali_frame *rows, size_t column,
                        const uint32_t *point, size_t n, double *out, jali_arena *arena,
                        jali_err *err)
{
    double *y = jali_arena_take(arena, rows->rows + 1, sizeof *y);
    double *count = jali_arena_take(arena, n, sizeof *count);
    if (y == NULL || count == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_model_contribute(p->model, rows, column, y, err));
    for (size_t r = 0; r < n; r++) out[r] = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        uint32_t code = rows->code[i * rows->width + column];
        if (code >= jali_model_null(p->model, column)) continue;
        size_t r = nearest(point, n, code);
        out[r] += y[i];
        count[r]++;
    }
    for (size_t r = 0; r < n; r++)
        if (count[r] > 0) out[r] /= count[r];
    fill_gaps(out, count, point, n);
    return JALI_OK;
}

jali_status jali_plain_shap(const jali_plain *p, const jali_frame *rows, size_t column,
                            const uint32_t *point, size_t n, double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status = shap(p, rows, column, point, n, out, &arena, err);
    jali_arena_clear(&arena);
    return status;
}
