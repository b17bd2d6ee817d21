/* explain/cluster/lloyd.c — k-means steps with noise in the whole box (DP-Lloyd).
 *
 * Claim    lloyd.release
 *          The clustering is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for
 *          one person, with the budget of the ask.
 * Proof    proofs/lloyd.md#lloyd.release
 * Source   Su, Cao, Li, Bertino, Jin, CODASPY 2016, section 4, corrected: sums centred in the
 *          box, rounds from a released count, a centre that few belong to stays by the noisy
 *          count and not by the true one (FLAG 14). In zCDP noise is Gaussian and the same
 *          error bound gives count : sums = 2 x sqrt(d) : d and the number of rounds.
 * Law      mech/noise.c in every round
 * Spends   `count` for the number of rows, `sizes` at the end, the rest in equal rounds
 * Test     tests/explain/cluster/rivals_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/stream.h"
#include <string.h>

enum { ROUNDS_LEAST = 2, ROUNDS_MOST = 7, RETRIES = 100 };

/* As many rounds as keep the error of one round, summed over clusters, at 0.004. */
static unsigned rounds_for(const jali_cluster_ask *ask, double rows)
{
    double d = (double)ask->geometry->n, k = ask->clusters, c = jali_means_size_part(ask);
    double m = ask->geometry->schema->rows_per_person;
    double budget = (double)ask->budget_pico * 1e-12, n = fmax(rows, 1);
    double least = ask->law == JALI_LAW_GAUSS
                       ? 125 * k * k * k * (d + c) * (d + c) / (n * n) * m * m
                       : sqrt(500 * k * k * k / (n * n) * pow(d + c, 3)) * m;
    double rounds = floor(budget / least);
    return rounds < ROUNDS_LEAST  ? ROUNDS_LEAST
           : rounds > ROUNDS_MOST ? ROUNDS_MOST
                                  : (unsigned)rounds;
}

typedef struct parts {
    uint64_t rows, sizes, round, count, sum; /* of a round: count + sum */
} parts;

static jali_status split(const jali_cluster_ask *ask, unsigned rounds, parts *out,
                         jali_err *err)
{
    double first = jali_cluster_number(ask, "count"), last = jali_cluster_number(ask, "sizes");
    double d = (double)ask->geometry->n, c = jali_means_size_part(ask);
    double round = (1 - first - last) / rounds;
    JALI_TRY(jali_cluster_share(ask, first, &out->rows, err));
    JALI_TRY(jali_cluster_share(ask, last, &out->sizes, err));
    JALI_TRY(jali_cluster_share(ask, round * c / (d + c), &out->count, err));
    return jali_cluster_share(ask, round * d / (d + c), &out->sum, err);
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    parts p;
    (void)arena;
    double rounds = jali_cluster_number(ask, "rounds");
    JALI_TRY(jali_means_shares(ask, err));
    if (!(rounds >= 0 && rounds <= 50 && rounds == floor(rounds)))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "rounds must be a whole number from 1 to 50, or 0 for Su's rule");
    JALI_TRY(split(ask, rounds > 0 ? (unsigned)rounds : ROUNDS_MOST, &p, err));
    return jali_means_check(ask, ask->clusters, p.sum, err);
}

/* ---- the first centres: apart, and away from the walls --------------------------------------
 */

static bool is_apart(const double *u, size_t c, size_t d, double apart)
{
    for (size_t o = 0; o < c; o++) {
        double far = 0;
        for (size_t j = 0; j < d; j++)
            far += (u[c * d + j] - u[o * d + j]) * (u[c * d + j] - u[o * d + j]);
        if (far < apart * apart) return false;
    }
    return true;
}

/* k points of the cube from -1 to 1, at least a from its walls and 2a from each other. */
static bool pack(double *u, size_t k, size_t d, double a, jali_stream *stream)
{
    for (size_t c = 0; c < k; c++) {
        bool placed = false;
        for (int t = 0; t < RETRIES && !placed; t++) {
            for (size_t j = 0; j < d; j++)
                u[c * d + j] = (1 - a) * (2 * jali_stream_unit(stream) - 1);
            placed = is_apart(u, c, d, 2 * a);
        }
        if (!placed) return false;
    }
    return true;
}

static void first_centres(const jali_geometry *g, double *centre, jali_spread *spread, size_t k,
                          jali_stream *stream)
{
    double a = 1, widest = 0;
    while (a > 1e-9 && !pack(centre, k, g->n, a, stream)) a /= 2;
    for (size_t i = 0; i < k * g->n; i++)
        centre[i] = g->dimension[i % g->n].width / 2 * (1 + centre[i]);
    for (size_t j = 0; j < g->n; j++) widest = fmax(widest, g->dimension[j].width);
    for (size_t c = 0; c < k; c++) spread->label[c] = widest / 2; /* it may lie anywhere */
}

/* ---- rounds ----------------------------------------------------------------------------- */

static jali_status run(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    const jali_cluster_ask *ask = r->ask;
    size_t k = ask->clusters, d = ask->geometry->n;
    unsigned rounds = (unsigned)jali_cluster_number(ask, "rounds");
    jali_stream stream = { 0 };
    int64_t rows;
    parts p;
    jali_spread spread;
    double *centre = jali_arena_take(r->arena, k * d, sizeof *centre);
    if (centre == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_spread_take(r, k, &spread, err));
    JALI_TRY(split(ask, ROUNDS_MOST, &p, err));
    JALI_TRY(jali_means_rows(r, p.rows, &rows, err));
    if (rounds == 0) rounds = rounds_for(ask, (double)rows);
    JALI_TRY(split(ask, rounds, &p, err));
    jali_stream_fold(&stream, rows);
    first_centres(ask->geometry, centre, &spread, k, &stream);
    for (unsigned i = 0; i < rounds; i++)
        JALI_TRY(jali_means_step(r, p.count, p.sum, centre, k, &spread, err));
    out->told = json_pack("{s:i,s:I}", "rounds", (int)rounds, "rows", (json_int_t)rows);
    return jali_means_finish(r, centre, &spread, k, p.sizes, out, err);
}

static const jali_parameter parameters[] = {
    { "rounds", "0", "k-means steps; 0: 2 to 7, by the released number of rows" },
    { "count", "0.02", "share of the budget for the number of rows" },
    { "sizes", "0.03", "share of the budget for the sizes" },
    { 0 },
};

const jali_method jali_method_lloyd = {
    .name = "lloyd",
    .summary = "k-means steps with noise in the whole box (DP-Lloyd)",
    .parameter = parameters,
    .needs_clusters = true,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
