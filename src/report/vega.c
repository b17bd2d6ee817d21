/* report/vega.c — the charts of a document as one Vega-Lite specification.
 *
 * Numbers are carried in full; how they look is left to Vega's own defaults, but for what
 * must not be lost: the order of rows, the intervals, the title that states the finding.
 */
#include "base/banned.h"
#include "report/chart_inside.h"
#include "report/render.h"
#include <math.h>

static const char schema[] = "https://vega.github.io/schema/vega-lite/v5.json";

enum { WIDTH = 420, HEIGHT = 260, STRIP = 40 };

/* JSON has no NAN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *mark_row(jali_mark m)
{
    if (m.unknown) return json_pack("{s:n,s:n,s:n}", "value", "low", "high");
    return json_pack("{s:o,s:o,s:o}", "value", number(m.value), "low", number(m.low), "high",
                     number(m.high));
}

static void append(json_t *rows, json_t *row)
{
    if (row == NULL || json_array_append_new(rows, row) != 0) json_decref(row);
}

/* An encoding of a quantity with the axis' title; "25%" where it is a share. */
static json_t *quantity(const char *field, const jali_axis *axis, jali_arena *arena)
{
    json_t *e = json_pack("{s:s,s:s,s:s}", "field", field, "type", "quantitative", "title",
                          jali_axis_text(axis, arena));
    if (e != NULL && axis->percent)
        json_object_set_new(e, "axis", json_pack("{s:s}", "format", ".0%"));
    return e;
}

static json_t *in_order(const char *field, const char *title)
{
    return json_pack("{s:s,s:s,s:n,s:s}", "field", field, "type", "nominal", "sort", "title",
                     title);
}

/* A line from low to high along `axis` ("x" or "y"). */
static json_t *whisker(const char *axis)
{
    const char *other = axis[0] == 'x' ? "x2" : "y2";
    return json_pack("{s:{s:s,s:b},s:{s:{s:s,s:s},s:{s:s}}}", "mark", "type", "rule", "tooltip",
                     1, "encoding", axis, "field", "low", "type", "quantitative", other,
                     "field", "high");
}

/* ---- rows ------------------------------------------------------------------------------- */

static json_t *row_name(const jali_chart *c, size_t row)
{
    jali_text t = { 0 };
    for (size_t i = 0; i < c->n_words; i++)
        jali_text_format(&t, "%s%s", i > 0 ? " · " : "",
                         jali_chart_word_at(c, row * c->n_words + i));
    json_t *name = json_string(t.at == NULL ? "" : t.at);
    jali_text_clear(&t);
    return name;
}

static json_t *track_spec(const jali_chart *c, size_t track, jali_arena *arena)
{
    const jali_track *t = &c->tracks[track];
    json_t *values = json_array();
    for (size_t r = 0; r < jali_chart_rows(c); r++) {
        json_t *row = mark_row(jali_chart_mark_at(c, r * c->n_tracks + track));
        if (row != NULL) json_object_set_new(row, "row", row_name(c, r));
        append(values, row);
    }
    json_t *x = quantity("value", &t->axis, arena);
    if (x != NULL && t->from < t->to)
        json_object_set_new(x, "scale", json_pack("{s:[f,f]}", "domain", t->from, t->to));
    else if (x != NULL)
        json_object_set_new(x, "scale", json_pack("{s:b}", "zero", (int)t->bar));
    const char *words = c->n_words > 0 ? c->words[c->n_words - 1].name : "";
    json_t *y = in_order("row", words), *all = json_array();
    for (size_t r = 0; r < jali_chart_rows(c); r++) append(all, row_name(c, r));
    if (y != NULL) json_object_set_new(y, "scale", json_pack("{s:o}", "domain", all));
    return json_pack("{s:{s:o},s:i,s:{s:o},s:[{s:{s:s,s:b},s:{s:o}},o]}", "data", "values",
                     values, "width", WIDTH, "encoding", "y", y, "layer", "mark", "type",
                     t->bar ? "bar" : "point", "tooltip", 1, "encoding", "x", x, whisker("x"));
}

