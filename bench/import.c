/* bench/import.c — the cost of reading a file and of opening a vault.
 *
 * import.ratio divides the time of a whole jali_vault_init, ledger and fsync included, by
 * that of DuckDB's CREATE TABLE AS SELECT in memory on the same file, both by the median of
 * runs taken in turn. Each import runs in a child, so that its peak memory is its own.
 * `jali-bench import` takes 200 MB; `jali-bench import-large`, only when named, 1 GB.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "bench.h"
#include "door/vault.h"
#include "engine/duckdb.h"
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1000000, SMALL = 200, LARGE = 1000, ROUNDS = 3 };

static const char schema[] =
    "{\"fields\": [{\"name\": \"id\", \"jali\": {\"drop\": true}},"
    "{\"name\": \"age\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 90}},"
    "{\"name\": \"sex\", \"constraints\": {\"enum\": [\"F\", \"M\"]}},"
    "{\"name\": \"job\", \"constraints\": {\"enum\": [\"Exec-managerial\", \"Prof-specialty\", "
    "\"Craft-repair\", \"Sales\", \"Adm-clerical\", \"Other-service\", \"Transport-moving\"]}, "
    "\"jali\": {\"other\": \"other\"}},"
    "{\"name\": \"ward\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 39}},"
    "{\"name\": \"stay\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 50}},"
    "{\"name\": \"cost\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 20000}, "
    "\"jali\": {\"step\": \"0.01\"}},"
    "{\"name\": \"score\", \"type\": \"number\", \"jali\": {\"bins\": [0, 1, 2, 4, 8, 10]}},"
    "{\"name\": \"day\", \"type\": \"date\", \"constraints\": {\"minimum\": \"2010-01-01\", "
    "\"maximum\": \"2024-12-31\"}},"
    "{\"name\": \"x\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 1000}, "
    "\"jali\": {\"step\": \"0.001\"}},"
    "{\"name\": \"y\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 1000}, "
    "\"jali\": {\"step\": \"0.001\"}}]}";

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static void write_csv(const char *path, size_t bytes)
{
    static const char *const jobs[] = { "Exec-managerial", "Prof-specialty",  "Craft-repair",
                                        "Sales",           "Adm-clerical",    "Other-service",
                                        "Pilot",           "Transport-moving" };
    uint64_t s = 88172645463325252u;
    FILE *f = fopen(path, "w");
    bench_need(f != NULL, "cannot write the CSV");
    size_t used = (size_t)fprintf(f, "id,age,sex,job,ward,stay,cost,score,day,x,y\n");
    while (used < bytes) {
        uint64_t a = next(&s), b = next(&s), c = next(&s);
        used += (size_t)fprintf(
            f, "%u,%u,%c,%s,%u,%u,%u.%02u,%u.%04u,20%02u-%02u-%02u,%u.%03u,%u.%03u\n",
            (unsigned)(a % 10000000), (unsigned)(a >> 24) % 95, a >> 40 & 1 ? 'F' : 'M',
            jobs[a >> 41 & 7], (unsigned)(a >> 44) % 40, (unsigned)(a >> 50) % 60,
            (unsigned)b % 20000, (unsigned)(b >> 20) % 100, (unsigned)(b >> 28) % 10,
            (unsigned)(b >> 32) % 10000, (unsigned)(b >> 46) % 15 + 10,
            (unsigned)(b >> 50) % 12 + 1, (unsigned)(b >> 54) % 28 + 1, (unsigned)c % 1000,
            (unsigned)(c >> 10) % 1000, (unsigned)(c >> 20) % 1000, (unsigned)(c >> 30) % 1000);
    }
    bench_need(fclose(f) == 0, "cannot write the CSV");
}

typedef struct places {
    char folder[64], csv[96], schema[96], vault[96];
} places;

static void import_once(const places *p)
{
    const char *data = p->csv;
    jali_doc *doc;
    jali_err err;
    jali_init ask = { .vault = p->vault,
                      .data = &data,
                      .n_data = 1,
                      .schema = p->schema,
                      .epsilon = "1",
                      .delta = "1e-6",
                      .by = "bench" };
    if (jali_vault_init(&ask, &doc, &err) != JALI_OK) {
        fprintf(stderr, "jali-bench: %s\n", err.text);
        _exit(1);
    }
    jali_doc_free(doc);
}

/* Seconds of one import, and its peak memory. */
static double import_time(const places *p, double *peak_mb)
{
    struct rusage usage;
    int status;
    jali_file_remove_tree(p->vault);
    double start = bench_seconds();
    pid_t child = fork();
    if (child == 0) {
        import_once(p);
        _exit(0);
    }
    bench_need(child > 0 && wait4(child, &status, 0, &usage) == child && status == 0,
               "the import failed");
    double passed = bench_seconds() - start, mb = (double)usage.ru_maxrss / 1024;
    if (mb > *peak_mb) *peak_mb = mb;
    return passed;
}

