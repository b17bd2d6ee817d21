/* bench/cluster.c — the cost of private clusterings, against reading the columns once.
 *
 * 64 equal Gaussians in a box, codes of four bytes, one thread, nothing charged to anybody.
 * Ratios compare this thread's own CPU time, taking turns. `jali-bench cluster-large`, only
 * when named, clusters 10^7 rows of ten columns and tells the memory of the whole process.
 */
#include "explain/cluster/cluster.h"
#include "bench.h"
#include "budget/free.h"
#include "dice/dice.h"
#include "engine/columns.h"
#include "explain/cluster/stream.h"
#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { CLUSTERS = 64, MOST_AXES = 100, ROUNDS = 5 };
static const double step = 0.0001, wall = 100;

typedef struct field_of {
    size_t rows, axes;
    char name[MOST_AXES][8];
    jali_column column[MOST_AXES];
    jali_columns *columns;
    jali_schema schema;
    jali_geometry geometry;
    jali_arena arena;
} field_of;

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

static void make_codes(field_of *f)
{
    double centre[CLUSTERS][MOST_AXES];
    jali_stream s = { 20240607 };
    uint64_t domain = (uint64_t)(2 * wall / step) + 2;
    for (int c = 0; c < CLUSTERS; c++)
        for (size_t j = 0; j < f->axes; j++) centre[c][j] = 95 * (2 * jali_stream_unit(&s) - 1);
    for (size_t j = 0; j < f->axes; j++) {
        uint32_t *codes = malloc(f->rows * sizeof *codes);
        bench_need(codes != NULL, "out of memory");
        for (size_t i = 0; i < f->rows; i++) {
            double x = centre[i % CLUSTERS][j] + jali_stream_normal(&s);
            x = fmin(fmax(x, -wall), wall);
            codes[i] = (uint32_t)((x + wall) / step);
        }
        snprintf(f->name[j], sizeof f->name[j], "c%zu", j);
        f->column[j] = (jali_column){ f->name[j], 4, domain, f->rows, codes };
    }
}

static void make_schema(field_of *f)
{
    char *text = malloc(200 * f->axes + 100), *at = text;
    const char *names[MOST_AXES];
    jali_err err;
    at += snprintf(at, 100, "{\"fields\":[");
    for (size_t j = 0; j < f->axes; j++) {
        at +=
            snprintf(at, 200,
                     "%s{\"name\":\"c%zu\",\"type\":\"number\",\"jali\":{\"step\":\"0.0001\"},"
                     "\"constraints\":{\"minimum\":-100,\"maximum\":100}}",
                     j == 0 ? "" : ",", j);
        names[j] = f->name[j];
    }
    snprintf(at, 10, "]}");
    need(jali_schema_parse(&f->schema, text, strlen(text), "bench", &f->arena, &err), &err);
    need(jali_geometry_make(&f->geometry, &f->schema, names, f->axes, JALI_SCALE_BOUNDS,
                            &f->arena, &err),
         &err);
    free(text);
}

static void field_open(field_of *f, size_t rows, size_t axes)
{
    jali_err err;
    *f = (field_of){ .rows = rows, .axes = axes };
    make_codes(f);
    make_schema(f);
    need(jali_columns_borrow(&f->columns, f->column, axes, &err), &err);
}

static void field_close(field_of *f)
{
    jali_columns_free(f->columns);
    for (size_t j = 0; j < f->axes; j++) free((void *)(uintptr_t)f->column[j].codes);
    jali_arena_clear(&f->arena);
}

typedef struct task {
    field_of *field;
    const char *method;
    uint32_t clusters;
    jali_dice *dice;
} task;

/* eps = 1 at delta = 1 / (n sqrt n) with n = 100,000. */
static void run_once(void *self)
{
    task *t = self;
    jali_err err;
    jali_arena arena = JALI_ARENA_INIT;
    jali_charge *charge;
    char *body;
    jali_cluster_ask ask = { .geometry = &t->field->geometry,
                             .law = JALI_LAW_GAUSS,
                             .budget_pico = 18581000000,
                             .clusters = t->clusters };
    need(jali_method_find(t->method, &ask.method, &err), &err);
    need(jali_cluster_plan(&ask, &arena, &err), &err);
    need(jali_charge_unpaid(&charge, ask.loss, &err), &err);
    jali_cluster_run run = { &ask, t->field->columns, charge, t->dice, NULL, &arena };
    need(jali_cluster_release(&run, &body, &err), &err);
    jali_charge_free(charge);
    jali_arena_clear(&arena);
}

