/* tally/plan.c — what is to be counted, stated before anything is read. */
#include "tally/plan.h"
#include "tally/inside.h"
#include <string.h>

static void *grow(jali_plan *plan, jali_list *list, size_t size)
{
    if (list->n == list->room) {
        size_t room = list->room == 0 ? 8 : 2 * list->room;
        void *at = jali_arena_take(&plan->arena, room, size);
        if (at == NULL) return NULL;
        if (list->n > 0) memcpy(at, list->at, list->n * size);
        list->at = at;
        list->room = room;
    }
    return (char *)list->at + size * list->n++;
}

jali_status jali_plan_new(jali_plan **out, jali_columns *columns, uint32_t rows_per_person,
                          jali_err *err)
{
    if (rows_per_person == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a person must be allowed at least one row");
    jali_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return jali_fail_memory(err);
    plan->columns = columns;
    plan->rows_per_person = rows_per_person;
    size_t all, n = jali_columns_count(columns) + 1;
    plan->source_of = jali_arena_take(&plan->arena, n, sizeof *plan->source_of);
    jali_status status = plan->source_of == NULL ? jali_fail_memory(err)
                                                 : jali_plan_slice(plan, NULL, NULL, &all, err);
    if (status != JALI_OK) {
        jali_plan_free(plan);
        return status;
    }
    *out = plan;
    return JALI_OK;
}

void jali_plan_free(jali_plan *plan)
{
    if (plan == NULL) return;
    jali_arena_clear(&plan->arena);
    free(plan);
}

static jali_status find(const jali_plan *plan, const char *name, size_t *column, jali_err *err)
{
    if (jali_columns_find(plan->columns, name, column)) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "the table has no column \"%.100s\"",
                     name);
}

static jali_status find_all(jali_plan *plan, const char *const *names, size_t n,
                            const size_t **out, jali_err *err)
{
    size_t *found = jali_arena_take(&plan->arena, n + 1, sizeof *found);
    if (found == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) JALI_TRY(find(plan, names[i], &found[i], err));
    *out = found;
    return JALI_OK;
}

jali_status jali_plan_slice(jali_plan *plan, const jali_label *label,
                            const jali_predicate *where, size_t *slice, jali_err *err)
{
    jali_slice s = { .labels = 1 };
    if (label != NULL) {
        if (label->labels == 0 || label->labels > JALI_PLAN_LABELS)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "%u labels cannot be counted: there must be 1 to %d",
                             (unsigned)label->labels, JALI_PLAN_LABELS);
        JALI_TRY(find_all(plan, label->columns, label->n, &s.reads, err));
        s.labelled = true;
        s.label = *label;
        s.label.columns = NULL; /* found; the caller's array may go */
        s.labels = label->labels;
    }
    if (where != NULL) {
        JALI_TRY(jali_selection_bind(&s.selection, where, plan->columns, &plan->arena, err));
        s.selects = true;
    }
    s.kept = s.labels + s.selects;
    jali_slice *to = grow(plan, &plan->slice, sizeof s);
    if (to == NULL) return jali_fail_memory(err);
    *to = s;
    *slice = plan->slice.n - 1;
    return JALI_OK;
}

static jali_status check_slice(const jali_plan *plan, size_t slice, jali_err *err)
{
    if (slice < plan->slice.n) return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "the plan has no slice %zu",
                     slice);
}

/* A column keeps one number throughout the plan: tables that share it can share a unit. */
static jali_status column_source(jali_plan *plan, const char *name, uint32_t *out,
                                 jali_err *err)
{
    size_t column;
    JALI_TRY(find(plan, name, &column, err));
    if (plan->source_of[column] > 0) {
        *out = plan->source_of[column] - 1;
        return JALI_OK;
    }
    const jali_column *c = jali_columns_at(plan->columns, column);
    jali_key_source *to = grow(plan, &plan->source, sizeof *to);
    if (to == NULL) return jali_fail_memory(err);
    *to = (jali_key_source){ SOURCE_COLUMN, .column = column, .domain = c->domain,
                             .width = c->width };
    plan->source_of[column] = (uint32_t)plan->source.n;
    *out = (uint32_t)plan->source.n - 1;
    return JALI_OK;
}

