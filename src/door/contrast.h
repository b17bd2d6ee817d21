/* door/contrast.h — what the files of contrast share: points that strangers send, and words. */
#ifndef JALI_DOOR_CONTRAST_H
#define JALI_DOOR_CONTRAST_H

#include "door/desk.h"
#include "door/teller.h"
#include "explain/contrast/view.h"

enum { JALI_POINTS_MOST = 1000000, JALI_MAP_MOST = 512 };

typedef struct jali_points {
    size_t n, dims;
    double *at; /* n * dims */
} jali_points;

/* Numbers one after the other, `dims` a point. */
JALI_MUST_USE jali_status jali_points_words(jali_points *out, const char *const *word, size_t n,
                                            size_t dims, jali_arena *arena, jali_err *err);

/* CSV: a point a line, separated by commas, semicolons, tabs or spaces; a first line of words
 * is a heading. */
JALI_MUST_USE jali_status jali_points_csv(jali_points *out, const char *text, size_t n,
                                          size_t dims, jali_arena *arena, jali_err *err);

/* The plan, told; answers at points; the plane. */
void jali_contrast_tell_plan(jali_doc *doc, const jali_view *view, double miss);
void jali_contrast_tell_answers(jali_doc *doc, const jali_view *view, const jali_points *points,
                                const jali_contrast_answer *answer, double miss);
void jali_contrast_tell_map(jali_doc *doc, const jali_view *view, const size_t *side,
                            const jali_points *points, const jali_contrast_answer *answer,
                            double miss);
/* The picture of the plane alone, for a document that tells the plan. */
void jali_contrast_picture_map(jali_doc *doc, const jali_view *view, const size_t *side,
                               const jali_points *points, const jali_contrast_answer *answer,
                               double miss);

/* ---- how costs, places and noise are said */
const char *jali_contrast_measure(const jali_view *view); /* "distance" */
json_t *jali_contrast_real(double x);
const char *jali_contrast_cost(jali_doc *doc, double x);
int jali_contrast_digits(const jali_view *view); /* of a coordinate */
const char *jali_contrast_point(jali_doc *doc, const jali_view *view, const double *at);
double jali_contrast_tidy(const jali_view *view, double x);
void jali_contrast_tell_noise(jali_doc *doc, const jali_contrast_release *release);
void jali_contrast_tell_strength(jali_doc *doc, const jali_view *view);
double jali_contrast_worst(const jali_contrast_answer *answer, size_t n);
void jali_contrast_tell_terms(jali_doc *doc, const jali_view *view, double miss, double ratio);

#endif
