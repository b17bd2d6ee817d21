/* mock/shapes.h — shapes of well-known tables: their sizes, none of their data. */
#ifndef JALI_MOCK_SHAPES_H
#define JALI_MOCK_SHAPES_H

#include <stddef.h>
#include <stdint.h>

typedef struct jali_mock_shape {
    const char *name;
    uint64_t rows;
    const unsigned *domains;
    const char *const *names; /* NULL: a00, a01, ... */
    unsigned n_domains, numeric, clusters, planted;
    double strength;
    /* With names: the attribute that is the cluster itself, its share per value, and the
     * numeric column's name and upper bound. */
    unsigned group;
    const double *group_share;
    const char *measure;
    double measure_maximum;
} jali_mock_shape;

const jali_mock_shape *jali_mock_shape_named(const char *name); /* NULL: no such */

#endif
