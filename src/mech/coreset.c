/* mech/coreset.c — a private summary of where points lie: boxes, cells and noisy counts.
 *
 * Claim    coreset.release
 *          The released coreset (total, parts, their counts, their cells and the cells' counts)
 *          is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for one person with
 *          at most shape.rows rows, each of weight at most shape.weight, where eps or rho is
 *          the budget of jali_coreset_maker_new, and costs jali_coreset_loss, not above it.
 * Proof    proofs/coreset.md#coreset.release
 * Source   PrivEC / peCluster (seeds 003), PrivateCoreset, replaced as PRIVACY 6 and
 *          ALGORITHMS 1.2 and research/contrast.md 0 and 6 say: PrivTree, leaf counts, a
 *          grid in each leaf; no exact n. Two-level grid: Qardaji, Yang, Li, ICDE 2013.
 * Law      total + Z1; tree of mech/privtree.c; part counts + Z2; cell counts + Z3; Z of
 *          mech/noise.c with reach rows * weight
 * Spends   2% total, 14.7% structure (at most 3/4 a row), 14.7% parts, the rest cells;
 *          tight: 2% total, 29.4% parts, the rest cells
 * Test     tests/mech/coreset_test.c
 * Silent   Time and memory grow with the number of parts and cells, which are released.
 */
#include "mech/coreset.h"
#include "base/rat.h"
#include "mech/noise.h"
#include "mech/privtree.h"
#include "tally/open.h"
#include <math.h>
#include <string.h>

/* In thousandths of the budget. */
enum { TOTAL = 20, STRUCTURE = 147, PARTS = 147, TIGHT_PARTS = 294, WHOLE = 1000 };
enum { GRID_MOST = 4096, PARTS_LEAST = 16, WORTH = 10, TIGHT_WORTH = 160 };

struct jali_coreset_maker {
    jali_coreset_shape shape;
    jali_law law;
    jali_noiser *total, *parts, *cells;
    jali_privtree tree; /* not if tight */
    bool has_tree;
    jali_loss structure, loss;
    double total_scale, part_scale, cell_scale;
};

/* ---- the budget, cut ------------------------------------------------------------------- */

