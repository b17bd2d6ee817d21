/* explain/model/portrait.c — a portrait of a model: its plan and its price.
 *
 * Claim    model.price
 *          The loss of a portrait is the sum of the losses of its parts, and at most the
 *          budget: eps (pure laws) or rho (Gauss). With public n (--neighbours replace) every
 *          part runs with half its eps, or a quarter of its rho, so that two steps, one person
 *          out and another in, cost what was asked for; the ledger, which counts one step, is
 *          charged for one.
 * Proof    proofs/model.md#model.price
 * Source   "Tailoring Differential Privacy to Any Explainer", supplement; budget split 8 to 1
 *          between curve and histogram as there. We add a noisy count (add/remove), one ninth.
 * Law      parts in ninths: pdp 7 curve, 1 histogram, 1 count; ale 4 curve, 4 quantiles, 1
 *          histogram (8 and 1 without quantiles); pfi 8 errors, 1 count; plot 8 curve, 1
 *          histogram; rank 9. With public n no count: its ninth goes to the first part. A pure
 *          pdp or plot has the cube's noise in its sums, all else Laplace's (noise.cube).
 * Spends   the parts above, rounded down to the ledger's grain
 * Test     tests/explain/model_test.c
 * Silent   what the model's file says about the rows it was trained on, if it is private by
 *          training: the guarantee is about the rows that are explained.
 */
#include "explain/model/portrait.h"
#include "base/json.h"
#include "base/rat.h"
#include <math.h>

enum { NINTHS = 9 };

typedef struct shares {
    unsigned main, side, count, quantiles;
} shares;

static shares split(const jali_portrait *p)
{
    unsigned count = p->rows == 0;
    switch (p->spec.kind) {
    case JALI_PORTRAIT_PDP:
        if (p->quantiles) return (shares){ 5 - count, 1, count, 3 };
        return (shares){ 8 - count, 1, count, 0 };
    case JALI_PORTRAIT_ALE:
        return p->quantiles ? (shares){ 4, 1, 0, 4 } : (shares){ 8, 1, 0, 0 };
    case JALI_PORTRAIT_PFI:
        return (shares){ 9 - count, 0, count, 0 };
    case JALI_PORTRAIT_PLOT:
        return (shares){ 8, 1, 0, 0 };
    default:
        return (shares){ 9, 0, 0, 0 };
    }
}

/* ---- reading the request ---------------------------------------------------------------- */

static jali_status read_bounds(jali_portrait *p, jali_err *err)
{
    const jali_portrait_spec *s = &p->spec;
    jali_plain *plain = &p->probe.plain;
    if (s->lo == NULL || s->hi == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say between which public bounds the model's output lies: --bounds "
                         "LOW:HIGH (0:1 for a probability)");
    double at[2], way[2];
    JALI_TRY(jali_portrait_bounds(s->lo, s->hi, "--bounds", at, err));
    plain->lo = at[0];
    plain->hi = at[1];
    double far = plain->hi - plain->lo;
    bool level = s->of == JALI_OF_PDP || s->of == JALI_OF_COMMAND;
    p->low = level ? plain->lo : -far;
    p->high = level ? plain->hi : far;
    if (s->low == NULL || s->high == NULL) return JALI_OK;
    JALI_TRY(jali_portrait_bounds(s->low, s->high, "--range", way, err));
    p->low = way[0];
    p->high = way[1];
    return JALI_OK;
}

/* Does it compare with the truth? */
static bool ranks_errors(const jali_portrait_spec *s)
{
    return s->kind == JALI_PORTRAIT_PFI ||
           (s->kind == JALI_PORTRAIT_RANK && s->of == JALI_OF_PFI);
}

static jali_status read_label(jali_portrait *p, jali_arena *arena, jali_err *err)
{
    if (p->spec.label == NULL && ranks_errors(&p->spec))
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "importance compares with the truth: name its column, --label COLUMN or "
            "COLUMN=VALUE");
    p->probe.label_is = -1;
    if (p->spec.label == NULL) return JALI_OK;
    return jali_portrait_label(p->schema, p->spec.label, arena, &p->probe.label,
                               &p->probe.label_is, err);
}

