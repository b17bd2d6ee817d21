/* door/report_words.c — the guarantee, the methods and the limits, in plain words. */
#include "base/rat.h"
#include "door/report.h"
#include <math.h>

/* ---- the guarantee --------------------------------------------------------------------- */

double jali_report_belief(double prior, double epsilon)
{
    /* Bayes with a likelihood ratio of at most exp(epsilon). */
    double odds = prior / (1 - prior) * exp(epsilon);
    return isinf(odds) ? 1 : odds / (1 + odds);
}

/* Rounded up, because the sentence says "at most"; with the digits that keep it from saying
 * that everything may be known, which no finite epsilon means. */
static const char *at_most(jali_reporting *r, double prior, double epsilon)
{
    double share = jali_report_belief(prior, epsilon), up = 100;
    int digits = 0;
    while (digits < 9 && up >= 100) {
        double scale = pow(10, ++digits);
        up = ceil(100 * scale * share) / scale;
    }
    const char *text =
        up >= 100 ? "nearly 100%" : jali_arena_format(&r->doc->arena, "%.*f%%", digits, up);
    if (text == NULL) r->doc->failed = true;
    return text == NULL ? "" : text;
}

/* The smaller of the two sums that hold: eps added, or rho converted at the cap's delta. */
static double spent_epsilon(const jali_totals *t)
{
    double by_eps = t->sum.eps_infinite ? INFINITY : (double)t->sum.eps_pico / 1e12;
    double by_rho = t->cap.delta_atto == 0 || t->eps_of_rho_pico == JALI_LOSS_MAX
                        ? INFINITY
                        : (double)t->eps_of_rho_pico / 1e12;
    return fmin(by_eps, by_rho);
}

static void tell_person(jali_reporting *r)
{
    const jali_schema *s = &r->desk.vault->schema;
    if (s->person < 0)
        jali_doc_say(r->doc,
                     "One person is one row of the table. A human who is in several rows "
                     "is protected in each of them, not in all at once.");
    else
        jali_doc_say(
            r->doc,
            "One person is all rows with the same \"%s\", of which at most %u are kept. What "
            "is promised holds for all of them together.",
            s->fields[s->person].name, s->rows_per_person);
}

static void tell_beliefs(jali_reporting *r, double spent, double cap)
{
    static const jali_col cols[] = { { "belief before", true },
                                     { "at most, after all releases so far", true },
                                     { "at most, if the whole budget is spent", true } };
    static const double priors[] = { 0.01, 0.1, 0.5, 0.9 };
    jali_doc_table(r->doc, 3, cols);
    for (size_t i = 0; i < sizeof priors / sizeof *priors; i++) {
        jali_doc_cell(r->doc, "%g%%", 100 * priors[i]);
        jali_doc_cell(r->doc, "%s", at_most(r, priors[i], spent));
        jali_doc_cell(r->doc, "%s", at_most(r, priors[i], cap));
    }
}

void jali_report_promise(jali_reporting *r)
{
    char delta[32];
    double spent = spent_epsilon(&r->totals), cap = (double)r->totals.cap.eps_pico / 1e12;
    jali_doc_chapter(r->doc, "promise", "What is promised");
    tell_person(r);
    jali_doc_say(
        r->doc,
        "Everything released from this table would look almost the same if any one person were "
        "added to it or taken out. Suppose somebody knows every other row, and wonders whether "
        "one person is in the table at all. However clever, with all releases together, their "
        "belief that it is so can rise no further than this:");
    if (isinf(spent)) spent = cap;
    tell_beliefs(r, spent, cap);
    jali_doc_say(
        r->doc,
        "Who knows that a person is in the table, and wonders which of two things their "
        "rows say, is held to twice that epsilon: from 50%% to at most %s so far, and "
        "to %s if the whole budget is spent.",
        at_most(r, 0.5, 2 * spent), at_most(r, 0.5, 2 * cap));
    if (r->totals.cap.delta_atto > 0)
        jali_doc_say(
            r->doc,
            "The table holds but for a chance of about %s, for which no bound is "
            "promised. In the language of the field: (epsilon, delta)-differential "
            "privacy with epsilon %.4g so far and %.4g at most, delta %s, neighbours by "
            "adding or removing one person.",
            jali_decimal(delta, r->totals.cap.delta_atto, JALI_DELTA_DIGITS), spent, cap,
            delta);
    else
        jali_doc_say(
            r->doc,
            "The table holds without exception. In the language of the field: pure "
            "differential privacy with epsilon %.4g so far and %.4g at most, neighbours "
            "by adding or removing one person.",
            spent, cap);
    jali_doc_say(
        r->doc,
        "What is true of people in general stays true of each of them: if this report "
        "says that smokers cost more, it says so about a smoker who is not in the table, "
        "too. That is learning, not leaking.");
}

