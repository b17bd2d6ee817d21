/* mech/explain.c — the predicates that explain best, with influences and ranks, and the price.
 *
 * Claim    explain.topk
 *          If one person moves all scores by amounts whose largest and smallest differ by at
 *          most `range`, the numbers of the k chosen predicates, in order, are rho-zCDP with
 *          rho = k e^2/8 (GAUSS, e = eps_one), or eps-DP with eps = k e (LAPLACE). Predicates
 *          that match nothing are drawn without being listed, and the law is the same.
 * Claim    explain.release
 *          A run costs jali_explainer_loss: top-k, vector and searches, composed.
 * Proof    proofs/explain.md
 * Source   Tao, Gilad, Machanavajjhala, Roy, VLDB 2022 (DPXPlain), 4.3 and C.3; Durfee, Rogers,
 *          NeurIPS 2019. The range in place of 2 Delta: PRIVACY R. Exponential noise for pure
 *          vaults: research C.1.
 * Law      GAUSS: winner j among those left with P(p) ~ exp(e score[p]/range);
 *          LAPLACE: the k largest of e score[p]/range + E[p], E[p] standard exponential
 * Test     tests/mech/explain_test.c
 * Silent   Time and memory: how many predicates match somebody shows in the time of large
 *          spaces (score/study.c).
 */
#include "dice/topk.h"
#include "dice/uniform.h"
#include "mech/explain_inside.h"
#include <assert.h>
#include <stdlib.h>

/* ---- drawing -------------------------------------------------------------------------------
 */

typedef struct drawing {
    const jali_explainer *x;
    jali_dice *dice;
    jali_topk *topk;
    jali_arrivals arrivals;
    jali_standing standing;
    jali_winner *winner;
    uint64_t *taken; /* ranks among the idle ones that have won, rising */
    size_t n_taken;
} drawing;

/* Scores are offered, noted and kept as they come: no table is counted a second time. */
static jali_status take(void *self, const jali_score_piece *piece)
{
    drawing *g = self;
    JALI_TRY(jali_topk_offer(g->topk, g->dice, piece->score, piece->n));
    JALI_TRY(jali_arrivals_note(&g->arrivals, piece));
    return jali_standing_add(&g->standing, piece->score, piece->n);
}

uint64_t jali_take_rank(uint64_t *taken, size_t n, uint64_t rank)
{
    size_t at = 0;
    for (; at < n && taken[at] <= rank; at++) rank++;
    for (size_t i = n; i > at; i--) taken[i] = taken[i - 1];
    taken[at] = rank;
    return rank;
}

/* One of the idle predicates that have not won yet, each as likely as the others. */
static jali_status draw_idle(drawing *g, uint64_t *number)
{
    uint64_t rank;
    JALI_TRY(jali_uniform_below(g->dice, g->arrivals.idle - g->n_taken, &rank));
    rank = jali_take_rank(g->taken, g->n_taken++, rank);
    *number = jali_arrivals_idle(&g->arrivals, rank);
    return JALI_OK;
}

static jali_status finish_topk(drawing *g, uint64_t *chosen)
{
    size_t n;
    if (g->arrivals.n + g->arrivals.idle != g->x->predicates) return JALI_E_INTERNAL;
    if (g->arrivals.idle > 0)
        JALI_TRY(jali_topk_offer_group(g->topk, g->dice, 0, g->arrivals.idle));
    JALI_TRY(jali_topk_finish(g->topk, g->dice, g->winner, &n));
    assert(n == g->x->k);
    for (size_t i = 0; i < n; i++)
        if (g->winner[i].grouped)
            JALI_TRY(draw_idle(g, &chosen[i]));
        else
            chosen[i] = jali_arrivals_number(&g->arrivals, g->winner[i].index);
    return JALI_OK;
}

static jali_status draw_vector(drawing *g, int64_t *value)
{
    const jali_explainer *x = g->x;
    g->standing.predicates = x->predicates;
    JALI_TRY(jali_standing_sort(&g->standing));
    for (size_t i = 0; i < x->k; i++) value[i] = g->winner[i].score;
    for (size_t i = 0; i < x->n_ranks; i++)
        value[x->k + i] = jali_standing_at(&g->standing, x->rank[i]);
    return jali_vector_add(&x->vector, g->dice, value);
}

static jali_status draw_searches(drawing *g, uint64_t *low, uint64_t *high)
{
    const jali_explainer *x = g->x;
    for (size_t i = 0; i < x->k; i++) {
        unsigned down, up;
        int64_t score = g->winner[i].score;
        JALI_TRY(
            jali_search_bound(&x->lower, &g->standing, score, false, g->dice, &low[i], &down));
        JALI_TRY(
            jali_search_bound(&x->upper, &g->standing, score, true, g->dice, &high[i], &up));
        assert(down == x->lower.draws && up == x->upper.draws);
        if (low[i] > high[i]) { /* both wrong or one of them: show what they enclose */
            uint64_t swap = low[i];
            low[i] = high[i];
            high[i] = swap;
        }
    }
    return JALI_OK;
}

/* ---- a run ----------------------------------------------------------------------------------
 */

/* Where the scores come from: rows, or a vector that is held already. */
typedef struct source {
    const jali_study *study;
    const jali_scores *scores;
} source;

static jali_status each(const source *from, drawing *g, jali_arena *arena, jali_err *err)
{
    if (from->study != NULL) return jali_study_each(from->study, take, g, arena, err);
    jali_score_piece all = { .span = from->scores->n,
                             .score = from->scores->score,
                             .n = from->scores->n };
    return take(g, &all);
}

