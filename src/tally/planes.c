/* tally/planes.c — rows in a growing tree of planes, one level at a time (LSH-Splits).
 *
 * Claim    planes.reach
 *          Given the frame and the planes so far, a row's mark is a function of its record, and
 *          a row adds 1 to one cell of *counts: m rows move it by at most m in L1 and L2.
 * Proof    proofs/planes.md#planes.reach
 * Source   Chang, Ghazi, Kumar, Manurangsi, ICML 2021; planes are public or released.
 * Law      none: sealed, nothing is drawn here
 * Test     tests/tally/planes_test.c
 * Silent   Time depends on the number of rows.
 */
#include "tally/planes.h"
#include "tally/kept.h"
#include "tally/nearest.h"
#include "tally/open.h"
#include "tally/order_pass.h"
#include "tally/pass.h"
#include <string.h>

enum { TILE = 256 };

typedef struct splitting {
    const jali_frame *frame;
    const size_t *column_of;
    const jali_plane *plane;
    uint16_t *mark;
    int16_t *kept; /* coordinates less the middle, tile by tile, axis by axis; or NULL */
    bool full;
    int64_t *count;
} splitting;

static uint32_t middle_of(const jali_ruler *a)
{
    return (a->top + 1) / 2;
}

static void coordinates(const splitting *s, const jali_block *b, size_t first, size_t n,
                        int16_t *out)
{
    for (size_t j = 0; j < s->frame->n; j++) {
        const jali_ruler *a = &s->frame->axis[j];
        size_t c = s->column_of[j];
        jali_ruler_rows(a, (const char *)b->codes[c] + first * b->width[c], b->width[c], n,
                        middle_of(a), out + j * TILE);
    }
}

/* A whole tile always, so that the compiler makes vectors of it; what lies past the last row
 * is not looked at. */
static inline __attribute__((always_inline)) void
places_loop(const splitting *s, const int16_t *restrict x, int32_t *restrict place)
{
    memset(place, 0, TILE * sizeof *place);
    for (size_t j = 0; j < s->frame->n; j++) {
        int32_t g = s->plane->direction[j];
        for (size_t i = 0; i < TILE; i++) place[i] += g * x[j * TILE + i];
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void places_avx2(const splitting *s, const int16_t *x,
                                                        int32_t *place)
{
    places_loop(s, x, place);
}
#endif

static void places(const splitting *s, const int16_t *x, int32_t *place)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        places_avx2(s, x, place);
        return;
    }
#endif
    places_loop(s, x, place);
}

static void split_rows(void *self, void *own, size_t first, const jali_block *block)
{
    const splitting *s = self;
    int32_t place[TILE];
    int16_t *room = own;
    uint32_t *count = (uint32_t *)(void *)(room + s->frame->n * TILE);
    for (size_t i = 0; i < block->rows; i += TILE) {
        size_t n = block->rows - i < TILE ? block->rows - i : TILE;
        uint16_t *mark = s->mark + first + i;
        int16_t *x = s->kept != NULL ? s->kept + (first + i) * s->frame->n : room;
        if (!s->full) coordinates(s, block, i, n, x);
        places(s, x, place);
        for (size_t k = 0; k < n; k++) {
            mark[k] = s->plane->next[2 * mark[k] + (place[k] >= s->plane->at)];
            count[mark[k]]++;
        }
    }
}

static void split_add(void *self, const void *own)
{
    splitting *s = self;
    const uint32_t *count =
        (const uint32_t *)(const void *)((const int16_t *)own + s->frame->n * TILE);
    for (uint32_t l = 0; l < s->plane->labels; l++) s->count[l] += count[l];
}

static jali_status count_here(const jali_ground *g, const jali_plane *plane, jali_marks *marks,
                              const jali_tally **counts, jali_err *err)
{
    splitting s = { .frame = g->frame, .plane = plane, .mark = marks->at };
    jali_pass pass = {
        .columns = g->columns, .rows = split_rows, .add = split_add, .self = &s
    };
    JALI_TRY(jali_pass_columns(g->frame, g->columns, g->arena, &pass.n, &pass.column,
                               &s.column_of, err));
    jali_tally *count = jali_tally_take(g->arena, plane->labels);
    if (count == NULL) return jali_fail_memory(err);
    s.count = count->cell;
    pass.own = (g->frame->n * TILE * sizeof(int16_t) + plane->labels * 4 + 63) & ~(size_t)63;
    jali_marks_keep(marks, JALI_KEEP_COORDINATES);
    jali_kept *kept = jali_kept_open(marks, JALI_KEPT_COORDINATES, g, 0,
                                     (marks->rows + TILE) * g->frame->n * sizeof *s.kept);
    if (kept != NULL) {
        s.kept = (int16_t *)(void *)kept->at;
        s.full = kept->full;
    }
    JALI_TRY(jali_pass_run(&pass, g->pool, err));
    jali_kept_filled(kept);
    if (marks->most < plane->labels) marks->most = plane->labels;
    uint64_t m = g->rows_per_person;
    count->reach = (jali_reach){ m < plane->labels ? m : plane->labels, m, m, m };
    *counts = count;
    return JALI_OK;
}

jali_status jali_planes_count(const jali_ground *g, const jali_plane *plane, jali_marks *marks,
                              const jali_tally **counts, jali_err *err)
{
    const jali_tally *mine = NULL;
    JALI_TRY(jali_order_planes(g, plane, marks, err));
    jali_status status = count_here(g, plane, marks, &mine, err);
    JALI_TRY(jali_crew_join(g, status, mine, NULL, err));
    *counts = mine;
    return JALI_OK;
}
