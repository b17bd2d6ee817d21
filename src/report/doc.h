/* report/doc.h — one document model: what a release says, before anyone decides how.
 *
 * A verb builds a document twice over: blocks for people (headings, sentences, facts,
 * tables, meters, charts) and one JSON value for programs. Everything put in here is public.
 * Failure to get memory is sticky: builders add freely and ask once, at the end.
 */
#ifndef JALI_REPORT_DOC_H
#define JALI_REPORT_DOC_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>
#include <stdarg.h>

typedef enum jali_piece_kind {
    JALI_PIECE_CHAPTER, /* of a long document; headings below it are one smaller */
    JALI_PIECE_HEADING,
    JALI_PIECE_SAY,
    JALI_PIECE_LINK, /* a line of a list, to the anchor `label` */
    JALI_PIECE_FACT,
    JALI_PIECE_METER,
    JALI_PIECE_TABLE,
    JALI_PIECE_CHART
} jali_piece_kind;

typedef struct jali_col {
    const char *name;
    bool right; /* numbers stand under each other */
} jali_col;

typedef struct jali_chart jali_chart; /* report/chart.h */

typedef struct jali_piece {
    struct jali_piece *next;
    jali_piece_kind kind;
    const char *label, *text; /* heading, sentence; fact and meter: label and value */
    const char *anchor;       /* heading, chapter: where links lead; NULL: nowhere */
    double share;             /* meter: between 0 and 1, for the picture only      */
    size_t n_cols, n_cells, room;
    const jali_col *cols;
    const char **cell; /* row by row */
    bool list;         /* table: for the eye to run down, a row a line where it can be */
    jali_chart *chart;
} jali_piece;

struct jali_doc {
    jali_arena arena;
    jali_piece *first, *last;
    jali_doc *parts, *next_part; /* documents taken in, which own their pieces */
    const char *sql; /* the same as a query, where there is such a thing; else NULL */
    json_t *json;    /* {"jali": 1, "kind": ...}, filled by the builder; owned */
    bool failed;
    bool bare; /* nobody reads it: pieces are not made, and charts are NULL */
};

/* A document of `kind` ("budget"); free with jali_doc_free. */
JALI_MUST_USE jali_status jali_doc_new(jali_doc **out, const char *kind, jali_err *err);

/* A part of a long document; `anchor` (letters and digits) may be NULL. */
void jali_doc_chapter(jali_doc *doc, const char *anchor, const char *fmt, ...)
    JALI_PRINTF(3, 4);
void jali_doc_heading(jali_doc *doc, const char *fmt, ...) JALI_PRINTF(2, 3);
void jali_doc_say(jali_doc *doc, const char *fmt, ...) JALI_PRINTF(2, 3);
void jali_doc_link(jali_doc *doc, const char *anchor, const char *fmt, ...) JALI_PRINTF(3, 4);
void jali_doc_fact(jali_doc *doc, const char *label, const char *fmt, ...) JALI_PRINTF(3, 4);
void jali_doc_meter(jali_doc *doc, const char *label, double share, const char *fmt, ...)
    JALI_PRINTF(4, 5);
void jali_doc_table(jali_doc *doc, size_t n_cols, const jali_col *cols);
/* The same as a list of things that have a name: where room is short its sentences are cut. */
void jali_doc_list(jali_doc *doc, size_t n_cols, const jali_col *cols);
void jali_doc_cell(jali_doc *doc, const char *fmt, ...) JALI_PRINTF(2, 3);

/* For the builders in report/: an empty piece at the end, a formatted copy, room. NULL: memory
 * ended, and the document remembers. */
jali_piece *jali_doc_add(jali_doc *doc, jali_piece_kind kind, const char *label);
JALI_PRINTF(2, 0)
const char *jali_doc_text(jali_doc *doc, const char *fmt, va_list ap);
void *jali_doc_take(jali_doc *doc, size_t n, size_t size);

/* Puts the pieces of another document at the end, its first heading under `anchor` (may be
 * NULL). Takes the document; its JSON stays readable as part->json until `doc` is freed. */
void jali_doc_append(jali_doc *doc, jali_doc *part, const char *anchor);

/* The query of --format sql; copied. */
void jali_doc_sql(jali_doc *doc, const char *sql);

/* Sets a member of the JSON; takes `value`. NULL (no memory) is remembered. */
void jali_doc_set(jali_doc *doc, const char *key, json_t *value);

JALI_MUST_USE jali_status jali_doc_status(const jali_doc *doc, jali_err *err);

/* The last line of a builder: hands the document out, or frees it and says why not. Takes
 * the document; `so_far` is what the builder itself came to. */
JALI_MUST_USE jali_status jali_doc_finish(jali_doc *doc, jali_status so_far, jali_doc **out,
                                          jali_err *err);

#endif
