/* explain/separate/profile.c — what tells clusters apart: planned and priced.
 *
 * Claim    profile.release
 *          The released body is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model
 *          for one person, where eps or rho is the budget of jali_profile_init, and it costs
 *          exactly profile->loss, which is not above the budget. What the labels are a
 *          function of was released before or never saw data.
 * Proof    proofs/profile.md#profile.release
 * Source   DPClustX. ALL leaves stage 1 out and draws from all combinations (research A);
 *          PAPER is Algorithms 1 and 2 with the constants of PRIVACY 3. The smaller range of
 *          the shared sufficiency is taken where the choice has eps <= 0.1.
 * Law      those of mech/shortlist.c, mech/combine.c and mech/pairs.c, one after the other
 * Spends   ALL: 1/3 choice, 2/3 histograms; PAPER: 1/3 candidates, 1/3 choice, 1/3 histograms
 * Test     tests/explain/profile_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/separate/profile.h"
#include "base/json.h"
#include "base/rat.h"

enum { SQRT_DIGITS = 12, KAPPA_EPS_DEN = 10 };

/* ---- parts of a budget ------------------------------------------------------------------ */

/* n/d of the budget, rounded down to the ledger's grain: parts that were rounded up would be
 * dearer than the whole. */
static jali_status part_of(mpq_t out, mpq_srcptr budget, unsigned n, unsigned d, jali_err *err)
{
    uint64_t pico;
    mpq_set_ui(out, n, d);
    mpq_canonicalize(out);
    mpq_mul(out, out, budget);
    if (!jali_rat_down(&pico, out, JALI_LOSS_DIGITS))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "the budget is beyond any cap");
    if (pico == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget is too small to be split; ask with more");
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
    return JALI_OK;
}

/* A rational not above sqrt(x): whole multiples of 1e-12. */
static void sqrt_down(mpq_t out, const mpq_t x)
{
    mpz_t z;
    mpz_init(z);
    mpz_ui_pow_ui(z, 10, 2 * SQRT_DIGITS);
    mpz_mul(z, z, mpq_numref(x));
    mpz_fdiv_q(z, z, mpq_denref(x));
    mpz_sqrt(mpq_numref(out), z);
    mpz_ui_pow_ui(mpq_denref(out), 10, SQRT_DIGITS);
    mpq_canonicalize(out);
    mpz_clear(z);
}

/* The eps of an exponential mechanism that costs `part`: itself, or sqrt(8 rho). */
static void choice_eps(mpq_t out, jali_law law, const mpq_t part)
{
    mpq_t x;
    mpq_init(x);
    mpq_mul_2exp(x, part, 3);
    if (law == JALI_LAW_GAUSS)
        sqrt_down(out, x);
    else
        mpq_set(out, part);
    mpq_clear(x);
}

/* The eps of a shortlist that costs `part`: itself, or sqrt(8 k rho / squares). */
static void list_eps(mpq_t out, jali_law law, const mpq_t part, const jali_apart *apart,
                     uint32_t k)
{
    mpq_t one, cost;
    mpq_inits(one, cost, NULL);
    mpq_set_ui(one, 1, 1);
    jali_lister_rho(cost, apart, k, one);
    mpq_div(cost, part, cost);
    if (law == JALI_LAW_GAUSS)
        sqrt_down(out, cost);
    else
        mpq_set(out, part);
    mpq_clears(one, cost, NULL);
}

/* ---- the plan --------------------------------------------------------------------------- */

void jali_profile_kappa(jali_profile_method method, jali_profile_suf suf, uint32_t clusters,
                        mpq_srcptr eps_choice, uint32_t *num, uint32_t *den)
{
    bool small = mpq_cmp_ui(eps_choice, 1, KAPPA_EPS_DEN) <= 0;
    bool shared =
        suf == JALI_SUF_SHARED || (suf == JALI_SUF_AUTO && method == JALI_PROFILE_ALL && small);
    uint32_t top = method == JALI_PROFILE_ALL ? 2 : 1;
    *num = *den = 1;
    if (!shared || clusters <= top + 1) return;
    *num = top;
    *den = clusters - 1;
}

static jali_status too_wide(const jali_schema *schema, size_t field, jali_err *err)
{
    return jali_fail(
        err, JALI_E_USAGE, JALI_FOR_ANALYST,
        "%.60s has more values than a histogram can show (%d); declare bins for it "
        "in the schema, or name other --columns",
        schema->fields[field].name, JALI_SHOWN_MOST);
}

