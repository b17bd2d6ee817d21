/* Refutes score.influence.exact if it can: plain rationals on random tables, numbers at the
 * end of their types, pieces against the whole, tallies of another shape. */
#include "base/rat.h"
#include "score/crowd.h"
#include "tally/plan.h"
#include "tally/small.h"

enum { G, X, Y, Z, V, COLUMNS }; /* group, three attributes, the value */
enum { SPARE = 2 };              /* labels that are no group           */

typedef struct world {
    small table;
    jali_plan *plan;
    jali_arena arena;
    jali_influence inf;
    const jali_influence_table *bound;
    unsigned attributes;
    uint32_t labels;
} world;

static void label_of(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    for (size_t i = 0; i < block->rows; i++) out[i] = (uint16_t)small_block_code(block, 0, i);
}

static void plan_table(world *w, size_t slice, const char *const *by, size_t n, size_t *table)
{
    const jali_influence_spec *s = &w->inf.spec;
    if (s->of == JALI_INFLUENCE_COUNT)
        CHECK_OK(jali_plan_counts(w->plan, slice, by, n, table, NULL));
    else
        CHECK_OK(jali_plan_sums(w->plan, slice, by, n, "c4", s->centre, table, NULL));
}

/* Rows in memory, counted by the real plan, bound. */
static void world_open(world *w, size_t rows)
{
    static const char *const names[] = { "c0", "c1", "c2", "c3" };
    const jali_influence_spec *s = &w->inf.spec;
    const uint64_t domain[COLUMNS] = { w->labels, 3, 4, 2, s->codes + 1 };
    const jali_tallies *all;
    size_t slice, cells, totals;
    w->table.rows = rows;
    w->table.n = 0;
    for (int c = 0; c < COLUMNS; c++) small_add(&w->table, domain[c], 2);
    small_open(&w->table);
    jali_label label = {
        .labels = w->labels, .n = 1, .columns = names, .label = label_of, .self = NULL
    };
    CHECK_OK(jali_plan_new(&w->plan, w->table.columns, s->rows_per_person, NULL));
    CHECK_OK(jali_plan_slice(w->plan, &label, NULL, &slice, NULL));
    plan_table(w, slice, names + 1, w->attributes, &cells);
    plan_table(w, slice, NULL, 0, &totals);
    CHECK_OK(jali_plan_run(w->plan, NULL, &w->arena, &all, NULL));
    CHECK_OK(jali_influence_bind(
        &w->bound, &w->inf, jali_tallies_counts(all, cells), jali_tallies_sums(all, cells),
        jali_tallies_counts(all, totals), jali_tallies_sums(all, totals), &w->arena, NULL));
}

static void world_close(world *w)
{
    jali_plan_free(w->plan);
    small_free(&w->table);
    jali_arena_clear(&w->arena);
}

/* The definition, row by row: Agg of the group less Agg of the group without p. */
static void group_part(const world *w, unsigned j, const uint64_t *code, mpq_t lost, int64_t *n,
                       int64_t *b)
{
    const jali_influence_spec *s = &w->inf.spec;
    int64_t sum = 0, rest = 0;
    *n = *b = 0;
    for (size_t i = 0; i < w->table.rows; i++) {
        uint64_t v = small_code(&w->table, V, i);
        if (small_code(&w->table, G, i) != j) continue;
        if (s->of != JALI_INFLUENCE_COUNT && v == s->codes) continue; /* NULL */
        int64_t value = s->of == JALI_INFLUENCE_COUNT ? 1 : s->low + (int64_t)v;
        bool in = true;
        for (unsigned k = 0; k < w->attributes; k++)
            in = in && small_code(&w->table, X + k, i) == code[k];
        ++*n;
        sum += value;
        if (!in) ++*b, rest += value;
    }
    mpq_set_si(lost, sum - rest, 1);
    if (s->of != JALI_INFLUENCE_AVG || *n == 0 || *b == 0) return;
    mpq_t without;
    mpq_init(without);
    mpq_set_si(lost, sum, (unsigned long)*n);
    mpq_set_si(without, rest, (unsigned long)*b);
    mpq_canonicalize(lost);
    mpq_canonicalize(without);
    mpq_sub(lost, lost, without);
    mpq_clear(without);
}

