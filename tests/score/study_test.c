/* Refutes score.study if it can: every predicate is asked of every row, with plain rationals.
 */
#include "score/open.h"
#include "score/parts.h"
#include "tally/small.h"
#include <gmp.h>

/* c0 and c1 make the groups; c2 is summed; c3, c4, c5 are attributes; c6, c7 are large. */
enum { ROWS = 300, GROUPS = 3, LARGE = 1500 };

static void table_make(small *s, uint64_t seed)
{
    static const uint64_t domain[] = { 4, 3, 12, 5, 7, 4, LARGE, LARGE };
    *s = (small){ .rows = ROWS, .seed = seed };
    for (size_t i = 0; i < 8; i++) small_add(s, domain[i], i == 3 ? 1 : 2);
    small_open(s);
}

static const jali_groups groups = { .n_columns = 2,
                                    .column = { "c0", "c1" },
                                    .domain = { 4, 3 },
                                    .n = GROUPS,
                                    .code = { { 1, 0 }, { 0, 1 }, { 3, 2 } } };

static jali_influence question(jali_influence_of of)
{
    jali_influence_spec s = { .of = of,
                              .groups = GROUPS,
                              .weight = { 2, -1, -1 },
                              .low = -4,
                              .codes = 11,
                              .centre = 5,
                              .rows_per_person = 2 };
    jali_influence inf;
    CHECK_OK(jali_influence_grid(&s, 10, NULL));
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    return inf;
}

/* ---- the obvious way ------------------------------------------------------------------------
 */

typedef struct truth {
    const small *t;
    const jali_study *study;
    const jali_space_spec *spec;
    size_t row;
} truth;

static uint64_t code_of(void *self, const char *column)
{
    const truth *q = self;
    return small_code(q->t, (size_t)(column[1] - '0'), q->row);
}

static int group_of(const truth *q)
{
    for (unsigned g = 0; g < GROUPS; g++)
        if (small_code(q->t, 0, q->row) == groups.code[g][0] &&
            small_code(q->t, 1, q->row) == groups.code[g][1])
            return (int)g;
    return -1;
}

static bool holds(truth *q, const jali_space_member *m)
{
    if (m->listed)
        return jali_predicate_value(q->spec->listed[m->list], code_of, q) == JALI_TRUE;
    for (unsigned k = 0; k < m->n; k++) {
        uint64_t c = code_of(q, q->spec->attribute[m->attribute[k]].column);
        if (c < m->range[k].lo || c > m->range[k].hi) return false;
    }
    return true;
}

typedef struct numbers {
    int64_t a[GROUPS], s[GROUPS], n[GROUPS], S[GROUPS];
} numbers;

static numbers count(truth *q, const jali_space_member *m)
{
    numbers x = { 0 };
    for (q->row = 0; q->row < q->t->rows; q->row++) {
        int g = group_of(q);
        bool sums = q->study->summed != NULL;
        uint64_t v = small_code(q->t, 2, q->row);
        if (g < 0 || (sums && v == 11)) continue;
        if (q->study->where != NULL &&
            jali_predicate_value(q->study->where, code_of, q) != JALI_TRUE)
            continue;
        bool in = holds(q, m);
        x.n[g]++;
        x.S[g] += (int64_t)v - 4;
        x.a[g] += in;
        x.s[g] += in ? (int64_t)v - 4 : 0;
    }
    return x;
}

static void add_ratio(mpq_t to, int64_t top, int64_t bottom)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, top, (unsigned long)bottom);
    mpq_canonicalize(q);
    mpq_add(to, to, q);
    mpq_clear(q);
}

