/* tally/ball.c — records around released centres: how many, how far, and their sums.
 *
 * Claim    ball.reach
 *          Given the frame, the centres and the radii, one row adds 1 to one cell of `counts`,
 *          0 or 1 to each cell of `far`, and to one label of `sums` a whole vector of squared
 *          length at most JALI_BALL_UNITS^2. So m rows move counts by at most m in L1 and L2,
 *          each cell of far by at most m, and sums by at most m JALI_BALL_UNITS in L2.
 * Proof    proofs/ball.md#ball.reach
 * Source   PRIVACY 8 (sums of vectors on a grid); research/cluster.md 4 (clipped step). We
 *          round to nearest with room for it, and drop an offset that would still be too long,
 *          instead of shortening it entry by entry: the check is whole, and never fires.
 * Law      none: sealed, nothing is drawn here
 * Test     tests/tally/ball_test.c
 * Silent   that offsets are right (floats compute them); only that they are short enough.
 */
#include "tally/ball.h"
#include "tally/kept.h"
#include "tally/nearest.h"
#include "tally/offsets.h"
#include "tally/open.h"
#include "tally/order_pass.h"
#include "tally/pass.h"
#include "tally/place.h"
#include <math.h>
#include <string.h>

/* ---- nearest ------------------------------------------------------------------------------
 */

static uint32_t square_at(unsigned i)
{
    double whole = floor(pow(2, i / 2.0)); /* exact for even i; within 2^32 */
    return whole >= 4294967295.0 ? UINT32_MAX : (uint32_t)whole;
}

double jali_radius_at(unsigned i)
{
    return sqrt((double)square_at(i));
}

typedef struct nearing {
    const jali_near *near;
    uint16_t *mark;
    jali_near_kept kept; /* of all rows; x is NULL if nothing is kept */
    uint32_t odd[32];    /* floor(2^(e + 1/2)) */
    int64_t *count, *far;
} nearing;

/* The first radius that the square reaches no farther than. */
static unsigned ring_of(const nearing *n, uint32_t square)
{
    uint32_t below = square > 1 ? square - 1 : 1;
    unsigned e = 31 - (unsigned)__builtin_clz(below);
    unsigned ring = 2 * e + 1 + (square > n->odd[e]);
    return square > 1 ? ring : 0;
}

static void near_rows(void *self, void *own, size_t first, const jali_block *block)
{
    const nearing *n = self;
    uint32_t square[JALI_PASS_ROWS], *count = own, *ring = count + n->near->labels;
    uint16_t *mark = n->mark + first;
    jali_near_kept kept = n->kept;
    if (kept.x != NULL) kept.x += first * n->near->pairs;
    jali_near_rows(n->near, block, kept.x != NULL ? &kept : NULL, mark, square);
    for (size_t i = 0; i < block->rows; i++) {
        count[mark[i]]++;
        ring[ring_of(n, square[i])]++;
    }
}

static void near_add(void *self, const void *own)
{
    nearing *n = self;
    const uint32_t *count = own, *ring = count + n->near->labels;
    for (uint32_t l = 0; l < n->near->labels; l++) n->count[l] += count[l];
    int64_t beyond = 0;
    for (unsigned i = JALI_RADII; i-- > 0;) {
        n->far[i] += beyond;
        beyond += ring[i];
    }
}

static void fill_rings(nearing *n)
{
    for (unsigned e = 0; e < 32; e++) n->odd[e] = square_at(2 * e + 1);
}

