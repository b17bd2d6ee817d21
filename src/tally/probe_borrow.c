/* tally/probe_borrow.c — how much worse a model gets when rows borrow a column.
 *
 * Claim    probe.pfi
 *          Adding or removing one person with at most m rows moves the sums of jali_probe_pfi
 *          by at most m (B + min(2B, nG)) in L1 and in L2, and no cell by more than
 *          m (min(B, G) + min(2B, G)), where G = 2^21 and B = min(most, nG) for n columns.
 * Proof    proofs/probe.md
 * Source   PRIVACY 5d and 8: borrowing by keyed hash of content, never by row number. The paper
 *          adds up errors, each as long as the bounds are apart, for every column; we add up
 *          what borrowing changes, which for most rows and columns is little or nothing, and
 *          shorten the few rows that change by more than B in all columns together (L1, so
 *          that noise does not grow with the number of columns). docs/model-quality.md
 * Law      none: sums are exact and sealed, nothing is drawn here
 * Test     tests/tally/probe_test.c
 * Silent   that the model is a function of one record.
 */
#include "base/progress.h"
#include "tally/probe_inside.h"
#include <math.h>

typedef struct borrow {
    const jali_probe *p;
    size_t width, reads; /* columns of the model, and the label's */
    jali_label_of label;
    uint32_t *code, *kept; /* one row more than a batch: the last one's lender */
    uint32_t *first;       /* the first row of all lends to the last */
    double *y;
    int32_t *rise;            /* by row, then by column; the error as it is comes last */
    size_t batch, rows, done; /* rows: in `code`; done: rows of batches before */
    int64_t most, *cell;
    jali_meter meter;
} borrow;

static int64_t term(const borrow *b, double label, double y)
{
    double lo = b->p->plain.lo, hi = b->p->plain.hi, far = hi - lo;
    if (!isfinite(label)) return 0;
    label = label < lo ? lo : label > hi ? hi : label;
    y = y < lo ? lo : y > hi ? hi : y;
    if (b->p->plain.absolute) return jali_probe_grid(fabs(label - y), 0, far);
    return jali_probe_grid((label - y) * (label - y), 0, far * far);
}

/* Errors of n rows as they stand in b->code, into place k of each row. */
static jali_status errors(const borrow *b, size_t n, size_t k, jali_err *err)
{
    size_t w = b->reads, each = b->width + 1;
    jali_frame frame = { n, w, b->code };
    JALI_TRY(jali_model_predict(b->p->plain.model, &frame, b->y, err));
    for (size_t i = 0; i < n; i++)
        b->rise[i * each + k] = (int32_t)term(
            b, jali_label_number(&b->label, b->code[i * w + b->label.at]), b->y[i]);
    return JALI_OK;
}

/* In place: row i takes the column of row i + 1, which is then put right again. */
static void shift(const borrow *b, size_t n, size_t k, bool back)
{
    size_t w = b->reads;
    for (size_t i = 0; i < n; i++) {
        uint32_t *to = &b->code[i * w + k];
        if (!back) b->kept[i] = *to;
        *to = back ? b->kept[i] : b->code[(i + 1) * w + k];
    }
}

/* From errors to rises, then the row's part of the sums: rounded towards 0, so that the row
 * stays within `most`. */
static void add_row(const borrow *b, int32_t *rise, int64_t *cell)
{
    size_t n = b->width;
    int64_t all = 0;
    for (size_t k = 0; k < n; k++) {
        rise[k] -= rise[n];
        all += rise[k] < 0 ? -rise[k] : rise[k];
    }
    for (size_t k = 0; k < n; k++) cell[k] += all > b->most ? rise[k] * b->most / all : rise[k];
}

/* The first n rows of b->code, each with the one behind it as its lender. */
static jali_status borrow_some(borrow *b, size_t n, jali_err *err)
{
    JALI_TRY(errors(b, n, b->width, err));
    for (size_t k = 0; k < b->width; k++) {
        shift(b, n, k, false);
        JALI_TRY(errors(b, n, k, err));
        shift(b, n, k, true);
    }
    for (size_t i = 0; i < n; i++) add_row(b, b->rise + i * (b->width + 1), b->cell);
    jali_meter_tell(&b->meter, b->done += n);
    return JALI_OK;
}

/* The last row of a batch has its lender in the next: it becomes the first of it. */
static jali_status take(void *self, size_t block, const uint32_t *code, jali_err *err)
{
    borrow *b = self;
    size_t w = b->reads;
    (void)block;
    if (b->done == 0 && b->rows == 0) memcpy(b->first, code, w * sizeof *code);
    memcpy(b->code + b->rows++ * w, code, w * sizeof *code);
    if (b->rows <= b->batch) return JALI_OK;
    JALI_TRY(borrow_some(b, b->batch, err));
    memcpy(b->code, b->code + b->batch * w, w * sizeof *b->code);
    b->rows = 1;
    return JALI_OK;
}

static jali_status borrow_all(borrow *b, jali_err *err)
{
    JALI_TRY(jali_probe_in_order(b->p, 1, true, (jali_probe_reader){ take, b }, err));
    if (b->rows == 0) return JALI_OK;
    memcpy(b->code + b->rows * b->reads, b->first, b->reads * sizeof *b->code);
    return borrow_some(b, b->rows, err);
}

static jali_status pfi(borrow *b, jali_arena *arena, jali_err *err)
{
    bool far = !jali_columns_loaded(b->p->columns); /* how many rows it has is not known */
    size_t rows = far ? SIZE_MAX : (size_t)jali_columns_rows(b->p->columns);
    b->reads = b->width + 1;
    b->label = (jali_label_of){ b->p->label, b->width, b->p->label_is };
    b->batch = jali_model_batch(b->p->plain.model);
    if (b->batch > rows) b->batch = rows + 1;
    b->code = jali_arena_take(arena, (b->batch + 1) * b->reads, sizeof *b->code);
    b->first = jali_arena_take(arena, b->reads, sizeof *b->first);
    b->kept = jali_arena_take(arena, b->batch + 1, sizeof *b->kept);
    b->y = jali_arena_take(arena, b->batch + 1, sizeof *b->y);
    b->rise = jali_arena_take(arena, b->batch * b->reads, sizeof *b->rise);
    if (b->code == NULL || b->first == NULL || b->kept == NULL || b->y == NULL ||
        b->rise == NULL)
        return jali_fail_memory(err);
    jali_meter_init(&b->meter, far ? NULL : b->p->progress, "asking the model", rows);
    return borrow_all(b, err);
}

jali_status jali_probe_pfi(const jali_probe *p, uint64_t most, jali_arena *arena,
                           const jali_tally **sums, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    size_t n = jali_model_width(p->plain.model);
    const uint64_t longest = 2 * JALI_PROBE_HALF * (uint64_t)n;
    borrow b = { .p = p, .width = n, .most = (int64_t)(most < longest ? most : longest) };
    jali_tally *t;
    JALI_TRY(jali_probe_tally(n, jali_probe_reach_pfi(p, n, most), arena, &t, err));
    b.cell = t->cell;
    jali_status status = pfi(&b, &temporary, err);
    jali_arena_clear(&temporary);
    if (status == JALI_OK) *sums = t;
    return status;
}
