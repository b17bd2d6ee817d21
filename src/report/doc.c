/* report/doc.c — one document model. */
#include "report/doc.h"
#include "base/banned.h"

enum { SHAPE_VERSION = 1 }; /* of the JSON; docs/json.md says what changed when */

jali_status jali_doc_new(jali_doc **out, const char *kind, jali_err *err)
{
    jali_doc *doc = calloc(1, sizeof *doc);
    if (doc == NULL) return jali_fail_memory(err);
    doc->json = json_pack("{s:i,s:s}", "jali", SHAPE_VERSION, "kind", kind);
    if (doc->json == NULL) {
        free(doc);
        return jali_fail_memory(err);
    }
    *out = doc;
    return JALI_OK;
}

void jali_doc_free(jali_doc *doc)
{
    if (doc == NULL) return;
    for (jali_doc *part = doc->parts; part != NULL;) {
        jali_doc *next = part->next_part;
        jali_doc_free(part);
        part = next;
    }
    json_decref(doc->json);
    jali_arena_clear(&doc->arena);
    free(doc);
}

void *jali_doc_take(jali_doc *doc, size_t n, size_t size)
{
    void *p = jali_arena_take(&doc->arena, n, size);
    if (p == NULL) doc->failed = true;
    return p;
}

const char *jali_doc_text(jali_doc *doc, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = n < 0 ? NULL : jali_doc_take(doc, (size_t)n + 1, 1);
    if (text != NULL) vsnprintf(text, (size_t)n + 1, fmt, ap);
    return text;
}

jali_piece *jali_doc_add(jali_doc *doc, jali_piece_kind kind, const char *label)
{
    jali_piece *b = doc->bare ? NULL : jali_doc_take(doc, 1, sizeof *b);
    if (b == NULL) return NULL;
    b->kind = kind;
    b->label = label == NULL ? NULL : jali_arena_text(&doc->arena, label);
    if (label != NULL && b->label == NULL) doc->failed = true;
    if (doc->last == NULL)
        doc->first = b;
    else
        doc->last->next = b;
    doc->last = b;
    return b;
}

#define ADD_TEXT(doc, kind, label, share_, fmt)                                                \
    do {                                                                                       \
        va_list ap_;                                                                           \
        va_start(ap_, fmt);                                                                    \
        const char *text_ = (doc)->bare ? NULL : jali_doc_text(doc, fmt, ap_);                 \
        va_end(ap_);                                                                           \
        jali_piece *b_ = text_ == NULL ? NULL : jali_doc_add(doc, kind, label);                \
        if (b_ != NULL) {                                                                      \
            b_->text = text_;                                                                  \
            b_->share = share_;                                                                \
        }                                                                                      \
    } while (0)

void jali_doc_chapter(jali_doc *doc, const char *anchor, const char *fmt, ...)
{
    jali_piece *before = doc->last;
    ADD_TEXT(doc, JALI_PIECE_CHAPTER, NULL, 0, fmt);
    if (doc->last == before || anchor == NULL) return;
    doc->last->anchor = jali_arena_text(&doc->arena, anchor);
    if (doc->last->anchor == NULL) doc->failed = true;
}

void jali_doc_link(jali_doc *doc, const char *anchor, const char *fmt, ...)
{
    ADD_TEXT(doc, JALI_PIECE_LINK, anchor, 0, fmt);
}

void jali_doc_append(jali_doc *doc, jali_doc *part, const char *anchor)
{
    const char *copy = anchor == NULL ? NULL : jali_arena_text(&doc->arena, anchor);
    if (part->failed || (anchor != NULL && copy == NULL)) doc->failed = true;
    for (jali_piece *b = part->first; b != NULL && copy != NULL; b = b->next)
        if (b->kind == JALI_PIECE_HEADING) {
            b->anchor = copy;
            copy = NULL;
        }
    if (part->first != NULL) {
        if (doc->last == NULL)
            doc->first = part->first;
        else
            doc->last->next = part->first;
        doc->last = part->last;
    }
    part->next_part = doc->parts;
    doc->parts = part;
}

void jali_doc_heading(jali_doc *doc, const char *fmt, ...)
{
    ADD_TEXT(doc, JALI_PIECE_HEADING, NULL, 0, fmt);
}

void jali_doc_say(jali_doc *doc, const char *fmt, ...)
{
    ADD_TEXT(doc, JALI_PIECE_SAY, NULL, 0, fmt);
}

void jali_doc_fact(jali_doc *doc, const char *label, const char *fmt, ...)
{
    ADD_TEXT(doc, JALI_PIECE_FACT, label, 0, fmt);
}

void jali_doc_meter(jali_doc *doc, const char *label, double share, const char *fmt, ...)
{
    ADD_TEXT(doc, JALI_PIECE_METER, label, share < 0 ? 0 : share > 1 ? 1 : share, fmt);
}

void jali_doc_table(jali_doc *doc, size_t n_cols, const jali_col *cols)
{
    jali_piece *b = jali_doc_add(doc, JALI_PIECE_TABLE, NULL);
    jali_col *copy = b == NULL ? NULL : jali_doc_take(doc, n_cols, sizeof *copy);
    if (copy == NULL) return;
    memcpy(copy, cols, n_cols * sizeof *copy);
    b->cols = copy;
    b->n_cols = n_cols;
}

void jali_doc_list(jali_doc *doc, size_t n_cols, const jali_col *cols)
{
    jali_doc_table(doc, n_cols, cols);
    if (!doc->failed && doc->last != NULL) doc->last->list = true;
}

static bool grow(jali_doc *doc, jali_piece *b)
{
    if (b->n_cells < b->room) return true;
    size_t room = b->room == 0 ? 32 : b->room * 2;
    const char **cell = jali_doc_take(doc, room, sizeof *cell);
    if (cell == NULL) return false;
    if (b->n_cells > 0) memcpy(cell, b->cell, b->n_cells * sizeof *cell);
    b->cell = cell;
    b->room = room;
    return true;
}

void jali_doc_cell(jali_doc *doc, const char *fmt, ...)
{
    jali_piece *b = doc->last;
    if (doc->failed || b == NULL || b->kind != JALI_PIECE_TABLE || !grow(doc, b)) return;
    va_list ap;
    va_start(ap, fmt);
    const char *text = jali_doc_text(doc, fmt, ap);
    va_end(ap);
    if (text != NULL) b->cell[b->n_cells++] = text;
}

void jali_doc_sql(jali_doc *doc, const char *sql)
{
    doc->sql = jali_arena_text(&doc->arena, sql);
    if (doc->sql == NULL) doc->failed = true;
}

void jali_doc_set(jali_doc *doc, const char *key, json_t *value)
{
    if (value == NULL || json_object_set_new(doc->json, key, value) != 0) doc->failed = true;
}

jali_status jali_doc_status(const jali_doc *doc, jali_err *err)
{
    return doc->failed ? jali_fail_memory(err) : JALI_OK;
}

jali_status jali_doc_finish(jali_doc *doc, jali_status so_far, jali_doc **out, jali_err *err)
{
    jali_status status = so_far == JALI_OK ? jali_doc_status(doc, err) : so_far;
    if (status == JALI_OK)
        *out = doc;
    else
        jali_doc_free(doc);
    return status;
}
