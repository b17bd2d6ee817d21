/* engine/columns_remote.c — the codes of a remote table, fetched into memory.
 *
 * For passes that no GROUP BY can answer: distances, trees that grow, rows in an order. All
 * columns come in one statement, because rows have no order that two statements would share.
 * They live in anonymous memory as long as the handle; nothing is written to disk. Who looks
 * at each row once takes batches instead, and keeps nothing.
 */
#define _GNU_SOURCE /* mremap */
#include "base/text.h"
#include "engine/codes.h"
#include "engine/columns_inside.h"
#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROWS = 1 << 16 };

typedef struct part { /* of one shard */
    size_t rows, room;
    unsigned char **column;
} part;

typedef struct fetch {
    const jali_columns *c;
    part *part;
} fetch;

static void *more(void *at, size_t old, size_t bytes)
{
    void *to = at == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : mremap(at, old, bytes, MREMAP_MAYMOVE);
    return to == MAP_FAILED ? NULL : to;
}

static jali_status grow(const jali_columns *c, part *p, jali_err *err)
{
    size_t room = p->room == 0 ? FIRST_ROWS : 2 * p->room;
    for (size_t i = 0; i < c->manifest.n; i++) {
        unsigned width = c->column[i].width;
        unsigned char *to = more(p->column[i], p->room * width, room * width);
        if (to == NULL) return jali_fail_memory(err);
        p->column[i] = to;
    }
    p->room = room;
    return JALI_OK;
}

static void store(unsigned char *at, unsigned width, uint64_t code)
{
    /* Codes are little-endian, and so is every machine we run on. */
    memcpy(at, &code, width);
}

static jali_status take(void *self, size_t shard, size_t query, const int64_t *cell,
                        jali_err *err)
{
    const fetch *f = self;
    const jali_columns *c = f->c;
    part *p = &f->part[shard];
    (void)query;
    if (p->rows == JALI_ROWS_MAX) return jali_postgres_lied(err);
    if (p->rows == p->room) JALI_TRY(grow(c, p, err));
    for (size_t i = 0; i < c->manifest.n; i++) {
        if (cell[i] < 0 || (uint64_t)cell[i] >= c->column[i].domain)
            return jali_postgres_lied(err);
        unsigned width = c->column[i].width;
        store(p->column[i] + p->rows * width, width, (uint64_t)cell[i]);
    }
    p->rows++;
    return JALI_OK;
}

static const char *sql_type(uint64_t domain)
{
    return domain <= 1u << 15 ? "int2" : domain <= 1u << 31 ? "int4" : "int8";
}

/* The codes of n columns; `index` NULL: of all. */
static void write_query(const jali_remote *r, const size_t *index, size_t n, jali_text *sql)
{
    jali_text_add(sql, "SELECT ");
    for (size_t i = 0; i < n; i++) {
        const jali_remote_column *k = &r->column[index == NULL ? i : index[i]];
        jali_text_format(sql, "%scoalesce(%s, %llu)::%s", i > 0 ? ", " : "", k->value,
                         (unsigned long long)k->domain - 1, sql_type(k->domain));
    }
    jali_text_format(sql, " FROM %s", r->rows);
    if (r->where != NULL) jali_text_format(sql, " WHERE %s", r->where);
}

/* Column i of the shards one after the other, in memory of the first, which grows. */
static jali_status join_column(jali_columns *c, size_t i, part *from, size_t shards,
                               uint64_t rows, jali_err *err)
{
    unsigned width = c->column[i].width;
    unsigned char *to = more(from[0].column[i], from[0].room * width, rows * width);
    if (to == NULL) return jali_fail_memory(err);
    from[0].column[i] = NULL;
    atomic_store(&c->mapped[i], to);
    to += from[0].rows * width;
    for (size_t s = 1; s < shards; s++) {
        if (from[s].column[i] == NULL) continue;
        memcpy(to, from[s].column[i], from[s].rows * width);
        to += from[s].rows * width;
        munmap(from[s].column[i], from[s].room * width);
        from[s].column[i] = NULL;
    }
    return JALI_OK;
}

