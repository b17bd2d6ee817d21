/* An explanation when memory ends: every allocation failed in turn gives a status and nothing
 * that could be shown. Claims: explain.release. */
#include "mech/explain.h"
#include "mech/receipt.h"
#include "support/alloc.h"
#include "support/seeded_dice.h"
#include "tally/small.h"

static const jali_groups groups = { 1, { "c0" }, { 3 }, 2, { { 0 }, { 1 } } };
static const jali_space_attribute attribute[] = { { .column = "c1", .domain = 1100 },
                                                  { .column = "c2", .domain = 1100 } };
static const jali_range low = { 0, 3 };
static const jali_space_attribute ranged = {
    .column = "c1", .domain = 1100, .n = 1, .mark = &low
};

static small table;
static jali_dice *dice;

static jali_status price(const jali_study *study, jali_explainer **x)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    jali_explain_spec spec = { .law = JALI_LAW_GAUSS,
                               .ranks = JALI_RANKS_SEARCH,
                               .k = 3,
                               .predicates = jali_space_size(study->space),
                               .influence = *study->influence,
                               .topk = one,
                               .vector = one,
                               .search = one,
                               .confidence = 0.9 };
    jali_status status = jali_explainer_new(x, &spec, NULL);
    mpq_clear(one);
    return status;
}

static jali_status explain(const jali_space_spec *spec, jali_arena *arena)
{
    jali_influence_spec s = { .of = JALI_INFLUENCE_COUNT,
                              .groups = 2,
                              .weight = { 1, -1 },
                              .num = 1024,
                              .den = 1,
                              .rows_per_person = 1 };
    jali_influence influence;
    jali_explainer *x = NULL;
    jali_explained it = { .k = 77 };
    CHECK_OK(jali_influence_init(&influence, &s, NULL));
    jali_study study = { .columns = table.columns, .groups = &groups, .influence = &influence };
    JALI_TRY(jali_space_new(&study.space, spec, arena, NULL));
    JALI_TRY(jali_study_check(&study, NULL));
    JALI_TRY(price(&study, &x));
    jali_charge paid = receipt(jali_explainer_loss(x));
    jali_status status = jali_explain_run(x, &study, &paid, dice, arena, &it, NULL);
    CHECK((status == JALI_OK) == (it.k != 77));
    jali_explainer_free(x);
    return status;
}

static void fail_each(const jali_space_spec *spec)
{
    long n = 0;
    for (bool failed = true; failed; n++) {
        jali_arena arena = JALI_ARENA_INIT;
        CHECK(n < 2000);
        alloc_fail_at(n);
        jali_status status = explain(spec, &arena);
        failed = alloc_failed();
        CHECK(status == (failed ? JALI_E_NOMEM : JALI_OK));
        jali_arena_clear(&arena);
    }
    CHECK(n > 20);
}

SENTENCE(no_allocation_that_fails_does_harm)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    const jali_predicate *listed = jali_predicate_range(&arena, "c2", 1100, 4, 90);
    table = (small){ .rows = 60, .seed = 2 };
    small_add(&table, 3, 2);
    small_add(&table, 1100, 1);
    small_add(&table, 1100, 2);
    small_open(&table);
    dice = seeded_dice(3);
    fail_each(&(jali_space_spec){ 2, attribute, 1, 2, 1, &listed });
    fail_each(&(jali_space_spec){ 1, &ranged, 1, 1, 1, &listed });
    jali_dice_free(dice);
    small_free(&table);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(no_allocation_that_fails_does_harm))
