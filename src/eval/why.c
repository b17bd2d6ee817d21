/* eval/why.c — how good explanations are: precision, coverage and width against the truth.
 *
 * Not private: it looks at true counts and true influences. One count, many draws.
 */
#include "explain/query/why.h"
#include "base/rat.h"
#include "eval/eval.h"
#include "explain/query/gap.h"
#include "score/open.h"
#include "tally/open.h"
#include <math.h>
#include <stdlib.h>

enum { DEFAULT_RUNS = 200, SHOWN = 7, MAX_COLUMNS = 64 };

typedef struct trial {
    jali_stage *stage;
    jali_query query;
    jali_ask ask;
    const jali_tallies *tallies;
    jali_answer truth; /* the same answer without noise */
    jali_comparison comparison;
    double gap, whole; /* true difference; what a share of it is a share of */
    jali_inquiry inquiry;
    const jali_scores *scores;
    uint64_t *place; /* predicate -> true rank */
    uint64_t *ranked;
} trial;

/* Hits of one kind of interval over all lines, and of one line a run: those are independent. */
typedef struct cover {
    double hits, n, width;
    unsigned one_hits, one_n;
} cover;

/* ---- words ---------------------------------------------------------------------------- */

static jali_status read_ask_budget(const trial *t, mpq_t out, jali_err *err)
{
    JALI_TRY(jali_rat_parse(out, jali_stage_word(t->stage, "ask", "0.1"), "ask", err));
    return JALI_OK;
}

