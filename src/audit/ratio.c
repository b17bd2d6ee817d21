/* audit/ratio.c — a likelihood ratio over all features, learned from the half that trains.
 *
 * Naive: features are taken as independent. That they are not makes it a worse judge of
 * outputs, not a wrong one.
 */
#include "audit/ratio.h"
#include <math.h>
#include <stdlib.h>

enum { BINS = 16, BIN_ABSENT = BINS, BIN_OTHER, ALL_BINS };

/* Bins of numbers are cut at quantiles, bins of words are the first words seen. */
typedef struct bins {
    double cut[BINS];
    size_t n_cuts;
    uint64_t word[BINS];
    size_t n_words;
} bins;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void jali_ratio_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
}

size_t jali_ratio_numbers(const jali_sheet *sheet, const uint8_t *half, size_t feature,
                          double *out)
{
    size_t n = 0;
    for (size_t row = 0; row < sheet->rows; row++) {
        const jali_feature *x = &sheet->column[feature][row];
        if (half[row] == 0 && x->kind == 'n') out[n++] = x->number;
    }
    jali_ratio_sort(out, n);
    return n;
}

static void cut_numbers(const jali_sheet *sheet, const uint8_t *half, size_t feature,
                        double *room, bins *b)
{
    size_t n = jali_ratio_numbers(sheet, half, feature, room);
    for (size_t i = 1; n > 0 && i < BINS; i++) {
        double cut = room[i * n / BINS];
        if (b->n_cuts == 0 || cut > b->cut[b->n_cuts - 1]) b->cut[b->n_cuts++] = cut;
    }
}

static void list_words(const jali_sheet *sheet, const uint8_t *half, size_t feature, bins *b)
{
    for (size_t row = 0; row < sheet->rows && b->n_words < BINS; row++) {
        const jali_feature *x = &sheet->column[feature][row];
        size_t i = 0;
        if (half[row] != 0 || x->kind != 'w') continue;
        while (i < b->n_words && b->word[i] != x->word) i++;
        if (i == b->n_words) b->word[b->n_words++] = x->word;
    }
}

static size_t bin_of(const bins *b, const jali_feature *x)
{
    size_t i = 0;
    if (x->kind == 0) return BIN_ABSENT;
    if (x->kind == 'n') {
        while (i < b->n_cuts && x->number >= b->cut[i]) i++;
        return i;
    }
    while (i < b->n_words && b->word[i] != x->word) i++;
    return i < b->n_words ? i : BIN_OTHER;
}

void jali_ratio_add(const jali_sheet *sheet, const uint8_t *half, size_t feature, double *room,
                    double *score)
{
    bins b = { 0 };
    double k[2][ALL_BINS] = { { 0 } }, n[2] = { 0, 0 }, ratio[ALL_BINS], apart = 0, used = 0;
    cut_numbers(sheet, half, feature, room, &b);
    list_words(sheet, half, feature, &b);
    for (size_t row = 0; row < sheet->rows; row++) {
        if (half[row] != 0) continue;
        k[sheet->with[row]][bin_of(&b, &sheet->column[feature][row])]++;
        n[sheet->with[row]]++;
    }
    for (size_t i = 0; i < ALL_BINS; i++) {
        double both = k[0][i] + k[1][i], gap = k[1][i] - k[0][i];
        ratio[i] =
            log((k[1][i] + 1) / (n[1] + ALL_BINS)) - log((k[0][i] + 1) / (n[0] + ALL_BINS));
        used += both > 0;
        if (both > 0) apart += gap * gap / both;
    }
    /* About chi-squared where there is nothing to see: then it would add noise alone. */
    if (apart < used + 3 * sqrt(2 * used)) return;
    for (size_t row = 0; row < sheet->rows; row++)
        score[row] += ratio[bin_of(&b, &sheet->column[feature][row])];
}
