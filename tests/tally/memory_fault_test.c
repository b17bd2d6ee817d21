/* Counting when memory ends: every allocation failed in turn gives a status and no answer. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "engine/writer.h"
#include "small.h"
#include "support/alloc.h"
#include <unistd.h>

enum { ROWS = 3000 };

static char folder[64];
static uint8_t codes[ROWS];

static jali_status write_folder(void)
{
    const char *const names[] = { "x", "y" };
    const uint64_t domains[] = { 40, 300 };
    const void *batch[] = { codes, codes };
    const unsigned given[] = { 1, 1 };
    jali_columns_writer *w = NULL;
    jali_file_remove_tree(folder);
    jali_status status = jali_columns_writer_new(&w, folder, 2, names, domains, NULL);
    if (status == JALI_OK) status = jali_columns_writer_append(w, ROWS, batch, given, NULL);
    if (status == JALI_OK) status = jali_columns_writer_finish(w, NULL);
    CHECK((w != NULL) || status != JALI_OK);
    jali_columns_writer_free(w);
    return status;
}

static jali_status add_tables(jali_plan *plan, jali_arena *a)
{
    const char *const by[] = { "x", "y" };
    const uint32_t lo[] = { 0, 1, 2 }, step[] = { 3, 1, 2 };
    static uint32_t labels = 3;
    jali_label label = {
        .labels = labels, .n = 2, .columns = by, .label = small_label, .self = &labels
    };
    const jali_predicate *p = jali_predicate_range(a, "x", 40, 3, 20);
    p = jali_predicate_or(a, p, jali_predicate_is_null(a, "y", 300));
    size_t slice, t;
    if (p == NULL) return JALI_E_NOMEM;
    JALI_TRY(jali_plan_slice(plan, &label, p, &slice, NULL));
    JALI_TRY(jali_plan_counts(plan, slice, by, 2, &t, NULL));
    JALI_TRY(jali_plan_sums(plan, 0, by, 1, "y", 5, &t, NULL));
    JALI_TRY(jali_plan_histogram(plan, slice, "y", 9, lo, step, &t, NULL));
    return jali_plan_grid(plan, 0, by, 2, 3, &t, NULL);
}

static jali_status count(void)
{
    jali_arena a = JALI_ARENA_INIT;
    jali_columns *columns = NULL;
    jali_plan *plan = NULL;
    const jali_tallies *set = NULL;
    jali_status status = jali_columns_open(&columns, folder, NULL);
    if (status == JALI_OK) status = jali_plan_new(&plan, columns, 2, NULL);
    if (status == JALI_OK) status = add_tables(plan, &a);
    if (status == JALI_OK) status = jali_plan_run(plan, NULL, &a, &set, NULL);
    CHECK((status == JALI_OK) == (set != NULL));
    jali_plan_free(plan);
    jali_columns_free(columns);
    jali_arena_clear(&a);
    return status;
}

static void fail_each(jali_status (*work)(void), long least)
{
    long n = 0;
    for (bool failed = true; failed; n++) {
        CHECK(n < 10000);
        alloc_fail_at(n);
        jali_status status = work();
        failed = alloc_failed();
        assert_int_equal(status, failed ? JALI_E_NOMEM : JALI_OK);
    }
    CHECK(n > least); /* or nothing was tried */
}

SENTENCE(no_allocation_that_fails_does_harm)
{
    UNUSED_STATE;
    snprintf(folder, sizeof folder, "tally-fault-%ld", (long)getpid());
    for (size_t i = 0; i < ROWS; i++) codes[i] = (uint8_t)(i * 7 % 40);
    fail_each(write_folder, 3);
    CHECK_OK(write_folder());
    fail_each(count, 6);
    jali_file_remove_tree(folder);
}

RUN_ALL(TEST(no_allocation_that_fails_does_harm))
