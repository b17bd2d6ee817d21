/* tally/sparse_crew.c — lists of cells of several ranks, made one.
 *
 * The only tally whose size on the line depends on rows: a rank sends the cells that somebody
 * of its shards is in. Lists are as sealed there as here; who can listen between the curator's
 * machines is asked in docs/KNOWN.md.
 */
#include "tally/sparse_crew.h"
#include "tally/open.h"
#include "tally/order.h"
#include <string.h>

jali_status jali_order_sparse(const jali_plan *plan, const jali_columns *columns,
                              const jali_sparse_table *t, jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(columns)) return JALI_OK;
    jali_put(&to, JALI_ORDER_SPARSE);
    jali_status status = jali_put_plan(&to, plan, err);
    if (status != JALI_OK) {
        jali_text_clear(&to);
        return status;
    }
    jali_put(&to, t->slice);
    jali_put(&to, t->groups);
    jali_put(&to, t->n);
    for (size_t i = 0; i < t->n; i++) {
        jali_put_text(&to, t->column[i]);
        jali_put(&to, t->nulls[i]);
    }
    jali_put(&to, t->summed != NULL);
    if (t->summed != NULL) jali_put_text(&to, t->summed);
    jali_put(&to, t->centre);
    return jali_crew_send(jali_columns_crew(columns), &to, err);
}

typedef struct merging {
    const jali_crew *crew;
    const jali_sparse *mine;
    unsigned groups;
    uint64_t most;  /* cells of the longest list           */
    uint64_t *n;    /* rank 0: cells of each               */
    int64_t *row;   /* a list, padded: cell, counts, sums  */
    int64_t *all;   /* rank 0: of all ranks                */
    size_t columns; /* 1 + groups, or 1 + 2 * groups       */
} merging;

static void fill(merging *m)
{
    const jali_sparse *s = m->mine;
    memcpy(m->row, s->cell, s->n * sizeof *s->cell);
    for (unsigned g = 0; g < m->groups; g++) {
        memcpy(m->row + (1 + g) * m->most, s->count + g * s->n, s->n * sizeof *s->count);
        if (s->sum != NULL)
            memcpy(m->row + (1 + m->groups + g) * m->most, s->sum + g * s->n,
                   s->n * sizeof *s->sum);
    }
}

/* Everybody learns the longest list, so that all rows are as long. */
static jali_status measure(merging *m, jali_arena *arena, jali_err *err)
{
    uint64_t n = m->mine->n;
    m->n = jali_arena_take(arena, m->crew->ranks, sizeof *m->n);
    JALI_TRY(jali_crew_agree(m->crew, m->n == NULL ? jali_fail_memory(err) : JALI_OK, err));
    if (!m->crew->gather(m->crew->self, &n, sizeof n, m->n)) return jali_crew_lost(err);
    for (unsigned i = 0; m->crew->rank == 0 && i < m->crew->ranks; i++)
        m->most = m->n[i] > m->most ? m->n[i] : m->most;
    return m->crew->tell(m->crew->self, &m->most, sizeof m->most) ? JALI_OK
                                                                  : jali_crew_lost(err);
}

static jali_status gather(merging *m, jali_arena *arena, jali_err *err)
{
    size_t n = m->columns * m->most, ranks = m->crew->rank == 0 ? m->crew->ranks : 0;
    m->row = jali_arena_take(arena, n + 1, sizeof *m->row);
    m->all = jali_arena_take(arena, n * ranks + 1, sizeof *m->all);
    jali_status mine = m->row == NULL || m->all == NULL ? jali_fail_memory(err) : JALI_OK;
    JALI_TRY(jali_crew_agree(m->crew, mine, err));
    fill(m);
    return m->crew->gather(m->crew->self, m->row, n * sizeof *m->row, m->all)
               ? JALI_OK
               : jali_crew_lost(err);
}

/* Where each rank's list has been read up to: the least cell comes next. */
static bool next_cell(const merging *m, const size_t *at, uint64_t *cell)
{
    bool found = false;
    for (unsigned r = 0; r < m->crew->ranks; r++) {
        if (at[r] >= m->n[r]) continue;
        uint64_t here = (uint64_t)m->all[r * m->columns * m->most + at[r]];
        if (!found || here < *cell) *cell = here;
        found = true;
    }
    return found;
}

static size_t walk(const merging *m, size_t *at, size_t n, uint64_t *cell, int64_t *count,
                   int64_t *sum)
{
    size_t i = 0;
    uint64_t here = 0;
    memset(at, 0, m->crew->ranks * sizeof *at);
    for (; next_cell(m, at, &here); i++)
        for (unsigned r = 0; r < m->crew->ranks; r++) {
            const int64_t *list = m->all + r * m->columns * m->most;
            if (at[r] >= m->n[r] || (uint64_t)list[at[r]] != here) continue;
            for (unsigned g = 0; cell != NULL && g < m->groups; g++) {
                count[g * n + i] += list[(1 + g) * m->most + at[r]];
                if (sum != NULL) sum[g * n + i] += list[(1 + m->groups + g) * m->most + at[r]];
            }
            if (cell != NULL) cell[i] = here;
            at[r]++;
        }
    return i;
}

static jali_status merge(const merging *m, jali_arena *temporary, jali_arena *arena,
                         const jali_sparse **out, jali_err *err)
{
    size_t *at = jali_arena_take(temporary, m->crew->ranks, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    size_t n = walk(m, at, 0, NULL, NULL, NULL), all = n * m->groups + 1;
    jali_sparse *s = jali_arena_take(arena, 1, sizeof *s);
    uint64_t *cell = jali_arena_take(arena, n + 1, sizeof *cell);
    int64_t *count = jali_arena_take(arena, all, sizeof *count);
    int64_t *sum = m->mine->sum == NULL ? NULL : jali_arena_take(arena, all, sizeof *sum);
    if (s == NULL || cell == NULL || count == NULL || (m->mine->sum != NULL && sum == NULL))
        return jali_fail_memory(err);
    walk(m, at, n, cell, count, sum);
    *s = (jali_sparse){ n, cell, count, sum };
    *out = s;
    return JALI_OK;
}

jali_status jali_sparse_merge(const jali_crew *crew, unsigned groups, const jali_sparse *mine,
                              jali_arena *arena, const jali_sparse **out, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    merging m = { .crew = crew, .mine = mine, .groups = groups };
    m.columns = 1 + (mine->sum == NULL ? 1u : 2u) * (size_t)groups;
    jali_status status = measure(&m, &temporary, err);
    if (status == JALI_OK) status = gather(&m, &temporary, err);
    if (status == JALI_OK && crew->rank == 0) status = merge(&m, &temporary, arena, out, err);
    if (status == JALI_OK && crew->rank != 0) *out = mine;
    jali_arena_clear(&temporary);
    return status;
}
