/* audit/events.c — events that tell two tables apart: chosen on one half, counted on the other.
 *
 * Candidates are half-lines, single values, low-order bits and words of every feature, and
 * half-lines of a likelihood ratio over all of them (ratio.c). How clever the choice is decides
 * the power of an audit, never its truth: what is counted was not looked at before.
 */
#include "audit/ratio.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUTS = 24, SINGLES = 16, LOW_BITS = 4, CANDIDATES = 1 << 15 };

typedef enum event_kind { ABOVE, EQUAL, LOW, WORD, ABSENT, SCORE } event_kind;

typedef struct candidate {
    event_kind kind;
    size_t feature;
    union {
        double number;
        uint64_t word;
    };
    double worth;
} candidate;

typedef struct finder {
    const jali_sheet *sheet;
    const uint8_t *half; /* of each row: 0 trains, 1 tests */
    double *score;       /* of each row                    */
    candidate *candidate;
    size_t n;
} finder;

/* Does x end in n zero bits? Whole numbers by their value, others by their mantissa: the two
 * places where arithmetic leaves traces. */
static bool ends_in_zeros(double x, unsigned n)
{
    int exponent;
    double size = fabs(x);
    if (!(size < 0x1p62)) return false;
    if (size != floor(size)) {
        size = frexp(size, &exponent) * 0x1p53;
        n *= 8;
    }
    return ((uint64_t)size & ((UINT64_C(1) << n) - 1)) == 0;
}

static bool happens(const finder *f, const candidate *c, size_t row)
{
    if (c->kind == SCORE) return f->score[row] > c->number;
    const jali_feature *x = &f->sheet->column[c->feature][row];
    switch (c->kind) {
    case ABOVE:
        return x->kind == 'n' && x->number > c->number;
    case EQUAL:
        return x->kind == 'n' && x->number == c->number;
    case LOW:
        return x->kind == 'n' && ends_in_zeros(x->number, (unsigned)c->word);
    case WORD:
        return x->kind == 'w' && x->word == c->word;
    default:
        return x->kind == 0;
    }
}

static void count(const finder *f, const candidate *c, unsigned half, uint64_t k[2],
                  uint64_t n[2])
{
    k[0] = k[1] = n[0] = n[1] = 0;
    for (size_t row = 0; row < f->sheet->rows; row++) {
        unsigned side = f->sheet->with[row];
        if (f->half[row] != half) continue;
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
        p -= 5 * sqrt(p * (1 - p) / a);
        q += 5 * sqrt(q * (1 - q) / b);
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

static void consider_numbers(finder *f, size_t feature, double *room)
{
    size_t n = jali_ratio_numbers(f->sheet, f->half, feature, room);
    if (n == 0 || room[0] == room[n - 1]) return;
    for (size_t i = 0; i < CUTS; i++) {
        double cut = room[i * (n - 1) / (CUTS - 1)];
        if (i > 0 && cut == room[(i - 1) * (n - 1) / (CUTS - 1)]) continue;
        consider(f, (candidate){ .kind = ABOVE, .feature = feature, .number = cut });
        consider(f, (candidate){ .kind = EQUAL, .feature = feature, .number = cut });
    }
    for (unsigned bits = 1; bits <= LOW_BITS; bits++)
        consider(f, (candidate){ .kind = LOW, .feature = feature, .word = bits });
}

static void consider_words(finder *f, size_t feature)
{
    uint64_t known[SINGLES];
    size_t n = 0, absent = 0;
    for (size_t row = 0; row < f->sheet->rows; row++) {
        const jali_feature *x = &f->sheet->column[feature][row];
        size_t i = 0;
        absent += x->kind == 0;
        if (x->kind != 'w' || n == SINGLES) continue;
        while (i < n && known[i] != x->word) i++;
        if (i == n) known[n++] = x->word;
    }
    for (size_t i = 0; i < n && (n > 1 || absent > 0); i++)
        consider(f, (candidate){ .kind = WORD, .feature = feature, .word = known[i] });
    if (absent > 0) consider(f, (candidate){ .kind = ABSENT, .feature = feature });
}

static void consider_scores(finder *f, double *room)
{
    size_t n = 0;
    for (size_t row = 0; row < f->sheet->rows; row++)
        if (f->half[row] == 0) room[n++] = f->score[row];
    jali_ratio_sort(room, n);
    for (size_t i = 0; n > 0 && i < 4 * CUTS; i++)
        consider(f, (candidate){ .kind = SCORE, .number = room[i * (n - 1) / (4 * CUTS - 1)] });
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
    else if (c->kind == LOW)
        snprintf(e->words, sizeof e->words, "%.100s ends in %u zero bits", name,
                 (unsigned)c->word);
    else
        snprintf(e->words, sizeof e->words, "%.100s is %s", name,
                 c->kind == ABSENT ? "absent" : "one word");
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

/* Every second row of each side tests. */
static uint8_t *make_halves(const jali_sheet *sheet)
{
    uint8_t *half = calloc(sheet->rows + 1, 1);
    size_t seen[2] = { 0, 0 };
    for (size_t row = 0; half != NULL && row < sheet->rows; row++)
        half[row] = seen[sheet->with[row]]++ % 2;
    return half;
}

size_t jali_events_find(const jali_sheet *sheet, jali_event out[static JALI_AUDIT_EVENTS])
{
    uint8_t *half = make_halves(sheet);
    finder f = { .sheet = sheet,
                 .half = half,
                 .score = calloc(sheet->rows + 1, sizeof(double)),
                 .candidate = calloc(CANDIDATES, sizeof(candidate)) };
    double *room = calloc(sheet->rows + 1, sizeof *room);
    size_t n = 0;
    if (half != NULL && f.score != NULL && f.candidate != NULL && room != NULL) {
        for (size_t i = 0; i < sheet->n_names; i++) {
            consider_numbers(&f, i, room);
            consider_words(&f, i);
            jali_ratio_add(sheet, half, i, room, f.score);
        }
        consider_scores(&f, room);
        n = test_best(&f, out);
    }
    free(half);
    free(f.score);
    free(f.candidate);
    free(room);
    return n;
}