/* Straight lines between 20 points miss more of a model's steps than the noise of 100 points
 * hides, from some thousand rows on (docs/model.md). Local effects are noisier by the interval,
 * and so are blocks: they keep to 20. */
static size_t resolution_of(const jali_portrait *p)
{
    bool whole = p->spec.kind == JALI_PORTRAIT_PDP && !p->spec.quantiles &&
                 p->field->domain - 1 <= JALI_PORTRAIT_WHOLE;
    if (p->spec.resolution > 0) return p->spec.resolution;
    return whole ? JALI_PORTRAIT_WHOLE : JALI_PORTRAIT_RESOLUTION;
}

static jali_status read_feature(jali_portrait *p, jali_arena *arena, jali_err *err)
{
    if (p->spec.feature == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a curve is of one column: --feature COLUMN");
    size_t field;
    JALI_TRY(jali_schema_find(p->schema, p->spec.feature, &field, err));
    if (!jali_model_find(p->model, p->spec.feature, &p->column))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the model is not fed \"%.100s\", so it cannot depend on it",
                         p->spec.feature);
    p->field = &p->schema->fields[field];
    p->spec.resolution = resolution_of(p);
    if (p->spec.resolution < 2 || p->spec.resolution > JALI_PROBE_POINTS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--resolution is 2 to %d points, not %zu", JALI_PROBE_POINTS,
                         p->spec.resolution);
    JALI_TRY(jali_portrait_points(p->field, p->spec.resolution, arena, &p->point, &p->n, err));
    /* Where all values are asked about, there is nothing to choose between. */
    p->quantiles = p->spec.quantiles && p->spec.kind != JALI_PORTRAIT_PLOT &&
                   p->n < p->field->domain - 1 && p->n > 2;
    return JALI_OK;
}

static jali_status read_rows(jali_portrait *p, jali_err *err)
{
    mpq_t q;
    if (p->spec.rows == NULL) return JALI_OK;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, p->spec.rows, "--rows", err);
    bool good = status == JALI_OK && jali_rat_up(&p->rows, q, 0) && p->rows > 0 &&
                p->rows <= UINT32_MAX;
    mpq_clear(q);
    if (status != JALI_OK || good) return status;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--rows %.40s: the public number of rows is 1 to 4294967295",
                     p->spec.rows);
}

static jali_status read_blocks(jali_portrait *p, jali_err *err)
{
    const jali_portrait_spec *s = &p->spec;
    bool curve = s->kind == JALI_PORTRAIT_PLOT;
    if (!curve && s->kind != JALI_PORTRAIT_RANK) return JALI_OK;
    if (s->blocks < 2 || s->blocks > JALI_PROBE_BLOCKS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "--blocks is 2 to %d, not %zu",
                         JALI_PROBE_BLOCKS, s->blocks);
    bool fits =
        s->of == JALI_OF_COMMAND ||
        curve == (s->of == JALI_OF_PDP || s->of == JALI_OF_ALE || s->of == JALI_OF_SHAP);
    if (!fits)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "%s knows %s, not %s",
                         jali_portrait_kind_name(s->kind),
                         curve ? "pdp, ale, shap and commands"
                               : "pfi, interaction and commands",
                         jali_portrait_of_name(s->of));
    if (s->of == JALI_OF_SHAP && !jali_model_contributes(p->model))
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "SHAP values need an XGBoost model; use pdp or ale, or an explainer of "
            "your own");
    return JALI_OK;
}

static jali_status read_columns(jali_portrait *p, jali_err *err)
{
    p->n = jali_model_width(p->model);
    if (p->n >= 2) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a model that is fed one column has nothing to rank");
}

/* ---- the price -------------------------------------------------------------------------- */