static int64_t expected(const jali_influence_spec *s, const numbers *x)
{
    int64_t m = INT64_MAX, M = 1;
    mpq_t inf, k;
    mpz_t down;
    for (unsigned j = 0; j < GROUPS; j++) {
        m = x->n[j] - x->a[j] < m ? x->n[j] - x->a[j] : m;
        M = x->n[j] + 1 > M ? x->n[j] + 1 : M;
    }
    if (m == 0) return 0;
    mpq_inits(inf, k, NULL);
    mpz_init(down);
    for (unsigned j = 0; j < GROUPS; j++) {
        int64_t w = s->weight[j], b = x->n[j] - x->a[j];
        if (s->of == JALI_INFLUENCE_COUNT) add_ratio(inf, w * x->a[j] * m, M);
        if (s->of == JALI_INFLUENCE_SUM) add_ratio(inf, w * x->s[j] * m, M);
        if (s->of != JALI_INFLUENCE_AVG) continue;
        add_ratio(inf, w * m * x->S[j], x->n[j]);
        add_ratio(inf, -w * m * (x->S[j] - x->s[j]), b);
    }
    mpq_set_ui(k, s->num, s->den);
    mpq_canonicalize(k);
    mpq_mul(inf, inf, k);
    mpz_fdiv_q(down, mpq_numref(inf), mpq_denref(inf));
    int64_t score = mpz_get_si(down);
    mpq_clears(inf, k, NULL);
    mpz_clear(down);
    return score;
}

static size_t disagreements(const small *t, const jali_study *study,
                            const jali_space_spec *spec)
{
    jali_arena arena = JALI_ARENA_INIT;
    const jali_scores *scores;
    truth q = { t, study, spec, 0 };
    size_t bad = 0, alive = 0;
    CHECK_OK(jali_study_check(study, NULL));
    CHECK_OK(jali_study_scores(study, &arena, &scores, NULL));
    CHECK(scores->n == jali_space_size(study->space));
    for (size_t i = 0; i < scores->n; i++) {
        jali_space_member m;
        jali_space_at(study->space, i, &m);
        CHECK(jali_space_find(study->space, &m) == i);
        numbers x = count(&q, &m);
        bad += scores->score[i] != expected(&study->influence->spec, &x);
        alive += scores->score[i] != 0;
    }
    CHECK(alive > scores->n / 4);
    jali_arena_clear(&arena);
    return bad;
}

/* ---- sentences -----------------------------------------------------------------------------
 */

static const jali_space_attribute plain[] = { { .column = "c3", .domain = 5 },
                                              { .column = "c4", .domain = 7, .nulls = true },
                                              { .column = "c5", .domain = 4 } };

static void check_space(const jali_space_spec *spec, jali_influence_of of, bool where)
{
    small t;
    jali_arena arena = JALI_ARENA_INIT;
    table_make(&t, 77 + (uint64_t)of);
    jali_influence inf = question(of);
    jali_study study = { .columns = t.columns,
                         .groups = &groups,
                         .where = where ? jali_predicate_range(&arena, "c5", 4, 1, 2) : NULL,
                         .summed = of == JALI_INFLUENCE_COUNT ? NULL : "c2",
                         .influence = &inf };
    CHECK_OK(jali_space_new(&study.space, spec, &arena, NULL));
    CHECK(disagreements(&t, &study, spec) == 0);
    jali_arena_clear(&arena);
    small_free(&t);
}

SENTENCE(conjunctions_of_every_length_are_scored_as_their_rows_say)
{
    UNUSED_STATE;
    for (int of = JALI_INFLUENCE_COUNT; of <= (int)JALI_INFLUENCE_AVG; of++)
        for (unsigned l = 1; l <= 3; l++) {
            jali_space_spec exactly = { 3, plain, l, l, 0, NULL },
                            up = { 3, plain, 1, l, 0, NULL };
            check_space(&exactly, (jali_influence_of)of, false);
            check_space(&up, (jali_influence_of)of, true);
        }
}

/* <= c and >= c for every c, and a range; NULL is in none of them but the last. */
static const jali_range ordered[] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 3, 5 },
                                      { 4, 5 }, { 2, 2 }, { 6, 6 } };