static jali_status read_columns(const trial *t, jali_reasons_words *words, jali_err *err)
{
    const char *given = jali_stage_word(t->stage, "columns", NULL);
    if (given == NULL) return JALI_OK;
    const char **column = jali_arena_take(t->stage->arena, MAX_COLUMNS, sizeof *column);
    char *at = jali_arena_text(t->stage->arena, given);
    if (column == NULL || at == NULL) return jali_fail_memory(err);
    for (; at != NULL && words->n_columns < MAX_COLUMNS;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        column[words->n_columns++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    words->column = column;
    return JALI_OK;
}

static jali_status read_words(const trial *t, jali_why_words *w, jali_err *err)
{
    double top, length, up_to;
    const jali_stage *s = t->stage;
    JALI_TRY(jali_stage_number(s, "top", 5, &top, err));
    JALI_TRY(jali_stage_number(s, "length", 0, &length, err));
    JALI_TRY(jali_stage_number(s, "up-to", 0, &up_to, err));
    *w = (jali_why_words){ .top = (size_t)top,
                           .ranks = jali_stage_word(s, "ranks", NULL),
                           .split = jali_stage_word(s, "split", NULL),
                           .lower = jali_stage_word(s, "lower", NULL),
                           .constants = jali_stage_word(s, "constants", NULL),
                           .miss = s->miss };
    w->reasons.length = (unsigned)length;
    w->reasons.up_to = (unsigned)up_to;
    w->reasons.inequalities = jali_stage_word(s, "inequalities", NULL) != NULL;
    w->reasons.either = jali_stage_word(s, "either", NULL);
    return read_columns(t, &w->reasons, err);
}

/* ---- the truth -------------------------------------------------------------------------- */

static void read_truth(trial *t)
{
    t->truth = (jali_answer){ .ask = &t->ask, .n = t->ask.cells };
    for (size_t i = 0; i < t->ask.n_measures; i++) {
        const jali_tally *tally = t->ask.measure[i].kind == JALI_MEASURE_SUM
                                      ? jali_tallies_sums(t->tallies, t->ask.table[i])
                                      : jali_tallies_counts(t->tallies, t->ask.table[i]);
        t->truth.cell[i] = tally->cell;
        t->truth.scale[i] = 1e-6;
    }
}

static jali_status ask(trial *t, jali_err *err)
{
    jali_stage *s = t->stage;
    mpq_t budget;
    JALI_TRY(
        jali_query_parse(s->schema, jali_stage_word(s, "sql", ""), s->arena, &t->query, err));
    mpq_init(budget);
    jali_status status = read_ask_budget(t, budget, err);
    if (status == JALI_OK)
        status = jali_ask_init(&t->ask, s->schema, &t->query, s->law, budget, s->arena, err);
    mpq_clear(budget);
    if (status == JALI_OK) status = jali_ask_bind(&t->ask, s->columns, s->arena, err);
    if (status == JALI_OK)
        status = jali_plan_run(t->ask.tables, s->pool, s->arena, &t->tallies, err);
    if (status == JALI_OK) read_truth(t);
    return status;
}

static jali_status compare(trial *t, jali_err *err)
{
    jali_stage *s = t->stage;
    jali_gap gap;
    JALI_TRY(jali_compare_parse(s->schema, &t->query, jali_stage_word(s, "question", ""),
                                jali_stage_word(s, "of", NULL), s->arena, &t->comparison, err));
    jali_gap_of(&t->truth, &t->comparison, s->miss, &gap);
    t->gap = gap.value;
    t->whole = fabs(gap.value);
    if (t->query.aggregate[t->comparison.aggregate].kind == JALI_AVG) t->whole *= gap.smallest;
    return JALI_OK;
}

struct candidate {
    int64_t score;
    uint64_t number;
};

/* The larger score first; ties by number, which is public. */
static int better(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static jali_status rank_all(trial *t, jali_err *err)
{
    size_t n = t->scores->n;
    struct candidate *all = malloc((n + 1) * sizeof *all);
    t->place = jali_arena_take(t->stage->arena, n + 1, sizeof *t->place);
    t->ranked = jali_arena_take(t->stage->arena, n + 1, sizeof *t->ranked);
    if (all == NULL || t->place == NULL || t->ranked == NULL) {
        free(all);
        return jali_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) all[i] = (struct candidate){ t->scores->score[i], i };
    qsort(all, n, sizeof *all, better);
    for (size_t i = 0; i < n; i++) {
        t->place[all[i].number] = i + 1;
        t->ranked[i] = all[i].number;
    }
    free(all);
    return JALI_OK;
}

static jali_status inquire(trial *t, jali_err *err)
{
    jali_stage *s = t->stage;
    jali_why_words words;
    mpq_t budget;
    JALI_TRY(read_words(t, &words, err));
    mpq_init(budget);
    mpq_set(budget, s->budget);
    if (mpq_sgn(budget) == 0) mpq_set_ui(budget, 1, s->law == JALI_LAW_GAUSS ? 10 : 1);
    jali_status status = jali_inquiry_init(&t->inquiry, &t->ask, &t->comparison, &words, s->law,
                                           budget, s->columns, s->arena, err);
    mpq_clear(budget);
    JALI_TRY(status);
    t->inquiry.study.pool = s->pool;
    JALI_TRY(jali_study_scores(&t->inquiry.study, s->arena, &t->scores, err));
    return rank_all(t, err);
}

/* ---- runs ---------------------------------------------------------------------------- */

static jali_status draw_answer(const trial *t, jali_arena *room, jali_answer *out,
                               jali_err *err)
{
    jali_charge *charge;
    *out = (jali_answer){ .ask = &t->ask, .n = t->ask.cells };
    JALI_TRY(jali_charge_unpaid(&charge, t->ask.loss, err));
    jali_status status = JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < t->ask.n_measures; i++) {
        const jali_tally *tally = t->ask.measure[i].kind == JALI_MEASURE_SUM
                                      ? jali_tallies_sums(t->tallies, t->ask.table[i])
                                      : jali_tallies_counts(t->tallies, t->ask.table[i]);
        jali_noisy noisy;
        status =
            jali_noise_release(t->ask.noiser, tally, charge, t->stage->dice, room, &noisy, err);
        if (status != JALI_OK) break;
        out->cell[i] = noisy.cell;
        out->scale[i] = noisy.scale;
    }
    jali_charge_free(charge);
    return status;
}

static void add(cover *c, bool hit, double width, bool one)
{
    c->hits += hit;
    c->n++;
    c->width += width;
    if (!one) return;
    c->one_hits += hit;
    c->one_n++;
}

static jali_status run_question(trial *t, cover *c, jali_err *err)
{
    jali_arena room = JALI_ARENA_INIT;
    jali_answer answer;
    jali_gap gap;
    jali_status status = draw_answer(t, &room, &answer, err);
    if (status == JALI_OK) {
        jali_gap_of(&answer, &t->comparison, t->stage->miss, &gap);
        add(c, gap.low <= t->gap && t->gap <= gap.high, gap.high - gap.low, true);
    }
    jali_arena_clear(&room);
    return status;
}

static double precision_of(const trial *t, const jali_explained *x)
{
    int64_t least = t->scores->score[t->ranked[x->k - 1]];
    double hits = 0;
    for (size_t i = 0; i < x->k; i++) hits += t->scores->score[x->chosen[i]] >= least;
    return hits / (double)x->k;
}

/* The exact influence lies in [score, score + 1): it was rounded down to the grid. */
static void judge(const trial *t, const jali_explained *x, const jali_explained_line *line,
                  unsigned run, cover *influence, cover *rank)
{
    for (size_t i = 0; i < x->k; i++) {
        const jali_explained_line *l = &line[i];
        double score = (double)t->scores->score[x->chosen[i]];
        uint64_t place = t->place[x->chosen[i]];
        bool one = i == run % x->k;
        add(influence, l->low <= score + 0.5 && score + 0.5 <= l->high,
            (l->high - l->low) * t->inquiry.unit / t->whole, one);
        add(rank, l->rank_low <= place && place <= l->rank_high,
            (double)(l->rank_high - l->rank_low + 1), one);
    }
}

static jali_status run_table(trial *t, unsigned run, double *precision, cover *influence,
                             cover *rank, jali_err *err)
{
    jali_arena room = JALI_ARENA_INIT;
    jali_charge *charge;
    jali_explained x;
    JALI_TRY(jali_charge_unpaid(&charge, t->inquiry.loss, err));
    jali_status status = jali_explain_draw(t->inquiry.explainer, t->scores, charge,
                                           t->stage->dice, &room, &x, err);
    jali_charge_free(charge);
    if (status == JALI_OK) {
        jali_explained_line *line = jali_arena_take(&room, x.k + 1, sizeof *line);
        if (line == NULL) {
            status = jali_fail_memory(err);
        } else {
            jali_explained_read(&x, 1 - t->stage->miss, line);
            *precision = precision_of(t, &x);
            judge(t, &x, line, run, influence, rank);
        }
    }
    jali_arena_clear(&room);
    return status;
}

/* ---- told ------------------------------------------------------------------------------ */

/* P(at most `hits` of n), each with probability p: small means that the interval is too narrow.
 */
static double binomial_below(unsigned hits, unsigned n, double p)
{
    double sum = 0;
    for (unsigned k = 0; k <= hits; k++)
        sum += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) +
                   (n - k) * log1p(-p));
    return fmin(sum, 1);
}

