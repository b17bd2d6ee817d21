/* explain/cluster/cluster.c — a clustering asked for, priced, released and read again.
 *
 * Claim    cluster.release
 *          The released body is what the method released and public facts: it is as private as
 *          the method, whose parts are taken out of a receipt for ask->loss, the whole budget:
 *          eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for one person.
 * Proof    proofs/cluster.md#cluster.release
 * Source   ours; each method names its own.
 * Law      none: nothing is drawn here
 * Spends   nothing itself
 * Test     tests/explain/cluster/cluster_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/cluster/cluster.h"
#include "base/json.h"
#include "base/rat.h"
#include "base/text.h"

enum { MOST_NUMBERS = 1 << 20 }; /* of all centres: a body of some 40 MB */

static const char *const law_names[] = { "laplace", "gauss" };
static const char *const scale_names[] = { "bounds", "values" };

/* ---- the plan ---------------------------------------------------------------------------- */

static bool knows(const jali_method *method, const char *word, size_t n)
{
    const jali_parameter *p = method->parameter;
    for (; p != NULL && p->name != NULL; p++)
        if (strlen(p->name) == n && strncmp(p->name, word, n) == 0) return true;
    return false;
}

static jali_status check_options(const jali_cluster_ask *ask, jali_err *err)
{
    const jali_method *m = ask->method;
    for (size_t i = 0; i < ask->n_options; i++) {
        const char *equals = strchr(ask->option[i], '=');
        if (equals == NULL)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "--set takes NAME=VALUE, not \"%.60s\"", ask->option[i]);
        if (!knows(m, ask->option[i], (size_t)(equals - ask->option[i])))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "the method %s has no parameter \"%.*s\"", m->name,
                             (int)(equals - ask->option[i] > 40 ? 40 : equals - ask->option[i]),
                             ask->option[i]);
    }
    for (const jali_parameter *p = m->parameter; p != NULL && p->name != NULL; p++)
        if (jali_cluster_word(ask, p->name) == NULL)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "the method %s needs %s: say --set %s=VALUE", m->name, p->name,
                             p->name);
    return JALI_OK;
}

/* A receipt for eps pays rho = eps^2/2, too. Far below this that is less than the rounding of
 * the parts' own rho, one grain each, and the parts would be refused after the charge. Methods
 * have at most 600 parts, or 16 a cluster, or 50 an axis: each is within half of eps^2/2. */
static uint64_t least_pure(const jali_cluster_ask *ask)
{
    return 50000000 + 1000000 * ((uint64_t)ask->clusters + ask->geometry->n);
}

static jali_status check_clusters(const jali_cluster_ask *ask, jali_err *err)
{
    const jali_method *m = ask->method;
    if (m->needs_clusters && ask->clusters == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the method %s has to be told how many: give --clusters K", m->name);
    if (!m->needs_clusters && !m->takes_clusters && ask->clusters > 0)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "the method %s finds its own number of clusters: leave --clusters away", m->name);
    if (ask->clusters > JALI_PLAN_LABELS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there can be 1 to %d clusters, not %u", JALI_PLAN_LABELS,
                         (unsigned)ask->clusters);
    if ((uint64_t)ask->clusters * ask->geometry->n > MOST_NUMBERS)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "%u clusters of %zu axes are too many numbers to be stored; take fewer",
            (unsigned)ask->clusters, ask->geometry->n);
    if (!m->free && !m->open && ask->budget_pico == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this budget is too small to be written down; give more");
    if (!m->free && !m->open && ask->law == JALI_LAW_LAPLACE &&
        ask->budget_pico < least_pure(ask))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this budget is too small for such a clustering; give at least %.6f",
                         (double)least_pure(ask) * 1e-12);
    return JALI_OK;
}

/* Names in the order of the request: they number the axes. */
static json_t *columns_json(const jali_geometry *g)
{
    json_t *list = json_array();
    for (size_t j = 0; j < g->n; j++) {
        const jali_dimension *d = &g->dimension[j];
        if (d->one_hot && d->code > 0) continue;
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:f}", "name", g->schema->fields[d->field].name, "as",
                            d->one_hot ? "onehot" : "codes", "width", d->width));
    }
    return list;
}

static json_t *parameters_json(const jali_cluster_ask *ask)
{
    json_t *all = json_object();
    const jali_parameter *p = ask->method->parameter;
    for (; p != NULL && p->name != NULL; p++)
        json_object_set_new(all, p->name, json_string(jali_cluster_word(ask, p->name)));
    return all;
}

