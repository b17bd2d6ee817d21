/* What the truth says was planted is in the rows, and is not in the rows of a plain twin.
 * Seeds are fixed. Bounds are 5.5 standard errors or more: a true plant would be missed
 * with a chance below 1e-7 for each number, had the seed been free. */
#define _GNU_SOURCE
#include "sheet.h"

typedef struct planted {
    sheet s;
    json_t *truth;
} planted;

static planted plant(const char *kind, const char *preset, uint64_t rows, bool plain)
{
    jali_mock_options o = options_of(kind, preset, rows);
    planted p;
    o.plain = plain;
    o.truth = scratch_name("truth");
    p.s = sheet_of(&o);
    p.truth = json_then_gone((char *)(uintptr_t)o.truth);
    return p;
}

static void unplant(planted *p)
{
    sheet_clear(&p->s);
    json_decref(p->truth);
}

static double real(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- means by group, with and without the rows behind them ----------------------- */

typedef bool (*row_test)(const sheet *s, size_t row);

static bool infarction_or_seventies(const sheet *s, size_t row)
{
    double age = sheet_number(s, row, sheet_column(s, "age"));
    return strcmp(sheet_at(s, row, sheet_column(s, "diagnosis")), "infarction") == 0 ||
           (age >= 70 && age <= 79);
}

static bool in_care_home(const sheet *s, size_t row)
{
    return strcmp(sheet_at(s, row, sheet_column(s, "living")), "care home") == 0;
}

static double mean(const sheet *s, const char *measure, const char *column, const char *value,
                   row_test without, double *error)
{
    size_t m = sheet_column(s, measure), g = sheet_column(s, column), n = 0;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->rows; i++) {
        if (strcmp(sheet_at(s, i, g), value) != 0 || (without && without(s, i))) continue;
        double x = sheet_number(s, i, m);
        sum += x;
        squares += x * x;
        n++;
    }
    CHECK(n > 100);
    double average = sum / (double)n;
    *error = sqrt((squares / (double)n - average * average) / (double)n);
    return average;
}

/* Is the difference there, and gone (to a tenth) without the planted rows? */
static bool explained(const planted *p, const char *measure, const char *high, const char *low,
                      row_test reason, double least)
{
    double e1, e2, e3, e4;
    double raw = mean(&p->s, measure, "ward", high, NULL, &e1) -
                 mean(&p->s, measure, "ward", low, NULL, &e2);
    double rest = mean(&p->s, measure, "ward", high, reason, &e3) -
                  mean(&p->s, measure, "ward", low, reason, &e4);
    return raw > least && raw > 5.5 * hypot(e1, e2) &&
           fabs(rest) < 0.1 * raw + 5.5 * hypot(e3, e4);
}

static bool hospital_has_its_reasons(const planted *p)
{
    return explained(p, "cost", "cardiology", "internal", infarction_or_seventies, 3000) &&
           explained(p, "stay", "geriatrics", "surgery", in_care_home, 2);
}

SENTENCE(the_hospitals_differences_have_their_planted_reasons)
{
    UNUSED_STATE;
    planted real_one = plant("hospital", NULL, 20000, false);
    planted twin = plant("hospital", NULL, 20000, true);
    CHECK(hospital_has_its_reasons(&real_one));
    CHECK(!hospital_has_its_reasons(&twin));
    const json_t *why = json_array_get(json_object_get(real_one.truth, "why"), 0);
    double e;
    double raw = mean(&real_one.s, "cost", "ward", text(why, "high"), NULL, &e) -
                 mean(&real_one.s, "cost", "ward", text(why, "low"), NULL, &e);
    CHECK(fabs(raw - real(why, "difference")) < 1e-6);
    unplant(&real_one);
    unplant(&twin);
}

/* What a diagnosis and an age add to the cost of rows of equal stay, within 5.5 errors. */
static bool adds(const sheet *s, bool by_age, double expected)
{
    size_t age = sheet_column(s, "age"), diagnosis = sheet_column(s, "diagnosis");
    size_t cost = sheet_column(s, "cost"), stay = sheet_column(s, "stay");
    double n[2] = { 0 }, sum[2] = { 0 }, squares[2] = { 0 };
    for (size_t i = 0; i < s->rows; i++) {
        double years = sheet_number(s, i, age);
        bool seventies = years >= 70 && years <= 79;
        bool infarction = strcmp(sheet_at(s, i, diagnosis), "infarction") == 0;
        if (by_age ? infarction : seventies) continue; /* one reason at a time */
        int side = by_age ? seventies : infarction;
        double x = sheet_number(s, i, cost) - 150 * sheet_number(s, i, stay);
        n[side]++;
        sum[side] += x;
        squares[side] += x * x;
    }
    double mean0 = sum[0] / n[0], mean1 = sum[1] / n[1];
    double error = sqrt((squares[0] / n[0] - mean0 * mean0) / n[0] +
                        (squares[1] / n[1] - mean1 * mean1) / n[1]);
    return fabs(mean1 - mean0 - expected) < 5.5 * error;
}