static void tell_cover(trial *t, const char *name, const cover *c)
{
    jali_stage_figure(t->stage, c->hits / c->n, NAN, "eval.why.coverage.%s", name);
    jali_stage_figure(t->stage, binomial_below(c->one_hits, c->one_n, 1 - t->stage->miss), NAN,
                      "eval.why.coverage.%s.p", name);
}

static void tell_groups(trial *t)
{
    const jali_col cols[] = { { "group", false }, { "truth", true } };
    jali_doc *doc = t->stage->doc;
    size_t a = t->comparison.aggregate, shown = 0;
    if (t->query.n_groups != 1) return;
    const jali_field *f = &t->stage->schema->fields[t->query.group[0]];
    jali_doc_table(doc, 2, cols);
    for (uint64_t g = 0; g < t->ask.cells && shown < 40; g++) {
        jali_estimate e = jali_answer_at(&t->truth, a, (size_t)g, t->stage->miss);
        if (jali_answer_raw(&t->truth, a, (size_t)g).count <= 0) continue;
        jali_doc_cell(doc, "%s", jali_query_part(f, g, &doc->arena));
        jali_doc_cell(doc, "%.6f", e.value);
        shown++;
    }
}

static jali_status tell_truth(trial *t, jali_err *err)
{
    const jali_col cols[] = { { "rank", true }, { "predicate", false }, { "influence", true } };
    jali_doc *doc = t->stage->doc;
    tell_groups(t);
    jali_doc_table(doc, 3, cols);
    for (size_t i = 0; i < SHOWN && i < t->scores->n; i++) {
        char *where;
        JALI_TRY(
            jali_reasons_text(&t->inquiry.reasons, t->ranked[i], t->stage->arena, &where, err));
        jali_doc_cell(doc, "%zu", i + 1);
        jali_doc_cell(doc, "%s", where);
        jali_doc_cell(doc, "%.1f", (double)t->scores->score[t->ranked[i]] * t->inquiry.unit);
    }
    jali_stage_figure(t->stage, (double)t->scores->n, NAN, "eval.why.predicates");
    jali_stage_figure(t->stage, t->gap, NAN, "eval.why.difference");
    return JALI_OK;
}