static jali_status near_here(const jali_ground *g, const uint16_t *centre, uint32_t labels,
                             jali_marks *marks, const jali_tally **counts,
                             const jali_tally **far, jali_err *err)
{
    jali_near near;
    jali_pass pass = { .columns = g->columns, .rows = near_rows, .add = near_add };
    const size_t *column_of;
    uint64_t m = g->rows_per_person;
    JALI_TRY(jali_pass_columns(g->frame, g->columns, g->arena, &pass.n, &pass.column,
                               &column_of, err));
    JALI_TRY(jali_near_make(&near, g->frame->axis, column_of, g->frame->n, centre, labels,
                            g->arena, err));
    jali_tally *count = jali_tally_take(g->arena, labels);
    jali_tally *ring = jali_tally_take(g->arena, JALI_RADII);
    if (count == NULL || ring == NULL) return jali_fail_memory(err);
    nearing n = { .near = &near, .mark = marks->at, .count = count->cell, .far = ring->cell };
    fill_rings(&n);
    pass.own = (labels + JALI_RADII) * sizeof(uint32_t);
    pass.self = &n;
    jali_kept *kept = jali_kept_open(marks, JALI_KEPT_PAIRS, g, 0,
                                     (marks->rows + 16) * near.pairs * sizeof *n.kept.x);
    if (kept != NULL) n.kept = (jali_near_kept){ (int32_t *)(void *)kept->at, kept->full };
    JALI_TRY(jali_pass_run(&pass, g->pool, err));
    jali_kept_filled(kept);
    if (marks->most < labels) marks->most = labels;
    count->reach = (jali_reach){ m < labels ? m : labels, m, m, m };
    ring->reach = (jali_reach){ JALI_RADII, m * JALI_RADII, m * 9, m }; /* 9 > sqrt(65) */
    *counts = count;
    *far = ring;
    return JALI_OK;
}

jali_status jali_ball_near(const jali_ground *g, const uint16_t *centre, uint32_t labels,
                           jali_marks *marks, const jali_tally **counts, const jali_tally **far,
                           jali_err *err)
{
    const jali_tally *own = NULL, *beyond = NULL;
    JALI_TRY(jali_order_near(g, centre, labels, marks, err));
    jali_status status = near_here(g, centre, labels, marks, &own, &beyond, err);
    JALI_TRY(jali_crew_join(g, status, own, beyond, err));
    *counts = own;
    *far = beyond;
    return JALI_OK;
}

/* ---- sums ---------------------------------------------------------------------------------
 */

enum { SIDE = JALI_PLACE_SIDE, TILE = JALI_PLACE_TILE };
_Static_assert((int)JALI_PLACE_SIDE == (int)JALI_OFFSET_SIDE, "places are what is added");

typedef struct summing {
    const jali_frame *frame;
    const jali_balls *balls;
    const jali_place *place;
    const uint16_t *mark;
    size_t stride; /* numbers of a row: axes, rounded up to 8 */
    jali_offsets offsets;
    jali_offsets_add *add;
    float *kept; /* places of all rows, or NULL */
    bool full;
    int64_t *sum;
} summing;

/* Rounding to nearest may lengthen a vector of n entries by sqrt(n) / 2; one more for the
 * arithmetic of the float. */
static double target_for(size_t axes)
{
    return JALI_BALL_UNITS - ceil(sqrt((double)axes) / 2) - 2;
}

double jali_ball_unit(size_t axes)
{
    return 1 / target_for(axes);
}

static void sum_block(const summing *s, int32_t *sum, size_t first, const jali_block *block)
{
    _Alignas(64) float room[TILE * JALI_GEOMETRY_AXES];
    const uint16_t *mark = s->mark + first, *label_of = s->balls->label_of;
    uint16_t label[TILE];
    memset(room, 0, TILE * s->stride * sizeof *room);
    for (size_t i = 0; i < block->rows; i += TILE) {
        size_t n = block->rows - i < TILE ? block->rows - i : TILE;
        float *tile = s->kept != NULL ? s->kept + (first + i) * s->stride : room;
        if (!s->full) jali_place_rows(s->place, s->frame->n, block, i, n, tile, s->stride);
        for (size_t k = 0; k < n; k++)
            label[k] = label_of == NULL ? mark[i + k] : label_of[mark[i + k]];
        s->add(&s->offsets, tile, label, n, sum);
    }
}

/* A worker's own memory: sums of one block in 32 bits (8192 rows of 2^15), then all in 64. */
static void sum_rows(void *self, void *own, size_t first, const jali_block *block)
{
    const summing *s = self;
    size_t n = s->balls->labels * s->stride;
    int32_t *sum = (int32_t *)(((uintptr_t)own + 63) & ~(uintptr_t)63);
    int64_t *all = (int64_t *)(sum + n);
    memset(sum, 0, n * sizeof *sum);
    sum_block(s, sum, first, block);
    for (size_t i = 0; i < n; i++) all[i] += sum[i];
}

