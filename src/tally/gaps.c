/* tally/gaps.c — how many gaps between neighbouring values are wide, pooled over columns.
 *
 * Claim    gaps.reach
 *          A row changes the number of gaps of one column that are wider than z by -1, 0 or
 *          1, for every z >= 0. So m rows move each cell by at most m times the columns.
 * Proof    proofs/gaps.md#gaps.reach
 * Source   PRIVACY 4.4: DPM's Lemma 1 is wrong for two columns or more; counting the wide
 *          gaps of all columns is right, and half as sensitive as counting the narrow ones.
 * Law      none: sealed, nothing is drawn here
 * Test     tests/tally/gaps_test.c
 * Silent   Time depends on the number of rows.
 *
 * Equal values have a gap of 0, which is never wide: a bitmap of the values that occur holds
 * all that is needed, and nothing is sorted. Very fine columns are seen in 2^26 steps.
 */
#include "tally/gaps.h"
#include "engine/columns.h"
#include "tally/open.h"
#include "tally/order_pass.h"
#include "tally/pass.h"

enum { BITS = 26, SHORT = 4096, MOST_WIDTHS = 64 };

typedef struct looking {
    const jali_ground *ground;
    const size_t *column; /* of the vault */
    const double *width;
    size_t n;
    int64_t *wide; /* per column: n */
    const jali_crew *crew;
    bool failed;
    jali_status status; /* of a crew, which looks at one column after the other */
    jali_err err;
} looking;

#define MARK(type)                                                                             \
    for (size_t i = 0; i < c->rows; i++) {                                                     \
        uint64_t code = ((const type *)c->codes)[i], at = code >> shift;                       \
        bitmap[at / 64] |= (uint64_t)(code != null) << at % 64;                                \
    }

static void mark_values(const jali_column *c, unsigned shift, uint64_t *bitmap)
{
    uint64_t null = c->domain - 1;
    if (c->width == 1) {
        MARK(uint8_t)
    } else if (c->width == 2) {
        MARK(uint16_t)
    } else if (c->width == 4) {
        MARK(uint32_t)
    } else {
        MARK(uint64_t)
    }
}

/* ---- narrow limits: all words alike -------------------------------------------------------
 */

/* A value that has none of the next L after it begins a gap wider than L, or is the last. So
 * one more shift of the bitmap for every L counts all such gaps, without looking at a value. */
enum { NEAR = JALI_GAPS_NEAR, TOGETHER = 8 };

void jali_gaps_alone_plain(const uint64_t *bitmap, size_t words, unsigned most, int64_t *alone)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t own = bitmap[w], at = own, next = bitmap[w + 1], behind = 0;
        alone[0] += __builtin_popcountll(own);
        for (unsigned l = 1; l <= most; l++) {
            at = at >> 1 | next << 63;
            next >>= 1;
            behind |= at;
            alone[l] += __builtin_popcountll(own & ~behind);
        }
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Eight words at a time, rounded up: zeros follow. */
__attribute__((target("avx512f,avx512vpopcntdq"))) static void
alone_avx512(const uint64_t *bitmap, size_t words, unsigned most, int64_t *alone)
{
    __m512i seen[NEAR];
    for (unsigned l = 0; l < NEAR; l++) seen[l] = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w += TOGETHER) {
        __m512i own = _mm512_loadu_si512(bitmap + w), at = own;
        __m512i next = _mm512_loadu_si512(bitmap + w + 1), behind = _mm512_setzero_si512();
        seen[0] = _mm512_add_epi64(seen[0], _mm512_popcnt_epi64(own));
        for (unsigned l = 1; l <= most; l++) {
            at = _mm512_or_si512(_mm512_srli_epi64(at, 1), _mm512_slli_epi64(next, 63));
            next = _mm512_srli_epi64(next, 1);
            behind = _mm512_or_si512(behind, at);
            __m512i left = _mm512_andnot_si512(behind, own);
            seen[l] = _mm512_add_epi64(seen[l], _mm512_popcnt_epi64(left));
        }
    }
    for (unsigned l = 0; l <= most; l++) alone[l] = _mm512_reduce_add_epi64(seen[l]);
}

jali_gaps_alone *jali_gaps_alone_avx512(void)
{
    return __builtin_cpu_supports("avx512vpopcntdq") ? alone_avx512 : NULL;
}
#else
jali_gaps_alone *jali_gaps_alone_avx512(void)
{
    return NULL;
}
#endif

static void count_near(const uint64_t *bitmap, size_t words, const uint64_t *limit, size_t n,
                       int64_t *wide)
{
    int64_t alone[NEAR] = { 0 };
    jali_gaps_alone *count = jali_gaps_alone_avx512();
    (count != NULL ? count : jali_gaps_alone_plain)(bitmap, words, (unsigned)limit[n - 1],
                                                    alone);
    for (size_t i = 0; i < n; i++) wide[i] += alone[limit[i]] - (alone[0] > 0);
}

/* ---- wide limits: value by value ----------------------------------------------------------
 */

/* How many of the limits, which ascend, a gap exceeds. */
static size_t exceeds(const uint64_t *limit, size_t n, uint64_t gap)
{
    size_t i = 0;
    while (i < n && gap > limit[i]) i++;
    return i;
}

