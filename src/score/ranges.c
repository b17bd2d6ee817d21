/* score/ranges.c — sums over ranges of one axis of a table.
 *
 * No claim: whole numbers added up. A cell of the result counts the records whose code is in
 * the range; ranges may overlap, and proofs/study.md does not mind.
 */
#include "score/parts.h"

int64_t *jali_sum_ranges(const int64_t *in, size_t outer, size_t extent, size_t inner,
                         const jali_space_attribute *a, jali_arena *arena)
{
    int64_t *out = jali_arena_take(arena, outer * a->n * inner + 1, sizeof *out);
    int64_t *below = jali_arena_take(arena, (extent + 1) * inner + 1, sizeof *below);
    if (out == NULL || below == NULL) return NULL;
    for (size_t o = 0; o < outer; o++) {
        const int64_t *from = in + o * extent * inner;
        int64_t *to = out + o * a->n * inner;
        for (size_t i = 0; i < extent * inner; i++) below[i + inner] = below[i] + from[i];
        for (size_t m = 0; m < a->n; m++)
            for (size_t i = 0; i < inner; i++)
                to[m * inner + i] =
                    below[(a->mark[m].hi + 1) * inner + i] - below[a->mark[m].lo * inner + i];
    }
    return out;
}