SENTENCE(the_surcharges_are_those_of_the_manual)
{
    UNUSED_STATE;
    planted p = plant("hospital", NULL, 20000, false);
    planted twin = plant("hospital", NULL, 20000, true);
    CHECK(adds(&p.s, false, 9000) && adds(&p.s, true, 2500));
    CHECK(!adds(&twin.s, false, 9000) && !adds(&twin.s, true, 2500));
    CHECK(!adds(&p.s, false, 8700) && !adds(&p.s, true, 2300));
    unplant(&p);
    unplant(&twin);
}

/* ---- clusters of the hospital ---------------------------------------------------- */

static size_t nearest_profile(const json_t *clusters, const sheet *s, size_t row)
{
    static const char *const axis[] = { "age", "bmi", "pressure", "glucose" };
    double best = INFINITY;
    size_t at = 0, i;
    json_t *c;
    json_array_foreach(clusters, i, c)
    {
        double d = 0;
        for (int j = 0; j < 4; j++) {
            double x = sheet_number(s, row, sheet_column(s, axis[j]));
            double z = (x - real(json_object_get(c, "centre"), axis[j])) /
                       real(json_object_get(c, "spread"), axis[j]);
            d += z * z;
        }
        if (d < best) {
            best = d;
            at = i;
        }
    }
    return at;
}

/* Rows go to the nearest planted centre; then the tell's share inside and outside is the
 * planted one within 0.06, and the cluster's share within 0.03. Several rows of a person
 * agree, so the error is that of persons: 0.5 / sqrt(800) = 0.018 for the smallest. */
static bool hospital_has_clusters(const sheet *s, const json_t *clusters)
{
    size_t i;
    json_t *c;
    bool good = true;
    json_array_foreach(clusters, i, c)
    {
        const json_t *tell = json_object_get(c, "tell");
        size_t column = sheet_column(s, text(tell, "attribute"));
        double n[2] = { 0 }, has[2] = { 0 };
        for (size_t row = 0; row < s->rows; row++) {
            int side = nearest_profile(clusters, s, row) != i;
            n[side]++;
            has[side] += strcmp(sheet_at(s, row, column), text(tell, "value")) == 0;
        }
        good = good && fabs(n[0] / (double)s->rows - real(c, "share")) < 0.03 &&
               fabs(has[0] / n[0] - real(tell, "share_inside")) < 0.06 &&
               fabs(has[1] / n[1] - real(tell, "share_outside")) < 0.06;
    }
    return good;
}

SENTENCE(the_hospitals_clusters_have_their_tells)
{
    UNUSED_STATE;
    planted p = plant("hospital", NULL, 8000, false),
            twin = plant("hospital", NULL, 8000, true);
    const json_t *clusters = json_object_get(p.truth, "clusters");
    assert_int_equal(json_array_size(clusters), 5);
    CHECK(hospital_has_clusters(&p.s, clusters));
    CHECK(!hospital_has_clusters(&twin.s, clusters));
    unplant(&p);
    unplant(&twin);
}

SENTENCE(some_persons_come_again_and_few_more_than_the_cap)
{
    UNUSED_STATE;
    planted p = plant("hospital", NULL, 20000, false);
    size_t persons = 0, visits = 0, above = 0, most = 0;
    for (size_t i = 0; i < p.s.rows; i++) {
        bool same = i > 0 && strcmp(sheet_at(&p.s, i, 0), sheet_at(&p.s, i - 1, 0)) == 0;
        visits = same ? visits + 1 : 1;
        persons += !same;
        above += visits > 3;
        if (visits > most) most = visits;
    }
    assert_int_equal(persons, json_integer_value(json_object_get(p.truth, "persons")));
    assert_int_equal(above, json_integer_value(json_object_get(p.truth, "rows_above_cap")));
    assert_int_equal(most, 5);
    CHECK(persons > 13500 && persons < 15000 && above > 0 && above < 900);
    unplant(&p);
}

/* ---- places ---------------------------------------------------------------------- */

