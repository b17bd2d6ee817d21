/* model/external.c — explainers of strangers: a command that gets the rows of a block.
 *
 * Points: lines "x,y", x a number or a category of the column. A ranking: names of columns,
 * the most important first. What is not understood counts as not said: the answer is a
 * function of the block, and that is all that the proof needs.
 */
#include "base/text.h"
#include "model/inside.h"
#include "model/plain.h"
#include <math.h>
#include <stdlib.h>

typedef struct pair {
    double x, y;
} pair;

static int by_x(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static jali_status run(const jali_plain *p, const char *words, unsigned timeout_s,
                       const jali_frame *rows, bool trial, char **answer, jali_err *err)
{
    jali_text input = { 0 };
    size_t n;
    jali_decode_text(p->model, rows, &input);
    jali_status status = jali_text_status(&input, err);
    if (status == JALI_OK)
        status = jali_command_run(words, input.at, input.used,
                                  timeout_s == 0 ? JALI_MODEL_TIMEOUT_S : timeout_s,
                                  trial ? "explainer" : NULL, answer, &n, NULL, err);
    jali_text_clear(&input);
    return status;
}

/* One line at a time, cut in place. */
static char *next_line(char **at)
{
    char *line = *at, *end;
    if (line == NULL || *line == '\0') return NULL;
    end = line + strcspn(line, "\r\n");
    *at = *end == '\0' ? end : end + 1 + (*end == '\r' && end[1] == '\n');
    *end = '\0';
    return line;
}

/* A category's place is its x. */
static bool read_x(const jali_field *f, const char *text, double *x)
{
    char *end;
    for (uint32_t i = 0; f->kind == JALI_CATEGORY && i < f->n_values; i++)
        if (strcmp(f->values[i], text) == 0) {
            *x = i;
            return true;
        }
    if (f->kind == JALI_CATEGORY) return false;
    *x = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*x);
}

static bool read_pair(const jali_field *f, char *line, pair *out)
{
    char *comma = strrchr(line, ','), *end;
    if (comma == NULL) return false;
    *comma = '\0';
    out->y = strtod(comma + 1, &end);
    return end != comma + 1 && isfinite(out->y) && read_x(f, line, &out->x);
}

static double between(const pair *at, size_t n, double x)
{
    if (x <= at[0].x) return at[0].y;
    for (size_t i = 1; i < n; i++)
        if (x <= at[i].x) {
            double far = at[i].x - at[i - 1].x;
            return far > 0 ? at[i - 1].y + (at[i].y - at[i - 1].y) * (x - at[i - 1].x) / far
                           : at[i].y;
        }
    return at[n - 1].y;
}

jali_status jali_plain_points(const jali_plain *p, const char *words, unsigned timeout_s,
                              const jali_frame *rows, size_t column, const uint32_t *point,
                              size_t n, double *out, jali_err *err)
{
    char *answer = NULL, *line;
    JALI_TRY(run(p, words, timeout_s, rows, false, &answer, err));
    const jali_field *f = &p->model->schema->fields[p->model->field[column]];
    pair *at = calloc(strlen(answer) + 1, sizeof *at);
    size_t seen = 0;
    for (char *text = answer; at != NULL && (line = next_line(&text)) != NULL;)
        seen += read_pair(f, line, &at[seen]);
    if (at != NULL) qsort(at, seen, sizeof *at, by_x);
    for (size_t r = 0; seen > 0 && r < n; r++)
        out[r] = between(at, seen,
                         f->kind == JALI_CATEGORY ? (double)point[r]
                                                  : jali_model_number(f, point[r]));
    jali_status status = at == NULL ? jali_fail_memory(err) : JALI_OK;
    free(at);
    free(answer);
    return status;
}

jali_status jali_plain_ranking(const jali_plain *p, const char *words, unsigned timeout_s,
                               const jali_frame *rows, double *out, jali_err *err)
{
    char *answer = NULL, *line;
    size_t width = jali_model_width(p->model), place = 0, column;
    JALI_TRY(run(p, words, timeout_s, rows, false, &answer, err));
    for (size_t k = 0; k < width; k++) out[k] = 0;
    for (char *text = answer; (line = next_line(&text)) != NULL;) {
        line[strcspn(line, ",\t")] = '\0';
        if (jali_model_find(p->model, line, &column) && !(out[column] > 0))
            out[column] = (double)(width - place++);
    }
    free(answer);
    return JALI_OK;
}

/* Lines of an answer that mean something: points of the column, or names of columns. */
static size_t understood(const jali_plain *p, char *answer, size_t column)
{
    char *line;
    size_t n = 0, found;
    pair at;
    for (char *text = answer; (line = next_line(&text)) != NULL;) {
        if (column == SIZE_MAX) {
            line[strcspn(line, ",\t")] = '\0';
            n += jali_model_find(p->model, line, &found);
        } else
            n += read_pair(&p->model->schema->fields[p->model->field[column]], line, &at);
    }
    return n;
}

jali_status jali_plain_try(const jali_plain *p, const char *words, unsigned timeout_s,
                           size_t column, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_frame rows;
    char *answer = NULL;
    jali_status status = jali_model_public_rows(p->model, &arena, &rows, err);
    if (status == JALI_OK) status = run(p, words, timeout_s, &rows, true, &answer, err);
    if (status == JALI_OK && understood(p, answer, column) == 0)
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "the explainer printed nothing that is understood: it must print %s",
                           column == SIZE_MAX ? "names of columns, one a line, the best first"
                                              : "points, one \"x,y\" a line");
    free(answer);
    jali_arena_clear(&arena);
    return status;
}
