/* Labels along directions, by blocks, against the obvious way; NULLs, ends and wide frames. */
#include "small.h"
#include "tally/project.h"

enum { AXES = 3, N = 4, ROWS = 1000, SIDE = 3 };

static const uint64_t domains[AXES] = { 12, 4000, 300000 };

typedef struct world {
    small data;
    jali_ruler axis[AXES];
    size_t column_of[AXES];
    int16_t direction[N * AXES];
    const void *codes[AXES];
    unsigned width[AXES];
    jali_projection on;
} world;

/* Axes as frames make them: codes 0 .. top, or codes shifted down. */
static void world_open(world *w)
{
    *w = (world){ .data = { .rows = ROWS, .seed = 31 } };
    for (size_t j = 0; j < AXES; j++) {
        uint64_t span = domains[j] - 2;
        unsigned down = 0;
        small_add(&w->data, domains[j], 2);
        while (span >> down > JALI_AXIS_TOP) down++;
        w->axis[j] = (jali_ruler){ .domain = domains[j],
                                   .down = down,
                                   .span = (uint32_t)(span >> down),
                                   .mul = JALI_AXIS_SPAN,
                                   .top = (uint32_t)(span >> down),
                                   .null = (uint32_t)(span >> down) / 2 };
        w->column_of[j] = j;
    }
    small_open(&w->data);
    for (size_t j = 0; j < AXES; j++) {
        w->codes[j] = w->data.column[j].codes;
        w->width[j] = w->data.column[j].width;
    }
    for (size_t i = 0; i < N * AXES; i++)
        w->direction[i] = (int16_t)((i * 911 + 400) % 2049 - 1024);
    w->on = (jali_projection){ AXES, N, w->axis, w->column_of, w->direction };
}

static void coordinates(const world *w, size_t row, uint32_t *x)
{
    for (size_t j = 0; j < AXES; j++)
        x[j] = jali_ruler_at(&w->axis[j], small_code(&w->data, j, row));
}

SENTENCE(a_tree_of_planes_is_walked_alike)
{
    UNUSED_STATE;
    static world w;
    /* root asks 0; its right child asks 1; that one's left asks 2; the rest are leaves */
    const jali_hash_node node[] = { { { 1, 2 }, 0 }, { { 1, 1 }, 10 }, { { 3, 4 }, 0 },
                                    { { 5, 6 }, 0 }, { { 4, 4 }, 11 }, { { 5, 5 }, 12 },
                                    { { 6, 6 }, 13 } };
    const int32_t at[N] = { 5000, -70, 0, 0 };
    uint16_t label[ROWS];
    unsigned seen = 0;
    world_open(&w);
    jali_hash_tree tree = { w.on, at, sizeof node / sizeof *node, node };
    jali_block block = { ROWS, AXES, w.codes, w.width };
    jali_hash_tree_rows(&tree, &block, label);
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t x[AXES];
        coordinates(&w, r, x);
        uint16_t truth = 10;
        if (jali_projection_at(&w.on, 0, x) >= at[0]) {
            truth = 11;
            if (jali_projection_at(&w.on, 1, x) < at[1])
                truth = jali_projection_at(&w.on, 2, x) >= at[2] ? 13 : 12;
        }
        assert_int_equal(label[r], truth);
        seen |= 1u << (truth - 10);
    }
    CHECK(seen == 15);
    small_free(&w.data);
}

SENTENCE(cells_are_counted_from_the_low_end_and_cut_at_both)
{
    UNUSED_STATE;
    static world w;
    const int32_t low[N] = { -2000000, -1000, 0, -5 }, step[N] = { 1000000, 900, 40000, 1 };
    uint16_t label[ROWS], mapped[ROWS], map[SIDE * SIDE * SIDE * SIDE];
    world_open(&w);
    for (size_t i = 0; i < sizeof map / sizeof *map; i++) map[i] = (uint16_t)(i * 5 % 7);
    jali_cell_grid grid = { w.on, low, step, SIDE, NULL },
                   over = { w.on, low, step, SIDE, map };
    jali_block block = { ROWS, AXES, w.codes, w.width };
    jali_cell_grid_rows(&grid, &block, label);
    jali_cell_grid_rows(&over, &block, mapped);
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t x[AXES];
        uint16_t cell = 0;
        coordinates(&w, r, x);
        for (size_t k = 0; k < N; k++) {
            double at = ((double)jali_projection_at(&w.on, k, x) - low[k]) / step[k];
            cell = (uint16_t)(cell * SIDE + (at < 0 ? 0 : at >= SIDE ? SIDE - 1 : (int)at));
        }
        assert_int_equal(label[r], cell);
        assert_int_equal(mapped[r], map[cell]);
    }
    small_free(&w.data);
}

/* The largest product that a frame allows must not overflow: n (top / 2 + 1) < 2^21. */
SENTENCE(products_fit_for_every_frame)
{
    UNUSED_STATE;
    for (double n = 1; n <= JALI_GEOMETRY_AXES; n++) {
        double top = JALI_AXIS_TOP;
        while (top > 1 && 3 * n * (top / 2 + 1) * (top / 2 + 1) >= 2147483648.0) top--;
        CHECK(n * (top / 2 + 1) * JALI_DIRECTION_SIZE < 2147483648.0);
    }
}

RUN_ALL(TEST(a_tree_of_planes_is_walked_alike),
        TEST(cells_are_counted_from_the_low_end_and_cut_at_both),
        TEST(products_fit_for_every_frame))
