/* A document with one chart of each kind, made up, for the writers to be tried on. */
#ifndef JALI_TESTS_GALLERY_H
#define JALI_TESTS_GALLERY_H

#include "report/chart.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

static inline void gallery_bars(jali_doc *doc)
{
    static const jali_col words[] = { { "ward", false } };
    static const jali_track tracks[] = {
        { .axis = { .name = "AVG(cost)", .unit = "EUR" }, .bar = true },
        { .axis = { .name = "COUNT(*)", .whole = true }, .bar = true },
    };
    static const char *const ward[] = { "surgery", "maternity", "cardiology & <heart>",
                                        "NULL" };
    static const double cost[] = { 6046, 4427, 8957 };
    jali_chart *c = jali_doc_rows(doc, 1, words, 2, tracks, "Cardiology costs most");
    for (size_t i = 0; i < 4; i++) {
        jali_chart_word(c, "%s", ward[i]);
        jali_chart_mark(c, i == 3 ? JALI_MARK_UNKNOWN
                                  : JALI_MARK(cost[i], cost[i] - 900, cost[i] + 1100));
        jali_chart_mark(c, JALI_MARK(300.0 * (double)i - 20, 300.0 * (double)i - 62,
                                     300.0 * (double)i + 22));
    }
    jali_chart_note(c, "Each number is covered with 95%%.");
}

static inline void gallery_why(jali_doc *doc)
{
    static const jali_col words[] = { { "", true }, { "explanation", false } };
    static const jali_track tracks[] = {
        { .axis = { .name = "influence", .percent = true } },
        { .axis = { .name = "rank", .whole = true }, .from = 1, .to = 40 },
    };
    static const char *const predicate[] = { "diagnosis = 'infarction'", "age from 70 to 79",
                                             "sex = 'male'", "insurance = 'none'" };
    jali_chart *c =
        jali_doc_rows(doc, 2, words, 2, tracks, "Infarctions explain most of the difference");
    for (size_t i = 0; i < 4; i++) {
        double v = 0.62 / (double)(i * i + 1) - 0.05 * (double)i;
        jali_chart_word(c, "%zu", i + 1);
        jali_chart_word(c, "%s", predicate[i]);
        jali_chart_mark(c, JALI_MARK(v, v - 0.081, v + 0.079));
        jali_chart_mark(c, JALI_MARK(NAN, 1 + 4.0 * (double)i, 2 + 9.0 * (double)i));
    }
    jali_chart_about(c, "Infarction has influence 62%%; all others below 30%%.");
}

static inline void gallery_pairs(jali_doc *doc)
{
    static const char *const age[] = { "0 to 19", "20 to 39", "40 to 59", "60 to 79", "80 up" };
    static const double in[] = { 0.02, 0.05, 0.13, 0.55, 0.25 };
    static const double out[] = { 0.22, 0.27, 0.26, 0.18, 0.07 };
    jali_chart *c =
        jali_doc_pairs(doc, (jali_axis){ .name = "age", .unit = "years" },
                       (jali_axis){ .name = "share of rows", .percent = true }, "cluster 2",
                       "elsewhere", "Cluster 2 is old: four of five are above 60");
    for (size_t i = 0; i < 5; i++)
        jali_chart_pair(c, age[i], JALI_MARK(in[i], fmax(in[i] - 0.03, 0), in[i] + 0.03),
                        JALI_MARK(out[i], out[i] - 0.01, out[i] + 0.01));
}

static inline void gallery_curves(jali_doc *doc)
{
    static const char *const name[] = { "model", "without age" };
    jali_chart *c = jali_doc_lines(doc, (jali_axis){ .name = "age", .unit = "years" },
                                   (jali_axis){ .name = "predicted cost", .unit = "EUR" },
                                   "Predicted cost rises steeply after 60");
    for (size_t s = 0; s < 2; s++) {
        jali_chart_series(c, name[s]);
        for (size_t i = 0; i <= 18; i++) {
            double x = 5.0 * (double)i;
            double y = 2000 + (s == 0 ? 6000 / (1 + exp((60 - x) / 7)) : 12 * x);
            jali_chart_point(c, x, JALI_MARK(y, y - 300 - 10 * x, y + 300 + 10 * x));
        }
    }
    for (size_t i = 0; i < 18; i++) {
        double x = 5.0 * (double)i;
        jali_chart_strip(c, x, x + 5, exp(-(x - 50) * (x - 50) / 800));
    }
    jali_chart_upright(c, 65, "pension");
}

static inline void gallery_categories(jali_doc *doc)
{
    static const char *const ward[] = { "surgery", "maternity", "cardiology" };
    jali_chart *c = jali_doc_lines(doc, (jali_axis){ .name = "ward" },
                                   (jali_axis){ .name = "predicted stay", .unit = "days" },
                                   "Only maternity stays short");
    jali_chart_series(c, "model");
    for (size_t i = 0; i < 3; i++) {
        double v = i == 1 ? 3.1 : 7.0 + (double)i;
        jali_chart_category(c, ward[i], JALI_MARK(v, v - 0.6, v + 0.6));
        jali_chart_strip(c, 0, 0, (double)(i + 1));
    }
}

static inline void gallery_heat(jali_doc *doc)
{
    enum { N = 24 };
    static double cell[N * N], half[N * N];
    for (size_t y = 0; y < N; y++)
        for (size_t x = 0; x < N; x++) {
            double dx = (double)x - 7, dy = (double)y - 16;
            double ex = (double)x - 18, ey = (double)y - 6;
            cell[y * N + x] =
                exp(-(dx * dx + dy * dy) / 20) + 0.6 * exp(-(ex * ex + ey * ey) / 30);
            half[y * N + x] = 0.02 + 0.01 * (double)(x + y) / N;
        }
    jali_plane plane = { .x = { .name = "east", .unit = "km" },
                         .y = { .name = "north", .unit = "km" },
                         .value = { .name = "persons per cell" },
                         .x_to = 48,
                         .y_to = 48,
                         .n_x = N,
                         .n_y = N,
                         .cell = cell,
                         .half = half };
    jali_chart *c = jali_doc_heat(doc, &plane, "A clinic at B would serve the second town");
    jali_chart_place(c, 15, 33, 'A', "the centre that is");
    jali_chart_place(c, 37, 13, 'B', "the centre that you ask about");
}

static inline jali_doc *gallery(void)
{
    jali_doc *doc = NULL;
    CHECK_OK(jali_doc_new(&doc, "gallery", NULL));
    jali_doc_heading(doc, "A gallery");
    gallery_bars(doc);
    gallery_why(doc);
    gallery_pairs(doc);
    gallery_curves(doc);
    gallery_categories(doc);
    gallery_heat(doc);
    CHECK_OK(jali_doc_status(doc, NULL));
    return doc;
}

#endif