static int64_t plain_score(const world *w, const uint64_t *code)
{
    const jali_influence_spec *s = &w->inf.spec;
    int64_t m = INT64_MAX, M = 0;
    mpq_t all, lost, x;
    mpz_t floor;
    mpz_init(floor);
    mpq_inits(all, lost, x, NULL);
    for (unsigned j = 0; j < s->groups; j++) {
        int64_t n, b;
        group_part(w, j, code, lost, &n, &b);
        mpq_set_si(x, s->weight[j], 1);
        mpq_mul(lost, lost, x);
        mpq_add(all, all, lost);
        m = b < m ? b : m;
        M = n > M ? n : M;
    }
    mpq_set_si(x, m, s->of == JALI_INFLUENCE_AVG ? 1 : (unsigned long)M + 1);
    mpq_canonicalize(x);
    mpq_mul(all, all, x);
    mpq_set_ui(x, s->num, s->den);
    mpq_canonicalize(x);
    mpq_mul(all, all, x);
    mpz_fdiv_q(floor, mpq_numref(all), mpq_denref(all));
    int64_t score = mpz_get_si(floor);
    mpz_clear(floor);
    mpq_clears(all, lost, x, NULL);
    return score;
}

/* Scores that differ from the definition, and how many are not 0. */
static size_t differ(const world *w, size_t *alive)
{
    const jali_scores *scores;
    jali_arena arena = JALI_ARENA_INIT;
    size_t wrong = 0;
    CHECK_OK(jali_influence_scores(&w->bound, 1, &arena, &scores, NULL));
    CHECK(scores->n == jali_influence_predicates(w->bound));
    CHECK(scores->range == w->inf.range && scores->sensitivity == w->inf.sensitivity);
    for (size_t i = 0; i < scores->n; i++) {
        uint64_t code[JALI_INFLUENCE_ATTRIBUTES];
        jali_influence_codes(w->bound, i, code);
        int64_t truth = plain_score(w, code);
        wrong += scores->score[i] != truth;
        *alive += truth != 0;
    }
    jali_arena_clear(&arena);
    return wrong;
}

static void random_world(world *w, small *dice, unsigned turn)
{
    static const int64_t low[] = { 0, -7, 3, -3, -40, 20000 };
    static const uint64_t fine[][2] = {
        { 1, 1 }, { 1000, 1 }, { 7, 3 }, { 1, 5 }, { 4096, 1 }
    };
    jali_influence_spec s = { .of = (jali_influence_of)(turn % 3), .rows_per_person = 1 };
    uint64_t grid = small_roll(dice, 5);
    s.groups = 1 + (unsigned)small_roll(dice, 4);
    s.low = low[small_roll(dice, 6)];
    s.codes = 1 + small_roll(dice, 9);
    s.centre = small_roll(dice, s.codes);
    s.num = fine[grid][0];
    s.den = fine[grid][1];
    s.nulls = small_roll(dice, 2) == 1;
    for (unsigned j = 0; j < s.groups; j++) s.weight[j] = (int32_t)small_roll(dice, 9) - 4;
    s.weight[0] = s.weight[0] == 0 ? 1 : s.weight[0];
    if (s.groups == 2 && turn % 2) s.weight[1] = -s.weight[0];
    CHECK_OK(jali_influence_init(&w->inf, &s, NULL));
    w->attributes = 1 + (unsigned)small_roll(dice, 3);
    w->labels = s.groups + SPARE;
    w->table.seed = dice->seed | 1;
}

SENTENCE(scores_are_floors_of_the_exact_influence)
{
    UNUSED_STATE;
    small dice = { .seed = 20261116 };
    size_t alive = 0, sheared = 0;
    for (unsigned turn = 0; turn < 900; turn++) {
        world w = { .arena = JALI_ARENA_INIT };
        random_world(&w, &dice, turn);
        world_open(&w, small_roll(&dice, turn % 5 == 0 ? 6 : 120)); /* some groups are empty */
        CHECK(differ(&w, &alive) == 0);
        w.inf.spec.weight[0]++;
        int64_t other;
        jali_influence_fill(w.bound, 0, 1, &other); /* the twin: another weight */
        w.inf.spec.weight[0]--;
        uint64_t first[JALI_INFLUENCE_ATTRIBUTES] = { 0 };
        sheared += other != plain_score(&w, first);
        world_close(&w);
    }
    CHECK(alive > 3000 && sheared > 100); /* the comparison can fail */
}

