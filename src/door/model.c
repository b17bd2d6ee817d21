/* door/model.c — jali model: a portrait of a model, at the desk. */
#include "door/model.h"
#include <sodium.h>

static const struct {
    const char *name;
    jali_portrait_kind kind;
    jali_portrait_of of;
} words[] = {
    { "pdp", JALI_PORTRAIT_PDP, JALI_OF_PDP },
    { "ale", JALI_PORTRAIT_ALE, JALI_OF_ALE },
    { "pfi", JALI_PORTRAIT_PFI, JALI_OF_PFI },
    { "interaction", JALI_PORTRAIT_RANK, JALI_OF_INTERACTION },
    { "shap", JALI_PORTRAIT_PLOT, JALI_OF_SHAP },
    { "plot", JALI_PORTRAIT_PLOT, JALI_OF_PDP },
    { "rank", JALI_PORTRAIT_RANK, JALI_OF_PFI },
};

enum { WORDS = sizeof words / sizeof *words };

static jali_status read_what(const jali_model_question *q, jali_portrait_spec *spec,
                             jali_err *err)
{
    const char *names[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        names[i] = words[i].name;
        if (strcmp(q->what, names[i]) != 0) continue;
        spec->kind = words[i].kind;
        spec->of = words[i].of;
        return JALI_OK;
    }
    const char *near = jali_nearest(q->what, names, WORDS);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a model has no portrait \"%.40s\"%s%s%s: there are pdp, ale, pfi, "
                     "interaction, shap, plot and rank",
                     q->what, near == NULL ? "" : " (did you mean ", near == NULL ? "" : near,
                     near == NULL ? "" : "?)");
}

static jali_status read_explainer(const jali_model_question *q, jali_portrait_spec *spec,
                                  jali_err *err)
{
    const char *command = "command:";
    if (q->explainer == NULL) return JALI_OK;
    if (strcmp(q->what, "plot") != 0 && strcmp(q->what, "rank") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--explainer belongs to plot and rank, not to %.20s", q->what);
    if (strncmp(q->explainer, command, strlen(command)) == 0) {
        spec->of = JALI_OF_COMMAND;
        spec->command = q->explainer + strlen(command);
        return JALI_OK;
    }
    for (int of = JALI_OF_PDP; of < JALI_OF_COMMAND; of++)
        if (strcmp(q->explainer, jali_portrait_of_name((jali_portrait_of)of)) == 0) {
            spec->of = (jali_portrait_of)of;
            return JALI_OK;
        }
    return jali_fail(
        err, JALI_E_USAGE, JALI_FOR_ANALYST,
        "there is no explainer \"%.40s\": plot knows pdp, ale and shap, rank knows "
        "pfi and interaction, both know \"command:WORDS\"",
        q->explainer);
}

/* "LOW:HIGH" as two texts. */
static jali_status read_pair(const char *text, const char *what, jali_arena *arena,
                             const char **low, const char **high, jali_err *err)
{
    if (text == NULL) return JALI_OK;
    char *copy = jali_arena_text(arena, text), *colon = copy == NULL ? NULL : strchr(copy, ':');
    if (copy == NULL) return jali_fail_memory(err);
    if (colon == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s %.40s must be two numbers with a colon between them, like 0:1",
                         what, text);
    *colon = '\0';
    *low = copy;
    *high = colon + 1;
    return JALI_OK;
}

static jali_status read_declared(const jali_model_question *q, jali_portrait_spec *spec,
                                 jali_err *err)
{
    if (q->declared != NULL && strcmp(q->declared, "public") == 0) return JALI_OK;
    spec->private_model = true;
    if (q->declared != NULL && strcmp(q->declared, "private") == 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "declare the model: --declared public, or --declared private if it was "
                     "trained on rows that must not be known");
}

static jali_status read_grid(const jali_model_question *q, jali_portrait_spec *spec,
                             jali_err *err)
{
    spec->quantiles = spec->kind == JALI_PORTRAIT_ALE;
    if (q->grid == NULL) return JALI_OK;
    spec->quantiles = strcmp(q->grid, "quantiles") == 0;
    if (spec->quantiles || strcmp(q->grid, "even") == 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--grid is even (public bounds) or quantiles (private, paid for), not "
                     "\"%.40s\"",
                     q->grid);
}

static jali_status read_spec(jali_sitting *s, jali_portrait_spec *spec, jali_err *err)
{
    const jali_model_question *q = s->question;
    jali_arena *arena = &s->desk->arena;
    *spec =
        (jali_portrait_spec){ .feature = q->feature,
                              .label = q->label,
                              .rows = q->rows,
                              .absolute = q->loss != NULL && strcmp(q->loss, "absolute") == 0,
                              .resolution = q->resolution,
                              .blocks = q->blocks,
                              .timeout_s = q->timeout_s };
    JALI_TRY(read_what(q, spec, err));
    JALI_TRY(read_explainer(q, spec, err));
    JALI_TRY(read_declared(q, spec, err));
    JALI_TRY(read_grid(q, spec, err));
    if (q->loss != NULL && !spec->absolute && strcmp(q->loss, "squared") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--loss is squared (the default) or absolute, not \"%.40s\"", q->loss);
    JALI_TRY(read_pair(q->bounds, "--bounds", arena, &spec->lo, &spec->hi, err));
    return read_pair(q->range, "--range", arena, &spec->low, &spec->high, err);
}

/* The label is not fed to the model, unless its columns are named. */
static const char *label_column(const jali_sitting *s)
{
    const char *label = s->question->label;
    size_t field;
    if (label == NULL ||
        jali_schema_find(&s->desk->vault->schema, label, &field, NULL) == JALI_OK)
        return label;
    char *name = jali_arena_text(&s->desk->arena, label),
         *at = name == NULL ? NULL : strchr(name, '=');
    if (at != NULL) *at = '\0';
    return name;
}

static jali_status open_model(jali_sitting *s, jali_err *err)
{
    const jali_model_question *q = s->question;
    jali_model_spec spec = { .model = q->model,
                             .columns = q->columns,
                             .n = q->n_columns,
                             .label = label_column(s),
                             .ndjson = q->ndjson,
                             .output = q->output,
                             .timeout_s = q->timeout_s,
                             .threads = q->spend.threads };
    return jali_model_open(&s->model, &s->desk->vault->schema, &spec, err);
}

static jali_status prepare(jali_sitting *s, jali_err *err)
{
    jali_portrait_spec spec;
    jali_desk *desk = s->desk;
    mpq_t budget;
    JALI_TRY(read_spec(s, &spec, err));
    JALI_TRY(open_model(s, err));
    mpq_init(budget);
    jali_status status = jali_desk_budget(desk, budget, err);
    if (status == JALI_OK)
        status = jali_portrait_init(&s->portrait, &desk->vault->schema, s->model, &spec,
                                    desk->law, budget, &desk->arena, err);
    mpq_clear(budget);
    if (status == JALI_OK) status = jali_vault_person_key(desk->vault, &s->key, err);
    if (status == JALI_OK)
        status = jali_portrait_bind(&s->portrait, desk->vault->columns, s->key.content, NULL,
                                    desk->progress, err);
    if (status == JALI_OK) status = jali_model_try(s->model, err);
    return status == JALI_OK ? jali_portrait_try(&s->portrait, err) : status;
}

static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    jali_sitting *s = self;
    s->portrait.probe.pool = pool;
    return jali_portrait_run(&s->portrait, pool, charge, dice, arena, body, err);
}

