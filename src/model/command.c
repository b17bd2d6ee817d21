/* model/command.c — a model that is a command: rows on its stdin, one number a line back. */
#include "base/text.h"
#include "model/inside.h"
#include <math.h>

enum { COMMAND_BATCH = 1 << 17, FAILURES_MOST = 4096 };

static jali_status too_few(size_t seen, bool trial, size_t rows, jali_err *err)
{
    if (trial)
        return jali_fail(
            err, JALI_E_ENGINE, JALI_FOR_CURATOR,
            "the model's command printed %zu numbers for %zu rows; it must print one "
            "a line, and nothing else",
            seen, rows);
    return jali_command_failed(err);
}

static jali_status read_numbers(const char *text, size_t rows, bool trial, double *out,
                                jali_err *err)
{
    size_t seen = 0;
    for (const char *p = text; *p != '\0';) {
        char *end;
        double x = strtod(p, &end);
        if (end == p) return too_few(seen, trial, rows, err);
        if (seen < rows) out[seen] = x;
        seen++;
        while (*end == ' ' || *end == '\t' || *end == '\r') end++;
        if (*end != '\n' && *end != '\0') return too_few(seen, trial, rows, err);
        p = *end == '\n' ? end + 1 : end;
    }
    return seen == rows ? JALI_OK : too_few(seen, trial, rows, err);
}

static jali_status ask(jali_model *m, const jali_frame *frame, double *out, bool trial,
                       bool *late, jali_err *err)
{
    jali_text input = { 0 };
    char *answer = NULL;
    size_t n = 0;
    jali_decode_text(m, frame, &input);
    jali_status status = jali_text_status(&input, err);
    if (status == JALI_OK)
        status = jali_command_run(m->words, input.at, input.used, m->timeout_s,
                                  trial ? "model" : NULL, &answer, &n, late, err);
    if (status == JALI_OK) status = read_numbers(answer, frame->rows, trial, out, err);
    free(answer);
    jali_text_clear(&input);
    return status;
}

/* That one row makes the command fail must not be told: the batch is halved until that row is
 * alone, and its answer is NaN. So an answer stays a function of one record. Time is no secret
 * here, and a command that fails for hundreds of rows is given up. */
static jali_status command_predict(jali_model *m, const jali_frame *frame, double *out,
                                   bool trial, jali_err *err)
{
    bool late = false;
    jali_status status = ask(m, frame, out, trial, &late, err);
    if (status != JALI_E_ENGINE || trial || late || ++m->failures > FAILURES_MOST)
        return status;
    if (frame->rows == 1) {
        out[0] = (double)NAN;
        return JALI_OK;
    }
    size_t half = frame->rows / 2;
    jali_frame first = { half, frame->width, frame->code };
    jali_frame rest = { frame->rows - half, frame->width, frame->code + half * frame->width };
    JALI_TRY(command_predict(m, &first, out, false, err));
    return command_predict(m, &rest, out + half, false, err);
}

static const jali_model_type command_type = { "command", COMMAND_BATCH, command_predict, NULL,
                                              NULL };

jali_status jali_command_open(jali_model *m, const jali_model_spec *spec, jali_err *err)
{
    m->type = &command_type;
    if (m->words[0] == '\0')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a command has words: --model \"command:python3 predict.py\"");
    return jali_model_inputs(m, spec, err);
}
