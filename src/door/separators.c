/* door/separators.c — jali separators: where to put the noise, for a graph on paper. */
#include "base/file.h"
#include "base/text.h"
#include "flow/flow.h"
#include "report/doc.h"
#include <stdlib.h>
#include <sys/stat.h>

/* Sets come nearly in order of size; so many more are found before the smallest are shown. */
enum { DEFAULT_LIMIT = 1000, HORIZON = 10000 };

typedef struct found {
    uint32_t *set;
    size_t n, order;
} found;

typedef struct search {
    const jali_flow_question *question;
    jali_arena arena;
    jali_flow flow;
    found *at;
    size_t n, room;
    bool all; /* nothing was left out */
} search;

static jali_status keep(search *s, const uint32_t *set, size_t n, jali_err *err)
{
    if (s->n == s->room) {
        size_t room = s->room == 0 ? 256 : 2 * s->room;
        found *at = jali_arena_take(&s->arena, room, sizeof *at);
        if (at == NULL) return jali_fail_memory(err);
        if (s->n > 0) memcpy(at, s->at, s->n * sizeof *at);
        s->at = at;
        s->room = room;
    }
    uint32_t *copy = jali_arena_take(&s->arena, n, sizeof *copy);
    if (copy == NULL) return jali_fail_memory(err);
    memcpy(copy, set, n * sizeof *copy);
    s->at[s->n] = (found){ copy, n, s->n };
    s->n++;
    return JALI_OK;
}

static jali_status collect(search *s, jali_separators *list, jali_err *err)
{
    size_t n, limit = s->question->limit == 0 ? DEFAULT_LIMIT : s->question->limit;
    uint32_t *set = jali_arena_take(&s->arena, s->flow.n + 2, sizeof *set);
    if (set == NULL) return jali_fail_memory(err);
    for (;;) {
        JALI_TRY(jali_separators_next(list, set, &n, err));
        s->all = n == 0;
        if (n == 0 || s->n == limit + HORIZON) return JALI_OK;
        JALI_TRY(keep(s, set, n, err));
    }
}

static int smallest_first(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static const char *names_of(const search *s, const found *f, jali_doc *doc, json_t *list)
{
    jali_text t = { 0 };
    for (size_t i = 0; i < f->n; i++) {
        jali_text_format(&t, "%s%s", i == 0 ? "" : ", ", s->flow.name[f->set[i]]);
        if (json_array_append_new(list, json_string(s->flow.name[f->set[i]])) != 0)
            doc->failed = true;
    }
    const char *copy = t.failed ? NULL : jali_arena_text(&doc->arena, t.at);
    if (copy == NULL) doc->failed = true;
    jali_text_clear(&t);
    return copy == NULL ? "" : copy;
}

static void tell(const search *s, jali_doc *doc)
{
    static const jali_col cols[] = { { "set", true },
                                     { "stages", true },
                                     { "noise in", false } };
    json_t *rows = json_array();
    jali_doc_heading(doc, "Where noise makes %s private", s->question->flow);
    jali_doc_fact(doc, "graph", "%zu stages, %zu edges, from %s to %s", s->flow.n,
                  s->flow.n_edges, s->flow.name[s->flow.source], s->flow.name[s->flow.sink]);
    jali_doc_table(doc, 3, cols);
    for (size_t i = 0; i < s->n; i++) {
        json_t *list = json_array();
        const char *names = names_of(s, &s->at[i], doc, list);
        jali_doc_cell(doc, "%zu", i + 1);
        jali_doc_cell(doc, "%zu", s->at[i].n);
        jali_doc_cell(doc, "%s", names);
        json_t *row = json_pack("{s:I,s:I,s:o}", "set", (json_int_t)i + 1, "size",
                                (json_int_t)s->at[i].n, "stages", list);
        if (row == NULL || json_array_append_new(rows, row) != 0) doc->failed = true;
    }
    jali_doc_say(
        doc, "%s",
        s->all ? "These are all minimal sets, smallest first. The budget is shared by the "
                 "stages of a set."
               : "There are more: these are the smallest of the first found. --limit "
                 "N lists more of them.");
    jali_doc_set(doc, "all", json_boolean(s->all));
    jali_doc_set(doc, "rows", rows);
}

/* set-1.svg, set-2.svg, ... in the folder. */
static jali_status draw(search *s, jali_err *err)
{
    const char *folder = s->question->draw;
    if (folder == NULL) return JALI_OK;
    struct stat st;
    if (mkdir(folder, 0777) != 0 && (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST,
                         "the folder %.200s cannot be made for the drawings", folder);
    for (size_t i = 0; i < s->n; i++) {
        char *svg = NULL, *path = jali_arena_format(&s->arena, "%s/set-%zu.svg", folder, i + 1);
        if (path == NULL) return jali_fail_memory(err);
        JALI_TRY(jali_flow_draw(&s->flow, s->at[i].set, s->at[i].n, &s->arena, &svg, err));
        JALI_TRY(jali_file_replace(path, svg, strlen(svg), 0644, err));
    }
    return JALI_OK;
}

static jali_status run(search *s, jali_doc **out, jali_err *err)
{
    char *dot;
    size_t n;
    jali_doc *doc;
    jali_separators *list = NULL;
    JALI_TRY(jali_file_read(s->question->flow, JALI_FLOW_BYTES, &s->arena, &dot, &n, err));
    JALI_TRY(jali_flow_parse(&s->flow, dot, n, s->question->flow, &s->arena, err));
    JALI_TRY(jali_separators_new(&list, &s->flow, err));
    jali_status status = collect(s, list, err);
    jali_separators_free(list);
    if (status != JALI_OK) return status;
    if (s->n > 0) qsort(s->at, s->n, sizeof *s->at, smallest_first);
    size_t limit = s->question->limit == 0 ? DEFAULT_LIMIT : s->question->limit;
    if (s->n > limit) {
        s->n = limit;
        s->all = false;
    }
    JALI_TRY(draw(s, err));
    JALI_TRY(jali_doc_new(&doc, "separators", err));
    tell(s, doc);
    return jali_doc_finish(doc, JALI_OK, out, err);
}

jali_status jali_flow_separators(const jali_flow_question *question, jali_doc **out,
                                 jali_err *err)
{
    search s = { .question = question };
    jali_status status = run(&s, out, err);
    jali_arena_clear(&s.arena);
    return status;
}
