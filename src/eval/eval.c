/* eval/eval.c — the trials there are, and what they share. */
#include "eval/eval.h"
#include "base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct trial {
    const char *name;
    jali_status (*run)(jali_stage *stage, jali_err *err);
} trial;

static const trial trials[] = {
    { "cluster", jali_eval_cluster }, { "why", jali_eval_why },
    { "profile", jali_eval_profile }, { "contrast", jali_eval_contrast },
    { "model", jali_eval_model },     { NULL, NULL }, /* the end */
};

enum { MAX_TRIALS = 16 };

static jali_status unknown(const char *what, jali_err *err)
{
    const char *names[MAX_TRIALS] = { 0 };
    size_t n = 0;
    for (const trial *t = trials; t->name != NULL && n < MAX_TRIALS; t++) names[n++] = t->name;
    const char *near = jali_text_nearest(what, names, n);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no trial of \"%.40s\"%s%s%s; jali eval --help tells more", what,
                     near == NULL ? "" : "; did you mean \"", near == NULL ? "" : near,
                     near == NULL ? "" : "\"?");
}

/* A row "name value" a figure, last on the page. */
static void tell_figures(jali_stage *stage)
{
    static const jali_col cols[] = { { "figure", false }, { "value", true }, { "sd", true } };
    size_t i;
    json_t *row;
    jali_doc_table(stage->doc, 3, cols);
    json_array_foreach(stage->figures, i, row)
    {
        const char *sd = json_string_value(json_object_get(row, "deviation"));
        jali_doc_cell(stage->doc, "%s", json_string_value(json_object_get(row, "name")));
        jali_doc_cell(stage->doc, "%s", json_string_value(json_object_get(row, "value")));
        jali_doc_cell(stage->doc, "%s", sd == NULL ? "" : sd);
    }
}

jali_status jali_eval_run(const char *what, jali_stage *stage, jali_err *err)
{
    for (const trial *t = trials; t->name != NULL; t++) {
        if (strcmp(t->name, what) != 0) continue;
        stage->figures = json_array();
        jali_doc_set(stage->doc, "rows", stage->figures);
        if (stage->figures == NULL) return jali_fail_memory(err);
        JALI_TRY(t->run(stage, err));
        tell_figures(stage);
        return JALI_OK;
    }
    return unknown(what, err);
}

const char *jali_stage_word(const jali_stage *stage, const char *name, const char *fallback)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < stage->n_arguments; i++)
        if (strncmp(stage->argument[i], name, n) == 0 && stage->argument[i][n] == '=')
            return stage->argument[i] + n + 1;
    return fallback;
}

jali_status jali_stage_number(const jali_stage *stage, const char *name, double fallback,
                              double *out, jali_err *err)
{
    const char *text = jali_stage_word(stage, name, NULL);
    char *end;
    *out = fallback;
    if (text == NULL) return JALI_OK;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*out)) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "%s=%.40s is not a number", name,
                     text);
}

jali_status jali_stage_expect(const jali_stage *stage, const char *const *names, size_t n,
                              jali_err *err)
{
    for (size_t i = 0; i < stage->n_arguments; i++) {
        const char *word = stage->argument[i];
        size_t length = strcspn(word, "="), k = 0;
        while (k < n && (strlen(names[k]) != length || memcmp(names[k], word, length) != 0))
            k++;
        if (k < n && word[length] == '=') continue;
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this trial does not know the word \"%.60s\"; write NAME=VALUE with a "
                         "name of docs/eval.md",
                         word);
    }
    return JALI_OK;
}

static json_t *decimal(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", x);
    return json_string(text);
}

void jali_stage_figure(jali_stage *stage, double value, double deviation, const char *fmt, ...)
{
    char name[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    json_t *row = json_pack("{s:s,s:o}", "name", name, "value", decimal(value));
    if (row != NULL && !isnan(deviation) &&
        json_object_set_new(row, "deviation", decimal(deviation)) != 0)
        stage->doc->failed = true;
    if (json_array_append_new(stage->figures, row) != 0) stage->doc->failed = true;
}
