/* explain/cluster/modes.c — clusters of records of categories (DP k-modes).
 *
 * Claim    modes.release
 *          The clustering is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for
 *          one person, with the budget of the ask.
 * Proof    proofs/modes.md#modes.release
 * Source   after Nguyen 2018 (ALGORITHMS 7.5): a mode is chosen by the exponential mechanism on
 *          counts, which move one way, for all clusters at the price of one (mech/each.c).
 * Law      mech/each.c for every round and column; mech/noise.c for the rows and sizes
 * Spends   `count` for the number of rows, `sizes` at the end, the rest in equal parts for each
 *          round and column
 * Test     tests/explain/cluster/rivals_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/stream.h"
#include "mech/each.h"

enum { ROUNDS_MOST = 50, VALUES_MOST = 65536, CELLS_MOST = 1 << 22 };

/* The columns of the ask, whichever way the geometry sees them. */
static size_t fields_of(const jali_geometry *g, size_t *field)
{
    size_t n = 0;
    for (size_t j = 0; j < g->n; j++)
        if (j == 0 || g->dimension[j].field != g->dimension[j - 1].field)
            field[n++] = g->dimension[j].field;
    return n;
}

static double part_of(const jali_cluster_ask *ask, size_t columns)
{
    double rest = 1 - jali_cluster_number(ask, "count") - jali_cluster_number(ask, "sizes");
    return rest / (jali_cluster_number(ask, "rounds") * (double)columns);
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    size_t field[JALI_GEOMETRY_AXES], n = fields_of(ask->geometry, field);
    double rounds = jali_cluster_number(ask, "rounds");
    uint64_t pico;
    (void)arena;
    JALI_TRY(jali_means_shares(ask, err));
    if (!(rounds >= 1 && rounds <= ROUNDS_MOST && rounds == floor(rounds)))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "rounds must be a whole number from 1 to %d", ROUNDS_MOST);
    for (size_t i = 0; i < n; i++) {
        const jali_field *f = &ask->geometry->schema->fields[field[i]];
        if (f->domain > VALUES_MOST || f->domain * (ask->clusters + 1) > CELLS_MOST)
            return jali_fail(
                err, JALI_E_USAGE, JALI_FOR_ANALYST,
                "\"%.100s\" has too many values to choose a mode of: leave it away", f->name);
    }
    JALI_TRY(jali_cluster_share(ask, jali_cluster_number(ask, "count"), &pico, err));
    JALI_TRY(jali_cluster_share(ask, jali_cluster_number(ask, "sizes"), &pico, err));
    return jali_cluster_share(ask, part_of(ask, n), &pico, err);
}

typedef struct modes {
    const jali_cluster_run *run;
    const size_t *field;
    size_t n;
    uint64_t *mode; /* clusters * n */
    jali_each *each;
} modes;

/* Uniform over the known values of each column. */
static void first_modes(modes *m, jali_stream *stream)
{
    const jali_schema *schema = m->run->ask->geometry->schema;
    for (size_t c = 0; c < m->run->ask->clusters; c++)
        for (size_t i = 0; i < m->n; i++) {
            uint64_t domain = schema->fields[m->field[i]].domain;
            m->mode[c * m->n + i] =
                domain < 2 ? 0 : jali_stream_below(stream, (size_t)(domain - 1));
        }
}

static jali_status choose_column(modes *m, const jali_tally *counts, size_t column,
                                 jali_arena *arena, jali_err *err)
{
    const jali_cluster_run *r = m->run;
    size_t k = r->ask->clusters;
    const jali_score_groups *groups;
    size_t *winner = jali_arena_take(arena, k + 1, sizeof *winner);
    if (winner == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_score_modes(counts, arena, &groups, err));
    JALI_TRY(jali_choose_each(m->each, groups, r->charge, r->dice, winner, err));
    for (size_t c = 0; c < k; c++) m->mode[c * m->n + column] = winner[c];
    return JALI_OK;
}

