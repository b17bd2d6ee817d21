/* budget/store_postgres_schema.c — the tables of a ledger on a server, and their guards.
 *
 * Rows are added and never changed: by triggers, for whoever owns the tables and makes a
 * mistake; by privileges, for the role that jali connects with (docs/ledger.md lists the
 * grants). Who is superuser can go around both; the chain and its signature are for him.
 */
#include "budget/store_postgres.h"

/* clang-format off */
#define HEAD                                                                                   \
    "SELECT seq, hash, time_ms FROM ("                                                         \
    " (SELECT seq, hash, time_ms FROM charges ORDER BY seq DESC LIMIT 1) UNION ALL"            \
    " (SELECT seq, hash, time_ms FROM releases ORDER BY seq DESC LIMIT 1) UNION ALL"           \
    " (SELECT seq, hash, time_ms FROM acts ORDER BY seq DESC LIMIT 1)"                         \
    ") AS last ORDER BY seq DESC LIMIT 1"

#define REFUSE_BODY "BEGIN RAISE EXCEPTION 'the ledger is append-only'; END"
#define ORDER_BODY                                                                             \
    "DECLARE head record; BEGIN " HEAD " INTO head;"                                           \
    " IF NEW.seq <> COALESCE(head.seq, 0) + 1 OR NEW.prev <> COALESCE(head.hash, NEW.prev)"    \
    " THEN RAISE EXCEPTION 'the row does not follow the last one'; END IF; RETURN NEW; END"
#define META_BODY                                                                              \
    "BEGIN IF EXISTS (SELECT 1 FROM acts) THEN"                                                \
    " RAISE EXCEPTION 'the ledger is append-only'; END IF; RETURN NEW; END"
/* clang-format on */

const char jali_pg_head[] = HEAD;

static const char TABLES[] =
    "CREATE TABLE meta(key text PRIMARY KEY, value text NOT NULL);"
    "CREATE TABLE charges(seq bigint PRIMARY KEY, time_ms bigint NOT NULL,"
    " analyst text NOT NULL, vault text NOT NULL, request text NOT NULL,"
    " plan_hash text NOT NULL, plan text NOT NULL, note text NOT NULL, exact text NOT NULL,"
    " eps_pico bigint NOT NULL, eps_infinite bigint NOT NULL, rho_pico bigint NOT NULL,"
    " delta_atto bigint NOT NULL, sum_eps_pico bigint NOT NULL,"
    " sum_eps_infinite bigint NOT NULL, sum_rho_pico bigint NOT NULL,"
    " sum_delta_atto bigint NOT NULL, prev text NOT NULL, hash text NOT NULL);"
    "CREATE TABLE releases(seq bigint PRIMARY KEY, time_ms bigint NOT NULL,"
    " charge bigint NOT NULL UNIQUE REFERENCES charges(seq), kind text NOT NULL,"
    " number bigint NOT NULL, body text NOT NULL, prev text NOT NULL, hash text NOT NULL,"
    " UNIQUE(kind, number));"
    "CREATE TABLE acts(seq bigint PRIMARY KEY, time_ms bigint NOT NULL, who text NOT NULL,"
    " what text NOT NULL, subject text NOT NULL, body text NOT NULL, prev text NOT NULL,"
    " hash text NOT NULL);"
    "CREATE TABLE turn();" /* locked, never filled: where writers stand in line */
    "CREATE INDEX charges_by_plan ON charges(plan_hash);"
    "CREATE INDEX charges_by_analyst ON charges(analyst);"
    "CREATE UNIQUE INDEX charges_by_request ON charges(analyst, request) WHERE request <> '';";

/* SET ... FROM CURRENT: a caller's search_path cannot put other tables under the triggers. */
static const char GUARDS[] =
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT"
    " AS $jali$" REFUSE_BODY "$jali$;"
    "CREATE FUNCTION in_order() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT"
    " AS $jali$" ORDER_BODY "$jali$;"
    "CREATE FUNCTION meta_once() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT"
    " AS $jali$" META_BODY "$jali$;"
    "CREATE TRIGGER charges_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON charges"
    " EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER releases_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON releases"
    " EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER acts_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON acts"
    " EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER meta_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON meta"
    " EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER turn_no_change BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON turn"
    " EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER charges_in_order BEFORE INSERT ON charges FOR EACH ROW"
    " EXECUTE FUNCTION in_order();"
    "CREATE TRIGGER releases_in_order BEFORE INSERT ON releases FOR EACH ROW"
    " EXECUTE FUNCTION in_order();"
    "CREATE TRIGGER acts_in_order BEFORE INSERT ON acts FOR EACH ROW"
    " EXECUTE FUNCTION in_order();"
    "CREATE TRIGGER meta_once BEFORE INSERT ON meta FOR EACH ROW"
    " EXECUTE FUNCTION meta_once();";

/* The DBA may have made the schema, so that our role need not be able to. */
static jali_status make_schema(server_store *s, jali_err *err)
{
    char sql[256];
    PGresult *r;
    snprintf(sql, sizeof sql, "SELECT to_regnamespace('%s')", s->schema);
    JALI_TRY(jali_pg_run(s, sql, &r, err));
    bool exists = !PQgetisnull(r, 0, 0);
    PQclear(r);
    if (exists) return JALI_OK;
    snprintf(sql, sizeof sql, "CREATE SCHEMA %s", s->schema);
    return jali_pg_run(s, sql, NULL, err);
}

