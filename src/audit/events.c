/* audit/events.c — events that tell two tables apart: chosen on one half, counted on the other.
 *
 * Candidates are half-lines, single values, parities and words of every feature, and half-lines
 * of a naive Bayes score over all of them. How clever the choice is decides the power of an
 * audit, never its truth: what is counted was not looked at before.
 */
#include "audit/audit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUTS = 24, SINGLES = CUTS / 4, CANDIDATES = 4096 };

typedef enum event_kind { ABOVE, EQUAL, ODD, WORD, ABSENT, SCORE } event_kind;

typedef struct candidate {
    event_kind kind;
    size_t feature;
    double number;
    uint64_t word;
    double worth;
} candidate;

/* What the training half says about one feature, on each side. */
typedef struct summary {
    double n[2], mean[2], variance[2];
    double tell; /* how far the sides are apart, in standard errors */
} summary;

typedef struct finder {
    const jali_sheet *sheet;
    summary *summary;
    double *score; /* of each row */
    candidate *candidate;
    size_t n;
} finder;

static const jali_feature *at(const jali_sheet *s, size_t row, size_t feature)
{
    return &s->cell[row * JALI_AUDIT_FEATURES + feature];
}

static bool happens(const finder *f, const candidate *c, size_t row)
{
    if (c->kind == SCORE) return f->score[row] > c->number;
    const jali_feature *x = at(f->sheet, row, c->feature);
    switch (c->kind) {
    case ABOVE:
        return x->kind == 'n' && x->number > c->number;
    case EQUAL:
        return x->kind == 'n' && x->number == c->number;
    case ODD:
        return x->kind == 'n' && fmod(fabs(x->number), 2) == 1;
    case WORD:
        return x->kind == 'w' && x->word == c->word;
    default:
        return x->kind == 0;
    }
}

/* Rows of one half: 0 trains, 1 tests. Sides may be added in any order. */
static void count(const finder *f, const candidate *c, unsigned half, uint64_t k[2],
                  uint64_t n[2])
{
    uint64_t seen[2] = { 0, 0 };
    k[0] = k[1] = n[0] = n[1] = 0;
    for (size_t row = 0; row < f->sheet->rows; row++) {
        unsigned side = f->sheet->with[row];
        if (seen[side]++ % 2 != half) continue;
        n[side]++;
        k[side] += happens(f, c, row);
    }
}

/* A log ratio that luck has been taken from, the better of both ways. */
static double worth_of(const uint64_t k[2], const uint64_t n[2])
{
    double best = 0;
    for (unsigned i = 0; i < 2; i++) {
        double a = (double)n[i], b = (double)n[1 - i];
        double p = (double)k[i] / a, q = ((double)k[1 - i] + 1) / (b + 1);
        p -= 2.5 * sqrt(p * (1 - p) / a);
        q += 2.5 * sqrt(q * (1 - q) / b);
        if (p > q) best = fmax(best, log(p / q));
    }
    return best;
}

static void consider(finder *f, candidate c)
{
    uint64_t k[2], n[2];
    if (f->n == CANDIDATES) return;
    count(f, &c, 0, k, n);
    if (n[0] == 0 || n[1] == 0) return;
    c.worth = worth_of(k, n);
    if (c.worth > 0) f->candidate[f->n++] = c;
}

/* ---- one feature --------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of the training half, sorted. */
static size_t training_numbers(const finder *f, size_t feature, double *out)
{
    uint64_t seen[2] = { 0, 0 };
    size_t n = 0;
    for (size_t row = 0; row < f->sheet->rows; row++) {
        const jali_feature *x = at(f->sheet, row, feature);
        if (seen[f->sheet->with[row]]++ % 2 == 0 && x->kind == 'n') out[n++] = x->number;
    }
    qsort(out, n, sizeof *out, compare_doubles);
    return n;
}

static void consider_numbers(finder *f, size_t feature, double *room)
{
    size_t n = training_numbers(f, feature, room);
    if (n == 0) return;
    for (size_t i = 0; i < CUTS; i++) {
        double cut = room[i * (n - 1) / (CUTS - 1)];
        if (i > 0 && cut == room[(i - 1) * (n - 1) / (CUTS - 1)]) continue;
        consider(f, (candidate){ .kind = ABOVE, .feature = feature, .number = cut });
        consider(f, (candidate){ .kind = EQUAL, .feature = feature, .number = cut });
    }
    consider(f, (candidate){ .kind = ODD, .feature = feature });
}

static void consider_words(finder *f, size_t feature)
{
    uint64_t known[SINGLES];
    size_t n = 0;
    for (size_t row = 0; row < f->sheet->rows && n < SINGLES; row++) {
        const jali_feature *x = at(f->sheet, row, feature);
        size_t i = 0;
        if (x->kind != 'w') continue;
        while (i < n && known[i] != x->word) i++;
        if (i < n) continue;
        known[n++] = x->word;
        consider(f, (candidate){ .kind = WORD, .feature = feature, .word = x->word });
    }
    consider(f, (candidate){ .kind = ABSENT, .feature = feature });
}

