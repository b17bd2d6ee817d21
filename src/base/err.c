/* base/err.c — how anything in this house says no. */
#include "base/err.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>

JALI_PRINTF(4, 0)
static void write_sentence(jali_err *err, jali_status code, jali_reader reader, const char *fmt,
                           va_list ap)
{
    *err = (jali_err){ .code = code, .reader = reader };
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    /* A sentence may quote a name, and a name may hold a newline or an escape code. */
    for (char *c = err->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    /* A quotation may have been cut inside a character. */
    bool whole = jali_text_is_utf8(err->text, strlen(err->text));
    for (char *c = err->text; !whole && *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
}

jali_status jali_fail(jali_err *err, jali_status code, jali_reader reader, const char *fmt, ...)
{
    if (err == NULL) return code;
    va_list ap;
    va_start(ap, fmt);
    write_sentence(err, code, reader, fmt, ap);
    va_end(ap);
    return code;
}

jali_status jali_fail_at(jali_err *err, jali_status code, jali_reader reader, unsigned line,
                         unsigned column, const char *fmt, ...)
{
    if (err == NULL) return code;
    va_list ap;
    va_start(ap, fmt);
    write_sentence(err, code, reader, fmt, ap);
    va_end(ap);
    err->line = line;
    err->column = column;
    return code;
}

jali_status jali_fail_memory(jali_err *err)
{
    return jali_fail(err, JALI_E_NOMEM, JALI_FOR_ANALYST, "out of memory");
}

int jali_exit_code(jali_status status)
{
    return status > JALI_E_INTERNAL ? JALI_E_INTERNAL : (int)status;
}

/* Headings of the page; tests/golden/docs_test.py looks for each. */
const char *jali_error_page(jali_status status)
{
    static const char *const page[] = {
        [JALI_E_USAGE] = "docs/errors.md#usage",   [JALI_E_BUDGET] = "docs/errors.md#budget",
        [JALI_E_DATA] = "docs/errors.md#data",     [JALI_E_LEDGER] = "docs/errors.md#ledger",
        [JALI_E_ENGINE] = "docs/errors.md#engine", [JALI_E_INTERNAL] = "docs/errors.md#internal"
    };
    const char *found = page[jali_exit_code(status)];
    return found == NULL ? "docs/errors.md" : found;
}