/* Two exponentials of half a radius: 0.9826 of a town's homes are within 3 radii. */
static bool towns_are_there(const sheet *s, const json_t *towns, double in_towns)
{
    size_t i, x = sheet_column(s, "x"), y = sheet_column(s, "y");
    json_t *t;
    bool good = true;
    json_array_foreach(towns, i, t)
    {
        double near = 0, share = real(t, "share") * in_towns * 0.98;
        for (size_t row = 0; row < s->rows; row++)
            near += hypot(sheet_number(s, row, x) - real(t, "x"),
                          sheet_number(s, row, y) - real(t, "y")) < 3 * real(t, "radius");
        double error = sqrt(share * (1 - share) / (0.6 * (double)s->rows)) + 1e-9;
        good = good && near / (double)s->rows > share - 5.5 * error;
    }
    return good;
}

SENTENCE(homes_are_where_the_towns_are)
{
    UNUSED_STATE;
    static const char *const kinds[] = { "hospital", "points" };
    for (int i = 0; i < 2; i++) {
        planted p = plant(kinds[i], NULL, 10000, false),
                twin = plant(kinds[i], NULL, 10000, true);
        const json_t *towns = json_object_get(p.truth, "towns");
        CHECK(json_array_size(towns) >= 5);
        CHECK(towns_are_there(&p.s, towns, i == 0 ? 1 : 0.9));
        CHECK(!towns_are_there(&twin.s, towns, i == 0 ? 1 : 0.9));
        unplant(&p);
        unplant(&twin);
    }
}

/* Total distance to the nearest of three clinics, each in the middle of a town. */
static double way(const sheet *s, const json_t *towns, const size_t *clinic)
{
    double total = 0;
    size_t x = sheet_column(s, "x"), y = sheet_column(s, "y");
    for (size_t row = 0; row < s->rows; row++) {
        double best = INFINITY;
        for (int i = 0; i < 3; i++) {
            const json_t *t = json_array_get(towns, clinic[i]);
            best = fmin(best, hypot(sheet_number(s, row, x) - real(t, "x"),
                                    sheet_number(s, row, y) - real(t, "y")));
        }
        total += best;
    }
    return total;
}

/* What three clinics cost at best, if one of them must be in `town` (or anywhere: 5). */
static double best_way(const sheet *s, const json_t *towns, size_t town)
{
    double best = INFINITY;
    for (size_t a = 0; a < 5; a++)
        for (size_t b = a + 1; b < 5; b++)
            for (size_t c = b + 1; c < 5; c++)
                if (town == 5 || a == town || b == town || c == town)
                    best = fmin(best, way(s, towns, (const size_t[]){ a, b, c }));
    return best;
}

/* Free in the first town, dearest in the last, by a tenth of all ways at least. */
static bool contrast_is_there(const sheet *s, const json_t *towns)
{
    double free_choice = best_way(s, towns, 5), far = best_way(s, towns, 4);
    bool good = best_way(s, towns, 0) == free_choice && far > 1.1 * free_choice;
    for (size_t t = 1; t < 4; t++) good = good && best_way(s, towns, t) < far;
    return good && way(s, towns, (const size_t[]){ 0, 1, 2 }) == free_choice;
}

SENTENCE(a_clinic_in_the_hamlet_costs_most_and_in_the_town_nothing)
{
    UNUSED_STATE;
    planted p = plant("hospital", NULL, 3000, false),
            twin = plant("hospital", NULL, 3000, true);
    const json_t *towns = json_object_get(p.truth, "towns");
    CHECK(contrast_is_there(&p.s, towns));
    CHECK(!contrast_is_there(&twin.s, towns));
    unplant(&p);
    unplant(&twin);
}

/* ---- tables ---------------------------------------------------------------------- */

static bool near_share(double has, double n, double share)
{
    return n > 30 && fabs(has / n - share) < 5.5 * sqrt(share * (1 - share) / n) + 1e-6;
}

static bool table_has_plants(const sheet *s, const json_t *truth)
{
    size_t i, label = sheet_column(s, text(truth, "label"));
    json_t *p;
    bool good = true;
    json_array_foreach(json_object_get(truth, "planted"), i, p)
    {
        char cluster[24];
        size_t column = sheet_column(s, text(p, "attribute"));
        double n[2] = { 0 }, has[2] = { 0 };
        snprintf(cluster, sizeof cluster, "%d", (int)real(p, "cluster"));
        for (size_t row = 0; row < s->rows; row++) {
            int side = strcmp(sheet_at(s, row, label), cluster) != 0;
            n[side]++;
            has[side] += strcmp(sheet_at(s, row, column), text(p, "value")) == 0;
        }
        good = good && near_share(has[0], n[0], real(p, "share_inside")) &&
               near_share(has[1], n[1], real(p, "share_outside"));
    }
    return good;
}

