/* door/model.c — jali model: a portrait of a model, at the desk. */
#include "door/model.h"
#include "door/models.h"
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
    const jali_model_question *q = &s->question;
    jali_arena *arena = &s->desk->arena;
    *spec =
        (jali_portrait_spec){ .feature = q->feature,
                              .label = q->label,
                              .rows = q->rows,
                              .absolute = q->loss == NULL || strcmp(q->loss, "absolute") == 0,
                              .resolution = q->resolution,
                              .blocks = q->blocks,
                              .timeout_s = q->timeout_s };
    JALI_TRY(read_what(q, spec, err));
    JALI_TRY(read_explainer(q, spec, err));
    JALI_TRY(jali_door_declared(q->declared, &spec->private_model, err));
    JALI_TRY(read_grid(q, spec, err));
    bool errors = spec->kind == JALI_PORTRAIT_PFI ||
                  (spec->kind == JALI_PORTRAIT_RANK && spec->of == JALI_OF_PFI);
    if (q->loss != NULL && !errors)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--loss belongs to permutation importance (pfi, or rank by it)");
    if (q->loss != NULL && !spec->absolute && strcmp(q->loss, "squared") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--loss is absolute (the default) or squared, not \"%.40s\"", q->loss);
    JALI_TRY(jali_door_pair(q->bounds, "--bounds", arena, &spec->lo, &spec->hi, err));
    return jali_door_pair(q->range, "--range", arena, &spec->low, &spec->high, err);
}

/* The label is not fed to the model, unless its columns are named. */
static jali_status open_model(jali_sitting *s, jali_err *err)
{
    const jali_model_question *q = &s->question;
    jali_model_spec spec = { .model = q->model,
                             .columns = q->columns,
                             .n = q->n_columns,
                             .label = jali_door_label_column(&s->desk->vault->schema, q->label,
                                                             &s->desk->arena),
                             .ndjson = q->ndjson,
                             .output = q->output,
                             .timeout_s = q->timeout_s,
                             .seal = s->seal,
                             .threads = q->spend.threads };
    return jali_model_open(&s->model, &s->desk->vault->schema, &spec, err);
}

static jali_status prepare(jali_sitting *s, jali_err *err)
{
    jali_portrait_spec spec;
    jali_desk *desk = s->desk;
    mpq_t budget;
    JALI_TRY(jali_models_resolve(s->asked, &desk->arena, &s->question, &s->seal, err));
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

static jali_status run(jali_sitting *s, jali_doc **out, jali_err *err)
{
    const jali_model_question *q = &s->question;
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
    return jali_desk_tell(s->desk, out, err);
}

jali_status jali_vault_model(const jali_model_question *question, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_sitting s = { .asked = question, .desk = &desk };
    jali_status status = jali_desk_open(&desk, &question->spend, err);
    if (status == JALI_OK) status = prepare(&s, err);
    if (status == JALI_OK) status = run(&s, out, err);
    jali_portrait_clear(&s.portrait);
    jali_model_free(s.model);
    sodium_memzero(&s.key, sizeof s.key);
    jali_desk_close(&desk);
    return status;
}
