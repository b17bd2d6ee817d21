/* explain/query/linear.c — is it a weighted sum, and with which whole weights?
 *
 * No claim: arithmetic on the question alone, exact.
 */
#include "base/rat.h"
#include "base/text.h"
#include "explain/query/compare.h"
#include <stdlib.h>

/* w[0] G0 + w[1] G1 + ... + w[GROUPS]. */
struct form {
    mpq_t w[JALI_COMPARE_GROUPS + 1];
};

static void form_init(struct form *f)
{
    for (size_t i = 0; i <= JALI_COMPARE_GROUPS; i++) mpq_init(f->w[i]);
}

static void form_clear(struct form *f)
{
    for (size_t i = 0; i <= JALI_COMPARE_GROUPS; i++) mpq_clear(f->w[i]);
}

static bool is_constant(const struct form *f)
{
    for (size_t i = 0; i < JALI_COMPARE_GROUPS; i++)
        if (mpq_sgn(f->w[i]) != 0) return false;
    return true;
}

static bool combine(struct form *a, const struct form *b, jali_node_kind kind)
{
    if (kind == JALI_NODE_ADD || kind == JALI_NODE_SUBTRACT) {
        for (size_t i = 0; i <= JALI_COMPARE_GROUPS; i++)
            (kind == JALI_NODE_ADD ? mpq_add : mpq_sub)(a->w[i], a->w[i], b->w[i]);
        return true;
    }
    bool by_right = is_constant(b), by_left = is_constant(a);
    if (kind == JALI_NODE_OVER) {
        if (!by_right || mpq_sgn(b->w[JALI_COMPARE_GROUPS]) == 0) return false;
        for (size_t i = 0; i <= JALI_COMPARE_GROUPS; i++)
            mpq_div(a->w[i], a->w[i], b->w[JALI_COMPARE_GROUPS]);
        return true;
    }
    if (!by_right && !by_left) return false;
    mpq_t c;
    mpq_init(c);
    mpq_set(c, (by_right ? b : a)->w[JALI_COMPARE_GROUPS]);
    const struct form *from = by_right ? a : b;
    for (size_t i = 0; i <= JALI_COMPARE_GROUPS; i++) mpq_mul(a->w[i], from->w[i], c);
    mpq_clear(c);
    return true;
}

/* Left-deep chains are as deep as the text is long, which is limited. */
static bool evaluate(const jali_node *node, struct form *out)
{
    if (node->kind == JALI_NODE_NUMBER)
        return jali_rat_parse(out->w[JALI_COMPARE_GROUPS], node->number, "a number", NULL) ==
               JALI_OK;
    if (node->kind == JALI_NODE_GROUP) {
        mpq_set_ui(out->w[node->group], 1, 1);
        return true;
    }
    if (node->kind == JALI_NODE_EXP || node->kind == JALI_NODE_LOG) return false;
    struct form right;
    form_init(&right);
    bool is = evaluate(node->left, out) && evaluate(node->right, &right) &&
              combine(out, &right, node->kind);
    form_clear(&right);
    return is;
}

/* ---- whole weights ------------------------------------------------------------------- */

/* Sets weight and unit: w = unit * weight, without a common factor. */
static bool make_whole(const struct form *f, jali_comparison *c)
{
    mpz_t lcm, gcd, x;
    mpq_t unit;
    bool fits = true;
    mpz_inits(lcm, gcd, x, NULL);
    mpq_init(unit);
    mpz_set_ui(lcm, 1);
    for (size_t i = 0; i < c->n; i++) mpz_lcm(lcm, lcm, mpq_denref(f->w[i]));
    for (size_t i = 0; i < c->n; i++) {
        mpz_divexact(x, lcm, mpq_denref(f->w[i]));
        mpz_mul(x, x, mpq_numref(f->w[i]));
        mpz_gcd(gcd, gcd, x);
    }
    for (size_t i = 0; i < c->n && mpz_sgn(gcd) != 0; i++) {
        mpz_divexact(x, lcm, mpq_denref(f->w[i]));
        mpz_mul(x, x, mpq_numref(f->w[i]));
        mpz_divexact(x, x, gcd);
        fits = fits && mpz_cmpabs_ui(x, JALI_COMPARE_WEIGHT) <= 0;
        c->weight[i] = fits ? (int32_t)mpz_get_si(x) : 0;
    }
    mpq_set_num(unit, gcd);
    mpq_set_den(unit, lcm);
    mpq_canonicalize(unit);
    c->unit = mpq_get_d(unit);
    c->constant = -mpq_get_d(f->w[JALI_COMPARE_GROUPS]);
    mpz_clears(lcm, gcd, x, NULL);
    mpq_clear(unit);
    return fits;
}

