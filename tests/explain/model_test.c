/* Refutes model.price and model.release if it can: receipts used up, truth when noise is
 * nothing, cover when it is something, refusals before anything is paid. */
#include "engine/columns.h"
#include "explain/model/curve.h"
#include "explain/model/portrait.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"

enum { ROWS = 2000, RUNS = 400 };

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"z\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":10}}]}";

static uint8_t x[ROWS], g[ROWS], z[ROWS], y[ROWS];
static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_columns *columns;
static jali_model *model;
static const unsigned char key[16] = "not very secret";

/* 5 + x/50 times (g == b), and z does not matter. */
static double f(double a, double b)
{
    return 5 + (b == 1 ? a / 50 : 0);
}

static int predict(const double *row, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = f(row[i * width], row[i * width + 1]);
    return 0;
}

static int make_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        x[i] = (uint8_t)(i * 37 % 100);
        g[i] = (uint8_t)(i * 7 % 3);
        z[i] = (uint8_t)(i * 3 % 10);
        y[i] = (uint8_t)f(x[i], g[i]);
    }
    const jali_column made[] = { { "x", 1, 101, ROWS, x },
                                 { "g", 1, 4, ROWS, g },
                                 { "z", 1, 11, ROWS, z },
                                 { "y", 1, 12, ROWS, y } };
    jali_model_spec spec = { .model = "test", .memory = predict, .label = "y" };
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK ||
           jali_columns_borrow(&columns, made, 4, NULL) != JALI_OK ||
           jali_model_open(&model, &schema, &spec, NULL) != JALI_OK;
}

static int drop_table(void **state)
{
    (void)state;
    jali_model_free(model);
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    return 0;
}

static jali_status init(jali_portrait *p, const jali_portrait_spec *spec, jali_law law,
                        unsigned long num, unsigned long den, jali_err *err)
{
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    jali_status status = jali_portrait_init(p, &schema, model, spec, law, budget, &arena, err);
    mpq_clear(budget);
    return status;
}

static jali_likeness draw(const jali_portrait_spec *spec, jali_law law, unsigned long num,
                          unsigned long den, uint64_t seed, jali_arena *room)
{
    jali_portrait p;
    jali_likeness l;
    char *body;
    json_t *json;
    CHECK_OK(init(&p, spec, law, num, den, NULL));
    CHECK_OK(jali_portrait_bind(&p, columns, key, NULL, NULL, NULL));
    jali_dice *dice = seeded_dice(seed);
    jali_charge paid = receipt(p.loss);
    CHECK_OK(jali_portrait_run(&p, NULL, &paid, dice, room, &body, NULL));
    CHECK(used_up(&paid)); /* model.release: what was charged is what the mechanisms took */
    CHECK_OK(jali_json_parse(&json, body, strlen(body), "body", NULL));
    CHECK_OK(jali_likeness_read(&l, json, &schema, 0.05, room, NULL));
    json_decref(json);
    jali_dice_free(dice);
    jali_portrait_clear(&p);
    return l;
}

static const jali_portrait_spec pdp = {
    .kind = JALI_PORTRAIT_PDP, .feature = "x", .lo = "0", .hi = "10", .resolution = 20
};
static const jali_portrait_spec ale = {
    .kind = JALI_PORTRAIT_ALE, .feature = "x", .lo = "0", .hi = "10", .quantiles = true
};
static const jali_portrait_spec pfi = {
    .kind = JALI_PORTRAIT_PFI, .label = "y", .lo = "0", .hi = "10"
};
static const jali_portrait_spec plot = { .kind = JALI_PORTRAIT_PLOT,
                                         .of = JALI_OF_PDP,
                                         .feature = "x",
                                         .lo = "0",
                                         .hi = "10",
                                         .blocks = 20 };
static const jali_portrait_spec rank = { .kind = JALI_PORTRAIT_RANK,
                                         .of = JALI_OF_PFI,
                                         .label = "y",
                                         .lo = "0",
                                         .hi = "10",
                                         .blocks = 20 };

static double share_of_b(void)
{
    double n = 0;
    for (unsigned i = 0; i < ROWS; i++) n += g[i] == 1;
    return n / ROWS;
}

static double far_off(const jali_likeness *l, double constant)
{
    double worst = 0;
    for (size_t i = 0; i < l->n; i++)
        worst = fmax(worst, fabs(l->at[i].value - constant - share_of_b() * l->code[i] / 50));
    return worst;
}

