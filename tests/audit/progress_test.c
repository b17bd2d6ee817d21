/* Who hears how far a request has come? Counts of rows are news: nobody, on a private vault. */
#define _XOPEN_SOURCE 700
#include "scratch.h"

static const char schema[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}";
static const char rows[] = "g,x,y\na,1,2\na,50,60\nb,99,3\nb,7,70\n";

static void hear(void *self, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    ++*(unsigned *)self;
}

static void make(const char *vault, bool is_public)
{
    const char *data = scratch_file("t.csv", rows);
    jali_doc *doc;
    jali_init ask = { .vault = vault,
                      .data = &data,
                      .n_data = 1,
                      .schema = scratch_file("s.json", schema),
                      .epsilon = "50",
                      .delta = "1e-6",
                      .is_public = is_public,
                      .by = "carol",
                      .now_ms = 1 };
    CHECK_OK(jali_vault_init(&ask, &doc, NULL));
    jali_doc_free(doc);
}

/* Every verb that spends, with somebody who listens. Returns how often they heard anything. */
static unsigned listen(const char *vault)
{
    unsigned heard = 0;
    jali_progress ear = { hear, &heard };
    jali_doc *doc;
    const char *xy[] = { "x", "y" };
    jali_spend spend = {
        .vault = vault, .rho = "0.1", .by = "eve", .now_ms = 2, .progress = &ear
    };
    jali_question ask = { .spend = spend, .sql = "SELECT g, COUNT(*) FROM t GROUP BY g" };
    CHECK_OK(jali_vault_ask(&ask, &doc, NULL));
    jali_doc_free(doc);
    jali_why why = { .spend = spend, .release = "r1", .question = "a > b" };
    CHECK_OK(jali_vault_why(&why, &doc, NULL));
    jali_doc_free(doc);
    jali_profiling profile = { .spend = spend, .clustering = "{\"rules\":[\"x < 10\"]}" };
    CHECK_OK(jali_vault_profile(&profile, &doc, NULL));
    jali_doc_free(doc);
    jali_cluster_request cluster = {
        .spend = spend, .columns = xy, .n_columns = 2, .clusters = "2"
    };
    CHECK_OK(jali_vault_cluster(&cluster, &doc, NULL));
    jali_doc_free(doc);
    jali_centres centres = { .spend = spend, .columns = "x,y", .centres = "2" };
    CHECK_OK(jali_vault_centres(&centres, &doc, NULL));
    jali_doc_free(doc);
    jali_model_question model = { .spend = spend,
                                  .what = "pdp",
                                  .model = "command:awk 'NR>1{print 0.5}'",
                                  .declared = "public",
                                  .feature = "x",
                                  .columns = xy,
                                  .n_columns = 2,
                                  .bounds = "0:1",
                                  .resolution = 3 };
    CHECK_OK(jali_vault_model(&model, &doc, NULL));
    jali_doc_free(doc);
    return heard;
}

SENTENCE(nobody_hears_the_progress_of_a_private_vault)
{
    UNUSED_STATE;
    const char *vault = scratch_path("private.jali");
    make(vault, false);
    CHECK(listen(vault) == 0);
}

/* The twin: the ear is not deaf. */
SENTENCE(on_a_public_vault_it_is_heard)
{
    UNUSED_STATE;
    const char *vault = scratch_path("public.jali");
    make(vault, true);
    CHECK(listen(vault) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(nobody_hears_the_progress_of_a_private_vault),
                                        TEST(on_a_public_vault_it_is_heard) };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
