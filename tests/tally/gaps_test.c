/* Refutes gaps.reach if it can: gaps by sorting, and every neighbour of small tables. */
#include "plane.h"
#include "tally/gaps.h"
#include "tally/open.h"
#include <stdlib.h>

enum { WIDTHS = 6 };
static const double width[WIDTHS] = { 0, 0.01, 0.05, 0.1, 0.3, 0.7 };
static const size_t columns[] = { 0, 1, 3 }; /* c2 is one-hot */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int64_t by_hand(const plane *w, double share)
{
    int64_t all = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t value[64], domain = w->data.column[columns[k]].domain;
        size_t n = 0;
        for (size_t r = 0; r < w->data.rows; r++) {
            uint64_t code = small_code(&w->data, columns[k], r);
            if (code + 1 < domain) value[n++] = code;
        }
        qsort(value, n, sizeof *value, by_value);
        uint64_t limit = (uint64_t)(share * (double)(domain - 2));
        for (size_t i = 1; i < n; i++) all += value[i] - value[i - 1] > limit;
    }
    return all;
}

static void count(plane *w, int64_t out[WIDTHS])
{
    const jali_tally *t;
    size_t axes;
    CHECK_OK(jali_gaps_wide(&w->ground, width, WIDTHS, &t, &axes, NULL));
    CHECK(axes == 3 && t->reach.linf == 3);
    memcpy(out, t->cell, WIDTHS * sizeof *out);
}

SENTENCE(wide_gaps_are_those_of_sorted_values)
{
    UNUSED_STATE;
    for (uint64_t seed = 1; seed < 60; seed++) {
        plane w;
        int64_t got[WIDTHS];
        plane_open(&w, seed, seed);
        count(&w, got);
        for (int i = 0; i < WIDTHS; i++) CHECK(got[i] == by_hand(&w, width[i]));
        plane_close(&w);
    }
}

/* Limits below 16 steps on every column: counted by words, not by values. */
SENTENCE(narrow_limits_count_as_wide_ones_do)
{
    UNUSED_STATE;
    for (uint64_t seed = 1; seed < 60; seed++) {
        plane w;
        const jali_tally *t;
        size_t axes;
        double narrow[WIDTHS], steps = 0;
        plane_open(&w, seed, seed);
        for (int k = 0; k < 3; k++) {
            double here = (double)(w.data.column[columns[k]].domain - 2);
            steps = here > steps ? here : steps;
        }
        for (int i = 0; i < WIDTHS; i++) narrow[i] = (3 * i + 0.5) / steps;
        CHECK_OK(jali_gaps_wide(&w.ground, narrow, WIDTHS, &t, &axes, NULL));
        for (int i = 0; i < WIDTHS; i++) CHECK(t->cell[i] == by_hand(&w, narrow[i]));
        plane_close(&w);
    }
}

/* Against one look at every bit; both forms, where the machine has both. */
SENTENCE(values_alone_are_those_seen_one_by_one)
{
    UNUSED_STATE;
    enum { WORDS = 37, BITS = WORDS * 64 };
    plane w;
    plane_open(&w, 1, 3);
    for (int round = 0; round < 100; round++) {
        uint64_t bitmap[WORDS + JALI_GAPS_ZEROS] = { 0 };
        int64_t got[2][JALI_GAPS_NEAR] = { { 0 } }, slow[JALI_GAPS_NEAR] = { 0 };
        for (int i = 0; i < BITS; i++)
            if (small_roll(&w.data, 2 + (uint64_t)round) == 0)
                bitmap[i / 64] |= (uint64_t)1 << i % 64;
        for (int i = 0; i < BITS; i++) {
            uint64_t near = 0;
            for (int l = 0; l < JALI_GAPS_NEAR; l++) {
                if (l > 0 && i + l < BITS) near |= bitmap[(i + l) / 64] >> (i + l) % 64 & 1;
                slow[l] += (bitmap[i / 64] >> i % 64 & 1) != 0 && near == 0;
            }
        }
        jali_gaps_alone_plain(bitmap, WORDS, JALI_GAPS_NEAR - 1, got[0]);
        assert_memory_equal(got[0], slow, sizeof slow);
        if (jali_gaps_alone_avx512() == NULL) continue;
        jali_gaps_alone_avx512()(bitmap, WORDS, JALI_GAPS_NEAR - 1, got[1]);
        assert_memory_equal(got[1], slow, sizeof slow);
    }
    plane_close(&w);
}

/* gaps.reach: three columns, so at most 3 for each width; some neighbour moves a count by 3. */
SENTENCE(one_row_moves_each_count_by_the_number_of_columns_at_most)
{
    UNUSED_STATE;
    int64_t most = 0;
    for (uint64_t seed = 1; seed < 150; seed++) {
        size_t rows = 2 + seed % 6;
        for (size_t row = 0; row < rows; row++) {
            plane w;
            int64_t with[WIDTHS], without[WIDTHS];
            plane_open(&w, rows, seed);
            count(&w, with);
            plane_without(&w, row);
            count(&w, without);
            for (int i = 0; i < WIDTHS; i++) {
                CHECK(llabs(with[i] - without[i]) <= 3);
                most = llabs(with[i] - without[i]) > most ? llabs(with[i] - without[i]) : most;
            }
            plane_close(&w);
        }
    }
    CHECK(most == 3);
}

RUN_ALL(TEST(wide_gaps_are_those_of_sorted_values), TEST(narrow_limits_count_as_wide_ones_do),
        TEST(values_alone_are_those_seen_one_by_one),
        TEST(one_row_moves_each_count_by_the_number_of_columns_at_most))