static jali_status write_plan(jali_cluster_ask *ask, const char *budget, jali_arena *arena,
                              jali_err *err)
{
    char *text = NULL;
    json_t *plan = json_pack(
        "{s:s,s:s,s:o,s:o,s:I,s:s,s:s}", "verb", "cluster", "method", ask->method->name,
        "columns", columns_json(ask->geometry), "parameters", parameters_json(ask), "clusters",
        (json_int_t)ask->clusters, "law", law_names[ask->law], "budget", budget);
    if (plan == NULL) return jali_fail_memory(err);
    jali_status status = jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    ask->plan = text;
    return status;
}

static jali_loss whole_loss(const jali_cluster_ask *ask)
{
    jali_loss none = JALI_LOSS_NONE;
    mpq_t q;
    if (ask->budget_pico == 0) return none;
    mpq_init(q);
    mpz_import(mpq_numref(q), 1, -1, sizeof ask->budget_pico, 0, 0, &ask->budget_pico);
    mpz_ui_pow_ui(mpq_denref(q), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(q);
    none = ask->law == JALI_LAW_LAPLACE ? jali_loss_pure(q) : jali_loss_gauss(q);
    mpq_clear(q);
    return none;
}

jali_status jali_cluster_plan(jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    char number[32];
    if (ask->method->free || ask->method->open) ask->budget_pico = 0;
    JALI_TRY(check_options(ask, err));
    JALI_TRY(check_clusters(ask, err));
    if (ask->method->check != NULL) JALI_TRY(ask->method->check(ask, arena, err));
    ask->loss = whole_loss(ask);
    jali_decimal(number, ask->budget_pico, JALI_LOSS_DIGITS);
    ask->exact = jali_arena_format(arena, "%s %s in the parts of %s",
                                   ask->law == JALI_LAW_GAUSS ? "rho" : "pure eps", number,
                                   ask->method->name);
    if (ask->exact == NULL) return jali_fail_memory(err);
    return write_plan(ask, number, arena, err);
}

/* ---- the release ---------------------------------------------------------------------------
 */

static json_t *rows_json(const double *at, size_t rows, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) {
        json_t *one = json_array();
        for (size_t j = 0; j < n; j++) json_array_append_new(one, json_real(at[i * n + j]));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *partition_json(const jali_partition *p)
{
    json_t *value = NULL;
    return jali_partition_to_json(p, &value, NULL) == JALI_OK ? value : NULL;
}

static int put_sizes(json_t *body, const jali_clustering *c)
{
    json_t *size = json_array();
    for (uint32_t l = 0; l < c->partition.labels; l++)
        json_array_append_new(size, json_integer(c->size[l]));
    return json_object_set_new(body, "sizes", size) |
           json_object_set_new(body, "size_law", json_string(law_names[c->size_law])) |
           json_object_set_new(body, "size_scale", json_real(c->size_scale));
}

static json_t *reals_json(const double *x, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}

static int put_centres(json_t *body, const jali_clustering *c, size_t axes)
{
    uint32_t k = c->partition.labels;
    int bad = json_object_set_new(body, "centres", rows_json(c->centre, k, axes));
    if (c->centre_spread == NULL) return bad;
    bad |= json_object_set_new(body, "centre_spread", reals_json(c->centre_spread, k));
    if (c->axis_spread == NULL) return bad;
    return bad | json_object_set_new(body, "axis_spread", reals_json(c->axis_spread, axes));
}

static jali_status write_body(const jali_cluster_ask *ask, const jali_clustering *c,
                              jali_arena *arena, char **body, jali_err *err)
{
    json_t *all = json_pack("{s:s,s:s,s:s,s:o,s:o,s:I,s:s,s:o}", "kind", "cluster", "scale",
                            scale_names[ask->geometry->scaling], "method", ask->method->name,
                            "columns", columns_json(ask->geometry), "parameters",
                            parameters_json(ask), "clusters", (json_int_t)ask->clusters, "law",
                            law_names[ask->law], "partition", partition_json(&c->partition));
    int bad = all == NULL;
    if (!bad && c->size != NULL) bad |= put_sizes(all, c);
    if (!bad && c->centre != NULL) bad |= put_centres(all, c, ask->geometry->n);
    if (!bad && c->boxes != NULL)
        bad |= json_object_set_new(all, "boxes", partition_json(c->boxes));
    if (!bad && c->told != NULL) bad |= json_object_set(all, "told", c->told);
    jali_status status =
        bad ? jali_fail_memory(err) : jali_json_canonical(all, arena, body, err);
    json_decref(all);
    return status;
}

jali_status jali_cluster_release(const jali_cluster_run *run, char **body, jali_err *err)
{
    jali_clustering c = { 0 };
    jali_status status = run->ask->method->run(run, &c, err);
    if (status == JALI_OK) status = write_body(run->ask, &c, run->arena, body, err);
    json_decref(c.told);
    return status;
}

/* ---- read again
 * ------------------------------------------------------------------------------ */

static jali_status damaged(jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "a stored clustering cannot be read; its ledger may be damaged");
}

static jali_status read_sizes(jali_clustering *c, const json_t *body, jali_arena *arena,
                              jali_err *err)
{
    const json_t *list = json_object_get(body, "sizes");
    const char *law = json_string_value(json_object_get(body, "size_law"));
    if (list == NULL) return JALI_OK;
    if (json_array_size(list) != c->partition.labels || law == NULL) return damaged(err);
    int64_t *size = jali_arena_take(arena, c->partition.labels, sizeof *size);
    if (size == NULL) return jali_fail_memory(err);
    for (uint32_t l = 0; l < c->partition.labels; l++)
        size[l] = json_integer_value(json_array_get(list, l));
    c->size = size;
    c->size_law =
        strcmp(law, law_names[JALI_LAW_GAUSS]) == 0 ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    c->size_scale = json_number_value(json_object_get(body, "size_scale"));
    return JALI_OK;
}

static jali_status read_numbers(const json_t *list, size_t n, jali_arena *arena,
                                const double **out, jali_err *err)
{
    double *to = jali_arena_take(arena, n + 1, sizeof *to);
    if (to == NULL) return jali_fail_memory(err);
    size_t done = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (json_is_number(one) && done < n) to[done++] = json_number_value(one);
        for (size_t j = 0; j < json_array_size(one) && done < n; j++)
            to[done++] = json_number_value(json_array_get(one, j));
    }
    if (done != n) return damaged(err);
    *out = to;
    return JALI_OK;
}

