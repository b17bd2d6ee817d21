/* mock/shapes.c — shapes of well-known tables: their sizes, none of their data. */
#include "mock/shapes.h"
#include <string.h>

/* US Census 1990 as clusterers use it: 68 recoded columns of 2 to 18 values. */
static const unsigned census[] = { 8, 12, 12, 5, 5, 9, 6, 3,  3,  5, 2,  14, 10, 6, 6,  11, 5,
                                   5, 5,  5,  5, 5, 5, 5, 13, 2,  3, 3,  5,  2,  2, 11, 5,  9,
                                   7, 4,  5,  5, 2, 3, 4, 3,  10, 6, 14, 18, 3,  3, 5,  5,  5,
                                   6, 3,  8,  7, 5, 2, 3, 3,  3,  2, 8,  2,  3,  3, 2,  3,  2 };

/* IPUMS-CPS as the why-question papers use it: eight attributes and an income. */
static const unsigned ipums[] = { 22, 3, 29, 8, 6, 15, 36, 8 };
static const char *const ipums_names[] = { "relate",  "sex",      "race", "marst",
                                           "citizen", "classwkr", "educ", "age" };
static const double sexes[] = { 0.485, 0.505, 0.01 };

static const jali_mock_shape shapes[] = {
    { .name = "census",
      .rows = 2458285,
      .domains = census,
      .n_domains = sizeof census / sizeof *census,
      .clusters = 9,
      .planted = 2,
      .strength = 0.6 },
    { .name = "ipums",
      .rows = 1146552,
      .domains = ipums,
      .names = ipums_names,
      .n_domains = sizeof ipums / sizeof *ipums,
      .numeric = 1,
      .clusters = 3,
      .planted = 4,
      .strength = 0.15,
      .group = 1,
      .group_share = sexes,
      .measure = "inctot",
      .measure_maximum = 200000 },
};

const jali_mock_shape *jali_mock_shape_named(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
    return NULL;
}
