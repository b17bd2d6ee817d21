/* mock/plan.h — what a generated table of categories has planted in it. */
#ifndef JALI_MOCK_PLAN_H
#define JALI_MOCK_PLAN_H

#include "mock/job.h"
#include "mock/shapes.h"

typedef struct jali_mock_plant {
    unsigned cluster, column, value;
    double strength, inside, outside; /* shares of the value in the cluster and elsewhere */
    unsigned measure;                 /* the numeric column that it moves ... */
    double shift;                     /* ... by this many of its standard deviations */
} jali_mock_plant;

typedef struct jali_mock_plan {
    const jali_mock_options *o;
    const jali_mock_shape *shape; /* NULL: nameless columns, the label comes last */
    jali_arena *arena;
    unsigned columns;
    double *weight;                /* of each cluster              */
    double **base;                 /* of each value of each column */
    jali_mock_alias label, *alias; /* alias[cluster * columns + column] */
    jali_mock_plant *plants;
    size_t n_plants;
} jali_mock_plan;

/* Checks the options, chooses the plants and makes the tables to draw from. */
JALI_MUST_USE jali_status jali_mock_plan_make(jali_mock_plan *p, const jali_mock_options *o,
                                              jali_arena *arena, jali_err *err);

/* Is this column the cluster itself? */
static inline bool jali_mock_plan_grouped(const jali_mock_plan *p, unsigned column)
{
    return p->shape != NULL && column == p->shape->group;
}

#endif
