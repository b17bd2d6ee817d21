/* explain/cluster/lsh.c — a coreset from a tree of random planes, then k-means (LSH-Splits).
 *
 * Claim    lsh.release
 *          The clustering is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for
 *          one person, with the budget of the ask.
 * Proof    proofs/lsh.md#lsh.release
 * Source   Chang, Ghazi, Kumar, Manurangsi, ICML 2021, and the program that Google published,
 *          corrected: records are centred in the public box, counts and sums have noise of one
 *          law and are summed as one loss (theirs is a search over a PLD), the whole budget of
 *          levels that were not needed goes to the sums.
 * Law      mech/noise.c on counts and on sums
 * Spends   `centre` for the middle of the planes; a part for each level; sums; `sizes`
 * Test     tests/explain/cluster/rivals_test.c
 * Silent   Time grows with the number of rows and the released depth.
 */
#include "explain/cluster/kmeans.h"
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/stream.h"
#include "tally/planes.h"
#include "tally/project.h"
#include <string.h>

enum { DEPTH_MOST = 24, LEAVES_MOST = 8192, STARTS = 8, ROUNDS = 50 };

/* Google's ratio: the noise of a count is 20 times the noise of a sum over the radius. */
static const double count_to_sum = 20;

typedef struct parts {
    uint64_t centre_count, centre_sum, level, sum, sizes;
    double alpha; /* noise of a sum, over the radius of the box */
} parts;

static unsigned depth_of(const jali_cluster_ask *ask)
{
    return (unsigned)jali_cluster_number(ask, "depth");
}

/* The budget left for levels and sums: levels * x + y = whole, x and y in Google's ratio. */
static jali_status split(const jali_cluster_ask *ask, parts *out, jali_err *err)
{
    double centre = jali_cluster_number(ask, "centre");
    double sizes = jali_cluster_number(ask, "sizes");
    double d = (double)ask->geometry->n, levels = depth_of(ask) + 1;
    double m = ask->geometry->schema->rows_per_person, rest = 1 - centre - sizes;
    double one = ask->law == JALI_LAW_GAUSS ? 1 / (count_to_sum * count_to_sum)
                                            : 1 / (count_to_sum * sqrt(2 * d));
    JALI_TRY(jali_cluster_share(ask, centre * 0.2, &out->centre_count, err));
    JALI_TRY(jali_cluster_share(ask, centre * 0.8, &out->centre_sum, err));
    JALI_TRY(jali_cluster_share(ask, sizes, &out->sizes, err));
    JALI_TRY(jali_cluster_share(ask, rest * one / (1 + levels * one), &out->level, err));
    JALI_TRY(jali_cluster_share(ask, rest / (1 + levels * one), &out->sum, err));
    double budget = (double)out->sum * 1e-12;
    out->alpha = ask->law == JALI_LAW_GAUSS ? m / sqrt(2 * budget) : m * sqrt(2 * d) / budget;
    return JALI_OK;
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    double depth = jali_cluster_number(ask, "depth");
    parts p;
    (void)arena;
    JALI_TRY(jali_means_shares(ask, err));
    if (!(depth >= 1 && depth <= DEPTH_MOST && depth == floor(depth)))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "depth must be a whole number from 1 to %d", DEPTH_MOST);
    JALI_TRY(split(ask, &p, err));
    JALI_TRY(jali_means_check(ask, 1, p.centre_sum, err));
    return jali_means_check(ask, LEAVES_MOST, p.sum, err);
}

/* ---- the tree ---------------------------------------------------------------------------- */

typedef struct node {
    uint32_t child[2]; /* itself: a leaf */
    int64_t size;
    bool dead; /* too few: its records are lost */
} node;

typedef struct tree {
    const jali_cluster_run *run;
    const parts *part;
    jali_frame frame;
    size_t *column_of;
    const char **column;
    size_t n_columns;
    int16_t *direction; /* depth * axes */
    int32_t *at;        /* depth        */
    node *node;         /* LEAVES_MOST * 2 * depth at most */
    uint32_t n, first;  /* nodes; the first one of the present level */
    uint32_t before;    /* the first one of the level before */
    jali_marks *marks;  /* every row's node among those of the present level; the last: none */
    unsigned depth;     /* levels below the root */
    int64_t least;
    uint64_t spent;
} tree;