static jali_status join(jali_columns *c, part *from, size_t shards, jali_err *err)
{
    uint64_t rows = 0;
    for (size_t s = 0; s < shards; s++) rows += from[s].rows;
    if (rows > JALI_ROWS_MAX) return jali_postgres_lied(err);
    c->manifest.rows = rows;
    for (size_t i = 0; i < c->manifest.n && rows > 0; i++)
        JALI_TRY(join_column(c, i, from, shards, rows, err));
    for (size_t i = 0; i < c->manifest.n; i++) {
        if (rows == 0) atomic_store(&c->mapped[i], (const void *)c->column);
        c->column[i].rows = rows;
        c->column[i].codes = atomic_load(&c->mapped[i]);
        atomic_store(&c->believed_until[i], INT64_MAX);
    }
    return JALI_OK;
}

jali_status jali_remote_fetch(jali_columns *c, jali_err *err)
{
    const jali_remote *r = c->remote;
    size_t shards = jali_postgres_shards(r->postgres);
    jali_arena arena = JALI_ARENA_INIT;
    jali_text sql = { 0 };
    fetch f = { c, jali_arena_take(&arena, shards, sizeof *f.part) };
    jali_status status = f.part == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t s = 0; status == JALI_OK && s < shards; s++) {
        f.part[s].column = jali_arena_take(&arena, c->manifest.n + 1, sizeof *f.part[s].column);
        if (f.part[s].column == NULL) status = jali_fail_memory(err);
    }
    write_query(r, NULL, r->n, &sql);
    if (status == JALI_OK) status = jali_text_status(&sql, err);
    jali_postgres_query query = { sql.at, r->n };
    jali_postgres_sink sink = { take, &f };
    if (status == JALI_OK) status = jali_postgres_ask(r->postgres, &query, 1, sink, err);
    if (status == JALI_OK) status = join(c, f.part, shards, err);
    for (size_t s = 0; f.part != NULL && s < shards; s++)
        for (size_t i = 0; f.part[s].column != NULL && i < c->manifest.n; i++)
            if (f.part[s].column[i] != NULL)
                munmap(f.part[s].column[i], f.part[s].room * c->column[i].width);
    jali_text_clear(&sql);
    jali_arena_clear(&arena);
    return status;
}

/* ---- some columns, a batch at a time -------------------------------------------------- */

typedef struct batches {
    const jali_columns *c;
    const size_t *index;
    size_t n, room, rows;
    uint64_t seen;
    uint32_t *code;
    jali_columns_reader reader;
} batches;

static jali_status pass_on(batches *b, jali_err *err)
{
    size_t rows = b->rows;
    b->rows = 0;
    return rows == 0 ? JALI_OK : b->reader.batch(b->reader.self, b->code, rows, err);
}

static jali_status take_batch(void *self, size_t shard, size_t query, const int64_t *cell,
                              jali_err *err)
{
    batches *b = self;
    (void)shard;
    (void)query;
    if (++b->seen > JALI_ROWS_MAX) return jali_postgres_lied(err);
    for (size_t i = 0; i < b->n; i++) {
        if (cell[i] < 0 || (uint64_t)cell[i] >= b->c->column[b->index[i]].domain)
            return jali_postgres_lied(err);
        b->code[b->rows * b->n + i] = (uint32_t)cell[i];
    }
    b->rows++;
    return b->rows == b->room ? pass_on(b, err) : JALI_OK;
}

