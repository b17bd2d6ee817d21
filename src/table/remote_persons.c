/* table/remote_persons.c — at most m rows of each person, decided where the rows are.
 *
 * Claim    persons.remote
 *          Of a remote table a vault counts at most m = rowsPerPerson rows of each person, and
 *          which of a person's rows is a function of that person's own rows and the key: so
 *          tables that differ by one person are counted as tables that differ by that
 *          person's at most m rows, and by nothing else.
 * Proof    proofs/persons.md#persons.remote
 * Source   PRIVACY 8, as table/persons.c; SHA-256 because PostgreSQL has it and SipHash not.
 * Law      keep the m lowest sha256(content key, id, 0, codes of the row) of each id text.
 *          Rows of equal codes are equal, so a tie hides nothing. NULL ids are alone.
 * Test     tests/table/remote_persons_test.c
 * Silent   The key stands in the statements: who can read the server's log can read the
 *          rows, too. A person whose rows lie on two servers is two persons.
 */
#include "table/remote_inside.h"
#include <string.h>

static void add_key(jali_text *to, const unsigned char *key, size_t n)
{
    jali_text_add(to, "'\\x");
    for (size_t i = 0; i < n; i++) jali_text_format(to, "%02x", key[i]);
    jali_text_add(to, "'::bytea");
}

/* The id without the blanks around it; NULL if nothing is left, or a missing word. */
static void add_id(jali_text *to, const jali_schema *schema)
{
    jali_text id = { 0 };
    jali_text_add(&id, "btrim(");
    jali_remote_name(&id, schema->fields[schema->person].name);
    jali_text_add(&id, "::text COLLATE \"C\", E' \\t')");
    if (id.failed) {
        to->failed = true;
        return;
    }
    jali_text_format(to, "CASE WHEN %s IN (''", id.at);
    for (size_t i = 0; i < schema->n_missing; i++) {
        jali_text_add(to, ", ");
        jali_remote_text(to, schema->missing[i]);
    }
    jali_text_format(to, ") THEN NULL ELSE %s END", id.at);
    jali_text_clear(&id);
}

/* Eight bytes a code: no two rows of different codes have one encoding. */
static void add_content(jali_text *to, const jali_remote_column *column, size_t fields)
{
    for (size_t i = 0; i < fields; i++)
        jali_text_format(to, "%sint8send(coalesce(%s, %llu)::int8)", i > 0 ? " || " : "",
                         column[i].value, (unsigned long long)column[i].domain - 1);
}

/* 62 bits of a hash as a code; the last one is NULL's and nobody's. */
static void add_code(jali_text *to, const unsigned char key[16])
{
    jali_text_add(to, "LEAST((('x' || encode(substr(sha256(");
    add_key(to, key, 16);
    jali_text_add(to, " || coalesce('\\x01'::bytea || convert_to(\"p#bin\", 'UTF8'), "
                      "'\\x00'::bytea || \"w#bin\")), 1, 8), 'hex'))::bit(64)::int8 >> 2) & "
                      "4611686018427387903, 4611686018427387902)");
}

jali_status jali_remote_persons(const jali_schema *schema, const jali_remote_place *place,
                                const jali_remote_column *column, size_t fields,
                                const jali_person_key *key, const char *dead, jali_text *from,
                                jali_text *where, jali_text *person, jali_err *err)
{
    jali_text table = { 0 };
    jali_text_add(&table, from->at);
    JALI_TRY(jali_text_status(&table, err));
    jali_text_clear(from);
    /* Three floors: names and contents; places among the person's rows; the first m. */
    jali_text_add(from,
                  "(SELECT *, row_number() OVER (PARTITION BY \"p#bin\" ORDER BY sha256(");
    add_key(from, key->content, 16);
    jali_text_add(from, " || convert_to(\"p#bin\", 'UTF8') || '\\x00'::bytea || \"w#bin\")) AS "
                        "\"k#bin\" FROM (SELECT ");
    for (size_t i = 0; i < place->n_types; i++) {
        jali_remote_name(from, place->typed[i]);
        jali_text_add(from, ", ");
    }
    add_id(from, schema);
    jali_text_add(from, " AS \"p#bin\", ");
    add_content(from, column, fields);
    jali_text_format(from, " AS \"w#bin\" FROM %s", table.at);
    if (dead != NULL) jali_text_format(from, " WHERE %s", dead);
    jali_text_add(from, ") AS named) AS placed");
    jali_text_format(where, "(\"p#bin\" IS NULL OR \"k#bin\" <= %u)", schema->rows_per_person);
    add_code(person, key->id);
    jali_text_clear(&table);
    return JALI_OK;
}
