/* Every allocation, every call that touches a file and every word of entropy of the verbs fails
 * in turn: no crash, no release without its charge, one sentence, and the vault stays whole.
 * One vault lives through all of it. (SQLite's own calls fail in
 * tests/budget/ledger_fault_test.c, those of an import's memory in
 * tests/table/import_fault_test.c.) */
#define _GNU_SOURCE
#include "budget/ledger.h"
#include "dice/inside.h"
#include "scratch.h"
#include "support/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- calls that fail when told to ----------------------------------------------------------
 */

typedef enum fault { MEMORY, FILES, WORDS } fault;

static atomic_long calls_left = -1, words_left = -1;
static atomic_long calls, words;
static atomic_bool met;

static bool fails(atomic_long *left, atomic_long *seen)
{
    atomic_fetch_add(seen, 1);
    if (atomic_load(left) < 0 || atomic_fetch_sub(left, 1) != 0) return false;
    atomic_store(&met, true);
    errno = EIO;
    return true;
}

#define WRAP(type, name, bad, params, args)                                                    \
    type __real_##name params;                                                                 \
    type __wrap_##name params;                                                                 \
    type __wrap_##name params                                                                  \
    {                                                                                          \
        return fails(&calls_left, &calls) ? (bad) : __real_##name args;                        \
    }

WRAP(ssize_t, read, -1, (int fd, void *to, size_t n), (fd, to, n))
WRAP(ssize_t, write, -1, (int fd, const void *from, size_t n), (fd, from, n))
WRAP(int, fsync, -1, (int fd), (fd))
WRAP(int, rename, -1, (const char *from, const char *to), (from, to))
WRAP(void *, mmap, MAP_FAILED, (void *at, size_t n, int p, int f, int fd, off_t o),
     (at, n, p, f, fd, o))
WRAP(int, fstat, -1, (int fd, struct stat *st), (fd, st))

jali_status __real_jali_source_refill(jali_dice *d);
jali_status __wrap_jali_source_refill(jali_dice *d);
jali_status __wrap_jali_source_refill(jali_dice *d)
{
    if (fails(&words_left, &words)) return JALI_E_ENTROPY;
    jali_status status = __real_jali_source_refill(d);
    if (status == JALI_OK && atomic_load(&words_left) >= 0) d->pool->left = 1;
    return status;
}

static void arm(fault kind, long n)
{
    atomic_store(&met, false);
    atomic_store(&calls, 0);
    atomic_store(&words, 0);
    if (kind == MEMORY) alloc_fail_at(n);
    if (kind == FILES) atomic_store(&calls_left, n);
    if (kind == WORDS) atomic_store(&words_left, n);
}

static bool disarm(fault kind)
{
    atomic_store(&calls_left, -1);
    atomic_store(&words_left, -1);
    return kind == MEMORY ? alloc_failed() : atomic_load(&met);
}

/* ---- verbs
 * ------------------------------------------------------------------------------------ */

static const char schema[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"
    "{\"name\":\"k\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\"]}},"
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":15}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":15}}]}";
static const char rows[] = "g,k,x,y\na,u,1,2\na,v,5,6\nb,u,9,3\nb,v,7,15\n";
static const char *vault;

typedef jali_status verb_fn(const jali_spend *spend, jali_doc **doc, jali_err *err);

static jali_status ask(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    jali_question q = { .spend = *spend, .sql = "SELECT g, AVG(x) FROM t GROUP BY g" };
    return jali_vault_ask(&q, doc, err);
}

static jali_status why(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    jali_why q = { .spend = *spend, .release = "r1", .question = "a > b" };
    return jali_vault_why(&q, doc, err);
}

static jali_status why_search(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    jali_why q = { .spend = *spend, .release = "r1", .question = "a > b", .ranks = "search" };
    return jali_vault_why(&q, doc, err);
}

static jali_status profile(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    jali_profiling q = { .spend = *spend, .clustering = "{\"rules\":[\"x < 4\"]}" };
    return jali_vault_profile(&q, doc, err);
}

static jali_status cluster(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    static const char *const xy[] = { "x", "y" };
    jali_cluster_request q = {
        .spend = *spend, .columns = xy, .n_columns = 2, .clusters = "2"
    };
    return jali_vault_cluster(&q, doc, err);
}

static jali_status contrast(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    jali_centres q = { .spend = *spend, .columns = "x,y", .centres = "2", .cells = "256" };
    return jali_vault_centres(&q, doc, err);
}

static jali_status model(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    static const char *const xy[] = { "x", "y" };
    jali_model_question q = { .spend = *spend,
                              .what = "pdp",
                              .model = "command:awk 'NR>1{print 0.5}'",
                              .declared = "public",
                              .feature = "x",
                              .columns = xy,
                              .n_columns = 2,
                              .bounds = "0:1",
                              .resolution = 3 };
    return jali_vault_model(&q, doc, err);
}

