/* Where in its cell the mass lies: against densities whose centroids are known on paper. */
#include "explain/contrast/lean.h"
#include "unit.h"
#include <math.h>
#include <string.h>

enum { SIDE = 4, CELLS = SIDE * SIDE, FINE = 16 };

/* One part of 4 x 4 cells, each 16 fine cells wide, of side 1. */
static jali_coreset_part part = { .hi = { SIDE * FINE, SIDE *FINE, 1 },
                                  .grid = { SIDE, SIDE, 1 } };
static jali_plot cell[CELLS];

/* Mass of density a + b x + c y in each cell. */
static void fill(double a, double b, double c)
{
    memset(cell, 0, sizeof cell);
    for (size_t i = 0; i < CELLS; i++) {
        double x = (double)(i / SIDE) + 0.5, y = (double)(i % SIDE) + 0.5;
        cell[i].w = fmax(0, a + b * x + c * y);
        cell[i].centre[0] = cell[i].mean[0] = (float)x;
        cell[i].centre[1] = cell[i].mean[1] = (float)y;
        for (int axis = 0; axis < 2; axis++) cell[i].half[axis] = cell[i].reach[axis] = 0.5f;
    }
}

static void lean_cells(void)
{
    jali_coreset c = { .dims = 2, .n = 1, .n_cells = CELLS, .part = &part };
    CHECK_OK(jali_lean(cell, &c, NULL));
}

static bool inner(size_t i)
{
    size_t x = i / SIDE, y = i % SIDE;
    return x > 0 && y > 0 && x + 1 < SIDE && y + 1 < SIDE;
}

SENTENCE(even_mass_stays_in_the_middle)
{
    UNUSED_STATE;
    fill(7, 0, 0);
    lean_cells();
    for (size_t i = 0; i < CELLS; i++)
        for (int a = 0; a < 2; a++) {
            CHECK(cell[i].mean[a] == cell[i].centre[a]);
            CHECK(cell[i].reach[a] == cell[i].half[a]);
        }
}

/* Centroid and variance along x of a slope, by integration over 1,000 strips. */
static void on_paper(double a, double b, double c, size_t i, double *mean, double *variance)
{
    double all = 0, first = 0, second = 0, y = (double)(i % SIDE) + 0.5;
    for (int s = 0; s < 1000; s++) {
        double x = (double)(i / SIDE) + (s + 0.5) / 1000, w = a + b * x + c * y;
        all += w;
        first += w * x;
        second += w * x * x;
    }
    *mean = first / all;
    *variance = second / all - *mean * *mean;
}

SENTENCE(a_slope_moves_mass_to_its_true_centroid)
{
    UNUSED_STATE;
    fill(2, 3, 1);
    lean_cells();
    for (size_t i = 0; i < CELLS; i++) {
        if (!inner(i)) continue;
        double mean, variance, reach = (double)cell[i].reach[0];
        on_paper(2, 3, 1, i, &mean, &variance);
        CHECK(fabs((double)cell[i].mean[0] - mean) < 1e-5);
        CHECK(fabs(reach * reach / 3 - variance) < 1e-5);
        CHECK(fabs((double)cell[i].mean[0] - (double)cell[i].centre[0]) > 0.01);
    }
}

SENTENCE(mass_never_leaves_its_cell_and_empty_cells_stay)
{
    UNUSED_STATE;
    fill(-5, 0, 0);
    cell[0].w = 1e9; /* a heap in a corner, and a little beside it */
    cell[1].w = cell[SIDE].w = 1e-6;
    lean_cells();
    for (size_t i = 0; i < CELLS; i++)
        for (int a = 0; a < 2; a++) {
            double moved = fabs((double)cell[i].mean[a] - (double)cell[i].centre[a]);
            CHECK(moved <= 0.5 / 3 + 1e-6);
            if (cell[i].w == 0) CHECK(moved == 0);
        }
    CHECK(cell[1].mean[1] < cell[1].centre[1]);
    CHECK(cell[SIDE].mean[0] < cell[SIDE].centre[0]);
}

RUN_ALL(TEST(even_mass_stays_in_the_middle), TEST(a_slope_moves_mass_to_its_true_centroid),
        TEST(mass_never_leaves_its_cell_and_empty_cells_stay))