static jali_status tell(jali_sitting *s, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "model", err));
    jali_telling t = { .vault = s->desk->vault,
                       .ledger = s->desk->ledger,
                       .release = &s->desk->release,
                       .miss = s->desk->miss,
                       .arena = &s->desk->arena,
                       .doc = doc };
    jali_vault_tell_public(doc, s->desk->vault->is_public);
    jali_status status = jali_tell_model(&t, err);
    if (status == JALI_OK) status = jali_desk_tell_cost(s->desk, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status run(jali_sitting *s, jali_doc **out, jali_err *err)
{
    const jali_model_question *q = s->question;
    const char *note = jali_arena_format(&s->desk->arena, "model %s%s%s", q->what,
                                         q->feature == NULL ? "" : " of ",
                                         q->feature == NULL ? "" : q->feature);
    if (note == NULL) return jali_fail_memory(err);
    jali_job job = { .kind = 'm',
                     .plan = s->portrait.plan,
                     .exact = s->portrait.exact,
                     .note = jali_door_note(note, "a portrait of a model", &s->desk->arena),
                     .loss = s->portrait.loss,
                     .tables = s->portrait.tables,
                     .draw = draw,
                     .self = s };
    if (q->spend.quote) return jali_sitting_quote(s, &job, out, err);
    JALI_TRY(jali_desk_pay(s->desk, &job, err));
    return tell(s, out, err);
}

jali_status jali_vault_model(const jali_model_question *question, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_sitting s = { .question = question, .desk = &desk };
    jali_status status = jali_desk_open(&desk, &question->spend, err);
    if (status == JALI_OK) status = prepare(&s, err);
    if (status == JALI_OK) status = run(&s, out, err);
    jali_portrait_clear(&s.portrait);
    jali_model_free(s.model);
    sodium_memzero(&s.key, sizeof s.key);
    jali_desk_close(&desk);
    return status;
}
