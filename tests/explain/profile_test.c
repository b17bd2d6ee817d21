/* Refutes profile.release if it can: the receipt is used up, edges are answered, planted
 * attributes are found, totals agree, intervals cover. */
#include "base/text.h"
#include "dice/laplace.h"
#include "engine/columns.h"
#include "explain/separate/profile.h"
#include "explain/separate/view.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { ROWS = 6000 };

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"home\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\",\"d\"]}},"
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
    "{\"name\":\"one\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\"]}},"
    "{\"name\":\"coin\",\"type\":\"boolean\"}]}";

static uint8_t home[ROWS], age[ROWS], one[ROWS], coin[ROWS], group[ROWS];
static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_columns *columns;

/* Group 0 lives in a, group 1 is old, group 2 is everybody else; `coin` is noise. */
static int make_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        group[i] = (uint8_t)(i % 3);
        home[i] = (uint8_t)(group[i] == 0 ? 0 : 1 + i / 3 % 3);
        age[i] = (uint8_t)(group[i] == 1 ? 80 + i % 20 : i * 7 % 80);
        coin[i] = (uint8_t)(i / 5 % 2);
    }
    const jali_column made[] = { { "home", 1, 5, ROWS, home },
                                 { "age", 1, 101, ROWS, age },
                                 { "one", 1, 2, ROWS, one },
                                 { "coin", 1, 3, ROWS, coin },
                                 { "group", 1, 255, ROWS, group } };
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK ||
           jali_columns_borrow(&columns, made, 5, NULL) != JALI_OK;
}

static int drop_table(void **state)
{
    (void)state;
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    return 0;
}

static void by_group(void *self, const jali_block *b, uint16_t *out)
{
    uint32_t labels = *(const uint32_t *)self;
    for (size_t i = 0; i < b->rows; i++)
        out[i] = (uint16_t)(((const uint8_t *)b->codes[0])[i] % labels);
}

/* A clustering over a column that the schema does not even show. */
static jali_status prepare(jali_profile *p, jali_profile_spec *spec, uint32_t *labels,
                           unsigned long num, unsigned long den, jali_err *err)
{
    static const char *const names[] = { "group" };
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    spec->schema = &schema;
    spec->clustering = "by group";
    spec->clusters = *labels;
    spec->budget = budget;
    if (spec->each == 0) spec->each = 1;
    if (spec->weight[0] + spec->weight[1] + spec->weight[2] == 0)
        spec->weight[0] = spec->weight[1] = spec->weight[2] = 1;
    if (spec->candidates == 0) spec->candidates = 3;
    jali_status status = jali_profile_init(p, spec, &arena, err);
    mpq_clear(budget);
    if (status != JALI_OK) return status;
    jali_label label = {
        .labels = *labels, .n = 1, .columns = names, .label = by_group, .self = labels
    };
    return jali_profile_bind(p, columns, &label, &arena, err);
}

static void view(const jali_profile *p, uint64_t seed, jali_arena *room, jali_view *out)
{
    jali_dice *dice = seeded_dice(seed);
    jali_charge paid = receipt(p->loss);
    char *body;
    CHECK_OK(jali_profile_run(p, NULL, &paid, dice, room, &body, NULL));
    CHECK(used_up(&paid)); /* what was charged is what the mechanisms took */
    CHECK_OK(jali_view_read(out, &schema, body, strlen(body), 0.05, room, NULL));
    jali_dice_free(dice);
}

static const char *column(const jali_view *v, size_t i)
{
    return schema.fields[v->pair[i].shown.field].name;
}

/* Runs and clears; the view's numbers must make sense whatever the noise was. */
static void check_sane(jali_profile_spec spec, uint32_t labels, unsigned long num,
                       unsigned long den)
{
    jali_profile p;
    jali_arena room = JALI_ARENA_INIT;
    jali_view v;
    jali_err err = { 0 };
    if (prepare(&p, &spec, &labels, num, den, &err) != JALI_OK) fail_msg("%s", err.text);
    view(&p, 7, &room, &v);
    CHECK(v.clusters == labels && v.each == spec.each);
    for (size_t i = 0; i < (size_t)labels * spec.each; i++) {
        const jali_view_pair *x = &v.pair[i];
        double in = 0, out = 0;
        for (uint32_t k = 0; k < x->shown.values; k++) {
            CHECK(x->inside[k] >= 0 && x->elsewhere[k] >= 0);
            in += x->inside[k];
            out += x->elsewhere[k];
        }
        bool cut = in == 0 || out == 0; /* every bar was noise below zero */
        CHECK(cut || fabs(in - x->inside_all.value) < 1e-3 * (1 + in));
        CHECK(jali_view_sentence(&v, x, &room) != NULL);
    }
    jali_arena_clear(&room);
    jali_profile_clear(&p);
}

