/* Conditions when memory ends: every allocation failed in turn gives a status, no answer. */
#include "support/alloc.h"
#include "table/where.h"
#include "unit.h"
#include "where_schema.h"

static jali_arena fixed;
static jali_schema schema;

/* An arena takes memory in large blocks; `fill` bytes of it are used up before, so that
 * the block ends at any of our takes. */
static jali_status read_and_write(size_t fill)
{
    static const char text[] =
        "(age BETWEEN -3 AND 7 OR ward NOT IN ('birth', NULL)) AND "
        "smoker IS NOT TRUE AND \"Capital-Gain\" <> 2 AND NOT temp = 1.5";
    jali_arena arena = JALI_ARENA_INIT;
    const jali_predicate *p = NULL;
    char *out = NULL;
    jali_status status = JALI_OK;
    for (size_t i = 0; i < fill && status == JALI_OK; i += 64)
        if (jali_arena_take(&arena, 1, 64) == NULL) status = JALI_E_NOMEM;
    if (status == JALI_OK) status = jali_where_parse(&schema, text, &arena, &p, NULL);
    CHECK((status == JALI_OK) == (p != NULL));
    if (status == JALI_OK) {
        status = jali_where_text(&schema, p, &arena, &out, NULL);
        CHECK((status == JALI_OK) == (out != NULL));
    }
    jali_arena_clear(&arena);
    return status;
}

SENTENCE(no_allocation_that_fails_does_harm)
{
    UNUSED_STATE;
    unsigned failed = 0;
    CHECK_OK(jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &fixed,
                               NULL));
    for (size_t fill = 48 * 1024; fill < 64 * 1024; fill += 64)
        for (long n = 0; n < 3; n++) {
            alloc_fail_at(n);
            jali_status status = read_and_write(fill);
            bool hit = alloc_failed();
            CHECK(status == (hit ? JALI_E_NOMEM : JALI_OK));
            failed += hit;
        }
    CHECK(failed > 100);
    jali_arena_clear(&fixed);
}

RUN_ALL(TEST(no_allocation_that_fails_does_harm))