jali_status jali_pg_make(jali_store *store, jali_err *err)
{
    server_store *s = (server_store *)store;
    JALI_TRY(make_schema(s, err));
    PGresult *r;
    JALI_TRY(jali_pg_run(s, "SELECT to_regclass('meta')", &r, err));
    bool exists = !PQgetisnull(r, 0, 0);
    PQclear(r);
    if (exists)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "there is already a ledger %s; a ledger is never replaced", s->name);
    JALI_TRY(jali_pg_run(s, TABLES, NULL, err));
    return jali_pg_run(s, GUARDS, NULL, err);
}

/* ---- are they still the ones we made? ---- */

/* One line for each thing in the schema: what it is, its name, and all that matters about it.
 * Nothing here is printed back from a parse tree but indexes and constraints, so that the
 * lines do not change with the server's version. */
static const char FACTS[] =
    "WITH ours AS (SELECT oid, nspname FROM pg_namespace WHERE nspname = $1),"
    " class AS (SELECT c.* FROM pg_class c JOIN ours ON c.relnamespace = ours.oid)"
    "SELECT fact FROM ("
    " SELECT concat_ws(' ', 'table', relname, relkind, relpersistence, relrowsecurity,"
    "  relforcerowsecurity, relhasrules, relispartition, (SELECT count(*) FROM pg_inherits i"
    "  WHERE i.inhparent = class.oid OR i.inhrelid = class.oid)) AS fact"
    "  FROM class WHERE relkind NOT IN ('i', 't')"
    " UNION ALL SELECT concat_ws(' ', 'column', c.relname || '.' || a.attname, a.attnum,"
    "  a.atttypid::regtype, a.attnotnull, a.atthasdef, a.attisdropped)"
    "  FROM class c JOIN pg_attribute a ON a.attrelid = c.oid"
    "  WHERE c.relkind NOT IN ('i', 't') AND a.attnum > 0"
    " UNION ALL SELECT concat_ws(' ', 'index', c.relname, i.indisvalid,"
    "  replace(pg_get_indexdef(c.oid), ours.nspname || '.', ''))"
    "  FROM ours, class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relkind = 'i'"
    " UNION ALL SELECT concat_ws(' ', 'constraint', t.conname, t.convalidated,"
    "  replace(pg_get_constraintdef(t.oid), ours.nspname || '.', ''))"
    "  FROM ours, class c JOIN pg_constraint t ON t.conrelid = c.oid WHERE t.contype <> 'n'"
    " UNION ALL SELECT concat_ws(' ', 'trigger', t.tgname, c.relname, t.tgtype, t.tgenabled,"
    "  p.proname, t.tgqual IS NULL, t.tgnargs) FROM class c JOIN pg_trigger t ON t.tgrelid = c.oid"
    "  JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal OR t.tgenabled <> 'O'"
    " UNION ALL SELECT concat_ws(' ', 'function', p.proname, l.lanname, p.prosecdef,"
    "  replace(array_to_string(p.proconfig, ' '), ours.nspname, '@'), p.prosrc)"
    "  FROM ours JOIN pg_proc p ON p.pronamespace = ours.oid"
    "  JOIN pg_language l ON l.oid = p.prolang"
    " UNION ALL SELECT concat_ws(' ', 'policy', polname) FROM class c"
    "  JOIN pg_policy p ON p.polrelid = c.oid"
    ") AS facts ORDER BY fact COLLATE \"C\"";

/* Made by running FACTS on a new schema; a test does so again. */
static const char *const EXPECTED[] = {
#include "budget/store_postgres_facts.h"
};

/* "trigger NAME ..." -> NAME */
static void name_of(char out[static 64], const char *fact)
{
    const char *at = strchr(fact, ' ');
    at = at == NULL ? fact : at + 1;
    snprintf(out, 64, "%.*s", (int)strcspn(at, " "), at);
}

/* Both lists are in order; the fact that the other list does not have comes first. */
static const char *difference(const char *have, const char *want)
{
    if (have == NULL || want == NULL) return have == NULL ? want : have;
    int order = strcmp(have, want);
    return order == 0 ? NULL : order < 0 ? have : want;
}

static jali_status compare(server_store *s, const PGresult *r, jali_err *err)
{
    size_t n = (size_t)PQntuples(r), wanted = sizeof EXPECTED / sizeof *EXPECTED;
    char name[64];
    for (size_t i = 0; i < n || i < wanted; i++) {
        const char *odd = difference(i < n ? PQgetvalue(r, (int)i, 0) : NULL,
                                     i < wanted ? EXPECTED[i] : NULL);
        if (odd == NULL) continue;
        name_of(name, odd);
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the ledger %s has other tables or triggers than jali makes "
                         "(\"%.40s\"); somebody changed it",
                         s->name, name);
    }
    return JALI_OK;
}

jali_status jali_pg_check_schema(jali_store *store, jali_err *err)
{
    server_store *s = (server_store *)store;
    const char *value[] = { s->schema };
    PGresult *r =
        s->link == NULL ? NULL : PQexecParams(s->link, FACTS, 1, NULL, value, NULL, NULL, 0);
    jali_status status = PQresultStatus(r) == PGRES_TUPLES_OK ? compare(s, r, err)
                                                              : jali_pg_fail(s, r, "read", err);
    PQclear(r);
    return status;
}
