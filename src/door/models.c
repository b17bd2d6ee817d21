/* door/models.c — the models that a curator registered: models.json of a vault.
 *
 * A registration says once, for everybody, what only the curator can answer for: where the
 * model is, whether it is public, its bounds, what it is fed. Analysts then name it; a server
 * lets them do nothing else. The files it consists of are pinned by their SHA-256, so that a
 * report never speaks of another model than the curator saw.
 */
#define _GNU_SOURCE
#include "door/models.h"
#include "base/text.h"
#include "door/vault.h"
#include "explain/model/portrait.h"
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_MODELS = 1000, MAX_NAME = 64, MAX_PINS = 64 };

static const char command_word[] = "command:";

bool jali_models_is_command(const char *model)
{
    return strncmp(model, command_word, strlen(command_word)) == 0;
}

/* ---- files that must not change ---------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool jali_models_sha(const char *path, char out[static JALI_MODELS_SHA])
{
    unsigned char room[65536], hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    FILE *file = is_file(path) ? fopen(path, "rb") : NULL;
    if (file == NULL) return false;
    crypto_hash_sha256_init(&state);
    for (size_t k; (k = fread(room, 1, sizeof room, file)) > 0;)
        crypto_hash_sha256_update(&state, room, k);
    bool good = ferror(file) == 0;
    fclose(file);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(out, JALI_MODELS_SHA, hash, sizeof hash);
    return good;
}

static jali_status pin(json_t *pins, const char *path, jali_err *err)
{
    char sha[JALI_MODELS_SHA], *whole = realpath(path, NULL);
    if (whole == NULL || !jali_models_sha(whole, sha)) {
        free(whole);
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%.200s cannot be read, so it cannot be pinned", path);
    }
    json_t *one = json_pack("{s:s,s:s}", "file", whole, "sha256", sha);
    free(whole);
    if (one == NULL || json_array_append_new(pins, one) != 0) return jali_fail_memory(err);
    return JALI_OK;
}

/* Words of a command that are files are pinned without being asked for; a file that the
 * command opens by itself has to be named. */
static jali_status pin_all(json_t *pins, const jali_model_question *q, jali_arena *arena,
                           jali_err *err)
{
    if (jali_models_is_command(q->model)) {
        char *rest = jali_arena_text(arena, q->model + strlen(command_word)), *word;
        if (rest == NULL) return jali_fail_memory(err);
        while ((word = strsep(&rest, " \t\n")) != NULL)
            if (is_file(word)) JALI_TRY(pin(pins, word, err));
    } else
        JALI_TRY(pin(pins, q->model, err));
    for (size_t i = 0; i < q->n_pins; i++) JALI_TRY(pin(pins, q->pins[i], err));
    if (json_array_size(pins) <= MAX_PINS) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR, "a model has at most %d pinned files",
                     MAX_PINS);
}

/* ---- names ------------------------------------------------------------------------------- */

/* Letters, digits, - and _: no name looks like a path, an option or a file with an ending. */
static jali_status check_name(const char *name, jali_err *err)
{
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789";
    size_t n = strlen(name);
    if (n > 0 && n <= MAX_NAME && strspn(name, good) == n && name[0] != '-') return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                     "the name of a model has 1 to %d letters, digits, - and _, not \"%.40s\"",
                     MAX_NAME, name);
}

json_t *jali_models_find(const jali_shelf *s, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(s->items, i, entry)
    {
        if (strcmp(jali_shelf_word(entry, "name"), name) == 0) return entry;
    }
    return NULL;
}

/* ---- adding ------------------------------------------------------------------------------ */

/* A command runs where it was registered, wherever the server stands: its folder is one of its
 * words. A quote in the folder's name is closed, escaped and opened again. */
