/* door/profile.c — jali profile: what tells clusters apart, at the desk. */
#include "door/profile.h"
#include "door/clustering.h"
#include "door/desk.h"
#include "door/teller.h"
#include "explain/separate/profile.h"

enum { CANDIDATES = 3, MOST_CANDIDATES = 4096 };

typedef struct profiling {
    const jali_profiling *ask;
    jali_desk *desk;
    jali_partition partition;
    jali_profile profile;
} profiling;

/* ---- the words of a request -------------------------------------------------------------- */

/* A whole number up to `most`; *end is behind it. */
static bool whole(const char *text, uint32_t most, uint32_t *out, const char **end)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        n = 10 * n + (uint64_t)(*p - '0');
        if (n > most) return false;
    }
    *out = (uint32_t)n;
    *end = p;
    return p > text;
}

static jali_status read_count(const char *text, const char *what, uint32_t instead,
                              uint32_t *out, jali_err *err)
{
    const char *end;
    *out = instead;
    if (text == NULL) return JALI_OK;
    if (whole(text, MOST_CANDIDATES, out, &end) && *end == '\0' && *out > 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s %.40s must be a whole number from 1 to %d", what, text,
                     MOST_CANDIDATES);
}

static jali_status read_weights(const char *text, uint32_t weight[static 3], jali_err *err)
{
    const char *at = text == NULL ? "1,1,1" : text;
    for (int i = 0; i < 3; i++) {
        if (!whole(at, JALI_APART_WEIGHT, &weight[i], &at) || *at != (i < 2 ? ',' : '\0'))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "--weights %.40s must be three whole numbers from 0 to %d, as in "
                             "2,1,1: interest, sufficiency, diversity",
                             text, JALI_APART_WEIGHT);
        at++;
    }
    return JALI_OK;
}

static jali_status read_word(const char *text, const char *what, const char *const *words,
                             size_t n, int *out, jali_err *err)
{
    *out = 0;
    for (size_t i = 0; text != NULL && i < n; i++) {
        *out = (int)i;
        if (strcmp(text, words[i]) == 0) return JALI_OK;
    }
    if (text == NULL) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s %.40s is not known; it is one of %s, %s%s%s", what, text, words[0],
                     words[1], n > 2 ? ", " : "", n > 2 ? words[2] : "");
}

/* A column, or several with commas between them; a name with a comma in it is that column. */
static jali_status read_names(const jali_schema *schema, const char *text, jali_arena *arena,
                              size_t *field, size_t *n, jali_err *err)
{
    char *rest = jali_arena_text(arena, text);
    if (rest == NULL) return jali_fail_memory(err);
    if (strchr(text, ',') == NULL ||
        jali_schema_find(schema, text, &field[*n], NULL) == JALI_OK)
        return jali_schema_find(schema, text, &field[(*n)++], err);
    while (rest != NULL) {
        char *comma = strchr(rest, ',');
        if (comma != NULL) *comma = '\0';
        JALI_TRY(jali_schema_find(schema, rest, &field[(*n)++], err));
        rest = comma == NULL ? NULL : comma + 1;
    }
    return JALI_OK;
}

static jali_status read_columns(const profiling *p, jali_profile_spec *spec, jali_err *err)
{
    const jali_profiling *ask = p->ask;
    size_t most = 1;
    for (size_t i = 0; i < ask->n_columns; i++) most += strlen(ask->column[i]) + 1;
    size_t *field = jali_arena_take(&p->desk->arena, most, sizeof *field);
    if (field == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < ask->n_columns; i++)
        JALI_TRY(read_names(&p->desk->vault->schema, ask->column[i], &p->desk->arena, field,
                            &spec->n, err));
    spec->field = field;
    return JALI_OK;
}

