/* eval/contrast_truth.c — real points of a public vault, and coresets to compare with. */
#include "dice/dice.h"
#include "engine/codes.h"
#include "eval/contrast.h"
#include "explain/contrast/stream.h"
#include "mech/privtree.h"
#include "tally/open.h"
#include <math.h>
#include <string.h>

enum { STARTS = 20, ASKER_STARTS = 3, STEPS = 15 };

/* Every row with all coordinates, of weight 1, in box units. */
static jali_status load(jali_ground_truth *t, const jali_stage *stage,
                        const jali_contrast *plan, jali_err *err)
{
    const jali_column *column[JALI_CORESET_DIMS];
    size_t rows = (size_t)jali_columns_rows(stage->columns), n = 0;
    JALI_TRY(jali_plan_check(plan->tables, stage->pool, err)); /* maps the columns */
    for (size_t a = 0; a < plan->ask.n; a++) {
        size_t i;
        if (!jali_columns_find(stage->columns, plan->ask.column[a], &i))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "no such column");
        column[a] = jali_columns_at(stage->columns, i);
    }
    JALI_TRY(jali_cloud_new(&t->cloud, rows, plan->ask.squared, stage->arena, err));
    for (size_t row = 0; row < rows; row++) {
        bool known = true;
        for (size_t a = 0; a < plan->ask.n; a++) {
            const jali_field *f = &plan->schema->fields[plan->field[a]];
            uint64_t code = jali_code_at(column[a]->codes, column[a]->width, row);
            double step = (double)f->step.units * pow(10, -(double)f->step.digits);
            known = known && code != f->domain - 1;
            t->cloud.x[a][n] =
                (float)((((double)f->low + (double)code) * step - t->ground->origin[a]) /
                        t->ground->length);
        }
        t->cloud.w[n] = known ? 1 : 0;
        n += known;
    }
    for (size_t i = n; i < t->cloud.n; i++) t->cloud.w[i] = 0;
    t->cloud.real = n;
    return JALI_OK;
}

/* Half of the askers live somewhere, half stand anywhere in the box of the data. */
static void place_askers(jali_ground_truth *t, uint64_t *stream)
{
    float low[JALI_SPACE], high[JALI_SPACE];
    for (unsigned a = 0; a < JALI_SPACE; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
        for (size_t q = 0; q < t->cloud.real; q++) {
            low[a] = fminf(low[a], t->cloud.x[a][q]);
            high[a] = fmaxf(high[a], t->cloud.x[a][q]);
        }
    }
    for (size_t i = 0; i < t->askers; i++) {
        size_t q = (size_t)(jali_next_unit(stream) * (double)t->cloud.real);
        for (unsigned a = 0; a < JALI_SPACE; a++)
            t->at[i].at[a] = i % 2 == 0
                                 ? t->cloud.x[a][q]
                                 : low[a] + (float)jali_next_unit(stream) * (high[a] - low[a]);
    }
}

void jali_truth_learn(jali_ground_truth *t, size_t i, const jali_spot *set)
{
    jali_spot own[JALI_CENTRES_MOST];
    memcpy(own, set, t->k * sizeof *own);
    own[0] = t->at[i];
    double cost = jali_descend(&t->solver, own, true, STEPS);
    if (cost < t->cost[i]) t->cost[i] = cost;
}

static void solve_asker(jali_ground_truth *t, size_t i, uint64_t *stream)
{
    jali_spot set[JALI_CENTRES_MOST], best[JALI_CENTRES_MOST];
    t->cost[i] = INFINITY;
    jali_force(&t->solver, t->base, t->at[i], best);
    jali_truth_learn(t, i, best);
    for (int s = 0; s < ASKER_STARTS; s++) {
        set[0] = t->at[i];
        jali_seed(&t->solver, set, true, stream);
        double cost = jali_descend(&t->solver, set, true, STEPS);
        if (cost < t->cost[i]) {
            t->cost[i] = cost;
            memcpy(best, set, t->k * sizeof *set);
        }
    }
    double cost = jali_polish(&t->solver, best, true, t->cloud.real / 40 + 1, 2);
    if (cost < t->cost[i]) t->cost[i] = cost;
}