static char *whole_model(const char *model, jali_arena *arena)
{
    char *there = jali_models_is_command(model) ? getcwd(NULL, 0) : realpath(model, NULL),
         *out = NULL;
    jali_text folder = { 0 };
    for (const char *p = there; p != NULL && *p != '\0'; p++)
        jali_text_add_n(&folder, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    if (there != NULL && !folder.failed)
        out = jali_models_is_command(model)
                  ? jali_arena_format(arena, "%scd '%s' && %s", command_word,
                                      folder.at == NULL ? "" : folder.at,
                                      model + strlen(command_word))
                  : jali_arena_text(arena, there);
    jali_text_clear(&folder);
    free(there);
    return out;
}

/* All that a question would be refused for, found now, by whoever can mend it. */
static jali_status try_model(const jali_model_question *q, const jali_vault *vault,
                             jali_arena *arena, jali_model **model, jali_err *err)
{
    const char *low = NULL, *high = NULL;
    bool is_private;
    double bounds[2];
    const jali_field *field;
    int64_t is;
    JALI_TRY(jali_door_declared(q->declared, &is_private, err));
    if (q->bounds == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "say between which public bounds the model's output lies: --bounds "
                         "LOW:HIGH (0:1 for a probability)");
    JALI_TRY(jali_door_pair(q->bounds, "--bounds", arena, &low, &high, err));
    JALI_TRY(jali_portrait_bounds(low, high, "--bounds", bounds, err));
    if (q->label != NULL)
        JALI_TRY(jali_portrait_label(&vault->schema, q->label, arena, &field, &is, err));
    jali_model_spec spec = { .model = q->model,
                             .columns = q->columns,
                             .n = q->n_columns,
                             .label = jali_door_label_column(&vault->schema, q->label, arena),
                             .ndjson = q->ndjson,
                             .output = q->output,
                             .timeout_s = q->timeout_s };
    JALI_TRY(jali_model_open(model, &vault->schema, &spec, err));
    return jali_model_try(*model, err);
}

static json_t *names_json(const char *const *name, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_string(name[i]));
    return list;
}

/* What it was given, and what it is really fed, for those who list it. */
static json_t *entry_of(const char *name, const jali_model_question *q, const char *where,
                        const jali_vault *vault, const jali_model *model, json_t *pins)
{
    json_t *fed = json_array();
    for (size_t i = 0; i < jali_model_width(model); i++)
        json_array_append_new(
            fed, json_string(vault->schema.fields[jali_model_field(model, i)].name));
    return json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:s*,s:b,s:i,s:i,s:O,s:s*,s:I}", "name", name, "model",
        where, "kind", jali_model_kind(model), "declared", q->declared, "bounds", q->bounds,
        "columns", names_json(q->columns, q->n_columns), "fed", fed, "label", q->label,
        "ndjson", (int)q->ndjson, "output", (int)q->output, "timeout_s", (int)q->timeout_s,
        "pins", pins, "by", q->spend.by, "created_ms", (json_int_t)q->spend.now_ms);
}

static jali_status put(const char *name, const char *vault, json_t *entry, jali_err *err)
{
    jali_shelf s;
    if (entry == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_shelf_open(&s, vault, "models", true, err));
    jali_status status = JALI_OK;
    if (jali_models_find(&s, name) != NULL)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                           "there is a model \"%s\" already; jali model VAULT remove %s comes "
                           "first",
                           name, name);
    else if (json_array_size(s.items) >= MAX_MODELS)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                           "the vault has %d models already", MAX_MODELS);
    else if (json_array_append(s.items, entry) != 0)
        status = jali_fail_memory(err);
    if (status == JALI_OK) status = jali_shelf_save(&s, err);
    jali_shelf_close(&s);
    return status;
}

static jali_status add(const char *name, const jali_model_question *q, const jali_vault *vault,
                       jali_arena *arena, jali_err *err)
{
    jali_model *model = NULL;
    json_t *pins = json_array(), *entry = NULL;
    jali_status status = try_model(q, vault, arena, &model, err);
    if (status == JALI_OK) status = pin_all(pins, q, arena, err);
    char *where = status == JALI_OK ? whole_model(q->model, arena) : NULL;
    if (where != NULL) entry = entry_of(name, q, where, vault, model, pins);
    if (status == JALI_OK) status = put(name, q->spend.vault, entry, err);
    json_decref(entry);
    json_decref(pins);
    jali_model_free(model);
    return status;
}