/* The geometry of the request, from its columns. */
static jali_status read_geometry(jali_clustering *c, const json_t *body,
                                 const jali_schema *schema, jali_arena *arena, jali_err *err)
{
    const json_t *list = json_object_get(body, "columns");
    const char *scale = json_string_value(json_object_get(body, "scale"));
    size_t n = json_array_size(list);
    jali_geometry *g = jali_arena_take(arena, 1, sizeof *g);
    const char **name = jali_arena_take(arena, n + 1, sizeof *name);
    if (g == NULL || name == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        const char *column = json_string_value(json_object_get(one, "name"));
        const char *as = json_string_value(json_object_get(one, "as"));
        if (column == NULL || as == NULL) return damaged(err);
        name[i] = jali_arena_format(arena, "%s:%s", column, as);
        if (name[i] == NULL) return jali_fail_memory(err);
    }
    bool values = scale != NULL && strcmp(scale, scale_names[JALI_SCALE_VALUES]) == 0;
    c->geometry = g;
    *g = (jali_geometry){ .schema = schema };
    if (n == 0) return JALI_OK; /* rules name their columns themselves */
    return jali_geometry_make(g, schema, name, n,
                              values ? JALI_SCALE_VALUES : JALI_SCALE_BOUNDS, arena, err);
}

static jali_status read_body(jali_clustering *c, json_t *body, const jali_schema *schema,
                             jali_arena *arena, jali_err *err)
{
    const json_t *centres = json_object_get(body, "centres"),
                 *spread = json_object_get(body, "centre_spread"),
                 *along = json_object_get(body, "axis_spread"),
                 *boxes = json_object_get(body, "boxes");
    JALI_TRY(jali_partition_from_json(&c->partition, json_object_get(body, "partition"), schema,
                                      arena, err));
    JALI_TRY(read_sizes(c, body, arena, err));
    JALI_TRY(read_geometry(c, body, schema, arena, err));
    size_t k = c->partition.labels;
    size_t axes = c->geometry->n;
    if (centres != NULL) JALI_TRY(read_numbers(centres, k * axes, arena, &c->centre, err));
    if (spread != NULL) JALI_TRY(read_numbers(spread, k, arena, &c->centre_spread, err));
    if (along != NULL) JALI_TRY(read_numbers(along, axes, arena, &c->axis_spread, err));
    if (boxes != NULL) {
        jali_partition *p = jali_arena_take(arena, 1, sizeof *p);
        if (p == NULL) return jali_fail_memory(err);
        JALI_TRY(jali_partition_from_json(p, boxes, schema, arena, err));
        c->boxes = p;
    }
    c->told = json_incref(json_object_get(body, "told"));
    return JALI_OK;
}

jali_status jali_cluster_read(jali_clustering *out, const char *body, size_t n,
                              const jali_schema *schema, jali_arena *arena, jali_err *err)
{
    json_t *value;
    jali_clustering c = { 0 };
    JALI_TRY(jali_json_parse(&value, body, n, "the release", err));
    jali_status status = read_body(&c, value, schema, arena, err);
    json_decref(value);
    if (status == JALI_OK) *out = c;
    return status;
}
