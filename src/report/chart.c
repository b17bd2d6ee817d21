/* report/chart.c — charts being filled. */
#include "base/banned.h"
#include "report/chart_inside.h"

static void *push(jali_chart *c, jali_run *run, size_t size)
{
    if (run->n == run->room) {
        size_t room = run->room == 0 ? 16 : run->room * 2;
        char *at = jali_doc_take(c->doc, room, size);
        if (at == NULL) return NULL;
        if (run->n > 0) memcpy(at, run->at, run->n * size);
        run->at = at;
        run->room = room;
    }
    return (char *)run->at + run->n++ * size;
}

static const char *copied(jali_doc *doc, const char *text)
{
    const char *copy = text == NULL ? NULL : jali_arena_text(&doc->arena, text);
    if (text != NULL && copy == NULL) doc->failed = true;
    return copy;
}

static jali_axis axis_of(jali_doc *doc, jali_axis axis)
{
    axis.name = copied(doc, axis.name == NULL ? "" : axis.name);
    axis.unit = copied(doc, axis.unit);
    return axis;
}

JALI_PRINTF(3, 0)
static jali_chart *begin(jali_doc *doc, jali_chart_kind kind, const char *title, va_list ap)
{
    const char *text = doc->bare ? NULL : jali_doc_text(doc, title, ap);
    jali_chart *c = text == NULL ? NULL : jali_doc_take(doc, 1, sizeof *c);
    jali_piece *piece = c == NULL ? NULL : jali_doc_add(doc, JALI_PIECE_CHART, NULL);
    if (piece == NULL) return NULL;
    piece->chart = c;
    piece->text = text;
    c->doc = doc;
    c->kind = kind;
    c->title = text;
    return c;
}

#define BEGIN(chart, doc, kind, title)                                                         \
    do {                                                                                       \
        va_list ap_;                                                                           \
        va_start(ap_, title);                                                                  \
        chart = begin(doc, kind, title, ap_);                                                  \
        va_end(ap_);                                                                           \
    } while (0)

/* A chart half made is taken off again: a writer may trust what it finds. */
static jali_chart *whole(jali_chart *c)
{
    if (c == NULL || !c->doc->failed) return c;
    c->n_words = c->n_tracks = 0;
    return NULL;
}

jali_chart *jali_doc_rows(jali_doc *doc, size_t n_words, const jali_col *words, size_t n_tracks,
                          const jali_track *tracks, const char *title, ...)
{
    jali_chart *c;
    BEGIN(c, doc, JALI_CHART_ROWS, title);
    jali_col *w = c == NULL ? NULL : jali_doc_take(doc, n_words + 1, sizeof *w);
    jali_track *t = w == NULL ? NULL : jali_doc_take(doc, n_tracks + 1, sizeof *t);
    if (t == NULL) return NULL;
    for (size_t i = 0; i < n_words; i++)
        w[i] = (jali_col){ copied(doc, words[i].name), words[i].right };
    for (size_t i = 0; i < n_tracks; i++) {
        t[i] = tracks[i];
        t[i].axis = axis_of(doc, tracks[i].axis);
    }
    c->words = w;
    c->tracks = t;
    c->n_words = n_words;
    c->n_tracks = n_tracks;
    return whole(c);
}

jali_chart *jali_doc_pairs(jali_doc *doc, jali_axis values, jali_axis share, const char *inside,
                           const char *elsewhere, const char *title, ...)
{
    jali_chart *c;
    BEGIN(c, doc, JALI_CHART_PAIRS, title);
    if (c == NULL) return NULL;
    c->x = axis_of(doc, values);
    c->y = axis_of(doc, share);
    c->inside = copied(doc, inside);
    c->elsewhere = copied(doc, elsewhere);
    return whole(c);
}

jali_chart *jali_doc_lines(jali_doc *doc, jali_axis x, jali_axis y, const char *title, ...)
{
    jali_chart *c;
    BEGIN(c, doc, JALI_CHART_LINES, title);
    if (c == NULL) return NULL;
    c->x = axis_of(doc, x);
    c->y = axis_of(doc, y);
    return whole(c);
}

jali_chart *jali_doc_heat(jali_doc *doc, const jali_plane *plane, const char *title, ...)
{
    jali_chart *c;
    BEGIN(c, doc, JALI_CHART_HEAT, title);
    size_t n = plane->n_x * plane->n_y;
    double *cell = c == NULL ? NULL : jali_doc_take(doc, n, sizeof *cell);
    double *half = c == NULL ? NULL : jali_doc_take(doc, n, sizeof *half);
    if (cell == NULL || half == NULL) return NULL;
    memcpy(cell, plane->cell, n * sizeof *cell);
    if (plane->half != NULL) memcpy(half, plane->half, n * sizeof *half);
    c->plane = *plane;
    c->plane.cell = cell;
    c->plane.half = plane->half == NULL ? NULL : half;
    c->x = c->plane.x = axis_of(doc, plane->x);
    c->y = c->plane.y = axis_of(doc, plane->y);
    c->plane.value = axis_of(doc, plane->value);
    return whole(c);
}