SENTENCE(a_profile_never_costs_more_than_its_budget)
{
    UNUSED_STATE; /* profile.release */
    jali_profile p;
    uint32_t labels = 3;
    jali_profile_spec all = { .method = JALI_PROFILE_ALL },
                      paper = { .method = JALI_PROFILE_PAPER };
    CHECK_OK(prepare(&p, &all, &labels, 1, 1, NULL));
    CHECK(p.loss.eps_pico <= 1000000000000 && p.loss.eps_pico > 999999999990);
    jali_profile_clear(&p);
    CHECK_OK(prepare(&p, &paper, &labels, 1, 7, NULL));
    CHECK(p.loss.eps_pico <= 142857142858 && p.loss.eps_pico > 142857142850);
    jali_profile_clear(&p);
    all.law = paper.law = JALI_LAW_GAUSS;
    CHECK_OK(prepare(&p, &all, &labels, 1, 100, NULL));
    CHECK(p.loss.eps_infinite && p.loss.rho_pico <= 10000000000 &&
          p.loss.rho_pico > 9999990000);
    jali_profile_clear(&p);
    CHECK_OK(prepare(&p, &paper, &labels, 1, 100, NULL));
    CHECK(p.loss.rho_pico <= 10000000000 && p.loss.rho_pico > 9999990000);
    jali_profile_clear(&p);
}

SENTENCE(planted_attributes_are_found_and_said)
{
    UNUSED_STATE;
    for (int method = 0; method < 2; method++)
        for (int law = 0; law < 2; law++) {
            jali_profile p;
            uint32_t labels = 3;
            jali_arena room = JALI_ARENA_INIT;
            jali_view v;
            jali_profile_spec s = { .method = (jali_profile_method)method,
                                    .law = (jali_law)law };
            CHECK_OK(prepare(&p, &s, &labels, 3, 1, NULL));
            view(&p, 21, &room, &v);
            assert_string_equal(column(&v, 0), "home");
            assert_string_equal(column(&v, 1), "age");
            const char *said = jali_view_sentence(&v, &v.pair[0], &room);
            assert_non_null(
                strstr(said, "home is mostly a (100% against 0% elsewhere, give or take"));
            CHECK(strstr(said, "(about 2,0") != NULL || strstr(said, "(about 1,9") != NULL);
            said = jali_view_sentence(&v, &v.pair[1], &room);
            assert_non_null(strstr(said, "age is mostly [80, 99]"));
            jali_arena_clear(&room);
            jali_profile_clear(&p);
        }
}

/* True shares of cluster 0's home and of elsewhere, covered as often as said: 200 releases of
 * 10 shares each at 95%; fewer than 90% has probability below 1e-6 if 95% holds. */
SENTENCE(intervals_cover_the_true_shares)
{
    UNUSED_STATE;
    jali_profile p;
    uint32_t labels = 3;
    size_t only[] = { 0 };
    jali_profile_spec s = { .method = JALI_PROFILE_ALL, .n = 1, .field = only };
    int covered = 0, asked = 0;
    CHECK_OK(prepare(&p, &s, &labels, 1, 2, NULL));
    for (uint64_t seed = 1; seed <= 200; seed++) {
        jali_arena room = JALI_ARENA_INIT;
        jali_view v;
        view(&p, seed, &room, &v);
        for (uint32_t b = 0; b < 5; b++) {
            double in = b == 0, out = b == 0 ? 0 : b < 4 ? 1 / 3.0 : 0;
            jali_about x = jali_view_share(&v, &v.pair[0], true, b, b);
            jali_about y = jali_view_share(&v, &v.pair[0], false, b, b);
            covered += x.low - 1e-3 <= in && in <= x.high + 1e-3;
            covered += y.low - 1e-3 <= out && out <= y.high + 1e-3;
            asked += 2;
        }
        jali_arena_clear(&room);
    }
    CHECK(covered > 0.9 * asked);
    jali_profile_clear(&p);
}