/* Room for one more key: as many cells as `labels` (with those left out) times domains. */
static jali_status check_cells(jali_plan *plan, const jali_table *t, uint64_t *cells,
                               jali_err *err)
{
    const jali_slice *s = &PLAN_SLICE(plan, t->slice);
    uint64_t n = s->kept;
    bool fits = true;
    for (unsigned i = 0; i < t->n; i++)
        fits = fits && !__builtin_mul_overflow(n, PLAN_SOURCE(plan, t->source[i]).domain, &n) &&
               n <= JALI_PLAN_CELLS;
    if (!fits)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this table would have more than %d cells: group by fewer columns, "
                         "or by coarser ones",
                         JALI_PLAN_CELLS);
    n = n / s->kept * s->labels;
    if (n > JALI_PLAN_CELLS_ALL - plan->cells)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the tables of this request have more than %d cells together: ask "
                         "for fewer at once",
                         JALI_PLAN_CELLS_ALL);
    *cells = n;
    return JALI_OK;
}

static jali_status add_table(jali_plan *plan, jali_table t, size_t *table, jali_err *err)
{
    JALI_TRY(check_cells(plan, &t, &t.cells, err));
    jali_table *to = grow(plan, &plan->table, sizeof t);
    if (to == NULL) return jali_fail_memory(err);
    *to = t;
    plan->cells += t.cells;
    *table = plan->table.n - 1;
    return JALI_OK;
}

static jali_status by_columns(jali_plan *plan, size_t slice, const char *const *columns,
                              size_t n, int sum, size_t *table, jali_err *err)
{
    jali_table t = { .slice = slice, .n = (unsigned)n, .sum = sum };
    JALI_TRY(check_slice(plan, slice, err));
    if (n > JALI_PLAN_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a table can be grouped by at most %d columns", JALI_PLAN_COLUMNS);
    for (size_t i = 0; i < n; i++) JALI_TRY(column_source(plan, columns[i], &t.source[i], err));
    return add_table(plan, t, table, err);
}

jali_status jali_plan_touch(jali_plan *plan, const char *const *columns, size_t n,
                            jali_err *err)
{
    uint32_t source;
    for (size_t i = 0; i < n; i++) JALI_TRY(column_source(plan, columns[i], &source, err));
    return JALI_OK;
}

uint64_t jali_plan_domain(const jali_plan *plan, const char *column)
{
    size_t i;
    if (!jali_columns_find(plan->columns, column, &i)) return 0;
    return jali_columns_at(plan->columns, i)->domain;
}

jali_status jali_plan_counts(jali_plan *plan, size_t slice, const char *const *columns,
                             size_t n, size_t *table, jali_err *err)
{
    return by_columns(plan, slice, columns, n, NONE, table, err);
}

static jali_status find_sum(jali_plan *plan, const char *name, uint64_t centre, int *out,
                            jali_err *err)
{
    size_t column;
    JALI_TRY(find(plan, name, &column, err));
    uint64_t domain = jali_columns_at(plan->columns, column)->domain;
    uint64_t top = domain < 2 ? 0 : domain - 2;
    if (top > JALI_PLAN_SUM_CODES)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has so many steps between its bounds that a sum could "
                         "overflow: give it a wider step or narrower bounds in the schema",
                         name);
    if (centre > top)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the centre of \"%.100s\" lies outside its bounds", name);
    for (size_t i = 0; i < plan->sum.n; i++)
        if (PLAN_SUM(plan, i).column == column && PLAN_SUM(plan, i).centre == centre) {
            *out = (int)i;
            return JALI_OK;
        }
    jali_sum *to = grow(plan, &plan->sum, sizeof *to);
    if (to == NULL) return jali_fail_memory(err);
    *to = (jali_sum){ column, domain, centre };
    *out = (int)plan->sum.n - 1;
    return JALI_OK;
}

jali_status jali_plan_sums(jali_plan *plan, size_t slice, const char *const *columns, size_t n,
                           const char *summed, uint64_t centre, size_t *table, jali_err *err)
{
    int sum = NONE;
    JALI_TRY(find_sum(plan, summed, centre, &sum, err));
    return by_columns(plan, slice, columns, n, sum, table, err);
}

/* ---- histograms and grids: one computed column each ------------------------------- */

static jali_status computed(jali_plan *plan, jali_key_source source, size_t slice, int sum,
                            size_t *table, jali_err *err)
{
    jali_table t = { .slice = slice, .n = 1, .sum = sum };
    source.width = source.domain <= 65536 ? 2 : 4;
    t.source[0] = (uint32_t)plan->source.n;
    jali_key_source *to = grow(plan, &plan->source, sizeof *to);
    if (to == NULL) return jali_fail_memory(err);
    *to = source;
    return add_table(plan, t, table, err);
}

