#define _GNU_SOURCE
/* tests/fuzz/request_fuzz.c — bodies of HTTP requests, priced: JSON of any verb that spends, as
 * the server hands it on. A quote or one sentence for the analyst; never a byte spent. */
#include "../table/where_schema.h"
#include "base/file.h"
#include "jali.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char rows[] = "ward,age,temp,smoker,day,Capital-Gain,order,dose\n"
                           "surgery,3,0.5,Y,2024-02-28,1,a,5\n"
                           "cardio,9,-1,N,2024-03-01,-5,b,25\n"
                           "birth,,2,Y,2024-03-03,5,a,\n";
static char home[] = "/tmp/jali-request-XXXXXX";
static char vault[64];

static void put(const char *name, const char *text)
{
    FILE *to = fopen(name, "wb");
    if (to == NULL || fputs(text, to) < 0 || fclose(to) != 0) abort();
}

static void tidy(void)
{
    jali_file_remove_tree(home);
}

static void prepare(void)
{
    char csv[64], schema[64];
    const char *data = csv;
    jali_doc *doc;
    jali_err err = { 0 };
    if (mkdtemp(home) == NULL || atexit(tidy) != 0) abort();
    snprintf(csv, sizeof csv, "%s/t.csv", home);
    snprintf(schema, sizeof schema, "%s/s.json", home);
    put(csv, rows);
    put(schema, where_schema);
    snprintf(vault, sizeof vault, "%s/v.jali", home);
    jali_init ask = { .vault = vault,
                      .data = &data,
                      .n_data = 1,
                      .schema = schema,
                      .epsilon = "1",
                      .delta = "1e-6",
                      .by = "carol",
                      .now_ms = 1,
                      .threads = 1 };
    if (jali_vault_init(&ask, &doc, &err) != JALI_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    jali_doc_free(doc);
    jali_question q = { .spend = { .vault = vault, .rho = "0.001", .by = "eve", .now_ms = 2 },
                        .sql = "SELECT ward, COUNT(*) FROM t GROUP BY ward" };
    if (jali_vault_ask(&q, &doc, &err) != JALI_OK) abort(); /* r1, for why */
    jali_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_doc *doc = NULL;
    jali_err err = { 0 };
    if (vault[0] == '\0') prepare();
    jali_spend spend = {
        .vault = vault, .by = "eve", .now_ms = 2, .quote = true, .threads = 1
    };
    jali_status status = jali_vault_request((const char *)data, size, &spend, &doc, &err);
    if (status == JALI_OK) {
        char *text = NULL;
        jali_style style = { .format = JALI_FORMAT_JSON };
        if (jali_doc_render(doc, &style, &text, &err) != JALI_OK) abort();
        jali_free(text);
        jali_doc_free(doc);
    } else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL ||
               status == JALI_E_INTERNAL)
        abort();
    return 0;
}