/* ---- a column of many empty bars ------------------------------------------------------------
 */

enum { TOWNS = 400, BIG = 20000, SOME = 12, FEW = 100, SCALE = 20 };

static double count_of(unsigned town)
{
    return town == 0 ? BIG : town <= SOME ? FEW : 0;
}

static void write_towns(jali_text *text, bool body, jali_dice *dice)
{
    jali_laplace noise;
    mpq_t scale;
    mpq_init(scale);
    mpq_set_ui(scale, SCALE, 1);
    CHECK_OK(jali_laplace_init(&noise, scale, NULL));
    for (unsigned i = 0; i < TOWNS + (unsigned)body; i++) {
        int64_t z = 0;
        if (body) CHECK_OK(jali_laplace_draw(&noise, dice, &z));
        jali_text_add(text, i == 0 ? "" : ",");
        if (body)
            jali_text_format(text, "%lld", (long long)z + (long long)count_of(i));
        else
            jali_text_format(text, "\"t%u\"", i);
    }
    jali_laplace_clear(&noise);
    mpq_clear(scale);
}

static void view_towns(uint64_t seed, double miss, jali_arena *room, jali_schema *towns,
                       jali_view *out)
{
    jali_dice *dice = seeded_dice(seed);
    jali_text names = { 0 }, body = { 0 };
    jali_text_add(&names, "{\"name\":\"t\",\"fields\":[{\"name\":\"town\",\"type\":\"string\","
                          "\"constraints\":{\"enum\":[");
    write_towns(&names, false, dice);
    jali_text_add(&names, "]}}]}");
    jali_text_add(&body, "{\"clusters\":1,\"each\":1,\"law\":\"laplace\",\"scale_in\":\"20\","
                         "\"scale_beside\":\"20\",\"beside\":[{\"column\":\"town\",\"cells\":"
                         "null}],\"inside\":[{\"column\":\"town\",\"cells\":[");
    write_towns(&body, true, dice);
    jali_text_add(&body, "]}]}");
    CHECK_OK(jali_schema_parse(towns, names.at, strlen(names.at), "schema", room, NULL));
    CHECK_OK(jali_view_read(out, towns, body.at, strlen(body.at), miss, room, NULL));
    jali_text_clear(&names);
    jali_text_clear(&body);
    jali_dice_free(dice);
}

/* 60 releases of 12 small bars among 387 empty ones. Where 95% (80%) hold, fewer than 90%
 * (70%) of 720 have probability below 1e-8. Twin: what was cut at 0 is taken from the others,
 * and an interval about what is left of them covers too few. */
SENTENCE(small_bars_among_many_empty_ones_are_covered)
{
    UNUSED_STATE;
    for (int round = 0; round < 2; round++) {
        int covered = 0, twin = 0, asked = 0;
        for (uint64_t seed = 1; seed <= 60; seed++) {
            jali_arena room = JALI_ARENA_INIT;
            jali_schema towns;
            jali_view v;
            view_towns(seed, round == 0 ? 0.05 : 0.2, &room, &towns, &v);
            for (uint32_t i = 1; i <= SOME; i++, asked++) {
                double truth = FEW / (double)(BIG + SOME * FEW);
                jali_about x = jali_view_share(&v, &v.pair[0], true, i, i);
                CHECK(x.low <= x.value && x.value <= x.high);
                covered += x.low <= truth && truth <= x.high;
                twin += fabs(x.value - truth) <= x.half;
            }
            jali_arena_clear(&room);
        }
        CHECK(covered > (round == 0 ? 0.9 : 0.7) * asked);
        CHECK(twin <= (round == 0 ? 0.9 : 0.7) * asked);
    }
}