static void round_down(mpq_t q)
{
    uint64_t pico;
    if (!jali_rat_down(&pico, q, JALI_LOSS_DIGITS) || pico == 0) return;
    mpz_set_ui(mpq_numref(q), pico);
    mpz_ui_pow_ui(mpq_denref(q), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(q);
}

static void share(mpq_t out, mpq_srcptr budget, unsigned thousandths)
{
    mpq_set_ui(out, thousandths, WHOLE);
    mpq_canonicalize(out);
    mpq_mul(out, out, budget);
    round_down(out);
}

/* The eps of a pure mechanism that costs at most rho: floor(sqrt(2 rho)) in 1e-12. */
static void eps_of_rho(mpq_t out, mpq_srcptr rho)
{
    mpz_t scaled;
    mpz_init(scaled);
    mpz_ui_pow_ui(scaled, 10, 2 * JALI_LOSS_DIGITS);
    mpz_mul(scaled, scaled, mpq_numref(rho));
    mpz_mul_ui(scaled, scaled, 2);
    mpz_fdiv_q(scaled, scaled, mpq_denref(rho));
    mpz_sqrt(mpq_numref(out), scaled);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
    mpz_clear(scaled);
}

/* What the structure may use at most: 3/4 a row, so that its proof holds. */
static void cut_structure(mpq_t eps, uint32_t rows)
{
    mpq_t most;
    mpq_init(most);
    mpz_set_ui(mpq_numref(most), JALI_PRIVTREE_EPS_NUM);
    mpz_mul_ui(mpq_numref(most), mpq_numref(most), rows);
    mpz_set_ui(mpq_denref(most), JALI_PRIVTREE_EPS_DEN);
    mpq_canonicalize(most);
    if (mpq_cmp(eps, most) > 0) mpq_set(eps, most);
    mpq_clear(most);
}

/* Takes the structure's part out of `left`. */
static jali_status make_tree(jali_coreset_maker *m, mpq_srcptr budget, mpq_t left,
                             jali_err *err)
{
    mpq_t eps, price;
    mpq_inits(eps, price, NULL);
    share(price, budget, STRUCTURE);
    if (m->law == JALI_LAW_LAPLACE)
        mpq_set(eps, price);
    else
        eps_of_rho(eps, price);
    cut_structure(eps, m->shape.rows);
    if (m->law == JALI_LAW_LAPLACE) mpq_set(price, eps);
    mpq_sub(left, left, price);
    jali_status status = jali_privtree_init(&m->tree, 1u << m->shape.dims, m->shape.rows,
                                            m->shape.weight, eps, err);
    m->has_tree = status == JALI_OK;
    if (m->has_tree) m->structure = jali_loss_pure(eps);
    mpq_clears(eps, price, NULL);
    return status;
}

static jali_reach reach_of(const jali_coreset_shape *s)
{
    uint64_t all = s->rows * s->weight;
    return (jali_reach){ s->rows, all, all, all };
}

static jali_status make_noiser(const jali_coreset_maker *m, mpq_srcptr part, jali_noiser **out,
                               double *scale, jali_err *err)
{
    jali_reach reach = reach_of(&m->shape);
    JALI_TRY(jali_noiser_new(out, m->law, part, err));
    return jali_noiser_scale(*out, &reach, scale, err);
}

static jali_status cut(jali_coreset_maker *m, mpq_srcptr budget, jali_err *err)
{
    mpq_t part, left;
    mpq_inits(part, left, NULL);
    mpq_set(left, budget);
    share(part, budget, TOTAL);
    mpq_sub(left, left, part);
    jali_status status = make_noiser(m, part, &m->total, &m->total_scale, err);
    if (status == JALI_OK && !m->shape.tight) status = make_tree(m, budget, left, err);
    share(part, budget, m->shape.tight ? TIGHT_PARTS : PARTS);
    mpq_sub(left, left, part);
    if (status == JALI_OK) status = make_noiser(m, part, &m->parts, &m->part_scale, err);
    round_down(left);
    if (status == JALI_OK) status = make_noiser(m, left, &m->cells, &m->cell_scale, err);
    mpq_clears(part, left, NULL);
    if (status != JALI_OK) return status;
    m->loss = jali_loss_add(jali_noiser_loss(m->total), jali_noiser_loss(m->parts));
    m->loss = jali_loss_add(m->loss, jali_noiser_loss(m->cells));
    if (m->has_tree) m->loss = jali_loss_add(m->loss, m->structure);
    return JALI_OK;
}

static jali_status check_shape(const jali_coreset_shape *s, jali_err *err)
{
    bool good = s->dims >= 1 && s->dims <= JALI_CORESET_DIMS && s->bits <= 26 &&
                s->dims * s->bits <= 26 && s->rows > 0 && s->weight > 0 &&
                s->weight < (uint64_t)1 << 32 && s->least <= s->weight &&
                s->cap >= JALI_CORESET_CAP_LEAST && s->cap <= JALI_CORESET_CAP_MOST;
    for (unsigned a = 0; good && a < s->dims; a++)
        good = s->lo[a] < s->hi[a] && s->hi[a] <= 1u << s->bits && s->side[a] > 0;
    if (good) return JALI_OK;
    return jali_fail(
        err, JALI_E_USAGE, JALI_FOR_ANALYST,
        "a coreset has 1 to %d axes, at least one value on each, and %d to %d cells",
        JALI_CORESET_DIMS, JALI_CORESET_CAP_LEAST, JALI_CORESET_CAP_MOST);
}

jali_status jali_coreset_maker_new(jali_coreset_maker **out, const jali_coreset_shape *shape,
                                   jali_law law, mpq_srcptr budget, jali_err *err)
{
    JALI_TRY(check_shape(shape, err));
    if (mpq_sgn(budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a coreset costs something: its budget must be above 0");
    jali_coreset_maker *m = calloc(1, sizeof *m);
    if (m == NULL) return jali_fail_memory(err);
    m->shape = *shape;
    m->law = law;
    jali_status status = cut(m, budget, err);
    if (status != JALI_OK) {
        jali_coreset_maker_free(m);
        return status;
    }
    *out = m;
    return JALI_OK;
}

void jali_coreset_maker_free(jali_coreset_maker *maker)
{
    if (maker == NULL) return;
    jali_noiser_free(maker->total);
    jali_noiser_free(maker->parts);
    jali_noiser_free(maker->cells);
    if (maker->has_tree) jali_privtree_clear(&maker->tree);
    free(maker);
}

jali_loss jali_coreset_loss(const jali_coreset_maker *maker)
{
    return maker->loss;
}

double jali_coreset_scale(const jali_coreset_maker *maker)
{
    return maker->cell_scale;
}

/* ---- counting -------------------------------------------------------------------------- */

static void sum_along(int64_t *cell, const jali_coreset_shape *s, unsigned axis)
{
    size_t stride = (size_t)1 << s->bits * (s->dims - 1 - axis), side = (size_t)1 << s->bits;
    size_t all = (size_t)1 << s->bits * s->dims;
    for (size_t block = 0; block < all; block += stride * side)
        for (size_t i = block + stride; i < block + stride * side; i++)
            cell[i] += cell[i - stride];
}

/* Records with a NULL are in the last cell of the tally: they are nowhere. Its own memory
 * becomes the prefix sums (a copy was a fifth of the time of a plan), which one person moves
 * everywhere: no reach is true of it any more, so nobody can release it again. */
static jali_status prefix_sums(const jali_coreset_shape *s, jali_tally *counts,
                               const jali_tally *sums, jali_prefix *out, jali_err *err)
{
    size_t all = (size_t)1 << s->bits * s->dims;
    uint64_t m = s->rows, reach = sums == NULL ? m : m * s->least + sums->reach.l1;
    if (counts->n != all + 1 || (sums != NULL && sums->n != all + 1) || counts->reach.l1 != m ||
        reach > m * s->weight)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "the tally of a coreset is not of the shape that was paid for");
    int64_t *cell = counts->cell;
    counts->reach = (jali_reach){ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
    for (size_t i = 0; sums != NULL && i < all; i++)
        cell[i] = sums->cell[i] + (int64_t)s->least * cell[i];
    for (unsigned a = 0; a < s->dims; a++) sum_along(cell, s, a);
    *out = (jali_prefix){ s->dims, s->bits, cell };
    return JALI_OK;
}

/* Noise on n sealed numbers that one person moves by `reach`. */
static jali_status noisy(const jali_coreset_maker *m, const jali_noiser *noiser, int64_t *cell,
                         size_t n, jali_charge *charge, jali_dice *dice, jali_arena *arena,
                         const int64_t **out, jali_err *err)
{
    jali_tally in = {
        .n = n, .cell = cell, .axes = 1, .extent = { n }, .reach = reach_of(&m->shape)
    };
    jali_noisy released;
    JALI_TRY(jali_noise_release(noiser, &in, charge, dice, arena, &released, err));
    *out = released.cell;
    return JALI_OK;
}

static jali_coreset_part root_of(const jali_coreset_shape *s)
{
    jali_coreset_part root = { .lo = { 0 } };
    for (unsigned a = 0; a < JALI_CORESET_DIMS; a++) {
        root.lo[a] = a < s->dims ? s->lo[a] : 0;
        root.hi[a] = a < s->dims ? s->hi[a] : 1;
    }
    return root;
}

/* ---- parts: a tree, or a grid ----------------------------------------------------------- */

/* A Laplace scale with the same variance, for the rules of thumb below. */
static double worth_of(const jali_coreset_maker *m, double scale)
{
    return m->law == JALI_LAW_LAPLACE ? scale : scale / sqrt(2);
}

/* Square parts, about (total / scale) / 160 of them but never many: from released numbers. */
static void choose_parts(const jali_coreset_maker *m, int64_t total, uint32_t *grid)
{
    const jali_coreset_shape *s = &m->shape;
    double volume = 1, scale = worth_of(m, m->part_scale) * TIGHT_PARTS / (double)WHOLE;
    double wanted = (double)(total < 0 ? 0 : total) / scale / TIGHT_WORTH;
    wanted = fmin(fmax(wanted, PARTS_LEAST), fmax(PARTS_LEAST, s->cap / 16.0));
    for (unsigned a = 0; a < s->dims; a++) volume *= s->side[a];
    double edge = pow(volume / wanted, 1.0 / s->dims);
    for (unsigned a = 0; a < s->dims; a++) {
        double n =
            fmin(fmax(round(s->side[a] / edge), 1), fmin(s->hi[a] - s->lo[a], GRID_MOST));
        grid[a] = (uint32_t)n;
    }
}

static jali_status lay_grid(const jali_coreset_maker *m, int64_t total, jali_arena *arena,
                            jali_boxes *out, jali_err *err)
{
    uint32_t grid[JALI_CORESET_DIMS] = { 1, 1, 1 };
    jali_coreset_part root = root_of(&m->shape);
    choose_parts(m, total, grid);
    size_t n = (size_t)grid[0] * grid[1] * grid[2];
    jali_coreset_part *at = jali_arena_take(arena, n, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        uint32_t k[JALI_CORESET_DIMS] = { (uint32_t)(i / grid[2] / grid[1]),
                                          (uint32_t)(i / grid[2] % grid[1]),
                                          (uint32_t)(i % grid[2]) };
        for (unsigned a = 0; a < JALI_CORESET_DIMS; a++) {
            at[i].lo[a] = jali_coreset_border(root.lo[a], root.hi[a], grid[a], k[a]);
            at[i].hi[a] = jali_coreset_border(root.lo[a], root.hi[a], grid[a], k[a] + 1);
        }
    }
    *out = (jali_boxes){ at, n, n };
    return JALI_OK;
}

static jali_status grow_tree(const jali_coreset_maker *m, const jali_prefix *counts,
                             int64_t total, jali_charge *charge, jali_dice *dice,
                             jali_arena *arena, jali_boxes *out, jali_err *err)
{
    jali_coreset_part root = root_of(&m->shape);
    int64_t theta = total <= 0 ? 0 : total / (m->shape.cap / 16);
    JALI_TRY(jali_charge_spend(charge, m->structure, err));
    return jali_privtree_grow(&m->tree, counts, &root, theta, dice, arena, out, err);
}

/* ---- cells ------------------------------------------------------------------------------ */

/* As many cells as the part's noisy count can carry; at most about `cap` in all. */
static void choose_cells(const jali_coreset_maker *m, int64_t total, jali_boxes *parts,
                         size_t *n_cells)
{
    double scale = worth_of(m, m->cell_scale);
    double each = fmax(WORTH, (double)(total < 0 ? 0 : total) / scale / m->shape.cap);
    size_t n = 0;
    for (size_t i = 0; i < parts->n; i++) {
        jali_coreset_part *p = &parts->at[i];
        double wanted = (double)(p->count < 0 ? 0 : p->count) / scale / each;
        double along = ceil(pow(wanted, 1.0 / m->shape.dims) - 1e-9);
        double most = m->shape.dims == 1 ? GRID_MOST : m->shape.dims == 2 ? 64 : 16;
        size_t cells = 1;
        for (unsigned a = 0; a < JALI_CORESET_DIMS; a++) {
            double room = p->hi[a] - p->lo[a];
            p->grid[a] = (uint32_t)fmax(1, fmin(fmin(along, most), room));
            cells *= p->grid[a];
        }
        p->first = n;
        n += cells;
    }
    *n_cells = n;
}

static void count_cells(const jali_coreset_part *p, const jali_prefix *counts, int64_t *cell)
{
    size_t at = p->first;
    uint32_t lo[JALI_CORESET_DIMS], hi[JALI_CORESET_DIMS], i[JALI_CORESET_DIMS];
    for (i[0] = 0; i[0] < p->grid[0]; i[0]++)
        for (i[1] = 0; i[1] < p->grid[1]; i[1]++)
            for (i[2] = 0; i[2] < p->grid[2]; i[2]++) {
                for (unsigned a = 0; a < JALI_CORESET_DIMS; a++) {
                    lo[a] = jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], i[a]);
                    hi[a] = jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], i[a] + 1);
                }
                cell[at++] = jali_prefix_box(counts, lo, hi);
            }
}