static void add_word(jali_chart *c, const char *text)
{
    const char **at = text == NULL ? NULL : push(c, &c->word, sizeof *at);
    if (at != NULL) *at = text;
}

static void add_mark(jali_chart *c, jali_mark mark)
{
    jali_mark *at = push(c, &c->mark, sizeof *at);
    if (at != NULL) *at = mark;
}

void jali_chart_word(jali_chart *c, const char *fmt, ...)
{
    if (c == NULL || c->doc->failed) return;
    va_list ap;
    va_start(ap, fmt);
    const char *text = jali_doc_text(c->doc, fmt, ap);
    va_end(ap);
    add_word(c, text);
}

void jali_chart_mark(jali_chart *c, jali_mark mark)
{
    if (c != NULL && !c->doc->failed) add_mark(c, mark);
}

void jali_chart_pair(jali_chart *c, const char *value, jali_mark inside, jali_mark elsewhere)
{
    if (c == NULL || c->doc->failed) return;
    add_word(c, copied(c->doc, value));
    add_mark(c, inside);
    add_mark(c, elsewhere);
}

void jali_chart_series(jali_chart *c, const char *name)
{
    if (c == NULL || c->doc->failed) return;
    const char *copy = copied(c->doc, name);
    jali_series *s = copy == NULL ? NULL : push(c, &c->series, sizeof *s);
    if (s != NULL) *s = (jali_series){ .name = copy };
}

void jali_chart_point(jali_chart *c, double x, jali_mark y)
{
    if (c == NULL || c->doc->failed || c->series.n == 0) return;
    jali_series *s = (jali_series *)c->series.at + c->series.n - 1;
    jali_dot *dot = push(c, &s->dots, sizeof *dot);
    if (dot != NULL) *dot = (jali_dot){ x, y };
}

void jali_chart_category(jali_chart *c, const char *label, jali_mark y)
{
    if (c == NULL || c->doc->failed || c->series.n == 0) return;
    size_t i = 0;
    while (i < c->word.n && strcmp(jali_chart_word_at(c, i), label) != 0) i++;
    if (i == c->word.n) add_word(c, copied(c->doc, label));
    jali_chart_point(c, (double)i, y);
}

void jali_chart_strip(jali_chart *c, double from, double to, double height)
{
    if (c == NULL || c->doc->failed) return;
    jali_bin *bin = push(c, &c->strip, sizeof *bin);
    if (bin != NULL) *bin = (jali_bin){ from, to, height };
}

void jali_chart_upright(jali_chart *c, double x, const char *label)
{
    if (c == NULL || c->doc->failed) return;
    const char *copy = copied(c->doc, label == NULL ? "" : label);
    jali_upright *at = copy == NULL ? NULL : push(c, &c->upright, sizeof *at);
    if (at != NULL) *at = (jali_upright){ x, copy };
}

void jali_chart_place(jali_chart *c, double x, double y, char letter, const char *label)
{
    if (c == NULL || c->doc->failed) return;
    jali_place *at = push(c, &c->place, sizeof *at);
    if (at != NULL) *at = (jali_place){ x, y, letter, copied(c->doc, label) };
}

void jali_chart_about(jali_chart *c, const char *fmt, ...)
{
    if (c == NULL) return;
    va_list ap;
    va_start(ap, fmt);
    c->about = jali_doc_text(c->doc, fmt, ap);
    va_end(ap);
}

void jali_chart_note(jali_chart *c, const char *fmt, ...)
{
    if (c == NULL) return;
    va_list ap;
    va_start(ap, fmt);
    c->note = jali_doc_text(c->doc, fmt, ap);
    va_end(ap);
}

size_t jali_chart_rows(const jali_chart *c)
{
    if (c->kind == JALI_CHART_PAIRS) return c->word.n;
    if (c->kind != JALI_CHART_ROWS || c->n_words + c->n_tracks == 0) return 0;
    if (c->n_tracks == 0) return c->word.n / c->n_words;
    size_t n = c->mark.n / c->n_tracks;
    return c->n_words > 0 && c->word.n / c->n_words < n ? c->word.n / c->n_words : n;
}

bool jali_chart_over_categories(const jali_chart *c)
{
    return c->kind == JALI_CHART_LINES && c->word.n > 0;
}
