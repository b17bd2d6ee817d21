/* door/contrast_words.c — how contrast says costs, places and noise. */
#include "door/contrast.h"
#include "door/scales.h"
#include "mech/interval.h"
#include <math.h>

enum { STRONG = 1000 };

const char *jali_contrast_measure(const jali_view *v)
{
    return v->release.ask.squared ? "squared distance" : "distance";
}

json_t *jali_contrast_real(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", x);
    return json_string(text);
}

/* A cost in four digits, without an exponent where people would have to count zeros. */
const char *jali_contrast_cost(jali_doc *doc, double x)
{
    double unit = x == 0 ? 1 : pow(10, floor(log10(fabs(x))) - 3);
    double r = round(x / unit) * unit;
    const char *text = fabs(r) >= 1000 && fabs(r) < 1e15
                           ? jali_arena_format(&doc->arena, "%.0f", r)
                           : jali_arena_format(&doc->arena, "%.4g", r);
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

int jali_contrast_digits(const jali_view *v)
{
    return (int)fmax(0, fmin(9, 3 - floor(log10(v->release.ground.length))));
}

/* "48.1, 11.5" with as many digits as a thousandth of the box deserves. */
const char *jali_contrast_point(jali_doc *doc, const jali_view *v, const double *at)
{
    char text[512];
    size_t n = 0;
    int digits = jali_contrast_digits(v);
    for (size_t a = 0; a < v->release.ask.n && n < sizeof text - 40; a++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*f", a > 0 ? ", " : "", digits,
                              at[a]);
    const char *copy = jali_arena_text(&doc->arena, text);
    if (copy == NULL) doc->failed = true;
    return copy == NULL ? "" : copy;
}

/* A box begins half a step before its first value: "-0" would only puzzle. */
double jali_contrast_tidy(const jali_view *v, double x)
{
    return fabs(x) < 1e-3 * v->release.ground.length ? 0 : x;
}

void jali_contrast_tell_noise(jali_doc *doc, const jali_contrast_release *r)
{
    const jali_coreset *c = &r->coreset;
    const char *law = jali_law_words(c->law), *in = "units of weight";
    jali_doc_set(doc, "mechanism",
                 json_string(c->law == JALI_LAW_GAUSS
                                 ? "coreset: private tree, discrete Gaussian counts"
                                 : "coreset: private tree, discrete Laplace counts"));
    jali_doc_scale(doc, &(jali_noise_scale){ "total", NULL, law, c->total_scale, in });
    jali_doc_scale(doc, &(jali_noise_scale){ "parts", NULL, law, c->part_scale, in });
    jali_doc_scale(doc, &(jali_noise_scale){ "cells", NULL, law, c->cell_scale, in });
}

void jali_contrast_tell_strength(jali_doc *doc, const jali_view *v)
{
    jali_doc_set(doc, "strength", jali_contrast_real(v->strength));
    if (v->strength >= STRONG) return;
    jali_doc_say(
        doc,
        "There is little to go by here (people times epsilon is about %.0f, below %d): "
        "read differences as orders of magnitude, not as numbers.",
        v->strength, STRONG);
}

double jali_contrast_worst(const jali_contrast_answer *answer, size_t n)
{
    double worst = 1;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, answer[i].ratio);
    return worst;
}

void jali_contrast_tell_terms(jali_doc *doc, const jali_view *v, double miss, double ratio)
{
    double half = jali_normal_halfwidth(miss) * v->cost_error;
    jali_doc_fact(doc, "plan", "total %s %s (%s to %s)", jali_contrast_measure(v),
                  jali_contrast_cost(doc, v->cost),
                  jali_contrast_cost(doc, fmax(0, v->cost - half)),
                  jali_contrast_cost(doc, v->cost + half));
    jali_doc_fact(doc, "certificate",
                  "no set of %zu centres with one there, the others among %zu places of the "
                  "coreset, costs less than the one found divided by %.3f",
                  v->nodes.k, v->nodes.candidates, ratio);
    jali_doc_fact(doc, "interval", "%g%%, for noise and cell rounding; not for the solver",
                  100 * (1 - miss));
    jali_contrast_tell_noise(doc, &v->release);
    jali_contrast_tell_strength(doc, v);
}