static jali_status run_all(trial *t, jali_err *err)
{
    unsigned runs = t->stage->runs == 0 ? DEFAULT_RUNS : t->stage->runs;
    double sum = 0, squares = 0;
    cover question = { 0 }, influence = { 0 }, rank = { 0 };
    jali_meter meter;
    jali_meter_init(&meter, t->stage->progress, "runs", runs);
    for (unsigned i = 0; i < runs; i++) {
        double precision = 0;
        JALI_TRY(run_question(t, &question, err));
        JALI_TRY(run_table(t, i, &precision, &influence, &rank, err));
        sum += precision;
        squares += precision * precision;
        jali_meter_tell(&meter, i + 1);
    }
    JALI_TRY(tell_truth(t, err));
    double mean = sum / runs;
    jali_stage_figure(t->stage, mean, sqrt(fmax(squares / runs - mean * mean, 0)),
                      "eval.why.precision%zu", jali_explainer_k(t->inquiry.explainer));
    tell_cover(t, "question", &question);
    tell_cover(t, "influence", &influence);
    tell_cover(t, "rank", &rank);
    jali_stage_figure(t->stage, question.width / question.n, NAN, "eval.why.width.question");
    jali_stage_figure(t->stage, influence.width / influence.n, NAN, "eval.why.width.influence");
    jali_stage_figure(t->stage, rank.width / rank.n, NAN, "eval.why.width.rank");
    return JALI_OK;
}

jali_status jali_eval_why(jali_stage *stage, jali_err *err)
{
    static const char *const names[] = { "sql",     "question", "of",    "ask",
                                         "top",     "length",   "up-to", "inequalities",
                                         "columns", "either",   "ranks", "split",
                                         "lower",   "constants" };
    trial t = { .stage = stage };
    JALI_TRY(jali_stage_expect(stage, names, sizeof names / sizeof *names, err));
    if (jali_stage_word(stage, "sql", NULL) == NULL ||
        jali_stage_word(stage, "question", NULL) == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "eval why needs what is asked and compared: jali eval why VAULT "
                         "\"sql=SELECT ...\" \"question=a > b\"");
    jali_status status = ask(&t, err);
    if (status == JALI_OK) status = compare(&t, err);
    if (status == JALI_OK) status = inquire(&t, err);
    if (status == JALI_OK) status = run_all(&t, err);
    jali_inquiry_clear(&t.inquiry);
    jali_ask_clear(&t.ask);
    return status;
}
