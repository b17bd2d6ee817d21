/* explain/contrast/lean.c — where in its cell the mass lies, guessed from the cells around it.
 *
 * No claim: a function of released numbers.
 * Source   Mass leans to where its neighbours are dense: taken as even in each cell, points at
 *          the foot of a heap look farther from its middle than they are, and the cost comes
 * out too high. A slope from the equal boxes on both sides, never below density 0 in the cell,
 * moves the mean and narrows the spread (the slopes of finite volumes: van Leer, J. Comput.
 * Phys. 32, 1979).
 */
#include "explain/contrast/lean.h"
#include <math.h>
#include <stdlib.h>

typedef struct raster {
    unsigned dims;
    uint32_t lo[JALI_SPACE], extent[JALI_SPACE]; /* of the box, in fine cells */
    uint32_t *owner;                             /* the cell that holds a fine one */
    double *density;                             /* weight of a fine cell, by owner */
} raster;

typedef struct span {
    uint32_t lo[JALI_SPACE], hi[JALI_SPACE];
} span;

static span span_of(const jali_coreset_part *p, size_t i)
{
    uint32_t k[JALI_SPACE] = { (uint32_t)(i / p->grid[2] / p->grid[1]),
                               (uint32_t)(i / p->grid[2] % p->grid[1]),
                               (uint32_t)(i % p->grid[2]) };
    span s;
    for (unsigned a = 0; a < JALI_SPACE; a++) {
        s.lo[a] = jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], k[a]);
        s.hi[a] = jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], k[a] + 1);
    }
    return s;
}

static size_t cell_of(const raster *r, const uint32_t *at)
{
    size_t i = 0;
    for (unsigned a = 0; a < JALI_SPACE; a++) i = i * r->extent[a] + (at[a] - r->lo[a]);
    return i;
}

/* The middle axis is the long one in the plane, so it is innermost. */
static void paint(raster *r, const span *s, uint32_t owner)
{
    size_t stride = r->extent[2];
    uint32_t at[JALI_SPACE] = { 0, s->lo[1], 0 }, along = s->hi[1] - s->lo[1];
    for (at[0] = s->lo[0]; at[0] < s->hi[0]; at[0]++)
        for (at[2] = s->lo[2]; at[2] < s->hi[2]; at[2]++) {
            uint32_t *row = r->owner + cell_of(r, at);
            for (size_t i = 0; i < along; i++) row[i * stride] = owner;
        }
}

static double volume(const span *s)
{
    double v = 1;
    for (unsigned a = 0; a < JALI_SPACE; a++) v *= s->hi[a] - s->lo[a];
    return v;
}

/* Density of the box of the same size beside it, seen at 2^dims places; `own` where the public
 * box ends. */
static double beside(const raster *r, const span *s, unsigned axis, bool above, double own)
{
    double sum = 0;
    unsigned each = 1u << r->dims;
    for (unsigned j = 0; j < each; j++) {
        uint32_t at[JALI_SPACE] = { 0 };
        for (unsigned a = 0; a < JALI_SPACE; a++) {
            int64_t size = s->hi[a] - s->lo[a], place = a < r->dims && (j >> a & 1) ? 3 : 1;
            int64_t to = (int64_t)s->lo[a] + place * size / 4;
            if (a == axis) to += above ? size : -size;
            if (to < r->lo[a] || to >= (int64_t)r->lo[a] + r->extent[a]) return own;
            at[a] = (uint32_t)to;
        }
        sum += r->density[r->owner[cell_of(r, at)]];
    }
    return sum / each;
}

/* Density 1 + slope u over u in -1..1 has mean slope / 3 and variance (1 - slope^2 / 3) / 3. */
static void lean(const raster *r, const span *s, jali_plot *c, size_t i)
{
    double own = r->density[i];
    for (unsigned a = 0; a < r->dims && own > 0; a++) {
        double rise = (beside(r, s, a, true, own) - beside(r, s, a, false, own)) / 4;
        double slope = fmax(-1, fmin(1, rise / own));
        c->mean[a] += c->half[a] * (float)(slope / 3);
        c->reach[a] *= (float)sqrt(1 - slope * slope / 3);
    }
}

static void find_box(raster *r, const jali_coreset *c)
{
    for (unsigned a = 0; a < JALI_SPACE; a++) {
        uint32_t hi = 0;
        r->lo[a] = UINT32_MAX;
        for (size_t j = 0; j < c->n; j++) {
            if (c->part[j].lo[a] < r->lo[a]) r->lo[a] = c->part[j].lo[a];
            if (c->part[j].hi[a] > hi) hi = c->part[j].hi[a];
        }
        r->extent[a] = hi - r->lo[a];
    }
}

static void lean_all(raster *r, const jali_coreset *c, jali_plot *cell)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->n_cells; i++) {
            const jali_coreset_part *p = &c->part[cell[i].part];
            span s = span_of(p, i - p->first);
            double size = volume(&s);
            if (pass == 0) {
                paint(r, &s, (uint32_t)i);
                r->density[i] = size > 0 ? cell[i].w / size : 0;
            } else
                lean(r, &s, &cell[i], i);
        }
}

jali_status jali_lean(jali_plot *cell, const jali_coreset *coreset, jali_err *err)
{
    raster r = { .dims = coreset->dims };
    if (coreset->n == 0) return JALI_OK;
    find_box(&r, coreset);
    size_t all = (size_t)r.extent[0] * r.extent[1] * r.extent[2];
    r.owner = calloc(all + 1, sizeof *r.owner);
    r.density = calloc(coreset->n_cells + 1, sizeof *r.density);
    bool made = r.owner != NULL && r.density != NULL;
    if (made) lean_all(&r, coreset, cell);
    free(r.owner);
    free(r.density);
    return made ? JALI_OK : jali_fail_memory(err);
}
