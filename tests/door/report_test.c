/* The words of a report: the bound on beliefs is Bayes' own, the limits are those of KNOWN.md.
 */
#include "base/file.h"
#include "door/report.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

/* Randomised response tells the truth with e^eps to 1; after hearing "yes" Bayes says: */
static double bayes(double prior, double eps)
{
    double truth = exp(eps) / (1 + exp(eps));
    return prior * truth / (prior * truth + (1 - prior) * (1 - truth));
}

SENTENCE(nobody_can_believe_more_than_bayes_allows)
{
    UNUSED_STATE;
    for (double prior = 0.01; prior < 1; prior += 0.07)
        for (double eps = 0; eps < 8; eps += 0.3)
            CHECK(fabs(jali_report_belief(prior, eps) - bayes(prior, eps)) < 1e-9);
    CHECK(jali_report_belief(0.5, 1e6) == 1);
    CHECK(jali_report_belief(0.5, 0) == 0.5);
}

SENTENCE(every_limit_of_a_report_is_a_known_limit)
{
    UNUSED_STATE;
    jali_reporting r = { 0 };
    char *known = NULL;
    size_t n = 0, told = 0;
    CHECK_OK(
        jali_file_read(JALI_SOURCE "/docs/KNOWN.md", 1 << 20, &r.desk.arena, &known, &n, NULL));
    CHECK_OK(jali_doc_new(&r.doc, "report", NULL));
    jali_report_limits(&r);
    for (const jali_piece *b = r.doc->first; b != NULL; b = b->next) {
        if (b->kind != JALI_PIECE_SAY || strncmp(b->text, "docs/", 5) == 0) continue;
        if (strstr(known, b->text) == NULL) fail_msg("not in docs/KNOWN.md: %s", b->text);
        told++;
    }
    CHECK(told > 3);
    jali_doc_free(r.doc);
    jali_arena_clear(&r.desk.arena);
}

RUN_ALL(TEST(nobody_can_believe_more_than_bayes_allows),
        TEST(every_limit_of_a_report_is_a_known_limit))
