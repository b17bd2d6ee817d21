/* tally/probe_inside.h — what the probes share. */
#ifndef JALI_TALLY_PROBE_INSIDE_H
#define JALI_TALLY_PROBE_INSIDE_H

#include "engine/columns.h"
#include "tally/open.h"
#include "tally/probe.h"

/* A clamped output on the grid: -HALF .. HALF. Total: NaN is the middle. */
int64_t jali_probe_grid(double y, double lo, double hi);

/* Where the model's columns are in the vault: `width` of them, and the label last. */
typedef struct jali_probe_map {
    size_t width, reads;
    const jali_column **column;
} jali_probe_map;

/* Their indices alone, `width` and one more with `label`; nothing is fetched. */
JALI_MUST_USE jali_status jali_probe_columns(const jali_probe *probe, bool label,
                                             jali_arena *arena, size_t **out, jali_err *err);

JALI_MUST_USE jali_status jali_probe_map_make(const jali_probe *probe, bool label,
                                              jali_arena *arena, jali_probe_map *out,
                                              jali_err *err);

/* The codes of one row, `reads` of them. */
void jali_probe_row(const jali_probe_map *map, size_t row, uint32_t *out);

/* A sealed vector of n cells. */
JALI_MUST_USE jali_status jali_probe_tally(size_t n, jali_reach reach, jali_arena *arena,
                                           jali_tally **out, jali_err *err);

/* Rows in the order of (block, keyed hash of content and number, content). */
typedef struct jali_keyed {
    uint64_t hash;
    uint32_t row, block;
} jali_keyed;

JALI_MUST_USE jali_status jali_probe_order(const jali_probe *probe, size_t blocks,
                                           jali_keyed **out, size_t *rows, jali_err *err);

#endif
