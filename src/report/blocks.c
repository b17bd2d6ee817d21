/* report/blocks.c — a document with the pieces that people read, as JSON: for pages that draw
 * for themselves. Shape: {"jali": 1, "kind", "data": the JSON, "blocks": [...]}. */
#include "report/chart_inside.h"
#include "report/render.h"
#include <math.h>

/* JSON has no infinities and no NAN. */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *mark_json(jali_mark m)
{
    if (m.unknown) return json_pack("{s:b}", "unknown", true);
    return json_pack("{s:o,s:o,s:o}", "value", number(m.value), "low", number(m.low), "high",
                     number(m.high));
}

static json_t *axis_json(const jali_axis *a)
{
    return json_pack("{s:s*,s:s*,s:b,s:b}", "name", a->name, "unit", a->unit, "percent",
                     a->percent, "whole", a->whole);
}

static void append(json_t *list, json_t *value, jali_text *out)
{
    if (json_array_append_new(list, value) != 0) out->failed = true;
}

static void set(json_t *object, const char *key, json_t *value, jali_text *out)
{
    if (json_object_set_new(object, key, value) != 0) out->failed = true;
}

/* ---- charts ----------------------------------------------------------------------------- */

static void rows_json(const jali_chart *c, json_t *o, jali_text *out)
{
    json_t *words = json_array(), *tracks = json_array(), *rows = json_array();
    for (size_t i = 0; i < c->n_words; i++) append(words, json_string(c->words[i].name), out);
    for (size_t i = 0; i < c->n_tracks; i++)
        append(tracks,
               json_pack("{s:o,s:b}", "axis", axis_json(&c->tracks[i].axis), "bar",
                         c->tracks[i].bar),
               out);
    for (size_t r = 0; r < jali_chart_rows(c); r++) {
        json_t *w = json_array(), *m = json_array();
        for (size_t i = 0; i < c->n_words; i++)
            append(w, json_string(jali_chart_word_at(c, r * c->n_words + i)), out);
        for (size_t i = 0; i < c->n_tracks; i++)
            append(m, mark_json(jali_chart_mark_at(c, r * c->n_tracks + i)), out);
        append(rows, json_pack("{s:o,s:o}", "words", w, "marks", m), out);
    }
    set(o, "words", words, out);
    set(o, "tracks", tracks, out);
    set(o, "rows", rows, out);
}

static void pairs_json(const jali_chart *c, json_t *o, jali_text *out)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < jali_chart_rows(c); r++)
        append(rows,
               json_pack("{s:s,s:o,s:o}", "value", jali_chart_word_at(c, r), "inside",
                         mark_json(jali_chart_mark_at(c, 2 * r)), "elsewhere",
                         mark_json(jali_chart_mark_at(c, 2 * r + 1))),
               out);
    set(o, "inside", json_string(c->inside), out);
    set(o, "elsewhere", json_string(c->elsewhere), out);
    set(o, "rows", rows, out);
}

static void lines_json(const jali_chart *c, json_t *o, jali_text *out)
{
    json_t *series = json_array(), *strip = json_array(), *upright = json_array();
    bool named = jali_chart_over_categories(c);
    for (size_t i = 0; i < c->series.n; i++) {
        const jali_series *s = jali_chart_series_at(c, i);
        json_t *dots = json_array();
        for (size_t k = 0; k < s->dots.n; k++) {
            const jali_dot *d = jali_series_dot(s, k);
            json_t *x = named ? json_string(jali_chart_word_at(c, (size_t)d->x)) : number(d->x);
            append(dots, json_pack("{s:o,s:o}", "x", x, "y", mark_json(d->y)), out);
        }
        append(series, json_pack("{s:s*,s:o}", "name", s->name, "dots", dots), out);
    }
    for (size_t i = 0; i < c->strip.n; i++) {
        const jali_bin *b = jali_chart_bin_at(c, i);
        append(strip,
               json_pack("{s:o,s:o,s:o}", "from", number(b->from), "to", number(b->to),
                         "height", number(b->height)),
               out);
    }
    for (size_t i = 0; i < c->upright.n; i++) {
        const jali_upright *u = jali_chart_upright_at(c, i);
        append(upright, json_pack("{s:o,s:s*}", "x", number(u->x), "label", u->label), out);
    }
    set(o, "named", json_boolean(named), out);
    set(o, "series", series, out);
    set(o, "strip", strip, out);
    set(o, "upright", upright, out);
}

