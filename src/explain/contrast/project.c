/* explain/contrast/project.c — more than three columns: seen along three public directions.
 *
 * No claim: what is drawn here is paid and proven as part of contrast.plan.
 * Source   PrivEC / peCluster, Algorithms 1 and 2; PRIVACY 6: directions from public numbers,
 *          no n, means of the original records. Instead of Lambda we cut at three times what a
 *          direction sees of a corner on average: records beyond are moved to the border.
 */
#include "explain/contrast/project.h"
#include "explain/contrast/stream.h"
#include "tally/project.h"
#include <math.h>
#include <string.h>

double jali_project_stretch(size_t n)
{
    return sqrt((double)n / JALI_PROJECT_DIMS) / JALI_DIRECTION_SIZE;
}

/* Normal vectors, made orthogonal (Gram, Schmidt), of length 1. */
static void draw_directions(double *g, size_t n, uint64_t stream)
{
    for (size_t i = 0; i < JALI_PROJECT_DIMS; i++) {
        double norm = 0;
        for (size_t j = 0; j < n; j++) g[i * n + j] = jali_next_normal(&stream);
        for (size_t h = 0; h < i; h++) {
            double dot = 0;
            for (size_t j = 0; j < n; j++) dot += g[i * n + j] * g[h * n + j];
            for (size_t j = 0; j < n; j++) g[i * n + j] -= dot * g[h * n + j];
        }
        for (size_t j = 0; j < n; j++) norm += g[i * n + j] * g[i * n + j];
        for (size_t j = 0; j < n; j++) g[i * n + j] /= sqrt(norm);
    }
}

static double decimal(jali_dec d)
{
    return (double)d.units * pow(10, -(double)d.digits);
}

/* Columns, middles and the half diagonal of the public box. */
static double measure(const jali_schema *schema, const size_t *field, size_t n, double *middle)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) {
        const jali_field *f = &schema->fields[field[j]];
        double step = decimal(f->step), half = (double)(f->high - f->low) / 2 * step;
        middle[j] = (double)(f->high + f->low) / 2 * step;
        square += half * half;
    }
    return sqrt(square);
}

static double widest(const jali_schema *schema, const size_t *field, size_t n)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        const jali_field *f = &schema->fields[field[j]];
        most = fmax(most, (double)(f->high - f->low) * decimal(f->step));
    }
    return most > 0 ? most : 1;
}

/* Values in cells of one direction: places of tally/project.h count in 1/1024 of a step. */
static void lay_ground(jali_project *p, double radius, double value_of_step,
                       jali_ground *ground)
{
    double reach = radius * fmin(1, 3 / sqrt((double)p->n)), cells = 1 << JALI_PROJECT_BITS;
    double places = fmin(reach / value_of_step * JALI_DIRECTION_SIZE, 1 << 30);
    for (size_t i = 0; i < JALI_PROJECT_DIMS; i++) {
        p->low[i] = -(int32_t)ceil(places);
        p->step[i] = (int32_t)fmax(1, ceil(2 * places / cells));
        double unit = p->stretch * value_of_step;
        ground->origin[i] = p->low[i] * unit;
        ground->step[i] = p->step[i] * unit;
        ground->length = fmax(ground->length, ground->step[i] * cells);
    }
    ground->dims = JALI_PROJECT_DIMS;
}