static jali_status count_and_choose(modes *m, jali_plan *plan, const jali_label *label,
                                    jali_arena *arena, jali_err *err)
{
    const jali_schema *schema = m->run->ask->geometry->schema;
    const jali_tallies *tallies;
    size_t slice, *table = jali_arena_take(arena, m->n + 1, sizeof *table);
    if (table == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_plan_slice(plan, label, NULL, &slice, err));
    for (size_t i = 0; i < m->n; i++)
        JALI_TRY(jali_plan_counts(plan, slice, &schema->fields[m->field[i]].name, 1, &table[i],
                                  err));
    JALI_TRY(jali_plan_run(plan, m->run->pool, arena, &tallies, err));
    for (size_t i = 0; i < m->n; i++)
        JALI_TRY(choose_column(m, jali_tallies_counts(tallies, table[i]), i, arena, err));
    return JALI_OK;
}

/* Labels by the modes so far; then every mode anew, column by column. */
static jali_status round_of(modes *m, jali_arena *arena, jali_err *err)
{
    const jali_cluster_run *r = m->run;
    const jali_schema *schema = r->ask->geometry->schema;
    jali_partition p;
    jali_label label;
    jali_plan *plan;
    JALI_TRY(jali_partition_modes(&p, schema, m->field, m->n, m->mode, NULL, r->ask->clusters,
                                  arena, err));
    JALI_TRY(jali_partition_label(&p, arena, &label, err));
    JALI_TRY(jali_plan_new(&plan, r->columns, schema->rows_per_person, err));
    jali_status status = count_and_choose(m, plan, &label, arena, err);
    jali_plan_free(plan);
    return status;
}

static jali_status rounds_of(modes *m, unsigned rounds, jali_err *err)
{
    jali_status status = JALI_OK;
    for (unsigned i = 0; status == JALI_OK && i < rounds; i++) {
        jali_arena scratch = JALI_ARENA_INIT;
        status = round_of(m, &scratch, err);
        jali_arena_clear(&scratch);
    }
    return status;
}

static jali_status finish(const modes *m, uint64_t size_pico, jali_clustering *out,
                          jali_err *err)
{
    const jali_cluster_run *r = m->run;
    jali_label label;
    jali_means means;
    JALI_TRY(jali_partition_modes(&out->partition, r->ask->geometry->schema, m->field, m->n,
                                  m->mode, NULL, r->ask->clusters, r->arena, err));
    JALI_TRY(jali_partition_label(&out->partition, r->arena, &label, err));
    JALI_TRY(jali_means_measure(r, &label, size_pico, 0, r->arena, &means, err));
    out->size = means.size;
    out->size_law = r->ask->law;
    out->size_scale = means.size_scale;
    return JALI_OK;
}

static jali_status run(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    const jali_cluster_ask *ask = r->ask;
    size_t *field = jali_arena_take(r->arena, ask->geometry->n + 1, sizeof *field);
    modes m = { .run = r, .field = field };
    unsigned rounds = (unsigned)jali_cluster_number(ask, "rounds");
    jali_stream stream = { 0 };
    uint64_t count, sizes, part;
    int64_t rows;
    if (field == NULL) return jali_fail_memory(err);
    m.n = fields_of(ask->geometry, field);
    m.mode = jali_arena_take(r->arena, ask->clusters * m.n, sizeof *m.mode);
    if (m.mode == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_cluster_share(ask, jali_cluster_number(ask, "count"), &count, err));
    JALI_TRY(jali_cluster_share(ask, jali_cluster_number(ask, "sizes"), &sizes, err));
    JALI_TRY(jali_cluster_share(ask, part_of(ask, m.n), &part, err));
    JALI_TRY(jali_means_rows(r, count, &rows, err));
    jali_stream_fold(&stream, rows);
    first_modes(&m, &stream);
    JALI_TRY(jali_cluster_each(ask, part, &m.each, err));
    jali_status status = rounds_of(&m, rounds, err);
    jali_each_free(m.each);
    if (status != JALI_OK) return status;
    out->told = json_pack("{s:i,s:I}", "rounds", (int)rounds, "rows", (json_int_t)rows);
    return finish(&m, sizes, out, err);
}

static const jali_parameter parameters[] = {
    { "rounds", "5", "how often all modes are chosen" },
    { "count", "0.02", "share of the budget for the number of rows" },
    { "sizes", "0.03", "share of the budget for the sizes" },
    { 0 },
};

const jali_method jali_method_modes = {
    .name = "modes",
    .summary = "clusters of categories: nearest by the columns that agree (DP k-modes)",
    .parameter = parameters,
    .needs_clusters = true,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
