/* engine/postgres_look.c — what the catalog says of a table. Names that a person typed travel
 * as parameters, never inside a statement. */
#include "engine/postgres_inside.h"
#include <stdlib.h>
#include <string.h>

static const char find_table[] =
    "/* jali: catalog */ SELECT c.oid::text, n.nspname, c.relname FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = $1 AND "
    "c.relkind IN ('r', 'v', 'm', 'f', 'p') AND (n.nspname = $2 OR ($2 = '' AND n.nspname = "
    "ANY ($3::pg_catalog.text[]))) ORDER BY pg_catalog.array_position($3::pg_catalog.text[], "
    "n.nspname::pg_catalog.text) LIMIT 1";

/* The session looks at pg_catalog alone, so the role's own path is asked of its settings. */
static const char find_path[] =
    "/* jali: catalog */ SELECT pg_catalog.current_schemas(false)::text";

/* A domain is what it stands on, and that may be a domain, too. */
static const char find_columns[] =
    "/* jali: catalog */ WITH RECURSIVE base (attnum, type) AS (SELECT a.attnum, a.atttypid FROM "
    "pg_catalog.pg_attribute a WHERE a.attrelid = $1::pg_catalog.oid AND a.attnum > 0 AND NOT "
    "a.attisdropped UNION ALL SELECT b.attnum, t.typbasetype FROM base b JOIN pg_catalog.pg_type "
    "t ON t.oid = b.type WHERE t.typtype = 'd') SELECT a.attname, CASE WHEN t.typtype = 'e' THEN "
    "'enum' ELSE t.typname END, pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT'), "
    "t.oid::text FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type AND t.typtype <> 'd' "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = $1::pg_catalog.oid AND a.attnum = b.attnum "
    "ORDER BY a.attnum";

static const char find_labels[] =
    "/* jali: catalog */ SELECT enumlabel FROM pg_catalog.pg_enum WHERE enumtypid = "
    "$1::pg_catalog.oid ORDER BY enumsortorder";

/* Row security of the table is not asked for where its leaves are read. */
static const char find_parts[] =
    "/* jali: catalog */ SELECT pg_catalog.quote_ident(m.nspname) || '.' || "
    "pg_catalog.quote_ident(l.relname), l.relkind = 'f', "
    "pg_catalog.has_table_privilege(l.oid, 'SELECT') AND "
    "pg_catalog.has_schema_privilege(m.oid, 'USAGE') AND NOT l.relrowsecurity FROM "
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace CROSS JOIN "
    "LATERAL (SELECT t.relid FROM pg_catalog.pg_partition_tree(c.oid) AS t WHERE t.isleaf AND "
    "c.relkind = 'p' UNION ALL SELECT c.oid WHERE c.relkind = 'f') AS leaf JOIN "
    "pg_catalog.pg_class l ON l.oid = leaf.relid JOIN pg_catalog.pg_namespace m ON m.oid = "
    "l.relnamespace WHERE n.nspname = $1 AND c.relname = $2 AND NOT c.relrowsecurity ORDER BY "
    "l.oid";

typedef struct looking {
    jali_shard *shard;
    jali_arena *arena;
    jali_err *err;
} looking;

static jali_status ask(const looking *l, const char *sql, int n, const char *const *value,
                       PGresult **out)
{
    PGconn *conn = l->shard->lane[0];
    PGresult *result = PQexecParams(conn, sql, n, NULL, value, NULL, NULL, 0);
    if (PQresultStatus(result) == PGRES_TUPLES_OK) {
        *out = result;
        return JALI_OK;
    }
    jali_status status = jali_shard_fail(l->shard, conn, result, l->err);
    PQclear(result);
    return status;
}

static jali_status read_labels(const looking *l, const char *oid, jali_relation_column *c)
{
    PGresult *r = NULL;
    JALI_TRY(ask(l, find_labels, 1, &oid, &r));
    size_t n = (size_t)PQntuples(r);
    const char **label = jali_arena_take(l->arena, n + 1, sizeof *label);
    bool good = label != NULL;
    for (size_t i = 0; good && i < n; i++) {
        label[i] = jali_arena_text(l->arena, PQgetvalue(r, (int)i, 0));
        good = label[i] != NULL;
    }
    PQclear(r);
    c->n = n;
    c->label = label;
    return good ? JALI_OK : jali_fail_memory(l->err);
}

