/* bench/model.c — what asking a model about every row costs beyond the model itself, and how
 * fast minimal sets of a data flow are listed. */
#define _GNU_SOURCE
#include "bench.h"
#include "engine/columns.h"
#include "flow/flow.h"
#include "tally/probe.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xgboost/c_api.h>

enum { ROWS = 1000000, WIDTH = 10, POINTS = 20, TRAIN = 20000, ROUNDS = 100 };

static uint8_t codes[WIDTH][ROWS];

static uint64_t mix(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s >> 11;
}

#define MUST(call) bench_need((call) == 0, "XGBoost did not train the model")

/* A hundred trees of depth six: the size that people use. */
static void train(const char *path)
{
    float *x = calloc((size_t)TRAIN * WIDTH, sizeof *x), *y = calloc(TRAIN, sizeof *y);
    DMatrixHandle matrix;
    BoosterHandle booster;
    bench_need(x != NULL && y != NULL, "no memory");
    for (size_t i = 0; i < TRAIN; i++) {
        for (size_t k = 0; k < WIDTH; k++) x[i * WIDTH + k] = codes[k][i];
        y[i] =
            x[i * WIDTH] * x[i * WIDTH + 1] / 100 + x[i * WIDTH + 2] + (float)codes[3][i] / 7;
    }
    MUST(XGDMatrixCreateFromMat(x, TRAIN, WIDTH, (float)__builtin_nan(""), &matrix));
    MUST(XGDMatrixSetFloatInfo(matrix, "label", y, TRAIN));
    MUST(XGBoosterCreate(&matrix, 1, &booster));
    MUST(XGBoosterSetParam(booster, "verbosity", "0"));
    MUST(XGBoosterSetParam(booster, "max_depth", "6"));
    for (int i = 0; i < ROUNDS; i++) MUST(XGBoosterUpdateOneIter(booster, i, matrix));
    MUST(XGBoosterSaveModel(booster, path));
    XGBoosterFree(booster);
    XGDMatrixFree(matrix);
    free(x);
    free(y);
}

/* The model alone: the same library, rows and batches, nothing of ours. */
static double alone(const char *path)
{
    enum { BATCH = 16384 };
    static float x[BATCH * WIDTH];
    BoosterHandle booster;
    MUST(XGBoosterCreate(NULL, 0, &booster));
    MUST(XGBoosterLoadModel(booster, path));
    MUST(XGBoosterSetParam(booster, "nthread", "1"));
    char array[200];
    snprintf(array, sizeof array,
             "{\"data\":[%zu,true],\"shape\":[%d,%d],\"typestr\":\"<f4\",\"version\":3}",
             (size_t)(uintptr_t)x, BATCH, WIDTH);
    double took = 0;
    for (size_t first = 0; first + BATCH <= ROWS; first += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            for (size_t k = 0; k < WIDTH; k++) x[i * WIDTH + k] = codes[k][first + i];
        for (int r = 0; r < POINTS; r++) {
            const bst_ulong *shape;
            bst_ulong dim;
            const float *result;
            for (size_t i = 0; i < BATCH; i++) x[i * WIDTH] = (float)(r * 5);
            double start = bench_cpu_seconds();
            MUST(XGBoosterPredictFromDense(
                booster, array,
                "{\"type\":0,\"training\":false,\"iteration_begin\":0,\"iteration_end\":0,"
                "\"strict_shape\":false,\"cache_id\":0,\"missing\":NaN}",
                NULL, &shape, &dim, &result));
            took += bench_cpu_seconds() - start;
        }
    }
    XGBoosterFree(booster);
    return took * ROWS / (double)(ROWS / BATCH * BATCH);
}

static void write_schema(char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "{\"name\":\"t\",\"fields\":[");
    for (int k = 0; k < WIDTH; k++)
        n += (size_t)snprintf(text + n, room - n,
                              "%s{\"name\":\"c%d\",\"type\":\"integer\",\"constraints\":{"
                              "\"minimum\":0,\"maximum\":99}}",
                              k == 0 ? "" : ",", k);
    snprintf(text + n, room - n, "]}");
}