/* One walk over the values that occur. Most gaps are short: those are looked up. */
static void count_gaps(const uint64_t *bitmap, size_t words, const uint64_t *limit, size_t n,
                       int64_t *wide)
{
    uint8_t known[SHORT];
    int64_t seen[MOST_WIDTHS + 1] = { 0 };
    uint64_t before = UINT64_MAX;
    for (size_t g = 0; g < SHORT; g++) known[g] = (uint8_t)exceeds(limit, n, g);
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = bitmap[w]; bits != 0; bits &= bits - 1) {
            uint64_t at = w * 64 + (unsigned)__builtin_ctzll(bits), gap = at - before;
            if (before != UINT64_MAX) seen[gap < SHORT ? known[gap] : exceeds(limit, n, gap)]++;
            before = at;
        }
    for (size_t i = 0; i < n; i++) /* a gap that exceeds k limits is wider than the first k */
        for (size_t k = i + 1; k <= n; k++) wide[i] += seen[k];
}

static void count_wide(const uint64_t *bitmap, size_t words, const uint64_t *limit, size_t n,
                       int64_t *wide)
{
    if (n > 0 && limit[n - 1] < NEAR)
        count_near(bitmap, words, limit, n, wide);
    else
        count_gaps(bitmap, words, limit, n, wide);
}

/* The values that occur anywhere. Rank 0 alone counts the gaps between them. */
static bool see(looking *l, bool ready, const jali_column *c, unsigned shift, uint64_t *bitmap,
                size_t words)
{
    if (!ready) __atomic_store_n(&l->failed, true, __ATOMIC_RELAXED);
    if (l->crew != NULL) {
        jali_status mine = ready ? JALI_OK : jali_fail_memory(&l->err);
        l->status = jali_crew_agree(l->crew, mine, &l->err);
        if (l->status != JALI_OK) return false;
    }
    if (!ready) return false;
    mark_values(c, shift, bitmap);
    if (l->crew != NULL && !l->crew->either(l->crew->self, bitmap, words))
        l->status = jali_crew_lost(&l->err);
    return l->status == JALI_OK;
}

static void look(void *self, unsigned worker, size_t i)
{
    looking *l = self;
    const jali_column *c = jali_columns_at(l->ground->columns, l->column[i]);
    unsigned shift = 0;
    (void)worker;
    if (l->status != JALI_OK) return;
    while (c->domain >> shift > (uint64_t)1 << BITS) shift++;
    size_t words = (size_t)((c->domain >> shift) / 64 + 1);
    uint64_t *bitmap = calloc(words + JALI_GAPS_ZEROS, sizeof *bitmap),
             *limit = calloc(l->n, sizeof *limit);
    if (see(l, bitmap != NULL && limit != NULL, c, shift, bitmap, words)) {
        double steps = c->domain < 3 ? 0 : (double)((c->domain - 2) >> shift);
        for (size_t k = 0; k < l->n; k++) limit[k] = (uint64_t)(l->width[k] * steps);
        count_wide(bitmap, words, limit, l->n, l->wide + i * l->n);
    }
    free(bitmap);
    free(limit);
}

/* Columns of the frame that have an order; each once. */
static jali_status find_columns(const jali_ground *g, size_t **column, size_t *n, jali_err *err)
{
    size_t used = 0, *found = jali_arena_take(g->arena, g->frame->n, sizeof *found);
    if (found == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < g->frame->n; j++) {
        const jali_ruler *a = &g->frame->axis[j];
        if (a->one_hot) continue;
        if (!jali_columns_find(g->columns, a->column, &found[used]))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "the table has no column \"%.100s\"", a->column);
        used++;
    }
    *column = found;
    *n = used;
    return JALI_OK;
}

static jali_status prepare(looking *l, size_t n, size_t **column, size_t *columns,
                           jali_tally **t, jali_err *err)
{
    const jali_ground *g = l->ground;
    if (n > MOST_WIDTHS)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "%zu widths are too many", n);
    JALI_TRY(find_columns(g, column, columns, err));
    JALI_TRY(jali_columns_verify_all(g->columns, *column, *columns, g->pool, err));
    *t = jali_tally_take(g->arena, n);
    l->wide = jali_arena_take(g->arena, *columns * n + 1, sizeof *l->wide);
    l->column = *column;
    return *t == NULL || l->wide == NULL ? jali_fail_memory(err) : JALI_OK;
}

jali_status jali_gaps_wide(const jali_ground *g, const double *width, size_t n,
                           const jali_tally **counts, size_t *axes, jali_err *err)
{
    looking l = { .ground = g, .width = width, .n = n };
    size_t *column = NULL, columns = 0;
    jali_tally *t = NULL;
    l.crew = jali_columns_crew(g->columns);
    JALI_TRY(jali_order_gaps(g, width, n, err));
    JALI_TRY(jali_crew_agree(l.crew, prepare(&l, n, &column, &columns, &t, err), err));
    jali_pool_each(l.crew == NULL ? g->pool : NULL, columns, look, &l);
    if (l.status != JALI_OK && err != NULL) *err = l.err;
    if (l.status != JALI_OK) return l.status;
    if (l.failed) return jali_fail_memory(err);
    for (size_t i = 0; i < columns * n; i++) t->cell[i % n] += l.wide[i];
    uint64_t far = (uint64_t)g->rows_per_person * columns;
    t->reach = (jali_reach){ n, far * n, far * n, far };
    *counts = t;
    *axes = columns;
    return JALI_OK;
}
