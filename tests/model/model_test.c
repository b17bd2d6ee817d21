/* Models of every kind: what they are fed, what becomes of their answers, and what a command
 * cannot do. */
#define _GNU_SOURCE
#include "model/inside.h"
#include "model/model.h"
#include "model/plain.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"number\",\"constraints\":{\"minimum\":-1,\"maximum\":1},"
    "\"jali\":{\"step\":\"0.1\"}},"
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a,b\",\"say \\\"c\\\"\"]}},"
    "{\"name\":\"n\",\"type\":\"string\",\"constraints\":{\"enum\":[\"3\",\"1\",\"2\"]}},"
    "{\"name\":\"flag\",\"type\":\"boolean\"},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":1}}]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;

/* x 0.1, g second, n "1", flag true, y 1; and everything NULL */
static const uint32_t two[] = { 11, 1, 1, 1, 21, 2, 3, 2 };
static const jali_frame frame = { 2, 4, two };

static int weigh(const double *row, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < width; k++)
            out[i] += isnan(row[i * width + k]) ? 0 : row[i * width + k] * pow(10, (double)k);
    }
    return 0;
}

static jali_status open_words(jali_model **m, const char *words, unsigned timeout, bool ndjson,
                              jali_err *err)
{
    jali_model_spec spec = {
        .model = words, .label = "y", .timeout_s = timeout, .ndjson = ndjson
    };
    return jali_model_open(m, &schema, &spec, err);
}

SENTENCE(numbers_are_numbers_and_categories_numbers_or_places)
{
    UNUSED_STATE;
    CHECK(fabs(jali_model_number(&schema.fields[0], 11) - 0.1) < 1e-12);
    CHECK(isnan(jali_model_number(&schema.fields[0], 21)));
    CHECK(jali_model_number(&schema.fields[1], 1) == 1); /* its place */
    CHECK(jali_model_number(&schema.fields[2], 0) == 3); /* itself    */
    CHECK(jali_model_number(&schema.fields[3], 0) + jali_model_number(&schema.fields[3], 1) ==
          1);
}

SENTENCE(a_function_gets_decoded_rows)
{
    UNUSED_STATE;
    jali_model *m;
    double out[2];
    jali_model_spec spec = { .model = "weigh", .memory = weigh, .label = "y" };
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    CHECK(jali_model_width(m) == 4);
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    double flag = jali_model_number(&schema.fields[3], 1);
    CHECK(fabs(out[0] - (0.1 + 10 + 100 + 1000 * flag)) < 1e-9 && out[1] == 0);
    jali_model_free(m);
    static const char *const some[] = { "g=a,b", "g=say \"c\"", "x" };
    spec.columns = some;
    spec.n = 3;
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    CHECK(jali_model_width(m) == 2); /* an indicator's column is fed once */
    const uint32_t row[] = { 1, 10 };
    CHECK_OK(jali_model_predict(m, &(jali_frame){ 1, 2, row }, out, NULL));
    CHECK(fabs(out[0] - 10) < 1e-9);
    jali_model_free(m);
}

