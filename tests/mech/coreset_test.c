/* Refutes coreset.release if it can: tiling, counts, reach, laws, price, refusals. */
#include "mech/coreset.h"
#include "mech/receipt.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>

enum { BITS = 4, SIDE = 16, FINE = SIDE * SIDE };

static jali_coreset_shape shape(bool tight, uint32_t rows, uint64_t weight)
{
    return (jali_coreset_shape){ .dims = 2,
                                 .bits = BITS,
                                 .hi = { SIDE, SIDE },
                                 .side = { 1, 1 },
                                 .tight = tight,
                                 .cap = 256,
                                 .rows = rows,
                                 .weight = weight };
}

static jali_coreset_maker *maker(const jali_coreset_shape *s, jali_law law, unsigned long num,
                                 unsigned long den)
{
    jali_coreset_maker *m = NULL;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_coreset_maker_new(&m, s, law, budget, NULL));
    mpq_clear(budget);
    return m;
}

static jali_tally tally(int64_t *cell, uint64_t l1)
{
    return (jali_tally){ .n = FINE + 1,
                         .cell = cell,
                         .axes = 2,
                         .extent = { 1, FINE + 1 },
                         .reach = { 1, l1, l1, l1 } };
}

/* Of a copy: the counts of a coreset are used up. */
static jali_coreset release(const jali_coreset_maker *m, const int64_t *cell, uint32_t rows,
                            jali_dice *dice, jali_arena *arena)
{
    jali_coreset out;
    int64_t copy[FINE + 1];
    memcpy(copy, cell, sizeof copy);
    jali_tally counts = tally(copy, rows);
    jali_charge paid = receipt(jali_coreset_loss(m));
    CHECK_OK(jali_coreset_release(m, &counts, NULL, &paid, dice, arena, &out, NULL));
    CHECK(used_up(&paid));
    return out;
}

static void fill(int64_t *cell)
{
    for (int i = 0; i < FINE; i++)
        cell[i] = (i / SIDE < 4 && i % SIDE < 5) ? 300 : i % 7 == 0 ? 3 : 0;
    cell[FINE] = 1000000; /* NULLs are nowhere */
}

/* With so much budget that noise is 0 but for 1 in e^60, all counts must be exact. */
static void check_tiling(bool tight)
{
    int64_t cell[FINE + 1], covered[FINE] = { 0 };
    jali_coreset_shape s = shape(tight, 1, 1);
    jali_coreset_maker *m = maker(&s, JALI_LAW_LAPLACE, 3000, 1);
    jali_dice *dice = seeded_dice(5);
    jali_arena arena = JALI_ARENA_INIT;
    fill(cell);
    jali_coreset c = release(m, cell, 1, dice, &arena);
    size_t cells = 0;
    int64_t all = 0;
    for (size_t i = 0; i < c.n; i++) {
        const jali_coreset_part *p = &c.part[i];
        int64_t in_part = 0, in_cells = 0;
        CHECK(p->first == cells);
        for (uint32_t x = p->lo[0]; x < p->hi[0]; x++)
            for (uint32_t y = p->lo[1]; y < p->hi[1]; y++) {
                covered[x * SIDE + y]++;
                in_part += cell[x * SIDE + y];
            }
        for (uint32_t k = 0; k < p->grid[0] * p->grid[1]; k++) in_cells += c.cell[cells++];
        CHECK(p->count == in_part && in_cells == in_part);
        all += in_part;
    }
    for (int i = 0; i < FINE; i++) CHECK(covered[i] == 1);
    CHECK(cells == c.n_cells && c.total == all && c.n > 4);
    jali_coreset_maker_free(m);
    jali_dice_free(dice);
    jali_arena_clear(&arena);
}

SENTENCE(parts_and_cells_tile_the_box_and_count_what_is_in_them)
{
    UNUSED_STATE;
    check_tiling(false);
    check_tiling(true);
}

/* One person with `rows` rows of weight `weight`, wherever they lie, moves the parts' counts by
 * rows * weight at most, and by no less in some table: 1% less would be refuted. */