SENTENCE(inequalities_are_sums_over_ranges)
{
    UNUSED_STATE;
    const jali_space_attribute mixed[] = {
        { .column = "c3", .domain = 5 },
        { .column = "c4", .domain = 7, .n = 7, .mark = ordered },
        { .column = "c5", .domain = 4, .n = 2, .mark = ordered }
    };
    jali_space_spec spec = { 3, mixed, 1, 3, 0, NULL };
    check_space(&spec, JALI_INFLUENCE_AVG, false);
    check_space(&spec, JALI_INFLUENCE_COUNT, true);
}

SENTENCE(listed_predicates_may_be_anything)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    const jali_predicate *list[300];
    size_t n = 0;
    for (uint64_t z = 0; z < 140; z++) /* c6 = z OR c7 = z: more than one batch of them */
        list[n++] = jali_predicate_or(&arena, jali_predicate_range(&arena, "c6", LARGE, z, z),
                                      jali_predicate_range(&arena, "c7", LARGE, z, z + 400));
    list[n++] = jali_predicate_constant(&arena, JALI_TRUE);
    list[n++] = jali_predicate_not(&arena, jali_predicate_range(&arena, "c4", 7, 2, 3));
    list[n++] = jali_predicate_is_null(&arena, "c3", 5);
    jali_space_spec alone = { 0, NULL, 0, 0, n, list }, both = { 3, plain, 2, 2, n, list };
    check_space(&alone, JALI_INFLUENCE_AVG, true);
    check_space(&both, JALI_INFLUENCE_SUM, false);
    jali_arena_clear(&arena);
}

/* 1499 x 1499 predicates, of which at most 300 match somebody. */
SENTENCE(what_matches_nothing_is_scored_without_being_listed)
{
    UNUSED_STATE;
    const jali_space_attribute large[] = { { .column = "c6", .domain = LARGE },
                                           { .column = "c7", .domain = LARGE, .nulls = true } };
    jali_space_spec spec = { 2, large, 2, 2, 0, NULL };
    small t;
    jali_arena arena = JALI_ARENA_INIT;
    table_make(&t, 5);
    jali_influence inf = question(JALI_INFLUENCE_AVG);
    jali_study study = {
        .columns = t.columns, .groups = &groups, .summed = "c2", .influence = &inf
    };
    CHECK_OK(jali_space_new(&study.space, &spec, &arena, NULL));
    CHECK(study.space->part[0].sparse && jali_space_size(study.space) == 1499 * 1500);
    const jali_scores *scores;
    truth q = { &t, &study, &spec, 0 };
    CHECK_OK(jali_study_scores(&study, &arena, &scores, NULL));
    size_t seen = 0, other = 0;
    for (size_t i = 0; i < scores->n; i++) other += scores->score[i] != 0;
    for (size_t row = 0; row < ROWS; row++) {
        jali_space_member m = { .n = 2,
                                .attribute = { 0, 1 },
                                .mark = { small_code(&t, 6, row), small_code(&t, 7, row) } };
        uint64_t i = jali_space_find(study.space, &m);
        if (i == UINT64_MAX) continue;
        jali_space_at(study.space, i, &m);
        numbers x = count(&q, &m);
        CHECK(scores->score[i] == expected(&inf.spec, &x));
        seen += scores->score[i] != 0;
    }
    CHECK(seen > 20 && other == seen);
    jali_arena_clear(&arena);
    small_free(&t);
}