/* Planes through `middle`; entries of a direction are normal, scaled to small integers. */
static void draw_planes(tree *t, const double *middle, unsigned depth, jali_stream *stream)
{
    size_t axes = t->frame.n;
    for (unsigned k = 0; k < depth; k++) {
        double at = 0;
        for (size_t j = 0; j < axes; j++) {
            double g = round(jali_stream_normal(stream) * JALI_DIRECTION_SIZE / 4.5);
            g = fmin(fmax(g, -JALI_DIRECTION_SIZE), JALI_DIRECTION_SIZE);
            double half = (t->frame.axis[j].top + 1) / 2;
            t->direction[k * axes + j] = (int16_t)g;
            at += g * (jali_frame_in(&t->frame, j, middle[j]) - half);
        }
        t->at[k] = (int32_t)lround(fmin(fmax(at, INT32_MIN), INT32_MAX));
    }
}

/* Columns of the block and, for each axis, which one it reads. */
static jali_status bind_columns(tree *t, jali_err *err)
{
    const jali_geometry *g = t->run->ask->geometry;
    t->column = jali_arena_take(t->run->arena, g->n, sizeof *t->column);
    t->column_of = jali_arena_take(t->run->arena, g->n, sizeof *t->column_of);
    if (t->column == NULL || t->column_of == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < g->n; j++) {
        if (j == 0 || g->dimension[j].field != g->dimension[j - 1].field)
            t->column[t->n_columns++] = g->schema->fields[g->dimension[j].field].name;
        t->column_of[j] = t->n_columns - 1;
    }
    return JALI_OK;
}

/* Sums by `label_of` each node; `labels` of them, the last for what is lost. */
static jali_status measure(tree *t, const uint16_t *label_of, uint32_t labels, uint64_t pico,
                           jali_arena *arena, jali_means *out, jali_err *err)
{
    jali_hash_node *step = jali_arena_take(arena, t->n, sizeof *step);
    if (step == NULL) return jali_fail_memory(err);
    for (uint32_t i = 0; i < t->n; i++)
        step[i] = (jali_hash_node){ { t->node[i].child[0], t->node[i].child[1] }, label_of[i] };
    jali_hash_tree walk = {
        { t->frame.n, t->depth, t->frame.axis, t->column_of, t->direction }, t->at, t->n, step
    };
    jali_label label = { .labels = labels,
                         .n = t->n_columns,
                         .columns = t->column,
                         .label = jali_hash_tree_rows,
                         .self = &walk,
                         .made = JALI_LABEL_TREE,
                         .of = &walk };
    return jali_means_measure(t->run, &label, 0, pico, arena, out, err);
}

/* Gives two children to every node of the level that is large enough; how many nodes split. */
static uint32_t sprout(tree *t)
{
    uint32_t level_end = t->n, split = 0, leaves = 0;
    for (uint32_t i = 0; i < t->n; i++) leaves += t->node[i].child[0] == i && !t->node[i].dead;
    for (uint32_t i = t->first; i < level_end; i++) {
        node *v = &t->node[i];
        if (v->dead || v->size < 3 * t->least || leaves + split >= LEAVES_MOST) continue;
        for (unsigned side = 0; side < 2; side++) {
            v->child[side] = t->n;
            t->node[t->n] = (node){ .child = { t->n, t->n } };
            t->n++;
        }
        split++;
    }
    t->first = level_end;
    return split;
}

/* A child with too few records is lost; a node both of whose children are is a leaf. */
static void prune(tree *t, const int64_t *size)
{
    for (uint32_t i = t->first; i < t->n; i++) {
        t->node[i].size = size[i - t->first];
        t->node[i].dead = t->node[i].size < t->least;
    }
    for (uint32_t i = 0; i < t->first; i++) {
        node *v = &t->node[i];
        bool last = v->child[0] >= t->first && v->child[0] != i;
        if (last && t->node[v->child[0]].dead && t->node[v->child[1]].dead)
            v->child[0] = v->child[1] = i;
    }
}

