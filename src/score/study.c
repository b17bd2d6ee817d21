/* score/study.c — a question, its predicates and the rows to be counted for both.
 *
 * Claim    score.study
 *          The scores of jali_study_each are those of score/influence.c for the predicates of
 *          the space, each predicate once: a record is in a conjunction if its codes are in
 *          all of its ranges, in a listed predicate if that is TRUE of it. So one person moves
 *          them, all together, by `sensitivity` and `range` of the influence.
 * Proof    proofs/study.md#score.study
 * Source   Tao, Gilad, Machanavajjhala, Roy, VLDB 2022 (DPXPlain), Def. 3.3 and C.3
 * Law      none: scores are exact and sealed, nothing is drawn here
 * Test     tests/score/study_test.c (every predicate asked of every row)
 * Silent   Time and memory: how many cells somebody is in shows in the time of large tables.
 */
#include "score/open.h"
#include "score/parts.h"
#include "tally/open.h"
#include "tally/sparse.h"
#include <string.h>

enum {
    BATCH_CELLS = 1 << 21, /* of the tables of one pass: with sums 32 MB of answers */
    BATCH_TABLES = 512,
    BATCH_LISTED = 128,
    HELD = 1 << 24
};

/* One pass: what it counts lives in `arena`, and goes with it. */
typedef struct pass {
    const jali_study *study;
    jali_arena arena;
    jali_plan *plan;
    size_t slice, total;
    const jali_tallies *tallies;
} pass;

static const jali_influence_spec *spec_of(const jali_study *study)
{
    return &study->influence->spec;
}

static void pass_clear(pass *p)
{
    jali_plan_free(p->plan);
    jali_arena_clear(&p->arena);
    *p = (pass){ .study = p->study };
}

static jali_status add_table(pass *p, size_t slice, const char *const *columns, size_t n,
                             size_t *table, jali_err *err)
{
    const jali_study *s = p->study;
    if (s->summed == NULL) return jali_plan_counts(p->plan, slice, columns, n, table, err);
    return jali_plan_sums(p->plan, slice, columns, n, s->summed, spec_of(s)->centre, table,
                          err);
}

/* A plan with the groups as labels, and their totals as its first table. */
static jali_status pass_open(pass *p, jali_err *err)
{
    const jali_study *s = p->study;
    jali_label label;
    JALI_TRY(jali_groups_label(&label, s->groups, &p->arena, err));
    JALI_TRY(jali_plan_new(&p->plan, s->columns, spec_of(s)->rows_per_person, err));
    JALI_TRY(jali_plan_slice(p->plan, &label, s->where, &p->slice, err));
    return add_table(p, p->slice, NULL, 0, &p->total, err);
}

static jali_status pass_run(pass *p, jali_err *err)
{
    return jali_plan_run(p->plan, p->study->pool, &p->arena, &p->tallies, err);
}

/* ---- pieces --------------------------------------------------------------------------------
 */

typedef struct hand {
    jali_piece_taker take;
    void *self;
    jali_score_piece at; /* the next piece, but for its scores */
} hand;

static jali_status hand_on(void *self, const int64_t *score, size_t n)
{
    hand *h = self;
    h->at.score = score;
    h->at.n = n;
    JALI_TRY(h->take(h->self, &h->at));
    if (h->at.cell != NULL)
        h->at.cell += n;
    else
        h->at.first += n;
    return JALI_OK;
}

static jali_status score_cells(const pass *p, const jali_influence_cells *cells, hand *to,
                               jali_err *err)
{
    jali_influence_table table;
    JALI_TRY(jali_influence_lay(&table, p->study->influence, cells,
                                jali_tallies_counts(p->tallies, p->total),
                                jali_tallies_sums(p->tallies, p->total), err));
    jali_status status = jali_influence_each(&table, hand_on, to);
    return status == JALI_E_NOMEM ? jali_fail_memory(err) : status;
}

/* ---- conjunctions, all cells of their tables ------------------------------------------------
 */

