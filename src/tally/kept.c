/* tally/kept.c — what rows look like in a frame, kept from one pass to the next. */
#include "tally/kept.h"
#include "tally/pass.h"
#include <string.h>

/* Together less than half of the 200 MB that a clustering may take beside its columns. */
static const size_t most_bytes[JALI_KEPT_KINDS] = { 24 << 20, 24 << 20, 48 << 20, 24 << 20 };

void jali_marks_keep(jali_marks *marks, unsigned what)
{
    if (what & JALI_KEEP_CELLS) marks->kept[JALI_KEPT_CELLS].wanted = true;
    if (what & JALI_KEEP_PLACES)
        marks->kept[JALI_KEPT_PAIRS].wanted = marks->kept[JALI_KEPT_PLACES].wanted = true;
    if (what & JALI_KEEP_COORDINATES) marks->kept[JALI_KEPT_COORDINATES].wanted = true;
}

static bool is_same(const jali_kept *k, const jali_ground *g, uint32_t cells, size_t bytes)
{
    return k->at != NULL && k->columns == g->columns && k->n == g->frame->n &&
           k->cells == cells && k->bytes == bytes &&
           memcmp(k->axis, g->frame->axis, k->n * sizeof *k->axis) == 0;
}

static bool take_room(jali_kept *k, jali_arena *arena, size_t n, size_t bytes)
{
    if (k->at != NULL && k->n == n && k->bytes == bytes) return true;
    jali_ruler *axis = jali_arena_take(arena, n, sizeof *axis);
    char *at = axis == NULL ? NULL : jali_arena_take(arena, bytes, 1);
    if (at == NULL) return false;
    k->axis = axis;
    k->at = at;
    return true;
}

jali_kept *jali_kept_open(const jali_marks *marks, unsigned kind, const jali_ground *g,
                          uint32_t cells, size_t bytes)
{
    jali_kept *k = &marks->kept[kind];
    if (!k->wanted || bytes > most_bytes[kind]) return NULL;
    if (is_same(k, g, cells, bytes)) return k;
    k->full = false;
    if (!take_room(k, marks->arena, g->frame->n, bytes)) return NULL;
    k->columns = g->columns;
    k->n = g->frame->n;
    k->cells = cells;
    k->bytes = bytes;
    memcpy(k->axis, g->frame->axis, k->n * sizeof *k->axis);
    return k;
}

void jali_kept_filled(jali_kept *kept)
{
    if (kept != NULL) kept->full = true;
}