static void heat_json(const jali_chart *c, json_t *o, jali_text *out)
{
    const jali_plane *p = &c->plane;
    json_t *cells = json_array(), *places = json_array();
    for (size_t i = 0; i < p->n_x * p->n_y; i++) append(cells, number(p->cell[i]), out);
    for (size_t i = 0; i < c->place.n; i++) {
        const jali_place *at = jali_chart_place_at(c, i);
        char letter[2] = { at->letter, '\0' };
        append(places,
               json_pack("{s:o,s:o,s:s,s:s*}", "x", number(at->x), "y", number(at->y), "letter",
                         letter, "label", at->label),
               out);
    }
    set(o, "box",
        json_pack("[o,o,o,o]", number(p->x_from), number(p->x_to), number(p->y_from),
                  number(p->y_to)),
        out);
    set(o, "columns", json_integer((json_int_t)p->n_x), out);
    set(o, "value", axis_json(&p->value), out);
    set(o, "cells", cells, out);
    if (p->half != NULL) {
        json_t *halves = json_array();
        for (size_t i = 0; i < p->n_x * p->n_y; i++) append(halves, number(p->half[i]), out);
        set(o, "halves", halves, out);
    }
    set(o, "places", places, out);
}

static json_t *chart_json(const jali_chart *c, jali_text *out)
{
    static const char *const kinds[] = { "rows", "pairs", "lines", "heat" };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_axis *x = c->kind == JALI_CHART_HEAT ? &c->plane.x : &c->x;
    const jali_axis *y = c->kind == JALI_CHART_HEAT ? &c->plane.y : &c->y;
    json_t *o =
        json_pack("{s:s,s:s,s:s*,s:s*,s:s*}", "block", "chart", "chart", kinds[c->kind],
                  "title", c->title, "about", jali_chart_aloud(c, &arena), "note", c->note);
    jali_arena_clear(&arena);
    if (c->kind != JALI_CHART_ROWS) {
        set(o, "x", axis_json(x), out);
        set(o, "y", axis_json(y), out);
    }
    switch (c->kind) {
    case JALI_CHART_ROWS:
        rows_json(c, o, out);
        break;
    case JALI_CHART_PAIRS:
        pairs_json(c, o, out);
        break;
    case JALI_CHART_LINES:
        lines_json(c, o, out);
        break;
    case JALI_CHART_HEAT:
        heat_json(c, o, out);
        break;
    }
    return o;
}

/* ---- pieces ------------------------------------------------------------------------------ */

static json_t *table_json(const jali_piece *p, jali_text *out)
{
    json_t *cols = json_array(), *rows = json_array(), *row = NULL;
    for (size_t i = 0; i < p->n_cols; i++)
        append(cols,
               json_pack("{s:s*,s:b}", "name", p->cols[i].name, "right", p->cols[i].right),
               out);
    for (size_t i = 0; p->n_cols > 0 && i < p->n_cells; i++) {
        if (i % p->n_cols == 0) {
            row = json_array();
            append(rows, row, out);
        }
        append(row, json_string(p->cell[i]), out);
    }
    return json_pack("{s:s,s:o,s:o}", "block", "table", "columns", cols, "rows", rows);
}

static json_t *piece_json(const jali_piece *p, jali_text *out)
{
    switch (p->kind) {
    case JALI_PIECE_TABLE:
        return table_json(p, out);
    case JALI_PIECE_CHART:
        return p->chart == NULL ? json_null() : chart_json(p->chart, out);
    case JALI_PIECE_METER:
        return json_pack("{s:s,s:s,s:s,s:o}", "block", "meter", "label", p->label, "text",
                         p->text, "share", number(p->share));
    case JALI_PIECE_FACT:
        return json_pack("{s:s,s:s,s:s}", "block", "fact", "label", p->label, "text", p->text);
    case JALI_PIECE_SAY:
        return json_pack("{s:s,s:s}", "block", "say", "text", p->text);
    default:
        return json_pack("{s:s,s:s*}", "block", "heading", "text", p->text);
    }
}

void jali_render_blocks(const jali_doc *doc, jali_text *out)
{
    json_t *blocks = json_array();
    for (const jali_piece *p = doc->first; p != NULL; p = p->next)
        append(blocks, piece_json(p, out), out);
    json_t *page =
        json_pack("{s:i,s:O?,s:O,s:o}", "jali", 1, "kind", json_object_get(doc->json, "kind"),
                  "data", doc->json, "blocks", blocks);
    char *text = page == NULL ? NULL : json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (text == NULL)
        out->failed = true;
    else
        jali_text_add(out, text);
    free(text);
    json_decref(page);
}