/* The command sees exactly this: header, quoting, empty cells. */
SENTENCE(a_command_gets_csv_or_ndjson)
{
    UNUSED_STATE;
    jali_model *m;
    double out[2];
    CHECK_OK(open_words(
        &m,
        "command:IFS= read -r h; IFS= read -r a; IFS= read -r b; test \"$h\" = x,g,n,flag "
        "&& test \"$a\" = '0.1,\"say \"\"c\"\"\",1,true' -o \"$a\" = "
        "'0.1,\"say \"\"c\"\"\",1,false' && test \"$b\" = ,,, && printf '7\\n8.5\\n'",
        10, false, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    CHECK(out[0] == 7 && out[1] == 8.5);
    jali_model_free(m);
    CHECK_OK(open_words(&m,
                        "command:read -r a; read -r b; test \"$b\" = "
                        "'{\"x\":null,\"g\":null,\"n\":null,\"flag\":null}' && printf '1\\n2'",
                        10, true, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    CHECK(out[0] == 1 && out[1] == 2); /* the last line may lack its end */
    jali_model_free(m);
}

/* Only who never ends is hurried: on a busy machine a second may be short for the others. */
static void fails(const char *words, const char *says)
{
    bool stays = strstr(says, "still running") != NULL;
    jali_model *m;
    jali_err err = { 0 };
    double out[2] = { 77, 77 };
    CHECK_OK(open_words(&m, words, stays ? 1 : 60, false, NULL));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, says);
    if (!stays) {
        CHECK_OK(jali_model_predict(m, &frame, out, NULL));
        /* NaN, or what it says to a row that is alone */
        CHECK((isnan(out[0]) || out[0] == 1) && (isnan(out[1]) || out[1] == 1));
        jali_model_free(m);
        return;
    }
    CHECK(jali_model_predict(m, &frame, out, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                  "failed on rows of the vault: it stopped");
    CHECK(strstr(err.text, "say") == NULL || strstr(err.text, "0.1") == NULL); /* no cell */
    jali_model_free(m);
}

/* A trial says what is wrong; with rows of the vault it is one sentence, always the same. */
SENTENCE(a_command_that_misbehaves_is_told_in_one_sentence)
{
    UNUSED_STATE;
    fails("command:cat >/dev/null; exit 3", "exit code 3");
    fails("command:kill -SEGV $$", "signal 11");
    fails("command:sleep 30", "still running after 1 s");
    fails("command:(trap '' TERM; sleep 30) & echo 1; echo 2; wait", "still running after 1 s");
    fails("command:cat >/dev/null; echo 1", "printed 1 numbers for 5 rows");
    fails("command:cat >/dev/null; yes 1 | head -n 6", "printed 6 numbers for 5 rows");
    fails("command:cat >/dev/null; echo 1; echo two", "printed 1 numbers for 5 rows");
    fails("command:cat; echo secret >&2; exit 1", "exit code 1: secret");
    fails("command:no-such-program-here", "exit code 127");
    fails("command:yes 11111111111111111111111111111111", "far more");
}

/* Row 11 of 20 has no values; whoever sees it, stops. */
SENTENCE(a_command_that_fails_for_one_row_says_nothing_about_that_row_alone)
{
    UNUSED_STATE;
    jali_model *m;
    uint32_t code[20 * 4];
    double out[20];
    for (size_t i = 0; i < 20; i++)
        memcpy(code + 4 * i, two + (i == 11 ? 4 : 0), 4 * sizeof *two);
    CHECK_OK(open_words(&m,
                        "command:t=$(cat); case \"$t\" in *,,,*) exit 1;; esac; "
                        "printf '%s\\n' \"$t\" | sed -e 1d -e 's/.*/5/'",
                        10, false, NULL));
    CHECK_OK(jali_model_predict(m, &(jali_frame){ 20, 4, code }, out, NULL));
    for (size_t i = 0; i < 20; i++) CHECK(i == 11 ? isnan(out[i]) : out[i] == 5);
    jali_model_free(m);
}

static int touchy(const double *row, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = row[i * width];
    for (size_t i = 0; i < n; i++)
        if (isnan(row[i * width])) return 1;
    return 0;
}

SENTENCE(so_does_a_function)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    double out[2] = { 77, 77 };
    jali_model_spec spec = { .model = "touchy", .memory = touchy, .label = "y" };
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    CHECK(fabs(out[0] - 0.1) < 1e-9 && isnan(out[1]));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE); /* a missing value is among the trial's */
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "jali_predict failed");
    jali_model_free(m);
}

/* A model could say NaN for one person only: an error would give that person away. */
SENTENCE(nan_of_a_row_is_refused_in_a_trial_and_no_error_afterwards)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    double out[2];
    CHECK_OK(open_words(&m, "command:cat >/dev/null; echo nan; echo -inf", 10, false, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    CHECK(isnan(out[0]) && isinf(out[1]));
    jali_plain p = { m, 2, 6, false };
    CHECK(jali_plain_within(&p, out[0]) == 4 && jali_plain_within(&p, out[1]) == 2);
    jali_model_free(m);
    CHECK_OK(open_words(&m, "command:cat >/dev/null; yes nan | head -n 5", 10, false, NULL));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "NaN");
    jali_model_free(m);
}

/* It held us for as long as it liked: nobody else would have stopped it. */
SENTENCE(a_command_that_closes_its_output_and_stays_is_stopped)
{
    UNUSED_STATE;
    jali_model *m;
    double out[2];
    time_t before = time(NULL);
    CHECK_OK(open_words(&m, "command:cat >/dev/null; echo 1; echo 2; exec 1>&-; sleep 600", 1,
                        false, NULL));
    CHECK(jali_model_predict(m, &frame, out, NULL) == JALI_E_ENGINE);
    CHECK(time(NULL) - before < 300);
    jali_model_free(m);
}

/* The reason of a traceback is its last line. */
SENTENCE(a_trial_quotes_the_end_of_what_was_said)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    CHECK_OK(open_words(&m, "command:seq 1000 >&2; echo KeyError: age >&2; echo >&2; exit 3",
                        10, false, NULL));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    assert_string_equal(err.text, "the model's command ended with exit code 3: KeyError: age");
    jali_model_free(m);
    CHECK_OK(open_words(&m, "command:kill -SEGV $$", 10, false, NULL));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    assert_string_equal(err.text, "the model's command was ended by signal 11");
    jali_model_free(m);
}

