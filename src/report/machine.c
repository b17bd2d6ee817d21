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

/* An estimate is an object of value, low and high: a column each, the value's own first. */
static void write_names(jali_text *out, const char *key, const json_t *value)
{
    const char *part, *comma = "";
    json_t *member;
    if (!json_is_object(value)) {
        write_field(out, key);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)value, part, member)
    {
        jali_text name = { 0 };
        jali_text_add(&name, key);
        if (strcmp(part, "value") != 0) jali_text_format(&name, " %s", part);
        jali_text_add(out, comma);
        if (name.failed)
            out->failed = true;
        else
            write_field(out, name.at);
        jali_text_clear(&name);
        comma = ",";
    }
}

static void write_values(jali_text *out, const json_t *shape, const json_t *value)
{
    const char *part, *comma = "";
    json_t *member;
    if (!json_is_object(shape)) {
        write_value(out, value);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)shape, part, member)
    {
        jali_text_add(out, comma);
        write_value(out, json_object_get(value, part));
        comma = ",";
    }
}

void jali_render_csv(const jali_doc *doc, jali_text *out)
{
    if (row_count(doc) == 0) return;
    json_t *first = row(doc, 0), *value;
    const char *key, *comma = "";
    json_object_foreach(first, key, value)
    {
        jali_text_add(out, comma);
        write_names(out, key, value);
        comma = ",";
    }
    jali_text_add(out, "\r\n");
    for (size_t i = 0; i < row_count(doc); i++) {
        comma = "";
        json_object_foreach(first, key, value)
        {
            jali_text_add(out, comma);
            write_values(out, value, json_object_get(row(doc, i), key));
            comma = ",";
        }
        jali_text_add(out, "\r\n");
    }
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
