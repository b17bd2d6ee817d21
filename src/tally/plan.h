/* tally/plan.h — what is to be counted, stated before anything is read.
 *
 * A plan collects tables; one pass over the rows answers all of them. Everything in it is
 * public: column names and domains come from the schema, predicates from the request,
 * label functions from the request and from what was released before. Whatever could go
 * wrong because of its size is refused while the plan is made (JALI_E_USAGE, analyst),
 * from public numbers; after that only files can fail, and memory.
 */
#ifndef JALI_TALLY_PLAN_H
#define JALI_TALLY_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/pool.h"
#include "table/predicate.h"
#include "tally/tally.h"

struct jali_text;
typedef struct jali_columns jali_columns; /* named, not included: who plans may pass it */
typedef struct jali_plan jali_plan;

enum {
    JALI_PLAN_COLUMNS = 4,           /* of one table; more cells than people            */
    JALI_PLAN_GRID_COLUMNS = 16,     /* of a grid                                       */
    JALI_PLAN_LABELS = 65534,        /* two bytes, less one for rows that are left out  */
    JALI_PLAN_CELLS = 1 << 26,       /* of one table: 512 MB of answers                 */
    JALI_PLAN_CELLS_ALL = 1 << 27,   /* of all tables of a plan                         */
    JALI_PLAN_SUM_CODES = 0x7ffffffe /* largest code to be summed: times the most rows a
                                        vault holds (2^32 - 1) it stays below 2^63     */
};

/* Some rows, column by column. A label is a function of one record: row numbers are not
 * passed, because removing a person would renumber everybody. */
typedef struct jali_block {
    size_t rows, n;
    const void *const *codes; /* n arrays of `rows` codes, in the order asked for */
    const unsigned *width;    /* bytes of a code: 1, 2, 4 or 8                     */
} jali_block;

/* The cluster, group or tree node of a record. label() writes one number below `labels`
 * for each row of the block (larger ones are cut to the last label), from several threads
 * at once, and must do the same work for every row. */
typedef enum jali_label_made {
    JALI_LABEL_OWN,       /* nobody else can be told of it      */
    JALI_LABEL_GROUPS,    /* jali_groups                        */
    JALI_LABEL_PARTITION, /* jali_partition                     */
    JALI_LABEL_GRID,      /* jali_cell_grid                     */
    JALI_LABEL_TREE       /* jali_hash_tree                     */
} jali_label_made;

typedef struct jali_label {
    uint32_t labels;
    size_t n;
    const char *const *columns;
    void (*label)(void *self, const jali_block *block, uint16_t *out);
    void *self;
    /* The same function as SQL, where column k has the code code[k]: for rows that stay in a
     * database. NULL, or false: there is no such SQL, and the codes are fetched instead. */
    bool (*sql)(const void *from, const char *const *code, struct jali_text *out);
    const void *from;
    jali_label_made made; /* what it was made of, public, for those who count elsewhere */
    const void *of;       /* (tally/order.h); must outlive the plan, as self must       */
} jali_label;

/* At most `rows_per_person` rows belong to one person: the unit of every jali_reach.
 * Borrows `columns` until the plan is freed. */
JALI_MUST_USE jali_status jali_plan_new(jali_plan **out, jali_columns *columns,
                                        uint32_t rows_per_person, jali_err *err);
void jali_plan_free(jali_plan *plan); /* NULL is fine */

/* A way to look at the rows: a label (NULL: none) for those that `where` selects (NULL:
 * all). Slice 0 is there from the start: every row, no label. Copies `label`'s fields and
 * column names; `where` and label->self must outlive the plan. */
JALI_MUST_USE jali_status jali_plan_slice(jali_plan *plan, const jali_label *label,
                                          const jali_predicate *where, size_t *slice,
                                          jali_err *err);

/* Counts by n <= 4 columns, per label of the slice. */
JALI_MUST_USE jali_status jali_plan_counts(jali_plan *plan, size_t slice,
                                           const char *const *columns, size_t n, size_t *table,
                                           jali_err *err);

/* Counts and sums. A cell's sum adds code - centre over its rows; a NULL adds nothing and
 * is not counted either, because min * count + step * sum is then SQL's SUM, and
 * count is COUNT(column). Centre (domain - 2) / 2 halves the reach of the sum. */
JALI_MUST_USE jali_status jali_plan_sums(jali_plan *plan, size_t slice,
                                         const char *const *columns, size_t n,
                                         const char *summed, uint64_t centre, size_t *table,
                                         jali_err *err);

/* No table, but these columns are going to be read for this plan (tally/sparse.h): they are
 * checked with the others. */
JALI_MUST_USE jali_status jali_plan_touch(jali_plan *plan, const char *const *columns, size_t n,
                                          jali_err *err);

/* Public: how many codes a column of the plan's table has, 0 if there is no such column. */
uint64_t jali_plan_domain(const jali_plan *plan, const char *column);

/* A histogram of one column per label (a tree node, say). For label l, bin b holds codes
 * from lo[l] + b * step[l]; what lies outside goes to the first or last bin, NULL to one
 * more bin at the end. Axes: labels (1 without), bins + 1. Copies lo and step. */
JALI_MUST_USE jali_status jali_plan_histogram(jali_plan *plan, size_t slice, const char *column,
                                              uint32_t bins, const uint32_t *lo,
                                              const uint32_t *step, size_t *table,
                                              jali_err *err);

/* The cells of a grid that halves its columns `bits` times in all: each bits / n times, the
 * first bits % n of them once more. cell = that many top bits of each column, first column
 * highest, and one more cell for records with a NULL among them. A column of v values counts
 * as the next power of two. Axes: labels (1 without), cells. */
JALI_MUST_USE jali_status jali_plan_grid(jali_plan *plan, size_t slice,
                                         const char *const *columns, size_t n, unsigned bits,
                                         size_t *table, jali_err *err);

/* The same with sums, as jali_plan_sums has them. */
JALI_MUST_USE jali_status jali_plan_grid_sums(jali_plan *plan, size_t slice,
                                              const char *const *columns, size_t n,
                                              unsigned bits, const char *summed,
                                              uint64_t centre, size_t *table, jali_err *err);

/* Are the files of all columns that the pass will read whole? A caller who pays asks first. */
JALI_MUST_USE jali_status jali_plan_check(const jali_plan *plan, jali_pool *pool,
                                          jali_err *err);

/* One pass. *out lives in the arena. The numbers do not depend on the pool. */
JALI_MUST_USE jali_status jali_plan_run(const jali_plan *plan, jali_pool *pool,
                                        jali_arena *arena, const jali_tallies **out,
                                        jali_err *err);

#endif