jali_status jali_project_make(jali_project *out, const jali_schema *schema,
                              const char *const *column, const size_t *field, size_t n,
                              uint64_t stream, jali_ground *ground, jali_arena *arena,
                              jali_err *err)
{
    jali_geometry *space = jali_arena_take(arena, 1, sizeof *space);
    jali_frame frame;
    double *middle = jali_arena_take(arena, n, sizeof *middle);
    double *g = jali_arena_take(arena, JALI_PROJECT_DIMS * n, sizeof *g);
    int16_t *direction = jali_arena_take(arena, JALI_PROJECT_DIMS * n, sizeof *direction);
    size_t *of = jali_arena_take(arena, n, sizeof *of);
    int32_t *ends = jali_arena_take(arena, 2 * JALI_PROJECT_DIMS, sizeof *ends);
    jali_cell_grid *grid = jali_arena_take(arena, 1, sizeof *grid);
    if (grid == NULL || ends == NULL || space == NULL || middle == NULL || g == NULL ||
        direction == NULL || of == NULL)
        return jali_fail_memory(err);
    JALI_TRY(jali_geometry_make(space, schema, column, n, JALI_SCALE_VALUES, arena, err));
    JALI_TRY(jali_frame_make(&frame, space, NULL, NULL, arena, err));
    draw_directions(g, n, stream);
    for (size_t i = 0; i < JALI_PROJECT_DIMS * n; i++)
        direction[i] = (int16_t)lround(JALI_DIRECTION_SIZE * g[i]);
    for (size_t j = 0; j < n; j++) of[j] = j;
    *out = (jali_project){ .n = n, .middle = middle, .direction = direction, .column = column };
    out->stretch = jali_project_stretch(n);
    double radius = measure(schema, field, n, middle);
    lay_ground(out, radius, frame.unit * widest(schema, field, n), ground);
    memcpy(ends, out->low, sizeof out->low);
    memcpy(ends + JALI_PROJECT_DIMS, out->step, sizeof out->step);
    *grid = (jali_cell_grid){ .on = { .axes = n,
                                      .n = JALI_PROJECT_DIMS,
                                      .axis = frame.axis,
                                      .column_of = of,
                                      .direction = direction },
                              .low = ends,
                              .step = ends + JALI_PROJECT_DIMS,
                              .cells = 1u << JALI_PROJECT_BITS };
    out->grid = grid;
    return JALI_OK;
}

void jali_project_point(const jali_project *p, const double *at, double *out)
{
    for (size_t i = 0; i < JALI_PROJECT_DIMS; i++) {
        out[i] = 0;
        for (size_t j = 0; j < p->n; j++)
            out[i] += p->stretch * p->direction[i * p->n + j] * (at[j] - p->middle[j]);
    }
}

/* ---- centres of the original columns ---------------------------------------------------- */

/* Which centre is nearest to each cell: a function of what is released, and so of a record. */
static jali_status map_cells(const jali_spot *centre, size_t k, const jali_ground *ground,
                             jali_arena *arena, uint16_t **out, jali_err *err)
{
    size_t side = 1u << JALI_PROJECT_BITS, n = side * side * side;
    uint16_t *map = jali_arena_take(arena, n, sizeof *map);
    if (map == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        size_t at[] = { i / side / side, i / side % side, i % side };
        double least = INFINITY;
        for (size_t c = 0; c < k; c++) {
            double far = 0;
            for (unsigned a = 0; a < JALI_PROJECT_DIMS; a++) {
                double x = ((double)at[a] + 0.5) * ground->step[a] / ground->length;
                far += (x - (double)centre[c].at[a]) * (x - (double)centre[c].at[a]);
            }
            if (far < least) {
                least = far;
                map[i] = (uint16_t)c;
            }
        }
    }
    *out = map;
    return JALI_OK;
}

typedef struct reversal {
    const jali_schema *schema;
    const size_t *field;
    size_t n, k, slice, count, *sum;
    jali_plan *tables;
} reversal;

static uint64_t centre_of(const jali_field *f)
{
    return (f->domain - 2) / 2;
}

static jali_status add_tables(reversal *r, jali_label *label, jali_err *err)
{
    JALI_TRY(jali_plan_slice(r->tables, label, NULL, &r->slice, err));
    JALI_TRY(jali_plan_counts(r->tables, r->slice, NULL, 0, &r->count, err));
    for (size_t j = 0; j < r->n; j++) {
        const jali_field *f = &r->schema->fields[r->field[j]];
        JALI_TRY(jali_plan_sums(r->tables, r->slice, NULL, 0, f->name, centre_of(f), &r->sum[j],
                                err));
    }
    return JALI_OK;
}

