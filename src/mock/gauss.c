/* mock/gauss.c — round Gaussian clusters in a box, with some noise around them. */
#include "mock/job.h"
#include <math.h>

/* The box is public. Centres keep away from its walls, so that little is cut off. */
static const double wall = 100, inner = 95;
enum { DECIMALS = 4, TRIES = 40 };

typedef struct gauss {
    const jali_mock_options *o;
    double *weight, *centre; /* centre[cluster * d + axis] */
    uint64_t *size, strays;
    jali_mock_alias label;
} gauss;

static jali_status check(const jali_mock_options *o, jali_err *err)
{
    JALI_TRY(jali_mock_counts(o, err));
    JALI_TRY(jali_mock_share(o->noise, "--noise", err));
    if (o->dimensions < 1 || o->dimensions > JALI_MOCK_MAX_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%u dimensions cannot be written: give 1 to %d", o->dimensions,
                         JALI_MOCK_MAX_COLUMNS);
    if (!(o->spread >= 0 && o->spread <= wall))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--spread %g does not fit the box from -100 to 100: give 0 to 100",
                         o->spread);
    return JALI_OK;
}

static double nearest(const gauss *g, unsigned clusters, const double *at)
{
    double best = INFINITY;
    for (unsigned c = 0; c < clusters; c++) {
        double far = 0;
        for (unsigned j = 0; j < g->o->dimensions; j++) {
            double step = g->centre[(size_t)c * g->o->dimensions + j] - at[j];
            far += step * step;
        }
        if (far < best) best = far;
    }
    return sqrt(best);
}

/* The first place at least six standard deviations from the others, or the best of TRIES.
 * A plain table has all its clusters in one place. */
static void place_centres(gauss *g, double *try)
{
    unsigned d = g->o->dimensions;
    jali_mock_draw draw;
    jali_mock_draw_init(&draw, g->o->seed, "centres", 0);
    for (unsigned c = 0; c < g->o->clusters && !g->o->plain; c++) {
        double best = -1;
        for (int i = 0; i < TRIES && best < 6 * g->o->spread; i++) {
            for (unsigned j = 0; j < d; j++)
                try[j] = inner * (2 * jali_mock_draw_unit(&draw) - 1);
            double far = nearest(g, c, try);
            if (far <= best) continue;
            best = far;
            memcpy(g->centre + (size_t)c * d, try, d * sizeof *try);
        }
    }
}

static jali_status make(gauss *g, jali_arena *arena, jali_err *err)
{
    unsigned k = g->o->clusters, d = g->o->dimensions;
    g->weight = jali_arena_take(arena, k, sizeof *g->weight);
    g->size = jali_arena_take(arena, k, sizeof *g->size);
    g->centre = jali_arena_take(arena, (size_t)k * d, sizeof *g->centre);
    g->label.n = k;
    g->label.keep = jali_arena_take(arena, k, sizeof *g->label.keep);
    g->label.other = jali_arena_take(arena, k, sizeof *g->label.other);
    double *scratch = jali_arena_take(arena, 2 * (size_t)k + d, sizeof *scratch);
    if (g->weight == NULL || g->size == NULL || g->centre == NULL || g->label.keep == NULL ||
        g->label.other == NULL || scratch == NULL)
        return jali_fail_memory(err);
    jali_mock_zipf(g->weight, k, g->o->imbalance);
    jali_mock_alias_fill(&g->label, g->weight, scratch);
    place_centres(g, scratch);
    return JALI_OK;
}

/* Equal sizes are exactly equal, as in the sets that the presets are made after: rows take
 * turns; order carries nothing for those who count. */
static unsigned pick(gauss *g, uint64_t row, jali_mock_draw *labels)
{
    if (g->o->imbalance <= 0) return (unsigned)(row % g->o->clusters);
    return jali_mock_alias_draw(&g->label, labels);
}

static void write_rows(gauss *g, jali_mock_job *job)
{
    const jali_mock_options *o = g->o;
    jali_mock_sink *s = job->sink;
    jali_mock_draw labels, cells;
    jali_mock_draw_init(&labels, o->seed, "labels", 0);
    jali_mock_draw_init(&cells, o->seed, "cells", 0);
    for (uint64_t row = 0; row < o->rows && !s->failed; row++) {
        bool stray = o->noise > 0 && jali_mock_draw_chance(&labels, o->noise);
        unsigned c = pick(g, row, &labels);
        const double *centre = g->centre + (size_t)c * o->dimensions;
        jali_mock_sink_row(s);
        for (unsigned j = 0; j < o->dimensions; j++) {
            double x = stray ? wall * (2 * jali_mock_draw_unit(&cells) - 1)
                             : centre[j] + o->spread * jali_mock_draw_normal(&cells);
            jali_mock_sink_fixed(s, jali_mock_units(x, -wall, wall, DECIMALS), DECIMALS);
        }
        if (o->label && stray) jali_mock_sink_cell(s, "noise");
        if (o->label && !stray) jali_mock_sink_whole(s, c);
        jali_mock_sink_end(s);
        if (stray)
            g->strays++;
        else
            g->size[c]++;
        jali_mock_told(job, row);
    }
}

static void declare(const gauss *g, jali_mock_job *job)
{
    char name[16];
    for (unsigned j = 0; j < g->o->dimensions; j++) {
        snprintf(name, sizeof name, "x%u", j);
        jali_mock_field_number(job, name, -wall, wall, "0.0001", NULL, 0);
    }
    if (g->o->label) jali_mock_field_clusters(job, "cluster", g->o->clusters, "noise", NULL);
}

static void tell(const gauss *g, jali_mock_job *job)
{
    json_t *clusters = json_array();
    for (unsigned c = 0; c < g->o->clusters; c++) {
        const double *centre = g->centre + (size_t)c * g->o->dimensions;
        json_array_append_new(clusters,
                              json_pack("{s:i, s:I, s:f, s:o}", "cluster", (int)c, "rows",
                                        (json_int_t)g->size[c], "share", g->weight[c], "centre",
                                        jali_mock_reals(centre, g->o->dimensions)));
    }
    json_object_set_new(job->truth, "label", json_string("cluster"));
    json_object_set_new(job->truth, "spread", json_real(g->o->spread));
    json_object_set_new(job->truth, "noise_rows", json_integer((json_int_t)g->strays));
    json_object_set_new(job->truth, "clusters", clusters);
}

jali_status jali_mock_gauss(jali_mock_job *job, jali_err *err)
{
    gauss g = { .o = job->o };
    JALI_TRY(check(job->o, err));
    JALI_TRY(make(&g, &job->arena, err));
    declare(&g, job);
    JALI_TRY(jali_mock_header(job, err));
    write_rows(&g, job);
    tell(&g, job);
    return JALI_OK;
}