jali_status jali_vault_model_add(const char *name, const jali_model_question *question,
                                 jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_vault *vault;
    JALI_TRY(check_name(name, err));
    if (question->model == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "say which model \"%s\" is: --model FILE.json (XGBoost), FILE.so or "
                         "\"command:WORDS\"",
                         name);
    JALI_TRY(jali_vault_open(&vault, question->spend.vault, err));
    jali_status status = add(name, question, vault, &arena, err);
    jali_vault_free(vault);
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_models_nameless(const jali_shelf *s, const char *name, jali_err *err)
{
    const char *names[MAX_MODELS], *near;
    size_t n = 0, i;
    json_t *entry;
    json_array_foreach(s->items, i, entry)
    {
        if (n < MAX_MODELS) names[n++] = jali_shelf_word(entry, "name");
    }
    near = jali_text_nearest(name, names, n);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no registered model \"%.64s\"%s%s%s", name,
                     near == NULL ? "; the list of models names them" : "; did you mean \"",
                     near == NULL ? "" : near, near == NULL ? "" : "\"?");
}

jali_status jali_vault_model_remove(const char *vault, const char *name, jali_err *err)
{
    jali_shelf s;
    size_t i, at = SIZE_MAX;
    json_t *entry;
    JALI_TRY(jali_shelf_open(&s, vault, "models", true, err));
    json_array_foreach(s.items, i, entry)
    {
        if (strcmp(jali_shelf_word(entry, "name"), name) == 0) at = i;
    }
    jali_status status = at == SIZE_MAX ? jali_models_nameless(&s, name, err) : JALI_OK;
    if (status == JALI_OK && json_array_remove(s.items, at) != 0)
        status = jali_fail_memory(err);
    if (status == JALI_OK) status = jali_shelf_save(&s, err);
    jali_shelf_close(&s);
    return status;
}

/* ---- listing ----------------------------------------------------------------------------- */

static void tell(jali_doc *doc, const json_t *entry, json_t *rows)
{
    const json_t *fed = json_object_get(entry, "fed");
    const char *label = jali_shelf_word(entry, "label");
    jali_doc_cell(doc, "%s", jali_shelf_word(entry, "name"));
    jali_doc_cell(doc, "%s", jali_shelf_word(entry, "kind"));
    jali_doc_cell(doc, "%s", jali_shelf_word(entry, "declared"));
    jali_doc_cell(doc, "%s", jali_shelf_word(entry, "bounds"));
    jali_doc_cell(doc, "%zu", json_array_size(fed));
    jali_doc_cell(doc, "%s", label);
    json_t *row = json_pack(
        "{s:s,s:s,s:s,s:s,s:O,s:s*}", "name", jali_shelf_word(entry, "name"), "kind",
        jali_shelf_word(entry, "kind"), "declared", jali_shelf_word(entry, "declared"),
        "bounds", jali_shelf_word(entry, "bounds"), "columns", (json_t *)fed, "label",
        label[0] == '\0' ? NULL : label);
    if (row == NULL || json_array_append_new(rows, row) != 0) doc->failed = true;
}

/* No path and no command: an analyst who lists models learns nothing of the machine. */
jali_status jali_vault_models(const char *vault, jali_doc **out, jali_err *err)
{
    static const jali_col cols[] = { { "model", false },    { "kind", false },
                                     { "declared", false }, { "bounds", true },
                                     { "columns", true },   { "label", false } };
    jali_shelf s;
    jali_doc *doc;
    size_t i;
    json_t *entry;
    JALI_TRY(jali_shelf_open(&s, vault, "models", false, err));
    jali_status status = jali_doc_new(&doc, "models", err);
    if (status == JALI_OK) {
        json_t *rows = json_array();
        jali_doc_table(doc, sizeof cols / sizeof *cols, cols);
        json_array_foreach(s.items, i, entry) tell(doc, entry, rows);
        jali_doc_set(doc, "rows", rows);
        status = jali_doc_finish(doc, JALI_OK, out, err);
    }
    jali_shelf_close(&s);
    return status;
}
