/* explain/contrast/plan.c — a plan of centres: what is counted, what it costs, what came out.
 *
 * Claim    contrast.plan
 *          The released body of a plan is eps-DP (Laplace) or rho-zCDP (Gauss) in the
 *          add/remove model for one person, where eps or rho is the budget of
 *          jali_contrast_init, and it costs exactly c->loss, which is not above the budget (but
 *          for parts below the ledger's grain, each of which counts as one grain).
 * Proof    proofs/contrast.md#contrast.plan
 * Source   PrivEC / peCluster, Algorithm 3, corrected by PRIVACY 6: no exact n, no scale
 *          factor; up to three columns the whole budget goes to the coreset and centres
 *          found on it are post-processing (ALGORITHMS 1.2, 2); more are projected.
 * Law      that of mech/coreset.c; with more than three columns also counts and sums of
 *          each cluster with noise of mech/noise.c
 * Spends   everything on the coreset; with more than three columns a half, and of the
 *          other half 20% on the counts and 80% in equal parts on the sums
 * Test     tests/explain/contrast/plan_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/contrast/plan.h"
#include "base/rat.h"
#include "explain/contrast/release.h"
#include "explain/contrast/solve.h"
#include "explain/contrast/stream.h"
#include "tally/project.h"
#include <math.h>
#include <string.h>

static const unsigned grid_bits[] = { 0, 16, 9, 6 };
enum { STARTS = 16, MORE_STARTS = 40, MANY_CENTRES = 8 };

static double decimal(jali_dec d)
{
    return (double)d.units * pow(10, -(double)d.digits);
}

/* ---- what is asked ---------------------------------------------------------------------- */

static jali_status check_counts(const jali_contrast_ask *a, jali_err *err)
{
    if (a->n < 1 || a->n > JALI_CONTRAST_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a plan has 1 to %d columns of coordinates, not %zu",
                         JALI_CONTRAST_COLUMNS, a->n);
    if (a->centres < 1 || a->centres > JALI_CENTRES_MOST)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a plan has 1 to %d centres, not %zu", JALI_CENTRES_MOST, a->centres);
    if (a->cap != 0 && (a->cap < JALI_CORESET_CAP_LEAST || a->cap > JALI_CORESET_CAP_MOST))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a coreset has %d to %d cells, not %u", JALI_CORESET_CAP_LEAST,
                         JALI_CORESET_CAP_MOST, (unsigned)a->cap);
    if (a->n > JALI_CORESET_DIMS && (a->low != NULL || a->tight))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a smaller or tight box is for at most %d columns; leave it out",
                         JALI_CORESET_DIMS);
    return JALI_OK;
}

static jali_status find_fields(jali_contrast *c, jali_err *err)
{
    for (size_t i = 0; i < c->ask.n; i++) {
        JALI_TRY(jali_schema_find(c->schema, c->ask.column[i], &c->field[i], err));
        const jali_field *f = &c->schema->fields[c->field[i]];
        if (f->kind != JALI_NUMBER || f->domain < 2)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%.100s\" has no distances: a coordinate must be a number with "
                             "bounds",
                             f->name);
        for (size_t j = 0; j < i; j++)
            if (c->field[j] == c->field[i])
                return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                 "\"%.100s\" is named twice; once is enough", f->name);
    }
    return JALI_OK;
}

static jali_status find_weight(jali_contrast *c, jali_err *err)
{
    c->weight_field = SIZE_MAX;
    c->unit = c->row = 1;
    c->shape.weight = 1;
    if (c->ask.weight == NULL) return JALI_OK;
    JALI_TRY(jali_schema_find(c->schema, c->ask.weight, &c->weight_field, err));
    const jali_field *f = &c->schema->fields[c->weight_field];
    if (f->kind != JALI_NUMBER || f->domain < 2 || f->low < 0 || f->high < 1 ||
        f->high >= (int64_t)1 << 31)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" cannot be a weight: it needs bounds from 0 or above to "
                         "less than 2^31 steps",
                         f->name);
    c->unit = decimal(f->step);
    c->row = c->unit * (double)f->high;
    c->shape.weight = (uint64_t)f->high;
    c->shape.least = (uint64_t)f->low;
    return JALI_OK;
}

/* ---- the box ---------------------------------------------------------------------------- */

static unsigned bits_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