SENTENCE(without_noise_partial_dependence_is_the_truth)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    jali_likeness l = draw(&pdp, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(l.n == 20 && l.code[0] == 0 && l.code[19] == 99);
    CHECK(far_off(&l, 5) < 1e-3);
    CHECK(fabs(l.n_rows.value - ROWS) < 1 && l.bins == 20);
    for (size_t i = 0; i < l.bins; i++) CHECK(fabs(l.count[i].value - ROWS / 20.0) < 1);
    jali_portrait_spec spec = pdp;
    spec.rows = "2000";
    l = draw(&spec, JALI_LAW_GAUSS, 2000, 1, 1, &room);
    CHECK(far_off(&l, 5) < 1e-2 && l.rows == 2000);
    spec.quantiles = true;
    l = draw(&spec, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(far_off(&l, 5) < 1e-2 && l.quantiles);
    jali_arena_clear(&room);
}

SENTENCE(without_noise_local_effects_are_the_truth)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    jali_likeness l = draw(&ale, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(l.quantiles && l.n >= 15);
    /* Here x and g are independent, so the effect is the same line, centred. */
    CHECK(far_off(&l, -share_of_b() * 49.5 / 50) < 0.03);
    jali_portrait_spec spec = ale;
    spec.quantiles = false;
    l = draw(&spec, JALI_LAW_GAUSS, 2000, 1, 1, &room);
    CHECK(!l.quantiles && l.n == 20 && far_off(&l, -share_of_b() * 49.5 / 50) < 0.03);
    jali_arena_clear(&room);
}

SENTENCE(without_noise_importance_ranks_and_ignores_what_does_not_matter)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    jali_likeness l = draw(&pfi, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(l.n == 3 && strcmp(l.column[0], "g") == 0 && strcmp(l.column[2], "z") == 0);
    CHECK(l.at[0].value > 0.1 && fabs(l.at[2].value) < 1e-2);
    l = draw(&rank, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(strcmp(l.column[0], "g") == 0 && l.at[0].value < 1.5 && l.at[2].value > 2.5);
    l = draw(&plot, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(far_off(&l, 5) < 0.1);
    jali_arena_clear(&room);
}

/* z does not matter and g does most, whichever way errors are counted; the noise is that of the
 * width of the bounds, not of its square. */
SENTENCE(absolute_errors_are_told_in_the_units_of_the_label)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    jali_portrait_spec spec = pfi;
    jali_likeness squared = draw(&spec, JALI_LAW_LAPLACE, 1, 1, 1, &room);
    double wide = squared.at[0].high - squared.at[0].low;
    spec.absolute = true;
    jali_likeness l = draw(&spec, JALI_LAW_LAPLACE, 1, 1, 1, &room);
    CHECK(l.absolute && !squared.absolute);
    /* Bounds are 10 apart, so a squared error has ten times the noise. */
    CHECK(fabs(wide / (l.at[0].high - l.at[0].low) - 10) < 1);
    l = draw(&spec, JALI_LAW_LAPLACE, 2000, 1, 1, &room);
    CHECK(l.n == 3 && strcmp(l.column[0], "g") == 0 && strcmp(l.column[2], "z") == 0);
    CHECK(l.at[0].value > 0.1 && l.at[0].value < 2 && fabs(l.at[2].value) < 1e-2);
    jali_arena_clear(&room);
}

/* Bands of 95% may miss in 5% of the points. Runs are independent; a run's 20 points share one
 * noisy count and, in a cube, one level. Above 8% of 8,000: 12 standard deviations if they
 * were all independent, and still 5.4 (1e-7) if the variance were five times that. */
SENTENCE(bands_cover_the_truth_as_often_as_they_say)
{
    UNUSED_STATE;
    for (int law = JALI_LAW_LAPLACE; law <= JALI_LAW_GAUSS; law++) {
        double missed = 0, all = 0, width = 0;
        for (int run = 0; run < RUNS; run++) {
            jali_arena room = JALI_ARENA_INIT;
            jali_likeness l = draw(&pdp, (jali_law)law, 1, law == JALI_LAW_LAPLACE ? 1 : 10,
                                   (uint64_t)run + 1, &room);
            for (size_t i = 0; i < l.n; i++) {
                double want = 5 + share_of_b() * l.code[i] / 50;
                missed += want < l.at[i].low || want > l.at[i].high;
                width += l.at[i].high - l.at[i].low;
                all++;
            }
            jali_arena_clear(&room);
        }
        CHECK(missed / all < 0.08);
        CHECK(missed / all > 0.001); /* a band that never misses is no 95% band */
        CHECK(width / all < 2);
    }
}

static double of_column(const jali_likeness *l, const char *name, bool low)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->column[i], name) == 0) return low ? l->at[i].low : l->at[i].high;
    return NAN;
}

