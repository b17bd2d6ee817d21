/* Registered models: a name is enough, nobody else's command runs, a changed file is refused.
 */
#define _GNU_SOURCE
#include "door/models.h"
#include "scratch.h"
#include <sys/stat.h>
#include <unistd.h>

static const char script[] = "NR > 1 { print ($1 > 60 ? 0.7 : 0.2) }\n";

static const char *make_vault(const char *name)
{
    static const char schema[] =
        "{\"fields\": ["
        "{\"name\": \"age\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, "
        "\"maximum\": 90}},"
        "{\"name\": \"ward\", \"constraints\": {\"enum\": [\"A\", \"B\"]}}]}";
    const char *vault = scratch_path(name);
    const char *data = scratch_file("m.csv", "age,ward\n10,A\n20,B\n70,A\n80,B\n");
    jali_init ask = { .vault = vault,
                      .data = &data,
                      .n_data = 1,
                      .schema = scratch_file("m.json", schema),
                      .epsilon = "100",
                      .delta = "0",
                      .by = "anna",
                      .now_ms = 1700000000000,
                      .threads = 1 };
    jali_doc *doc;
    CHECK_OK(jali_vault_init(&ask, &doc, NULL));
    jali_doc_free(doc);
    return vault;
}

static jali_model_question registration(const char *vault, const char *const *columns)
{
    static char words[600];
    snprintf(words, sizeof words, "command:awk -F, -f %s", scratch_file("m.awk", script));
    return (jali_model_question){ .spend = { .vault = vault, .by = "anna", .now_ms = 1 },
                                  .model = words,
                                  .declared = "public",
                                  .bounds = "0:1",
                                  .columns = columns,
                                  .n_columns = 1 };
}

static jali_model_question question(const char *vault, const char *name)
{
    return (jali_model_question){
        .spend = { .vault = vault, .epsilon = "1", .by = "eve", .now_ms = 2, .threads = 1 },
        .what = "pdp",
        .feature = "age",
        .model = name,
        .resolution = 3,
        .registered = true
    };
}

/* *id has room for 16 bytes. */
static jali_status ask(const jali_model_question *q, char *id, jali_err *err)
{
    jali_doc *doc;
    char *text;
    jali_style json = { .format = JALI_FORMAT_JSON };
    jali_status status = jali_vault_model(q, &doc, err);
    if (status != JALI_OK) return status;
    CHECK_OK(jali_doc_render(doc, &json, &text, NULL));
    const char *at = strstr(text, "\"release\": \"");
    CHECK(at != NULL);
    snprintf(id, 16, "%.*s", (int)strcspn(at + 12, "\""), at + 12);
    jali_free(text);
    jali_doc_free(doc);
    return JALI_OK;
}

static const char *const columns[] = { "age" };

static void refused(const jali_model_question *q, const char *words)
{
    char id[16];
    jali_err err = { 0 };
    CHECK(ask(q, id, &err) != JALI_OK);
    CHECK(err.reader == JALI_FOR_ANALYST);
    if (strstr(err.text, words) == NULL) fail_msg("no \"%s\" in: %s", words, err.text);
}

/* What was charged so far, as the budget tells it. */
static char *budget(const char *vault)
{
    jali_doc *doc;
    char *text;
    jali_style json = { .format = JALI_FORMAT_JSON };
    CHECK_OK(jali_vault_budget(vault, &doc, NULL));
    CHECK_OK(jali_doc_render(doc, &json, &text, NULL));
    jali_doc_free(doc);
    return text;
}

SENTENCE(a_name_is_enough_to_ask)
{
    UNUSED_STATE;
    char first[16], second[16];
    const char *vault = make_vault("a.jali");
    jali_model_question model = registration(vault, columns), q = question(vault, "risk");
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    CHECK_OK(ask(&q, first, NULL));
    /* The same words from another folder mean the same model, and the same release. */
    char here[512], moved[600];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(moved, sizeof moved, "%s/%s", here, vault);
    q.spend.vault = moved;
    CHECK(chdir("/") == 0);
    jali_status status = ask(&q, second, NULL);
    CHECK(chdir(here) == 0);
    CHECK(status == JALI_OK);
    assert_string_equal(first, second);
}

SENTENCE(a_changed_file_is_refused_and_nothing_is_paid)
{
    UNUSED_STATE;
    char id[16];
    const char *vault = make_vault("b.jali");
    jali_model_question model = registration(vault, columns), q = question(vault, "risk");
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    scratch_file("m.awk", "NR > 1 { print ($1 > 60 ? 0.2 : 0.7) }\n");
    char *before = budget(vault);
    refused(&q, "m.awk has changed");
    CHECK(unlink(scratch_path("m.awk")) == 0);
    refused(&q, "m.awk cannot be read");
    char *after = budget(vault);
    assert_string_equal(before, after);
    jali_free(before);
    jali_free(after);
    /* The twin: the file as it was is taken again, so it is the change that was refused. */
    scratch_file("m.awk", script);
    CHECK_OK(ask(&q, id, NULL));
}