/* `ninths` of the budget, halved (quartered in rho) for replaced persons, on the grain. */
static void part_of(mpq_t out, const jali_portrait *p, mpq_srcptr budget, unsigned ninths)
{
    uint64_t pico;
    unsigned long below = p->rows == 0 ? 1 : p->law == JALI_LAW_GAUSS ? 4 : 2;
    mpq_set_ui(out, ninths, NINTHS * below);
    mpq_canonicalize(out);
    mpq_mul(out, out, budget);
    if (!jali_rat_down(&pico, out, JALI_LOSS_DIGITS) || pico == 0) return;
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

static jali_status noiser(jali_portrait *p, jali_noiser **out, jali_law law, mpq_srcptr budget,
                          unsigned ninths, jali_reach reach, jali_err *err)
{
    double scale;
    mpq_t part;
    if (ninths == 0) return JALI_OK;
    mpq_init(part);
    part_of(part, p, budget, ninths);
    jali_status status = jali_noiser_new(out, law, part, err);
    mpq_clear(part);
    if (status == JALI_OK) p->loss = jali_loss_add(p->loss, jali_noiser_loss(*out));
    return status == JALI_OK ? jali_noiser_scale(*out, &reach, &scale, err) : status;
}

static jali_status quantiler(jali_portrait *p, mpq_srcptr budget, unsigned ninths,
                             jali_err *err)
{
    mpq_t part;
    if (ninths == 0) return JALI_OK;
    mpq_init(part);
    part_of(part, p, budget, ninths);
    jali_status status = jali_quantiler_new(&p->quantiler, p->law, part, p->n - 2, err);
    mpq_clear(part);
    if (status == JALI_OK) p->loss = jali_loss_add(p->loss, jali_quantiler_loss(p->quantiler));
    return status;
}

static jali_reach main_reach(const jali_portrait *p)
{
    switch (p->spec.kind) {
    case JALI_PORTRAIT_PDP:
        return jali_probe_reach_pdp(&p->probe, p->n);
    case JALI_PORTRAIT_ALE:
        return jali_probe_reach_ale(&p->probe, p->n - 1);
    case JALI_PORTRAIT_PFI:
        return jali_probe_reach_pfi(&p->probe, p->n, JALI_PORTRAIT_MOST * JALI_PROBE_HALF);
    case JALI_PORTRAIT_PLOT:
        return jali_probe_reach_curve(&p->probe, p->n);
    default:
        return jali_probe_reach_rank(&p->probe, p->n);
    }
}

/* Where one person moves every sum, the cube has a sixth of Laplace's variance; where a person
 * moves few of them (local effects) or by different amounts (importances, ranks), it has more.
 */
static jali_law main_law(const jali_portrait *p)
{
    bool every = p->spec.kind == JALI_PORTRAIT_PDP || p->spec.kind == JALI_PORTRAIT_PLOT;
    return p->law == JALI_LAW_LAPLACE && every ? JALI_LAW_CUBE : p->law;
}

static jali_status price(jali_portrait *p, mpq_srcptr budget, jali_err *err)
{
    shares s = split(p);
    jali_reach rows = jali_probe_reach_rows(&p->probe, 1);
    JALI_TRY(noiser(p, &p->main, main_law(p), budget, s.main, main_reach(p), err));
    JALI_TRY(noiser(p, &p->side, p->law, budget, s.side, rows, err));
    JALI_TRY(noiser(p, &p->count, p->law, budget, s.count, rows, err));
    return quantiler(p, budget, s.quantiles, err);
}

/* ---- the plan --------------------------------------------------------------------------- */

static int set(json_t *plan, const char *key, const char *text)
{
    return text == NULL ? 0 : json_object_set_new(plan, key, json_string(text));
}

static json_t *columns_json(const jali_portrait *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < jali_model_width(p->model); i++)
        json_array_append_new(
            list, json_string(p->schema->fields[jali_model_field(p->model, i)].name));
    return list;
}