/* Where rows of each node of the level before go: to its children, or nowhere. A node without
 * children, and `nowhere` itself, lead to the last label. */
static uint16_t *steps_of(const tree *t, uint32_t labels, jali_arena *arena)
{
    uint32_t before = t->first - t->before;
    uint16_t *next = jali_arena_take(arena, 2 * ((size_t)before + 1), sizeof *next);
    for (uint32_t i = 0; next != NULL && i <= before; i++)
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t child = i < before ? t->node[t->before + i].child[side] : 0;
            bool sprouted = i < before && child >= t->first;
            next[2 * i + side] = (uint16_t)(sprouted ? child - t->first : labels - 1);
        }
    return next;
}

static jali_status count_level(tree *t, jali_arena *arena, jali_noisy *out, jali_err *err)
{
    const jali_cluster_run *run = t->run;
    const jali_tally *counts;
    jali_noiser *noiser = NULL;
    uint32_t labels = t->n - t->first + 1;
    jali_plane plane = { .direction = t->direction + (t->depth - 1) * t->frame.n,
                         .at = t->at[t->depth - 1],
                         .next = steps_of(t, labels, arena),
                         .before = t->first - t->before + 1,
                         .labels = labels };
    jali_ground ground = { &t->frame, run->columns, run->ask->geometry->schema->rows_per_person,
                           run->pool, arena };
    if (plane.next == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_planes_count(&ground, &plane, t->marks, &counts, err));
    JALI_TRY(jali_cluster_noiser(run->ask, t->part->level, &noiser, err));
    jali_status status =
        jali_noise_release(noiser, counts, run->charge, run->dice, arena, out, err);
    jali_noiser_free(noiser);
    t->spent += t->part->level;
    return status;
}

static jali_status grow_level(tree *t, bool *more, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_noisy sizes;
    t->before = t->first;
    *more = sprout(t) > 0;
    if (!*more) return JALI_OK;
    t->depth++;
    jali_status status = count_level(t, &scratch, &sizes, err);
    if (status == JALI_OK) prune(t, sizes.cell);
    jali_arena_clear(&scratch);
    return status;
}

static jali_status plant(tree *t, double *middle, jali_stream *stream, jali_err *err)
{
    const jali_cluster_ask *ask = t->run->ask;
    unsigned depth = depth_of(ask);
    size_t axes = ask->geometry->n;
    jali_label whole = { .labels = 1 };
    jali_means means;
    int64_t rows;
    t->direction = jali_arena_take(t->run->arena, depth * axes, sizeof *t->direction);
    t->at = jali_arena_take(t->run->arena, depth, sizeof *t->at);
    t->node = jali_arena_take(t->run->arena, 2 * LEAVES_MOST * (depth + 1), sizeof *t->node);
    if (t->direction == NULL || t->at == NULL || t->node == NULL) return jali_fail_memory(err);
    JALI_TRY(bind_columns(t, err));
    JALI_TRY(jali_marks_new(&t->marks, t->run->columns, t->run->arena, err));
    JALI_TRY(jali_frame_make(&t->frame, ask->geometry, NULL, NULL, t->run->arena, err));
    JALI_TRY(jali_means_measure(t->run, &whole, t->part->centre_count, t->part->centre_sum,
                                t->run->arena, &means, err));
    jali_means_centre(ask->geometry, means.sum, (double)means.size[0], middle);
    JALI_TRY(jali_means_rows(t->run, t->part->level, &rows, err));
    t->spent = t->part->level;
    jali_stream_fold(stream, rows);
    draw_planes(t, middle, depth, stream);
    double few =
        fmin(10 * sqrt((double)axes) * t->part->alpha, (double)rows / (2.0 * ask->clusters));
    t->least = few > 1 ? (int64_t)few : 1;
    t->node[0] = (node){ .child = { 0, 0 }, .size = rows };
    t->n = 1;
    return JALI_OK;
}

/* ---- the coreset ------------------------------------------------------------------------- */

