/* score/apart_fill.c — Int, Suf and diversity of sealed tables, in whole steps of a grid.
 *
 * Claim    score.apart.steps
 *          Each U is below its exact value by less than 3 steps and not above it, each W by
 *          less than 1; no operation overflows and none divides by 0, for any tallies.
 * Proof    proofs/apart.md#score.apart.steps
 * Source   DPClustX, Definitions 4.3 to 4.9; kappa-sufficiency: PRIVACY 3.6. An empty cluster
 *          has U = W = 0; a NULL is a value.
 * Law      none: scores are exact and sealed, nothing is drawn here
 * Test     tests/score/apart_test.c (plain rationals on random tables)
 * Silent   time: a division of 128 bits takes longer for some numbers than for others.
 */
#include "score/open.h"
#include "tally/open.h"

__extension__ typedef unsigned __int128 u128;

enum { SUF_FRACTION = 48 };

/* One attribute: counts label-major, and what all clusters share. */
typedef struct sheet {
    const int64_t *count;
    size_t values;
    const uint64_t *whole; /* H: over all labels             */
    const uint64_t *size;  /* n_c                            */
    uint64_t n;            /* rows of the table              */
} sheet;

static uint64_t cell(const sheet *t, size_t c, size_t v)
{
    return (uint64_t)t->count[c * t->values + v];
}

/* interest 2^grid sum |n h - n_c H| / (2n), rounded down. */
static uint64_t interest(const jali_apart *a, const sheet *t, size_t c)
{
    u128 sum = 0;
    for (size_t v = 0; v < t->values; v++) {
        u128 x = (u128)t->n * cell(t, c, v), y = (u128)t->size[c] * t->whole[v];
        sum += x > y ? x - y : y - x;
    }
    return t->n == 0 ? 0 : (uint64_t)(((sum * a->spec.interest) << a->grid) / (2 * (u128)t->n));
}

/* sufficiency 2^grid sum h^2 / (h + kappa (H - h)), each term and then the whole rounded. */
static uint64_t sufficiency(const jali_apart *a, const sheet *t, size_t c)
{
    uint64_t p = a->spec.kappa_num, q = a->spec.kappa_den;
    u128 sum = 0;
    for (size_t v = 0; v < t->values; v++) {
        u128 h = cell(t, c, v);
        if (h > 0) sum += ((q * h * h) << SUF_FRACTION) / (q * h + p * (t->whole[v] - h));
    }
    /* sum < 2^80, the weight in steps at most 2^27 */
    return (uint64_t)((sum * ((u128)a->spec.sufficiency << a->grid)) >> SUF_FRACTION);
}

/* 2 diversity 2^grid / (b l - 1) * sum min(h n', h' n) / max(n, n'), rounded down. */
static uint64_t likeness(const jali_apart *a, const sheet *t, size_t c, size_t d)
{
    uint64_t nc = t->size[c], nd = t->size[d], most = nc > nd ? nc : nd;
    u128 sum = 0, others = (u128)a->spec.block * a->spec.each - 1;
    for (size_t v = 0; v < t->values; v++) {
        u128 x = (u128)cell(t, c, v) * nd, y = (u128)cell(t, d, v) * nc;
        sum += x < y ? x : y;
    }
    if (most == 0) return 0;
    return (uint64_t)(((sum * 2 * a->spec.diversity) << a->grid) / (most * others));
}

static void fill_pairs(jali_apart_terms *out, const sheet *t, size_t attribute)
{
    const jali_apart_spec *s = &out->apart->spec;
    uint64_t *w = out->W + attribute * s->clusters * s->block;
    for (uint32_t i = 0, first, n; i < jali_apart_blocks(s); i++) {
        jali_apart_block_of(s, i, &first, &n);
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t d = 0; d < c; d++)
                w[(first + c) * s->block + d] = w[(first + d) * s->block + c] =
                    likeness(out->apart, t, first + c, first + d);
    }
}

static void fill_one(jali_apart_terms *out, const sheet *t, size_t attribute)
{
    const jali_apart_spec *s = &out->apart->spec;
    for (size_t c = 0; c < s->clusters; c++)
        out->U[c * s->attributes + attribute] =
            interest(out->apart, t, c) + sufficiency(out->apart, t, c);
    if (s->block > 1) fill_pairs(out, t, attribute);
}

/* The sizes of labels, from any attribute: every row has a value or a NULL. */
static uint64_t sizes(const jali_tally *counts, uint64_t *size)
{
    size_t values = (size_t)counts->extent[1];
    uint64_t n = 0;
    for (size_t c = 0; c < counts->extent[0]; c++) {
        size[c] = 0;
        for (size_t v = 0; v < values; v++) size[c] += (uint64_t)counts->cell[c * values + v];
        n += size[c];
    }
    return n;
}

static void totals(const jali_tally *counts, uint64_t *whole)
{
    size_t values = (size_t)counts->extent[1];
    for (size_t v = 0; v < values; v++) whole[v] = 0;
    for (size_t i = 0; i < counts->n; i++) whole[i % values] += (uint64_t)counts->cell[i];
}

static bool fits(const jali_apart_spec *s, const jali_tally *t, uint64_t labels)
{
    return t->axes == 2 && t->extent[0] == labels && labels >= s->clusters &&
           t->extent[1] >= 1 && t->extent[1] <= JALI_APART_VALUES;
}

jali_status jali_apart_fill(const jali_apart *apart, const jali_tally *const *counts,
                            jali_arena *arena, const jali_apart_terms **out, jali_err *err)
{
    const jali_apart_spec *s = &apart->spec;
    uint64_t labels = counts[0]->extent[0];
    for (size_t i = 0; i < s->attributes; i++)
        if (!fits(s, counts[i], labels))
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                             "a table of clusters has another shape than it was planned with");
    jali_apart_terms *terms = jali_arena_take(arena, 1, sizeof *terms);
    uint64_t *size = jali_arena_take(arena, labels, sizeof *size);
    uint64_t *whole = jali_arena_take(arena, JALI_APART_VALUES, sizeof *whole);
    if (terms == NULL || size == NULL || whole == NULL) return jali_fail_memory(err);
    terms->apart = apart;
    terms->U = jali_arena_take(arena, (size_t)s->clusters * s->attributes, sizeof *terms->U);
    terms->W = jali_arena_take(arena, (size_t)s->clusters * s->attributes * s->block,
                               sizeof *terms->W);
    if (terms->U == NULL || terms->W == NULL) return jali_fail_memory(err);
    memset(terms->W, 0, (size_t)s->clusters * s->attributes * s->block * sizeof *terms->W);
    sheet t = { .size = size, .whole = whole, .n = sizes(counts[0], size) };
    for (size_t i = 0; i < s->attributes; i++) {
        t.count = counts[i]->cell;
        t.values = (size_t)counts[i]->extent[1];
        totals(counts[i], whole);
        fill_one(terms, &t, i);
    }
    *out = terms;
    return JALI_OK;
}