static jali_status init(const jali_spend *spend, jali_doc **doc, jali_err *err)
{
    const char *data = scratch_path("t.csv"), *to = scratch_path("new.jali");
    jali_init q = { .vault = to,
                    .data = &data,
                    .n_data = 1,
                    .schema = scratch_path("s.json"),
                    .epsilon = "1",
                    .delta = "0",
                    .by = spend->by,
                    .now_ms = 1,
                    .threads = 1 };
    jali_status status = jali_vault_init(&q, doc, err);
    bool there = access(to, F_OK) == 0;
    jali_file_remove_tree(to);
    /* Whole, or nothing at all. */
    if (there != (status == JALI_OK)) fail_msg("init: %d, but %d", status, there);
    return status;
}

/* ---- trials
 * ------------------------------------------------------------------------------------ */

static int64_t answered;
static unsigned trials;

/* What must hold whatever happened. */
static void check_vault(void)
{
    char file[512];
    jali_ledger_report report;
    snprintf(file, sizeof file, "%s/ledger.sqlite", vault);
    jali_ledger_places places = { .file = file };
    CHECK_OK(jali_ledger_verify(&places, &report, NULL));
    if (!report.intact) fail_msg("row %lld: %s", (long long)report.bad_row, report.why);
    CHECK(report.charges >= report.releases && report.releases >= answered);
}

/* One run with the n-th thing failing; whether it was met. Every run is another question. */
static bool trial(verb_fn *verb, bool spends, fault kind, long n)
{
    char rho[32];
    jali_doc *doc = NULL;
    jali_err err = { 0 };
    snprintf(rho, sizeof rho, "0.01%06u", ++trials);
    jali_spend spend = { .vault = vault, .rho = rho, .by = "eve", .now_ms = 2, .threads = 1 };
    arm(kind, n);
    jali_status status = verb(&spend, &doc, &err);
    bool hit = disarm(kind);
    if (status == JALI_OK) {
        answered += spends;
        jali_doc_free(doc);
    } else {
        CHECK(doc == NULL && err.code == status);
        CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
        if (!hit) fail_msg("nothing failed, yet: %s", err.text);
    }
    check_vault();
    return hit;
}

/* About MOST places, evenly over all that there are, and the last ones among them. */
static void fail_in_turn(verb_fn *verb, bool spends, fault kind)
{
#if defined(__SANITIZE_ADDRESS__)
    enum { MOST = 20 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    enum { MOST = 20 };
#else
    enum { MOST = 120 };
#endif
#else
    enum { MOST = 120 };
#endif
    long all = 0, step = 1;
    unsigned hits = 0;
    while (trial(verb, spends, kind, all == 0 ? 0 : all)) all = all == 0 ? 1 : 2 * all;
    if (getenv("JALI_EVERY_PLACE") == NULL) step = 1 + all / MOST; /* make fault tries all */
    for (long n = 0; trial(verb, spends, kind, n); n += step) hits++;
    if (kind != WORDS || spends) CHECK(hits > 0);
    if (step == 1) print_message("# %u places\n", hits);
}

static verb_fn *const spending[] = { ask, why, why_search, profile, cluster, contrast, model };

static void each_verb(fault kind)
{
    for (size_t i = 0; i < sizeof spending / sizeof *spending; i++)
        fail_in_turn(spending[i], true, kind);
}

SENTENCE(no_verb_breaks_when_memory_ends)
{
    UNUSED_STATE;
    each_verb(MEMORY);
}

SENTENCE(no_verb_breaks_when_a_file_fails)
{
    UNUSED_STATE;
    each_verb(FILES);
}

SENTENCE(no_verb_answers_when_a_word_of_entropy_is_missing)
{
    UNUSED_STATE;
    each_verb(WORDS);
}

SENTENCE(an_import_is_whole_or_nothing)
{
    UNUSED_STATE;
    fail_in_turn(init, false, FILES);
    fail_in_turn(init, false, MEMORY);
}

static int prepare(void **state)
{
    int bad = scratch_open(state);
    const char *data = scratch_file("t.csv", rows);
    jali_doc *doc;
    vault = strdup(scratch_path("v.jali"));
    jali_init q = { .vault = vault,
                    .data = &data,
                    .n_data = 1,
                    .schema = scratch_file("s.json", schema),
                    .epsilon = "1000",
                    .delta = "1e-6",
                    .by = "carol",
                    .now_ms = 1,
                    .threads = 1 };
    jali_spend spend = {
        .vault = vault, .rho = "0.01", .by = "eve", .now_ms = 2, .threads = 1
    };
    bad |= jali_vault_init(&q, &doc, NULL) != JALI_OK;
    jali_doc_free(doc);
    bad |= ask(&spend, &doc, NULL) != JALI_OK; /* r1, for why */
    jali_doc_free(doc);
    answered = 1;
    return bad;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(no_verb_breaks_when_memory_ends),
                                        TEST(no_verb_breaks_when_a_file_fails),
                                        TEST(no_verb_answers_when_a_word_of_entropy_is_missing),
                                        TEST(an_import_is_whole_or_nothing) };
    return cmocka_run_group_tests(tests, prepare, scratch_close);
}