/* The twin: a space that says one thing and is counted as another must be seen. */
SENTENCE(a_wrong_space_is_seen)
{
    UNUSED_STATE;
    static const jali_range shifted[] = { { 0, 1 }, { 0, 2 } }, said[] = { { 0, 1 }, { 0, 3 } };
    const jali_space_attribute a = { .column = "c4", .domain = 7, .n = 2, .mark = shifted };
    small t;
    jali_arena arena = JALI_ARENA_INIT;
    table_make(&t, 9);
    jali_influence inf = question(JALI_INFLUENCE_COUNT);
    jali_study study = { .columns = t.columns, .groups = &groups, .influence = &inf };
    jali_space_spec spec = { 1, &a, 1, 1, 0, NULL };
    CHECK_OK(jali_space_new(&study.space, &spec, &arena, NULL));
    const jali_scores *scores;
    CHECK_OK(jali_study_scores(&study, &arena, &scores, NULL));
    truth q = { &t, &study, &spec, 0 };
    jali_space_member m = { .n = 1, .range = { said[1] } };
    numbers x = count(&q, &m);
    CHECK(scores->score[1] != expected(&inf.spec, &x));
    jali_arena_clear(&arena);
    small_free(&t);
}

static void refused(const jali_space_spec *spec, const char *words)
{
    jali_arena arena = JALI_ARENA_INIT;
    const jali_space *space = NULL;
    jali_err err;
    CHECK(jali_space_new(&space, spec, &arena, &err) == JALI_E_USAGE && space == NULL);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    jali_arena_clear(&arena);
}

SENTENCE(spaces_that_make_no_sense_are_refused_from_public_numbers)
{
    UNUSED_STATE;
    refused(&(jali_space_spec){ 0, NULL, 1, 1, 0, NULL }, "no predicate");
    refused(&(jali_space_spec){ 3, plain, 1, 4, 0, NULL }, "1 to 3 parts");
    refused(&(jali_space_spec){ 3, plain, 0, 1, 0, NULL }, "1 to 3 parts");
    refused(&(jali_space_spec){ 2, plain, 3, 3, 0, NULL }, "not more than there are");
    const jali_range beyond[] = { { 3, 5 } };
    const jali_space_attribute out = { .column = "c3", .domain = 5, .n = 1, .mark = beyond };
    refused(&(jali_space_spec){ 1, &out, 1, 1, 0, NULL }, "outside its domain");
    const jali_space_attribute empty = { .column = "c3", .domain = 1 };
    refused(&(jali_space_spec){ 1, &empty, 1, 1, 0, NULL }, "no values");
    const jali_range one[] = { { 0, 1 } };
    const jali_space_attribute wide[] = {
        { .column = "c6", .domain = 5000, .n = 1, .mark = one },
        { .column = "c7", .domain = 5000 }
    };
    refused(&(jali_space_spec){ 2, wide, 2, 2, 0, NULL }, "coarser bins");
    const jali_space_attribute huge[] = { { .column = "a", .domain = 1u << 30 },
                                          { .column = "b", .domain = 1u << 30 },
                                          { .column = "c", .domain = 1u << 30 } };
    refused(&(jali_space_spec){ 3, huge, 3, 3, 0, NULL }, "too many predicates");
}

