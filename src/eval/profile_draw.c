/* eval/profile_draw.c — one choice of attributes, by any of the methods that are compared. */
#include "eval/profile_draw.h"
#include "budget/free.h"
#include "dice/laplace.h"
#include "dice/uniform.h"
#include "explain/separate/profile.h"
#include <math.h>

const char *const jali_by_name[JALI_BY_METHODS] = { "all",     "two",     "published",
                                                    "dptabee", "dpnaive", "tabee" };

static void weights_of(const jali_choosing *c, double out[static 3])
{
    double sum = (double)c->weight[0] + c->weight[1] + c->weight[2];
    for (int i = 0; i < 3; i++) out[i] = c->weight[i] / sum;
}

/* ---- the mechanisms of jali -------------------------------------------------------------- */

static jali_apart_spec spec_of(const jali_choosing *c)
{
    const jali_crosstab *t = &c->tables->truth;
    return (jali_apart_spec){ .clusters = t->clusters,
                              .attributes = t->attributes,
                              .each = 1,
                              .block = jali_combine_block(t->clusters, t->attributes, 1),
                              .rows_per_person = 1,
                              .interest = c->weight[0],
                              .sufficiency = c->weight[1],
                              .diversity = c->weight[2],
                              .kappa_num = 1,
                              .kappa_den = 1 };
}

static jali_status combine(const jali_choosing *c, const jali_apart *apart, const mpq_t eps,
                           const jali_shortlist *list, jali_dice *dice, jali_arena *arena,
                           uint32_t *chosen, jali_err *err)
{
    const jali_apart_terms *terms;
    jali_combiner *m;
    jali_charge *charge;
    JALI_TRY(jali_apart_fill(apart, c->tables->counts, arena, &terms, err));
    JALI_TRY(jali_combiner_new(&m, apart, jali_combine_how(&apart->spec), eps, err));
    jali_status status = jali_charge_unpaid(&charge, jali_combiner_loss(m), err);
    if (status == JALI_OK) {
        status = jali_combine(m, terms, list, charge, dice, chosen, err);
        jali_charge_free(charge);
    }
    jali_combiner_free(m);
    return status;
}

static jali_status shortlist(const jali_choosing *c, const jali_apart *apart, const mpq_t eps,
                             jali_dice *dice, jali_arena *arena, jali_shortlist *out,
                             jali_err *err)
{
    const jali_apart_terms *terms;
    jali_lister *m;
    jali_charge *charge;
    JALI_TRY(jali_apart_fill(apart, c->tables->counts, arena, &terms, err));
    JALI_TRY(jali_lister_new(&m, apart, c->k, eps, err));
    jali_status status = jali_charge_unpaid(&charge, jali_lister_loss(m), err);
    if (status == JALI_OK) {
        status = jali_shortlist_draw(m, terms, charge, dice, arena, out, err);
        jali_charge_free(charge);
    }
    jali_lister_free(m);
    return status;
}

static jali_status draw_all(const jali_choosing *c, jali_dice *dice, jali_arena *arena,
                            uint32_t *chosen, jali_err *err)
{
    jali_apart_spec s = spec_of(c);
    jali_apart apart;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_d(eps, c->eps);
    jali_profile_kappa(JALI_PROFILE_ALL, JALI_SUF_AUTO, s.clusters, eps, &s.kappa_num,
                       &s.kappa_den);
    jali_status status = jali_apart_init(&apart, &s, err);
    if (status == JALI_OK) {
        status = combine(c, &apart, eps, NULL, dice, arena, chosen, err);
        jali_apart_clear(&apart);
    }
    mpq_clear(eps);
    return status;
}

/* Half of eps for each stage. The published constants are 2 |C| and 2 where ours are the joint
 * range and the range: the same mechanisms with that much less eps. */
static jali_status draw_two(const jali_choosing *c, bool published, jali_dice *dice,
                            jali_arena *arena, uint32_t *chosen, jali_err *err)
{
    jali_apart_spec s = spec_of(c), one = s;
    jali_apart apart, first;
    jali_shortlist list;
    mpq_t a, b;
    one.diversity = 0;
    if (one.interest + one.sufficiency == 0) one.interest = one.sufficiency = 1;
    JALI_TRY(jali_apart_init(&apart, &s, err));
    jali_status status = jali_apart_init(&first, &one, err);
    if (status == JALI_OK) {
        double gamma = (double)one.interest + one.sufficiency;
        double lambda = (double)s.interest + s.sufficiency + s.diversity;
        double joint = ldexp((double)first.range_sum, -(int)first.grid);
        double range = ldexp((double)apart.range, -(int)apart.grid);
        mpq_inits(a, b, NULL);
        mpq_set_d(a, c->eps / 2 * (published ? joint / (2 * s.clusters * gamma) : 1));
        mpq_set_d(b, c->eps / 2 * (published ? range / (2 * s.clusters * lambda) : 1));
        status = shortlist(c, &first, a, dice, arena, &list, err);
        if (status == JALI_OK) status = combine(c, &apart, b, &list, dice, arena, chosen, err);
        mpq_clears(a, b, NULL);
        jali_apart_clear(&first);
    }
    jali_apart_clear(&apart);
    return status;
}

/* ---- rivals ------------------------------------------------------------------------------ */

/* Uniform on (0, 1); trials need no exact tails. */
static jali_status uniform(jali_dice *dice, double *out)
{
    uint64_t x;
    JALI_TRY(jali_uniform_below(dice, (uint64_t)1 << 53, &x));
    *out = ((double)x + 0.5) * 0x1p-53;
    return JALI_OK;
}