static uint64_t read_all(const field_of *f)
{
    uint64_t total = 0;
    for (size_t j = 0; j < f->axes; j++) {
        const uint32_t *codes = f->column[j].codes;
        uint32_t part[64] = { 0 };
        for (size_t i = 0; i + 64 <= f->rows; i += 64)
            for (size_t k = 0; k < 64; k++) part[k] ^= codes[i + k];
        for (size_t k = 0; k < 64; k++) total += part[k];
    }
    return total;
}

static double in_turns(task *t, double *read)
{
    double reads[ROUNDS], works[ROUNDS];
    uint64_t total = 0;
    for (int i = -1; i < ROUNDS; i++) { /* the first turn warms up */
        total += read_all(t->field);
        double start = bench_cpu_seconds();
        total += read_all(t->field);
        double middle = bench_cpu_seconds();
        run_once(t);
        if (i < 0) continue;
        reads[i] = middle - start;
        works[i] = bench_cpu_seconds() - middle;
    }
    bench_need(total > 0, "nothing was read");
    *read = bench_middle(reads, ROUNDS);
    return bench_middle(works, ROUNDS);
}

static void ratio_of(const char *name, field_of *f, const char *method, uint32_t clusters,
                     jali_dice *dice)
{
    char what[64];
    double read;
    task t = { f, method, clusters, dice };
    double work = in_turns(&t, &read);
    snprintf(what, sizeof what, "cluster.%s.ms", name);
    bench_print(what, work * 1e3, "ms");
    snprintf(what, sizeof what, "cluster.%s.ratio", name);
    bench_print(what, work / read, "x");
}

static void exponent(jali_dice *dice)
{
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        field_of f;
        field_open(&f, i == 0 ? 100000 : 1000000, 10);
        task t = { &f, "refined", CLUSTERS, dice };
        double start = bench_cpu_seconds();
        run_once(&t);
        seconds[i] = bench_cpu_seconds() - start;
        field_close(&f);
    }
    bench_print("cluster.rows.exponent", log10(seconds[1] / seconds[0]), "");
}

static void run(void)
{
    jali_dice *dice;
    jali_err err;
    field_of ten, hundred;
    need(jali_dice_new(&dice, &err), &err);
    field_open(&ten, 100000, 10);
    ratio_of("dpm10", &ten, "dpm", 0, dice);
    ratio_of("refined10", &ten, "refined", CLUSTERS, dice);
    ratio_of("lsh10", &ten, "lsh", CLUSTERS, dice);
    ratio_of("lloyd10", &ten, "lloyd", CLUSTERS, dice);
    ratio_of("grid10", &ten, "grid", CLUSTERS, dice);
    ratio_of("cover10", &ten, "cover", CLUSTERS, dice);
    field_close(&ten);
    field_open(&hundred, 100000, 100);
    ratio_of("dpm100", &hundred, "dpm", 0, dice);
    ratio_of("refined100", &hundred, "refined", CLUSTERS, dice);
    field_close(&hundred);
    exponent(dice);
    jali_dice_free(dice);
}

/* The columns themselves are 400 MB of it. */
static void run_large(void)
{
    jali_dice *dice;
    jali_err err;
    field_of f;
    struct rusage usage;
    static const char *const methods[] = { "dpm", "refined" };
    need(jali_dice_new(&dice, &err), &err);
    field_open(&f, 10000000, 10);
    for (int i = 0; i < 2; i++) {
        char what[64];
        task t = { &f, methods[i], i == 0 ? 0 : CLUSTERS, dice };
        double start = bench_cpu_seconds();
        run_once(&t);
        snprintf(what, sizeof what, "cluster.rows7.%s.s", methods[i]);
        bench_print(what, bench_cpu_seconds() - start, "s");
    }
    bench_need(getrusage(RUSAGE_SELF, &usage) == 0, "the memory is not known");
    bench_print("cluster.rows7.rss.mb", (double)usage.ru_maxrss / 1024, "MB");
    field_close(&f);
    jali_dice_free(dice);
}

const jali_bench_set bench_cluster = { "cluster", run };
const jali_bench_set bench_cluster_large = { "cluster-large", run_large };