/* ---- all features at once ------------------------------------------------------------ */

static void summarise(finder *f, size_t feature)
{
    summary *s = &f->summary[feature];
    uint64_t seen[2] = { 0, 0 };
    for (size_t row = 0; row < f->sheet->rows; row++) {
        const jali_feature *x = at(f->sheet, row, feature);
        unsigned side = f->sheet->with[row];
        if (seen[side]++ % 2 != 0 || x->kind != 'n') continue;
        double delta = x->number - s->mean[side];
        s->n[side]++;
        s->mean[side] += delta / s->n[side];
        s->variance[side] += delta * (x->number - s->mean[side]);
    }
    for (unsigned i = 0; i < 2; i++) s->variance[i] /= fmax(s->n[i], 1);
    double error = sqrt(s->variance[0] / fmax(s->n[0], 1) + s->variance[1] / fmax(s->n[1], 1));
    if (s->n[0] > 8 && s->n[1] > 8 && error > 0)
        s->tell = fabs(s->mean[0] - s->mean[1]) / error;
}

static double log_density(double x, double mean, double variance)
{
    return -0.5 * log(variance) - (x - mean) * (x - mean) / (2 * variance);
}

static void score_rows(finder *f)
{
    for (size_t feature = 0; feature < f->sheet->n_names; feature++) {
        const summary *s = &f->summary[feature];
        if (s->tell < 2 || s->variance[0] <= 0 || s->variance[1] <= 0) continue;
        for (size_t row = 0; row < f->sheet->rows; row++) {
            const jali_feature *x = at(f->sheet, row, feature);
            if (x->kind != 'n') continue;
            f->score[row] += log_density(x->number, s->mean[1], s->variance[1]) -
                             log_density(x->number, s->mean[0], s->variance[0]);
        }
    }
}

static void consider_scores(finder *f, double *room)
{
    uint64_t seen[2] = { 0, 0 };
    size_t n = 0;
    for (size_t row = 0; row < f->sheet->rows; row++)
        if (seen[f->sheet->with[row]]++ % 2 == 0) room[n++] = f->score[row];
    qsort(room, n, sizeof *room, compare_doubles);
    for (size_t i = 0; n > 0 && i < CUTS; i++)
        consider(f, (candidate){ .kind = SCORE, .number = room[i * (n - 1) / (CUTS - 1)] });
}

/* ---- the best ------------------------------------------------------------------------- */

static int compare_worth(const void *a, const void *b)
{
    double x = ((const candidate *)a)->worth, y = ((const candidate *)b)->worth;
    return (x < y) - (x > y);
}

static void describe(const finder *f, const candidate *c, jali_event *e)
{
    const char *name = c->kind == SCORE ? "likelihood ratio" : f->sheet->name[c->feature];
    if (c->kind == ABOVE || c->kind == SCORE)
        snprintf(e->words, sizeof e->words, "%.100s > %.6g", name, c->number);
    else if (c->kind == EQUAL)
        snprintf(e->words, sizeof e->words, "%.100s = %.9g", name, c->number);
    else
        snprintf(e->words, sizeof e->words, "%.100s is %s", name,
                 c->kind == ODD      ? "odd"
                 : c->kind == ABSENT ? "absent"
                                     : "one word");
}

static size_t test_best(finder *f, jali_event out[static JALI_AUDIT_EVENTS])
{
    size_t n = 0;
    qsort(f->candidate, f->n, sizeof *f->candidate, compare_worth);
    for (; n < f->n && n < JALI_AUDIT_EVENTS; n++) {
        uint64_t k[2], all[2];
        count(f, &f->candidate[n], 1, k, all);
        out[n] = (jali_event){
            .with = k[1], .without = k[0], .n_with = all[1], .n_without = all[0]
        };
        describe(f, &f->candidate[n], &out[n]);
    }
    return n;
}

size_t jali_events_find(const jali_sheet *sheet, jali_event out[static JALI_AUDIT_EVENTS])
{
    finder f = { .sheet = sheet,
                 .summary = calloc(JALI_AUDIT_FEATURES, sizeof(summary)),
                 .score = calloc(sheet->rows + 1, sizeof(double)),
                 .candidate = calloc(CANDIDATES, sizeof(candidate)) };
    double *room = calloc(sheet->rows + 1, sizeof *room);
    size_t n = 0;
    if (f.summary != NULL && f.score != NULL && f.candidate != NULL && room != NULL) {
        for (size_t i = 0; i < sheet->n_names; i++) {
            summarise(&f, i);
            consider_numbers(&f, i, room);
            consider_words(&f, i);
        }
        score_rows(&f);
        consider_scores(&f, room);
        n = test_best(&f, out);
    }
    free(f.summary);
    free(f.score);
    free(f.candidate);
    free(room);
    return n;
}
