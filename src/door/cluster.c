/* door/cluster.c — jali cluster: groups in the table, at the desk. */
#include "explain/cluster/cluster.h"
#include "base/rat.h"
#include "budget/convert.h"
#include "door/desk.h"
#include "door/teller.h"
#include "eval/open.h"

/* The private ones first, then those for public vaults. */
const char *jali_cluster_method(size_t i, const char **about)
{
    const jali_method *const *table = jali_methods;
    for (; *table != NULL && i > 0; i--) table++;
    if (*table == NULL) {
        table = jali_open_methods;
        for (; *table != NULL && i > 0; i--) table++;
    }
    if (*table == NULL) return NULL;
    if (about != NULL) *about = (*table)->summary;
    return (*table)->name;
}

typedef struct clustering {
    const jali_cluster_request *request;
    jali_desk *desk;
    jali_geometry geometry;
    jali_cluster_ask ask;
    jali_plan *tables; /* only to check the columns before paying */
} clustering;

/* ---- what the request says ------------------------------------------------------------- */

static jali_status read_clusters(clustering *c, jali_err *err)
{
    const char *text = c->request->clusters;
    uint64_t n = 0;
    mpq_t q;
    if (text == NULL) return JALI_OK;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, "--clusters", NULL);
    bool good = status == JALI_OK && mpz_cmp_ui(mpq_denref(q), 1) == 0 &&
                jali_rat_down(&n, q, 0) && n >= 1 && n <= JALI_PLAN_LABELS;
    mpq_clear(q);
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--clusters %.20s must be a whole number from 1 to %d", text,
                         JALI_PLAN_LABELS);
    c->ask.clusters = (uint32_t)n;
    return JALI_OK;
}

static jali_status read_geometry(clustering *c, jali_err *err)
{
    const jali_cluster_request *r = c->request;
    const jali_schema *schema = &c->desk->vault->schema;
    jali_scaling scaling = JALI_SCALE_BOUNDS;
    if (r->scale != NULL && strcmp(r->scale, "values") == 0)
        scaling = JALI_SCALE_VALUES;
    else if (r->scale != NULL && strcmp(r->scale, "bounds") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--scale is bounds or values, not \"%.40s\"", r->scale);
    c->ask.geometry = &c->geometry;
    c->geometry = (jali_geometry){ .schema = schema };
    if (r->n_columns == 0 && c->ask.method->free) return JALI_OK;
    return jali_geometry_make(&c->geometry, schema, r->columns, r->n_columns, scaling,
                              &c->desk->arena, err);
}

/* --delta says at which delta --epsilon is meant; it is no allowance beyond the cap. */
static jali_status rho_at_delta(clustering *c, mpq_t out, jali_err *err)
{
    uint64_t eps = 0, delta = 0;
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, c->request->delta, "--delta", err);
    bool good = status == JALI_OK && jali_rat_down(&delta, q, JALI_DELTA_DIGITS) && delta > 0 &&
                delta < JALI_DELTA_ONE;
    mpq_clear(q);
    if (status != JALI_OK) return status;
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--delta %.40s must lie between 0 and 1, like 1e-6",
                         c->request->delta);
    if (c->request->spend.epsilon == NULL || c->desk->law == JALI_LAW_LAPLACE)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--delta goes with --epsilon, in a vault whose cap has a delta");
    JALI_TRY(jali_rat_parse(out, c->request->spend.epsilon, "--epsilon", err));
    if (mpq_sgn(out) <= 0 || !jali_rat_down(&eps, out, JALI_LOSS_DIGITS) ||
        eps > JALI_CAP_MAX_EPS_PICO)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--epsilon %.40s must be above 0 and within reach of a cap",
                         c->request->spend.epsilon);
    mpz_set_ui(mpq_numref(out), jali_convert_rho(eps, delta));
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
    return JALI_OK;
}

