/* tests/explain/contrast/town.h — points in memory, planned and opened without a vault. */
#ifndef JALI_TESTS_CONTRAST_TOWN_H
#define JALI_TESTS_CONTRAST_TOWN_H

#include "engine/columns.h"
#include "explain/contrast/stream.h"
#include "explain/contrast/view.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { TOWN_COLUMNS = 6, TOWN_STEPS = 1001, TOWN_MOST = 6000 };

/* Columns a to f from 0 to 100 in steps of 0.1, and w, people, from 1 to 50. */
typedef struct town {
    size_t rows;
    uint16_t code[TOWN_COLUMNS][TOWN_MOST];
    uint8_t people[TOWN_MOST];
    jali_arena arena;
    jali_schema schema;
    jali_columns *columns;
} town;

static inline void town_open(town *t, unsigned rows_per_person)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    jali_column made[TOWN_COLUMNS + 1];
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"name\":\"town\",\"fields\":[");
    for (size_t i = 0; i < TOWN_COLUMNS; i++) {
        made[i] = (jali_column){ names[i], 2, TOWN_STEPS + 1, t->rows, t->code[i] };
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "{\"name\":\"%s\",\"type\":\"number\",\"constraints\":{"
                              "\"minimum\":0,\"maximum\":100},\"jali\":{\"step\":\"0.1\"}},",
                              names[i]);
    }
    made[TOWN_COLUMNS] = (jali_column){ "w", 1, 51, t->rows, t->people };
    snprintf(text + n, sizeof text - n,
             "{\"name\":\"w\",\"type\":\"integer\",\"constraints\":{\"minimum\":1,"
             "\"maximum\":50}},{\"name\":\"g\",\"type\":\"string\",\"constraints\":{"
             "\"enum\":[\"x\",\"y\"]}}]}");
    t->arena = (jali_arena)JALI_ARENA_INIT;
    CHECK_OK(jali_schema_parse(&t->schema, text, strlen(text), "schema", &t->arena, NULL));
    t->schema.rows_per_person = rows_per_person;
    CHECK_OK(jali_columns_borrow(&t->columns, made, TOWN_COLUMNS + 1, NULL));
}

static inline void town_close(town *t)
{
    jali_columns_free(t->columns);
    jali_arena_clear(&t->arena);
}

/* Three heaps and some dust, the same in every pair of columns; w is 1 to 9. */
static inline void town_fill(town *t, size_t rows)
{
    static const double heap[3][2] = { { 20, 30 }, { 70, 20 }, { 50, 80 } };
    uint64_t s = 42;
    t->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        size_t h = i % 3;
        for (size_t c = 0; c < TOWN_COLUMNS; c++) {
            double x = i % 10 == 9 ? 100 * jali_next_unit(&s)
                                   : heap[h][c % 2] + 5 * jali_next_normal(&s);
            t->code[c][i] = (uint16_t)lround(10 * fmin(fmax(x, 0), 100));
        }
        t->people[i] = (uint8_t)(i % 9);
    }
}

static inline jali_status town_plan(town *t, const jali_contrast_ask *ask, jali_law law,
                                    unsigned long num, unsigned long den, uint64_t seed,
                                    char **body, jali_err *err)
{
    jali_contrast c;
    char text[64];
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    snprintf(text, sizeof text, "%lu/%lu", num, den);
    jali_status status =
        jali_contrast_init(&c, &t->schema, ask, law, budget, text, &t->arena, err);
    mpq_clear(budget);
    if (status != JALI_OK) return status;
    status = jali_contrast_bind(&c, t->columns, &t->arena, err);
    if (status == JALI_OK) {
        jali_dice *dice = seeded_dice(seed);
        jali_charge paid = receipt(c.loss);
        status = jali_contrast_run(&c, &paid, dice, NULL, &t->arena, body, err);
        CHECK(status != JALI_OK || used_up(&paid));
        jali_dice_free(dice);
    }
    jali_contrast_clear(&c);
    return status;
}

static inline void town_view(town *t, const jali_contrast_ask *ask, unsigned long num,
                             unsigned long den, jali_view *view)
{
    char *body;
    CHECK_OK(town_plan(t, ask, JALI_LAW_LAPLACE, num, den, 11, &body, NULL));
    CHECK_OK(jali_view_open(view, body, strlen(body), true, NULL, &t->arena, NULL));
}

static inline jali_contrast_answer town_ask(town *t, const jali_view *view, const double *at)
{
    jali_asker asker;
    CHECK_OK(jali_view_asker(view, &asker, &t->arena, NULL));
    return jali_view_ask(view, &asker, at, true);
}

/* What the rows really pay for centres (k * n numbers); NULL coordinates are not paid for. */
static inline double town_cost(const town *t, const double *centre, size_t k, size_t n,
                               bool squared)
{
    double sum = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double least = INFINITY;
        for (size_t j = 0; j < k; j++) {
            double far = 0;
            for (size_t a = 0; a < n; a++) {
                double d = t->code[a][i] / 10.0 - centre[j * n + a];
                far += d * d;
            }
            least = fmin(least, far);
        }
        sum += squared ? least : sqrt(least);
    }
    return sum;
}

static const char *const town_columns[] = { "a", "b", "c", "d", "e", "f" };

static inline jali_contrast_ask town_question(size_t n, size_t centres, bool squared)
{
    return (jali_contrast_ask){
        .n = n, .column = town_columns, .centres = centres, .squared = squared
    };
}

#endif
