/* model/model.c — a model to be explained, whatever kind it is. */
#include "model/model.h"
#include "base/file.h"
#include "model/inside.h"
#include <math.h>
#include <sodium.h>

enum { TRIAL_ROWS = 5, MODEL_BYTES = 1 << 30 };

static bool ends(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static void print_of(jali_model *m, const void *bytes, size_t n, const char *seal)
{
    unsigned char hash[16];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, bytes, n);
    /* With its end between them: words and seal are not one longer text. */
    if (seal != NULL) crypto_generichash_update(&state, (const unsigned char *)"", 1);
    if (seal != NULL)
        crypto_generichash_update(&state, (const unsigned char *)seal, strlen(seal));
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(m->print, sizeof m->print, hash, sizeof hash);
}

/* Two models of one name are two models: the question is another one. */
static jali_status print_file(jali_model *m, const char *path, const char *seal, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *bytes;
    size_t n;
    jali_status status = jali_file_read(path, MODEL_BYTES, &arena, &bytes, &n, err);
    if (status == JALI_OK) print_of(m, bytes, n, seal);
    jali_arena_clear(&arena);
    return status;
}

static jali_status open_kind(jali_model *m, const jali_model_spec *spec, jali_err *err)
{
    const char *command = "command:";
    if (spec->memory == NULL && strncmp(spec->model, command, strlen(command)) == 0) {
        m->words = jali_arena_text(&m->arena, spec->model + strlen(command));
        if (m->words == NULL) return jali_fail_memory(err);
        print_of(m, m->words, strlen(m->words), spec->seal);
        return jali_command_open(m, spec, err);
    }
    if (spec->memory != NULL) {
        print_of(m, spec->model, strlen(spec->model), spec->seal);
        return jali_shared_open(m, spec, err);
    }
    JALI_TRY(print_file(m, spec->model, spec->seal, err));
    return ends(spec->model, ".so") ? jali_shared_open(m, spec, err)
                                    : jali_xgboost_open(m, spec, err);
}

jali_status jali_model_open(jali_model **out, const jali_schema *schema,
                            const jali_model_spec *spec, jali_err *err)
{
    if (spec->model == NULL || spec->model[0] == '\0')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say which model to explain: --model FILE.json (XGBoost), FILE.so or "
                         "\"command:WORDS\"");
    jali_model *m = calloc(1, sizeof *m);
    if (m == NULL) return jali_fail_memory(err);
    m->schema = schema;
    m->ndjson = spec->ndjson;
    m->output = spec->output;
    m->timeout_s = spec->timeout_s == 0 ? JALI_MODEL_TIMEOUT_S : spec->timeout_s;
    m->field = jali_arena_take(&m->arena, JALI_MODEL_COLUMNS, sizeof *m->field);
    m->input = jali_arena_take(&m->arena, JALI_MODEL_INPUTS, sizeof *m->input);
    jali_status status =
        m->field == NULL || m->input == NULL ? jali_fail_memory(err) : open_kind(m, spec, err);
    if (status == JALI_OK && m->width == 0)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "the model is fed no column of this vault");
    if (status != JALI_OK) {
        jali_model_free(m);
        return status;
    }
    *out = m;
    return JALI_OK;
}

void jali_model_free(jali_model *m)
{
    if (m == NULL) return;
    if (m->type != NULL && m->type->free != NULL) m->type->free(m);
    jali_arena_clear(&m->arena);
    free(m);
}

/* Of a trial on public rows only: an error that a private row decides would tell of it. */
static jali_status whole(const double *out, size_t n, jali_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return jali_fail(
                err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                "the model answered a row with NaN or infinity; make it answer "
                "every row of the public domains, missing values too, with a number");
    return JALI_OK;
}

static jali_status predict(jali_model *m, const jali_frame *frame, double *out, bool trial,
                           jali_err *err)
{
    if (frame->rows == 0) return JALI_OK;
    JALI_TRY(m->type->predict(m, frame, out, trial, err));
    return trial ? whole(out, frame->rows, err) : JALI_OK;
}

jali_status jali_model_predict(jali_model *m, const jali_frame *frame, double *out,
                               jali_err *err)
{
    return predict(m, frame, out, false, err);
}

jali_status jali_model_contribute(jali_model *m, const jali_frame *frame, size_t column,
                                  double *out, jali_err *err)
{
    if (m->type->contribute == NULL)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "SHAP values need an XGBoost model; use pdp or ale, or an explainer of "
            "your own");
    if (frame->rows == 0) return JALI_OK;
    return m->type->contribute(m, frame, column, out, err);
}

/* First, middle and last values, a missing one in every column that may have one. */
jali_status jali_model_public_rows(const jali_model *m, jali_arena *arena, jali_frame *out,
                                   jali_err *err)
{
    uint32_t *code = jali_arena_take(arena, TRIAL_ROWS * m->width, sizeof *code);
    if (code == NULL) return jali_fail_memory(err);
    for (size_t k = 0; k < m->width; k++) {
        const jali_field *f = &m->schema->fields[m->field[k]];
        uint32_t null = (uint32_t)jali_field_null(f), top = null > 0 ? null - 1 : 0;
        const uint32_t some[TRIAL_ROWS] = { 0, top / 2, top, top / 3,
                                            f->required ? top : null };
        for (size_t i = 0; i < TRIAL_ROWS; i++) code[i * m->width + k] = some[i];
    }
    *out = (jali_frame){ TRIAL_ROWS, m->width, code };
    return JALI_OK;
}

jali_status jali_model_try(jali_model *m, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_frame frame;
    double out[TRIAL_ROWS];
    jali_status status = jali_model_public_rows(m, &arena, &frame, err);
    if (status == JALI_OK) status = predict(m, &frame, out, true, err);
    jali_arena_clear(&arena);
    return status;
}

bool jali_model_contributes(const jali_model *m)
{
    return m->type->contribute != NULL;
}

size_t jali_model_width(const jali_model *m)
{
    return m->width;
}

size_t jali_model_field(const jali_model *m, size_t column)
{
    return m->field[column];
}

uint32_t jali_model_null(const jali_model *m, size_t column)
{
    return (uint32_t)jali_field_null(&m->schema->fields[m->field[column]]);
}

bool jali_model_find(const jali_model *m, const char *name, size_t *column)
{
    for (size_t i = 0; i < m->width; i++)
        if (strcmp(m->schema->fields[m->field[i]].name, name) == 0) {
            *column = i;
            return true;
        }
    return false;
}

size_t jali_model_batch(const jali_model *m)
{
    return m->type->batch;
}

bool jali_model_threads(const jali_model *m)
{
    return m->threads;
}

const char *jali_model_kind(const jali_model *m)
{
    return m->type->name;
}

unsigned jali_model_output(const jali_model *m)
{
    return m->output;
}

bool jali_model_ndjson(const jali_model *m)
{
    return m->ndjson;
}

const char *jali_model_print(const jali_model *m)
{
    return m->print;
}