SENTENCE(one_person_moves_part_counts_by_the_reach)
{
    UNUSED_STATE;
    int64_t cell[FINE + 1] = { 0 }, most = 0;
    jali_coreset_shape s = shape(true, 3, 1);
    jali_coreset_maker *m = maker(&s, JALI_LAW_LAPLACE, 3000, 1);
    jali_dice *dice = seeded_dice(6);
    jali_arena arena = JALI_ARENA_INIT;
    jali_coreset before = release(m, cell, 3, dice, &arena);
    for (int a = 0; a < FINE; a += 5)
        for (int b = a; b < FINE; b += 37) {
            cell[a] += 2;
            cell[b] += 1;
            jali_coreset after = release(m, cell, 3, dice, &arena);
            int64_t moved = 0;
            CHECK(after.n == before.n);
            for (size_t i = 0; i < after.n; i++)
                moved += llabs(after.part[i].count - before.part[i].count);
            CHECK(moved <= 3);
            if (moved > most) most = moved;
            cell[a] -= 2;
            cell[b] -= 1;
        }
    CHECK(most == 3);
    jali_coreset_maker_free(m);
    jali_dice_free(dice);
    jali_arena_clear(&arena);
}

/* Cells of an empty table are noise: does it have the scale that is told, and the right one? */
static bool cells_follow(uint32_t rows, double scale_factor, double expect)
{
    enum { EDGE = 12, BINS = 2 * EDGE + 3, RUNS = 3000 };
    uint64_t seen[BINS] = { 0 };
    double p[BINS] = { 0 }, all = 0;
    int64_t cell[FINE + 1] = { 0 };
    jali_coreset_shape s = shape(true, rows, 1);
    jali_coreset_maker *m = maker(&s, JALI_LAW_LAPLACE, 1, 1);
    jali_dice *dice = seeded_dice(20261116);
    jali_arena arena = JALI_ARENA_INIT;
    double told = jali_coreset_scale(m), scale = told * scale_factor;
    CHECK(fabs(told - expect) < 1e-6);
    for (int i = 0; i < RUNS; i++) {
        jali_coreset c = release(m, cell, rows, dice, &arena);
        for (size_t k = 0; k < c.n_cells; k++) {
            int64_t z = c.cell[k];
            seen[z < -EDGE ? 0 : z > EDGE ? BINS - 1 : (size_t)(z + EDGE + 1)]++;
        }
        jali_arena_clear(&arena);
    }
    for (int64_t z = -4000; z <= 4000; z++) all += exp(-fabs((double)z) / scale);
    for (int64_t z = -4000; z <= 4000; z++)
        p[z < -EDGE  ? 0
          : z > EDGE ? BINS - 1
                     : (size_t)(z + EDGE + 1)] += exp(-fabs((double)z) / scale) / all;
    jali_coreset_maker_free(m);
    jali_dice_free(dice);
    return chi_fits(seen, p, BINS);
}

SENTENCE(cell_noise_has_the_scale_that_was_paid_for)
{
    UNUSED_STATE;
    CHECK(cells_follow(1, 1, 1 / 0.686));
    CHECK(cells_follow(2, 1, 2 / 0.686));
    CHECK(!cells_follow(1, 0.96, 1 / 0.686));
}

static void check_price(jali_law law, bool tight, unsigned long num, unsigned long den)
{
    jali_coreset_shape s = shape(tight, 1, 1);
    jali_coreset_maker *m = maker(&s, law, num, den);
    jali_loss loss = jali_coreset_loss(m);
    double budget = (double)num / (double)den, eps = (double)loss.eps_pico * 1e-12;
    double rho = (double)loss.rho_pico * 1e-12;
    if (law == JALI_LAW_LAPLACE)
        CHECK(!loss.eps_infinite && eps <= budget && eps > 0.99 * budget);
    else
        CHECK(loss.eps_infinite && rho <= budget + 1e-11 && rho > 0.8 * budget);
    jali_coreset_maker_free(m);
}

SENTENCE(the_price_is_the_budget_and_not_more)
{
    UNUSED_STATE;
    check_price(JALI_LAW_LAPLACE, false, 1, 1);
    check_price(JALI_LAW_LAPLACE, false, 1, 3);
    check_price(JALI_LAW_LAPLACE, true, 1, 3);
    check_price(JALI_LAW_LAPLACE, false, 40, 1); /* the tree takes 3/4 and no more */
    check_price(JALI_LAW_GAUSS, false, 1, 50);
    check_price(JALI_LAW_GAUSS, true, 1, 7);
}