/* Sum over count, cut to the bounds; the middle where the count is too small to divide by. */
static void write_mean(const jali_field *f, int64_t count, int64_t sum, double *out)
{
    double code = (double)centre_of(f) + (count >= 1 ? (double)sum / (double)count : 0);
    code = fmin(fmax(code, 0), (double)(f->domain - 2));
    *out = ((double)f->low + code) * decimal(f->step);
}

/* Everything that would refuse the pass, asked before it is paid. */
jali_status jali_project_check(const jali_project *p, const jali_schema *schema,
                               const size_t *field, jali_columns *columns, size_t k,
                               jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    reversal r = { .schema = schema, .field = field, .n = p->n, .k = k };
    jali_label label = { .labels = (uint32_t)k,
                         .n = p->n,
                         .columns = p->column,
                         .label = jali_cell_grid_rows,
                         .self = (void *)(uintptr_t)p->grid,
                         .made = JALI_LABEL_GRID,
                         .of = p->grid };
    r.sum = jali_arena_take(&arena, p->n, sizeof *r.sum);
    jali_status status = r.sum == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK)
        status = jali_plan_new(&r.tables, columns, schema->rows_per_person, err);
    if (status == JALI_OK) status = add_tables(&r, &label, err);
    jali_plan_free(r.tables);
    jali_arena_clear(&arena);
    return status;
}

static jali_status release_means(reversal *r, const jali_noiser *count, const jali_noiser *sum,
                                 jali_charge *charge, jali_dice *dice, jali_pool *pool,
                                 jali_arena *arena, double *out, jali_err *err)
{
    const jali_tallies *t;
    jali_noisy counts, sums;
    JALI_TRY(jali_plan_run(r->tables, pool, arena, &t, err));
    JALI_TRY(jali_noise_release(count, jali_tallies_counts(t, r->count), charge, dice, arena,
                                &counts, err));
    for (size_t j = 0; j < r->n; j++) {
        JALI_TRY(jali_noise_release(sum, jali_tallies_sums(t, r->sum[j]), charge, dice, arena,
                                    &sums, err));
        for (size_t c = 0; c < r->k; c++)
            write_mean(&r->schema->fields[r->field[j]], counts.cell[c], sums.cell[c],
                       &out[c * r->n + j]);
    }
    return JALI_OK;
}

jali_status jali_project_reverse(const jali_project *p, const jali_schema *schema,
                                 const size_t *field, jali_columns *columns,
                                 const jali_noiser *count, const jali_noiser *sum,
                                 const jali_spot *centre, size_t k, const jali_ground *ground,
                                 jali_charge *charge, jali_dice *dice, jali_pool *pool,
                                 double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_cell_grid grid = *p->grid;
    uint16_t *map = NULL;
    reversal r = { .schema = schema, .field = field, .n = p->n, .k = k };
    jali_label label = { .labels = (uint32_t)k,
                         .n = p->n,
                         .columns = p->column,
                         .label = jali_cell_grid_rows,
                         .self = &grid,
                         .made = JALI_LABEL_GRID,
                         .of = &grid };
    r.sum = jali_arena_take(&arena, p->n, sizeof *r.sum);
    jali_status status = r.sum == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) status = map_cells(centre, k, ground, &arena, &map, err);
    grid.map = map;
    if (status == JALI_OK)
        status = jali_plan_new(&r.tables, columns, schema->rows_per_person, err);
    if (status == JALI_OK) status = add_tables(&r, &label, err);
    if (status == JALI_OK)
        status = release_means(&r, count, sum, charge, dice, pool, &arena, out, err);
    jali_plan_free(r.tables);
    jali_arena_clear(&arena);
    return status;
}
