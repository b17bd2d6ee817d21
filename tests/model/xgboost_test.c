/* A small XGBoost model, trained here: what jali asks of its file is what the library itself
 * says about the same rows. */
#define _GNU_SOURCE
#include "base/arena.h"
#include "model/model.h"
#include "model/plain.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <xgboost/c_api.h>

enum { ROWS = 60, WIDTH = 3, ROUNDS = 20 };

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":5,\"maximum\":14}},"
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":50}}]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static BoosterHandle booster;
static char named[] = "/tmp/jali-xgboost-XXXXXX.json";
static char nameless[] = "/tmp/jali-xgboost-XXXXXX.json";
static char rubbish[] = "/tmp/jali-xgboost-XXXXXX.json";

/* Codes of x and g; x has 10 values and g 3, NULL comes after them. */
static uint32_t code[2 * ROWS];
static const jali_frame frame = { ROWS, 2, code };

/* As the file names its features: x, g=b, g=c. */
static void numbers(uint32_t x, uint32_t g, float *to)
{
    to[0] = x == 10 ? NAN : (float)(5 + x);
    to[1] = g == 3 ? NAN : (float)(g == 1);
    to[2] = g == 3 ? NAN : (float)(g == 2);
}

static float truth(uint32_t x, uint32_t g)
{
    return g == 1 ? 3 * (float)x : g == 2 ? 20 : 2;
}

static void asked_directly(const uint32_t *rows, size_t n, double *out)
{
    float *v = calloc(n * WIDTH, sizeof *v);
    DMatrixHandle matrix;
    const bst_ulong *shape;
    bst_ulong dim;
    const float *result;
    assert_non_null(v);
    for (size_t i = 0; i < n; i++) numbers(rows[2 * i], rows[2 * i + 1], v + i * WIDTH);
    CHECK(XGDMatrixCreateFromMat(v, n, WIDTH, NAN, &matrix) == 0);
    CHECK(XGBoosterPredictFromDMatrix(booster, matrix,
                                      "{\"type\":0,\"training\":false,\"iteration_begin\":0,"
                                      "\"iteration_end\":0,\"strict_shape\":false}",
                                      &shape, &dim, &result) == 0);
    for (size_t i = 0; i < n; i++) out[i] = (double)result[i];
    XGDMatrixFree(matrix);
    free(v);
}

static jali_status open_file(jali_model **m, const char *path, const char *const *columns,
                             size_t n, jali_err *err)
{
    jali_model_spec spec = {
        .model = path, .label = "y", .columns = columns, .n = n, .threads = 1
    };
    return jali_model_open(m, &schema, &spec, err);
}

