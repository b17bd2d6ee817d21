/* Predicates mean the same before and after every change of form. */
#include "base/json.h"
#include "table/predicate.h"
#include "unit.h"

/* SQL's three-valued logic written down again, with NOT as a node: the referee. */
typedef struct formula {
    enum { IN, IS_NULL, CONST, NOT, AND, OR } kind;
    int column, value; /* value: bit set of codes, or the constant */
    struct formula *a, *b;
} formula;

enum { COLUMNS = 3 };
static const uint64_t domains[COLUMNS] = { 4, 1, 6 };
static const char *const names[COLUMNS] = { "x", "n", "y" };

static uint64_t seed;
static unsigned roll(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static formula *grow(jali_arena *a, int depth)
{
    formula *f = jali_arena_take(a, 1, sizeof *f);
    f->kind = depth == 0 ? roll(3) : roll(8) < 3 ? NOT : roll(2) ? AND : OR;
    if (depth > 0 && roll(6) == 0) f->kind = roll(3);
    f->column = (int)roll(COLUMNS);
    f->value = f->kind == CONST ? (int)roll(3) : (int)roll(1u << domains[f->column]);
    if (f->kind >= NOT) f->a = grow(a, depth - 1);
    if (f->kind >= AND) f->b = grow(a, depth - 1);
    return f;
}

static jali_truth meaning(const formula *f, const uint64_t *code)
{
    bool null = code[f->column] == domains[f->column] - 1;
    jali_truth a = f->a ? meaning(f->a, code) : 0, b = f->b ? meaning(f->b, code) : 0;
    switch (f->kind) {
    case IN:
        return null ? JALI_UNKNOWN : (jali_truth)(f->value >> code[f->column] & 1);
    case IS_NULL:
        return null ? JALI_TRUE : JALI_FALSE;
    case CONST:
        return (jali_truth)f->value;
    case NOT:
        return a == JALI_UNKNOWN ? a : (jali_truth)!a;
    case AND:
        return !a || !b                                 ? JALI_FALSE
               : a == JALI_UNKNOWN || b == JALI_UNKNOWN ? JALI_UNKNOWN
                                                        : JALI_TRUE;
    default:
        return a == JALI_TRUE || b == JALI_TRUE         ? JALI_TRUE
               : a == JALI_UNKNOWN || b == JALI_UNKNOWN ? JALI_UNKNOWN
                                                        : JALI_FALSE;
    }
}

static const jali_predicate *build(jali_arena *a, const formula *f)
{
    const char *name = names[f->column];
    uint64_t domain = domains[f->column], bits = (uint64_t)f->value;
    switch (f->kind) {
    case IN:
        return jali_predicate_bits(a, name, domain, &bits);
    case IS_NULL:
        return jali_predicate_is_null(a, name, domain);
    case CONST:
        return jali_predicate_constant(a, (jali_truth)f->value);
    case NOT:
        return jali_predicate_not(a, build(a, f->a));
    case AND:
        return jali_predicate_and(a, build(a, f->a), build(a, f->b));
    default:
        return jali_predicate_or(a, build(a, f->a), build(a, f->b));
    }
}

static uint64_t code_of(void *self, const char *column)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(names[i], column) == 0) return ((const uint64_t *)self)[i];
    return 0;
}

static bool agree(const formula *f, const jali_predicate *p)
{
    for (uint64_t i = 0; i < 4 * 1 * 6; i++) {
        uint64_t code[COLUMNS] = { i % 4, 0, i / 4 };
        if (meaning(f, code) != jali_predicate_value(p, code_of, code)) return false;
    }
    return true;
}

static const jali_predicate *through_json(jali_arena *a, const jali_predicate *p)
{
    json_t *value, *again;
    char *text;
    const jali_predicate *back;
    CHECK_OK(jali_predicate_to_json(p, &value, NULL));
    CHECK_OK(jali_json_canonical(value, a, &text, NULL));
    json_decref(value);
    again = json_loads(text, JSON_DECODE_ANY, NULL);
    CHECK(again != NULL);
    CHECK_OK(jali_predicate_from_json(again, a, &back, NULL));
    json_decref(again);
    return back;
}

SENTENCE(every_form_has_the_meaning_of_sql)
{
    UNUSED_STATE;
    seed = 7;
    for (int run = 0; run < 4000; run++) {
        jali_arena a = JALI_ARENA_INIT;
        const formula *f = grow(&a, (int)roll(6));
        const jali_predicate *p = build(&a, f), *c = jali_predicate_canonical(&a, p);
        char *once, *twice, *negated;
        CHECK(p != NULL && c != NULL);
        CHECK(agree(f, p) && agree(f, c) && agree(f, through_json(&a, p)));
        CHECK_OK(jali_predicate_text(p, &a, &once, NULL));
        CHECK_OK(jali_predicate_text(c, &a, &twice, NULL));
        CHECK(strcmp(once, twice) == 0);
        CHECK_OK(jali_predicate_text(jali_predicate_not(&a, jali_predicate_not(&a, c)), &a,
                                     &negated, NULL));
        CHECK(strcmp(once, negated) == 0);
        jali_arena_clear(&a);
    }
}