/* A trial is on public rows, so there the command's own words may be shown. */
SENTENCE(a_trial_may_quote_the_command)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    CHECK_OK(
        open_words(&m, "command:echo no module named sklearn >&2; exit 1", 10, false, NULL));
    CHECK(jali_model_try(m, &err) == JALI_E_ENGINE);
    CHECK(strstr(err.text, "no module named sklearn") != NULL);
    jali_model_free(m);
    CHECK_OK(open_words(&m, "command:cat >/dev/null; yes 0.5 | head -n 5", 10, false, NULL));
    CHECK_OK(jali_model_try(m, NULL));
    jali_model_free(m);
}

/* "1" if the shell words after it fail, that is, if the cage holds. */
static bool held(const char *attempt)
{
    jali_model *m;
    double out[2];
    char words[1024];
    snprintf(
        words, sizeof words,
        "command:cat >/dev/null; if { %s; } >/dev/null 2>&1; then echo 0; else echo 1; fi; echo 1",
        attempt);
    CHECK_OK(open_words(&m, words, 20, false, NULL));
    CHECK_OK(jali_model_predict(m, &frame, out, NULL));
    jali_model_free(m);
    return out[0] == 1;
}

SENTENCE(a_command_cannot_write_or_talk)
{
    UNUSED_STATE;
    char folder[] = "/tmp/jali-cage-XXXXXX", attempt[256];
    CHECK(mkdtemp(folder) != NULL);
    CHECK(chmod(folder, 0777) == 0);
    snprintf(attempt, sizeof attempt, "echo x > %s/leak", folder);
    CHECK(held(attempt));
    snprintf(attempt, sizeof attempt, "mkdir %s/leak", folder);
    CHECK(held(attempt));
    snprintf(attempt, sizeof attempt, "ln -s / %s/leak", folder);
    CHECK(held(attempt));
    CHECK(held("python3 -c 'import socket; socket.socket()'"));
    CHECK(held("python3 -c 'import socket; socket.socket(socket.AF_UNIX)'"));
    snprintf(attempt, sizeof attempt, "chmod 700 %s", folder);
    CHECK(held(attempt));
    snprintf(attempt, sizeof attempt, "touch -d 2001-02-03 %s", folder);
    CHECK(held(attempt));
    snprintf(attempt, sizeof attempt,
             "python3 -c 'import os; os.setxattr(\"%s\", \"user.leak\", b\"row\")'", folder);
    CHECK(held(attempt));
    CHECK(held("python3 -c 'import os; os.setsid()'"));
    CHECK(held("setsid true"));
    CHECK(held("ipcmk -M 4096"));
    CHECK(held("python3 -c 'import ctypes; l = ctypes.CDLL(None); "
               "assert l.shmget(0, 4096, 0o1600) >= 0'"));
    CHECK(held("python3 -c 'import ctypes; l = ctypes.CDLL(None); "
               "assert l.msgget(0, 0o1600) >= 0'"));
    CHECK(
        !held("echo x > $TMPDIR/mine && test -s $TMPDIR/mine")); /* its own folder is its own */
    CHECK(!held("python3 -c 'import math'"));                    /* and python does run       */
    CHECK(!held("echo x > /dev/null"));
    CHECK(rmdir(folder) == 0); /* nothing was left in it */
}