static jali_status narrow(jali_contrast *c, size_t i, jali_err *err)
{
    const jali_ground *g = &c->ground;
    double low = c->ask.low[i], high = c->ask.high[i];
    double from = floor((low - g->origin[i]) / g->step[i]);
    double to = ceil((high - g->origin[i]) / g->step[i]);
    if (!(low < high) || !(to > c->shape.lo[i]) || !(from < c->shape.hi[i]))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the bounds of \"%.100s\" must be two numbers, the smaller first, "
                         "that meet the column's own",
                         c->ask.column[i]);
    if (from > c->shape.lo[i]) c->shape.lo[i] = (uint32_t)from;
    if (to < c->shape.hi[i]) c->shape.hi[i] = (uint32_t)to;
    return JALI_OK;
}

/* Fine cell f of a column holds the codes whose top bits are f (tally/plan.h). */
static jali_status lay_box(jali_contrast *c, jali_err *err)
{
    unsigned dims = (unsigned)c->ask.n, most = 1;
    jali_coreset_shape *s = &c->shape;
    for (size_t i = 0; i < dims; i++) {
        unsigned have = bits_of(c->schema->fields[c->field[i]].domain - 2);
        most = have > most ? have : most;
    }
    c->bits = grid_bits[dims] + (c->ask.low != NULL && dims < 3);
    if (c->bits > most) c->bits = most;
    c->ground.dims = s->dims = dims;
    s->bits = c->bits;
    for (size_t i = 0; i < dims; i++) {
        const jali_field *f = &c->schema->fields[c->field[i]];
        unsigned have = bits_of(f->domain - 2);
        double cell = ldexp(1, (int)have - (int)c->bits);
        c->ground.step[i] = cell * decimal(f->step);
        c->ground.origin[i] = ((double)f->low - 0.5) * decimal(f->step);
        s->lo[i] = 0;
        s->hi[i] = have > c->bits ? (uint32_t)((f->domain - 2) >> (have - c->bits)) + 1
                                  : (uint32_t)(f->domain - 1) << (c->bits - have);
        if (c->ask.low != NULL) JALI_TRY(narrow(c, i, err));
        s->side[i] = c->ground.step[i] * (s->hi[i] - s->lo[i]);
        c->ground.length = fmax(c->ground.length, s->side[i]);
    }
    return JALI_OK;
}

static jali_status lay_projection(jali_contrast *c, jali_arena *arena, jali_err *err)
{
    uint64_t stream = 0;
    jali_coreset_shape *s = &c->shape;
    for (const char *p = c->plan; *p != '\0'; p++) jali_fold(&stream, (uint64_t)*p);
    JALI_TRY(jali_project_make(&c->project, c->schema, c->ask.column, c->field, c->ask.n,
                               stream, &c->ground, arena, err));
    s->dims = JALI_PROJECT_DIMS;
    s->bits = c->bits = JALI_PROJECT_BITS;
    for (unsigned a = 0; a < s->dims; a++) {
        s->lo[a] = 0;
        s->hi[a] = 1u << s->bits;
        s->side[a] = c->ground.step[a] * s->hi[a];
    }
    return JALI_OK;
}

/* ---- plan and price --------------------------------------------------------------------- */

static json_t *bounds_json(const jali_contrast_ask *a)
{
    json_t *list = json_array();
    char text[64];
    for (size_t i = 0; a->low != NULL && i < a->n; i++) {
        snprintf(text, sizeof text, "%.17g:%.17g", a->low[i], a->high[i]);
        if (json_array_append_new(list, json_string(text)) != 0) return NULL;
    }
    return list;
}

static jali_status write_plan(jali_contrast *c, const char *budget, jali_arena *arena,
                              jali_err *err)
{
    const jali_contrast_ask *a = &c->ask;
    json_t *columns = json_array();
    char *text = NULL;
    for (size_t i = 0; i < a->n; i++)
        if (json_array_append_new(columns, json_string(a->column[i])) != 0)
            return jali_fail_memory(err);
    json_t *plan =
        json_pack("{s:s,s:o,s:s?,s:I,s:s,s:b,s:I,s:o,s:s,s:s}", "verb", "contrast", "columns",
                  columns, "weight", a->weight, "centres", (json_int_t)a->centres, "objective",
                  a->squared ? "means" : "median", "tight", a->tight, "cells",
                  (json_int_t)a->cap, "bounds", bounds_json(a), "law",
                  c->law == JALI_LAW_GAUSS ? "gauss" : "laplace", "budget", budget);
    if (plan == NULL) return jali_fail_memory(err);
    jali_status status = jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    c->plan = text;
    c->exact = jali_arena_format(
        arena, "%s %s: %s", c->law == JALI_LAW_GAUSS ? "rho" : "pure eps", budget,
        a->n > JALI_CORESET_DIMS ? "a half for the coreset, a half for centres of the columns"
        : a->tight               ? "2% total, 29.4% parts, the rest cells"
                                 : "2% total, 14.7% tree, 14.7% parts, the rest cells");
    return status == JALI_OK && c->exact == NULL ? jali_fail_memory(err) : status;
}

