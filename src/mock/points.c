/* mock/points.c — homes in a plane: towns, roads between them, farms all over. */
#include "mock/job.h"
#include <math.h>

static const double side = 100, largest_radius = 6;
enum { DECIMALS = 3, MOST_PEOPLE = 12 };

typedef struct town {
    double x, y, radius, share;
    unsigned road_to; /* its nearest larger town; itself for the first */
    uint64_t homes;
} town;

typedef struct map {
    const jali_mock_options *o;
    town *towns;
    jali_mock_alias which;
    uint64_t on_roads, open;
} map;

static jali_status check(const jali_mock_options *o, jali_err *err)
{
    JALI_TRY(jali_mock_counts(o, err));
    JALI_TRY(jali_mock_share(o->noise, "--noise", err));
    JALI_TRY(jali_mock_share(o->roads, "--roads", err));
    if (o->noise + o->roads <= 1) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--noise %g and --roads %g are more than all points: let them add up to "
                     "at most 1",
                     o->noise, o->roads);
}

static double apart(const town *a, const town *b)
{
    return sqrt((a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y));
}

/* Equal density everywhere: a town's radius grows like the root of its people. */
static void found_towns(map *m, const double *share)
{
    jali_mock_draw d;
    jali_mock_draw_init(&d, m->o->seed, "towns", 0);
    for (unsigned t = 0; t < m->o->clusters; t++) {
        town *new = &m->towns[t];
        new->x = side *(0.08 + 0.84 * jali_mock_draw_unit(&d));
        new->y = side *(0.08 + 0.84 * jali_mock_draw_unit(&d));
        new->share = share[t];
        new->radius = largest_radius *sqrt(share[t] / share[0]);
        if (new->radius < 0.2) new->radius = 0.2;
        for (unsigned i = 1; i < t; i++)
            if (apart(new, &m->towns[i]) < apart(new, &m->towns[new->road_to]))
                new->road_to = i;
    }
}

static jali_status make(map *m, jali_arena *arena, jali_err *err)
{
    unsigned k = m->o->clusters;
    m->towns = jali_arena_take(arena, k, sizeof *m->towns);
    m->which.n = k;
    m->which.keep = jali_arena_take(arena, k, sizeof *m->which.keep);
    m->which.other = jali_arena_take(arena, k, sizeof *m->which.other);
    double *share = jali_arena_take(arena, 3 * (size_t)k, sizeof *share);
    if (m->towns == NULL || m->which.keep == NULL || m->which.other == NULL || share == NULL)
        return jali_fail_memory(err);
    jali_mock_zipf(share, k, m->o->imbalance);
    jali_mock_alias_fill(&m->which, share, share + k);
    found_towns(m, share);
    return JALI_OK;
}

/* Density falls exponentially from a town's middle (Clark 1951): the distance is the sum
 * of two exponentials. Returns the town, or -1 on a road, -2 in the open. */
static int place(map *m, jali_mock_draw *d, double *x, double *y)
{
    double u = jali_mock_draw_unit(d), a, b;
    if (m->o->plain || u < m->o->noise) {
        *x = side * jali_mock_draw_unit(d);
        *y = side * jali_mock_draw_unit(d);
        m->open++;
        return -2;
    }
    if (u < m->o->noise + m->o->roads && m->o->clusters > 1) {
        const town *from = &m->towns[1 + jali_mock_draw_below(d, m->o->clusters - 1)];
        const town *to = &m->towns[from->road_to];
        double along = jali_mock_draw_unit(d);
        *x = from->x + along * (to->x - from->x) + 0.3 * jali_mock_draw_normal(d);
        *y = from->y + along * (to->y - from->y) + 0.3 * jali_mock_draw_normal(d);
        m->on_roads++;
        return -1;
    }
    unsigned t = jali_mock_alias_draw(&m->which, d);
    town *in = &m->towns[t];
    double far =
        in->radius / 2 * (jali_mock_draw_exponential(d) + jali_mock_draw_exponential(d));
    jali_mock_draw_direction(d, &a, &b);
    *x = in->x + far * a;
    *y = in->y + far * b;
    in->homes++;
    return (int)t;
}

static void write_rows(map *m, jali_mock_job *job)
{
    const jali_mock_options *o = m->o;
    jali_mock_sink *s = job->sink;
    jali_mock_draw d, people;
    jali_mock_draw_init(&d, o->seed, "homes", 0);
    jali_mock_draw_init(&people, o->seed, "people", 0);
    for (uint64_t row = 0; row < o->rows && !s->failed; row++) {
        double x, y;
        int where = place(m, &d, &x, &y);
        double more = floor(jali_mock_draw_exponential(&people) / 0.7);
        jali_mock_sink_row(s);
        jali_mock_sink_fixed(s, jali_mock_units(x, 0, side, DECIMALS), DECIMALS);
        jali_mock_sink_fixed(s, jali_mock_units(y, 0, side, DECIMALS), DECIMALS);
        jali_mock_sink_whole(s, jali_mock_units(1 + more, 1, MOST_PEOPLE, 0));
        if (o->label && where >= 0) jali_mock_sink_whole(s, where);
        if (o->label && where < 0) jali_mock_sink_cell(s, where == -1 ? "road" : "open");
        jali_mock_sink_end(s);
        jali_mock_told(job, row);
    }
}

static void declare(const map *m, jali_mock_job *job)
{
    jali_mock_field_number(job, "x", 0, side, "0.001", NULL, 0);
    jali_mock_field_number(job, "y", 0, side, "0.001", NULL, 0);
    jali_mock_field_number(job, "people", 1, MOST_PEOPLE, "1", NULL, 0);
    if (m->o->label) jali_mock_field_clusters(job, "town", m->o->clusters, "road", "open");
}

static void tell(const map *m, jali_mock_job *job)
{
    json_t *towns = json_array();
    for (unsigned t = 0; t < m->o->clusters; t++) {
        const town *at = &m->towns[t];
        json_array_append_new(
            towns, json_pack("{s:i, s:f, s:f, s:f, s:f, s:I, s:i}", "town", (int)t, "x", at->x,
                             "y", at->y, "radius", at->radius, "share", at->share, "homes",
                             (json_int_t)at->homes, "road_to", (int)at->road_to));
    }
    json_object_set_new(job->truth, "label", json_string("town"));
    json_object_set_new(job->truth, "towns", towns);
    json_object_set_new(job->truth, "road_homes", json_integer((json_int_t)m->on_roads));
    json_object_set_new(job->truth, "open_homes", json_integer((json_int_t)m->open));
}

jali_status jali_mock_points(jali_mock_job *job, jali_err *err)
{
    map m = { .o = job->o };
    JALI_TRY(check(job->o, err));
    JALI_TRY(make(&m, &job->arena, err));
    declare(&m, job);
    JALI_TRY(jali_mock_header(job, err));
    write_rows(&m, job);
    tell(&m, job);
    return JALI_OK;
}
