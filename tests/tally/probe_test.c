/* Refutes probe.pdp, probe.ale, probe.pfi and probe.blocks if it can: all sorts of neighbours
 * of small tables under models that swing as far as they may, or further. */
#include "engine/columns.h"
#include "tally/open.h"
#include "tally/probe.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 8, POINTS = 3, TRIALS = 6000 };

static const char schema_text[] =
    "{\"name\":\"t\",\"jali\":{\"person\":\"who\",\"rowsPerPerson\":2},\"fields\":["
    "{\"name\":\"who\"},"
    "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":2}},"
    "{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":2}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static uint64_t seed = 20261116;
static double answer[4][4]; /* of the model, by a and b; NULL last */
static const unsigned char key[16] = "not very secret";
static bool absolute;              /* errors of pfi */
static uint64_t most = UINT64_MAX; /* of a row of pfi: nothing is cut */

static uint64_t roll(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % n;
}

static int model(const double *x, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double a = x[i * width], b = x[i * width + 1];
        out[i] = answer[isnan(a) ? 3 : (int)a][isnan(b) ? 3 : (int)b];
    }
    return 0;
}

/* Bounds are 2 and 6; a model may say more, and then counts as the bound. */
static void new_model(void)
{
    static const double some[] = { -100, 2, 2, 3.3, 6, 6, 1e9 };
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) answer[a][b] = some[roll(7)];
}

typedef struct table {
    size_t rows;
    uint8_t a[MOST], b[MOST], y[MOST];
    uint64_t who[MOST];
} table;

static void add_row(table *t, uint64_t who)
{
    t->a[t->rows] = (uint8_t)roll(4);
    t->b[t->rows] = (uint8_t)roll(4);
    t->y[t->rows] = (uint8_t)(roll(2) * 9);
    t->who[t->rows++] = who;
}

typedef enum kind { PDP, ALE, COUNTS, PFI, CURVE, RANK } kind;

/* Says something else for every block: out of all bounds, and as different as it can; or it
 * fails, which must not be seen. */
static jali_status wild(void *self, const jali_frame *rows, double *out, jali_err *err)
{
    uint64_t h = *(uint64_t *)self;
    for (size_t i = 0; i < rows->rows * rows->width; i++)
        h = (h ^ rows->code[i]) * 0x9e3779b97f4a7c15;
    for (size_t k = 0; k < 4; k++) {
        h ^= h >> 29;
        h *= 0xbf58476d1ce4e5b9;
        out[k] = (h >> 40 & 1) ? 1e6 + (double)(h >> 50) : -1e6 - (double)(h >> 50);
    }
    if (h >> 33 & 1) return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "failed");
    return JALI_OK;
}

static jali_model *open_model(void)
{
    static const char *const columns[] = { "a", "b" };
    jali_model *m;
    jali_model_spec spec = { .model = "test", .memory = model, .columns = columns, .n = 2 };
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    return m;
}

static const jali_tally *probe(jali_model *m, const table *t, kind what, uint64_t *salt,
                               jali_arena *room)
{
    static const uint32_t point[POINTS] = { 0, 1, 2 };
    const jali_column column[] = { { "a", 1, 4, t->rows, t->a },
                                   { "b", 1, 4, t->rows, t->b },
                                   { "y", 1, 11, t->rows, t->y },
                                   { JALI_PERSON_COLUMN, 8, JALI_PERSON_DOMAIN, t->rows,
                                     t->who } };
    jali_columns *columns;
    CHECK_OK(jali_columns_borrow(&columns, column, 4, NULL));
    jali_probe p = { .columns = columns,
                     .schema = &schema,
                     .plain = { m, 2, 6, absolute },
                     .key = key,
                     .label = &schema.fields[3],
                     .label_is = -1 };
    jali_blocks blocks = { 3, 4, wild, salt };
    const jali_tally *sums = NULL, *counts = NULL;
    if (what == PDP)
        CHECK_OK(jali_probe_pdp(&p, 0, point, POINTS, room, &sums, NULL));
    else if (what == ALE || what == COUNTS)
        CHECK_OK(jali_probe_ale(&p, 0, point, POINTS, room, &sums, &counts, NULL));
    else if (what == PFI)
        CHECK_OK(jali_probe_pfi(&p, most, room, &sums, NULL));
    else if (what == CURVE)
        CHECK_OK(jali_probe_curve(&p, &blocks, -1, 1, room, &sums, NULL));
    else
        CHECK_OK(jali_probe_rank(&p, &blocks, room, &sums, NULL));
    jali_columns_free(columns);
    return what == COUNTS ? counts : sums;
}

