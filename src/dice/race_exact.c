/* dice/race_exact.c — the photo finish: keys as real numbers, with the same uniforms. */
#include "dice/inside.h"
#include "dice/lazy.h"
#include "dice/race.h"

/* Every uniform that a kept runner stands on, with as many bits as it took so far. */
struct photo {
    jali_race *r;
    jali_lazy *own;    /* of kept.at[i], if it is no member of a crowd */
    jali_lazy **crowd; /* of the places of crowd i                     */
    arb_ptr key;
    slong bits;
};

/* A runner and its key, for sorting. */
struct finisher {
    jali_runner who;
    arb_srcptr key;
};

static void develop_clear(struct photo *p)
{
    for (size_t i = 0; p->own != NULL && i < p->r->kept.n; i++) jali_lazy_clear(p->own + i);
    for (size_t c = 0; p->crowd != NULL && c < p->r->n_crowds; c++) {
        for (size_t i = 0; p->crowd[c] != NULL && i < p->r->crowd[c].n; i++)
            jali_lazy_clear(p->crowd[c] + i);
        free(p->crowd[c]);
    }
    free(p->crowd);
    free(p->own);
    if (p->key != NULL) _arb_vec_clear(p->key, (slong)p->r->kept.n);
}

static jali_status develop(struct photo *p, jali_race *r)
{
    *p = (struct photo){ .r = r, .bits = 64 };
    p->own = calloc(r->kept.n + 1, sizeof *p->own);
    p->crowd = calloc(r->n_crowds + 1, sizeof(jali_lazy *));
    if (p->own == NULL || p->crowd == NULL) return JALI_E_NOMEM;
    for (size_t i = 0; i < r->kept.n; i++) jali_lazy_init(p->own + i, r->kept.at[i].word, 64);
    for (size_t c = 0; c < r->n_crowds; c++) {
        p->crowd[c] = calloc(r->crowd[c].n + 1, sizeof **p->crowd);
        if (p->crowd[c] == NULL) return JALI_E_NOMEM;
        for (size_t i = 0; i < r->crowd[c].n; i++)
            jali_lazy_init(p->crowd[c] + i, r->crowd[c].word[i], 64);
    }
    p->key = _arb_vec_init((slong)r->kept.n);
    return JALI_OK;
}

/* 64 bits more for everyone: rare enough to be generous. */
static jali_status sharpen(struct photo *p, jali_dice *d)
{
    for (size_t i = 0; i < p->r->kept.n; i++)
        if (!p->r->kept.at[i].grouped) JALI_TRY(jali_lazy_extend(p->own + i, d));
    for (size_t c = 0; c < p->r->n_crowds; c++)
        for (size_t i = 0; i < p->r->crowd[c].n; i++)
            JALI_TRY(jali_lazy_extend(p->crowd[c] + i, d));
    p->bits += 64;
    return JALI_OK;
}

/* -ln(1 - U) */
static void exponential(arb_t out, const jali_lazy *u, slong prec)
{
    jali_lazy_ball(out, u);
    arb_neg(out, out);
    arb_log1p(out, out, prec);
    arb_neg(out, out);
}

/* The sum whose -ln is the noise of this place in its crowd. */
static void place_in_crowd(arb_t out, const jali_crowd *crowd, const jali_lazy *u,
                           uint64_t place, slong prec)
{
    arb_t x;
    arb_init(x);
    arb_zero(out);
    for (uint64_t i = 0; i <= place; i++) {
        exponential(x, u + i, prec);
        arb_div_ui(x, x, crowd->size - i, prec);
        arb_add(out, out, x, prec);
    }
    arb_clear(x);
}

/* The uniform whose -ln(1 - U) is `out`. */
static void uniform_of(arb_t out, slong prec)
{
    arb_neg(out, out);
    arb_expm1(out, out, prec);
    arb_neg(out, out);
}

static void exact_key(arb_t out, const struct photo *p, size_t i, slong prec)
{
    const jali_runner *one = p->r->kept.at + i;
    if (one->grouped) {
        place_in_crowd(out, p->r->crowd + one->index, p->crowd[one->index], one->word, prec);
        if (p->r->noise == JALI_EXPONENTIAL) uniform_of(out, prec);
    } else if (p->r->noise == JALI_GUMBEL)
        exponential(out, p->own + i, prec);
    else
        jali_lazy_ball(out, p->own + i);
    arb_log(out, out, prec);
    arb_t base;
    mpq_t q;
    arb_init(base);
    mpq_init(q);
    mpz_set_si(mpq_numref(q), one->score);
    mpq_mul(q, q, p->r->rate->exact);
    jali_real_set_q(base, q, prec);
    arb_sub(out, base, out, prec);
    mpq_clear(q);
    arb_clear(base);
}

static int by_falling_key(const void *a, const void *b)
{
    const struct finisher *x = a, *y = b;
    return arf_cmp(arb_midref(y->key), arb_midref(x->key));
}

/* Are the first k certain? Each must beat the next, and the last of them all the rest. */
static bool decided(const struct finisher *f, size_t n, size_t k)
{
    for (size_t i = 0; i + 1 < n; i++) {
        size_t rival = i < k ? i : k - 1;
        if (!arb_gt(f[rival].key, f[i + 1].key)) return false;
    }
    return true;
}

static jali_status order(struct photo *p, jali_dice *d, struct finisher *f)
{
    const jali_race *r = p->r;
    for (;;) {
        /* Bases reach 2^80 and are subtracted: so many bits more than the uniforms. */
        slong prec = p->bits + 192;
        for (size_t i = 0; i < r->kept.n; i++) {
            exact_key(p->key + i, p, i, prec);
            f[i] = (struct finisher){ r->kept.at[i], p->key + i };
        }
        qsort(f, r->kept.n, sizeof *f, by_falling_key);
        if (decided(f, r->kept.n, r->k)) return JALI_OK;
        JALI_TRY(sharpen(p, d));
    }
}

jali_status jali_race_exact(jali_race *r, jali_dice *d)
{
    struct photo p;
    struct finisher *f = calloc(r->kept.n + 1, sizeof *f);
    jali_status status = f == NULL ? JALI_E_NOMEM : JALI_OK;
    if (status != JALI_OK) return status;
    status = develop(&p, r);
    if (status == JALI_OK) status = order(&p, d, f);
    for (size_t i = 0; status == JALI_OK && i < r->kept.n; i++) r->kept.at[i] = f[i].who;
    develop_clear(&p);
    free(f);
    return status;
}
