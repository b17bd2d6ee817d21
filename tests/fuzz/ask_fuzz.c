/* tests/fuzz/ask_fuzz.c — questions from strangers: no crash, one sentence, a sound price. */
#include "../table/where_schema.h"
#include "explain/query/ask.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void price(const jali_schema *schema, const jali_query *query, jali_arena *arena)
{
    jali_ask ask;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, 1, 10);
    if (query->n_aggregates == 0 || query->n_groups > JALI_QUERY_GROUPS) abort();
    if (jali_ask_init(&ask, schema, query, JALI_LAW_GAUSS, budget, arena, NULL) == JALI_OK) {
        if (!jali_loss_is_sound(ask.loss) || ask.loss.rho_pico < 100000000000u) abort();
        if (ask.cells == 0 || ask.cells > JALI_QUERY_CELLS || ask.plan == NULL) abort();
        jali_ask_clear(&ask);
    }
    mpq_clear(budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_query query;
    jali_err err = { 0 };
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                          NULL) != JALI_OK)
        abort();
    jali_status status = jali_query_parse(&schema, text, &arena, &query, &err);
    if (status == JALI_OK)
        price(&schema, &query, &arena);
    else if (status != JALI_E_USAGE || err.text[0] == '\0' || strchr(err.text, '\n'))
        abort();
    jali_arena_clear(&arena);
    free(text);
    return 0;
}