static void sum_add(void *self, const void *own)
{
    summing *s = self;
    size_t stride = s->stride, n = s->balls->labels * stride;
    uintptr_t at = ((uintptr_t)own + 63) & ~(uintptr_t)63;
    const int64_t *all = (const int64_t *)(at + n * sizeof(int32_t));
    for (uint32_t l = 0; l < s->balls->labels; l++)
        for (size_t j = 0; j < s->frame->n; j++)
            s->sum[l * s->frame->n + j] += all[l * stride + j];
}

static jali_status take_centres(summing *s, const size_t *column_of, jali_arena *arena,
                                jali_err *err)
{
    jali_place *place = jali_arena_take(arena, s->frame->n, sizeof *place);
    if (place == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < s->frame->n; j++)
        place[j] = jali_place_of(&s->frame->axis[j], column_of[j]);
    s->place = place;
    size_t stride = s->stride, axes = s->frame->n;
    float *top = jali_arena_take(arena, stride, sizeof *top);
    float *centre = jali_arena_take(arena, s->balls->labels * stride + 1, sizeof *centre);
    if (top == NULL || centre == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < axes; j++) top[j] = place[j].top;
    for (uint32_t l = 0; l < s->balls->labels; l++)
        memcpy(centre + l * stride, s->balls->centre + l * axes, axes * sizeof *centre);
    s->offsets = (jali_offsets){ .sides = stride / SIDE,
                                 .centre = centre,
                                 .radius = s->balls->radius,
                                 .top = s->balls->inside ? top : NULL,
                                 .target = (float)target_for(axes) };
    s->add = jali_offsets_avx2() != NULL ? jali_offsets_avx2() : jali_offsets_plain;
    return JALI_OK;
}

static jali_status sums_here(const jali_ground *g, const jali_marks *marks,
                             const jali_balls *balls, const jali_tally **sums, jali_err *err)
{
    summing s = { .frame = g->frame,
                  .balls = balls,
                  .mark = marks->at,
                  .stride = (g->frame->n + SIDE - 1) / SIDE * SIDE };
    jali_pass pass = { .columns = g->columns, .rows = sum_rows, .add = sum_add, .self = &s };
    const size_t *column_of;
    uint64_t m = g->rows_per_person;
    JALI_TRY(jali_pass_columns(g->frame, g->columns, g->arena, &pass.n, &pass.column,
                               &column_of, err));
    JALI_TRY(take_centres(&s, column_of, g->arena, err));
    jali_tally *sum = jali_tally_take(g->arena, balls->labels * g->frame->n);
    if (sum == NULL) return jali_fail_memory(err);
    s.sum = sum->cell;
    pass.own = (balls->labels * s.stride * 12 + 128 + 63) & ~(size_t)63;
    jali_kept *kept = jali_kept_open(marks, JALI_KEPT_PLACES, g, 0,
                                     (marks->rows + 1) * s.stride * sizeof *s.kept);
    if (kept != NULL) {
        s.kept = (float *)(void *)kept->at;
        s.full = kept->full;
    }
    JALI_TRY(jali_pass_run(&pass, g->pool, err));
    jali_kept_filled(kept);
    uint64_t l1 = m * (uint64_t)ceil(JALI_BALL_UNITS * sqrt((double)g->frame->n));
    sum->axes = 2;
    sum->extent[0] = balls->labels;
    sum->extent[1] = g->frame->n;
    sum->reach = (jali_reach){ m * g->frame->n, l1, m * JALI_BALL_UNITS, m * JALI_BALL_UNITS };
    *sums = sum;
    return JALI_OK;
}

jali_status jali_ball_sums(const jali_ground *g, const jali_marks *marks,
                           const jali_balls *balls, const jali_tally **sums, jali_err *err)
{
    const jali_tally *mine = NULL;
    JALI_TRY(jali_order_sums(g, marks, balls, err));
    jali_status status = sums_here(g, marks, balls, &mine, err);
    JALI_TRY(jali_crew_join(g, status, mine, NULL, err));
    *sums = mine;
    return JALI_OK;
}