static jali_status read_budget(clustering *c, jali_err *err)
{
    mpq_t budget;
    if (c->ask.method->free || c->ask.method->open) return JALI_OK;
    mpq_init(budget);
    jali_status status = c->request->delta != NULL ? rho_at_delta(c, budget, err)
                                                   : jali_desk_budget(c->desk, budget, err);
    if (status == JALI_OK && !jali_rat_down(&c->ask.budget_pico, budget, JALI_LOSS_DIGITS))
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "this budget is beyond any cap; give less");
    mpq_clear(budget);
    return status;
}

static jali_status refuse_open(const clustering *c, jali_err *err)
{
    if (!c->ask.method->open || c->desk->vault->is_public) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the method %s is not private, and this vault is not public; use refined",
                     c->ask.method->name);
}

/* ---- columns, checked before anything is paid ---------------------------------------------
 */

static void no_label(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    for (size_t i = 0; i < block->rows; i++) out[i] = 0;
}

static jali_status bind(clustering *c, jali_err *err)
{
    const jali_geometry *g = &c->geometry;
    size_t slice, table, n = 0;
    const char **name = jali_arena_take(&c->desk->arena, g->n + 1, sizeof *name);
    if (name == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < g->n; j++)
        if (j == 0 || g->dimension[j].field != g->dimension[j - 1].field)
            name[n++] = g->schema->fields[g->dimension[j].field].name;
    jali_label label = { .labels = 1, .n = n, .columns = name, .label = no_label };
    JALI_TRY(
        jali_plan_new(&c->tables, c->desk->vault->columns, g->schema->rows_per_person, err));
    JALI_TRY(jali_plan_slice(c->tables, &label, NULL, &slice, err));
    return jali_plan_counts(c->tables, slice, NULL, 0, &table, err);
}

static jali_status prepare(clustering *c, jali_err *err)
{
    const jali_cluster_request *r = c->request;
    c->ask.law = c->desk->law;
    c->ask.option = r->set;
    c->ask.n_options = r->n_set;
    JALI_TRY(
        jali_any_method_find(r->method == NULL ? "refined" : r->method, &c->ask.method, err));
    JALI_TRY(refuse_open(c, err));
    JALI_TRY(read_clusters(c, err));
    JALI_TRY(read_geometry(c, err));
    JALI_TRY(read_budget(c, err));
    JALI_TRY(jali_cluster_plan(&c->ask, &c->desk->arena, err));
    return bind(c, err);
}

/* ---- the desk ------------------------------------------------------------------------------
 */

static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    clustering *c = self;
    jali_cluster_run run = { &c->ask, c->desk->vault->columns, charge, dice, pool, arena };
    return jali_cluster_release(&run, body, err);
}

static jali_status quote(clustering *c, const jali_job *job, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "cost", err));
    jali_doc_heading(doc, "What these clusters would cost");
    jali_doc_fact(doc, "method", "%s: %s", c->ask.method->name, c->ask.method->summary);
    jali_doc_fact(doc, "axes", "%zu", c->geometry.n);
    jali_status status = jali_desk_quote(c->desk, job, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status run(clustering *c, jali_doc **out, jali_err *err)
{
    const char *note =
        jali_arena_format(&c->desk->arena, "clusters by %s", c->ask.method->name);
    jali_job job = { .kind = 'c',
                     .plan = c->ask.plan,
                     .exact = c->ask.exact,
                     .note = note == NULL ? "clusters" : note,
                     .loss = c->ask.loss,
                     .tables = c->tables,
                     .draw = draw,
                     .self = c };
    if (c->desk->spend->quote) return quote(c, &job, out, err);
    JALI_TRY(jali_desk_pay(c->desk, &job, err));
    return jali_desk_tell(c->desk, out, err);
}

jali_status jali_vault_cluster(const jali_cluster_request *request, jali_doc **out,
                               jali_err *err)
{
    jali_desk desk;
    clustering c = { .request = request, .desk = &desk };
    jali_status status = jali_desk_open(&desk, &request->spend, err);
    if (status == JALI_OK) status = prepare(&c, err);
    if (status == JALI_OK) status = run(&c, out, err);
    jali_plan_free(c.tables);
    jali_desk_close(&desk);
    return status;
}