SENTENCE(one_cluster_and_empty_clusters_and_255_of_them_are_answered)
{
    UNUSED_STATE;
    for (int law = 0; law < 2; law++)
        for (int method = 0; method < 2; method++) {
            jali_profile_spec s = { .method = (jali_profile_method)method,
                                    .law = (jali_law)law };
            check_sane(s, 1, 1, 10);
            check_sane(s, 2, 1, 10);
            check_sane(s, 5, 1, 10); /* groups 3 and 4 are empty */
            check_sane(s, 255, 1, 10);
            s.each = 2;
            check_sane(s, 3, 1, 10);
            s.each = 1;
            s.candidates = 50; /* more than there are attributes */
            check_sane(s, 3, 1, 10);
            s.weight[2] = 1; /* diversity alone */
            check_sane(s, 3, 1, 10);
            check_sane(s, 1, 1, 10);
        }
}

SENTENCE(an_attribute_of_one_value_can_be_shown)
{
    UNUSED_STATE;
    size_t only[] = { 2 };
    check_sane((jali_profile_spec){ .n = 1, .field = only }, 3, 1, 10);
}

SENTENCE(a_cluster_that_is_too_small_for_its_noise_says_so)
{
    UNUSED_STATE;
    jali_profile p;
    uint32_t labels = 5;
    jali_arena room = JALI_ARENA_INIT;
    jali_view v;
    jali_profile_spec s = { .method = JALI_PROFILE_ALL };
    CHECK_OK(prepare(&p, &s, &labels, 1, 2, NULL));
    view(&p, 3, &room, &v);
    CHECK(!v.pair[0].too_small && v.pair[4].too_small);
    assert_non_null(
        strstr(jali_view_sentence(&v, &v.pair[4], &room), "too small for its noise"));
    jali_arena_clear(&room);
    jali_profile_clear(&p);
}

SENTENCE(what_cannot_be_shown_is_refused_before_the_charge)
{
    UNUSED_STATE;
    jali_profile p;
    jali_err err;
    uint32_t labels = 256;
    jali_profile_spec s = { .method = JALI_PROFILE_ALL };
    CHECK(prepare(&p, &s, &labels, 1, 2, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "not 256");
    labels = 3;
    CHECK(prepare(&p, &s, &labels, 1, 1000000000000, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "too small to be split");
    s.each = 5;
    CHECK(prepare(&p, &s, &labels, 1, 2, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "there are 4");
    s = (jali_profile_spec){ .method = JALI_PROFILE_PAPER, .candidates = 1, .each = 2 };
    CHECK(prepare(&p, &s, &labels, 1, 2, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "--candidates 1");
}

SENTENCE(kappa_follows_from_eps_and_the_number_of_clusters)
{
    UNUSED_STATE;
    uint32_t num, den;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 10);
    jali_profile_kappa(JALI_PROFILE_ALL, JALI_SUF_AUTO, 9, eps, &num, &den);
    CHECK(num == 2 && den == 8);
    jali_profile_kappa(JALI_PROFILE_PAPER, JALI_SUF_AUTO, 9, eps, &num, &den);
    CHECK(num == 1 && den == 1);
    jali_profile_kappa(JALI_PROFILE_PAPER, JALI_SUF_SHARED, 9, eps, &num, &den);
    CHECK(num == 1 && den == 8);
    jali_profile_kappa(JALI_PROFILE_ALL, JALI_SUF_SHARED, 3, eps, &num, &den);
    CHECK(num == 1 && den == 1);
    mpq_set_ui(eps, 11, 100);
    jali_profile_kappa(JALI_PROFILE_ALL, JALI_SUF_AUTO, 9, eps, &num, &den);
    CHECK(num == 1 && den == 1);
    mpq_clear(eps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_profile_never_costs_more_than_its_budget),
        TEST(planted_attributes_are_found_and_said),
        TEST(intervals_cover_the_true_shares),
        TEST(small_bars_among_many_empty_ones_are_covered),
        TEST(one_cluster_and_empty_clusters_and_255_of_them_are_answered),
        TEST(an_attribute_of_one_value_can_be_shown),
        TEST(a_cluster_that_is_too_small_for_its_noise_says_so),
        TEST(what_cannot_be_shown_is_refused_before_the_charge),
        TEST(kappa_follows_from_eps_and_the_number_of_clusters),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