static json_t *rows_spec(const jali_chart *c, jali_arena *arena)
{
    json_t *tracks = json_array();
    for (size_t i = 0; i < c->n_tracks; i++) append(tracks, track_spec(c, i, arena));
    return json_pack("{s:o}", "hconcat", tracks);
}

/* ---- pairs ------------------------------------------------------------------------------ */

static json_t *pairs_spec(const jali_chart *c, jali_arena *arena)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->mark.n && i / 2 < c->word.n; i++) {
        json_t *row = mark_row(jali_chart_mark_at(c, i));
        if (row == NULL) continue;
        json_object_set_new(row, "of", json_string(jali_chart_word_at(c, i / 2)));
        json_object_set_new(row, "group", json_string(i % 2 == 0 ? c->inside : c->elsewhere));
        append(values, row);
    }
    json_t *common =
        json_pack("{s:o,s:{s:s,s:n},s:{s:s,s:s,s:n,s:n}}", "x",
                  in_order("of", jali_axis_text(&c->x, arena)), "xOffset", "field", "group",
                  "sort", "color", "field", "group", "type", "nominal", "sort", "title");
    return json_pack("{s:{s:o},s:i,s:o,s:[{s:{s:s,s:b},s:{s:o}},o]}", "data", "values", values,
                     "height", HEIGHT, "encoding", common, "layer", "mark", "type", "bar",
                     "tooltip", 1, "encoding", "y", quantity("value", &c->y, arena),
                     json_pack("{s:{s:s},s:{s:{s:s,s:s},s:{s:s},s:{s:s}}}", "mark", "type",
                               "rule", "encoding", "y", "field", "low", "type", "quantitative",
                               "y2", "field", "high", "color", "value", "currentColor"));
}

/* ---- lines ------------------------------------------------------------------------------ */

static json_t *x_of(const jali_chart *c, double x)
{
    return jali_chart_over_categories(c) ? json_string(jali_chart_word_at(c, (size_t)x))
                                         : number(x);
}

static json_t *x_axis(const jali_chart *c, jali_arena *arena)
{
    return jali_chart_over_categories(c) ? in_order("x", jali_axis_text(&c->x, arena))
                                         : quantity("x", &c->x, arena);
}

static json_t *line_values(const jali_chart *c)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->series.n; i++) {
        const jali_series *s = jali_chart_series_at(c, i);
        for (size_t k = 0; k < s->dots.n; k++) {
            json_t *row = mark_row(jali_series_dot(s, k)->y);
            if (row == NULL) continue;
            json_object_set_new(row, "x", x_of(c, jali_series_dot(s, k)->x));
            json_object_set_new(row, "curve", json_string(s->name));
            append(values, row);
        }
    }
    return values;
}

static json_t *upright_layer(const jali_chart *c)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->upright.n; i++) {
        const jali_upright *u = jali_chart_upright_at(c, i);
        append(values, json_pack("{s:f,s:s}", "at", u->x, "label", u->label));
    }
    return json_pack("{s:{s:o},s:{s:s,s:[i,i]},s:{s:{s:s,s:s},s:{s:s},s:{s:s}}}", "data",
                     "values", values, "mark", "type", "rule", "strokeDash", 3, 3, "encoding",
                     "x", "field", "at", "type", "quantitative", "tooltip", "field", "label",
                     "color", "value", "#6b7280");
}

