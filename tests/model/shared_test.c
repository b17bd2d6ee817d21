/* Shared objects, compiled here by the compiler of this build, loaded and asked. */
#define _GNU_SOURCE
#include "base/arena.h"
#include "model/model.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":5,\"maximum\":14}},"
    "{\"name\":\"b\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\"]}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static char folder[] = "/tmp/jali-shared-XXXXXX";

/* a 7, b v; and a NULL, b u */
static const uint32_t code[] = { 2, 1, 10, 0 };
static const jali_frame frame = { 2, 2, code };

static void compile(const char *name, const char *body)
{
    char path[256], command[1024];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#include <stddef.h>\n%s\n", body);
    CHECK(fclose(f) == 0);
    snprintf(command, sizeof command, "%s -shared -fPIC -o %s/%s.so %s", JALI_TEST_CC, folder,
             name, path);
    CHECK(system(command) == 0); /* NOLINT: words of this file alone */
}

static jali_status load(jali_model **m, const char *name, jali_err *err)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    jali_model_spec spec = { .model = path, .label = "y" };
    return jali_model_open(m, &schema, &spec, err);
}

#define PREDICT "int jali_predict(const double *x, size_t n, size_t w, double *out)"

SENTENCE(an_object_gets_the_rows_as_numbers)
{
    UNUSED_STATE;
    jali_model *m;
    double out[2];
    compile("sum", "static double or(double x, double z) { return x == x ? x : z; }" PREDICT
                   "{ for (size_t i = 0; i < n; i++) out[i] = or(x[i*w], -1)"
                   " + 100 * or(x[i*w+1], -1) + 1000 * (double)w; return 0; }");
    CHECK_OK(load(&m, "sum", NULL));
    CHECK(strcmp(jali_model_kind(m), "shared") == 0 && jali_model_width(m) == 2);
    CHECK(!jali_model_threads(m) && !jali_model_contributes(m));
    CHECK_OK(jali_model_try(m, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    CHECK(out[0] == 2107 && out[1] == 1999);
    jali_model_free(m);
}

SENTENCE(only_an_object_that_says_so_is_asked_by_several_threads)
{
    UNUSED_STATE;
    jali_model *m;
    compile("many",
            "int jali_predict_threads = 1;" PREDICT
            "{ (void)x, (void)w; for (size_t i = 0; i < n; i++) out[i] = 1; return 0; }");
    CHECK_OK(load(&m, "many", NULL));
    CHECK(jali_model_threads(m));
    jali_model_free(m);
}

/* A change of the file is a change of the model: an old answer is not given for a new one. */
SENTENCE(another_object_has_another_print)
{
    UNUSED_STATE;
    jali_model *m;
    char first[64];
    compile("old", PREDICT "{ (void)x, (void)w, (void)n; out[0] = 1; return 0; }");
    compile("new", PREDICT "{ (void)x, (void)w, (void)n; out[0] = 2; return 0; }");
    CHECK_OK(load(&m, "old", NULL));
    snprintf(first, sizeof first, "%s", jali_model_print(m));
    jali_model_free(m);
    CHECK_OK(load(&m, "new", NULL));
    CHECK(strcmp(first, jali_model_print(m)) != 0);
    jali_model_free(m);
}

SENTENCE(an_object_that_fails_or_says_nan_is_refused_in_its_trial)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    double out[2];
    compile("fails", PREDICT "{ (void)x, (void)w, (void)n, (void)out; return 1; }");
    CHECK_OK(load(&m, "fails", NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL)); /* an error would tell of a row */
    CHECK(isnan(out[0]) && isnan(out[1]));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "jali_predict failed");
    jali_model_free(m);
    compile("nan", PREDICT "{ (void)w; for (size_t i = 0; i < n; i++)"
                           " out[i] = (x[i] - x[i]) / (double)(n - n); return 0; }");
    CHECK_OK(load(&m, "nan", NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL)); /* a row's NaN is no error */
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "NaN");
    jali_model_free(m);
}

SENTENCE(an_object_without_the_function_is_refused)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    compile("other", "int something_else(void) { return 0; }");
    CHECK(load(&m, "other", &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "must have a function");
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ||
           jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK;
}

static int tear_down(void **state)
{
    (void)state;
    char command[256];
    jali_arena_clear(&arena);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0; /* NOLINT: a name of this file alone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_object_gets_the_rows_as_numbers),
        TEST(only_an_object_that_says_so_is_asked_by_several_threads),
        TEST(another_object_has_another_print),
        TEST(an_object_that_fails_or_says_nan_is_refused_in_its_trial),
        TEST(an_object_without_the_function_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
