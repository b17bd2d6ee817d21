/* report/machine.c — a document for programs and for other people's pages. */
#include "report/chart_inside.h"
#include "report/render.h"

static void dump(const json_t *value, size_t flags, jali_text *out)
{
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY);
    if (text == NULL) {
        out->failed = true;
        return;
    }
    jali_text_add(out, text);
    jali_text_add(out, "\n");
    free(text);
}

void jali_render_json(const jali_doc *doc, jali_text *out)
{
    dump(doc->json, JSON_INDENT(2), out);
}

static size_t row_count(const jali_doc *doc)
{
    const json_t *rows = json_object_get(doc->json, "rows");
    return json_is_array(rows) ? json_array_size(rows) : 1;
}

static json_t *row(const jali_doc *doc, size_t i)
{
    json_t *rows = json_object_get(doc->json, "rows");
    return json_is_array(rows) ? json_array_get(rows, i) : doc->json;
}

void jali_render_ndjson(const jali_doc *doc, jali_text *out)
{
    for (size_t i = 0; i < row_count(doc); i++) dump(row(doc, i), JSON_COMPACT, out);
}

/* RFC 4180: quote what needs it, double the quotes inside. */
static void write_field(jali_text *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        jali_text_add(out, text);
        return;
    }
    jali_text_add(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"') jali_text_add(out, "\"");
        jali_text_add_n(out, text, 1);
    }
    jali_text_add(out, "\"");
}

static void write_value(jali_text *out, const json_t *value)
{
    if (value == NULL || json_is_null(value)) return;
    if (json_is_string(value)) {
        write_field(out, json_string_value(value));
        return;
    }
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text == NULL)
        out->failed = true;
    else
        write_field(out, text);
    free(text);
}

/* Every member of every row, in order of first appearance, as an object of its parts: rows of
 * different kinds share one header. An estimate (value, low, high) is a column each, and what
 * is no object is its own value; a null says nothing of the shape that other rows give. */
static bool note_member(json_t *shape, const char *key, json_t *value)
{
    json_t *parts = json_object_get(shape, key), *member;
    const char *part;
    if (parts == NULL) {
        parts = json_object();
        if (json_object_set_new(shape, key, parts) != 0) return false;
    }
    if (!json_is_object(value))
        return json_is_null(value) || json_object_set_new(parts, "value", json_true()) == 0;
    json_object_foreach(value, part, member)
    {
        if (json_object_set_new(parts, part, json_true()) != 0) return false;
    }
    return true;
}

/* A member that is null in every row is a column all the same. */
static bool name_the_empty(json_t *shape)
{
    const char *key;
    json_t *parts;
    bool good = true;
    json_object_foreach(shape, key, parts)
    {
        if (json_object_size(parts) == 0)
            good = json_object_set_new(parts, "value", json_true()) == 0 && good;
    }
    return good;
}

/* NULL: no memory. */
static json_t *shape_of(const jali_doc *doc)
{
    json_t *shape = json_object(), *value;
    const char *key;
    bool good = shape != NULL;
    for (size_t i = 0; i < row_count(doc) && good; i++)
        json_object_foreach(row(doc, i), key, value)
        {
            good = good && note_member(shape, key, value);
        }
    if (good) good = name_the_empty(shape);
    if (good) return shape;
    json_decref(shape);
    return NULL;
}

static void write_name(jali_text *out, const char *key, const char *part)
{
    jali_text name = { 0 };
    jali_text_add(&name, key);
    if (strcmp(part, "value") != 0) jali_text_format(&name, " %s", part);
    if (name.failed)
        out->failed = true;
    else
        write_field(out, name.at);
    jali_text_clear(&name);
}

static void write_part(jali_text *out, const json_t *value, const char *part)
{
    if (json_is_object(value))
        write_value(out, json_object_get(value, part));
    else if (strcmp(part, "value") == 0)
        write_value(out, value);
}

