/* tally/mixture.c — the most likely of Gaussians along the axes, for partition.c. */
#include "tally/mixture.h"
#include "engine/codes.h"
#include <math.h>
#include <string.h>

jali_status jali_partition_mixture(jali_partition *out, const jali_frame *frame,
                                   const uint16_t *centre, const double *sharp,
                                   const double *offset, uint32_t labels, jali_arena *arena,
                                   jali_err *err)
{
    jali_partition p;
    size_t n = (size_t)labels * frame->n;
    JALI_TRY(jali_partition_centres(&p, frame, centre, labels, arena, err));
    double *own_sharp = jali_arena_take(arena, n, sizeof *own_sharp);
    double *own_offset = jali_arena_take(arena, labels, sizeof *own_offset);
    if (own_sharp == NULL || own_offset == NULL) return jali_fail_memory(err);
    memcpy(own_sharp, sharp, n * sizeof *own_sharp);
    memcpy(own_offset, offset, labels * sizeof *own_offset);
    bool good = true;
    for (size_t i = 0; i < n; i++) good = good && isfinite(sharp[i]) && sharp[i] >= 0;
    for (uint32_t l = 0; l < labels; l++) good = good && isfinite(offset[l]);
    if (!good)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "this clustering has a mixture whose numbers are negative or infinite");
    p.kind = JALI_PARTITION_MIXTURE;
    p.sharp = own_sharp;
    p.offset = own_offset;
    *out = p;
    return JALI_OK;
}

/* offset + sum of sharp * (x - centre)^2 */
static double cost(const jali_partition *p, uint32_t l, const uint32_t *x)
{
    double sum = p->offset[l];
    for (size_t j = 0; j < p->axes; j++) {
        int64_t step = (int64_t)x[j] - p->centre[l * p->axes + j];
        sum = sum + p->sharp[l * p->axes + j] * (double)(step * step);
    }
    return sum;
}

static uint32_t likeliest(const jali_partition *p, const uint32_t *x)
{
    uint32_t best = 0;
    double least = cost(p, 0, x);
    for (uint32_t l = 1; l < p->labels; l++) {
        double c = cost(p, l, x);
        best = c < least ? l : best;
        least = c < least ? c : least;
    }
    return best;
}

uint32_t jali_mixture_of(const jali_partition *p, const uint64_t *code)
{
    uint32_t x[JALI_GEOMETRY_AXES];
    for (size_t j = 0; j < p->axes; j++)
        x[j] = jali_ruler_at(&p->axis[j], code[p->column_of[j]]);
    return likeliest(p, x);
}

void jali_mixture_rows(void *self, const jali_block *block, uint16_t *out)
{
    const jali_partition *p = self;
    uint32_t x[JALI_GEOMETRY_AXES];
    for (size_t i = 0; i < block->rows; i++) {
        for (size_t j = 0; j < p->axes; j++)
            x[j] = jali_ruler_at(&p->axis[j], jali_code_at(block->codes[p->column_of[j]],
                                                           block->width[p->column_of[j]], i));
        out[i] = (uint16_t)likeliest(p, x);
    }
}