/* Before, in the order of the cells of an answer: axes as in the schema. */
static int order(const jali_query *query, const uint64_t *a, const uint64_t *b)
{
    size_t done = 0;
    for (size_t round = 0; round < query->n_groups; round++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < query->n_groups; i++)
            if (query->group[i] >= done &&
                (best == SIZE_MAX || query->group[i] < query->group[best]))
                best = i;
        if (a[best] != b[best]) return a[best] < b[best] ? -1 : 1;
        done = query->group[best] + 1;
    }
    return 0;
}

static void drop_and_sort(jali_comparison *c, const jali_query *query)
{
    jali_comparison old = *c;
    c->n = 0;
    for (size_t i = 0; i < old.n; i++) {
        if (old.weight[i] == 0) continue;
        size_t at = c->n++;
        for (; at > 0 && order(query, old.part[i], c->part[at - 1]) < 0; at--) {
            memcpy(c->part[at], c->part[at - 1], sizeof c->part[at]);
            c->name[at] = c->name[at - 1];
            c->weight[at] = c->weight[at - 1];
        }
        memcpy(c->part[at], old.part[i], sizeof c->part[at]);
        c->name[at] = old.name[i];
        c->weight[at] = old.weight[i];
    }
}

/* ---- in words ------------------------------------------------------------------------- */

static void add_side(const jali_comparison *c, int sign, jali_text *to)
{
    double constant = -sign * c->constant / c->unit;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if ((c->weight[i] > 0) != (sign > 0)) continue;
        if (n++ > 0) jali_text_add(to, " + ");
        if (abs(c->weight[i]) != 1) jali_text_format(to, "%d * ", abs(c->weight[i]));
        jali_text_add(to, c->name[i]);
    }
    if (constant > 0) jali_text_format(to, "%s%.10g", n++ > 0 ? " + " : "", constant);
    if (n == 0) jali_text_add(to, "0");
}

static const char *say(const jali_comparison *c, jali_arena *arena)
{
    jali_text t = { 0 };
    add_side(c, 1, &t);
    jali_text_add(&t, c->or_equal ? " >= " : " > ");
    add_side(c, -1, &t);
    const char *words = t.failed ? NULL : jali_arena_text(arena, t.at);
    jali_text_clear(&t);
    return words;
}

jali_status jali_compare_linear(jali_comparison *c, const jali_schema *schema,
                                const jali_query *query, jali_arena *arena, jali_err *err)
{
    struct form f;
    (void)schema;
    if (c->n == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the question names no group; write it like \"a > b\"");
    form_init(&f);
    c->linear = evaluate(c->tree, &f);
    bool fits = !c->linear || make_whole(&f, c);
    form_clear(&f);
    if (!fits)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the weights of the question are not whole multiples of each other up "
                         "to %d; round them",
                         JALI_COMPARE_WEIGHT);
    if (!c->linear) return JALI_OK;
    drop_and_sort(c, query);
    if (c->n == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the groups of the question cancel out: a group is not larger than "
                         "itself");
    c->tree = NULL;
    c->words = say(c, arena);
    return c->words == NULL ? jali_fail_memory(err) : JALI_OK;
}
