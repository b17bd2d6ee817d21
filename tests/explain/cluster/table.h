/* tests/explain/cluster/table.h — a small table to cluster, and a paid run of a method. */
#ifndef JALI_TESTS_EXPLAIN_CLUSTER_TABLE_H
#define JALI_TESTS_EXPLAIN_CLUSTER_TABLE_H

#include "engine/columns.h"
#include "explain/cluster/cluster.h"
#include "explain/cluster/stream.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { TABLE_MOST = 4000 };

/* x and y in 0 .. 1000, job of a, b, c, z always 7, flag; the last code of each is NULL. */
static const char table_schema[] =
    "{\"fields\":["
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":1000}},"
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":1000}},"
    "{\"name\":\"job\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"z\",\"type\":\"integer\",\"constraints\":{\"minimum\":7,\"maximum\":7}},"
    "{\"name\":\"flag\",\"type\":\"boolean\"}]}";

typedef struct table {
    jali_arena arena;
    jali_schema schema;
    uint16_t x[TABLE_MOST], y[TABLE_MOST];
    uint8_t job[TABLE_MOST], z[TABLE_MOST], flag[TABLE_MOST];
    size_t rows;
    jali_columns *columns;
} table;

static inline void table_open(table *t)
{
    const jali_column made[] = { { "x", 2, 1002, t->rows, t->x },
                                 { "y", 2, 1002, t->rows, t->y },
                                 { "job", 1, 4, t->rows, t->job },
                                 { "z", 1, 2, t->rows, t->z },
                                 { "flag", 1, 3, t->rows, t->flag } };
    CHECK_OK(jali_schema_parse(&t->schema, table_schema, strlen(table_schema), "schema",
                               &t->arena, NULL));
    CHECK_OK(jali_columns_borrow(&t->columns, made, 5, NULL));
}

static inline void table_close(table *t)
{
    jali_columns_free(t->columns);
    jali_arena_clear(&t->arena);
}

static const double table_planted[3][2] = { { 200, 200 }, { 800, 300 }, { 400, 850 } };

/* Three round clusters; job and flag go with them, but for one row in ten. */
static inline void table_plant(table *t, size_t rows)
{
    jali_stream s = { 99 };
    *t = (table){ .rows = rows };
    for (size_t i = 0; i < rows; i++) {
        const double *at = table_planted[i % 3];
        bool odd = jali_stream_below(&s, 10) == 0;
        t->x[i] = (uint16_t)lround(fmin(fmax(at[0] + 15 * jali_stream_normal(&s), 0), 1000));
        t->y[i] = (uint16_t)lround(fmin(fmax(at[1] + 15 * jali_stream_normal(&s), 0), 1000));
        t->job[i] = (uint8_t)(odd ? jali_stream_below(&s, 3) : i % 3);
        t->flag[i] = (uint8_t)(i % 3 == 0);
    }
    table_open(t);
}

typedef struct asked {
    jali_geometry geometry;
    jali_cluster_ask ask;
    jali_charge charge;
} asked;

/* `budget` is eps or rho. */
static inline jali_status table_ask(table *t, asked *a, const char *method, jali_law law,
                                    double budget, uint32_t k, const char *const *columns,
                                    size_t n, const char *const *option, size_t n_options,
                                    jali_err *err)
{
    *a = (asked){ 0 };
    CHECK_OK(jali_geometry_make(&a->geometry, &t->schema, columns, n, JALI_SCALE_BOUNDS,
                                &t->arena, NULL));
    a->ask = (jali_cluster_ask){ .geometry = &a->geometry,
                                 .law = law,
                                 .budget_pico = (uint64_t)(budget * 1e12),
                                 .clusters = k,
                                 .option = option,
                                 .n_options = n_options };
    CHECK_OK(jali_method_find(method, &a->ask.method, NULL));
    jali_status status = jali_cluster_plan(&a->ask, &t->arena, err);
    a->charge = receipt(a->ask.loss);
    return status;
}

static inline jali_status table_run(table *t, asked *a, jali_dice *dice, jali_clustering *out,
                                    jali_err *err)
{
    jali_cluster_run run = { &a->ask, t->columns, &a->charge, dice, NULL, &t->arena };
    return a->ask.method->run(&run, out, err);
}

#endif
