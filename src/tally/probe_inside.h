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

/* Rows in the order of (block, keyed hash of content and number, content), wherever they are:
 * probe_order.c says what that is. Each comes once, as the codes of the model's columns, and
 * the label's behind them with `label`. A status that is not JALI_OK ends it. */
typedef struct jali_probe_reader {
    jali_status (*row)(void *self, size_t block, const uint32_t *code, jali_err *err);
    void *self;
} jali_probe_reader;

JALI_MUST_USE jali_status jali_probe_in_order(const jali_probe *probe, size_t blocks,
                                              bool label, jali_probe_reader reader,
                                              jali_err *err);

/* The same for a table that stays in a database: the server sorts, a cursor reads. */
JALI_MUST_USE jali_status jali_probe_in_order_far(const jali_probe *probe, size_t blocks,
                                                  bool label, jali_probe_reader reader,
                                                  jali_err *err);

/* The column by which rows are dealt into blocks, if persons are declared. */
bool jali_probe_person(const jali_probe *probe, size_t *column);

/* The bytes of a code in what is hashed: 2, 4 or 8, as an SQL integer that holds it. */
unsigned jali_probe_bytes(uint64_t domain);

#endif