/* Replaces codes by marks on every axis that has its own. */
static jali_status apply_marks(const pass *p, const jali_space_part *part,
                               jali_influence_cells *cells, jali_arena *arena, jali_err *err)
{
    for (unsigned k = 0; k < part->n; k++) {
        const jali_space_attribute *a = &p->study->space->spec.attribute[part->attribute[k]];
        if (a->mark == NULL) continue;
        size_t outer = p->study->groups->n, inner = 1, extent = (size_t)cells->extent[k];
        for (unsigned i = 0; i < k; i++) outer *= (size_t)cells->extent[i];
        for (unsigned i = k + 1; i < part->n; i++) inner *= (size_t)cells->extent[i];
        cells->count = jali_sum_ranges(cells->count, outer, extent, inner, a, arena);
        if (cells->sum != NULL) {
            cells->sum = jali_sum_ranges(cells->sum, outer, extent, inner, a, arena);
            if (cells->sum == NULL) return jali_fail_memory(err);
        }
        if (cells->count == NULL) return jali_fail_memory(err);
        cells->extent[k] = a->n;
    }
    return JALI_OK;
}

static jali_status score_part(pass *p, const jali_space_part *part, size_t table, hand *to,
                              jali_err *err)
{
    const jali_tally *counts = jali_tallies_counts(p->tallies, table);
    const jali_tally *sums = jali_tallies_sums(p->tallies, table);
    bool good = jali_influence_agrees(p->study->influence, counts, sums);
    for (unsigned k = 0; good && k < part->n; k++)
        good =
            counts->extent[k + 1] == p->study->space->spec.attribute[part->attribute[k]].domain;
    if (!good)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a table of a study was not counted as its question says");
    jali_influence_cells cells = { .count = counts->cell,
                                   .sum = sums == NULL ? NULL : sums->cell,
                                   .attributes = part->n };
    for (unsigned k = 0; k < part->n; k++) {
        cells.extent[k] = counts->extent[k + 1];
        cells.values[k] =
            jali_space_marks(&p->study->space->spec.attribute[part->attribute[k]]);
    }
    jali_arena marked = JALI_ARENA_INIT;
    jali_status status = apply_marks(p, part, &cells, &marked, err);
    to->at = (jali_score_piece){ .first = part->first, .span = part->size };
    if (status == JALI_OK) status = score_cells(p, &cells, to, err);
    jali_arena_clear(&marked);
    return status;
}

static jali_status add_part(pass *p, const jali_space_part *part, size_t *table, jali_err *err)
{
    const char *name[JALI_SPACE_LENGTH];
    for (unsigned k = 0; k < part->n; k++)
        name[k] = p->study->space->spec.attribute[part->attribute[k]].column;
    return add_table(p, p->slice, name, part->n, table, err);
}

/* Parts first .. first+n-1, all dense, in one pass over the rows. */
static jali_status count_dense(pass *p, size_t first, size_t n, hand *to, jali_err *err)
{
    const jali_space_part *part = p->study->space->part + first;
    size_t table[BATCH_TABLES];
    JALI_TRY(pass_open(p, err));
    for (size_t i = 0; i < n; i++) JALI_TRY(add_part(p, &part[i], &table[i], err));
    JALI_TRY(pass_run(p, err));
    for (size_t i = 0; i < n; i++) JALI_TRY(score_part(p, &part[i], table[i], to, err));
    return JALI_OK;
}

/* ---- conjunctions, of their cells only those that somebody is in ----------------------------
 */

static jali_status count_sparse(pass *p, const jali_space_part *part, hand *to,
                                jali_arena *arena, jali_err *err)
{
    const jali_study *s = p->study;
    jali_sparse_table table = {
        .groups = s->groups->n, .n = part->n, .summed = s->summed, .centre = spec_of(s)->centre
    };
    const jali_sparse *found;
    JALI_TRY(pass_open(p, err));
    table.slice = p->slice;
    for (unsigned k = 0; k < part->n; k++) {
        const jali_space_attribute *a = &s->space->spec.attribute[part->attribute[k]];
        table.column[k] = a->column;
        table.nulls[k] = a->nulls;
    }
    JALI_TRY(jali_plan_touch(p->plan, table.column, table.n, err));
    JALI_TRY(pass_run(p, err));
    JALI_TRY(jali_sparse_count(p->plan, &table, &p->arena, &found, err));
    /* Numbers go with this pass; which cells there are must last as long as the arrivals. */
    uint64_t *list = jali_arena_take(arena, found->n + 1, sizeof *list);
    if (list == NULL) return jali_fail_memory(err);
    memcpy(list, found->cell, found->n * sizeof *list);
    jali_influence_cells cells = { .count = found->count,
                                   .sum = found->sum,
                                   .attributes = 1,
                                   .extent = { found->n },
                                   .values = { found->n } };
    to->at = (jali_score_piece){ .first = part->first, .span = part->size, .cell = list };
    JALI_TRY(to->take(to->self, &to->at)); /* nobody yet: but how many there are to be */
    return score_cells(p, &cells, to, err);
}