static jali_status read_request(const profiling *p, jali_profile_spec *spec, jali_err *err)
{
    static const char *const methods[] = { "all", "paper" };
    static const char *const sufficiencies[] = { "auto", "paper", "shared" };
    int method, suf;
    JALI_TRY(read_word(p->ask->method, "--method", methods, 2, &method, err));
    JALI_TRY(read_word(p->ask->sufficiency, "--sufficiency", sufficiencies, 3, &suf, err));
    JALI_TRY(read_weights(p->ask->weights, spec->weight, err));
    JALI_TRY(
        read_count(p->ask->candidates, "--candidates", CANDIDATES, &spec->candidates, err));
    JALI_TRY(read_count(p->ask->per_cluster, "--per-cluster", 1, &spec->each, err));
    spec->method = (jali_profile_method)method;
    spec->sufficiency = (jali_profile_suf)suf;
    return read_columns(p, spec, err);
}

/* ---- the plan -------------------------------------------------------------------------------
 */

static jali_status prepare(profiling *p, jali_err *err)
{
    jali_desk *desk = p->desk;
    const jali_schema *schema = &desk->vault->schema;
    jali_profile_spec spec = { .schema = schema, .law = desk->law };
    jali_label label;
    mpq_t budget;
    JALI_TRY(read_request(p, &spec, err));
    JALI_TRY(jali_clustering_read(p->ask->clustering, schema, desk->ledger, &desk->arena,
                                  &p->partition, &spec.clustering, err));
    spec.clusters = p->partition.labels;
    mpq_init(budget);
    jali_status status = jali_desk_budget(desk, budget, err);
    spec.budget = budget;
    if (status == JALI_OK) status = jali_profile_init(&p->profile, &spec, &desk->arena, err);
    mpq_clear(budget);
    if (status != JALI_OK) return status;
    JALI_TRY(jali_partition_label(&p->partition, &desk->arena, &label, err));
    return jali_profile_bind(&p->profile, desk->vault->columns, &label, &desk->arena, err);
}

static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    profiling *p = self;
    return jali_profile_run(&p->profile, pool, charge, dice, arena, body, err);
}

static jali_status quote(profiling *p, const jali_job *job, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    const jali_profile *x = &p->profile;
    const char *unit = x->law == JALI_LAW_GAUSS ? "rho" : "eps";
    JALI_TRY(jali_doc_new(&doc, "cost", err));
    jali_doc_heading(doc, "What tells the %u clusters of %.40s apart", x->apart.spec.clusters,
                     job->note);
    jali_status status = jali_desk_quote(p->desk, job, doc, err);
    unsigned long long in = jali_law_halfwidth(x->law, x->scale_in, p->desk->miss);
    unsigned long long by = jali_law_halfwidth(x->law, x->scale_beside, p->desk->miss);
    if (x->lister != NULL)
        jali_doc_fact(doc, "candidates", "eps %.4g: %u a cluster", x->eps_list, x->candidates);
    jali_doc_fact(doc, "choice", "eps %.4g: one of all combinations of %zu columns",
                  x->eps_choice, x->n);
    jali_doc_fact(doc, "histograms", "%s %.4g", unit, x->part_pairs);
    jali_doc_fact(doc, "a bar inside", "within %llu or less, %g%% of the time", in,
                  100 * (1 - p->desk->miss));
    jali_doc_fact(doc, "a bar elsewhere", "within %llu or less for each part of it", by);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status run(profiling *p, jali_doc **out, jali_err *err)
{
    const char *what = strlen(p->ask->clustering) <= 20 ? p->ask->clustering : "a clustering";
    jali_job job = { .kind = 'p',
                     .plan = p->profile.plan,
                     .exact = p->profile.exact,
                     .note = jali_door_note(what, "a clustering", &p->desk->arena),
                     .loss = p->profile.loss,
                     .tables = p->profile.tables,
                     .draw = draw,
                     .self = p };
    if (p->desk->spend->quote) return quote(p, &job, out, err);
    JALI_TRY(jali_desk_pay(p->desk, &job, err));
    return jali_desk_tell(p->desk, out, err);
}

jali_status jali_vault_profile(const jali_profiling *ask, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    profiling p = { .ask = ask, .desk = &desk };
    jali_status status = jali_desk_open(&desk, &ask->spend, err);
    if (status == JALI_OK) status = prepare(&p, err);
    if (status == JALI_OK) status = run(&p, out, err);
    jali_profile_clear(&p.profile);
    jali_desk_close(&desk);
    return status;
}

jali_status jali_tell_profile(const jali_telling *t, jali_err *err)
{
    return jali_profile_tell(t, err);
}