jali_status jali_columns_stream(const jali_columns *c, const size_t *index, size_t n,
                                size_t rows, jali_columns_reader reader, jali_err *err)
{
    jali_text sql = { 0 };
    batches b = { .c = c, .index = index, .n = n, .room = rows, .reader = reader };
    for (size_t i = 0; i < n; i++)
        if (c->column[index[i]].domain > (uint64_t)UINT32_MAX + 1)
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                             "column \"%.100s\" is too wide to be streamed",
                             c->column[index[i]].name);
    b.code = malloc((rows * n + 1) * sizeof *b.code);
    write_query(c->remote, index, n, &sql);
    jali_status status = b.code == NULL ? jali_fail_memory(err) : jali_text_status(&sql, err);
    jali_postgres_query query[JALI_POSTGRES_SHARDS];
    jali_postgres_sink sink = { take_batch, &b };
    for (size_t s = 0; s < JALI_POSTGRES_SHARDS; s++)
        query[s] = (jali_postgres_query){ sql.at, n };
    if (status == JALI_OK)
        status = jali_postgres_stream(c->remote->postgres, query, 0, sink, err);
    if (status == JALI_OK) status = pass_on(&b, err);
    jali_text_clear(&sql);
    free(b.code);
    return status;
}

/* ---- before the charge --------------------------------------------------------------- */

static const char *type_of(const jali_relation *now, const char *name, bool *granted)
{
    for (size_t i = 0; i < now->n; i++)
        if (strcmp(now->column[i].name, name) == 0) {
            *granted = now->column[i].granted;
            return now->column[i].type;
        }
    return NULL;
}

static jali_status compare(const jali_remote *r, const jali_relation *now, jali_err *err)
{
    for (size_t i = 0; i < r->n_types; i++) {
        bool granted = false;
        const char *type = type_of(now, r->typed[i], &granted);
        if (type == NULL)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "%.100s.%.100s has lost its column \"%.100s\": bring it back, or "
                             "make a view with the old names",
                             r->schema, r->table, r->typed[i]);
        if (strcmp(type, r->type[i]) != 0)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "column \"%.100s\" of %.100s.%.100s is %.60s now and was %.60s at "
                             "init: bring the type back, or make a view that casts it",
                             r->typed[i], r->schema, r->table, type, r->type[i]);
        if (!granted)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "this role may not select column \"%.100s\" of %.100s.%.100s: "
                             "GRANT SELECT on it",
                             r->typed[i], r->schema, r->table);
    }
    return JALI_OK;
}

jali_status jali_remote_check(const jali_remote *r, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_status status = JALI_OK;
    for (size_t s = 0; status == JALI_OK && s < jali_postgres_shards(r->postgres); s++) {
        jali_relation now;
        status = jali_postgres_look(r->postgres, s, r->schema, r->table, &arena, &now, err);
        if (status == JALI_OK) status = compare(r, &now, err);
    }
    /* It also locks the table against being altered before it is counted. */
    if (status == JALI_OK) status = jali_postgres_try(r->postgres, r->trial, err);
    jali_arena_clear(&arena);
    return status;
}

/* Persons are bounded over all parts together, and servers have each their own: then the
 * table is asked as it is. */
jali_status jali_remote_divide(jali_columns *c, jali_err *err)
{
    const jali_remote *r = c->remote;
    if (!r->bare || jali_postgres_shards(r->postgres) > 1 || c->parts > 0) return JALI_OK;
    return jali_postgres_parts(r->postgres, r->schema, r->table, &c->arena, &c->parts, &c->part,
                               err);
}

/* ---- the handle ----------------------------------------------------------------------- */

static jali_status name_columns(jali_columns *c, const jali_remote *facts, jali_err *err)
{
    c->folder = "the database";
    c->remote = facts;
    c->manifest.n = facts->n;
    c->manifest.line = jali_arena_take(&c->arena, facts->n + 1, sizeof *c->manifest.line);
    if (c->manifest.line == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < facts->n; i++)
        c->manifest.line[i] =
            (jali_manifest_line){ .name = facts->column[i].name,
                                  .file = "",
                                  .width = jali_column_width(facts->column[i].domain),
                                  .domain = facts->column[i].domain };
    return jali_columns_enter(c, err);
}

jali_status jali_columns_remote(jali_columns **out, const jali_remote *facts, jali_err *err)
{
    jali_columns *c = calloc(1, sizeof *c);
    if (c == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&c->lock, NULL);
    jali_status status = name_columns(c, facts, err);
    if (status != JALI_OK) {
        jali_columns_free(c);
        return status;
    }
    *out = c;
    return JALI_OK;
}