static void create_once(const places *p)
{
    char sql[256];
    jali_duckdb *db;
    jali_err err;
    snprintf(sql, sizeof sql, "CREATE TABLE t AS SELECT * FROM read_csv('%s')", p->csv);
    if (jali_duckdb_new(&db, 0, &err) != JALI_OK ||
        jali_duckdb_query(db, sql, NULL, NULL, NULL, NULL, &err) != JALI_OK) {
        fprintf(stderr, "jali-bench: %s\n", err.text);
        _exit(1);
    }
    jali_duckdb_free(db);
}

static double create_time(const places *p)
{
    int status;
    double start = bench_seconds();
    pid_t child = fork();
    if (child == 0) {
        create_once(p);
        _exit(0);
    }
    bench_need(child > 0 && waitpid(child, &status, 0) == child && status == 0,
               "DuckDB's own import failed");
    return bench_seconds() - start;
}

static void open_once(void *self)
{
    const places *p = self;
    jali_vault *vault;
    bench_need(jali_vault_open(&vault, p->vault, NULL) == JALI_OK, "the vault does not open");
    jali_vault_free(vault);
}

static double median3(double *t)
{
    double low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0];
    return t[2] < low ? low : t[2] > high ? high : t[2];
}

static void measure(size_t megabytes, const char *suffix)
{
    places p = { .folder = "jali-bench-XXXXXX" };
    double ours[ROUNDS], theirs[ROUNDS], peak = 0;
    char name[64];
    bench_need(mkdtemp(p.folder) != NULL, "cannot make a folder here");
    snprintf(p.csv, sizeof p.csv, "%s/data.csv", p.folder);
    snprintf(p.schema, sizeof p.schema, "%s/schema.json", p.folder);
    snprintf(p.vault, sizeof p.vault, "%s/bench.jali", p.folder);
    write_csv(p.csv, megabytes * MB);
    bench_need(jali_file_replace(p.schema, schema, sizeof schema - 1, 0600, NULL) == JALI_OK,
               "cannot write the schema");
    for (int i = 0; i < ROUNDS; i++) {
        theirs[i] = create_time(&p);
        ours[i] = import_time(&p, &peak);
    }
    snprintf(name, sizeof name, "import%s.s", suffix);
    bench_print(name, median3(ours), "s");
    snprintf(name, sizeof name, "import%s.ratio", suffix);
    bench_print(name, median3(ours) / median3(theirs), "x");
    snprintf(name, sizeof name, "import%s.peak", suffix);
    bench_print(name, peak, "MB");
    snprintf(name, sizeof name, "vault%s.open.ms", suffix);
    bench_print(name, 1000 * bench_median(open_once, &p, 51), "ms");
    jali_file_remove_tree(p.folder);
}

static void run(void)
{
    measure(SMALL, "");
}

static void run_large(void)
{
    measure(LARGE, ".large");
}

const jali_bench_set bench_import = { "import", run };
const jali_bench_set bench_import_large = { "import-large", run_large };
