/* eval/model_curve.c — curves over the codes of a column, and how far apart two of them are. */
#include "eval/model_curve.h"
#include <math.h>

enum { PLACES = 1000 };

static double at(const jali_true_curve *c, double code)
{
    size_t i = 1;
    while (i + 1 < c->n && code > c->code[i]) i++;
    double far = (double)c->code[i] - (double)c->code[i - 1];
    double t = (code - c->code[i - 1]) / far;
    return c->y[i - 1] + (c->y[i] - c->y[i - 1]) * (t < 0 ? 0 : t > 1 ? 1 : t);
}

static size_t places(const jali_field *f)
{
    return f->kind == JALI_CATEGORY ? (size_t)f->domain - 1 : PLACES;
}

static double place(const jali_field *f, size_t i)
{
    return f->kind == JALI_CATEGORY ? (double)i
                                    : (double)i * (double)(f->domain - 2) / (PLACES - 1);
}

double jali_curve_distance(const jali_true_curve *a, const jali_true_curve *b,
                           const jali_field *f)
{
    double sum = 0;
    for (size_t i = 0; i < places(f); i++) {
        double d = at(a, place(f, i)) - at(b, place(f, i));
        sum += d * d;
    }
    return sum / (double)places(f);
}

double jali_curve_deviation(const jali_true_curve *truth, const jali_field *f)
{
    double sum = 0, squares = 0, n = (double)places(f);
    for (size_t i = 0; i < places(f); i++) sum += at(truth, place(f, i)) / n;
    for (size_t i = 0; i < places(f); i++) {
        double d = at(truth, place(f, i)) - sum;
        squares += d * d / n;
    }
    return sqrt(squares);
}
