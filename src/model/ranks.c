/* model/ranks.c — scores of columns: permutation importance and Friedman's H. */
#include "model/plain.h"
#include <math.h>

/* Mean error of the rows in `code`; a row without label has none. */
static jali_status error_of(const jali_plain *p, const jali_frame *rows, const uint32_t *code,
                            const jali_label_of *label, double *y, double *out, jali_err *err)
{
    jali_frame f = { rows->rows, rows->width, code };
    double sum = 0;
    size_t n = 0;
    JALI_TRY(jali_model_predict(p->model, &f, y, err));
    for (size_t i = 0; i < rows->rows; i++) {
        double t = jali_label_number(label, rows->code[i * rows->width + label->at]);
        if (!isfinite(t)) continue;
        double d = jali_plain_within(p, t) - jali_plain_within(p, y[i]);
        sum += p->absolute ? fabs(d) : d * d;
        n++;
    }
    *out = n == 0 ? 0 : sum / (double)n;
    return JALI_OK;
}

static jali_status pfi(const jali_plain *p, const jali_frame *rows, const jali_label_of *label,
                       double *out, jali_arena *arena, jali_err *err)
{
    size_t n = rows->rows, w = rows->width, columns = jali_model_width(p->model);
    uint32_t *code = jali_arena_take(arena, n * w + 1, sizeof *code);
    double *y = jali_arena_take(arena, n + 1, sizeof *y);
    if (code == NULL || y == NULL) return jali_fail_memory(err);
    if (n > 0) memcpy(code, rows->code, n * w * sizeof *code);
    JALI_TRY(error_of(p, rows, code, label, y, &out[columns], err));
    for (size_t k = 0; k < columns; k++) {
        for (size_t i = 0; i < n; i++) code[i * w + k] = rows->code[(i + 1) % n * w + k];
        JALI_TRY(error_of(p, rows, code, label, y, &out[k], err));
        for (size_t i = 0; i < n; i++) code[i * w + k] = rows->code[i * w + k];
    }
    return JALI_OK;
}

jali_status jali_plain_pfi(const jali_plain *p, const jali_frame *rows,
                           const jali_label_of *label, double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status = pfi(p, rows, label, out, &arena, err);
    jali_arena_clear(&arena);
    return status;
}

/* ---- Friedman's H ----------------------------------------------------------------- */

typedef struct pairs {
    const jali_plain *p;
    const jali_frame *rows;
    size_t n;       /* rows looked at              */
    uint32_t *code; /* n * n rows                  */
    double *y;      /* n * n                       */
    double *own, *rest, *whole;
} pairs;

/* Row i * n + k is row i with its column taken from row k: along k it gives the dependence on
 * everything else at row i, along i the dependence on the column at row k. */
static jali_status cross(pairs *x, size_t column, jali_err *err)
{
    size_t n = x->n, w = x->rows->width;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            uint32_t *row = x->code + (i * n + k) * w;
            memcpy(row, x->rows->code + i * w, w * sizeof *row);
            row[column] = x->rows->code[k * w + column];
        }
    jali_frame f = { n * n, w, x->code };
    JALI_TRY(jali_model_predict(x->p->model, &f, x->y, err));
    for (size_t i = 0; i < n; i++) x->own[i] = x->rest[i] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double y = jali_plain_within(x->p, x->y[i * n + k]);
            x->rest[i] += y / (double)n;
            x->own[k] += y / (double)n;
            if (i == k) x->whole[i] = y;
        }
    return JALI_OK;
}

static void centre(double *y, size_t n)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++) mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) y[i] -= mean;
}

static double h_squared(pairs *x)
{
    double above = 0, below = 0;
    centre(x->own, x->n);
    centre(x->rest, x->n);
    centre(x->whole, x->n);
    for (size_t i = 0; i < x->n; i++) {
        double d = x->whole[i] - x->own[i] - x->rest[i];
        above += d * d;
        below += x->whole[i] * x->whole[i];
    }
    return below > 0 ? above / below : 0;
}

static jali_status interaction(pairs *x, double *out, jali_arena *arena, jali_err *err)
{
    size_t n = x->n;
    x->code = jali_arena_take(arena, n * n * x->rows->width + 1, sizeof *x->code);
    x->y = jali_arena_take(arena, n * n + 1, sizeof *x->y);
    x->own = jali_arena_take(arena, n + 1, sizeof *x->own);
    x->rest = jali_arena_take(arena, n + 1, sizeof *x->rest);
    x->whole = jali_arena_take(arena, n + 1, sizeof *x->whole);
    if (x->code == NULL || x->y == NULL || x->own == NULL || x->rest == NULL ||
        x->whole == NULL)
        return jali_fail_memory(err);
    for (size_t k = 0; k < jali_model_width(x->p->model); k++) {
        JALI_TRY(cross(x, k, err));
        out[k] = h_squared(x);
    }
    return JALI_OK;
}

jali_status jali_plain_interaction(const jali_plain *p, const jali_frame *rows, size_t most,
                                   double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    pairs x = { .p = p, .rows = rows, .n = rows->rows < most ? rows->rows : most };
    jali_status status = interaction(&x, out, &arena, err);
    jali_arena_clear(&arena);
    return status;
}