/* Or the stored release of the old model would be told as the new one's. */
SENTENCE(a_model_registered_again_with_other_files_is_another_question)
{
    UNUSED_STATE;
    char first[16], same[16], other[16];
    const char *vault = make_vault("c.jali");
    jali_model_question model = registration(vault, columns), q = question(vault, "risk");
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    CHECK_OK(ask(&q, first, NULL));
    CHECK_OK(jali_vault_model_remove(vault, "risk", NULL));
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    CHECK_OK(ask(&q, same, NULL));
    assert_string_equal(first, same);
    CHECK_OK(jali_vault_model_remove(vault, "risk", NULL));
    const char *words = model.model;
    model = registration(vault, columns);
    model.model = words;
    scratch_file("m.awk", "NR > 1 { print ($1 > 60 ? 0.2 : 0.7) }\n");
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    CHECK_OK(ask(&q, other, NULL));
    assert_string_not_equal(first, other);
}

/* What a server passes on: a name and nothing that runs or widens. */
SENTENCE(who_may_only_name_models_brings_no_command)
{
    UNUSED_STATE;
    const char *vault = make_vault("d.jali");
    jali_model_question model = registration(vault, columns), q;
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    q = question(vault, model.model);
    q.declared = "public", q.bounds = "0:1", q.columns = columns, q.n_columns = 1;
    refused(&q, "no registered model");
    q = question(vault, NULL);
    refused(&q, "which registered model");
    q = question(vault, "risc");
    refused(&q, "did you mean \"risk\"?");
    q = question(vault, "risk");
    q.what = "plot", q.explainer = "command:cat";
    refused(&q, "a command of your own is not run here");
    q = question(vault, "risk"), q.bounds = "0:0.5";
    refused(&q, "--bounds");
    q = question(vault, "risk"), q.declared = "private";
    refused(&q, "--declared");
    q = question(vault, "risk"), q.columns = columns, q.n_columns = 1;
    refused(&q, "--columns");
    q = question(vault, "risk"), q.timeout_s = 1;
    refused(&q, "--timeout");
}

SENTENCE(what_cannot_work_is_refused_at_registration)
{
    UNUSED_STATE;
    jali_err err = { 0 };
    const char *vault = make_vault("e.jali");
    jali_model_question good = registration(vault, columns), bad;
    static const char *const names[] = { "", "../x", "a b", "-x", "m.json", "a\nb" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(jali_vault_model_add(names[i], &good, &err) == JALI_E_USAGE);
    bad = good, bad.declared = NULL;
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_USAGE);
    bad = good, bad.bounds = NULL;
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_USAGE);
    bad = good, bad.bounds = "1:0";
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_USAGE);
    bad = good, bad.label = "ward=Z";
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_USAGE);
    bad = good, bad.model = "command:false";
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_ENGINE);
    bad = good, bad.model = "command:cat";
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_ENGINE);
    const char *absent = "absent.joblib";
    bad = good, bad.pins = &absent, bad.n_pins = 1;
    CHECK(jali_vault_model_add("x", &bad, &err) == JALI_E_USAGE);
    CHECK_OK(jali_vault_model_add("x", &good, NULL));
    CHECK(jali_vault_model_add("x", &good, &err) == JALI_E_USAGE);
    CHECK(jali_vault_model_remove(vault, "y", &err) == JALI_E_USAGE);
}

SENTENCE(the_list_shows_no_path_and_the_file_is_the_curators)
{
    UNUSED_STATE;
    jali_doc *doc;
    char *text;
    struct stat st;
    char file[600];
    jali_style json = { .format = JALI_FORMAT_JSON };
    const char *vault = make_vault("f.jali");
    jali_model_question model = registration(vault, columns);
    CHECK_OK(jali_vault_model_add("risk", &model, NULL));
    CHECK_OK(jali_vault_models(vault, &doc, NULL));
    CHECK_OK(jali_doc_render(doc, &json, &text, NULL));
    CHECK(strstr(text, "risk") != NULL && strstr(text, "0:1") != NULL);
    CHECK(strstr(text, "awk") == NULL && strchr(text, '/') == NULL);
    jali_doc_free(doc);
    jali_free(text);
    snprintf(file, sizeof file, "%s/models.json", vault);
    CHECK(stat(file, &st) == 0 && (st.st_mode & 077) == 0);
}

SENTENCE(a_broken_list_is_one_sentence)
{
    UNUSED_STATE;
    static const char *const broken[] = { "", "[]", "{\"jali\": 1}",
                                          "{\"jali\": 2, \"models\": []}",
                                          "{\"jali\": 1, \"models\": {}}" };
    jali_doc *doc;
    jali_err err;
    const char *vault = make_vault("g.jali"), *file = "g.jali/models.json";
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        scratch_file(file, broken[i]);
        err = (jali_err){ 0 };
        CHECK(jali_vault_models(vault, &doc, &err) == JALI_E_DATA && err.text[0] != '\0');
    }
    /* Members of the wrong type are as good as absent: refused by who reads them. */
    scratch_file(file, "{\"jali\": 1, \"models\": [1, {\"name\": \"risk\", \"pins\": 7}]}");
    jali_model_question q = question(vault, "risk");
    char id[16];
    CHECK(ask(&q, id, &err) != JALI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_is_enough_to_ask),
        TEST(a_changed_file_is_refused_and_nothing_is_paid),
        TEST(a_model_registered_again_with_other_files_is_another_question),
        TEST(who_may_only_name_models_brings_no_command),
        TEST(what_cannot_work_is_refused_at_registration),
        TEST(the_list_shows_no_path_and_the_file_is_the_curators),
        TEST(a_broken_list_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
