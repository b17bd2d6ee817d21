/* tally/probe_far.c — the order of probe_order.c, sorted where the rows are.
 *
 * Four floors of one SELECT: the codes of each row; their bytes; the number among equal rows;
 * the keyed hash. OFFSET 0 keeps the optimizer from computing an expression once for each
 * place that names it. The rows come through a cursor, as the model's columns alone, so that
 * memory here is that of a batch, or of a block; the server sorts on its own disk.
 *
 * On S servers the k-th of equal rows of server s has the number k S + s, and servers are
 * merged by the numbers that come with each row.
 */
#include "base/text.h"
#include "engine/remote.h"
#include "tally/probe_inside.h"

enum { KEYS = 2 }; /* before the codes: the block, and 63 bits of the hash */

typedef struct far {
    const jali_probe *p;
    const jali_remote *r;
    size_t blocks, reads, servers;
    size_t *index;
    uint32_t *code;
    uint64_t seen;
    jali_probe_reader reader;
} far;

/* ---- the statement ---------------------------------------------------------------------- */

static void add_key(const far *f, jali_text *to)
{
    jali_text_add(to, "'\\x");
    for (size_t i = 0; i < 16; i++) jali_text_format(to, "%02x", f->p->key[i]);
    jali_text_add(to, "'::bytea");
}

/* 63 bits of eight bytes of a hash; as they rise, so do the bytes. */
static void add_number(jali_text *to, const char *hash, int from)
{
    jali_text_format(to,
                     "((('x' || encode(substr(%s, %d, 8), 'hex'))::bit(64)::int8 >> 1) & "
                     "9223372036854775807)",
                     hash, from);
}

static void add_block(const far *f, jali_text *to)
{
    jali_text who = { 0 };
    size_t person;
    if (f->blocks == 1) {
        jali_text_add(to, "0::int8");
        return;
    }
    if (jali_probe_person(f->p, &person)) {
        jali_text_add(&who, "sha256(");
        add_key(f, &who);
        jali_text_format(&who, " || int8send(\"c%zu\"::int8))", person);
        if (who.failed) to->failed = true;
        add_number(to, who.failed ? "" : who.at, 1);
    } else
        add_number(to, "\"h\"", 9);
    jali_text_format(to, " %% %zu", f->blocks);
    jali_text_clear(&who);
}

static void add_codes(const far *f, jali_text *to)
{
    for (size_t i = 0; i < f->r->n; i++) {
        const jali_remote_column *c = &f->r->column[i];
        jali_text_format(to, "%scoalesce(%s, %llu)::int%u AS \"c%zu\"", i > 0 ? ", " : "",
                         c->value, (unsigned long long)c->domain - 1,
                         jali_probe_bytes(c->domain), i);
    }
    jali_text_format(to, " FROM %s", f->r->rows);
    if (f->r->where != NULL) jali_text_format(to, " WHERE %s", f->r->where);
}

/* What the upper floors need of the codes: what is read, each once, and the person. */
static void hand_up(const far *f, jali_text *to)
{
    size_t person = SIZE_MAX;
    if (!jali_probe_person(f->p, &person)) person = SIZE_MAX;
    for (size_t i = 0; i < f->r->n; i++) {
        bool read = i == person;
        for (size_t k = 0; k < f->reads; k++) read = read || f->index[k] == i;
        if (read) jali_text_format(to, "\"c%zu\", ", i);
    }
    for (size_t i = 0; i < f->r->n; i++)
        jali_text_format(to, "%sint%usend(\"c%zu\")", i > 0 ? " || " : "",
                         jali_probe_bytes(f->r->column[i].domain), i);
}

static void write_query(const far *f, size_t server, jali_text *to)
{
    jali_text_add(to, "SELECT ");
    add_block(f, to);
    jali_text_add(to, ", ");
    add_number(to, "\"h\"", 1);
    for (size_t k = 0; k < f->reads; k++) jali_text_format(to, ", \"c%zu\"", f->index[k]);
    jali_text_add(to, " FROM (SELECT *, sha256(");
    add_key(f, to);
    jali_text_format(
        to,
        " || \"w\" || int8send(\"k\")) AS \"h\" FROM (SELECT *, (row_number() OVER "
        "(PARTITION BY \"w\") - 1) * %zu + %zu AS \"k\" FROM (SELECT ",
        f->servers, server);
    hand_up(f, to);
    jali_text_add(to, " AS \"w\" FROM (SELECT ");
    add_codes(f, to);
    jali_text_add(to, " OFFSET 0) AS codes) AS packed) AS numbered OFFSET 0) AS hashed "
                      "ORDER BY 1, substr(\"h\", 1, 8) || \"w\"");
}

/* ---- its rows --------------------------------------------------------------------------- */

static jali_status take(void *self, size_t shard, size_t query, const int64_t *cell,
                        jali_err *err)
{
    far *f = self;
    (void)shard;
    (void)query;
    if (++f->seen > JALI_ROWS_MAX || cell[0] < 0 || (uint64_t)cell[0] >= f->blocks)
        return jali_postgres_lied(err);
    for (size_t k = 0; k < f->reads; k++) {
        int64_t code = cell[KEYS + k];
        if (code < 0 || (uint64_t)code >= f->r->column[f->index[k]].domain)
            return jali_postgres_lied(err);
        f->code[k] = (uint32_t)code;
    }
    return f->reader.row(f->reader.self, (size_t)cell[0], f->code, err);
}

static jali_status read_far(far *f, bool label, jali_arena *arena, jali_err *err)
{
    jali_postgres_query query[JALI_POSTGRES_SHARDS];
    JALI_TRY(jali_probe_columns(f->p, label, arena, &f->index, err));
    f->code = jali_arena_take(arena, f->reads + 1, sizeof *f->code);
    if (f->code == NULL) return jali_fail_memory(err);
    for (size_t s = 0; s < f->servers; s++) {
        jali_text sql = { 0 };
        write_query(f, s, &sql);
        query[s].columns = KEYS + f->reads;
        query[s].sql = sql.failed ? NULL : jali_arena_text(arena, sql.at);
        jali_text_clear(&sql);
        if (query[s].sql == NULL) return jali_fail_memory(err);
    }
    jali_postgres_sink sink = { take, f };
    return jali_postgres_stream(f->r->postgres, query, KEYS, sink, err);
}

jali_status jali_probe_in_order_far(const jali_probe *p, size_t blocks, bool label,
                                    jali_probe_reader reader, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    far f = { .p = p, .r = jali_columns_remote_of(p->columns), .blocks = blocks };
    f.reads = jali_model_width(p->plain.model) + (label ? 1 : 0);
    f.servers = jali_postgres_shards(f.r->postgres);
    f.reader = reader;
    jali_status status = read_far(&f, label, &arena, err);
    jali_arena_clear(&arena);
    return status;
}