SENTENCE(a_tables_clusters_have_their_planted_values)
{
    UNUSED_STATE;
    static const char *const presets[] = { NULL, "census", "ipums" };
    for (int i = 0; i < 3; i++) {
        planted p = plant("table", presets[i], 30000, false);
        planted twin = plant("table", presets[i], 30000, true);
        assert_int_equal(json_array_size(json_object_get(twin.truth, "planted")), 0);
        CHECK(json_array_size(json_object_get(p.truth, "planted")) >= 6);
        CHECK(table_has_plants(&p.s, p.truth));
        CHECK(!table_has_plants(&twin.s, p.truth));
        unplant(&p);
        unplant(&twin);
    }
}

static bool men_earn_more(const sheet *s, double *difference)
{
    double e1, e2;
    *difference =
        mean(s, "inctot", "sex", "0", NULL, &e1) - mean(s, "inctot", "sex", "1", NULL, &e2);
    return *difference > 5.5 * hypot(e1, e2);
}

SENTENCE(the_census_of_incomes_has_a_difference_to_explain)
{
    UNUSED_STATE;
    planted p = plant("table", "ipums", 20000, false),
            twin = plant("table", "ipums", 20000, true);
    double difference, none;
    CHECK(men_earn_more(&p.s, &difference));
    CHECK(!men_earn_more(&twin.s, &none));
    const json_t *clusters = json_object_get(p.truth, "clusters");
    double men = json_number_value(
        json_array_get(json_object_get(json_array_get(clusters, 0), "means"), 0));
    double women = json_number_value(
        json_array_get(json_object_get(json_array_get(clusters, 1), "means"), 0));
    CHECK(fabs(men - women - difference) < 1e-6);
    unplant(&p);
    unplant(&twin);
}

SENTENCE(holes_are_as_many_as_asked_for)
{
    UNUSED_STATE;
    jali_mock_options o = options_of("table", NULL, 20000);
    o.missing = 0.1;
    sheet s = sheet_of(&o);
    double holes = 0;
    for (size_t i = 0; i < s.rows; i++)
        for (size_t j = 0; j < 8; j++) holes += sheet_at(&s, i, j)[0] == '\0';
    CHECK(near_share(holes, 8.0 * 20000, 0.1));
    CHECK(!near_share(holes, 8.0 * 20000, 0.105));
    sheet_clear(&s);
}

/* ---- Gaussians ------------------------------------------------------------------- */

static bool gaussians_are_there(const sheet *s, const json_t *truth)
{
    size_t i, label = sheet_column(s, "cluster"), d = s->columns - 1;
    json_t *c;
    double spread = real(truth, "spread");
    bool good = true;
    json_array_foreach(json_object_get(truth, "clusters"), i, c)
    {
        char name[24];
        double n = 0, sum = 0, squares = 0;
        size_t axis = i % d;
        double centre = json_number_value(json_array_get(json_object_get(c, "centre"), axis));
        snprintf(name, sizeof name, "%zu", i);
        for (size_t row = 0; row < s->rows; row++) {
            if (strcmp(sheet_at(s, row, label), name) != 0) continue;
            double x = sheet_number(s, row, axis) - centre;
            n++;
            sum += x;
            squares += x * x;
        }
        good = good && n == real(c, "rows") && fabs(sum / n) < 5.5 * spread / sqrt(n) &&
               fabs(squares / n - spread * spread) < 5.5 * spread * spread * sqrt(2 / n);
    }
    return good;
}

SENTENCE(gaussians_have_their_centres_and_spread)
{
    UNUSED_STATE;
    static const char *const presets[] = { NULL, "synth10", "synth100" };
    for (int i = 0; i < 3; i++) {
        planted p = plant("gauss", presets[i], 6400, false);
        planted twin = plant("gauss", presets[i], 6400, true);
        CHECK(gaussians_are_there(&p.s, p.truth));
        CHECK(!gaussians_are_there(&twin.s, p.truth));
        unplant(&p);
        unplant(&twin);
    }
}

RUN_ALL(TEST(the_hospitals_differences_have_their_planted_reasons),
        TEST(the_surcharges_are_those_of_the_manual),
        TEST(the_hospitals_clusters_have_their_tells),
        TEST(some_persons_come_again_and_few_more_than_the_cap),
        TEST(homes_are_where_the_towns_are),
        TEST(a_clinic_in_the_hamlet_costs_most_and_in_the_town_nothing),
        TEST(a_tables_clusters_have_their_planted_values),
        TEST(the_census_of_incomes_has_a_difference_to_explain),
        TEST(holes_are_as_many_as_asked_for), TEST(gaussians_have_their_centres_and_spread))
