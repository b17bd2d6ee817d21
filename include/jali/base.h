/* jali/base.h — how the door answers: errors, progress, documents. Included by jali.h. */
#ifndef JALI_BASE_H
#define JALI_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define JALI_API __attribute__((visibility("default")))
#define JALI_MUST_USE __attribute__((warn_unused_result))
#define JALI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define JALI_API
#define JALI_MUST_USE
#define JALI_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- how anything here says no --------------------------------------------------- */

/* The value is the exit code of the program, but for the last two, which are both 7. */
typedef enum jali_status {
    JALI_OK = 0,
    JALI_E_USAGE = 2,    /* the request makes no sense                          */
    JALI_E_BUDGET = 3,   /* the ledger refused; nothing was drawn or released   */
    JALI_E_DATA = 4,     /* schema, policy or data file is not acceptable       */
    JALI_E_LEDGER = 5,   /* the ledger is not what it should be                 */
    JALI_E_ENGINE = 6,   /* a file, a disk or a database failed                 */
    JALI_E_INTERNAL = 7, /* our mistake                                         */
    JALI_E_NOMEM = 8,
    JALI_E_ENTROPY = 9 /* the dice failed; a charge already made stands       */
} jali_status;

/* An error is an output, too: what an analyst reads must not depend on a row. */
typedef enum jali_reader { JALI_FOR_ANALYST = 0, JALI_FOR_CURATOR } jali_reader;

typedef struct jali_err {
    jali_status code;
    jali_reader reader;
    unsigned line, column; /* place in the text that was refused, from 1; 0: none */
    char text[512];        /* one sentence: what, where, why, how to mend         */
} jali_err;

JALI_API int jali_exit_code(jali_status status);
/* Where the manual says more of such a refusal: "docs/errors.md#budget". */
JALI_API const char *jali_error_page(jali_status status);
JALI_API const char *jali_version(void);

/* The word that a mistyped one was probably meant to be; NULL if none is near. */
JALI_API const char *jali_nearest(const char *word, const char *const *words, size_t n);

/* ---- progress -------------------------------------------------------------------- */

/* Called from the thread that made the request, at most a few times a second. Counts
 * leak, so only a curator's request, or one on a public vault, ever has a listener. */
typedef struct jali_progress {
    void (*tell)(void *self, const char *what, uint64_t done, uint64_t total);
    void *self;
} jali_progress;

/* ---- documents: what every verb answers with -------------------------------------- */

/* Public values only, with their cost and uncertainty, not yet in any format. */
typedef struct jali_doc jali_doc;

typedef enum jali_format {
    JALI_FORMAT_TABLE = 0, /* for people: aligned text with pictures            */
    JALI_FORMAT_JSON,      /* everything, versioned shape (docs/json.md)        */
    JALI_FORMAT_NDJSON,    /* its rows, one a line                              */
    JALI_FORMAT_CSV,       /* its rows, RFC 4180                                */
    JALI_FORMAT_MD,        /* for a page of text                               */
    JALI_FORMAT_HTML,      /* a page of its own, without network               */
    JALI_FORMAT_SVG,       /* its charts, one below another                    */
    JALI_FORMAT_VEGA,      /* its charts as a Vega-Lite specification           */
    JALI_FORMAT_BLOCKS,    /* JSON with the pieces that people read, for pages  */
    JALI_FORMAT_SQL        /* a query that says the same of any table: clusterings */
} jali_format;

typedef struct jali_style {
    jali_format format;
    unsigned width; /* columns of the terminal; 0: as wide as it likes */
    bool ascii, color;
} jali_style;

/* *out is owned by the caller; give it back with jali_free. */
JALI_API JALI_MUST_USE jali_status jali_doc_render(const jali_doc *doc, const jali_style *style,
                                                   char **out, jali_err *err);
JALI_API void jali_doc_free(jali_doc *doc); /* NULL is fine */
JALI_API void jali_free(void *p);

#ifdef __cplusplus
}
#endif
#endif