static jali_status tabee(const jali_crosstab *t, const jali_choosing *c, jali_arena *arena,
                         uint32_t *chosen, jali_err *err)
{
    jali_plain_terms terms;
    uint32_t *list;
    double w[3];
    weights_of(c, w);
    JALI_TRY(jali_plain_tabee(t, w, arena, &terms, err));
    JALI_TRY(jali_plain_candidates(&terms, c->k, arena, &list, err));
    return jali_plain_best(&terms, list, c->k, arena, chosen, err);
}

/* Stage 1: Gumbel noise of scale 2 k |C| / eps on scores in [0, 1], whose sensitivity is 1 when
 * a cluster is empty. Stage 2: weights exp(eps Quality / 2), by rejection. */
static jali_status dp_tabee(const jali_choosing *c, jali_dice *dice, jali_arena *arena,
                            uint32_t *chosen, jali_err *err)
{
    const jali_crosstab *t = &c->tables->truth;
    jali_plain_terms terms;
    uint32_t *list;
    double w[3], u, eps = c->eps / 2, scale = 2.0 * c->k * t->clusters / eps;
    weights_of(c, w);
    double gamma = w[0] + w[1] > 0 ? w[0] + w[1] : 1;
    JALI_TRY(jali_plain_tabee(t, w, arena, &terms, err));
    for (size_t i = 0; i < (size_t)t->clusters * t->attributes; i++) {
        JALI_TRY(uniform(dice, &u));
        terms.U[i] = terms.U[i] * t->clusters / gamma - scale * log(-log(u));
    }
    JALI_TRY(jali_plain_candidates(&terms, c->k, arena, &list, err));
    JALI_TRY(jali_plain_tabee(t, w, arena, &terms, err));
    JALI_TRY(jali_plain_best(&terms, list, c->k, arena, chosen, err));
    double top = jali_profile_quality(t, JALI_QUALITY_CODE, w, chosen);
    for (;;) {
        for (uint32_t i = 0; i < t->clusters; i++) {
            uint64_t pick;
            JALI_TRY(jali_uniform_below(dice, c->k, &pick));
            chosen[i] = list[(size_t)i * c->k + pick];
        }
        double q = jali_profile_quality(t, JALI_QUALITY_CODE, w, chosen);
        JALI_TRY(uniform(dice, &u));
        if (u < exp(eps * (q - top) / 2)) return JALI_OK;
    }
}

static jali_status noisy(double *x, size_t n, const jali_laplace *s, jali_dice *dice,
                         jali_arena *arena, jali_err *err)
{
    int64_t *z = jali_arena_take(arena, n, sizeof *z);
    if (z == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_laplace_draw_many(s, dice, z, n));
    for (size_t i = 0; i < n; i++) x[i] = fmax(x[i] + (double)z[i], 0);
    return JALI_OK;
}

static jali_status dp_naive(const jali_choosing *c, jali_dice *dice, jali_arena *arena,
                            uint32_t *chosen, jali_err *err)
{
    jali_crosstab t = c->tables->truth;
    jali_laplace s;
    mpq_t scale;
    mpq_init(scale);
    mpq_set_d(scale, 2 * t.attributes / c->eps);
    jali_status status = jali_laplace_init(&s, scale, err);
    mpq_clear(scale);
    if (status != JALI_OK) return status;
    double **h = jali_arena_take(arena, t.attributes, sizeof(double *));
    double **H = jali_arena_take(arena, t.attributes, sizeof(double *));
    if (h == NULL || H == NULL) status = jali_fail_memory(err);
    for (uint32_t a = 0; status == JALI_OK && a < t.attributes; a++) {
        size_t n = (size_t)t.clusters * t.values[a];
        h[a] = jali_arena_take(arena, n, sizeof(double));
        H[a] = jali_arena_take(arena, t.values[a], sizeof(double));
        if (h[a] == NULL || H[a] == NULL) {
            status = jali_fail_memory(err);
            break;
        }
        memcpy(h[a], t.h[a], n * sizeof(double));
        memcpy(H[a], t.H[a], t.values[a] * sizeof(double));
        status = noisy(h[a], n, &s, dice, arena, err);
        if (status == JALI_OK) status = noisy(H[a], t.values[a], &s, dice, arena, err);
    }
    jali_laplace_clear(&s);
    t.h = h;
    t.H = H;
    return status == JALI_OK ? tabee(&t, c, arena, chosen, err) : status;
}

jali_status jali_choosing_draw(const jali_choosing *c, jali_chosen_by by, jali_dice *dice,
                               uint32_t *chosen, jali_err *err)
{
    jali_arena arena = { 0 };
    jali_status status =
        by == JALI_BY_ALL         ? draw_all(c, dice, &arena, chosen, err)
        : by == JALI_BY_TWO       ? draw_two(c, false, dice, &arena, chosen, err)
        : by == JALI_BY_PUBLISHED ? draw_two(c, true, dice, &arena, chosen, err)
        : by == JALI_BY_DP_TABEE  ? dp_tabee(c, dice, &arena, chosen, err)
        : by == JALI_BY_DP_NAIVE  ? dp_naive(c, dice, &arena, chosen, err)
                                  : tabee(&c->tables->truth, c, &arena, chosen, err);
    jali_arena_clear(&arena);
    return status;
}