static jali_status agrees(const jali_explainer *x, const source *from, jali_err *err)
{
    uint64_t n, sensitivity, range;
    if (from->study != NULL) {
        n = jali_space_size(from->study->space);
        sensitivity = from->study->influence->sensitivity;
        range = from->study->influence->range;
    } else {
        n = from->scores->n;
        sensitivity = from->scores->sensitivity;
        range = from->scores->range;
    }
    if (n == x->predicates && sensitivity == x->influence.sensitivity &&
        range == x->influence.range)
        return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                     "an explanation was priced for another question");
}

/* What leaves, in the caller's arena. */
typedef struct leaving {
    uint64_t *chosen, *rank, *low, *high;
    int64_t *value; /* k influences, then the scores on ranks */
    jali_explain_noise noise;
} leaving;

static bool copy(const char **to, jali_arena *arena)
{
    if (*to != NULL) *to = jali_arena_text(arena, *to);
    return *to != NULL;
}

static jali_status make_room(const jali_explainer *x, drawing *g, jali_arena *arena,
                             leaving *out, jali_err *err)
{
    size_t d = x->k + x->n_ranks;
    out->chosen = jali_arena_take(arena, x->k, sizeof *out->chosen);
    out->rank = jali_arena_take(arena, x->n_ranks + 1, sizeof *out->rank);
    out->low = jali_arena_take(arena, x->k, sizeof *out->low);
    out->high = jali_arena_take(arena, x->k, sizeof *out->high);
    out->value = jali_arena_take(arena, d, sizeof *out->value);
    g->winner = calloc(x->k, sizeof *g->winner);
    g->taken = calloc(x->k, sizeof *g->taken);
    if (out->chosen == NULL || out->rank == NULL || out->low == NULL || out->high == NULL ||
        out->value == NULL || g->winner == NULL || g->taken == NULL)
        return jali_fail_memory(err);
    for (size_t i = 0; i < x->n_ranks; i++) out->rank[i] = x->rank[i];
    out->noise = x->vector.noise;
    bool gauss = x->law == JALI_LAW_GAUSS;
    if (gauss ? !copy(&out->noise.own2, arena) || !copy(&out->noise.common2, arena)
              : !copy(&out->noise.exact_eps, arena))
        return jali_fail_memory(err);
    return gauss ? jali_topk_new(&g->topk, &x->rate, x->k, err)
                 : jali_topk_new_pure(&g->topk, &x->rate, x->k, err);
}

static jali_status draw_all(drawing *g, const source *from, jali_charge *charge, leaving *out,
                            jali_err *err)
{
    const jali_explainer *x = g->x;
    jali_arena lists = JALI_ARENA_INIT; /* of predicates that match somebody: sealed */
    jali_status status = jali_charge_spend(charge, x->topk_loss, err);
    if (status == JALI_OK) status = each(from, g, &lists, err);
    if (status == JALI_OK) status = finish_topk(g, out->chosen);
    jali_arena_clear(&lists);
    JALI_TRY(status);
    JALI_TRY(jali_charge_spend(charge, x->vector_loss, err));
    JALI_TRY(draw_vector(g, out->value));
    if (x->ranks != JALI_RANKS_SEARCH) return JALI_OK;
    JALI_TRY(jali_charge_spend(charge, x->search_loss, err));
    return draw_searches(g, out->low, out->high);
}

static void drawing_clear(drawing *g)
{
    jali_topk_free(g->topk);
    jali_arrivals_clear(&g->arrivals);
    jali_standing_clear(&g->standing);
    free(g->winner);
    free(g->taken);
}

static jali_status run(const jali_explainer *x, const source *from, jali_charge *charge,
                       jali_dice *dice, jali_arena *arena, jali_explained *out, jali_err *err)
{
    drawing g = { .x = x, .dice = dice };
    leaving it;
    JALI_TRY(agrees(x, from, err));
    jali_status status = make_room(x, &g, arena, &it, err);
    if (status == JALI_OK) status = draw_all(&g, from, charge, &it, err);
    if (status == JALI_E_ENTROPY || status == JALI_E_NOMEM)
        jali_fail(err, status, JALI_FOR_ANALYST,
                  "the explanation could not be drawn; the charge stands");
    drawing_clear(&g);
    JALI_TRY(status);
    bool search = x->ranks == JALI_RANKS_SEARCH;
    *out = (jali_explained){ .predicates = x->predicates,
                             .k = x->k,
                             .chosen = it.chosen,
                             .influence = it.value,
                             .n_ranks = x->n_ranks,
                             .rank = it.rank,
                             .at_rank = it.value + x->k,
                             .low = search ? it.low : NULL,
                             .high = search ? it.high : NULL,
                             .noise = it.noise };
    return JALI_OK;
}

jali_status jali_explain_run(const jali_explainer *x, const jali_study *study,
                             jali_charge *charge, jali_dice *dice, jali_arena *arena,
                             jali_explained *out, jali_err *err)
{
    source from = { .study = study };
    return run(x, &from, charge, dice, arena, out, err);
}

jali_status jali_explain_draw(const jali_explainer *x, const jali_scores *scores,
                              jali_charge *charge, jali_dice *dice, jali_arena *arena,
                              jali_explained *out, jali_err *err)
{
    source from = { .scores = scores };
    return run(x, &from, charge, dice, arena, out, err);
}
