/* score/cover.c — how many rows a ball around each cell of a grid would newly cover.
 *
 * Claim    cover.range
 *          On adding or removing one person of at most m = reach.linf rows, all scores
 *          change by numbers of one sign of size at most m: range m, sensitivity m.
 * Proof    proofs/cover_score.md#cover.range
 * Source   EM-MC (Nguyen, Chaturvedi, Xu, AAAI 2021), greedy maximum coverage. Balls are of
 *          the largest coordinate, so that all scores are sliding sums along each axis.
 * Law      none: nothing is drawn here
 * Test     tests/score/cover_test.c
 * Silent   Which cell a row is in must be a function of that record: the plan's promise.
 */
#include "score/cover.h"
#include "score/open.h"
#include "tally/open.h"

static size_t cells_of(const jali_cover *c)
{
    size_t n = 1;
    for (unsigned i = 0; i < c->axes; i++) n *= c->side;
    return n;
}

/* Sums over `radius` cells to both sides along one axis, in place. `line` has room for a side
 * and one more: prefix sums. */
static void slide(const jali_cover *c, size_t cells, size_t stride, int64_t *at, int64_t *line)
{
    for (size_t first = 0; first < cells; first++) {
        if (first / stride % c->side != 0) continue;
        for (size_t i = 0; i < c->side; i++) line[i + 1] = line[i] + at[first + i * stride];
        for (size_t i = 0; i < c->side; i++) {
            size_t low = i > c->radius ? i - c->radius : 0;
            size_t high = i + c->radius < c->side ? i + c->radius + 1 : c->side;
            at[first + i * stride] = line[high] - line[low];
        }
    }
}

jali_status jali_score_cover(const jali_cover *cover, const jali_tally *counts,
                             jali_arena *arena, const jali_scores **out, jali_err *err)
{
    size_t cells = cells_of(cover);
    if (counts->n != cells)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a cover of %zu cells was asked for, and %zu were counted", cells,
                         counts->n);
    jali_scores *scores = jali_arena_take(arena, 1, sizeof *scores);
    int64_t *at = jali_arena_take(arena, cells, sizeof *at);
    int64_t *line = jali_arena_take(arena, cover->side + 1, sizeof *line);
    if (scores == NULL || at == NULL || line == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < cells; i++) at[i] = cover->covered[i] ? 0 : counts->cell[i];
    for (size_t stride = 1; stride < cells; stride *= cover->side)
        slide(cover, cells, stride, at, line);
    *scores = (jali_scores){
        .n = cells, .score = at, .range = counts->reach.linf, .sensitivity = counts->reach.linf
    };
    *out = scores;
    return JALI_OK;
}

void jali_cover_mark(const jali_cover *c, size_t cell, bool *covered)
{
    size_t cells = cells_of(c);
    for (size_t i = 0; i < cells; i++) {
        bool near = true;
        for (size_t stride = 1; stride < cells; stride *= c->side) {
            size_t a = i / stride % c->side, b = cell / stride % c->side;
            near = near && (a > b ? a - b : b - a) <= c->radius;
        }
        covered[i] = covered[i] || near;
    }
}