/* In the order of the schema, each once: equal questions, equal plans. */
static jali_status choose_columns(jali_profile *p, const jali_profile_spec *spec,
                                  jali_arena *arena, jali_err *err)
{
    const jali_schema *schema = spec->schema;
    jali_shown *shown = jali_arena_take(arena, schema->n, sizeof *shown);
    if (shown == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < schema->n; i++) {
        bool wanted = spec->n == 0;
        for (size_t j = 0; j < spec->n; j++) wanted |= spec->field[j] == i;
        if (!wanted || !schema->fields[i].used) continue;
        if (jali_shown_of(schema, i, &shown[p->n]))
            p->n++;
        else if (spec->n > 0)
            return too_wide(schema, i, err);
    }
    p->shown = shown;
    if (p->n == 0 || p->n > JALI_PROFILE_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a profile looks at 1 to %d columns, not %zu; name them by --columns",
                         JALI_PROFILE_COLUMNS, p->n);
    return JALI_OK;
}

static jali_apart_spec apart_of(const jali_profile *p, const jali_profile_spec *spec)
{
    uint32_t n = (uint32_t)p->n;
    return (jali_apart_spec){ .clusters = spec->clusters,
                              .attributes = n,
                              .each = spec->each,
                              .block = jali_combine_block(spec->clusters, n, spec->each),
                              .rows_per_person = spec->schema->rows_per_person,
                              .interest = spec->weight[0],
                              .sufficiency = spec->weight[1],
                              .diversity = spec->weight[2],
                              .kappa_num = 1,
                              .kappa_den = 1 };
}

static jali_status make_lister(jali_profile *p, jali_apart_spec s, const mpq_t part,
                               jali_err *err)
{
    mpq_t eps;
    s.diversity = 0;
    s.each = 1;
    if (s.interest == 0 && s.sufficiency == 0) s.interest = s.sufficiency = 1;
    JALI_TRY(jali_apart_init(&p->first, &s, err));
    p->has_first = true;
    mpq_init(eps);
    list_eps(eps, p->law, part, &p->first, p->candidates);
    p->eps_list = mpq_get_d(eps);
    jali_status status = jali_lister_new(&p->lister, &p->first, p->candidates, eps, err);
    mpq_clear(eps);
    return status;
}

static jali_status make_chooser(jali_profile *p, const jali_profile_spec *spec,
                                const mpq_t part, jali_err *err)
{
    jali_apart_spec s = apart_of(p, spec);
    mpq_t eps;
    mpq_init(eps);
    choice_eps(eps, p->law, part);
    p->eps_choice = mpq_get_d(eps);
    jali_profile_kappa(spec->method, spec->sufficiency, spec->clusters, eps, &s.kappa_num,
                       &s.kappa_den);
    jali_status status = jali_apart_init(&p->apart, &s, err);
    p->has_apart = status == JALI_OK;
    if (status == JALI_OK)
        status = jali_combiner_new(&p->combiner, &p->apart, jali_combine_how(&s), eps, err);
    if (status == JALI_OK && spec->method == JALI_PROFILE_PAPER)
        status = make_lister(p, s, part, err);
    mpq_clear(eps);
    return status;
}

/* The noise if every cluster had attributes of its own: the most that there can be. */
static jali_status make_pairer(jali_profile *p, const jali_profile_spec *spec, const mpq_t part,
                               jali_err *err)
{
    jali_elsewhere how =
        spec->method == JALI_PROFILE_ALL ? JALI_ELSEWHERE_REST : JALI_ELSEWHERE_WHOLE;
    JALI_TRY(jali_pairer_new(&p->pairer, how, p->law, part, err));
    p->part_pairs = mpq_get_d(part);
    uint64_t most = (uint64_t)spec->clusters * spec->each;
    jali_pairing pairing = { .clusters = spec->clusters,
                             .each = spec->each,
                             .attributes = (uint32_t)p->n,
                             .rows_per_person = spec->schema->rows_per_person,
                             .everyone = true };
    return jali_pairer_scales(p->pairer, &pairing,
                              most < p->n ? (uint32_t)most : (uint32_t)p->n, &p->scale_in,
                              &p->scale_beside, err);
}

static jali_status make_parts(jali_profile *p, const jali_profile_spec *spec, jali_err *err)
{
    mpq_t third, rest;
    mpq_inits(third, rest, NULL);
    unsigned thirds = spec->method == JALI_PROFILE_ALL ? 2 : 1;
    jali_status status = part_of(third, spec->budget, 1, 3, err);
    if (status == JALI_OK) status = part_of(rest, spec->budget, thirds, 3, err);
    if (status == JALI_OK) status = make_chooser(p, spec, third, err);
    if (status == JALI_OK) status = make_pairer(p, spec, rest, err);
    mpq_clears(third, rest, NULL);
    if (status != JALI_OK) return status;
    p->loss = jali_loss_add(jali_combiner_loss(p->combiner), jali_pairer_loss(p->pairer));
    if (p->lister != NULL) p->loss = jali_loss_add(p->loss, jali_lister_loss(p->lister));
    return JALI_OK;
}