static json_t *curves(const jali_chart *c, jali_arena *arena)
{
    bool names = jali_chart_over_categories(c);
    json_t *color =
        json_pack("{s:s,s:s,s:n,s:n}", "field", "curve", "type", "nominal", "sort", "title");
    json_t *y = quantity("value", &c->y, arena);
    if (y != NULL) json_object_set_new(y, "scale", json_pack("{s:b}", "zero", 0));
    json_t *band = names ? whisker("y")
                         : json_pack("{s:{s:s,s:f},s:{s:{s:s,s:s},s:{s:s}}}", "mark", "type",
                                     "area", "opacity", 0.2, "encoding", "y", "field", "low",
                                     "type", "quantitative", "y2", "field", "high");
    json_t *line =
        json_pack("{s:{s:s,s:b,s:b},s:{s:o}}", "mark", "type", names ? "point" : "line",
                  names ? "filled" : "point", 1, "tooltip", 1, "encoding", "y", y);
    json_t *layers = json_pack("[o,o]", band, line);
    if (c->upright.n > 0 && layers != NULL) append(layers, upright_layer(c));
    json_t *spec = json_pack("{s:{s:o},s:i,s:i,s:{s:o,s:o},s:o}", "data", "values",
                             line_values(c), "width", WIDTH, "height", HEIGHT, "encoding", "x",
                             x_axis(c, arena), "color", color, "layer", layers);
    return spec;
}

static json_t *strip_spec(const jali_chart *c, jali_arena *arena)
{
    json_t *values = json_array();
    bool names = jali_chart_over_categories(c);
    for (size_t i = 0; i < c->strip.n; i++) {
        const jali_bin *b = jali_chart_bin_at(c, i);
        if (names && i >= c->word.n) break;
        append(values,
               json_pack("{s:o,s:f,s:f}", "x", names ? x_of(c, (double)i) : number(b->from),
                         "x2", b->to, "height", b->height));
    }
    json_t *encoding = json_pack("{s:o,s:{s:s,s:s,s:n}}", "x", x_axis(c, arena), "y", "field",
                                 "height", "type", "quantitative", "axis");
    if (!names && encoding != NULL) {
        json_object_set_new(encoding, "x2", json_pack("{s:s}", "field", "x2"));
        json_object_set_new(encoding, "y2", json_pack("{s:i}", "datum", 0));
    }
    return json_pack("{s:{s:o},s:i,s:i,s:{s:s,s:s},s:o}", "data", "values", values, "width",
                     WIDTH, "height", STRIP, "mark", "type", "bar", "color", "#9aa3b0",
                     "encoding", encoding);
}

static json_t *lines_spec(const jali_chart *c, jali_arena *arena)
{
    if (c->strip.n == 0) return curves(c, arena);
    return json_pack("{s:[o,o]}", "vconcat", curves(c, arena), strip_spec(c, arena));
}

/* ---- heat ------------------------------------------------------------------------------- */

static json_t *heat_values(const jali_plane *p)
{
    json_t *values = json_array();
    double w = (p->x_to - p->x_from) / (double)p->n_x,
           h = (p->y_to - p->y_from) / (double)p->n_y;
    for (size_t y = 0; y < p->n_y; y++)
        for (size_t x = 0; x < p->n_x; x++) {
            size_t i = y * p->n_x + x;
            json_t *row =
                json_pack("{s:f,s:f,s:f,s:f,s:o}", "x", p->x_from + w * (double)x, "x2",
                          p->x_from + w * (double)(x + 1), "y", p->y_from + h * (double)y, "y2",
                          p->y_from + h * (double)(y + 1), "value", number(p->cell[i]));
            if (row != NULL && p->half != NULL)
                json_object_set_new(row, "half", number(p->half[i]));
            append(values, row);
        }
    return values;
}

/* The cells that may be nothing, a stroke through each. */
static json_t *hatch(void)
{
    return json_pack("{s:[{s:s}],s:{s:s,s:s,s:f},s:{s:{s:s,s:s},s:{s:s},s:{s:s,s:s},s:{s:s}}}",
                     "transform", "filter", "datum.value <= datum.half", "mark", "type", "rule",
                     "color", "#1c2230", "strokeWidth", 0.8, "encoding", "x", "field", "x",
                     "type", "quantitative", "x2", "field", "x2", "y", "field", "y", "type",
                     "quantitative", "y2", "field", "y2");
}

/* What a pointer on a cell tells: the value and how far it may be off. */
static json_t *cell_tip(const jali_chart *c, jali_arena *arena)
{
    json_t *tip = json_array();
    append(tip, json_pack("{s:s,s:s,s:s}", "field", "value", "type", "quantitative", "title",
                          jali_axis_text(&c->plane.value, arena)));
    if (c->plane.half != NULL)
        append(tip, json_pack("{s:s,s:s,s:s}", "field", "half", "type", "quantitative", "title",
                              "give or take"));
    return tip;
}

