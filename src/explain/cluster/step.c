/* explain/cluster/step.c — the clipped step: released centres, moved by noisy, shortened means.
 *
 * Claim    step.release
 *          Given released centres, a step is stride->pico-zCDP (rho, Gauss) or -DP (eps,
 *          Laplace), in 1e-12, in the add/remove model for one person: its three parts,
 *          counts, radius and sums, cost at most counts + radius + sums <= 1 of it.
 *          jali_walker_count costs its pico.
 * Proof    proofs/step.md#step.release
 * Source   research/cluster.md 3 and 4; the ball that shrinks step by step is CoinPress
 *          (Biswas, Dong, Kamath, Ullman, NeurIPS 2020), around cells of released centres.
 * Law      counts: mech/noise.c on ball.c's counts. radius: exponential, score radius.c on
 *          ball.c's far, wanted (1 - quantile) max(sum of counts, 1). sums: mech/noise.c on
 *          ball.c's sums with that radius, or a centre's larger one (radius_of).
 * Spends   counts, radius and sums of stride->pico
 * Test     tests/explain/cluster/step_test.c
 * Silent   Time grows with the number of rows.
 */
#include "explain/cluster/step.h"
#include "mech/choose.h"
#include "score/radius.h"
#include <math.h>

jali_status jali_walker_init(jali_walker *w, const jali_cluster_run *run,
                             const jali_frame *frame, jali_err *err)
{
    *w = (jali_walker){ .run = run, .frame = *frame, .dead_at = 4 };
    return jali_marks_new(&w->marks, run->columns, run->arena, err);
}

jali_status jali_walker_take(jali_walker *w, const double *centre, size_t k, jali_err *err)
{
    jali_arena *arena = w->run->arena;
    size_t axes = w->frame.n;
    w->centre = jali_arena_take(arena, k * axes, sizeof *w->centre);
    w->count = jali_arena_take(arena, k, sizeof *w->count);
    w->spread = jali_arena_take(arena, k, sizeof *w->spread);
    w->dead = jali_arena_take(arena, k, sizeof *w->dead);
    w->before = jali_arena_take(arena, k, sizeof *w->before);
    w->before_variance = jali_arena_take(arena, k, sizeof *w->before_variance);
    if (w->centre == NULL || w->count == NULL || w->spread == NULL || w->dead == NULL ||
        w->before == NULL || w->before_variance == NULL)
        return jali_fail_memory(err);
    memcpy(w->centre, centre, k * axes * sizeof *centre);
    for (size_t l = 0; l < k; l++) w->before_variance[l] = INFINITY;
    w->k = k;
    return JALI_OK;
}

jali_status jali_walker_coordinates(const jali_walker *w, jali_arena *arena, uint16_t **out,
                                    jali_err *err)
{
    size_t axes = w->frame.n;
    uint16_t *at = jali_arena_take(arena, w->k * axes, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < w->k * axes; i++)
        at[i] = (uint16_t)fmin(fmax(floor(w->centre[i]), 0), w->frame.axis[i % axes].top);
    *out = at;
    return JALI_OK;
}

/* ---- the three parts ------------------------------------------------------------------------
 */

static jali_status part_of(uint64_t pico, double share, uint64_t *out, jali_err *err)
{
    double part = floor((double)pico * share * (1 - 1e-12));
    if (!(part >= 1))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this budget is too small for a step; give more");
    *out = (uint64_t)part;
    return JALI_OK;
}

static jali_status release(const jali_walker *w, uint64_t pico, const jali_tally *in,
                           jali_arena *arena, jali_noisy *out, jali_err *err)
{
    jali_noiser *noiser = NULL;
    const jali_cluster_run *run = w->run;
    JALI_TRY(jali_cluster_noiser(run->ask, pico, &noiser, err));
    jali_status status =
        jali_noise_release(noiser, in, run->charge, run->dice, arena, out, err);
    jali_noiser_free(noiser);
    return status;
}

static double deviation(const jali_noisy *noisy)
{
    return noisy->law == JALI_LAW_LAPLACE ? noisy->scale * sqrt(2) : noisy->scale;
}

/* A centre that is dead goes elsewhere, and its rows are lost: one unlucky count shall not do
 * that to a small cluster, so the one before is asked as well. */
static bool is_dead(const jali_walker *w, size_t l)
{
    double own = 1 / (w->count_sd * w->count_sd), theirs = 1 / w->before_variance[l];
    double mean = (own * (double)w->count[l] + theirs * w->before[l]) / (own + theirs);
    return mean < w->dead_at / sqrt(own + theirs);
}

