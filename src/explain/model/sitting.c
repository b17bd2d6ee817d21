/* explain/model/sitting.c — a portrait is drawn: the rows are asked about, then noise.
 *
 * Claim    model.release
 *          The released body of a portrait is eps-DP (Laplace, cube) or rho-zCDP (Gauss) in the
 *          add/remove model for one person, where eps or rho is what the ledger was charged;
 *          with public n it is so with the asked-for budget when one person is replaced.
 * Proof    proofs/model.md#model.release
 * Source   "Tailoring Differential Privacy to Any Explainer": Algorithms 3, 4 and 8, DP ALE and
 *          DP PFI, corrected by PRIVACY 5. Quantiles and histogram are released once: the
 *          intervals of ALE are its histogram (the published code draws it twice).
 * Law      the sums of tally/probe.h and the counts of tally/plan.h plus noise of mech/noise.c;
 *          points by mech/quantiles.c where a grid of quantiles is paid for; what a row may add
 *          to importances is chosen by the released count
 * Spends   one part each: sums, histogram, count, quantiles
 * Test     tests/explain/model_test.c
 * Silent   time; that the model fails, and how; a model that is not a function of one record.
 */
#include "base/json.h"
#include "explain/model/portrait.h"

/* ---- binding: the tables beside the model's sums ---------------------------------------- */

static jali_status histogram(jali_portrait *p, uint32_t most, uint32_t *step, uint32_t *bins,
                             size_t *table, jali_err *err)
{
    const uint32_t from = 0;
    uint64_t values = p->field->domain - 1;
    if (p->field->kind == JALI_CATEGORY && values > most) most = (uint32_t)values;
    *step = (uint32_t)((values + most - 1) / most);
    *bins = (uint32_t)((values + *step - 1) / *step);
    return jali_plan_histogram(p->tables, 0, p->field->name, *bins, &from, step, table, err);
}

jali_status jali_portrait_bind(jali_portrait *p, jali_columns *columns,
                               const unsigned char *key, jali_pool *pool,
                               const jali_progress *progress, jali_err *err)
{
    p->probe.columns = columns;
    p->probe.key = key;
    p->probe.pool = pool;
    p->probe.progress = progress;
    JALI_TRY(jali_plan_new(&p->tables, columns, p->schema->rows_per_person, err));
    if (p->side != NULL && p->spec.kind != JALI_PORTRAIT_ALE)
        JALI_TRY(histogram(p, JALI_PORTRAIT_BINS, &p->side_step, &p->side_bins, &p->side_table,
                           err));
    if (p->count != NULL)
        JALI_TRY(jali_plan_counts(p->tables, 0, NULL, 0, &p->count_table, err));
    if (p->quantiler != NULL)
        JALI_TRY(
            histogram(p, JALI_PORTRAIT_CUTS, &p->cut_step, &p->cut_bins, &p->cut_table, err));
    return jali_probe_check(&p->probe, err);
}

/* A command that explains is tried on public rows while nothing is paid; later its failures
 * are silent. */
jali_status jali_portrait_try(const jali_portrait *p, jali_err *err)
{
    if (p->spec.of != JALI_OF_COMMAND) return JALI_OK;
    return jali_plain_try(&p->probe.plain, p->spec.command, p->spec.timeout_s,
                          p->spec.kind == JALI_PORTRAIT_PLOT ? p->column : SIZE_MAX, err);
}

/* ---- the explainers of a block ---------------------------------------------------------- */

static jali_status block_curve(void *self, const jali_frame *rows, double *out, jali_err *err)
{
    const jali_portrait *p = self;
    const jali_plain *plain = &p->probe.plain;
    switch (p->spec.of) {
    case JALI_OF_PDP:
        return jali_plain_pdp(plain, rows, p->column, p->point, p->n, out, err);
    case JALI_OF_ALE:
        return jali_plain_ale(plain, rows, p->column, p->point, p->n, out, err);
    case JALI_OF_SHAP:
        return jali_plain_shap(plain, rows, p->column, p->point, p->n, out, err);
    default:
        return jali_plain_points(plain, p->spec.command, p->spec.timeout_s, rows, p->column,
                                 p->point, p->n, out, err);
    }
}

static jali_status block_rank(void *self, const jali_frame *rows, double *out, jali_err *err)
{
    const jali_portrait *p = self;
    const jali_plain *plain = &p->probe.plain;
    if (p->spec.of == JALI_OF_INTERACTION)
        return jali_plain_interaction(plain, rows, JALI_PORTRAIT_PAIRED_ROWS, out, err);
    jali_label_of label = { p->probe.label, jali_model_width(p->model), p->probe.label_is };
    if (p->spec.of == JALI_OF_COMMAND)
        return jali_plain_ranking(plain, p->spec.command, p->spec.timeout_s, rows, out, err);
    jali_arena arena = JALI_ARENA_INIT;
    double *error = jali_arena_take(&arena, p->n + 1, sizeof *error);
    jali_status status =
        error == NULL ? jali_fail_memory(err) : jali_plain_pfi(plain, rows, &label, error, err);
    for (size_t k = 0; status == JALI_OK && k < p->n; k++) out[k] = error[k];
    jali_arena_clear(&arena);
    return status;
}

