/* tally/inside.h — what the files of this room tell each other about a plan. */
#ifndef JALI_TALLY_INSIDE_H
#define JALI_TALLY_INSIDE_H

#include "engine/columns.h"
#include "tally/kernel.h"
#include "tally/plan.h"
#include "tally/select.h"

enum { NONE = -1 };

/* What a key is made of: a column of the vault, or one computed block by block. */
typedef struct jali_key_source {
    enum { SOURCE_COLUMN, SOURCE_BINS, SOURCE_GRID } kind;
    size_t column; /* index in the vault (COLUMN, BINS)             */
    uint64_t domain;
    unsigned width;               /* 1, 2 or 4: of the codes that the kernels read */
    size_t slice;                 /* BINS: whose labels choose the edges           */
    jali_binning by;              /* BINS */
    const struct jali_edge *edge; /* BINS: one a label, and one for rows left out */
    const uint32_t *step;         /* BINS: one a label, for SQL                   */
    unsigned n, bits;             /* GRID: columns, and halvings of all together   */
    const size_t *grid;           /* GRID: vault columns */
} jali_key_source;

/* How often the k-th column of a grid is halved. */
static inline unsigned jali_grid_bits(const jali_key_source *s, unsigned k)
{
    return s->bits / s->n + (k < s->bits % s->n);
}

typedef struct jali_edge {
    uint32_t lo;
    uint32_t whole;   /* all ones for bins of one step, which have no inverse, else 0 */
    uint64_t inverse; /* floor(2^64 / step) + 1, or 0 for bins of one step            */
} jali_edge;

typedef struct jali_slice {
    bool labelled;
    jali_label label;
    const size_t *reads;      /* vault columns of the label function   */
    jali_selection selection; /* .n == 0: every row                    */
    bool selects;
    uint32_t labels; /* 1 without label                       */
    uint32_t kept;   /* labels, and one more for rows left out */
} jali_slice;

typedef struct jali_table {
    size_t slice;
    unsigned n;
    uint32_t source[JALI_PLAN_COLUMNS];
    int sum; /* index into plan->sum or NONE */
    uint64_t cells;
} jali_table;

typedef struct jali_sum {
    size_t column;
    uint64_t domain, centre;
} jali_sum;

typedef struct jali_list { /* grows in the plan's arena, so that pointers may be kept */
    void *at;
    size_t n, room;
} jali_list;

struct jali_plan {
    jali_arena arena;
    jali_columns *columns;
    uint32_t rows_per_person;
    uint64_t cells;
    uint32_t *source_of; /* per column of the vault: its source + 1, 0 while it has none */
    jali_list source, slice, table, sum;
};

#define PLAN_SOURCE(plan, i) (((jali_key_source *)(plan)->source.at)[i])
#define PLAN_SLICE(plan, i) (((jali_slice *)(plan)->slice.at)[i])
#define PLAN_TABLE(plan, i) (((jali_table *)(plan)->table.at)[i])
#define PLAN_SUM(plan, i) (((jali_sum *)(plan)->sum.at)[i])

/* How far one person moves counts (v = 1), or sums of codes of size at most v. */
jali_reach jali_reach_of(uint64_t rows_per_person, uint64_t v, uint64_t cells);

/* Largest |code - centre| of a known code. */
uint64_t jali_sum_size(const jali_sum *sum);

/* What the labels of a slice are computed with and into, a block of rows at a time. */
typedef struct jali_label_room {
    uint16_t *labels;
    uint64_t *rows, *bitmaps;
    const void **codes;
    unsigned *width;
} jali_label_room;

/* Room for blocks of `block` rows, whatever the slice. */
JALI_MUST_USE jali_status jali_label_room_take(jali_label_room *out, const jali_plan *plan,
                                               size_t block, jali_arena *arena, jali_err *err);

/* Labels of rows first .. first+n-1 into room->labels: s->labels for those left out. */
void jali_slice_labels(const jali_slice *s, const jali_columns *columns,
                       const jali_kernels *kernels, size_t first, size_t n,
                       const jali_label_room *room);

/* A table that is really counted: several of the plan's tables may be read off one. */
typedef struct jali_unit {
    size_t slice;
    int sum; /* NONE: counts alone */
    unsigned n;
    uint32_t source[JALI_KEY_PARTS];
    uint64_t cells;
    jali_cell_kind kind;
    unsigned copies;
    size_t offset; /* bytes into a worker's memory */
} jali_unit;

typedef struct jali_layout {
    size_t n;
    jali_unit *unit;
    uint32_t *unit_of; /* per table */
    size_t bytes;      /* of one worker's accumulators */
    unsigned *shift;   /* per sum: where the count starts in a packed cell; 0: wide */
    size_t block;      /* rows read at a time, a multiple of 64 */
} jali_layout;

JALI_MUST_USE jali_status jali_layout_make(const jali_plan *plan, uint64_t rows,
                                           jali_arena *arena, jali_layout *out, jali_err *err);

/* How to run, for tests and the bench: zero means as it is best. */
typedef struct jali_how {
    jali_pool *pool;
    size_t block;                /* rows at a time, a multiple of 64 */
    const jali_kernels *kernels; /* NULL: the best of this machine   */
} jali_how;

JALI_MUST_USE jali_status jali_plan_run_how(const jali_plan *plan, const jali_how *how,
                                            jali_arena *arena, const jali_tallies **out,
                                            jali_err *err);

#endif