static double ours(const char *path)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_columns *columns;
    jali_column column[WIDTH];
    char text[4096], name[WIDTH][8];
    jali_model *model;
    const jali_tally *sums;
    uint32_t point[POINTS];
    write_schema(text, sizeof text);
    bench_need(jali_schema_parse(&schema, text, strlen(text), "schema", &arena, NULL) ==
                   JALI_OK,
               "no schema");
    for (int k = 0; k < WIDTH; k++) {
        snprintf(name[k], sizeof name[k], "c%d", k);
        column[k] = (jali_column){ name[k], 1, 101, ROWS, codes[k] };
    }
    bench_need(jali_columns_borrow(&columns, column, WIDTH, NULL) == JALI_OK, "no columns");
    jali_model_spec spec = { .model = path, .threads = 1 };
    bench_need(jali_model_open(&model, &schema, &spec, NULL) == JALI_OK, "no model");
    jali_probe probe = { .columns = columns,
                         .schema = &schema,
                         .plain = { .model = model, .lo = 0, .hi = 300 } };
    for (uint32_t r = 0; r < POINTS; r++) point[r] = r * 5;
    double start = bench_cpu_seconds();
    bench_need(jali_probe_pdp(&probe, 0, point, POINTS, &arena, &sums, NULL) == JALI_OK,
               "no sums");
    double took = bench_cpu_seconds() - start;
    jali_model_free(model);
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    return took;
}

/* 200 stages in layers of ten, three edges each. */
static void separators(void)
{
    enum { VERTICES = 200, WIDE = 11 };
    static uint32_t from[VERTICES * 8], to[VERTICES * 8], set[VERTICES + 2];
    uint64_t seed = 42;
    size_t n = 0, k = 1, found = 0;
    for (uint32_t v = 0; v + 1 < VERTICES; v++) {
        uint32_t layer = v == 0 ? 0 : (v - 1) / WIDE + 1;
        uint32_t first = layer * WIDE + 1;
        for (int e = 0; e < 3; e++) {
            uint32_t w = first + (uint32_t)(mix(&seed) % WIDE);
            from[n] = v;
            to[n++] = w < VERTICES - 1 ? w : VERTICES - 1;
        }
        if (v > 0) from[n] = v - 1 < WIDE ? 0 : v - WIDE, to[n++] = v;
    }
    jali_flow f = { .n = VERTICES, .n_edges = n, .from = from, .to = to, .sink = VERTICES - 1 };
    jali_separators *s;
    double start = bench_cpu_seconds();
    bench_need(jali_separators_new(&s, &f, NULL) == JALI_OK, "no sets");
    while (found < 1000 && k > 0) {
        bench_need(jali_separators_next(s, set, &k, NULL) == JALI_OK, "no next set");
        found += k > 0;
    }
    bench_need(found == 1000, "the graph has fewer than 1,000 sets");
    bench_print("separators.first1000.seconds", bench_cpu_seconds() - start, "s");
    jali_separators_free(s);
}

static void run(void)
{
    char path[] = "/tmp/jali-bench-XXXXXX.json";
    uint64_t seed = 7;
    double ratio[5];
    struct rusage use;
    int fd = mkstemps(path, 5);
    bench_need(fd >= 0, "no place for the model");
    close(fd);
    for (size_t k = 0; k < WIDTH; k++)
        for (size_t i = 0; i < ROWS; i++) codes[k][i] = (uint8_t)(mix(&seed) % 100);
    train(path);
    for (int i = 0; i < 3; i++) ratio[i] = 100 * (ours(path) / alone(path) - 1);
    unlink(path);
    bench_print("model.overhead.percent", bench_middle(ratio, 3), "%");
    getrusage(RUSAGE_SELF, &use);
    bench_print("model.memory.megabytes", (double)use.ru_maxrss / 1024, "MB");
    separators();
}

const jali_bench_set bench_model = { "model", run };
