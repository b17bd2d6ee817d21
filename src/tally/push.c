/* tally/push.c — a plan counted by the database that has the rows.
 *
 * Claim    tally.push
 *          The tables of a plan that is pushed down are those that tally/run.c counts on the
 *          codes of the same rows, cell by cell; so jali_reach_of holds for them. A server
 *          that says anything a count of at most JALI_ROWS_MAX rows cannot be is refused.
 * Proof    proofs/push.md#tally.push
 * Source   FIELD G: integers merge exactly; noise is added once, by who asked.
 * Law      none: tables are exact and sealed, nothing is drawn here
 * Test     tests/tally/push_test.c (bit for bit, random tables and plans)
 * Silent   How long the server takes, which depends on its rows; a server that lies within
 *          the bounds; what the server's operator sees: every statement.
 */
#include "tally/push.h"
#include "engine/remote.h"
#include <pthread.h>
#include <string.h>

enum { STATEMENT_BYTES = 8 << 20, LABELS_WRITTEN = 4096 };

/* A label of too many words would be a statement that nobody reads: then rows are fetched. */
static bool label_can(const jali_plan *plan, const jali_slice *s, jali_arena *arena)
{
    jali_text sql = { 0 };
    const char **code = jali_arena_take(arena, s->label.n + 1, sizeof *code);
    bool can = s->label.sql != NULL && s->labels <= LABELS_WRITTEN && code != NULL;
    (void)plan;
    for (size_t i = 0; can && i < s->label.n; i++) code[i] = "\"c1000#bin\"";
    can = can && s->label.sql(s->label.from, code, &sql) && !sql.failed;
    jali_text_clear(&sql);
    return can;
}

bool jali_push_can(const jali_plan *plan)
{
    if (jali_columns_remote_of(plan->columns) == NULL || jali_columns_loaded(plan->columns))
        return false;
    jali_arena arena = JALI_ARENA_INIT;
    bool can = true;
    for (size_t i = 0; can && i < plan->slice.n; i++) {
        const jali_slice *s = &PLAN_SLICE(plan, i);
        can = !s->labelled || label_can(plan, s, &arena);
    }
    jali_arena_clear(&arena);
    return can;
}

/* ---- statements
 * ------------------------------------------------------------------------------ */

static bool same_keys(const jali_unit *a, const jali_unit *b)
{
    return a->slice == b->slice && a->n == b->n &&
           memcmp(a->source, b->source, a->n * sizeof *a->source) == 0;
}

static void group_units(const jali_layout *layout, jali_push *push)
{
    jali_push_group *group = push->group;
    for (size_t i = 0; i < layout->n; i++) {
        const jali_unit *u = &layout->unit[i];
        size_t k = 0;
        while (k < push->n &&
               (group[k].n == JALI_PUSH_TOGETHER || !same_keys(group[k].unit[0], u)))
            k++;
        if (k == push->n) push->n++;
        group[k].unit[group[k].n++] = u;
    }
}

static jali_status write_one(const jali_plan *plan, jali_push *push, size_t i,
                             jali_arena *arena, jali_err *err)
{
    jali_text sql = { 0 };
    jali_postgres_query *q = &push->query[i];
    jali_status status = jali_push_sql(plan, &push->group[i], arena, &sql, &q->columns, err);
    push->fits = push->fits && sql.used <= STATEMENT_BYTES;
    q->sql = status == JALI_OK ? jali_arena_text(arena, sql.at) : NULL;
    jali_text_clear(&sql);
    return status == JALI_OK && q->sql == NULL ? jali_fail_memory(err) : status;
}

jali_status jali_push_write(const jali_plan *plan, const jali_layout *layout, jali_arena *arena,
                            jali_push *out, jali_err *err)
{
    jali_push push = { .fits = true };
    push.query = jali_arena_take(arena, layout->n + 1, sizeof *push.query);
    push.group = jali_arena_take(arena, layout->n + 1, sizeof *push.group);
    if (push.query == NULL || push.group == NULL) return jali_fail_memory(err);
    group_units(layout, &push);
    for (size_t i = 0; push.fits && i < push.n; i++)
        JALI_TRY(write_one(plan, &push, i, arena, err));
    *out = push;
    return JALI_OK;
}

static jali_status check(const jali_plan *plan, jali_arena *arena, jali_err *err)
{
    jali_layout layout;
    jali_push push;
    JALI_TRY(jali_layout_make(plan, JALI_ROWS_MAX, arena, &layout, err));
    JALI_TRY(jali_push_write(plan, &layout, arena, &push, err));
    if (push.fits) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "this question is too long to be asked of a database: its statement would "
                     "have more than %d MB; name fewer columns of many categories in it",
                     STATEMENT_BYTES >> 20);
}