/* ---- words for the ledger ------------------------------------------------------------------
 */

static json_t *columns_json(const jali_profile *p)
{
    json_t *names = json_array();
    for (size_t i = 0; i < p->n; i++)
        if (json_array_append_new(
                names, json_string(p->schema->fields[p->shown[i].field].name)) != 0) {
            json_decref(names);
            return NULL;
        }
    return names;
}

static json_t *plan_json(const jali_profile *p, const jali_profile_spec *spec,
                         const char *budget)
{
    const jali_apart_spec *s = &p->apart.spec;
    return json_pack("{s:s,s:s,s:s,s:i,s:i,s:[i,i],s:[i,i,i],s:i,s:s,s:s,s:o}", "verb",
                     "profile", "clustering", spec->clustering, "method",
                     spec->method == JALI_PROFILE_ALL ? "all" : "paper", "candidates",
                     (int)p->candidates, "each", (int)s->each, "kappa", (int)s->kappa_num,
                     (int)s->kappa_den, "weights", (int)s->interest, (int)s->sufficiency,
                     (int)s->diversity, "block", (int)s->block, "law",
                     p->law == JALI_LAW_GAUSS ? "gauss" : "laplace", "budget", budget,
                     "columns", columns_json(p));
}

static jali_status write_plan(jali_profile *p, const jali_profile_spec *spec, jali_arena *arena,
                              jali_err *err)
{
    char *text = NULL, number[256];
    if (mpz_sizeinbase(mpq_numref(spec->budget), 10) +
            mpz_sizeinbase(mpq_denref(spec->budget), 10) + 3 >
        sizeof number)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget has too many digits; write a shorter number");
    mpq_get_str(number, 10, spec->budget);
    p->exact = jali_arena_format(
        arena, "%s %s: %s", p->law == JALI_LAW_GAUSS ? "rho" : "pure eps", number,
        spec->method == JALI_PROFILE_ALL ? "1/3 one choice among combinations, 2/3 histograms"
                                         : "thirds: candidates, choice, histograms");
    json_t *plan = plan_json(p, spec, number);
    if (plan == NULL || p->exact == NULL) {
        json_decref(plan);
        return jali_fail_memory(err);
    }
    jali_status status = jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    p->plan = text;
    return status;
}

static jali_status check_counts(const jali_profile *p, const jali_profile_spec *spec,
                                jali_err *err)
{
    if (spec->each == 0 || spec->each > JALI_APART_EACH || spec->each > p->n)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "--per-cluster %u: a cluster is shown by 1 to %d attributes, and there "
            "are %zu",
            spec->each, JALI_APART_EACH, p->n);
    if (spec->method == JALI_PROFILE_PAPER && spec->candidates < spec->each)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--candidates %u is fewer than the %u attributes that each cluster is "
                         "to get",
                         spec->candidates, spec->each);
    return JALI_OK;
}

jali_status jali_profile_init(jali_profile *out, const jali_profile_spec *spec,
                              jali_arena *arena, jali_err *err)
{
    *out = (jali_profile){ .schema = spec->schema, .method = spec->method, .law = spec->law };
    jali_status status = choose_columns(out, spec, arena, err);
    if (status == JALI_OK) status = check_counts(out, spec, err);
    if (status == JALI_OK) {
        /* More candidates than attributes are all attributes. */
        bool paper = spec->method == JALI_PROFILE_PAPER;
        uint32_t n = (uint32_t)out->n;
        out->candidates = !paper ? 0 : spec->candidates < n ? spec->candidates : n;
        status = make_parts(out, spec, err);
    }
    if (status == JALI_OK) status = write_plan(out, spec, arena, err);
    if (status != JALI_OK) jali_profile_clear(out);
    return status;
}

void jali_profile_clear(jali_profile *p)
{
    jali_lister_free(p->lister);
    jali_combiner_free(p->combiner);
    jali_pairer_free(p->pairer);
    jali_plan_free(p->tables);
    if (p->has_apart) jali_apart_clear(&p->apart);
    if (p->has_first) jali_apart_clear(&p->first);
    *p = (jali_profile){ 0 };
}