static json_t *plan_json(const jali_portrait *p, const char *budget)
{
    const jali_portrait_spec *s = &p->spec;
    bool generic = s->kind == JALI_PORTRAIT_PLOT || s->kind == JALI_PORTRAIT_RANK;
    json_t *plan = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:s,s:b}", "verb", "model", "what",
        jali_portrait_kind_name(s->kind), "model", jali_model_print(p->model), "kind",
        jali_model_kind(p->model), "declared", s->private_model ? "private" : "public",
        "columns", columns_json(p), "lo", s->lo, "hi", s->hi, "law",
        p->law == JALI_LAW_GAUSS ? "gauss" : "laplace", "quantiles", (int)p->quantiles);
    int bad = plan == NULL;
    if (!bad && generic)
        bad |= set(plan, "of", jali_portrait_of_name(s->of)) |
               set(plan, "command", s->command) | set(plan, "low", s->low) |
               set(plan, "high", s->high) |
               json_object_set_new(plan, "blocks", json_integer((json_int_t)s->blocks));
    if (!bad && jali_portrait_is_curve(s->kind))
        bad |= set(plan, "feature", s->feature) |
               json_object_set_new(plan, "points", json_integer((json_int_t)p->n));
    if (!bad)
        bad |= set(plan, "loss", ranks_errors(s) && s->absolute ? "absolute" : NULL) |
               set(plan, "sums", s->kind == JALI_PORTRAIT_PFI ? "rises" : NULL) |
               set(plan, "label", s->label) | set(plan, "rows", s->rows) |
               set(plan, "budget", budget);
    if (!bad && jali_model_output(p->model) > 0)
        bad |= json_object_set_new(plan, "output", json_integer(jali_model_output(p->model)));
    if (!bad && jali_model_ndjson(p->model))
        bad |= json_object_set_new(plan, "ndjson", json_true());
    if (!bad) return plan;
    json_decref(plan);
    return NULL;
}

static jali_status write_plan(jali_portrait *p, mpq_srcptr budget, jali_arena *arena,
                              jali_err *err)
{
    char *text = NULL, number_text[256];
    shares s = split(p);
    if (mpz_sizeinbase(mpq_numref(budget), 10) + mpz_sizeinbase(mpq_denref(budget), 10) + 3 >
        sizeof number_text)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget has too many digits; write a shorter number");
    mpq_get_str(number_text, 10, budget);
    p->exact = jali_arena_format(
        arena, "%s %s in ninths: %u sums, %u histogram, %u count, %u quantiles%s",
        p->law == JALI_LAW_GAUSS ? "rho" : "pure eps", number_text, s.main, s.side, s.count,
        s.quantiles, p->rows == 0 ? "" : "; one of two steps");
    json_t *plan = plan_json(p, number_text);
    if (plan == NULL || p->exact == NULL) {
        json_decref(plan);
        return jali_fail_memory(err);
    }
    jali_status status = jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    p->plan = text;
    return status;
}

jali_status jali_portrait_init(jali_portrait *p, const jali_schema *schema, jali_model *model,
                               const jali_portrait_spec *spec, jali_law law, mpq_srcptr budget,
                               jali_arena *arena, jali_err *err)
{
    *p = (jali_portrait){ .spec = *spec, .schema = schema, .model = model, .law = law };
    p->probe = (jali_probe){ .schema = schema, .plain = { .model = model }, .label_is = -1 };
    p->probe.plain.absolute = spec->absolute;
    if (p->spec.blocks == 0) p->spec.blocks = JALI_PORTRAIT_BLOCKS;
    JALI_TRY(read_rows(p, err));
    JALI_TRY(read_blocks(p, err));
    JALI_TRY(read_bounds(p, err));
    JALI_TRY(read_label(p, arena, err));
    JALI_TRY(jali_portrait_is_curve(spec->kind) ? read_feature(p, arena, err)
                                                : read_columns(p, err));
    JALI_TRY(price(p, budget, err));
    return write_plan(p, budget, arena, err);
}

void jali_portrait_clear(jali_portrait *p)
{
    jali_noiser_free(p->main);
    jali_noiser_free(p->side);
    jali_noiser_free(p->count);
    jali_quantiler_free(p->quantiler);
    jali_plan_free(p->tables);
    p->main = p->side = p->count = NULL;
    p->quantiler = NULL;
    p->tables = NULL;
}