jali_status jali_truth_find(jali_ground_truth *out, const jali_stage *stage,
                            const jali_contrast *plan, size_t askers, jali_err *err)
{
    jali_ground_truth t = { .ground = &plan->ground, .k = plan->ask.centres, .askers = askers };
    uint64_t stream = 20261116;
    JALI_TRY(load(&t, stage, plan, err));
    JALI_TRY(jali_solver_new(&t.solver, &t.cloud, t.k, stage->arena, err));
    t.base = jali_arena_take(stage->arena, t.k, sizeof *t.base);
    t.at = jali_arena_take(stage->arena, askers, sizeof *t.at);
    t.cost = jali_arena_take(stage->arena, askers, sizeof *t.cost);
    if (t.base == NULL || t.at == NULL || t.cost == NULL) return jali_fail_memory(err);
    t.base_cost = jali_solve(&t.solver, t.base, STARTS, &stream);
    place_askers(&t, &stream);
    for (size_t i = 0; i < askers; i++) solve_asker(&t, i, &stream);
    *out = t;
    out->solver.cloud = &out->cloud;
    return JALI_OK;
}

/* ---- rivals -------------------------------------------------------------------------------
 */

/* A grid of `side` x `side` parts of one cell over the box, or over a larger one: `shrink` < 1
 * is what the paper's Lambda leaves of the box. */
static jali_status lay_grid(const jali_contrast *plan, uint32_t side, jali_arena *arena,
                            jali_coreset *out, jali_err *err)
{
    const jali_coreset_shape *s = &plan->shape;
    out->n = out->n_cells = (size_t)side * side;
    out->part = jali_arena_take(arena, out->n, sizeof *out->part);
    if (out->part == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < out->n; i++) {
        uint32_t k[2] = { (uint32_t)(i / side), (uint32_t)(i % side) };
        jali_coreset_part *p = &out->part[i];
        p->hi[2] = p->grid[0] = p->grid[1] = p->grid[2] = 1;
        p->first = i;
        for (unsigned a = 0; a < 2; a++) {
            p->lo[a] = jali_coreset_border(s->lo[a], s->hi[a], side, k[a]);
            p->hi[a] = jali_coreset_border(s->lo[a], s->hi[a], side, k[a] + 1);
        }
    }
    return JALI_OK;
}

static jali_status prefix_of(const jali_contrast *plan, const jali_stage *stage,
                             jali_arena *arena, jali_prefix *out, jali_err *err)
{
    const jali_tallies *t;
    JALI_TRY(jali_plan_run(plan->tables, stage->pool, arena, &t, err));
    int64_t *cell = jali_tallies_counts(t, plan->table)->cell;
    size_t side = (size_t)1 << plan->bits;
    for (size_t i = 0; i < side * side; i++)
        if (i % side > 0) cell[i] += cell[i - 1];
    for (size_t i = side; i < side * side; i++) cell[i] += cell[i - side];
    *out = (jali_prefix){ 2, plan->bits, cell };
    return JALI_OK;
}

static jali_status noise_parts(const jali_stage *stage, const jali_prefix *counts,
                               mpq_srcptr eps, bool clamp, jali_arena *arena, jali_coreset *out,
                               jali_err *err)
{
    jali_noiser *noiser = NULL;
    jali_charge *charge = NULL;
    jali_noisy noisy;
    jali_tally in = { .n = out->n, .axes = 1, .extent = { out->n }, .reach = { 1, 1, 1, 1 } };
    in.cell = jali_arena_take(arena, out->n, sizeof *in.cell);
    out->cell = jali_arena_take(arena, out->n, sizeof *out->cell);
    if (in.cell == NULL || out->cell == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < out->n; i++)
        in.cell[i] = jali_prefix_box(counts, out->part[i].lo, out->part[i].hi);
    jali_status status = jali_noiser_new(&noiser, JALI_LAW_LAPLACE, eps, err);
    if (status == JALI_OK) status = jali_charge_unpaid(&charge, jali_noiser_loss(noiser), err);
    if (status == JALI_OK)
        status = jali_noise_release(noiser, &in, charge, stage->dice, arena, &noisy, err);
    for (size_t i = 0; status == JALI_OK && i < out->n; i++) {
        int64_t count = clamp && noisy.cell[i] < 0 ? 0 : noisy.cell[i];
        out->part[i].count = out->cell[i] = count;
        out->total += count;
    }
    if (status == JALI_OK) out->part_scale = out->cell_scale = noisy.scale;
    jali_charge_free(charge);
    jali_noiser_free(noiser);
    return status;
}

