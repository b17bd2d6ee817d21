/* tally/groups.c: a record is in the group whose codes it has, and otherwise in none. */
#include "small.h"
#include "tally/groups.h"

enum { ROWS = 4000, HUGE_DOMAIN = 100000 };

/* The label of every row by the function on trial, through blocks as tally/run.c makes them. */
static void labels_of(const small *t, const jali_groups *groups, uint16_t *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_label label;
    const void *codes[JALI_GROUPS_COLUMNS];
    unsigned width[JALI_GROUPS_COLUMNS];
    CHECK_OK(jali_groups_label(&label, groups, &arena, NULL));
    CHECK(label.labels == groups->n + 1 && label.n == groups->n_columns);
    for (size_t k = 0; k < groups->n_columns; k++) {
        const jali_column *c = &t->column[groups->column[k][1] - '0'];
        CHECK(strcmp(label.columns[k], c->name) == 0);
        codes[k] = c->codes;
        width[k] = c->width;
    }
    jali_block block = { t->rows, groups->n_columns, codes, width };
    label.label(label.self, &block, out);
    jali_arena_clear(&arena);
}

static unsigned group_of(const small *t, const jali_groups *groups, size_t row)
{
    for (unsigned g = 0; g < groups->n; g++) {
        bool in = true;
        for (size_t k = 0; k < groups->n_columns; k++)
            in = in &&
                 small_code(t, (size_t)(groups->column[k][1] - '0'), row) == groups->code[g][k];
        if (in) return g;
    }
    return groups->n;
}

static void check_groups(const small *t, const jali_groups *groups)
{
    static uint16_t label[ROWS];
    unsigned seen = 0;
    labels_of(t, groups, label);
    for (size_t i = 0; i < t->rows; i++) {
        CHECK(label[i] == group_of(t, groups, i));
        seen |= 1u << label[i];
    }
    CHECK(seen == (2u << groups->n) - (groups->n_columns == 0 ? 3u : 1u)); /* all were met */
}

SENTENCE(every_record_is_in_the_group_of_its_codes)
{
    UNUSED_STATE;
    small t = { .rows = ROWS, .seed = 5 };
    small_add(&t, 4, 2);
    small_add(&t, 300, 1);
    small_add(&t, HUGE_DOMAIN, 1);
    small_add(&t, 3, 2);
    small_open(&t);
    check_groups(&t, &(jali_groups){ .n = 1 });
    check_groups(&t, &(jali_groups){ 1, { "c0" }, { 4 }, 2, { { 3 }, { 1 } } }); /* NULL, too */
    check_groups(&t, &(jali_groups){ 1, { "c2" }, { HUGE_DOMAIN }, 1, { { 0 } } });
    check_groups(&t, &(jali_groups){ 3,
                                     { "c0", "c2", "c1" },
                                     { 4, HUGE_DOMAIN, 300 },
                                     3,
                                     { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } } });
    jali_groups most = { 2, { "c0", "c3" }, { 4, 3 }, 12, { { 0 } } };
    for (unsigned g = 0; g < 12; g++) {
        most.code[g][0] = g / 3;
        most.code[g][1] = g % 3;
    }
    most.n = 11; /* the twelfth is everybody else */
    check_groups(&t, &most);
    small_free(&t);
}

static void refused(const jali_groups *groups, const char *words)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_label label;
    jali_err err;
    CHECK(jali_groups_label(&label, groups, &arena, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    jali_arena_clear(&arena);
}

SENTENCE(groups_that_make_no_sense_are_refused)
{
    UNUSED_STATE;
    refused(&(jali_groups){ 1, { "c0" }, { 4 }, 0, { { 0 } } }, "1 to 16 groups");
    refused(&(jali_groups){ 1, { "c0" }, { 4 }, 17, { { 0 } } }, "1 to 16 groups");
    refused(&(jali_groups){ 1, { "c0" }, { 4 }, 1, { { 4 } } }, "not in the domain");
    refused(&(jali_groups){ 1, { "c0" }, { 4 }, 2, { { 2 }, { 2 } } }, "same group twice");
}

RUN_ALL(TEST(every_record_is_in_the_group_of_its_codes),
        TEST(groups_that_make_no_sense_are_refused))