/* ---- the pass --------------------------------------------------------------------------- */

typedef struct sealed {
    const jali_tally *sums, *side, *count;
} sealed;

/* Sums that were kept are those of this portrait, unless its rows are cut otherwise now. */
static bool still_good(const jali_portrait *p)
{
    if (p->kept == NULL || p->spec.kind != JALI_PORTRAIT_PFI) return p->kept != NULL;
    return jali_tally_reach(p->kept).l1 == jali_probe_reach_pfi(&p->probe, p->n, p->most).l1;
}

static jali_status ask_model(jali_portrait *p, jali_arena *arena, sealed *s, jali_err *err)
{
    if (still_good(p)) {
        s->sums = p->kept;
        return JALI_OK;
    }
    jali_blocks blocks = { p->spec.blocks, p->n, block_curve, p };
    switch (p->spec.kind) {
    case JALI_PORTRAIT_PDP:
        return jali_probe_pdp(&p->probe, p->column, p->point, p->n, arena, &s->sums, err);
    case JALI_PORTRAIT_ALE:
        return jali_probe_ale(&p->probe, p->column, p->point, p->n, arena, &s->sums, &s->side,
                              err);
    case JALI_PORTRAIT_PFI:
        return jali_probe_pfi(&p->probe, p->most, arena, &s->sums, err);
    case JALI_PORTRAIT_PLOT:
        return jali_probe_curve(&p->probe, &blocks, p->low, p->high, arena, &s->sums, err);
    default:
        blocks.explain = block_rank;
        return jali_probe_rank(&p->probe, &blocks, arena, &s->sums, err);
    }
}

/* The ends of the domain, and between them the cuts, each once and in order: post-processing
 * of what the quantiler released. */
static void use_cuts(jali_portrait *p, const size_t *cut)
{
    uint32_t top = (uint32_t)(p->field->domain - 2);
    size_t n = 1, cuts = p->n - 2;
    p->point[0] = 0;
    for (size_t i = 0; i < cuts; i++) {
        uint64_t code = (uint64_t)cut[i] * p->cut_step + (p->cut_step - 1);
        if (code > p->point[n - 1] && code < top) p->point[n++] = (uint32_t)code;
    }
    p->point[n++] = top;
    p->n = n;
}

static jali_status choose_points(jali_portrait *p, const jali_tallies *tallies,
                                 jali_charge *charge, jali_dice *dice, jali_arena *arena,
                                 jali_err *err)
{
    if (p->quantiler == NULL) return JALI_OK;
    size_t *cut = jali_arena_take(arena, p->n, sizeof *cut);
    if (cut == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_quantiles_release(p->quantiler, jali_tallies_counts(tallies, p->cut_table),
                                    p->cut_bins, charge, dice, cut, err));
    use_cuts(p, cut);
    return JALI_OK;
}

/* ---- the body --------------------------------------------------------------------------- */

static json_t *noisy_json(const jali_noisy *noisy)
{
    json_t *cells = json_array();
    char scale[32];
    int bad = 0;
    snprintf(scale, sizeof scale, "%.17g", noisy->scale);
    for (size_t i = 0; i < noisy->n; i++)
        bad |= json_array_append_new(cells, json_integer(noisy->cell[i]));
    if (!bad)
        return json_pack("{s:s*,s:s,s:o}", "law", noisy->law == JALI_LAW_CUBE ? "cube" : NULL,
                         "scale", scale, "cells", cells);
    json_decref(cells);
    return NULL;
}

static jali_status release(json_t *body, const char *key, const jali_noiser *noiser,
                           const jali_tally *tally, jali_charge *charge, jali_dice *dice,
                           jali_arena *arena, jali_err *err)
{
    jali_noisy noisy;
    if (noiser == NULL) return JALI_OK;
    JALI_TRY(jali_noise_release(noiser, tally, charge, dice, arena, &noisy, err));
    return json_object_set_new(body, key, noisy_json(&noisy)) == 0 ? JALI_OK
                                                                   : jali_fail_memory(err);
}

static int set(json_t *body, const char *key, const char *text)
{
    return text == NULL ? 0 : json_object_set_new(body, key, json_string(text));
}

static json_t *points_json(const jali_portrait *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n; i++)
        json_array_append_new(list, json_integer((json_int_t)p->point[i]));
    return list;
}