/* ---- methods ------------------------------------------------------------------------------
 */

static const struct method {
    char kind;
    const char *name, *words;
} methods[] = {
    { 'r', "ask",
      "Counts and sums get discrete Laplace noise (in a vault without delta) or discrete Gaussian "
      "noise (Canonne, Kamath and Steinke, 2020), drawn exactly over whole numbers. An average is "
      "the ratio of a noisy sum and a noisy count; its interval covers both." },
    { 'w', "why",
      "Candidate explanations are ranked by how much the difference shrinks without their rows; "
      "the best are chosen with noise, and get intervals of influence and rank. After DPXPlain "
      "(Tao, Gilad, Machanavajjhala and Roy, 2022), with sensitivities proved anew and a rank "
      "search that always ends." },
    { 'c', "cluster",
      "Groups are found from noisy counts of boxes and cells. After DPM (Liebenow, Schütt, Braun, "
      "Gehrke, Thaeter and Mohammadi), with the selection of separators corrected." },
    { 'p', "profile",
      "For each cluster the attributes that tell it apart are chosen with noise by how unlike the "
      "rest, how typical and how diverse they are, and shown as pairs of noisy histograms. After "
      "DPClustX (Gilad, Milo, Razmadze and Zadacario)." },
    { 'k', "contrast",
      "A private summary of the plane is paid for once; what it would cost to put a centre "
      "somewhere else is then computed from it for free. After Nguyen, Vetzler, Kraus and "
      "Vullikanti, Contrastive explainable clustering with differential privacy." },
    { 'm', "model",
      "Curves and rankings of a model's behaviour are sums over persons, released with noise. "
      "After Tailoring Differential Privacy to Any Explainer, with neighbours who are added or "
      "removed instead of replaced." },
};

static bool is_told(const jali_reporting *r, char kind)
{
    for (size_t i = 0; i < r->n_told; i++)
        if (r->told[i]->id[0] == kind) return true;
    return false;
}

void jali_report_methods(jali_reporting *r)
{
    jali_doc_chapter(r->doc, "methods", "How the numbers were made");
    jali_doc_say(
        r->doc,
        "Each answer was paid for in the ledger before anything was drawn, and is stored "
        "as it was drawn. Groups, bins and bounds come from the public schema, never "
        "from the data, so empty groups are answered, too. All noise is drawn exactly "
        "from its stated law by the operating system's randomness; no floating-point "
        "number decides what is released.");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (is_told(r, methods[i].kind))
            jali_doc_say(r->doc, "%s: %s", methods[i].name, methods[i].words);
    jali_doc_say(r->doc,
                 "Claims, proofs and tests stand side by side in the source: proofs/, and "
                 "make audit.");
}

/* ---- limits -------------------------------------------------------------------------------
 */

/* Each begins as a row of docs/KNOWN.md does; a test holds them together. */
static const char *const limits[] = {
    "A dishonest curator is out of scope: who can write the vault's folder can read its rows.",
    "The schema is the curator's word. A category list read off the data, a bound set to the true "
    "maximum: jali cannot tell.",
    "Releases are stored in the ledger in clear.",
    "One human with several ids is several persons.",
    "Resuming a virtual machine from a snapshot taken while jali runs repeats its dice.",
    "Rows written after the last checkpoint (a crashed process, at most 64 of them) can be cut off "
    "unseen.",
};

void jali_report_limits(jali_reporting *r)
{
    jali_doc_chapter(r->doc, "limits", "What is not promised");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        jali_doc_say(r->doc, "%s", limits[i]);
    jali_doc_say(r->doc, "docs/KNOWN.md has all known limits and what to do about them.");
}
