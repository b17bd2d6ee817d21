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

typedef struct dealt {
    const jali_probe *p;
    const jali_blocks *blocks;
    jali_probe_map map;
    double *out;
    double low, high;
    bool rank;
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

static jali_status one_block(const dealt *d, const jali_keyed *order, size_t n, int64_t *cell,
                             jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    uint32_t *code = jali_arena_take(&arena, n * d->map.reads + 1, sizeof *code);
    jali_status status = code == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < n; i++)
        jali_probe_row(&d->map, order[i].row, code + i * d->map.reads);
    jali_frame rows = { n, d->map.reads, code };
    for (size_t r = 0; r < d->blocks->n; r++) d->out[r] = (d->low + d->high) / 2;
    if (status == JALI_OK && n > 0) {
        status = d->blocks->explain(d->blocks->self, &rows, d->out, err);
        if (status == JALI_E_ENGINE) { /* a block that fails says nothing, like an empty one */
            for (size_t r = 0; r < d->blocks->n; r++) d->out[r] = (d->low + d->high) / 2;
            status = JALI_OK;
        }
    }
    if (status == JALI_OK) add_block(d, cell);
    jali_arena_clear(&arena);
    return status;
}

static jali_status deal(dealt *d, jali_tally *out, const jali_keyed *order, size_t rows,
                        jali_arena *arena, jali_err *err)
{
    jali_meter meter;
    size_t at = 0;
    JALI_TRY(jali_probe_map_make(d->p, d->p->label != NULL, arena, &d->map, err));
    d->out = jali_arena_take(arena, d->blocks->n + 1, sizeof *d->out);
    if (d->out == NULL) return jali_fail_memory(err);
    jali_meter_init(&meter, d->p->progress, "explaining blocks", d->blocks->blocks);
    for (size_t b = 0; b < d->blocks->blocks; b++) {
        size_t n = 0;
        while (at + n < rows && order[at + n].block == b) n++;
        JALI_TRY(one_block(d, order + at, n, out->cell, err));
        at += n;
        jali_meter_tell(&meter, b + 1);
    }
    return JALI_OK;
}

static jali_status explain_blocks(dealt *d, jali_reach reach, jali_arena *arena,
                                  const jali_tally **sums, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    jali_keyed *order;
    size_t rows;
    jali_tally *t;
    JALI_TRY(jali_probe_tally(d->blocks->n, reach, arena, &t, err));
    JALI_TRY(jali_probe_order(d->p, d->blocks->blocks, &order, &rows, err));
    jali_status status = deal(d, t, order, rows, &temporary, err);
    free(order);
    jali_arena_clear(&temporary);
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