static json_t *columns_json(const jali_portrait *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < jali_model_width(p->model); i++)
        json_array_append_new(
            list, json_string(p->schema->fields[jali_model_field(p->model, i)].name));
    return list;
}

static json_t *body_json(const jali_portrait *p)
{
    const jali_portrait_spec *s = &p->spec;
    char low[32], high[32];
    snprintf(low, sizeof low, "%.17g", p->low);
    snprintf(high, sizeof high, "%.17g", p->high);
    json_t *body = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:s,s:s,s:I,s:I,s:b}", "kind", "model", "what",
        jali_portrait_kind_name(s->kind), "law", p->law == JALI_LAW_GAUSS ? "gauss" : "laplace",
        "model_kind", jali_model_kind(p->model), "model_print", jali_model_print(p->model),
        "columns", columns_json(p), "lo", s->lo, "hi", s->hi, "low", low, "high", high, "rows",
        (json_int_t)p->rows, "blocks", (json_int_t)s->blocks, "private_model",
        (int)s->private_model);
    int bad = body == NULL;
    if (!bad && (s->kind == JALI_PORTRAIT_PLOT || s->kind == JALI_PORTRAIT_RANK))
        bad |= set(body, "of", jali_portrait_of_name(s->of));
    if (!bad && jali_portrait_is_curve(s->kind))
        bad |= set(body, "feature", s->feature) |
               json_object_set_new(body, "points", points_json(p)) |
               json_object_set_new(body, "step", json_integer(p->side_step)) |
               json_object_set_new(body, "quantiles", json_boolean(p->quantiler != NULL));
    if (!bad)
        bad |=
            set(body, "label", s->label) | set(body, "loss", s->absolute ? "absolute" : NULL);
    if (!bad) return body;
    json_decref(body);
    return NULL;
}

/* Few rows at a small price: shorten the long ones, and rank the columns in spite of the noise.
 * Many: leave them, and the importances as they are. From released or public numbers: how many
 * rows, and the noise if a row may add the whole of the largest error. */
static jali_status choose_most(jali_portrait *p, json_t *body, jali_err *err)
{
    const json_t *counts = json_object_get(json_object_get(body, "count"), "cells");
    double rows =
        p->rows > 0 ? (double)p->rows : (double)json_integer_value(json_array_get(counts, 0));
    const uint64_t whole = 2 * JALI_PROBE_HALF;
    jali_reach reach = { 1, 3 * whole, 3 * whole, 3 * whole };
    double scale;
    reach.l1 = reach.l2 = reach.linf *= p->schema->rows_per_person;
    JALI_TRY(jali_noiser_scale(p->main, &reach, &scale, err));
    double worth = rows * (double)(3 * whole) / scale;
    unsigned halves = worth < 1e4 ? 1 : worth < 1e5 ? 2 : JALI_PORTRAIT_MOST;
    p->most = halves * JALI_PROBE_HALF;
    return json_object_set_new(body, "most", json_integer(halves)) == 0 ? JALI_OK
                                                                        : jali_fail_memory(err);
}

static jali_status draw_all(jali_portrait *p, sealed *s, jali_charge *charge, jali_dice *dice,
                            jali_arena *arena, json_t *body, jali_err *err)
{
    const bool count_first = p->spec.kind == JALI_PORTRAIT_PFI;
    if (count_first) {
        JALI_TRY(release(body, "count", p->count, s->count, charge, dice, arena, err));
        JALI_TRY(choose_most(p, body, err));
    }
    JALI_TRY(ask_model(p, p->keep == NULL ? arena : p->keep, s, err));
    if (p->keep != NULL) p->kept = s->sums;
    JALI_TRY(release(body, "sums", p->main, s->sums, charge, dice, arena, err));
    JALI_TRY(release(body, "histogram", p->side, s->side, charge, dice, arena, err));
    return count_first ? JALI_OK
                       : release(body, "count", p->count, s->count, charge, dice, arena, err);
}

jali_status jali_portrait_run(jali_portrait *p, jali_pool *pool, jali_charge *charge,
                              jali_dice *dice, jali_arena *arena, char **body, jali_err *err)
{
    const jali_tallies *tallies;
    sealed s = { 0 };
    JALI_TRY(jali_plan_run(p->tables, pool, arena, &tallies, err));
    JALI_TRY(choose_points(p, tallies, charge, dice, arena, err));
    if (p->side != NULL && p->spec.kind != JALI_PORTRAIT_ALE)
        s.side = jali_tallies_counts(tallies, p->side_table);
    if (p->count != NULL) s.count = jali_tallies_counts(tallies, p->count_table);
    json_t *json = body_json(p);
    jali_status status =
        json == NULL ? jali_fail_memory(err) : draw_all(p, &s, charge, dice, arena, json, err);
    if (status == JALI_OK) status = jali_json_canonical(json, arena, body, err);
    json_decref(json);
    return status;
}