/* The referee must be able to say no. */
SENTENCE(a_forgotten_null_is_noticed)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    formula in = { .kind = IN, .value = 3 }, not = { .kind = NOT, .a = &in };
    const jali_range rest = { 2, 2 };
    CHECK(agree(&not, jali_predicate_ranges(&a, "x", 4, &rest, 1, JALI_UNKNOWN)));
    CHECK(!agree(&not, jali_predicate_ranges(&a, "x", 4, &rest, 1, JALI_TRUE)));
    CHECK(!agree(&not, jali_predicate_ranges(&a, "x", 4, &rest, 1, JALI_FALSE)));
    jali_arena_clear(&a);
}

static void same_text(jali_arena *a, const jali_predicate *p, const jali_predicate *q)
{
    char *x, *y;
    CHECK_OK(jali_predicate_text(p, a, &x, NULL));
    CHECK_OK(jali_predicate_text(q, a, &y, NULL));
    assert_string_equal(x, y);
}

SENTENCE(equal_wordings_have_one_text)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    const uint64_t list[] = { 5, 3, 4, 3, 900 };
    const jali_predicate *x = jali_predicate_range(&a, "x", 100, 3, 5);
    const jali_predicate *y = jali_predicate_range(&a, "y", 10, 1, 99);
    same_text(&a, x, jali_predicate_in(&a, "x", 100, list, 5));
    same_text(&a, jali_predicate_and(&a, x, y), jali_predicate_and(&a, y, x));
    same_text(&a, jali_predicate_not(&a, jali_predicate_and(&a, x, y)),
              jali_predicate_or(&a, jali_predicate_not(&a, y), jali_predicate_not(&a, x)));
    same_text(&a, jali_predicate_or(&a, x, jali_predicate_constant(&a, JALI_TRUE)),
              jali_predicate_constant(&a, JALI_TRUE));
    jali_arena_clear(&a);
}

SENTENCE(ends_of_the_domain_are_kept)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    uint64_t top = UINT64_MAX;
    const jali_predicate *all = jali_predicate_range(&a, "h", top, 0, top);
    CHECK(all->n == 1 && all->ranges[0].hi == top - 2);
    CHECK(jali_predicate_not(&a, all)->n == 0);
    CHECK(jali_predicate_range(&a, "h", top, 1, 0)->n == 0);
    CHECK(jali_predicate_range(&a, "z", 1, 0, 0)->n == 0);
    const jali_predicate *back = through_json(&a, all);
    CHECK(back->domain == top && back->ranges[0].hi == top - 2);
    jali_arena_clear(&a);
}

SENTENCE(a_long_list_is_neither_deep_nor_slow)
{
    UNUSED_STATE;
    enum { LONG = JALI_PREDICATE_RANGES };
    jali_arena a = JALI_ARENA_INIT;
    const jali_predicate **leaf = jali_arena_take(&a, LONG, sizeof(void *));
    for (size_t i = 0; i < LONG; i++)
        leaf[i] = jali_predicate_range(&a, "x", 4 * LONG, 2 * i, 2 * i);
    const jali_predicate *p = jali_predicate_join(&a, JALI_PREDICATE_OR, leaf, LONG);
    p = jali_predicate_canonical(&a, p);
    CHECK(p != NULL && p->kind == JALI_PREDICATE_LEAF && p->n == LONG);
    jali_arena_clear(&a);
}

static void refused(const char *text, const char *words)
{
    jali_arena a = JALI_ARENA_INIT;
    jali_err err;
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    const jali_predicate *p = NULL;
    CHECK(value != NULL);
    assert_int_equal(jali_predicate_from_json(value, &a, &p, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    CHECK(p == NULL);
    json_decref(value);
    jali_arena_clear(&a);
}

SENTENCE(strange_json_is_refused_in_a_sentence)
{
    UNUSED_STATE;
    refused("3", "object");
    refused("{\"xor\":[]}", "neither");
    refused("{\"and\":3}", "not a list");
    refused("{\"column\":\"x\",\"domain\":0,\"in\":[]}", "at least 1");
    refused("{\"column\":\"x\",\"domain\":4,\"in\":[-1]}", "range");
    refused("{\"column\":\"x\",\"domain\":4,\"in\":[[1,2,3]]}", "range");
    refused("{\"column\":\"x\",\"domain\":4,\"in\":[],\"null\":\"maybe\"}", "unknown");
    refused("{\"column\":\"x\",\"domain\":4,\"in\":[],\"if\":1}", "means nothing");
    refused("{\"column\":\"x\",\"domain\":\"99999999999999999999\",\"in\":[]}", "at least 1");
    char deep[1024] = "";
    for (int i = 0; i < 70; i++) strncat(deep, "{\"not\":", sizeof deep - strlen(deep) - 1);
    strncat(deep, "true", 5);
    for (int i = 0; i < 70; i++) strncat(deep, "}", 2);
    refused(deep, "deeper");
}

RUN_ALL(TEST(every_form_has_the_meaning_of_sql), TEST(a_forgotten_null_is_noticed),
        TEST(equal_wordings_have_one_text), TEST(ends_of_the_domain_are_kept),
        TEST(a_long_list_is_neither_deep_nor_slow), TEST(strange_json_is_refused_in_a_sentence))