static jali_status coreset(tree *t, jali_points *out, const double **noise, jali_err *err)
{
    const jali_geometry *g = t->run->ask->geometry;
    jali_arena *arena = t->run->arena;
    uint16_t *label_of = jali_arena_take(arena, t->n, sizeof *label_of);
    double *at = jali_arena_take(arena, t->n * g->n, sizeof *at);
    double *weight = jali_arena_take(arena, t->n, sizeof *weight);
    jali_means means;
    uint16_t leaves = 0;
    if (label_of == NULL || at == NULL || weight == NULL) return jali_fail_memory(err);
    for (uint32_t i = 0; i < t->n; i++) {
        bool leaf = t->node[i].child[0] == i && !t->node[i].dead;
        label_of[i] = leaf ? leaves : UINT16_MAX; /* cut to the last label */
        if (leaf) weight[leaves++] = fmax((double)t->node[i].size, 1);
    }
    /* Levels that were not needed are spent on the sums. */
    uint64_t sum = t->part->sum + (depth_of(t->run->ask) + 1) * t->part->level - t->spent;
    JALI_TRY(measure(t, label_of, (uint32_t)leaves + 1, sum, arena, &means, err));
    for (uint32_t l = 0; l < leaves; l++)
        jali_means_centre(g, means.sum + l * g->n, weight[l], at + l * g->n);
    *out = (jali_points){ leaves, g->n, at, weight };
    *noise = means.spread;
    return JALI_OK;
}

/* A centre is the sum of its leaves' sums over their counts: the noise of so many sums. */
static jali_status spread_of(const jali_cluster_run *r, const jali_points *p,
                             const double *noise, const double *centre, size_t k,
                             jali_spread *out, jali_err *err)
{
    uint32_t *near = jali_arena_take(r->arena, p->n + 1, sizeof *near);
    double *weight = jali_arena_take(r->arena, k, sizeof *weight);
    if (near == NULL || weight == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_spread_take(r, k, out, err));
    JALI_TRY(jali_points_nearest(p, centre, k, NULL, near, NULL, err));
    for (size_t i = 0; i < p->n; i++) {
        weight[near[i]] += p->weight[i];
        out->label[near[i]]++;
    }
    double most = jali_spread_axes(noise, p->d, out);
    for (size_t c = 0; c < k; c++)
        out->label[c] = most * sqrt(fmax(out->label[c], 1)) / fmax(weight[c], 1);
    return JALI_OK;
}

static jali_status run(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    const jali_cluster_ask *ask = r->ask;
    parts p;
    tree t = { .run = r, .part = &p };
    jali_stream stream = { 0 };
    jali_points points;
    jali_spread spread;
    const double *noise = NULL;
    double *middle = jali_arena_take(r->arena, ask->geometry->n, sizeof *middle), *centre, cost;
    bool more = true;
    if (middle == NULL) return jali_fail_memory(err);
    JALI_TRY(split(ask, &p, err));
    JALI_TRY(plant(&t, middle, &stream, err));
    while (more && t.depth < depth_of(ask)) JALI_TRY(grow_level(&t, &more, err));
    JALI_TRY(coreset(&t, &points, &noise, err));
    jali_kmeans how = { ask->clusters, STARTS, ROUNDS, jali_stream_word(&stream) };
    JALI_TRY(jali_kmeans_run(&how, &points, r->pool, r->arena, &centre, &cost, err));
    JALI_TRY(spread_of(r, &points, noise, centre, ask->clusters, &spread, err));
    out->told = json_pack("{s:i,s:i,s:I,s:I}", "depth", (int)t.depth, "leaves", (int)points.n,
                          "rows", (json_int_t)t.node[0].size, "least", (json_int_t)t.least);
    return jali_means_finish(r, centre, &spread, ask->clusters, p.sizes, out, err);
}

static const jali_parameter parameters[] = {
    { "depth", "20", "levels of the tree, at most" },
    { "centre", "0.1", "share of the budget for the place that the planes go through" },
    { "sizes", "0.03", "share of the budget for the sizes" },
    { 0 },
};

const jali_method jali_method_lsh = {
    .name = "lsh",
    .summary = "a coreset from a tree of random planes, then k-means (LSH-Splits)",
    .parameter = parameters,
    .needs_clusters = true,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