typedef struct norms {
    double l1, l2, linf;
} norms;

static void measure(const jali_tally *x, const jali_tally *y, norms *worst)
{
    norms n = { 0, 0, 0 };
    CHECK(x->n == y->n);
    for (size_t i = 0; i < x->n; i++) {
        double d = fabs((double)(x->cell[i] - y->cell[i]));
        n.l1 += d;
        n.l2 += d * d;
        n.linf = fmax(n.linf, d);
    }
    worst->l1 = fmax(worst->l1, n.l1);
    worst->l2 = fmax(worst->l2, sqrt(n.l2));
    worst->linf = fmax(worst->linf, n.linf);
}

/* The furthest that a person with so many rows moved anything, among many tables. */
static norms furthest(kind what, int rows, jali_reach *reach)
{
    norms worst = { 0, 0, 0 };
    jali_model *m = open_model();
    for (int trial = 0; trial < TRIALS; trial++) {
        jali_arena room = JALI_ARENA_INIT;
        table t = { 0 };
        uint64_t salt = roll(UINT64_MAX);
        new_model();
        for (size_t i = roll(4); i > 0; i--) add_row(&t, roll(1000));
        const jali_tally *without = probe(m, &t, what, &salt, &room);
        uint8_t a = (uint8_t)roll(4), b = (uint8_t)roll(4), y = (uint8_t)(roll(2) * 9);
        for (int k = 0; k < rows; k++) { /* twins move a sum furthest */
            add_row(&t, 5000);
            if (roll(4) > 0) t.a[t.rows - 1] = a, t.b[t.rows - 1] = b, t.y[t.rows - 1] = y;
        }
        const jali_tally *with = probe(m, &t, what, &salt, &room);
        measure(with, without, &worst);
        *reach = jali_tally_reach(with);
        jali_arena_clear(&room);
    }
    jali_model_free(m);
    return worst;
}

/* Never above the claim, and a claim 1% smaller is refuted by one of these tables. */
static void claim_is_true_and_tight(kind what, bool tight)
{
    jali_reach r;
    norms w = furthest(what, 2, &r);
    CHECK(w.l1 <= (double)r.l1 && w.l2 <= (double)r.l2 && w.linf <= (double)r.linf);
    if (!tight) return;
    CHECK(w.l1 > 0.99 * (double)r.l1);
    CHECK(w.l2 > 0.99 * (double)r.l2);
    CHECK(w.linf > 0.99 * (double)r.linf);
}

SENTENCE(partial_dependence_moves_as_far_as_claimed) /* probe.pdp */
{
    UNUSED_STATE;
    claim_is_true_and_tight(PDP, true);
}

SENTENCE(local_effects_move_as_far_as_claimed) /* probe.ale */
{
    UNUSED_STATE;
    claim_is_true_and_tight(ALE, true);
    claim_is_true_and_tight(COUNTS, true);
}

/* One row of the two that are allowed attains half of the claim, whether rows are cut to less
 * than a cell, to less than their cells together, or not at all. (Of two rows that follow each
 * other one lender is a sister: together they move it a little less than claimed.) */