static jali_status plain_tree(const jali_contrast *plan, const jali_stage *stage,
                              const jali_prefix *counts, mpq_srcptr budget, unsigned percent,
                              jali_arena *arena, jali_coreset *out, jali_err *err)
{
    jali_privtree tree;
    jali_boxes boxes;
    jali_coreset_part root = { .hi = { 1, 1, 1 } };
    mpq_t eps;
    for (unsigned a = 0; a < 2; a++) {
        root.lo[a] = plan->shape.lo[a];
        root.hi[a] = plan->shape.hi[a];
    }
    mpq_init(eps);
    mpq_set_ui(eps, percent, 100);
    mpq_canonicalize(eps);
    mpq_mul(eps, eps, budget);
    jali_status status = jali_privtree_init(&tree, 4, 1, 1, eps, err);
    mpq_clear(eps);
    if (status != JALI_OK) return status;
    status = jali_privtree_grow(&tree, counts, &root, 0, stage->dice, arena, &boxes, err);
    jali_privtree_clear(&tree);
    out->part = boxes.at;
    out->n = out->n_cells = boxes.n;
    for (size_t i = 0; status == JALI_OK && i < out->n; i++) {
        out->part[i].first = i;
        out->part[i].grid[0] = out->part[i].grid[1] = out->part[i].grid[2] = 1;
    }
    return status;
}

/* Lambda = sqrt(.01 d / (ln(n / beta) d')), d = d' = 2, beta = .1: so much smaller is the data
 * in the unit ball that the paper's grid lies on. */
static uint32_t paper_side(double n)
{
    double lambda = sqrt(0.01 / log(fmax(n, 2) / 0.1));
    return (uint32_t)fmax(1, ceil(64 * lambda));
}

jali_status jali_rival_coreset(const char *method, const jali_stage *stage,
                               const jali_contrast *plan, mpq_srcptr budget, jali_arena *arena,
                               jali_coreset *out, jali_err *err)
{
    static const struct {
        const char *name;
        unsigned percent;
        bool clamp;
    } rival[] = { { "grid64", 100, false },
                  { "paper", 50, true },
                  { "privtree", 65, false },     /* what is best for it here */
                  { "privtree50", 50, false } }; /* as its authors have it   */
    enum { GRID, PAPER, TREE, RIVALS = 4 };
    jali_prefix prefix;
    mpq_t eps;
    size_t r = 0;
    while (r < RIVALS && strcmp(method, rival[r].name) != 0) r++;
    if (r == RIVALS || plan->ask.n != 2 || plan->law != JALI_LAW_LAPLACE)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "method=%.40s is not hybrid, tight, grid64, privtree, privtree50 or paper "
            "(two columns, pure)",
            method);
    *out = (jali_coreset){ .dims = 2, .law = JALI_LAW_LAPLACE, .total_scale = 1 };
    JALI_TRY(prefix_of(plan, stage, arena, &prefix, err));
    double n = (double)jali_columns_rows(stage->columns);
    if (r >= TREE)
        JALI_TRY(
            plain_tree(plan, stage, &prefix, budget, 100 - rival[r].percent, arena, out, err));
    else
        JALI_TRY(lay_grid(plan, r == GRID ? 64 : paper_side(n), arena, out, err));
    mpq_init(eps);
    mpq_set_ui(eps, rival[r].percent, 100);
    mpq_canonicalize(eps);
    mpq_mul(eps, eps, budget);
    jali_status status = noise_parts(stage, &prefix, eps, rival[r].clamp, arena, out, err);
    mpq_clear(eps);
    return status;
}
