/* explain/contrast/release.h — the body of a plan: written once, read by every question. */
#ifndef JALI_EXPLAIN_CONTRAST_RELEASE_H
#define JALI_EXPLAIN_CONTRAST_RELEASE_H

#include "explain/contrast/plan.h"

typedef struct jali_contrast_release {
    jali_contrast_ask ask; /* columns, weight, centres, objective; no bounds */
    double unit, row;      /* of a weight; the most a row weighs             */
    uint32_t rows;         /* of a person                                    */
    jali_ground ground;
    jali_coreset coreset;
    jali_project project; /* n = 0 for at most three columns; the grid is not read back */
    jali_spot *base;      /* centres in box units                                       */
    double *centre;       /* the same in the units of the columns, centres * n          */
} jali_contrast_release;

/* Sets r->centre from r->base: for at most three columns they are the same. */
void jali_contrast_place(jali_contrast_release *r);

/* A number made of everything released: where the variety of solvers begins. */
uint64_t jali_contrast_stream(const jali_coreset *coreset);

/* JSON in the arena. */
JALI_MUST_USE jali_status jali_contrast_write(const jali_contrast_release *r, jali_arena *arena,
                                              char **body, jali_err *err);
JALI_MUST_USE jali_status jali_contrast_read(jali_contrast_release *out, const char *body,
                                             size_t n, jali_arena *arena, jali_err *err);

#endif