/* Rises are short here (the bounds are far), so that a cut changes nothing. An interval misses
 * if the sum's noise does (2.5%), and the count's makes it no narrower: above 6% of 400 is 4.5
 * standard deviations off (1e-5). A column that does not matter has importance 0, exactly. */
SENTENCE(intervals_of_importances_cover_as_often_as_they_say)
{
    UNUSED_STATE;
    jali_portrait_spec spec = pfi;
    spec.absolute = true;
    for (int law = JALI_LAW_LAPLACE; law <= JALI_LAW_GAUSS; law++) {
        double missed = 0, width = 0;
        for (int run = 0; run < RUNS; run++) {
            jali_arena room = JALI_ARENA_INIT;
            jali_likeness l = draw(&spec, (jali_law)law, 1, 1, (uint64_t)run + 1, &room);
            double low = of_column(&l, "z", true), high = of_column(&l, "z", false);
            missed += low > 0 || high < 0;
            width += high - low;
            jali_arena_clear(&room);
        }
        CHECK(missed / RUNS < 0.06 && missed > 0);
        CHECK(width / RUNS < 0.2); /* of bounds that are 10 apart */
    }
}

/* 2,000 rows: half of the largest error below 10^4 rows times eps, once below 10^5. */
SENTENCE(rows_are_cut_less_when_more_is_paid)
{
    UNUSED_STATE;
    jali_arena room = JALI_ARENA_INIT;
    CHECK(draw(&pfi, JALI_LAW_LAPLACE, 1, 1, 1, &room).most == 1);
    CHECK(draw(&pfi, JALI_LAW_LAPLACE, 20, 1, 1, &room).most == 2);
    CHECK(draw(&pfi, JALI_LAW_LAPLACE, 200, 1, 1, &room).most == 8);
    CHECK(draw(&pfi, JALI_LAW_GAUSS, 200, 1, 1, &room).most == 2);
    CHECK(draw(&pdp, JALI_LAW_LAPLACE, 1, 1, 1, &room).most == 0);
    jali_arena_clear(&room);
}

/* eps as it was asked for, in ninths, and half of it when persons are replaced. */
SENTENCE(the_price_is_the_budget_and_half_of_it_for_one_of_two_steps) /* model.price */
{
    UNUSED_STATE;
    const jali_portrait_spec *const all[] = { &pdp, &ale, &pfi, &plot, &rank };
    for (size_t i = 0; i < 5; i++) {
        jali_portrait p;
        jali_portrait_spec spec = *all[i];
        CHECK_OK(init(&p, &spec, JALI_LAW_LAPLACE, 9, 10, NULL));
        CHECK(p.loss.eps_pico <= 900000000000 && p.loss.eps_pico > 899999999900);
        jali_portrait_clear(&p);
        CHECK_OK(init(&p, &spec, JALI_LAW_GAUSS, 9, 100, NULL));
        CHECK(p.loss.rho_pico <= 90000000020 && p.loss.rho_pico > 89999900000);
        jali_portrait_clear(&p);
        spec.rows = "2000";
        CHECK_OK(init(&p, &spec, JALI_LAW_LAPLACE, 9, 10, NULL));
        CHECK(p.loss.eps_pico <= 450000000000 && p.loss.eps_pico > 449999999900);
        jali_portrait_clear(&p);
        CHECK_OK(init(&p, &spec, JALI_LAW_GAUSS, 9, 100, NULL));
        CHECK(p.loss.rho_pico <= 22500000020 && p.loss.rho_pico > 22499900000);
        jali_portrait_clear(&p);
    }
}

