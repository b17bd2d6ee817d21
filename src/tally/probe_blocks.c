/* tally/probe_blocks.c — sums over blocks of persons.
 *
 * Claim    probe.blocks
 *          One person moves the sums of jali_probe_curve by at most 2^21 in each of n cells,
 *          and those of jali_probe_rank, in points, by at most floor(n^2/2) in L1 and
 *          sqrt(n(n^2-1)/3) in L2, whatever the explainer does with its block.
 * Proof    proofs/probe.md
 * Source   PRIVACY 5 (5a, 5b) and 8: blocks by keyed hash of person and content, never by row
 *          number.
 * Law      none: sums are exact and sealed, nothing is drawn here
 * Test     tests/tally/probe_test.c
 * Silent   that the model is a function of one record; collisions of the keyed hash of
 *          persons (62 bits), which only put two persons into one block.
 */
#include "base/progress.h"
#include "tally/probe_inside.h"
#include <math.h>
#include <stdlib.h>

/* ---- blocks of persons ---------------------------------------------------------------- */

/* Rows come block after block; those of one block are held until the next begins. */
typedef struct dealt {
    const jali_probe *p;
    const jali_blocks *blocks;
    size_t width, block, rows, room; /* of a row; the block that is filled, and its rows */
    uint32_t *code;
    double *out;
    double low, high;
    bool rank;
    int64_t *cell;
    jali_meter meter;
} dealt;

static void add_ranks(const dealt *d, int64_t *cell)
{
    for (size_t k = 0; k < d->blocks->n; k++) {
        size_t ahead = 0;
        for (size_t i = 0; i < d->blocks->n; i++)
            ahead += d->out[i] > d->out[k] || (d->out[i] == d->out[k] && i < k);
        cell[k] += (int64_t)(d->blocks->n - ahead) * JALI_PROBE_VOTE;
    }
}

/* Whatever came out is made a number of the range, or a ranking: the proof needs no more. */
static void add_block(const dealt *d, int64_t *cell)
{
    for (size_t r = 0; r < d->blocks->n; r++)
        if (isnan(d->out[r])) d->out[r] = (d->low + d->high) / 2;
    if (d->rank) {
        add_ranks(d, cell);
        return;
    }
    for (size_t r = 0; r < d->blocks->n; r++)
        cell[r] += jali_probe_grid(d->out[r], d->low, d->high);
}

static void middle(const dealt *d)
{
    for (size_t r = 0; r < d->blocks->n; r++) d->out[r] = (d->low + d->high) / 2;
}

/* The block that is filled is complete: explains it, and begins the next. */
static jali_status end_block(dealt *d, jali_err *err)
{
    jali_frame rows = { d->rows, d->width, d->code };
    middle(d);
    if (d->rows > 0) {
        jali_status status = d->blocks->explain(d->blocks->self, &rows, d->out, err);
        if (status == JALI_E_ENGINE) { /* a block that fails says nothing, like an empty one */
            middle(d);
            status = JALI_OK;
        }
        JALI_TRY(status);
    }
    add_block(d, d->cell);
    d->rows = 0;
    jali_meter_tell(&d->meter, ++d->block);
    return JALI_OK;
}

static jali_status add_row(void *self, size_t block, const uint32_t *code, jali_err *err)
{
    dealt *d = self;
    while (d->block < block) JALI_TRY(end_block(d, err));
    if (d->rows == d->room) {
        size_t room = 2 * d->room + 64;
        uint32_t *more = realloc(d->code, room * d->width * sizeof *more);
        if (more == NULL) return jali_fail_memory(err);
        d->code = more;
        d->room = room;
    }
    memcpy(d->code + d->rows++ * d->width, code, d->width * sizeof *code);
    return JALI_OK;
}

static jali_status deal(dealt *d, jali_err *err)
{
    bool label = d->p->label != NULL;
    d->width = jali_model_width(d->p->plain.model) + (label ? 1 : 0);
    jali_meter_init(&d->meter, d->p->progress, "explaining blocks", d->blocks->blocks);
    jali_probe_reader reader = { add_row, d };
    JALI_TRY(jali_probe_in_order(d->p, d->blocks->blocks, label, reader, err));
    while (d->block < d->blocks->blocks) JALI_TRY(end_block(d, err));
    return JALI_OK;
}

static jali_status explain_blocks(dealt *d, jali_reach reach, jali_arena *arena,
                                  const jali_tally **sums, jali_err *err)
{
    jali_tally *t;
    JALI_TRY(jali_probe_tally(d->blocks->n, reach, arena, &t, err));
    d->cell = t->cell;
    d->out = calloc(d->blocks->n + 1, sizeof *d->out);
    jali_status status = d->out == NULL ? jali_fail_memory(err) : deal(d, err);
    free(d->code);
    free(d->out);
    if (status == JALI_OK) *sums = t;
    return status;
}

jali_status jali_probe_curve(const jali_probe *p, const jali_blocks *blocks, double low,
                             double high, jali_arena *arena, const jali_tally **sums,
                             jali_err *err)
{
    dealt d = { .p = p, .blocks = blocks, .low = low, .high = high };
    return explain_blocks(&d, jali_probe_reach_curve(p, blocks->n), arena, sums, err);
}

jali_status jali_probe_rank(const jali_probe *p, const jali_blocks *blocks, jali_arena *arena,
                            const jali_tally **sums, jali_err *err)
{
    dealt d = { .p = p, .blocks = blocks, .rank = true };
    return explain_blocks(&d, jali_probe_reach_rank(p, blocks->n), arena, sums, err);
}