static json_t *pins(const jali_chart *c)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->place.n; i++) {
        const jali_place *p = jali_chart_place_at(c, i);
        char letter[2] = { p->letter, '\0' };
        append(values, json_pack("{s:f,s:f,s:s,s:s}", "x", p->x, "y", p->y, "letter", letter,
                                 "label", p->label == NULL ? letter : p->label));
    }
    return json_pack(
        "{s:{s:o},s:{s:s,s:s,s:s,s:i},s:{s:{s:s,s:s},s:{s:s,s:s},s:{s:s},s:{s:s}}}", "data",
        "values", values, "mark", "type", "text", "fontWeight", "bold", "color", "#b00020",
        "fontSize", 15, "encoding", "x", "field", "x", "type", "quantitative", "y", "field",
        "y", "type", "quantitative", "text", "field", "letter", "tooltip", "field", "label");
}

static json_t *heat_spec(const jali_chart *c, jali_arena *arena)
{
    json_t *color = quantity("value", &c->plane.value, arena);
    if (color != NULL) {
        json_object_del(color, "axis"); /* a colour has a legend */
        json_object_set_new(color, "scale", json_pack("{s:s}", "scheme", "blues"));
    }
    json_t *cells = json_pack("{s:s,s:{s:o,s:{s:s},s:o,s:{s:s},s:o,s:o}}", "mark", "rect",
                              "encoding", "x", quantity("x", &c->x, arena), "x2", "field", "x2",
                              "y", quantity("y", &c->y, arena), "y2", "field", "y2", "color",
                              color, "tooltip", cell_tip(c, arena));
    json_t *layers = json_pack("[o]", cells);
    if (jali_chart_heat_doubts(c) > 0 && layers != NULL) append(layers, hatch());
    if (layers != NULL) append(layers, pins(c));
    return json_pack("{s:{s:o},s:i,s:i,s:o}", "data", "values", heat_values(&c->plane), "width",
                     WIDTH, "height", WIDTH * 3 / 4, "layer", layers);
}

/* ---- the document ------------------------------------------------------------------------ */

static json_t *spec_of(const jali_chart *c)
{
    jali_arena arena = JALI_ARENA_INIT;
    json_t *spec = c->kind == JALI_CHART_ROWS    ? rows_spec(c, &arena)
                   : c->kind == JALI_CHART_PAIRS ? pairs_spec(c, &arena)
                   : c->kind == JALI_CHART_LINES ? lines_spec(c, &arena)
                                                 : heat_spec(c, &arena);
    json_t *out =
        json_pack("{s:s,s:s}", "title", c->title, "description", jali_chart_aloud(c, &arena));
    if (spec == NULL || out == NULL || json_object_update(out, spec) != 0) {
        json_decref(out);
        out = NULL;
    }
    json_decref(spec);
    jali_arena_clear(&arena);
    return out;
}

/* One chart is the specification; several stand one below another. */
void jali_render_vega(const jali_doc *doc, jali_text *out)
{
    json_t *whole = json_pack("{s:s}", "$schema", schema), *list = json_array();
    for (const jali_piece *b = doc->first; b != NULL; b = b->next) {
        if (b->kind != JALI_PIECE_CHART) continue;
        json_t *spec = spec_of(b->chart);
        if (spec == NULL || json_array_append_new(list, spec) != 0) out->failed = true;
    }
    if (json_array_size(list) == 1)
        json_object_update(whole, json_array_get(list, 0));
    else
        json_object_set(whole, "vconcat", list);
    json_decref(list);
    char *text = whole == NULL ? NULL : json_dumps(whole, JSON_INDENT(1));
    if (text == NULL)
        out->failed = true;
    else
        jali_text_format(out, "%s\n", text);
    free(text);
    json_decref(whole);
}