static jali_status read_columns(const looking *l, const char *oid, jali_relation *out)
{
    PGresult *r = NULL;
    JALI_TRY(ask(l, find_columns, 1, &oid, &r));
    size_t n = (size_t)PQntuples(r);
    jali_relation_column *column = jali_arena_take(l->arena, n + 1, sizeof *column);
    jali_status status = column == NULL ? jali_fail_memory(l->err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < n; i++) {
        jali_relation_column *c = &column[i];
        c->name = jali_arena_text(l->arena, PQgetvalue(r, (int)i, 0));
        c->type = jali_arena_text(l->arena, PQgetvalue(r, (int)i, 1));
        c->granted = PQgetvalue(r, (int)i, 2)[0] == 't';
        if (c->name == NULL || c->type == NULL) status = jali_fail_memory(l->err);
        if (status == JALI_OK && strcmp(c->type, "enum") == 0)
            status = read_labels(l, PQgetvalue(r, (int)i, 3), c);
    }
    PQclear(r);
    out->n = n;
    out->column = column;
    return status;
}

/* The role's own search path, before the session's takes its place. */
static jali_status role_path(const looking *l, char **out)
{
    PGresult *r = NULL;
    static const char reset[] = "/* jali: catalog */ RESET search_path",
                      ours[] = "/* jali: catalog */ SET search_path = pg_catalog";
    PQclear(PQexec(l->shard->lane[0], reset));
    JALI_TRY(ask(l, find_path, 0, NULL, &r));
    *out = jali_arena_text(l->arena, PQntuples(r) == 1 ? PQgetvalue(r, 0, 0) : "{}");
    PQclear(r);
    PQclear(PQexec(l->shard->lane[0], ours));
    return *out == NULL ? jali_fail_memory(l->err) : JALI_OK;
}

static jali_status look(const looking *l, const char *schema, const char *table,
                        jali_relation *out)
{
    PGresult *r = NULL;
    char *path = NULL;
    if (schema[0] == '\0') JALI_TRY(role_path(l, &path));
    const char *const value[] = { table, schema, path == NULL ? "{}" : path };
    JALI_TRY(ask(l, find_table, 3, value, &r));
    if (PQntuples(r) != 1) {
        PQclear(r);
        return jali_fail(l->err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the database has no table or view \"%.100s\" that this role can see; "
                         "write SCHEMA.TABLE if it is not on the role's search path",
                         table);
    }
    const char *oid = jali_arena_text(l->arena, PQgetvalue(r, 0, 0));
    out->schema = jali_arena_text(l->arena, PQgetvalue(r, 0, 1));
    out->table = jali_arena_text(l->arena, PQgetvalue(r, 0, 2));
    PQclear(r);
    if (oid == NULL || out->schema == NULL || out->table == NULL)
        return jali_fail_memory(l->err);
    return read_columns(l, oid, out);
}

jali_status jali_postgres_look(jali_postgres *pg, size_t shard, const char *schema,
                               const char *table, jali_arena *arena, jali_relation *out,
                               jali_err *err)
{
    looking l = { &pg->shard[shard], arena, err };
    pthread_mutex_lock(&pg->lock);
    jali_status status = jali_shard_open(l.shard, 0, err);
    if (status == JALI_OK) status = look(&l, schema, table, out);
    pthread_mutex_unlock(&pg->lock);
    return status;
}

static jali_status read_parts(const looking *l, const PGresult *r, size_t *n,
                              const char *const **out)
{
    size_t rows = (size_t)PQntuples(r);
    const char **part = jali_arena_take(l->arena, rows + 1, sizeof *part);
    bool foreign = false, granted = rows <= JALI_POSTGRES_PARTS;
    if (part == NULL) return jali_fail_memory(l->err);
    for (size_t i = 0; i < rows; i++) {
        part[i] = jali_arena_text(l->arena, PQgetvalue(r, (int)i, 0));
        if (part[i] == NULL) return jali_fail_memory(l->err);
        foreign = foreign || PQgetvalue(r, (int)i, 1)[0] == 't';
        granted = granted && PQgetvalue(r, (int)i, 2)[0] == 't';
    }
    *n = foreign && granted ? rows : 0;
    *out = part;
    return JALI_OK;
}

jali_status jali_postgres_parts(jali_postgres *pg, const char *schema, const char *table,
                                jali_arena *arena, size_t *n, const char *const **out,
                                jali_err *err)
{
    looking l = { &pg->shard[0], arena, err };
    const char *const value[] = { schema, table };
    PGresult *r = NULL;
    pthread_mutex_lock(&pg->lock);
    jali_status status = jali_shard_open(l.shard, 0, err);
    if (status == JALI_OK) status = ask(&l, find_parts, 2, value, &r);
    if (status == JALI_OK) status = read_parts(&l, r, n, out);
    PQclear(r);
    pthread_mutex_unlock(&pg->lock);
    return status;
}