static jali_status release_counts(jali_walker *w, uint64_t pico, const jali_tally *counts,
                                  jali_arena *arena, jali_err *err)
{
    jali_noisy noisy;
    JALI_TRY(release(w, pico, counts, arena, &noisy, err));
    w->count_sd = deviation(&noisy);
    for (size_t l = 0; l < w->k; l++) {
        w->count[l] = noisy.cell[l];
        w->dead[l] = is_dead(w, l);
        w->before[l] = (double)noisy.cell[l];
        w->before_variance[l] = w->count_sd * w->count_sd;
        jali_stream_fold(&w->stream, noisy.cell[l]);
    }
    return JALI_OK;
}

/* (1 - quantile) of the rows shall be farther away. */
static int64_t wanted_outside(const jali_walker *w, double quantile)
{
    double all = 0;
    for (size_t l = 0; l < w->k; l++) all += (double)w->count[l];
    return (int64_t)llround((1 - quantile) * fmin(fmax(all, 1), 1e15));
}

static jali_status choose_radius(jali_walker *w, const jali_stride *stride, uint64_t pico,
                                 const jali_tally *far, jali_arena *arena, jali_err *err)
{
    const jali_scores *scores;
    jali_chooser *chooser = NULL;
    size_t winner = 0, n;
    const jali_cluster_run *run = w->run;
    JALI_TRY(jali_score_radius(far, wanted_outside(w, stride->quantile), arena, &scores, err));
    JALI_TRY(jali_cluster_chooser(run->ask, pico, &chooser, err));
    jali_status status = jali_choose(chooser, scores, run->charge, run->dice, &winner, &n, err);
    jali_chooser_free(chooser);
    if (status == JALI_OK) w->radius = jali_radius_at((unsigned)winner);
    return status;
}

/* ---- post-processing
 * ------------------------------------------------------------------------- */

/* Into the public box, in steps of the frame, which may be a small part of it. */
static double into_box(const jali_walker *w, size_t axis, double at)
{
    double width = w->run->ask->geometry->dimension[axis].width;
    return fmin(fmax(at, jali_frame_in(&w->frame, axis, 0)),
                jali_frame_in(&w->frame, axis, width));
}

/* A small cluster's centre may be farther from its rows than the released radius lets it see:
 * by the noise that moved it last, whose size is known. */
static double radius_of(const jali_walker *w, size_t l)
{
    double lost = 1.25 * w->spread[l] * sqrt((double)w->frame.n);
    return fmin(fmax(w->radius, lost), jali_radius_at(JALI_RADII - 1));
}

static void move_centre(jali_walker *w, size_t l, const int64_t *sum, double radius, double sd)
{
    size_t axes = w->frame.n;
    double unit = radius * jali_ball_unit(axes);
    double rows = fmax(fmax((double)w->count[l], 1), 2 * w->count_sd), square = 0;
    w->spread[l] = sd * unit / rows;
    if (w->dead[l]) return;
    for (size_t j = 0; j < axes; j++)
        square += (double)sum[j] * unit / rows * ((double)sum[j] * unit / rows);
    double shorter = square > radius * radius ? radius / sqrt(square) : 1;
    for (size_t j = 0; j < axes; j++) {
        double *at = &w->centre[l * axes + j];
        *at = into_box(w, j, *at + shorter * (double)sum[j] * unit / rows);
    }
}

static jali_status move_all(jali_walker *w, const jali_ground *ground, uint64_t pico,
                            jali_err *err)
{
    size_t axes = w->frame.n;
    const jali_tally *sums;
    jali_noisy noisy;
    float *centre = jali_arena_take(ground->arena, w->k * axes, sizeof *centre);
    float *radius = jali_arena_take(ground->arena, w->k, sizeof *radius);
    if (centre == NULL || radius == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < w->k * axes; i++) centre[i] = (float)w->centre[i];
    for (size_t l = 0; l < w->k; l++) radius[l] = (float)radius_of(w, l);
    jali_balls balls = { .labels = (uint32_t)w->k, .centre = centre, .radius = radius };
    JALI_TRY(jali_ball_sums(ground, w->marks, &balls, &sums, err));
    JALI_TRY(release(w, pico, sums, ground->arena, &noisy, err));
    for (size_t l = 0; l < w->k; l++)
        move_centre(w, l, noisy.cell + l * axes, (double)radius[l], deviation(&noisy));
    return JALI_OK;
}