/* Both ways of averaging, on cells at the end of what a vault can hold. */
SENTENCE(numbers_at_the_end_of_their_types_agree_with_gmp)
{
    UNUSED_STATE;
    const int64_t rows = UINT32_MAX, v = (int64_t)1 << 30;
    int64_t count[2][6] = { { 0, 1, rows / 3, rows - 1, rows, rows / 2 },
                            { rows / 3, 1, rows - 1, rows / 3, 0, rows / 2 } };
    int64_t n[2] = { rows, rows }, S[2] = { rows * v, -rows * v }, sum[2][6];
    jali_influence_spec s = { .of = JALI_INFLUENCE_AVG,
                              .groups = 2,
                              .weight = { 1, -1 },
                              .low = -v,
                              .codes = (uint64_t)1 << 31,
                              .centre = (uint64_t)v,
                              .num = 1,
                              .den = 8,
                              .rows_per_person = 1,
                              .nulls = true };
    for (int i = 0; i < 6; i++) {
        sum[0][i] = count[0][i] * v;
        sum[1][i] = -count[1][i] * v + (i == 3 ? 12345 : 0);
    }
    jali_reach one = { .l1 = 1 }, many = { .l1 = (uint64_t)v };
    jali_tally counts = { 12, count[0], 2, { 2, 6 }, one },
               sums = { 12, sum[0], 2, { 2, 6 }, many };
    jali_tally ns = { 2, n, 1, { 2 }, one }, Ss = { 2, S, 1, { 2 }, many };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_influence_table *t;
    jali_influence inf;
    int64_t narrow[6], wide[6];
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    CHECK(!inf.wide);
    CHECK_OK(jali_influence_bind(&t, &inf, &counts, &sums, &ns, &Ss, &arena, NULL));
    jali_influence_fill(t, 0, 6, narrow);
    inf.wide = true;
    jali_influence_fill(t, 0, 6, wide);
    CHECK(memcmp(narrow, wide, sizeof wide) == 0);

    s.of = JALI_INFLUENCE_SUM; /* half of each group, at opposite ends: K M/4 less a little */
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    jali_influence_fill(t, 0, 6, narrow);
    CHECK(narrow[5] > ((int64_t)1 << 58) - ((int64_t)1 << 30) && narrow[5] <= (int64_t)1 << 58);
    jali_arena_clear(&arena);
}

/* 1/2 + 1/2 is 1: the place where a floor of two fractions goes wrong first. */
SENTENCE(two_halves_are_one)
{
    UNUSED_STATE;
    const crowd all = { { 1, 1 }, { 1, 1 } }, p = { { 1, 0 }, { 0, 1 } };
    for (int32_t w = 1; w <= 5; w += 2) {
        const int32_t weight[] = { w, -w };
        jali_influence inf = crowd_question(JALI_INFLUENCE_AVG, 2, weight, 0, 1, 1);
        int64_t score;
        inf.spec.num = inf.spec.den = 1;
        crowd_scores(&inf, &all, &p, 1, &score);
        assert_int_equal(score, w);
        inf.spec.weight[0] = -w;
        inf.spec.weight[1] = w;
        crowd_scores(&inf, &all, &p, 1, &score);
        assert_int_equal(score, -w);
    }
}

typedef struct gathered {
    int64_t score[400];
    size_t n;
} gathered;

static jali_status gather(void *self, const int64_t *score, size_t n)
{
    gathered *g = self;
    for (size_t i = 0; i < n; i++) g->score[g->n++] = score[i];
    return JALI_OK;
}

static jali_status full(void *self, const int64_t *score, size_t n)
{
    (void)score;
    *(size_t *)self += n;
    return JALI_E_ENTROPY;
}

