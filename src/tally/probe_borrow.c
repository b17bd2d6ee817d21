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
#include <stdlib.h>

typedef struct borrow {
    const jali_probe *p;
    jali_probe_map map;
    jali_label_of label;
    uint32_t *code, *kept; /* one row more than a batch: the last one's lender */
    double *y;
    int32_t *rise; /* by row, then by column; the error as it is comes last */
    size_t rows, batch;
    int64_t most;
    jali_keyed *order;
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
    size_t w = b->map.reads, each = b->map.width + 1;
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
    size_t w = b->map.reads;
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
    size_t n = b->map.width;
    int64_t all = 0;
    for (size_t k = 0; k < n; k++) {
        rise[k] -= rise[n];
        all += rise[k] < 0 ? -rise[k] : rise[k];
    }
    for (size_t k = 0; k < n; k++) cell[k] += all > b->most ? rise[k] * b->most / all : rise[k];
}

static jali_status borrow_all(borrow *b, jali_tally *out, jali_err *err)
{
    size_t w = b->map.reads, width = b->map.width;
    for (size_t first = 0; first < b->rows; first += b->batch) {
        size_t n = b->rows - first < b->batch ? b->rows - first : b->batch;
        for (size_t i = 0; i <= n; i++)
            jali_probe_row(&b->map, b->order[(first + i) % b->rows].row, b->code + i * w);
        JALI_TRY(errors(b, n, width, err));
        for (size_t k = 0; k < width; k++) {
            shift(b, n, k, false);
            JALI_TRY(errors(b, n, k, err));
            shift(b, n, k, true);
        }
        for (size_t i = 0; i < n; i++) add_row(b, b->rise + i * (width + 1), out->cell);
        jali_meter_tell(&b->meter, first + n);
    }
    return JALI_OK;
}

static jali_status pfi(borrow *b, jali_tally *out, jali_arena *arena, jali_err *err)
{
    JALI_TRY(jali_probe_map_make(b->p, true, arena, &b->map, err));
    b->label = (jali_label_of){ b->p->label, b->map.width, b->p->label_is };
    b->batch = jali_model_batch(b->p->plain.model);
    if (b->batch > b->rows + 1) b->batch = b->rows + 1;
    b->code = jali_arena_take(arena, (b->batch + 1) * b->map.reads, sizeof *b->code);
    b->kept = jali_arena_take(arena, b->batch + 1, sizeof *b->kept);
    b->y = jali_arena_take(arena, b->batch + 1, sizeof *b->y);
    b->rise = jali_arena_take(arena, b->batch * (b->map.width + 1), sizeof *b->rise);
    if (b->code == NULL || b->kept == NULL || b->y == NULL || b->rise == NULL)
        return jali_fail_memory(err);
    jali_meter_init(&b->meter, b->p->progress, "asking the model", b->rows);
    return borrow_all(b, out, err);
}

jali_status jali_probe_pfi(const jali_probe *p, uint64_t most, jali_arena *arena,
                           const jali_tally **sums, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    size_t n = jali_model_width(p->plain.model);
    const uint64_t longest = 2 * JALI_PROBE_HALF * (uint64_t)n;
    borrow b = { .p = p, .most = (int64_t)(most < longest ? most : longest) };
    jali_tally *t;
    JALI_TRY(jali_probe_tally(n, jali_probe_reach_pfi(p, n, most), arena, &t, err));
    JALI_TRY(jali_probe_order(p, 1, &b.order, &b.rows, err));
    jali_status status = pfi(&b, t, &temporary, err);
    free(b.order);
    jali_arena_clear(&temporary);
    if (status == JALI_OK) *sums = t;
    return status;
}