/* One line: a row's cells, or with no row the names above them. */
static void write_line(jali_text *out, json_t *shape, const json_t *of)
{
    const char *key, *part, *comma = "";
    json_t *parts, *mark;
    json_object_foreach(shape, key, parts)
    {
        json_object_foreach(parts, part, mark)
        {
            jali_text_add(out, comma);
            if (of == NULL)
                write_name(out, key, part);
            else
                write_part(out, json_object_get(of, key), part);
            comma = ",";
        }
    }
    jali_text_add(out, "\r\n");
}

void jali_render_csv(const jali_doc *doc, jali_text *out)
{
    if (row_count(doc) == 0) return;
    json_t *shape = shape_of(doc);
    if (shape == NULL) {
        out->failed = true;
        return;
    }
    write_line(out, shape, NULL);
    for (size_t i = 0; i < row_count(doc); i++) write_line(out, shape, row(doc, i));
    json_decref(shape);
}

static void write_md_cell(jali_text *out, const char *text)
{
    jali_text_add(out, "| ");
    for (; *text != '\0'; text++) {
        if (*text == '|') jali_text_add(out, "\\");
        jali_text_add_n(out, text, 1);
    }
    jali_text_add(out, " ");
}

static void write_md_table(jali_text *out, const jali_piece *b)
{
    for (size_t i = 0; i < b->n_cols; i++) write_md_cell(out, b->cols[i].name);
    jali_text_add(out, "|\n");
    for (size_t i = 0; i < b->n_cols; i++)
        jali_text_add(out, b->cols[i].right ? "|--:" : "|---");
    jali_text_add(out, "|\n");
    for (size_t i = 0; i < b->n_cells; i++) {
        write_md_cell(out, b->cell[i]);
        if ((i + 1) % b->n_cols == 0) jali_text_add(out, "|\n");
    }
}

/* A page of text has no picture: the finding, the numbers, the note. */
static void write_md_chart(jali_text *out, const jali_chart *c)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_piece table;
    if (c->title[0] != '\0') jali_text_format(out, "**%s**\n\n", c->title);
    if (jali_chart_table(c, 0, &arena, &table, &out->failed)) {
        write_md_table(out, &table);
        jali_text_add(out, "\n");
    }
    if (c->note != NULL) jali_text_format(out, "%s\n\n", c->note);
    jali_arena_clear(&arena);
}

static void write_md_piece(jali_text *out, const jali_piece *b, bool in_chapter)
{
    switch (b->kind) {
    case JALI_PIECE_CHAPTER:
        jali_text_format(out, "## %s\n\n", b->text);
        break;
    case JALI_PIECE_HEADING:
        jali_text_format(out, "%s %s\n\n", in_chapter ? "###" : "##", b->text);
        break;
    case JALI_PIECE_SAY:
        jali_text_format(out, "%s\n\n", b->text);
        break;
    case JALI_PIECE_LINK:
        jali_text_format(out, "- %s: %s\n", b->label, b->text);
        break;
    case JALI_PIECE_TABLE:
        write_md_table(out, b);
        break;
    case JALI_PIECE_CHART:
        write_md_chart(out, b->chart);
        break;
    case JALI_PIECE_FACT:
    case JALI_PIECE_METER:
        jali_text_format(out, "- **%s**: %s\n", b->label, b->text);
    }
}

/* Facts, links and tables need an empty line after the last of them. */
static bool runs_on(const jali_piece *b)
{
    return b->kind == JALI_PIECE_FACT || b->kind == JALI_PIECE_METER ||
           b->kind == JALI_PIECE_LINK || b->kind == JALI_PIECE_TABLE;
}

void jali_render_markdown(const jali_doc *doc, jali_text *out)
{
    bool in_chapter = false;
    for (const jali_piece *b = doc->first; b != NULL; b = b->next) {
        write_md_piece(out, b, in_chapter);
        in_chapter = in_chapter || b->kind == JALI_PIECE_CHAPTER;
        if (runs_on(b) && (b->next == NULL || b->next->kind != b->kind))
            jali_text_add(out, "\n");
    }
}