SENTENCE(pieces_are_the_whole)
{
    UNUSED_STATE;
    small dice = { .seed = 5 };
    for (unsigned turn = 0; turn < 60; turn++) {
        world w = { .arena = JALI_ARENA_INIT };
        random_world(&w, &dice, turn);
        world_open(&w, 100);
        const jali_scores *all;
        gathered g = { .n = 0 };
        size_t seen = 0, n = (size_t)jali_influence_predicates(w.bound);
        CHECK_OK(jali_influence_scores(&w.bound, 1, &w.arena, &all, NULL));
        CHECK_OK(jali_influence_each(w.bound, gather, &g));
        CHECK(g.n == n && memcmp(g.score, all->score, n * sizeof *g.score) == 0);
        for (size_t i = 0; i < n; i++) {
            int64_t piece[8];
            size_t k = n - i < 8 ? n - i : 1 + turn % 8;
            jali_influence_fill(w.bound, i, k, piece);
            CHECK(memcmp(piece, all->score + i, k * sizeof *piece) == 0);
        }
        CHECK(jali_influence_each(w.bound, full, &seen) == JALI_E_ENTROPY && seen == n);
        world_close(&w);
    }
}

SENTENCE(null_is_a_value_only_when_asked_for)
{
    UNUSED_STATE;
    for (int nulls = 0; nulls < 2; nulls++) {
        world w = { .arena = JALI_ARENA_INIT, .attributes = 3, .labels = 2 };
        jali_influence_spec s = { .groups = 2,
                                  .weight = { 1, -1 },
                                  .codes = 1,
                                  .num = 1,
                                  .den = 1,
                                  .rows_per_person = 3,
                                  .nulls = nulls };
        w.table.seed = 3;
        CHECK_OK(jali_influence_init(&w.inf, &s, NULL));
        world_open(&w, 10);
        uint64_t code[JALI_INFLUENCE_ATTRIBUTES], n = jali_influence_predicates(w.bound);
        CHECK(n == (nulls ? 3 * 4 * 2 : 2 * 3 * 1));
        CHECK(jali_influence_attributes(w.bound) == 3);
        jali_influence_codes(w.bound, n - 1, code);
        CHECK(code[0] == (nulls ? 2 : 1) && code[1] == (nulls ? 3 : 2) &&
              code[2] == (nulls ? 1 : 0));
        world_close(&w);
    }
}

SENTENCE(tallies_of_another_question_are_refused)
{
    UNUSED_STATE;
    int64_t cell[12] = { 0 };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_influence_table *t = NULL;
    jali_influence inf;
    jali_influence_spec s = {
        .groups = 2, .weight = { 1, -1 }, .num = 1, .den = 1, .rows_per_person = 2
    };
    jali_err err;
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    jali_reach one = { .l1 = 1 }, two = { .l1 = 2 };
    jali_tally good = { 12, cell, 2, { 2, 6 }, two }, n = { 2, cell, 1, { 2 }, two };
    jali_tally person = good, groups = good, flat = good;
    person.reach = one; /* counted for persons of one row */
    groups.extent[0] = 1;
    flat.axes = 1;
    const jali_tally *bad[] = { &person, &groups, &flat, NULL };
    for (int i = 0; i < 4; i++) {
        CHECK(jali_influence_bind(&t, &inf, bad[i], NULL, &n, NULL, &arena, &err) != JALI_OK);
        CHECK_REFUSED(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "another shape");
    }
    CHECK(jali_influence_bind(&t, &inf, &good, &good, &n, &n, &arena, NULL) != JALI_OK);
    CHECK(jali_influence_bind(&t, &inf, &good, NULL, &good, NULL, &arena, NULL) != JALI_OK);
    CHECK(t == NULL);
    CHECK_OK(jali_influence_bind(&t, &inf, &good, NULL, &n, NULL, &arena, NULL));
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(scores_are_floors_of_the_exact_influence),
        TEST(numbers_at_the_end_of_their_types_agree_with_gmp), TEST(two_halves_are_one),
        TEST(pieces_are_the_whole), TEST(null_is_a_value_only_when_asked_for),
        TEST(tallies_of_another_question_are_refused))