SENTENCE(studies_are_checked_before_they_are_paid_for)
{
    UNUSED_STATE;
    small t;
    jali_arena arena = JALI_ARENA_INIT;
    jali_err err;
    table_make(&t, 3);
    jali_influence inf = question(JALI_INFLUENCE_COUNT);
    const jali_space_attribute other = { .column = "c3", .domain = 6 };
    const jali_space_attribute none = { .column = "nobody", .domain = 6 };
    jali_study study = { .columns = t.columns, .groups = &groups, .influence = &inf };
    jali_space_spec spec = { 1, &other, 1, 1, 0, NULL };
    CHECK_OK(jali_space_new(&study.space, &spec, &arena, NULL));
    CHECK(jali_study_check(&study, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "another domain");
    spec.attribute = &none;
    CHECK_OK(jali_space_new(&study.space, &spec, &arena, NULL));
    CHECK(jali_study_check(&study, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "no column \"nobody\"");
    study.summed = "c2"; /* COUNT sums nothing */
    CHECK(jali_study_check(&study, &err) == JALI_E_INTERNAL);
    jali_groups twice = groups;
    memcpy(twice.code[1], twice.code[0], sizeof twice.code[0]);
    study.summed = NULL;
    study.groups = &twice;
    CHECK(jali_study_check(&study, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "same group twice");
    jali_arena_clear(&arena);
    small_free(&t);
}

/* 2000 x 2000 cells are allowed for ranges, but not for sixteen groups, one more and another.
 */
SENTENCE(ranges_for_many_groups_are_refused_before_they_are_paid_for)
{
    UNUSED_STATE;
    small t = { .rows = 10, .seed = 1 };
    jali_arena arena = JALI_ARENA_INIT;
    jali_err err;
    const jali_range low = { 0, 9 };
    const jali_space_attribute many[] = {
        { .column = "c0", .domain = 2000, .n = 1, .mark = &low },
        { .column = "c1", .domain = 2000 }
    };
    const jali_space_spec spec = { 2, many, 2, 2, 0, NULL };
    for (int i = 0; i < 3; i++) small_add(&t, 2000, 2);
    small_open(&t);
    jali_influence_spec s = {
        .of = JALI_INFLUENCE_COUNT, .groups = 16, .num = 1, .den = 1, .rows_per_person = 1
    };
    jali_groups who = { 1, { "c2" }, { 2000 }, 16, { { 0 } } };
    for (unsigned g = 0; g < 16; g++) {
        who.code[g][0] = g;
        s.weight[g] = 1;
    }
    jali_influence inf;
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    jali_study study = { .columns = t.columns, .groups = &who, .influence = &inf };
    CHECK_OK(jali_space_new(&study.space, &spec, &arena, NULL));
    CHECK(jali_study_check(&study, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "fewer groups");
    s.groups = who.n = 2;
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    CHECK_OK(jali_study_check(&study, &err));
    jali_arena_clear(&arena);
    small_free(&t);
}

SENTENCE(arrivals_and_absentees_have_their_numbers)
{
    UNUSED_STATE;
    const uint64_t list[] = { 0, 3, 4, 9 };
    const int64_t score[8] = { 0 };
    jali_arrivals a = { 0 };
    jali_score_piece dense = { .first = 0, .span = 5, .score = score, .n = 5 };
    jali_score_piece none = { .first = 5, .span = 10, .cell = list, .score = score, .n = 0 };
    jali_score_piece two = { .first = 5, .span = 10, .cell = list, .score = score, .n = 2 };
    jali_score_piece rest = {
        .first = 5, .span = 10, .cell = list + 2, .score = score, .n = 2
    };
    jali_score_piece last = { .first = 15, .span = 3, .score = score, .n = 3 };
    const jali_score_piece *all[] = { &dense, &none, &two, &rest, &last };
    for (int i = 0; i < 5; i++) CHECK_OK(jali_arrivals_note(&a, all[i]));
    CHECK(a.n == 12 && a.idle == 6 && a.n_runs == 3);
    static const uint64_t came[] = { 0, 1, 2, 3, 4, 5, 8, 9, 14, 15, 16, 17 };
    static const uint64_t idle[] = { 6, 7, 10, 11, 12, 13 };
    for (uint64_t i = 0; i < 12; i++) CHECK(jali_arrivals_number(&a, i) == came[i]);
    for (uint64_t i = 0; i < 6; i++) CHECK(jali_arrivals_idle(&a, i) == idle[i]);
    jali_arrivals_clear(&a);
}

RUN_ALL(TEST(conjunctions_of_every_length_are_scored_as_their_rows_say),
        TEST(inequalities_are_sums_over_ranges), TEST(listed_predicates_may_be_anything),
        TEST(what_matches_nothing_is_scored_without_being_listed), TEST(a_wrong_space_is_seen),
        TEST(spaces_that_make_no_sense_are_refused_from_public_numbers),
        TEST(studies_are_checked_before_they_are_paid_for),
        TEST(ranges_for_many_groups_are_refused_before_they_are_paid_for),
        TEST(arrivals_and_absentees_have_their_numbers))