static void refused(jali_portrait_spec spec, const char *words)
{
    jali_portrait p;
    jali_err err = { 0 };
    CHECK(init(&p, &spec, JALI_LAW_LAPLACE, 1, 1, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    jali_portrait_clear(&p);
}

SENTENCE(what_makes_no_sense_is_refused_with_a_sentence)
{
    UNUSED_STATE;
    jali_portrait_spec s = pdp;
    s.feature = "y";
    refused(s, "is not fed");
    s.feature = "nothing";
    refused(s, "nothing");
    s = pdp;
    s.hi = "0";
    refused(s, "must be the smaller");
    s.hi = NULL;
    refused(s, "--bounds");
    s = pdp;
    s.resolution = 100000;
    refused(s, "--resolution");
    s.resolution = 1;
    refused(s, "--resolution");
    s = pfi;
    s.label = NULL;
    refused(s, "--label");
    s.label = "g=nobody";
    refused(s, "no category");
    s.label = "g";
    refused(s, "which one counts as 1");
    s = plot;
    s.of = JALI_OF_SHAP;
    refused(s, "XGBoost");
    s.of = JALI_OF_PFI;
    refused(s, "plot knows");
    s = rank;
    s.of = JALI_OF_PDP;
    refused(s, "rank knows");
    s.blocks = 1;
    refused(s, "--blocks");
    s = pdp;
    s.rows = "0";
    refused(s, "public number of rows");
}

static const char *plan_of(jali_model_spec spec)
{
    jali_portrait p;
    jali_model *mine, *theirs = model;
    CHECK_OK(jali_model_open(&mine, &schema, &spec, NULL));
    model = mine;
    CHECK_OK(init(&p, &pdp, JALI_LAW_LAPLACE, 1, 1, NULL));
    model = theirs;
    jali_portrait_clear(&p);
    jali_model_free(mine);
    return p.plan;
}

/* Otherwise the stored portrait of one output would be told as that of another. */
SENTENCE(another_output_or_another_food_is_another_question)
{
    UNUSED_STATE;
    const jali_model_spec plain = { .model = "test", .memory = predict, .label = "y" };
    jali_model_spec spec = plain;
    CHECK(strcmp(plan_of(plain), plan_of(spec)) == 0);
    spec.output = 1;
    CHECK(strcmp(plan_of(plain), plan_of(spec)) != 0);
    spec = plain;
    spec.ndjson = true;
    CHECK(strcmp(plan_of(plain), plan_of(spec)) != 0);
}

SENTENCE(whole_numbers_are_asked_at_whole_numbers)
{
    UNUSED_STATE;
    uint32_t *point;
    size_t n;
    CHECK_OK(jali_portrait_points(&schema.fields[2], 20, &arena, &point, &n, NULL));
    CHECK(n == 10);
    for (size_t i = 0; i < n; i++) CHECK(point[i] == i);
    CHECK_OK(jali_portrait_points(&schema.fields[0], 20, &arena, &point, &n, NULL));
    CHECK(n == 20 && point[0] == 0 && point[19] == 99);
    for (size_t i = 1; i < n; i++)
        CHECK(point[i] - point[i - 1] >= 5 && point[i] - point[i - 1] <= 6);
}

/* Nothing said: partial dependence asks every one of up to 100 values, the others do not. */
SENTENCE(up_to_a_hundred_values_are_asked_one_by_one)
{
    UNUSED_STATE;
    jali_portrait p;
    jali_portrait_spec spec = pdp;
    spec.resolution = 0;
    CHECK_OK(init(&p, &spec, JALI_LAW_LAPLACE, 1, 1, NULL));
    CHECK(p.n == 100 && p.point[99] == 99 && p.point[50] == 50);
    jali_portrait_clear(&p);
    spec.quantiles = true;
    CHECK_OK(init(&p, &spec, JALI_LAW_LAPLACE, 1, 1, NULL));
    CHECK(p.n == 20);
    jali_portrait_clear(&p);
    CHECK_OK(init(&p, &ale, JALI_LAW_LAPLACE, 1, 1, NULL));
    CHECK(p.n == 20);
    jali_portrait_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_noise_partial_dependence_is_the_truth),
        TEST(without_noise_local_effects_are_the_truth),
        TEST(without_noise_importance_ranks_and_ignores_what_does_not_matter),
        TEST(absolute_errors_are_told_in_the_units_of_the_label),
        TEST(bands_cover_the_truth_as_often_as_they_say),
        TEST(intervals_of_importances_cover_as_often_as_they_say),
        TEST(rows_are_cut_less_when_more_is_paid),
        TEST(the_price_is_the_budget_and_half_of_it_for_one_of_two_steps),
        TEST(what_makes_no_sense_is_refused_with_a_sentence),
        TEST(another_output_or_another_food_is_another_question),
        TEST(whole_numbers_are_asked_at_whole_numbers),
        TEST(up_to_a_hundred_values_are_asked_one_by_one),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