SENTENCE(what_is_not_a_model_is_refused)
{
    UNUSED_STATE;
    jali_model *m;
    jali_err err = { 0 };
    CHECK(open_words(&m, "no-such-file.json", 1, false, &err) != JALI_OK);
    CHECK(open_words(&m, "", 1, false, &err) == JALI_E_USAGE);
    CHECK(open_words(&m, "command:", 1, false, &err) == JALI_E_USAGE);
    static const char *const none[] = { "nobody" };
    jali_model_spec spec = { .model = "weigh", .memory = weigh, .columns = none, .n = 1 };
    CHECK(jali_model_open(&m, &schema, &spec, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "nobody");
    static const char *const wrong[] = { "g=z" };
    spec.columns = wrong;
    CHECK(jali_model_open(&m, &schema, &spec, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "no such category");
}

/* ---- plain explainers ------------------------------------------------------------------ */

static int line(const double *row, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) /* x times flag, plus x */
        out[i] = row[i * width] * (row[i * width + 1] > 0 ? 2 : 0) + row[i * width];
    return 0;
}

static jali_model *line_model(void)
{
    static const char *const some[] = { "x", "flag", "n" };
    jali_model *m;
    jali_model_spec spec = { .model = "line", .memory = line, .columns = some, .n = 3 };
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    return m;
}

SENTENCE(an_explainer_of_strangers_returns_points_or_names)
{
    UNUSED_STATE;
    jali_model *m = line_model();
    jali_plain p = { m, -3, 3, false };
    const uint32_t rows[] = { 0, 0, 0, 20, 1, 1 }, point[] = { 0, 10, 20 };
    jali_frame f = { 2, 3, rows };
    double out[3];
    CHECK_OK(jali_plain_points(&p, "cat >/dev/null; printf '1,4\\nrubbish\\n-1,2\\n'", 10, &f,
                               0, point, 3, out, NULL));
    CHECK(out[0] == 2 && fabs(out[1] - 3) < 1e-9 && out[2] == 4);
    CHECK_OK(jali_plain_ranking(&p, "cat >/dev/null; printf 'n\\nnobody\\nx\\nn\\n'", 10, &f,
                                out, NULL));
    CHECK(out[2] > out[0] && out[0] > out[1]);
    jali_err err = { 0 };
    CHECK_OK(jali_plain_try(&p, "cat >/dev/null; echo 1,4", 10, 0, NULL));
    CHECK_OK(jali_plain_try(&p, "cat >/dev/null; echo x", 10, SIZE_MAX, NULL));
    CHECK(jali_plain_try(&p, "cat >/dev/null; echo x", 10, 0, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "nothing that is understood");
    CHECK(jali_plain_try(&p, "echo no such thing >&2; exit 1", 10, 0, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "no such thing");
    jali_model_free(m);
}

/* x and flag interact, n does nothing; a sum without product has no interaction. */
SENTENCE(interaction_is_between_those_that_interact)
{
    UNUSED_STATE;
    jali_model *m = line_model();
    jali_plain p = { m, -3, 3, false };
    uint32_t rows[60];
    double out[3];
    for (unsigned i = 0; i < 20; i++) {
        rows[3 * i] = i;
        rows[3 * i + 1] = i * 7 / 3 % 2;
        rows[3 * i + 2] = i % 3;
    }
    jali_frame f = { 20, 3, rows };
    CHECK_OK(jali_plain_interaction(&p, &f, 20, out, NULL));
    CHECK(out[0] > 0.05 && fabs(out[0] - out[1]) < 1e-9 && out[2] < 1e-12);
    jali_model_free(m);
}

static int first_input(const double *row, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = row[i * width];
    return 0;
}

/* By hand: rows (x 0.5, y 1) and (x -0.5, y 0); the model says x. Each is off by 0.5; with the
 * x of the other one, by 1.5 and 0.5. n does not matter. */
SENTENCE(importance_counts_errors_as_they_are_or_squared)
{
    UNUSED_STATE;
    const char *const names[] = { "x", "n" };
    const uint32_t code[] = { 15, 0, 1, 5, 1, 0 };
    const jali_frame rows = { 2, 3, code };
    jali_label_of label = { &schema.fields[4], 2, -1 };
    jali_model_spec spec = { .model = "test", .memory = first_input, .columns = names, .n = 2 };
    jali_model *m;
    double out[3];
    CHECK_OK(jali_model_open(&m, &schema, &spec, NULL));
    jali_plain p = { m, -1, 1, true };
    CHECK_OK(jali_plain_pfi(&p, &rows, &label, out, NULL));
    CHECK(fabs(out[0] - 1) < 1e-12 && fabs(out[1] - 0.5) < 1e-12 && fabs(out[2] - 0.5) < 1e-12);
    p.absolute = false;
    CHECK_OK(jali_plain_pfi(&p, &rows, &label, out, NULL));
    CHECK(fabs(out[0] - 1.25) < 1e-12 && fabs(out[1] - 0.25) < 1e-12);
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
        TEST(numbers_are_numbers_and_categories_numbers_or_places),
        TEST(a_function_gets_decoded_rows),
        TEST(a_command_gets_csv_or_ndjson),
        TEST(a_command_that_misbehaves_is_told_in_one_sentence),
        TEST(a_command_that_fails_for_one_row_says_nothing_about_that_row_alone),
        TEST(so_does_a_function),
        TEST(nan_of_a_row_is_refused_in_a_trial_and_no_error_afterwards),
        TEST(a_command_that_closes_its_output_and_stays_is_stopped),
        TEST(a_trial_quotes_the_end_of_what_was_said),
        TEST(a_trial_may_quote_the_command),
        TEST(a_command_cannot_write_or_talk),
        TEST(what_is_not_a_model_is_refused),
        TEST(an_explainer_of_strangers_returns_points_or_names),
        TEST(interaction_is_between_those_that_interact),
        TEST(importance_counts_errors_as_they_are_or_squared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