SENTENCE(borrowed_columns_move_as_far_as_claimed) /* probe.pfi */
{
    UNUSED_STATE;
    static const uint64_t cut[] = { JALI_PROBE_HALF / 3, 3 * JALI_PROBE_HALF, UINT64_MAX };
    static const uint64_t want[] = { JALI_PROBE_HALF / 3 * 3, 7 * JALI_PROBE_HALF,
                                     8 * JALI_PROBE_HALF };
    for (int i = 0; i < 6; i++) {
        jali_reach r;
        absolute = i % 2 == 1;
        most = cut[i / 2];
        norms two = furthest(PFI, 2, &r), one = furthest(PFI, 1, &r);
        CHECK(r.l1 == 2 * want[i / 2]);
        CHECK(two.l1 <= (double)r.l1 && two.l2 <= (double)r.l2 && two.linf <= (double)r.linf);
        CHECK(one.l1 <= (double)r.l1 / 2 && one.linf <= (double)r.linf / 2);
        CHECK(one.l1 > (i / 2 == 1 ? 0.85 : 0.99) * (double)r.l1 / 2);
        CHECK(one.linf > 0.99 * (double)r.linf / 2);
    }
    absolute = false;
    most = UINT64_MAX;
}

SENTENCE(blocks_move_as_far_as_claimed_whatever_the_explainer_says) /* probe.blocks */
{
    UNUSED_STATE;
    claim_is_true_and_tight(CURVE, true);
    claim_is_true_and_tight(RANK, true);
}

/* ---- the truth ------------------------------------------------------------------------ */

static void some_table(table *t)
{
    *t = (table){ 0 };
    for (int i = 0; i < MOST; i++) add_row(t, (uint64_t)i);
}

static double cut(double y)
{
    return y < 2 ? 2 : y > 6 ? 6 : y;
}

SENTENCE(partial_dependence_is_the_sum_over_the_rows)
{
    UNUSED_STATE;
    jali_model *m = open_model();
    for (int trial = 0; trial < 50; trial++) {
        jali_arena room = JALI_ARENA_INIT;
        table t;
        new_model();
        some_table(&t);
        const jali_tally *sums = probe(m, &t, PDP, NULL, &room);
        for (int r = 0; r < POINTS; r++) {
            double want = 0;
            for (size_t i = 0; i < t.rows; i++) want += cut(answer[r][t.b[i]]) - 4;
            CHECK(fabs((double)sums->cell[r] * 4 / (2 << 20) - want) < 1e-4);
        }
        jali_arena_clear(&room);
    }
    jali_model_free(m);
}

SENTENCE(local_effects_are_differences_within_their_interval)
{
    UNUSED_STATE;
    jali_model *m = open_model();
    for (int trial = 0; trial < 50; trial++) {
        jali_arena room = JALI_ARENA_INIT;
        table t;
        double want[2] = { 0 };
        int64_t rows[3] = { 0 };
        new_model();
        some_table(&t);
        const jali_tally *sums = probe(m, &t, ALE, NULL, &room);
        const jali_tally *counts = probe(m, &t, COUNTS, NULL, &room);
        for (size_t i = 0; i < t.rows; i++) {
            int at = t.a[i] == 3 ? 2 : t.a[i] <= 1 ? 0 : 1;
            rows[at]++;
            if (at < 2) want[at] += cut(answer[at + 1][t.b[i]]) - cut(answer[at][t.b[i]]);
        }
        for (int i = 0; i < 2; i++)
            CHECK(fabs((double)sums->cell[i] * 4 / (2 << 20) - want[i]) < 1e-4);
        for (int i = 0; i < 3; i++) CHECK(counts->cell[i] == rows[i]);
        jali_arena_clear(&room);
    }
    jali_model_free(m);
}

/* Two rows lend to each other, so the truth is known without the order. */
static void rises(const table *t, double power, double *out)
{
    for (int i = 0; i < 2; i++) {
        int o = 1 - i;
        double as_it_is = pow(fabs(cut(t->y[i]) - cut(answer[t->a[i]][t->b[i]])), power);
        out[0] += pow(fabs(cut(t->y[i]) - cut(answer[t->a[o]][t->b[i]])), power) - as_it_is;
        out[1] += pow(fabs(cut(t->y[i]) - cut(answer[t->a[i]][t->b[o]])), power) - as_it_is;
    }
}