jali_status jali_push_check(const jali_plan *plan, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status = jali_push_can(plan) ? check(plan, &arena, err) : JALI_OK;
    jali_arena_clear(&arena);
    return status;
}

/* ---- answers
 * --------------------------------------------------------------------------------- */

typedef struct counting {
    const jali_plan *plan;
    const jali_layout *layout;
    const jali_push *push;
    char *tables;
    pthread_mutex_t lock;
    uint64_t *rows; /* per statement, all servers */
} counting;

/* The cell that a row's keys name; false if they cannot be. */
static bool cell_of(const jali_plan *plan, const jali_unit *u, const int64_t *key, size_t *cell)
{
    const jali_slice *s = &PLAN_SLICE(plan, u->slice);
    uint64_t at = 0;
    if (s->labelled) {
        if (*key < 0 || *key >= (int64_t)s->labels) return false;
        at = (uint64_t)*key++;
    }
    for (unsigned k = 0; k < u->n; k++) {
        uint64_t domain = PLAN_SOURCE(plan, u->source[k]).domain;
        if (key[k] < 0 || (uint64_t)key[k] >= domain) return false;
        at = at * domain + (uint64_t)key[k];
    }
    *cell = (size_t)at;
    return at < u->cells;
}

static void add(const counting *c, const jali_unit *u, size_t cell, uint64_t count,
                uint64_t sum)
{
    void *at = c->tables + u->offset;
    if (u->kind == JALI_CELL_COUNT) {
        ((uint32_t *)at)[cell] += (uint32_t)count;
    } else if (u->kind == JALI_CELL_PACKED) {
        ((uint64_t *)at)[cell] += (count << c->layout->shift[u->sum]) + sum;
    } else {
        ((uint64_t *)at)[2 * cell] += count;
        ((uint64_t *)at)[2 * cell + 1] += sum;
    }
}

/* A sum of `count` codes is no less than 0 and no more than this. */
static bool sum_can_be(const jali_plan *plan, const jali_unit *u, int64_t count, int64_t sum)
{
    uint64_t domain = PLAN_SUM(plan, u->sum).domain, top = domain < 2 ? 0 : domain - 2;
    return sum >= 0 && (uint64_t)sum <= (uint64_t)count * top; /* < 2^63: JALI_PLAN_SUM_CODES */
}

/* Every number is checked against what it can be before it is added: a cell of rows that
 * exist, no more rows than a vault has, and sums of no more codes than rows. */
static bool can_be(const counting *c, const jali_push_group *g, const int64_t *number,
                   size_t *cell)
{
    size_t keys = g->unit[0]->n + PLAN_SLICE(c->plan, g->unit[0]->slice).labelled;
    const int64_t rows = number[keys], *next = &number[keys + 1];
    bool good = cell_of(c->plan, g->unit[0], number, cell) && rows >= 0 &&
                rows <= (int64_t)JALI_ROWS_MAX;
    for (size_t i = 0; good && i < g->n; i++) {
        if (g->unit[i]->sum == NONE) continue;
        good = next[0] >= 0 && next[0] <= rows &&
               sum_can_be(c->plan, g->unit[i], next[0], next[1]);
        next += 2;
    }
    return good;
}

static jali_status take(void *self, size_t shard, size_t query, const int64_t *number,
                        jali_err *err)
{
    counting *c = self;
    const jali_push_group *g = &c->push->group[query];
    size_t keys = g->unit[0]->n + PLAN_SLICE(c->plan, g->unit[0]->slice).labelled, cell = 0;
    (void)shard;
    if (!can_be(c, g, number, &cell)) return jali_postgres_lied(err);
    const uint64_t rows = (uint64_t)number[keys];
    const int64_t *next = &number[keys + 1];
    pthread_mutex_lock(&c->lock);
    c->rows[query] += rows;
    bool good = c->rows[query] <= JALI_ROWS_MAX;
    for (size_t i = 0; good && i < g->n; i++) {
        bool sum = g->unit[i]->sum != NONE;
        add(c, g->unit[i], cell, sum ? (uint64_t)next[0] : rows, sum ? (uint64_t)next[1] : 0);
        next += sum ? 2 : 0;
    }
    pthread_mutex_unlock(&c->lock);
    return good ? JALI_OK : jali_postgres_lied(err);
}

jali_status jali_push_run(const jali_plan *plan, const jali_layout *layout,
                          const jali_push *push, void *tables, jali_arena *arena, jali_err *err)
{
    counting c = { .plan = plan, .layout = layout, .push = push, .tables = tables };
    c.rows = jali_arena_take(arena, push->n + 1, sizeof *c.rows);
    if (c.rows == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&c.lock, NULL);
    jali_status status =
        jali_postgres_ask(jali_columns_remote_of(plan->columns)->postgres, push->query, push->n,
                          (jali_postgres_sink){ take, &c }, err);
    pthread_mutex_destroy(&c.lock);
    return status;
}