static jali_status release_parts(const jali_coreset_maker *m, const jali_prefix *counts,
                                 jali_boxes *parts, jali_charge *charge, jali_dice *dice,
                                 jali_arena *arena, jali_err *err)
{
    const int64_t *out;
    int64_t *cell = jali_arena_take(arena, parts->n, sizeof *cell);
    if (cell == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < parts->n; i++)
        cell[i] = jali_prefix_box(counts, parts->at[i].lo, parts->at[i].hi);
    JALI_TRY(noisy(m, m->parts, cell, parts->n, charge, dice, arena, &out, err));
    for (size_t i = 0; i < parts->n; i++) parts->at[i].count = out[i];
    return JALI_OK;
}

static jali_status release_cells(const jali_coreset_maker *m, const jali_prefix *counts,
                                 const jali_boxes *parts, size_t n, jali_charge *charge,
                                 jali_dice *dice, jali_arena *arena, const int64_t **out,
                                 jali_err *err)
{
    int64_t *cell = jali_arena_take(arena, n, sizeof *cell);
    if (cell == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < parts->n; i++) count_cells(&parts->at[i], counts, cell);
    return noisy(m, m->cells, cell, n, charge, dice, arena, out, err);
}

static jali_status release_all(const jali_coreset_maker *m, jali_tally *counts,
                               const jali_tally *sums, jali_charge *charge, jali_dice *dice,
                               jali_arena *sealed, jali_arena *arena, jali_coreset *out,
                               jali_err *err)
{
    jali_prefix prefix;
    jali_boxes parts;
    jali_coreset_part root = root_of(&m->shape);
    const int64_t *total, *cell;
    size_t n_cells;
    JALI_TRY(prefix_sums(&m->shape, counts, sums, &prefix, err));
    int64_t all = jali_prefix_box(&prefix, root.lo, root.hi);
    JALI_TRY(noisy(m, m->total, &all, 1, charge, dice, arena, &total, err));
    if (m->shape.tight)
        JALI_TRY(lay_grid(m, total[0], arena, &parts, err));
    else
        JALI_TRY(grow_tree(m, &prefix, total[0], charge, dice, arena, &parts, err));
    JALI_TRY(release_parts(m, &prefix, &parts, charge, dice, sealed, err));
    choose_cells(m, total[0], &parts, &n_cells);
    JALI_TRY(release_cells(m, &prefix, &parts, n_cells, charge, dice, arena, &cell, err));
    int64_t *kept = jali_arena_take(arena, n_cells, sizeof *kept);
    if (kept == NULL) return jali_fail_memory(err);
    memcpy(kept, cell, n_cells * sizeof *kept);
    *out = (jali_coreset){ .dims = m->shape.dims,
                           .total = total[0],
                           .n = parts.n,
                           .n_cells = n_cells,
                           .part = parts.at,
                           .cell = kept,
                           .law = m->law,
                           .total_scale = m->total_scale,
                           .part_scale = m->part_scale,
                           .cell_scale = m->cell_scale };
    return JALI_OK;
}

jali_status jali_coreset_release(const jali_coreset_maker *maker, jali_tally *counts,
                                 const jali_tally *sums, jali_charge *charge, jali_dice *dice,
                                 jali_arena *arena, jali_coreset *out, jali_err *err)
{
    jali_arena sealed = JALI_ARENA_INIT; /* what is not released does not outlive the call */
    jali_status status =
        release_all(maker, counts, sums, charge, dice, &sealed, arena, out, err);
    jali_arena_clear(&sealed);
    return status;
}
