/* door/models_ask.c — a registered model, asked by its name. */
#include "door/models.h"
#include "explain/model/portrait.h"

jali_status jali_door_pair(const char *text, const char *what, jali_arena *arena,
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

jali_status jali_door_declared(const char *declared, bool *is_private, jali_err *err)
{
    *is_private = declared == NULL || strcmp(declared, "public") != 0;
    if (!*is_private || (declared != NULL && strcmp(declared, "private") == 0)) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "declare the model: --declared public, or --declared private if it was "
                     "trained on rows that must not be known");
}

const char *jali_door_label_column(const jali_schema *schema, const char *label,
                                   jali_arena *arena)
{
    size_t field;
    if (label == NULL || jali_schema_find(schema, label, &field, NULL) == JALI_OK) return label;
    char *name = jali_arena_text(arena, label), *at = name == NULL ? NULL : strchr(name, '=');
    if (at != NULL) *at = '\0';
    return name;
}

static jali_status check_pins(const json_t *entry, jali_err *err)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(entry, "pins"), i, one)
    {
        char sha[JALI_MODELS_SHA];
        const char *path = jali_shelf_word(one, "file"), *name = strrchr(path, '/');
        bool there = jali_models_sha(path, sha);
        if (there && strcmp(sha, jali_shelf_word(one, "sha256")) == 0) continue;
        return jali_fail(err, JALI_E_DATA, JALI_FOR_ANALYST,
                         "the model \"%s\" is not the registered one any more: its file %.100s "
                         "%s; the curator may bring it back, or remove and add the model",
                         jali_shelf_word(entry, "name"), name == NULL ? path : name + 1,
                         there ? "has changed" : "cannot be read");
    }
    return JALI_OK;
}

/* What the curator said once is not said again by who asks. */
static jali_status check_silence(const jali_model_question *q, const json_t *entry,
                                 jali_err *err)
{
    const char *label = jali_shelf_word(entry, "label");
    const char *said = q->declared != NULL ? "--declared"
                       : q->bounds != NULL ? "--bounds"
                       : q->n_columns > 0  ? "--columns"
                       : q->ndjson         ? "--ndjson"
                       : q->output > 0     ? "--output"
                       : q->timeout_s > 0  ? "--timeout"
                       : q->n_pins > 0     ? "--pin"
                       : q->label != NULL && label[0] != '\0' && strcmp(q->label, label) != 0
                           ? "--label"
                           : NULL;
    if (said == NULL) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the curator registered \"%s\" with its own %s; leave that out",
                     jali_shelf_word(entry, "name"), said);
}

static jali_status fill(jali_model_question *out, const json_t *entry, jali_arena *arena,
                        jali_err *err)
{
    const json_t *columns = json_object_get(entry, "columns");
    const char *label = jali_shelf_word(entry, "label");
    size_t n = json_array_size(columns);
    const char **name = jali_arena_take(arena, n + 1, sizeof *name);
    out->model = jali_arena_text(arena, jali_shelf_word(entry, "model"));
    out->declared = jali_arena_text(arena, jali_shelf_word(entry, "declared"));
    out->bounds = jali_arena_text(arena, jali_shelf_word(entry, "bounds"));
    if (label[0] != '\0') out->label = jali_arena_text(arena, label);
    bool good = name != NULL && out->model != NULL && out->declared != NULL &&
                out->bounds != NULL && (label[0] == '\0' || out->label != NULL);
    for (size_t i = 0; good && i < n; i++) {
        const char *text = json_string_value(json_array_get(columns, i));
        name[i] = jali_arena_text(arena, text == NULL ? "" : text);
        good = name[i] != NULL;
    }
    out->columns = name;
    out->n_columns = n;
    out->ndjson = json_is_true(json_object_get(entry, "ndjson"));
    out->output = (unsigned)json_integer_value(json_object_get(entry, "output"));
    out->timeout_s = (unsigned)json_integer_value(json_object_get(entry, "timeout_s"));
    return good ? JALI_OK : jali_fail_memory(err);
}

/* The hashes of all pinned files; a model that is one file is its own hash already. */
static jali_status seal_of(const json_t *entry, jali_arena *arena, const char **seal,
                           jali_err *err)
{
    const json_t *pins = json_object_get(entry, "pins");
    char *text;
    *seal = NULL;
    if (!jali_models_is_command(jali_shelf_word(entry, "model")) && json_array_size(pins) < 2)
        return JALI_OK;
    JALI_TRY(jali_json_canonical(pins, arena, &text, err));
    *seal = text;
    return JALI_OK;
}

static jali_status strangers(const jali_model_question *q, jali_err *err)
{
    if (q->explainer != NULL && jali_models_is_command(q->explainer))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a command of your own is not run here; the explainers are pdp, ale, "
                         "shap, pfi and interaction");
    return JALI_OK;
}

static jali_status resolve(const jali_shelf *s, const jali_model_question *q, jali_arena *arena,
                           jali_model_question *out, const char **seal, jali_err *err)
{
    const json_t *entry = jali_models_find(s, q->model);
    if (entry == NULL) return q->registered ? jali_models_nameless(s, q->model, err) : JALI_OK;
    JALI_TRY(check_silence(q, entry, err));
    JALI_TRY(check_pins(entry, err));
    JALI_TRY(seal_of(entry, arena, seal, err));
    return fill(out, entry, arena, err);
}

jali_status jali_models_resolve(const jali_model_question *q, jali_arena *arena,
                                jali_model_question *out, const char **seal, jali_err *err)
{
    jali_shelf s;
    *out = *q;
    *seal = NULL;
    if (q->registered) JALI_TRY(strangers(q, err));
    if (q->model == NULL && q->registered)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "say which registered model to explain; the list of models names them");
    if (q->model == NULL) return JALI_OK;
    JALI_TRY(jali_shelf_open(&s, q->spend.vault, "models", false, err));
    jali_status status = resolve(&s, q, arena, out, seal, err);
    jali_shelf_close(&s);
    return status;
}
