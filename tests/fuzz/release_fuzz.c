/* tests/fuzz/release_fuzz.c — stored releases as a ledger may give them back: told in every
 * format or refused in one sentence. The first byte says of which kind it is. */
#include "../table/where_schema.h"
#include "door/teller.h"
#include "door/vault.h"
#include "report/doc.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render_all(const jali_doc *doc)
{
    for (int f = JALI_FORMAT_TABLE; f <= JALI_FORMAT_SQL; f++) {
        char *text = NULL;
        jali_err err = { 0 };
        jali_style style = { .format = (jali_format)f, .width = 80 };
        if (jali_doc_render(doc, &style, &text, &err) != JALI_OK && err.text[0] == '\0')
            abort();
        jali_free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_vault vault = { .path = "v", .name = "v", .epsilon = "1", .delta = "0" };
    jali_doc *doc = NULL, *out = NULL;
    jali_err err = { 0 };
    if (size < 1) return 0;
    /* Not w: what it explains is in a ledger, which is not here. */
    char kind = "rcpkm"[data[0] % 5], *body = malloc(size);
    if (body == NULL) abort();
    memcpy(body, data + 1, size - 1);
    body[size - 1] = '\0';
    if (jali_schema_parse(&vault.schema, where_schema, sizeof where_schema - 1, "schema",
                          &vault.arena, NULL) != JALI_OK ||
        jali_doc_new(&doc, "release", NULL) != JALI_OK)
        abort();
    jali_release release = { .analyst = "ana", .plan = "{}", .body = body, .n = strlen(body) };
    snprintf(release.id, sizeof release.id, "%c1", kind);
    jali_telling t = {
        .vault = &vault, .release = &release, .miss = 0.05, .arena = &vault.arena, .doc = doc
    };
    jali_status status = jali_doc_finish(doc, jali_tell(&t, &err), &out, &err);
    if (status == JALI_OK)
        render_all(out);
    else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL)
        abort();
    if (status == JALI_OK) jali_doc_free(out);
    jali_arena_clear(&vault.arena);
    free(body);
    return 0;
}