SENTENCE(a_file_says_what_the_library_says)
{
    UNUSED_STATE;
    jali_model *m;
    double out[ROWS], want[ROWS];
    CHECK_OK(open_file(&m, named, NULL, 0, NULL));
    CHECK(jali_model_width(m) == 2 && strcmp(jali_model_kind(m), "xgboost") == 0);
    CHECK_OK(jali_model_try(m, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    asked_directly(code, ROWS, want);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(fabs(out[i] - want[i]) < 1e-6);
        if (code[2 * i] < 10 && code[2 * i + 1] < 3)
            CHECK(fabs(out[i] - (double)truth(code[2 * i], code[2 * i + 1])) < 1.5);
    }
    jali_model_free(m);
}

/* Also with more rows than one batch has. */
SENTENCE(many_rows_are_asked_in_batches)
{
    UNUSED_STATE;
    enum { MANY = 40000 };
    uint32_t *rows = calloc(2 * MANY, sizeof *rows);
    double *out = calloc(MANY, sizeof *out), *want = calloc(MANY, sizeof *want);
    jali_model *m;
    CHECK(rows != NULL && out != NULL && want != NULL);
    for (uint32_t i = 0; i < MANY; i++) rows[2 * i] = i % 11, rows[2 * i + 1] = i / 11 % 4;
    CHECK_OK(open_file(&m, named, NULL, 0, NULL));
    CHECK_OK(jali_model_predict(m, &(jali_frame){ MANY, 2, rows }, out, NULL));
    asked_directly(rows, MANY, want);
    for (size_t i = 0; i < MANY; i++) CHECK(fabs(out[i] - want[i]) < 1e-6);
    jali_model_free(m);
    free(rows);
    free(out);
    free(want);
}

SENTENCE(partial_dependence_is_the_mean_of_what_the_library_says)
{
    UNUSED_STATE;
    static const uint32_t point[] = { 0, 4, 9 };
    jali_model *m;
    double out[3], said[ROWS];
    CHECK_OK(open_file(&m, named, NULL, 0, NULL));
    jali_plain p = { m, 0, 15, false }; /* cuts some of it */
    CHECK_OK(jali_plain_pdp(&p, &frame, 0, point, 3, out, NULL));
    for (int r = 0; r < 3; r++) {
        uint32_t changed[2 * ROWS];
        double want = 0;
        memcpy(changed, code, sizeof changed);
        for (size_t i = 0; i < ROWS; i++) changed[2 * i] = point[r];
        asked_directly(changed, ROWS, said);
        for (size_t i = 0; i < ROWS; i++) want += fmin(15, fmax(0, said[i])) / ROWS;
        CHECK(fabs(out[r] - want) < 1e-6);
    }
    CHECK(out[2] > out[0] + 2); /* a third of the rows rise with x */
    jali_model_free(m);
}

/* Exact tree SHAP: what the columns contribute adds up to the output, but for one constant. */
SENTENCE(contributions_add_up)
{
    UNUSED_STATE;
    jali_model *m;
    double x[ROWS], g[ROWS], y[ROWS];
    CHECK_OK(open_file(&m, named, NULL, 0, NULL));
    CHECK(jali_model_contributes(m));
    CHECK_OK(jali_model_contribute(m, &frame, 0, x, NULL));
    CHECK_OK(jali_model_contribute(m, &frame, 1, g, NULL)); /* of g=b and g=c together */
    CHECK_OK(jali_model_predict(m, &frame, y, NULL));
    for (size_t i = 1; i < ROWS; i++)
        CHECK(fabs(y[i] - x[i] - g[i] - (y[0] - x[0] - g[0])) < 1e-3);
    jali_model_free(m);
}

SENTENCE(a_file_without_names_is_fed_the_columns_in_order)
{
    UNUSED_STATE;
    static const char *const right[] = { "x", "g=b", "g=c" };
    static const char *const few[] = { "x", "g=b" };
    jali_model *m;
    jali_err err = { 0 };
    double out[ROWS], want[ROWS];
    CHECK_OK(open_file(&m, nameless, right, 3, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    asked_directly(code, ROWS, want);
    for (size_t i = 0; i < ROWS; i++) CHECK(fabs(out[i] - want[i]) < 1e-6);
    jali_model_free(m);
    CHECK(open_file(&m, nameless, few, 2, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "has 3 inputs but is fed 2");
}

SENTENCE(a_file_that_is_no_model_is_refused)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    CHECK(open_file(&m, rubbish, NULL, 0, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "is not a model");
}

static int make_file(char *path)
{
    int fd = mkstemps(path, 5);
    return fd < 0 || write(fd, "{\"learner\":7}", 13) != 13 || close(fd) != 0;
}

static int train(void)
{
    static const char *names[] = { "x", "g=b", "g=c" };
    float v[ROWS * WIDTH], y[ROWS];
    DMatrixHandle matrix;
    for (uint32_t i = 0; i < ROWS; i++) {
        code[2 * i] = i * 7 % 10;
        code[2 * i + 1] = i / 10 % 3;
        numbers(code[2 * i], code[2 * i + 1], v + i * WIDTH);
        y[i] = truth(code[2 * i], code[2 * i + 1]);
    }
    int bad = XGDMatrixCreateFromMat(v, ROWS, WIDTH, NAN, &matrix) != 0 ||
              XGDMatrixSetFloatInfo(matrix, "label", y, ROWS) != 0 ||
              XGBoosterCreate(&matrix, 1, &booster) != 0 ||
              XGBoosterSetParam(booster, "verbosity", "0") != 0 ||
              XGBoosterSetParam(booster, "nthread", "1") != 0 ||
              XGBoosterSetParam(booster, "max_depth", "4") != 0;
    for (int i = 0; !bad && i < ROUNDS; i++) bad = XGBoosterUpdateOneIter(booster, i, matrix);
    bad = bad || XGBoosterSaveModel(booster, nameless) != 0 ||
          XGBoosterSetStrFeatureInfo(booster, "feature_name", names, WIDTH) != 0 ||
          XGBoosterSaveModel(booster, named) != 0 ||
          XGBoosterSetStrFeatureInfo(booster, "feature_name", names, 0) != 0;
    XGDMatrixFree(matrix);
    code[0] = 10, code[3] = 3; /* and some NULLs to be asked about */
    return bad;
}

static int set_up(void **state)
{
    (void)state;
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK ||
           make_file(named) || make_file(nameless) || make_file(rubbish) || train();
}

static int tear_down(void **state)
{
    (void)state;
    XGBoosterFree(booster);
    unlink(named);
    unlink(nameless);
    unlink(rubbish);
    jali_arena_clear(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_says_what_the_library_says),
        TEST(many_rows_are_asked_in_batches),
        TEST(partial_dependence_is_the_mean_of_what_the_library_says),
        TEST(contributions_add_up),
        TEST(a_file_without_names_is_fed_the_columns_in_order),
        TEST(a_file_that_is_no_model_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