static void share(mpq_t out, mpq_srcptr budget, unsigned long num, unsigned long den)
{
    uint64_t pico;
    mpq_set_ui(out, num, den);
    mpq_canonicalize(out);
    mpq_mul(out, out, budget);
    if (!jali_rat_down(&pico, out, JALI_LOSS_DIGITS) || pico == 0) return;
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

/* A half to the coreset; 10% to the clusters' counts, 40% / n to each of n sums. */
static jali_status make_reverse(jali_contrast *c, mpq_srcptr budget, jali_err *err)
{
    mpq_t part;
    mpq_init(part);
    share(part, budget, 1, 10);
    jali_status status = jali_noiser_new(&c->reverse_count, c->law, part, err);
    share(part, budget, 4, 10 * c->ask.n);
    if (status == JALI_OK) status = jali_noiser_new(&c->reverse_sum, c->law, part, err);
    mpq_clear(part);
    if (status != JALI_OK) return status;
    for (size_t i = 0; i < c->ask.n; i++) { /* what cannot be drawn is refused now */
        uint64_t far = c->schema->fields[c->field[i]].domain * c->shape.rows;
        jali_reach reach = { c->shape.rows, far, far, far };
        double scale;
        JALI_TRY(jali_noiser_scale(c->reverse_sum, &reach, &scale, err));
    }
    c->loss = jali_loss_add(jali_noiser_loss(c->reverse_count),
                            jali_loss_times(jali_noiser_loss(c->reverse_sum), c->ask.n));
    return JALI_OK;
}

static jali_status price(jali_contrast *c, mpq_srcptr budget, jali_err *err)
{
    mpq_t part;
    mpq_init(part);
    mpq_set(part, budget);
    jali_status status = JALI_OK;
    if (c->project.n > 0) {
        share(part, budget, 1, 2);
        status = make_reverse(c, budget, err);
    }
    if (status == JALI_OK)
        status = jali_coreset_maker_new(&c->maker, &c->shape, c->law, part, err);
    if (status == JALI_OK) c->loss = jali_loss_add(c->loss, jali_coreset_loss(c->maker));
    mpq_clear(part);
    return status;
}

jali_status jali_contrast_init(jali_contrast *c, const jali_schema *schema,
                               const jali_contrast_ask *ask, jali_law law, mpq_srcptr budget,
                               const char *text, jali_arena *arena, jali_err *err)
{
    *c = (jali_contrast){ .schema = schema, .ask = *ask, .law = law };
    JALI_TRY(check_counts(ask, err));
    if (c->ask.cap == 0) c->ask.cap = JALI_CONTRAST_CAP;
    JALI_TRY(find_fields(c, err));
    JALI_TRY(find_weight(c, err));
    JALI_TRY(write_plan(c, text, arena, err));
    c->shape.tight = ask->tight;
    c->shape.cap = c->ask.cap;
    c->shape.rows = schema->rows_per_person;
    if (ask->n <= JALI_CORESET_DIMS)
        JALI_TRY(lay_box(c, err));
    else
        JALI_TRY(lay_projection(c, arena, err));
    jali_status status = price(c, budget, err);
    if (status != JALI_OK) jali_contrast_clear(c);
    return status;
}

void jali_contrast_clear(jali_contrast *c)
{
    jali_coreset_maker_free(c->maker);
    jali_noiser_free(c->reverse_count);
    jali_noiser_free(c->reverse_sum);
    jali_plan_free(c->tables);
    c->maker = NULL;
    c->reverse_count = c->reverse_sum = NULL;
    c->tables = NULL;
}

/* ---- the run ---------------------------------------------------------------------------- */

static jali_status bind_projected(jali_contrast *c, const char *weight, jali_err *err)
{
    size_t slice;
    jali_label label = { .labels = (1u << JALI_PROJECT_DIMS * JALI_PROJECT_BITS) + 1,
                         .n = c->ask.n,
                         .columns = c->project.column,
                         .label = jali_cell_grid_rows,
                         .self = (void *)(uintptr_t)c->project.grid,
                         .made = JALI_LABEL_GRID,
                         .of = c->project.grid };
    JALI_TRY(jali_plan_slice(c->tables, &label, NULL, &slice, err));
    return weight == NULL
               ? jali_plan_counts(c->tables, slice, NULL, 0, &c->table, err)
               : jali_plan_sums(c->tables, slice, NULL, 0, weight, 0, &c->table, err);
}

jali_status jali_contrast_bind(jali_contrast *c, jali_columns *columns, jali_arena *arena,
                               jali_err *err)
{
    const char *weight = c->ask.weight;
    unsigned halvings = (unsigned)c->ask.n * c->bits;
    (void)arena;
    c->columns = columns;
    JALI_TRY(jali_plan_new(&c->tables, columns, c->schema->rows_per_person, err));
    if (c->project.n > 0) {
        JALI_TRY(
            jali_project_check(&c->project, c->schema, c->field, columns, c->ask.centres, err));
        return bind_projected(c, weight, err);
    }
    if (weight == NULL)
        return jali_plan_grid(c->tables, 0, c->ask.column, c->ask.n, halvings, &c->table, err);
    return jali_plan_grid_sums(c->tables, 0, c->ask.column, c->ask.n, halvings, weight, 0,
                               &c->table, err);
}

/* Centres of a coreset: post-processing, with variety from the released numbers. */
static jali_status find_centres(const jali_contrast *c, const jali_coreset *coreset,
                                jali_spot *centre, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_weights weights;
    jali_solver solver;
    uint64_t stream = jali_contrast_stream(coreset);
    jali_status status =
        jali_weigh(&weights, coreset, &c->ground, c->ask.squared, &scratch, err);
    if (status == JALI_OK)
        status = jali_solver_new(&solver, &weights.cloud, c->ask.centres, &scratch, err);
    if (status == JALI_OK)
        jali_solve(&solver, centre, c->ask.centres >= MANY_CENTRES ? MORE_STARTS : STARTS,
                   &stream);
    jali_arena_clear(&scratch);
    return status;
}

static jali_status count_and_draw(const jali_contrast *c, jali_charge *charge, jali_dice *dice,
                                  jali_pool *pool, jali_arena *arena, jali_coreset *out,
                                  jali_err *err)
{
    jali_arena sealed = JALI_ARENA_INIT;
    const jali_tallies *tallies;
    jali_status status = jali_plan_run(c->tables, pool, &sealed, &tallies, err);
    if (status == JALI_OK)
        status = jali_coreset_release(c->maker, jali_tallies_give(tallies, c->table),
                                      jali_tallies_sums(tallies, c->table), charge, dice, arena,
                                      out, err);
    jali_arena_clear(&sealed);
    return status;
}

jali_status jali_contrast_run(const jali_contrast *c, jali_charge *charge, jali_dice *dice,
                              jali_pool *pool, jali_arena *arena, char **body, jali_err *err)
{
    jali_contrast_release r = { .ask = c->ask,
                                .unit = c->unit,
                                .row = c->row,
                                .rows = c->schema->rows_per_person,
                                .ground = c->ground,
                                .project = c->project };
    JALI_TRY(count_and_draw(c, charge, dice, pool, arena, &r.coreset, err));
    r.base = jali_arena_take(arena, c->ask.centres, sizeof *r.base);
    r.centre = jali_arena_take(arena, c->ask.centres * c->ask.n, sizeof *r.centre);
    if (r.base == NULL || r.centre == NULL) return jali_fail_memory(err);
    JALI_TRY(find_centres(c, &r.coreset, r.base, err));
    if (c->project.n > 0)
        JALI_TRY(jali_project_reverse(&c->project, c->schema, c->field, c->columns,
                                      c->reverse_count, c->reverse_sum, r.base, c->ask.centres,
                                      &c->ground, charge, dice, pool, r.centre, err));
    else
        jali_contrast_place(&r);
    return jali_contrast_write(&r, arena, body, err);
}