SENTENCE(importance_is_what_borrowing_adds_to_the_error)
{
    UNUSED_STATE;
    jali_model *m = open_model();
    for (int trial = 0; trial < 200; trial++) {
        jali_arena room = JALI_ARENA_INIT;
        table t = { 0 };
        double want[2] = { 0, 0 };
        absolute = trial % 2 == 1;
        new_model();
        add_row(&t, 1);
        add_row(&t, 2);
        const jali_tally *sums = probe(m, &t, PFI, NULL, &room);
        rises(&t, absolute ? 1 : 2, want);
        for (int k = 0; k < 2; k++)
            CHECK(fabs((double)sums->cell[k] * (absolute ? 4 : 16) / (2 << 20) - want[k]) <
                  1e-4);
        CHECK(sums->n == 2);
        jali_arena_clear(&room);
    }
    absolute = false;
    jali_model_free(m);
}

/* A row whose rises are 2^21 and 2^20 may add half of that: in the same proportion. */
SENTENCE(a_long_row_is_shortened_and_keeps_its_direction)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    jali_model *m = open_model();
    table t = { .rows = 2, .a = { 0, 1 }, .b = { 0, 1 }, .y = { 0, 5 }, .who = { 1, 2 } };
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) answer[a][b] = 4;
    answer[0][0] = 2; /* the first row is right, by itself and by no borrowed column */
    answer[1][0] = 6;
    absolute = true;
    t.y[1] = 10; /* NULL: the second row has no label and adds nothing */
    const jali_tally *whole = probe(m, &t, PFI, NULL, &room);
    CHECK(whole->cell[0] == 2 * JALI_PROBE_HALF && whole->cell[1] == JALI_PROBE_HALF);
    most = 3 * JALI_PROBE_HALF / 2;
    const jali_tally *cut_one = probe(m, &t, PFI, NULL, &room);
    CHECK(cut_one->cell[0] == JALI_PROBE_HALF && cut_one->cell[1] == JALI_PROBE_HALF / 2);
    absolute = false;
    most = UINT64_MAX;
    jali_model_free(m);
    jali_arena_clear(&room);
}

/* Nothing may hang on row numbers: the same rows in another order are the same table. */
SENTENCE(the_order_of_rows_changes_nothing)
{
    UNUSED_STATE;
    jali_model *m = open_model();
    for (int trial = 0; trial < 200; trial++) {
        jali_arena room = JALI_ARENA_INIT;
        table t, u;
        uint64_t salt = roll(UINT64_MAX);
        new_model();
        some_table(&t);
        u = t;
        for (size_t i = MOST - 1; i > 0; i--) {
            size_t k = roll(i + 1);
#define SWAP(x)                                                                                \
    do {                                                                                       \
        __typeof__(u.x[0]) z_ = u.x[i];                                                        \
        u.x[i] = u.x[k];                                                                       \
        u.x[k] = z_;                                                                           \
    } while (0)
            SWAP(a);
            SWAP(b);
            SWAP(y);
            SWAP(who);
        }
        for (kind what = PDP; what <= RANK; what++) {
            const jali_tally *x = probe(m, &t, what, &salt, &room);
            const jali_tally *y = probe(m, &u, what, &salt, &room);
            CHECK(memcmp(x->cell, y->cell, x->n * sizeof *x->cell) == 0);
        }
        jali_arena_clear(&room);
    }
    jali_model_free(m);
}

static int set_up(void **state)
{
    (void)state;
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK;
}

static int tear_down(void **state)
{
    (void)state;
    jali_arena_clear(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(partial_dependence_moves_as_far_as_claimed),
        TEST(local_effects_move_as_far_as_claimed),
        TEST(borrowed_columns_move_as_far_as_claimed),
        TEST(blocks_move_as_far_as_claimed_whatever_the_explainer_says),
        TEST(partial_dependence_is_the_sum_over_the_rows),
        TEST(local_effects_are_differences_within_their_interval),
        TEST(importance_is_what_borrowing_adds_to_the_error),
        TEST(a_long_row_is_shortened_and_keeps_its_direction),
        TEST(the_order_of_rows_changes_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
