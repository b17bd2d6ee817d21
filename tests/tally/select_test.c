/* Bitmaps of every width of code agree with the slow, obvious value of a predicate. */
#include "small.h"

enum { ROWS = 777, WORDS = (ROWS + 63) / 64 };

typedef struct at {
    const small *s;
    size_t row;
} at;

static uint64_t code_of(void *self, const char *column)
{
    const at *a = self;
    return small_code(a->s, (size_t)(column[1] - '0'), a->row);
}

static void same(const small *s, const jali_predicate *p, const jali_kernels *kernels)
{
    jali_arena a = JALI_ARENA_INIT;
    jali_selection sel;
    uint64_t rows[WORDS];
    CHECK_OK(jali_selection_bind(&sel, p, s->columns, &a, NULL));
    uint64_t *scratch = jali_arena_take(&a, (sel.depth + 1) * WORDS, 8);
    jali_selection_rows(&sel, s->columns, kernels, 0, ROWS, WORDS, rows, scratch);
    for (size_t i = 0; i < ROWS; i++) {
        at row = { s, i };
        bool in = rows[i / 64] >> i % 64 & 1;
        CHECK(in == (jali_predicate_value(p, code_of, &row) == JALI_TRUE));
    }
    for (size_t i = ROWS; i < 64 * WORDS; i++) CHECK((rows[i / 64] >> i % 64 & 1) == 0);
    jali_arena_clear(&a);
}

SENTENCE(every_width_and_every_kind_of_leaf)
{
    UNUSED_STATE;
    static const uint64_t domains[] = { 1,     200,      256,        60000,
                                        65536, 1u << 20, 1ull << 32, UINT64_MAX };
    jali_arena a = JALI_ARENA_INIT;
    small s = { .seed = 21, .rows = ROWS };
    for (size_t c = 0; c < 8; c++) small_add(&s, domains[c], 2);
    /* Some NULLs where chance would bring none. */
    for (size_t c = 0; c < 8; c++)
        for (size_t i = 0; i < ROWS; i += 5) {
            uint64_t null = domains[c] - 1;
            unsigned w = s.column[c].width;
            memcpy((char *)(uintptr_t)s.column[c].codes + i * w, &null, w);
        }
    small_open(&s);
    for (size_t c = 0; c < 8; c++)
        for (int round = 0; round < 12; round++) {
            uint64_t d = domains[c], list[30];
            const char *name = s.name[c];
            for (size_t k = 0; k < 30; k++)
                list[k] =
                    k % 2 ? small_roll(&s, d) : small_code(&s, c, (size_t)small_roll(&s, ROWS));
            const jali_predicate *p = round % 3 == 0 ? jali_predicate_is_null(&a, name, d)
                                      : round % 3 == 1
                                          ? jali_predicate_in(&a, name, d, list, 30)
                                          : jali_predicate_range(&a, name, d, list[0], list[1]);
            if (round % 2) p = jali_predicate_not(&a, p);
            same(&s, p, round % 4 < 2 ? jali_kernels_best() : jali_kernels_plain());
        }
    jali_arena_clear(&a);
    small_free(&s);
}

SENTENCE(constants_select_all_or_nothing)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    small s = { .seed = 2, .rows = ROWS };
    small_add(&s, 3, 2);
    small_open(&s);
    for (int t = JALI_FALSE; t <= JALI_UNKNOWN; t++)
        same(&s, jali_predicate_constant(&a, (jali_truth)t), jali_kernels_best());
    const jali_predicate *x = jali_predicate_range(&a, "c0", 3, 0, 0);
    same(&s, jali_predicate_or(&a, x, jali_predicate_constant(&a, JALI_UNKNOWN)),
         jali_kernels_best());
    jali_arena_clear(&a);
    small_free(&s);
}

RUN_ALL(TEST(every_width_and_every_kind_of_leaf), TEST(constants_select_all_or_nothing))
