/* tests/tally/plane.h — small tables of a few columns, with a geometry and a frame. */
#ifndef JALI_TESTS_TALLY_PLANE_H
#define JALI_TESTS_TALLY_PLANE_H

#include "small.h"
#include "tally/ball.h"
#include "tally/pass.h"

/* c0 of 10 values, c1 of 50,001 in hundredths, c2 one of three words, c3 of 3 million. */
static const char plane_schema[] =
    "{\"fields\":["
    "{\"name\":\"c0\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
    "{\"name\":\"c1\",\"type\":\"number\",\"jali\":{\"step\":\"0.01\"},\"constraints\":"
    "{\"minimum\":-5,\"maximum\":495}},"
    "{\"name\":\"c2\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"c3\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":3000000}}]}";

typedef struct plane {
    jali_arena arena;
    jali_schema schema;
    jali_geometry geometry;
    jali_frame frame;
    small data;
    jali_ground ground;
} plane;

static inline void plane_open(plane *w, size_t rows, uint64_t seed)
{
    static const char *const names[] = { "c0", "c1", "c2", "c3" };
    *w = (plane){ .data = { .rows = rows, .seed = seed } };
    CHECK_OK(jali_schema_parse(&w->schema, plane_schema, strlen(plane_schema), "test",
                               &w->arena, NULL));
    for (size_t i = 0; i < 4; i++) small_add(&w->data, w->schema.fields[i].domain, 2);
    small_open(&w->data);
    CHECK_OK(jali_geometry_make(&w->geometry, &w->schema, names, 4, JALI_SCALE_BOUNDS,
                                &w->arena, NULL));
    CHECK_OK(jali_frame_make(&w->frame, &w->geometry, NULL, NULL, &w->arena, NULL));
    w->ground = (jali_ground){ &w->frame, w->data.columns, 1, NULL, &w->arena };
}

static inline void plane_close(plane *w)
{
    small_free(&w->data);
    jali_arena_clear(&w->arena);
}

/* The column of an axis: c2 has three of them. */
static inline size_t plane_column(size_t axis)
{
    return axis < 2 ? axis : axis < 5 ? 2 : 3;
}

static inline uint32_t plane_at(const plane *w, size_t axis, size_t row)
{
    return jali_ruler_at(&w->frame.axis[axis], small_code(&w->data, plane_column(axis), row));
}

/* Counts without one row: the table of a neighbour. */
static inline void plane_without(plane *w, size_t row)
{
    for (size_t c = 0; c < w->data.n; c++) {
        unsigned width = w->data.column[c].width;
        char *codes = (char *)(uintptr_t)w->data.column[c].codes;
        memmove(codes + row * width, codes + (row + 1) * width,
                (w->data.rows - row - 1) * width);
        w->data.column[c].rows--;
    }
    w->data.rows--;
    jali_columns_free(w->data.columns);
    small_open(&w->data);
    w->ground.columns = w->data.columns;
}

#endif
