/* tally/project.c — records seen along public directions: hash trees and projected grids. */
#include "tally/project.h"
#include <string.h>

enum { TILE = 256 };

static uint32_t middle_of(const jali_ruler *a)
{
    return (a->top + 1) / 2;
}

int32_t jali_projection_at(const jali_projection *p, size_t direction, const uint32_t *x)
{
    int32_t sum = 0;
    for (size_t j = 0; j < p->axes; j++)
        sum += p->direction[direction * p->axes + j] *
               ((int32_t)x[j] - (int32_t)middle_of(&p->axis[j]));
    return sum;
}

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define AVX2
#define HAS_AVX2 false
#endif

/* A fixed number of rows, so that the compiler makes vectors of them. */
INLINE void add_axis(int32_t *restrict place, const int16_t *restrict x, int32_t g)
{
    for (size_t i = 0; i < TILE; i++) place[i] += g * x[i];
}

INLINE void add_directions(const jali_projection *p, int32_t *place, const int16_t *x, size_t j)
{
    for (size_t k = 0; k < p->n; k++)
        add_axis(place + k * TILE, x, p->direction[k * p->axes + j]);
}

static void add_axis_plain(const jali_projection *p, int32_t *place, const int16_t *x, size_t j)
{
    add_directions(p, place, x, j);
}

AVX2 static void add_axis_avx2(const jali_projection *p, int32_t *place, const int16_t *x,
                               size_t j)
{
    add_directions(p, place, x, j);
}

/* place[direction * TILE + i] of rows first + i. */
static void place_tile(const jali_projection *p, const jali_block *b, size_t first, size_t n,
                       int32_t *place)
{
    int16_t x[TILE];
    memset(place, 0, p->n * TILE * sizeof *place);
    memset(x, 0, sizeof x);
    for (size_t j = 0; j < p->axes; j++) {
        size_t c = p->column_of[j];
        jali_ruler_rows(&p->axis[j], (const char *)b->codes[c] + first * b->width[c],
                        b->width[c], n, middle_of(&p->axis[j]), x);
        if (HAS_AVX2)
            add_axis_avx2(p, place, x, j);
        else
            add_axis_plain(p, place, x, j);
    }
}

void jali_hash_tree_rows(void *self, const jali_block *block, uint16_t *label)
{
    const jali_hash_tree *t = self;
    int32_t place[JALI_DIRECTIONS * TILE];
    for (size_t first = 0; first < block->rows; first += TILE) {
        size_t n = block->rows - first < TILE ? block->rows - first : TILE;
        place_tile(&t->on, block, first, n, place);
        for (size_t i = 0; i < n; i++) {
            uint32_t at = 0;
            for (size_t k = 0; k < t->on.n; k++)
                at = t->node[at].child[place[k * TILE + i] >= t->at[k]];
            label[first + i] = t->node[at].label;
        }
    }
}

static uint32_t cell_of(int32_t place, int32_t low, int32_t step, uint32_t cells)
{
    int64_t over = (int64_t)place - low;
    uint64_t cell = over < 0 ? 0 : (uint64_t)over / (uint64_t)step;
    return cell < cells ? (uint32_t)cell : cells - 1;
}

void jali_cell_grid_rows(void *self, const jali_block *block, uint16_t *label)
{
    const jali_cell_grid *g = self;
    int32_t place[JALI_DIRECTIONS * TILE];
    for (size_t first = 0; first < block->rows; first += TILE) {
        size_t n = block->rows - first < TILE ? block->rows - first : TILE;
        place_tile(&g->on, block, first, n, place);
        for (size_t i = 0; i < n; i++) {
            uint32_t cell = 0;
            for (size_t k = 0; k < g->on.n; k++)
                cell = cell * g->cells +
                       cell_of(place[k * TILE + i], g->low[k], g->step[k], g->cells);
            label[first + i] = g->map == NULL ? (uint16_t)cell : g->map[cell];
        }
    }
}