static jali_status step_with(jali_walker *w, const jali_stride *stride, jali_ground *ground,
                             jali_err *err)
{
    uint64_t counts_pico = 0, radius_pico = 0, sums_pico = 0;
    uint16_t *at;
    const jali_tally *counts, *far;
    JALI_TRY(part_of(stride->pico, stride->counts, &counts_pico, err));
    JALI_TRY(part_of(stride->pico, stride->radius, &radius_pico, err));
    JALI_TRY(part_of(stride->pico, stride->sums, &sums_pico, err));
    JALI_TRY(jali_walker_coordinates(w, ground->arena, &at, err));
    JALI_TRY(jali_ball_near(ground, at, (uint32_t)w->k, w->marks, &counts, &far, err));
    JALI_TRY(release_counts(w, counts_pico, counts, ground->arena, err));
    JALI_TRY(choose_radius(w, stride, radius_pico, far, ground->arena, err));
    return move_all(w, ground, sums_pico, err);
}

static jali_ground ground_of(jali_walker *w, jali_arena *arena)
{
    const jali_cluster_run *run = w->run;
    return (jali_ground){ &w->frame, run->columns, run->ask->geometry->schema->rows_per_person,
                          run->pool, arena };
}

jali_status jali_walker_step(jali_walker *w, const jali_stride *stride, jali_err *err)
{
    jali_arena own = JALI_ARENA_INIT;
    jali_ground ground = ground_of(w, &own);
    jali_status status = step_with(w, stride, &ground, err);
    jali_arena_clear(&own);
    return status;
}

jali_status jali_walker_count(jali_walker *w, uint64_t pico, jali_err *err)
{
    jali_arena own = JALI_ARENA_INIT;
    jali_ground ground = ground_of(w, &own);
    const jali_tally *counts, *far;
    uint16_t *at;
    jali_status status = jali_walker_coordinates(w, &own, &at, err);
    if (status == JALI_OK)
        status = jali_ball_near(&ground, at, (uint32_t)w->k, w->marks, &counts, &far, err);
    if (status == JALI_OK) status = release_counts(w, pico, counts, &own, err);
    jali_arena_clear(&own);
    return status;
}

static size_t heaviest(const jali_walker *w)
{
    size_t best = 0;
    for (size_t l = 1; l < w->k; l++)
        if (w->count[l] > w->count[best]) best = l;
    return best;
}

void jali_walker_reseed(jali_walker *w)
{
    size_t axes = w->frame.n;
    for (size_t l = 0; l < w->k; l++) {
        size_t b = heaviest(w);
        if (!w->dead[l] || b == l) continue;
        double length = 0, *to = w->centre + l * axes;
        for (size_t j = 0; j < axes; j++) {
            to[j] = jali_stream_normal(&w->stream);
            length += to[j] * to[j];
        }
        length = fmax(sqrt(length), 1e-9);
        for (size_t j = 0; j < axes; j++)
            to[j] = into_box(w, j, w->centre[b * axes + j] + to[j] / length * w->radius / 2);
        w->count[b] /= 2;
        w->before_variance[b] = w->before_variance[l] = INFINITY;
        w->spread[l] = 0;
        w->dead[l] = false;
    }
}

void jali_walker_bury(jali_walker *w)
{
    size_t axes = w->frame.n, kept = 0, best = heaviest(w);
    for (size_t l = 0; l < w->k; l++) {
        if (w->dead[l] && l != best) continue;
        memmove(w->centre + kept * axes, w->centre + l * axes, axes * sizeof *w->centre);
        w->count[kept] = w->count[l];
        w->spread[kept] = w->spread[l];
        w->dead[kept] = w->dead[l];
        w->before[kept] = w->before[l];
        w->before_variance[kept] = w->before_variance[l];
        kept++;
    }
    w->k = kept;
}

jali_status jali_walker_finish(jali_walker *w, jali_clustering *out, jali_err *err)
{
    jali_arena *arena = w->run->arena;
    size_t axes = w->frame.n;
    uint16_t *at;
    double *centre = jali_arena_take(arena, w->k * axes, sizeof *centre);
    double *spread = jali_arena_take(arena, w->k, sizeof *spread);
    if (centre == NULL || spread == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_walker_coordinates(w, arena, &at, err));
    JALI_TRY(
        jali_partition_centres(&out->partition, &w->frame, at, (uint32_t)w->k, arena, err));
    for (size_t i = 0; i < w->k * axes; i++)
        centre[i] = jali_frame_out(&w->frame, i % axes, w->centre[i]);
    for (size_t l = 0; l < w->k; l++) spread[l] = w->spread[l] * w->frame.unit;
    bool pure = w->run->ask->law == JALI_LAW_LAPLACE;
    out->centre = centre;
    out->centre_spread = spread;
    out->size = w->count;
    out->size_law = w->run->ask->law;
    out->size_scale = pure ? w->count_sd / sqrt(2) : w->count_sd;
    return JALI_OK;
}