/* ---- listed predicates
 * ----------------------------------------------------------------------- */

/* One slice of the rows each; the label, the same for all, is a few groups. */
static jali_status add_listed(pass *p, const jali_predicate *one, size_t *table, jali_err *err)
{
    const jali_study *s = p->study;
    const jali_predicate *both =
        s->where == NULL ? one : jali_predicate_and(&p->arena, s->where, one);
    jali_label label;
    size_t slice;
    if (both == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_groups_label(&label, s->groups, &p->arena, err));
    JALI_TRY(jali_plan_slice(p->plan, &label, both, &slice, err));
    return add_table(p, slice, NULL, 0, table, err);
}

/* Their numbers side by side, group first, as the cells of one table. */
static jali_status gather(pass *p, const size_t *table, size_t n, jali_influence_cells *out,
                          jali_err *err)
{
    unsigned groups = p->study->groups->n;
    bool sums = p->study->summed != NULL;
    int64_t *count = jali_arena_take(&p->arena, groups * n + 1, sizeof *count);
    int64_t *sum = jali_arena_take(&p->arena, groups * n + 1, sizeof *sum);
    if (count == NULL || sum == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const jali_tally *c = jali_tallies_counts(p->tallies, table[i]);
        const jali_tally *t = jali_tallies_sums(p->tallies, table[i]);
        if (!jali_influence_agrees(p->study->influence, c, t))
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                             "a list of a study was not counted as its question says");
        for (unsigned g = 0; g < groups; g++) {
            count[g * n + i] = c->cell[g];
            sum[g * n + i] = sums ? t->cell[g] : 0;
        }
    }
    *out = (jali_influence_cells){ .count = count,
                                   .sum = sums ? sum : NULL,
                                   .attributes = 1,
                                   .extent = { n },
                                   .values = { n } };
    return JALI_OK;
}

static jali_status count_listed(pass *p, size_t first, size_t n, hand *to, jali_err *err)
{
    const jali_space *space = p->study->space;
    size_t table[BATCH_LISTED];
    jali_influence_cells cells;
    JALI_TRY(pass_open(p, err));
    for (size_t i = 0; i < n; i++)
        JALI_TRY(add_listed(p, space->spec.listed[first + i], &table[i], err));
    JALI_TRY(pass_run(p, err));
    JALI_TRY(gather(p, table, n, &cells, err));
    to->at = (jali_score_piece){ .first = space->listed + first, .span = n };
    return score_cells(p, &cells, to, err);
}

/* ---- all of it
 * --------------------------------------------------------------------------------- */

/* How many parts from `first` on go into one pass. */
static size_t batch_of(const jali_study *study, size_t first)
{
    const jali_space *s = study->space;
    uint64_t cells = 0;
    size_t n = 0;
    while (first + n < s->n_parts && n < BATCH_TABLES && !s->part[first + n].sparse) {
        cells += s->part[first + n].cells * (study->groups->n + 2);
        if (n > 0 && cells > BATCH_CELLS) break;
        n++;
    }
    return n;
}

static jali_status agrees(const jali_study *study, jali_err *err)
{
    const jali_influence_spec *spec = spec_of(study);
    if (spec->groups == study->groups->n &&
        (spec->of == JALI_INFLUENCE_COUNT) == (study->summed == NULL))
        return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                     "a study has another question than its influence");
}

