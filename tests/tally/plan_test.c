/* What cannot be counted is refused while the plan is made, from public numbers alone. */
#include "small.h"

typedef struct fixture {
    small s;
    jali_plan *plan;
    jali_arena arena;
    jali_err err;
} fixture;

static void start(fixture *f)
{
    f->s.rows = 10;
    small_add(&f->s, 4, 2);
    small_add(&f->s, 60000, 2);
    small_add(&f->s, (uint64_t)JALI_PLAN_SUM_CODES + 3, 2);
    small_add(&f->s, UINT64_MAX, 2);
    small_open(&f->s);
    CHECK_OK(jali_plan_new(&f->plan, f->s.columns, 3, &f->err));
}

static void finish(fixture *f)
{
    jali_plan_free(f->plan);
    jali_arena_clear(&f->arena);
    small_free(&f->s);
}

#define REFUSED(expr, words)                                                                   \
    do {                                                                                       \
        assert_int_equal((expr), JALI_E_USAGE);                                                \
        CHECK_REFUSED(f.err, JALI_E_USAGE, JALI_FOR_ANALYST, words);                           \
        CHECK(t == 77);                                                                        \
    } while (0)

SENTENCE(what_cannot_be_counted_is_refused_in_a_sentence)
{
    UNUSED_STATE;
    fixture f = { .s = { .seed = 5 } };
    size_t t = 77;
    const uint32_t zero = 0, one = 1;
    start(&f);
    const char *none[] = { "nothing" }, *wide[] = { "c1", "c1" }, *hash[] = { "c3" };
    const char *five[] = { "c0", "c0", "c0", "c0", "c0" };
    REFUSED(jali_plan_counts(f.plan, 0, none, 1, &t, &f.err), "no column \"nothing\"");
    REFUSED(jali_plan_counts(f.plan, 0, wide, 2, &t, &f.err), "more than 67108864 cells");
    REFUSED(jali_plan_counts(f.plan, 0, hash, 1, &t, &f.err), "more than 67108864 cells");
    REFUSED(jali_plan_counts(f.plan, 0, five, 5, &t, &f.err), "at most 4 columns");
    REFUSED(jali_plan_sums(f.plan, 0, NULL, 0, "c2", 0, &t, &f.err), "could overflow");
    REFUSED(jali_plan_sums(f.plan, 0, NULL, 0, "c0", 3, &t, &f.err), "outside its bounds");
    REFUSED(jali_plan_histogram(f.plan, 0, "c0", 0, &zero, &one, &t, &f.err), "bins");
    REFUSED(jali_plan_histogram(f.plan, 0, "c3", 4, &zero, &one, &t, &f.err), "too fine");
    REFUSED(jali_plan_grid(f.plan, 0, five, 5, 27, &t, &f.err), "2^26 cells");
    REFUSED(jali_plan_grid(f.plan, 0, hash, 1, 2, &t, &f.err), "too fine");
    finish(&f);
}

SENTENCE(slices_are_checked_too)
{
    UNUSED_STATE;
    fixture f = { .s = { .seed = 5 } };
    size_t t = 77;
    jali_label label = { .labels = 0, .n = 0, .columns = NULL, .label = NULL, .self = NULL };
    start(&f);
    REFUSED(jali_plan_slice(f.plan, &label, NULL, &t, &f.err), "1 to 65534");
    label.labels = 65535;
    REFUSED(jali_plan_slice(f.plan, &label, NULL, &t, &f.err), "1 to 65534");
    const jali_predicate *p = jali_predicate_range(&f.arena, "gone", 4, 0, 1);
    REFUSED(jali_plan_slice(f.plan, NULL, p, &t, &f.err), "no column \"gone\"");
    p = jali_predicate_range(&f.arena, "c0", 5, 0, 1);
    REFUSED(jali_plan_slice(f.plan, NULL, p, &t, &f.err), "another domain");
    assert_int_equal(jali_plan_counts(f.plan, 9, NULL, 0, &t, &f.err), JALI_E_INTERNAL);
    finish(&f);
}

SENTENCE(a_plan_cannot_grow_without_end)
{
    UNUSED_STATE;
    fixture f = { .s = { .seed = 5 } };
    size_t t = 77, made = 0;
    start(&f);
    const char *by[] = { "c1", "c0", "c0", "c0", "c0" };
    jali_status status = JALI_OK;
    while (status == JALI_OK && made < 1000) {
        status = jali_plan_counts(f.plan, 0, by, 4, &t, &f.err);
        made += status == JALI_OK;
    }
    CHECK(made == JALI_PLAN_CELLS_ALL / (60000 * 64));
    CHECK_REFUSED(f.err, JALI_E_USAGE, JALI_FOR_ANALYST, "together");
    finish(&f);
}

SENTENCE(a_person_without_rows_is_no_person)
{
    UNUSED_STATE;
    jali_plan *plan = NULL;
    jali_err err;
    assert_int_equal(jali_plan_new(&plan, NULL, 0, &err), JALI_E_USAGE);
    CHECK(plan == NULL);
}

/* The refusal must be the same for a table that would fit and one that would not: only the
 * schema is asked, never a row. */
SENTENCE(refusals_do_not_depend_on_rows)
{
    UNUSED_STATE;
    char said[2][512];
    for (int empty = 0; empty < 2; empty++) {
        jali_columns *columns;
        jali_plan *plan;
        jali_err err;
        uint32_t codes[3] = { 0, 0, 0 };
        size_t t;
        jali_column c = { "big", 4, (uint64_t)JALI_PLAN_SUM_CODES + 3, empty ? 0 : 3, codes };
        CHECK_OK(jali_columns_borrow(&columns, &c, 1, NULL));
        CHECK_OK(jali_plan_new(&plan, columns, 1, NULL));
        CHECK(jali_plan_sums(plan, 0, NULL, 0, "big", 0, &t, &err) == JALI_E_USAGE);
        memcpy(said[empty], err.text, sizeof said[0]);
        jali_plan_free(plan);
        jali_columns_free(columns);
    }
    assert_string_equal(said[0], said[1]);
}

SENTENCE(shapes_and_answers_that_were_not_asked_for)
{
    UNUSED_STATE;
    fixture f = { .s = { .seed = 5 } };
    const jali_tallies *set;
    size_t t;
    start(&f);
    CHECK_OK(jali_plan_counts(f.plan, 0, (const char *[]){ "c0", "c0" }, 2, &t, NULL));
    CHECK_OK(jali_plan_run(f.plan, NULL, &f.arena, &set, NULL));
    const jali_tally *y = jali_tallies_counts(set, t);
    CHECK(jali_tally_cells(y) == 16 && jali_tally_axes(y) == 2);
    CHECK(jali_tally_extent(y, 0) == 4 && jali_tally_extent(y, 7) == 1);
    CHECK(jali_tally_reach(y).l1 == 3 && jali_tally_reach(y).l0 == 3);
    CHECK(jali_tallies_sums(set, t) == NULL && jali_tallies_counts(set, 1) == NULL);
    for (size_t i = 0; i < 16; i++) CHECK(i / 4 == i % 4 || y->cell[i] == 0);
    finish(&f);
}

RUN_ALL(TEST(what_cannot_be_counted_is_refused_in_a_sentence), TEST(slices_are_checked_too),
        TEST(a_plan_cannot_grow_without_end), TEST(a_person_without_rows_is_no_person),
        TEST(refusals_do_not_depend_on_rows), TEST(shapes_and_answers_that_were_not_asked_for))