static unsigned bits(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/* With magic = floor(2^shift / step) + 1 the product x * magic exceeds x / step * 2^shift
 * by at most x, so its quotient is right if x * step < 2^shift. One shift serves all labels,
 * if the smallest step still leaves magic 32 bits. */
static void choose_magic(jali_binning *by, uint32_t *magic, const uint32_t *step, uint32_t kept,
                         uint32_t labels)
{
    uint32_t most = 0, least = UINT32_MAX;
    for (uint32_t l = 0; l < labels; l++) {
        most = step[l] > most ? step[l] : most;
        least = step[l] < least ? step[l] : least;
    }
    unsigned shift = bits(by->null) + bits(most);
    if (shift > 63 || (1ull << shift) / least >= UINT32_MAX) return;
    for (uint32_t l = 0; l < kept; l++)
        magic[l] = (uint32_t)((1ull << shift) / step[l < labels ? l : 0]) + 1;
    by->shift = shift;
}

static jali_status take_edges(jali_plan *plan, const jali_slice *s, const uint32_t *lo,
                              const uint32_t *step, jali_key_source *out, jali_err *err)
{
    jali_edge *edge = jali_arena_take(&plan->arena, s->kept, sizeof *edge);
    uint32_t *from_lo = jali_arena_take(&plan->arena, s->kept, sizeof *from_lo);
    uint32_t *magic = jali_arena_take(&plan->arena, s->kept, sizeof *magic);
    uint32_t *steps = jali_arena_take(&plan->arena, s->kept, sizeof *steps);
    if (edge == NULL || from_lo == NULL || magic == NULL || steps == NULL)
        return jali_fail_memory(err);
    for (uint32_t l = 0; l < s->kept; l++) {
        uint32_t from = l < s->labels ? l : 0; /* rows left out may use any edges */
        if (step[from] == 0)
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                             "a bin of a histogram must be at least one step wide");
        bool one = step[from] == 1;
        edge[l] = (jali_edge){ lo[from], one ? UINT32_MAX : 0,
                               one ? 0 : UINT64_MAX / step[from] + 1 };
        from_lo[l] = lo[from];
        steps[l] = step[from];
    }
    out->edge = edge;
    out->step = steps;
    out->by.lo = from_lo;
    out->by.magic = magic;
    choose_magic(&out->by, magic, step, s->kept, s->labels);
    return JALI_OK;
}

jali_status jali_plan_histogram(jali_plan *plan, size_t slice, const char *column,
                                uint32_t bins, const uint32_t *lo, const uint32_t *step,
                                size_t *table, jali_err *err)
{
    jali_key_source s = { SOURCE_BINS, .slice = slice, .domain = (uint64_t)bins + 1 };
    JALI_TRY(check_slice(plan, slice, err));
    JALI_TRY(find(plan, column, &s.column, err));
    if (bins == 0 || bins > JALI_PLAN_CELLS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a histogram has 1 to %d bins, not %u", JALI_PLAN_CELLS,
                         (unsigned)bins);
    if (jali_columns_at(plan->columns, s.column)->width > 4)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" is too fine for a histogram: give it a wider step in the "
                         "schema",
                         column);
    s.by.bins = bins;
    s.by.null = (uint32_t)(jali_columns_at(plan->columns, s.column)->domain - 1);
    JALI_TRY(take_edges(plan, &PLAN_SLICE(plan, slice), lo, step, &s, err));
    return computed(plan, s, slice, NONE, table, err);
}

static jali_status add_grid(jali_plan *plan, size_t slice, const char *const *columns, size_t n,
                            unsigned bits, int sum, size_t *table, jali_err *err)
{
    jali_key_source s = { SOURCE_GRID, .slice = slice, .n = (unsigned)n, .bits = bits };
    JALI_TRY(check_slice(plan, slice, err));
    if (n == 0 || n > JALI_PLAN_GRID_COLUMNS || bits > 26)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a grid has 1 to %d columns and at most 2^26 cells",
                         JALI_PLAN_GRID_COLUMNS);
    s.domain = (1ull << bits) + 1;
    JALI_TRY(find_all(plan, columns, n, &s.grid, err));
    for (size_t i = 0; i < n; i++)
        if (jali_columns_at(plan->columns, s.grid[i])->width > 4)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%.100s\" is too fine for a grid: give it a wider step in the "
                             "schema",
                             columns[i]);
    return computed(plan, s, slice, sum, table, err);
}

jali_status jali_plan_grid(jali_plan *plan, size_t slice, const char *const *columns, size_t n,
                           unsigned bits, size_t *table, jali_err *err)
{
    return add_grid(plan, slice, columns, n, bits, NONE, table, err);
}

jali_status jali_plan_grid_sums(jali_plan *plan, size_t slice, const char *const *columns,
                                size_t n, unsigned bits, const char *summed, uint64_t centre,
                                size_t *table, jali_err *err)
{
    int sum = NONE;
    JALI_TRY(find_sum(plan, summed, centre, &sum, err));
    return add_grid(plan, slice, columns, n, bits, sum, table, err);
}