SENTENCE(weights_are_sums_and_the_least_of_each_row)
{
    UNUSED_STATE;
    int64_t count[FINE + 1] = { 0 }, sum[FINE + 1] = { 0 };
    jali_coreset_shape s = shape(true, 1, 5);
    jali_arena arena = JALI_ARENA_INIT;
    jali_coreset out;
    s.least = 1;
    jali_coreset_maker *m = maker(&s, JALI_LAW_LAPLACE, 3000, 1);
    jali_dice *dice = seeded_dice(8);
    jali_tally counts = tally(count, 1), sums = tally(sum, 4);
    jali_charge paid = receipt(jali_coreset_loss(m));
    count[3] = 2;
    sum[3] = 5;
    CHECK_OK(jali_coreset_release(m, &counts, &sums, &paid, dice, &arena, &out, NULL));
    CHECK(out.total == 7);
    paid = receipt(jali_coreset_loss(m)); /* what is left of the counts has another reach */
    CHECK(jali_coreset_release(m, &counts, &sums, &paid, dice, &arena, &out, NULL) ==
          JALI_E_INTERNAL);
    counts = tally(count, 1);
    sums.reach.l1 = 5; /* rows could weigh 6: more than was paid for */
    CHECK(jali_coreset_release(m, &counts, &sums, &paid, dice, &arena, &out, NULL) ==
          JALI_E_INTERNAL);
    jali_coreset_maker_free(m);
    jali_dice_free(dice);
    jali_arena_clear(&arena);
}

SENTENCE(what_is_not_paid_is_not_drawn)
{
    UNUSED_STATE;
    int64_t cell[FINE + 1] = { 0 };
    jali_coreset_shape s = shape(false, 1, 1);
    jali_coreset_maker *m = maker(&s, JALI_LAW_LAPLACE, 1, 1);
    jali_tally counts = tally(cell, 1);
    jali_arena arena = JALI_ARENA_INIT;
    jali_dice *dice = seeded_dice(9), *dead = failing_dice(9, 3);
    jali_coreset out = { .n = 77 };
    jali_loss little = jali_coreset_loss(m);
    little.eps_pico /= 2;
    jali_charge paid = receipt(little);
    CHECK(jali_coreset_release(m, &counts, NULL, &paid, dice, &arena, &out, NULL) ==
          JALI_E_INTERNAL);
    paid = receipt(jali_coreset_loss(m));
    counts = tally(cell, 1);
    CHECK(jali_coreset_release(m, &counts, NULL, &paid, dead, &arena, &out, NULL) ==
          JALI_E_ENTROPY);
    counts = tally(cell, 1);
    counts.reach.l1 = 2; /* a person of two rows, paid for as one */
    paid = receipt(jali_coreset_loss(m));
    CHECK(jali_coreset_release(m, &counts, NULL, &paid, dice, &arena, &out, NULL) ==
          JALI_E_INTERNAL);
    CHECK(out.n == 77);
    jali_coreset_maker_free(m);
    jali_dice_free(dice);
    jali_dice_free(dead);
    jali_arena_clear(&arena);
}

SENTENCE(a_budget_too_small_for_any_split_is_refused)
{
    UNUSED_STATE;
    jali_coreset_shape s = shape(false, 1, 1);
    jali_coreset_maker *m = NULL;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, 1, 1000000000000000ul);
    CHECK(jali_coreset_maker_new(&m, &s, JALI_LAW_LAPLACE, budget, NULL) == JALI_E_USAGE);
    mpq_set_ui(budget, 0, 1);
    CHECK(jali_coreset_maker_new(&m, &s, JALI_LAW_LAPLACE, budget, NULL) == JALI_E_USAGE);
    mpq_set_ui(budget, 1, 1);
    s.hi[1] = 0;
    CHECK(jali_coreset_maker_new(&m, &s, JALI_LAW_LAPLACE, budget, NULL) == JALI_E_USAGE);
    CHECK(m == NULL);
    mpq_clear(budget);
}

RUN_ALL(TEST(parts_and_cells_tile_the_box_and_count_what_is_in_them),
        TEST(one_person_moves_part_counts_by_the_reach),
        TEST(cell_noise_has_the_scale_that_was_paid_for),
        TEST(the_price_is_the_budget_and_not_more),
        TEST(weights_are_sums_and_the_least_of_each_row), TEST(what_is_not_paid_is_not_drawn),
        TEST(a_budget_too_small_for_any_split_is_refused))
