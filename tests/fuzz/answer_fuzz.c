/* tests/fuzz/answer_fuzz.c — what a model's or an explainer's command prints, from strangers: a
 * number a row or NaN, one sentence whatever it was, curves and ranks that are finite. The
 * command itself is replaced (by --wrap): its output is the input here. */
#include "model/inside.h"
#include "model/plain.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
jali_status __wrap_jali_command_run(const char *words, const char *input, size_t n,
                                    unsigned timeout_s, const char *trial, char **out,
                                    size_t *n_out, bool *late, jali_err *err);

enum { ROWS = 5, POINTS = 4 };

static const char schema_text[] =
    "{\"fields\":["
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
    "{\"name\":\"job\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}}]}";
static const uint8_t *printed;
static size_t n_printed;

jali_status __wrap_jali_command_run(const char *words, const char *input, size_t n,
                                    unsigned timeout_s, const char *trial, char **out,
                                    size_t *n_out, bool *late, jali_err *err)
{
    (void)words, (void)input, (void)n, (void)timeout_s, (void)trial, (void)err;
    *out = malloc(n_printed + 1);
    if (*out == NULL) abort();
    memcpy(*out, printed, n_printed);
    (*out)[n_printed] = '\0';
    *n_out = n_printed;
    if (late != NULL) *late = false;
    return JALI_OK;
}

static void check_refusal(jali_status status, const jali_err *err, const char *always)
{
    if (status == JALI_OK) return;
    if (err->text[0] == '\0' || strchr(err->text, '\n') != NULL) abort();
    if (always != NULL && strcmp(err->text, always) != 0) abort();
}

/* With private rows: whatever was printed, no sentence of its own. */
static void check_private(jali_plain *p, const jali_frame *frame)
{
    static const uint32_t point[POINTS] = { 0, 3, 6, 9 }, job[3] = { 0, 1, 2 };
    double out[16];
    jali_err err = { 0 }, failed = { 0 };
    (void)jali_command_failed(&failed);
    check_refusal(jali_model_predict(p->model, frame, out, &err), &err, failed.text);
    for (unsigned i = 0; i < POINTS; i++) out[i] = 0;
    if (jali_plain_points(p, "words", 1, frame, 0, point, POINTS, out, &err) == JALI_OK)
        for (unsigned i = 0; i < POINTS; i++) (void)jali_plain_within(p, out[i]);
    if (jali_plain_points(p, "words", 1, frame, 1, job, 3, out, &err) != JALI_OK) abort();
    if (jali_plain_ranking(p, "words", 1, frame, out, &err) != JALI_OK) abort();
    for (size_t k = 0; k < frame->width; k++)
        if (!(out[k] >= 0 && out[k] <= (double)frame->width)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t code[2 * ROWS] = { 0, 0, 9, 1, 10, 2, 4, 3, 5, 1 };
    jali_frame frame = { ROWS, 2, code };
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_model *m;
    jali_err err = { 0 };
    jali_model_spec spec = { .model = "command:x", .threads = 1 };
    printed = data;
    n_printed = size;
    if (memchr(data, 0, size) != NULL) return 0; /* refused before it gets here */
    if (jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena, NULL) !=
            JALI_OK ||
        jali_model_open(&m, &schema, &spec, &err) != JALI_OK)
        abort();
    jali_plain plain = { .model = m, .lo = 0, .hi = 1 };
    check_refusal(jali_model_try(m, &err), &err, NULL);
    check_refusal(jali_plain_try(&plain, "words", 1, 0, &err), &err, NULL);
    check_refusal(jali_plain_try(&plain, "words", 1, SIZE_MAX, &err), &err, NULL);
    check_private(&plain, &frame);
    jali_model_free(m);
    jali_arena_clear(&arena);
    return 0;
}