jali_status jali_study_each(const jali_study *study, jali_piece_taker take, void *self,
                            jali_arena *arena, jali_err *err)
{
    const jali_space *space = study->space;
    pass p = { .study = study };
    hand to = { .take = take, .self = self };
    jali_status status = agrees(study, err);
    for (size_t i = 0; status == JALI_OK && i < space->n_parts;) {
        size_t n = batch_of(study, i);
        status = n > 0 ? count_dense(&p, i, n, &to, err)
                       : count_sparse(&p, &space->part[i], &to, arena, err);
        pass_clear(&p);
        i += n > 0 ? n : 1;
    }
    for (size_t i = 0; status == JALI_OK && i < space->spec.n_listed; i += BATCH_LISTED) {
        size_t left = space->spec.n_listed - i;
        status = count_listed(&p, i, left < BATCH_LISTED ? left : BATCH_LISTED, &to, err);
        pass_clear(&p);
    }
    return status;
}

/* ---- before it is paid for
 * ---------------------------------------------------------------------- */

static jali_status check_attributes(pass *p, jali_err *err)
{
    const jali_space_spec *spec = &p->study->space->spec;
    for (size_t i = 0; i < spec->n; i++) {
        const jali_space_attribute *a = &spec->attribute[i];
        JALI_TRY(jali_plan_touch(p->plan, &a->column, 1, err));
        if (jali_plan_domain(p->plan, a->column) != a->domain)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "the predicates on \"%.100s\" were made for a column with "
                             "another domain: state them again for this table",
                             a->column);
    }
    return JALI_OK;
}

/* What tally/plan.h would refuse after it was paid for: groups, everybody else, and rows that
 * the condition leaves out. */
static jali_status check_sizes(const jali_study *study, jali_err *err)
{
    uint64_t labels = study->groups->n + 2;
    for (size_t i = 0; i < study->space->n_parts; i++) {
        const jali_space_part *p = &study->space->part[i];
        if (!p->sparse && p->cells > JALI_PLAN_CELLS / labels)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "ranges over \"%.100s\" and what goes with it make a table of "
                             "more than %d cells for %u groups; take coarser bins, shorter "
                             "conjunctions or fewer groups",
                             study->space->spec.attribute[p->attribute[0]].column,
                             JALI_PLAN_CELLS, study->groups->n);
    }
    return JALI_OK;
}

/* Tables that the plans of jali_study_each will ask for, and slices: all refusals at once. */
static jali_status check_tables(pass *p, jali_err *err)
{
    const jali_space *space = p->study->space;
    size_t table;
    JALI_TRY(agrees(p->study, err));
    JALI_TRY(pass_open(p, err));
    JALI_TRY(check_attributes(p, err));
    JALI_TRY(check_sizes(p->study, err));
    for (size_t i = 0; i < space->spec.n_listed; i++)
        JALI_TRY(add_listed(p, space->spec.listed[i], &table, err));
    return jali_plan_check(p->plan, p->study->pool, err);
}

jali_status jali_study_check(const jali_study *study, jali_err *err)
{
    pass p = { .study = study };
    jali_status status = check_tables(&p, err);
    pass_clear(&p);
    return status;
}

static jali_status hold(void *self, const jali_score_piece *piece)
{
    int64_t *score = self;
    for (size_t i = 0; i < piece->n; i++)
        score[piece->first + (piece->cell == NULL ? i : piece->cell[i])] = piece->score[i];
    return JALI_OK;
}

jali_status jali_study_scores(const jali_study *study, jali_arena *arena,
                              const jali_scores **out, jali_err *err)
{
    uint64_t n = jali_space_size(study->space);
    if (n > HELD)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%llu predicates are too many to be held at once",
                         (unsigned long long)n);
    jali_scores *made = jali_arena_take(arena, 1, sizeof *made);
    int64_t *score = jali_arena_take(arena, (size_t)n, sizeof *score);
    if (made == NULL || score == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_study_each(study, hold, score, arena, err));
    *made = (jali_scores){ .n = (size_t)n,
                           .score = score,
                           .range = study->influence->range,
                           .sensitivity = study->influence->sensitivity };
    *out = made;
    return JALI_OK;
}
