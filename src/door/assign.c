/* door/assign.c — jali assign: labels of a clustering for rows of the caller's own file.
 *
 * Nothing of the vault's table is read: the clustering and the schema are public, and the file
 * belongs to whoever asks.
 */
#include "base/file.h"
#include "base/text.h"
#include "door/desk.h"
#include "engine/duckdb.h"
#include "explain/cluster/cluster.h"
#include "table/import.h"

enum { FLUSH = 1 << 16, JSON_MOST = 64 << 20 };

typedef struct assigning {
    const jali_assign *request;
    jali_arena arena;
    jali_schema schema; /* the columns that the clustering reads, and no other, are `used` */
    jali_partition partition;
    jali_source source;
    size_t *column_of; /* per column of the partition: its column of the file */
    const jali_field **field;
    uint64_t *code, rows;
    jali_text line;
    FILE *file;
} assigning;

/* ---- the clustering -----------------------------------------------------------------------
 */

static jali_status from_vault(assigning *a, jali_err *err)
{
    jali_desk desk;
    jali_clustering c = { 0 };
    jali_spend spend = { .vault = a->request->vault, .quote = true };
    jali_status status = jali_desk_open(&desk, &spend, err);
    if (status == JALI_OK && a->request->release[0] != 'c')
        status =
            jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                      "%.20s is not a clustering: those are c1, c2, ...", a->request->release);
    if (status == JALI_OK)
        status = jali_ledger_find_id(desk.ledger, a->request->release, &a->arena, &desk.release,
                                     err);
    json_t *schema = status == JALI_OK ? jali_schema_json(&desk.vault->schema) : NULL;
    char *text = NULL;
    if (status == JALI_OK && schema == NULL) status = jali_fail_memory(err);
    if (status == JALI_OK) status = jali_json_canonical(schema, &a->arena, &text, err);
    if (status == JALI_OK) /* a copy: the vault is closed before the rows come */
        status = jali_schema_parse(&a->schema, text, strlen(text), "the vault's schema",
                                   &a->arena, err);
    if (status == JALI_OK)
        status = jali_cluster_read(&c, desk.release.body, desk.release.n, &a->schema, &a->arena,
                                   err);
    a->partition = c.partition;
    json_decref(c.told);
    json_decref(schema);
    jali_desk_close(&desk);
    return status;
}

static jali_status read_members(assigning *a, const json_t *value, jali_err *err)
{
    const json_t *schema = json_object_get(value, "schema"),
                 *partition = json_object_get(value, "partition");
    char *text;
    if (!json_is_object(schema) || !json_is_object(partition))
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "%.200s is not a clustering with its schema: take one from jali release "
            "VAULT c1 --format json",
            a->request->clustering);
    JALI_TRY(jali_json_canonical(schema, &a->arena, &text, err));
    JALI_TRY(jali_schema_parse(&a->schema, text, strlen(text), "its schema", &a->arena, err));
    return jali_partition_from_json(&a->partition, partition, &a->schema, &a->arena, err);
}

static jali_status from_file(assigning *a, jali_err *err)
{
    json_t *value;
    JALI_TRY(jali_json_load(&value, a->request->clustering, JSON_MOST, err));
    jali_status status = read_members(a, value, err);
    json_decref(value);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------
 */

static size_t partition_column(const assigning *a, const char *name)
{
    for (size_t i = 0; i < a->partition.n; i++)
        if (strcmp(a->partition.columns[i], name) == 0) return i;
    return SIZE_MAX;
}

/* Other columns of the file may be missing, or be anything. */
static jali_status match_columns(assigning *a, jali_err *err)
{
    jali_schema *s = &a->schema;
    jali_field *field = jali_arena_take(&a->arena, s->n + 1, sizeof *field);
    size_t *index = jali_arena_take(&a->arena, s->n + 1, sizeof *index), extra;
    a->column_of = jali_arena_take(&a->arena, a->partition.n + 1, sizeof *a->column_of);
    a->field = jali_arena_take(&a->arena, a->partition.n + 1, sizeof *a->field);
    a->code = jali_arena_take(&a->arena, a->partition.n + 1, sizeof *a->code);
    if (field == NULL || index == NULL || a->column_of == NULL || a->field == NULL ||
        a->code == NULL)
        return jali_fail_memory(err);
    for (size_t i = 0; i < s->n; i++) {
        field[i] = s->fields[i];
        field[i].used = field[i].used && partition_column(a, field[i].name) != SIZE_MAX;
    }
    s->fields = field;
    s->person = -1;
    JALI_TRY(jali_import_match(s, &a->source, index, &extra, err));
    for (size_t i = 0; i < s->n; i++) {
        size_t c = field[i].used ? partition_column(a, field[i].name) : SIZE_MAX;
        if (c == SIZE_MAX) continue;
        a->column_of[c] = index[i];
        a->field[c] = &field[i];
    }
    return JALI_OK;
}

static jali_status flush(assigning *a, jali_err *err)
{
    jali_text *t = &a->line;
    bool good = !t->failed;
    if (good && t->used > 0)
        good = a->file != NULL ? fwrite(t->at, 1, t->used, a->file) == t->used
                               : a->request->take(a->request->self, t->at, t->used);
    t->used = 0;
    return good ? JALI_OK
                : jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST,
                            "the labelled rows could not be written; is the disk full?");
}

static void put_cell(jali_text *t, const char *cell, size_t n)
{
    bool plain = true;
    for (size_t i = 0; i < n; i++)
        plain = plain && cell[i] != ',' && cell[i] != '"' && cell[i] != '\n' && cell[i] != '\r';
    if (plain && n > 0) {
        jali_text_add_n(t, cell, n);
        return;
    }
    if (n == 0) return;
    jali_text_add(t, "\"");
    for (size_t i = 0; i < n; i++) {
        if (cell[i] == '"') jali_text_add(t, "\"");
        jali_text_add_n(t, cell + i, 1);
    }
    jali_text_add(t, "\"");
}

static void put_header(assigning *a)
{
    bool taken = false;
    for (size_t i = 0; i < a->source.n; i++) {
        char place[32];
        const char *name = a->source.header ? a->source.names[i] : "";
        snprintf(place, sizeof place, "column%zu", i + 1);
        for (size_t c = 0; !a->source.header && c < a->partition.n; c++)
            if (a->column_of[c] == i) name = a->partition.columns[c];
        if (name[0] == '\0') name = place;
        taken = taken || strcmp(name, "cluster") == 0;
        put_cell(&a->line, name, strlen(name));
        jali_text_add(&a->line, ",");
    }
    jali_text_add(&a->line, taken ? "jali_cluster\n" : "cluster\n");
}

/* One thread reads, so rows come in the order of the file. */
static jali_status take_rows(void *self, const jali_chunk *chunk, jali_err *err)
{
    assigning *a = self;
    for (size_t r = 0; r < chunk->rows; r++) {
        for (size_t i = 0; i < chunk->columns; i++) {
            size_t n = 0;
            const char *cell = jali_chunk_text(chunk, i, r, &n);
            put_cell(&a->line, cell == NULL ? "" : cell, cell == NULL ? 0 : n);
            jali_text_add(&a->line, ",");
        }
        for (size_t c = 0; c < a->partition.n; c++) {
            size_t n = 0;
            jali_fate fate;
            const char *cell = jali_chunk_text(chunk, a->column_of[c], r, &n);
            a->code[c] = cell == NULL
                             ? jali_field_null(a->field[c])
                             : jali_field_code(&a->schema, a->field[c], cell, n, &fate);
        }
        jali_text_format(&a->line, "%u\n", (unsigned)jali_partition_of(&a->partition, a->code));
        a->rows++;
        if (a->line.used >= FLUSH) JALI_TRY(flush(a, err));
    }
    return JALI_OK;
}

static jali_status scan(assigning *a, jali_duckdb *db, jali_scan *scanned, jali_err *err)
{
    JALI_TRY(jali_duckdb_look(db, a->request->data, &a->arena, &a->source, err));
    JALI_TRY(match_columns(a, err));
    size_t *all = jali_arena_take(&a->arena, a->source.n + 1, sizeof *all);
    if (all == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < a->source.n; i++) all[i] = i;
    put_header(a);
    jali_sink sink = { take_rows, a };
    JALI_TRY(jali_duckdb_scan(db, &a->source, all, a->source.n, sink, a->request->progress,
                              &a->arena, scanned, err));
    return flush(a, err);
}

/* ---- the whole ------------------------------------------------------------------------------
 */

static jali_status check(const jali_assign *r, jali_err *err)
{
    bool vault = r->vault != NULL && r->release != NULL, file = r->clustering != NULL;
    if (vault == file || r->data == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say which clustering (VAULT c1, or a JSON file) and which rows");
    if (r->out != NULL && !jali_file_replaceable(r->out))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%.200s is not a file that may be written", r->out);
    return JALI_OK;
}

static jali_status open_out(assigning *a, jali_err *err)
{
    if (a->request->out == NULL) return JALI_OK;
    a->file = fopen(a->request->out, "w");
    if (a->file != NULL) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST,
                     "%.200s cannot be written; is its folder there, and yours?",
                     a->request->out);
}

static jali_status tell(const assigning *a, const jali_scan *scanned, jali_doc **out,
                        jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "assign", err));
    jali_doc_heading(doc, "Labels for %s", a->request->data);
    jali_doc_fact(doc, "rows", "%llu", (unsigned long long)a->rows);
    jali_doc_fact(doc, "labels", "0 to %u", a->partition.labels - 1);
    if (scanned->bad > 0)
        jali_doc_fact(doc, "left out", "%llu lines that are not CSV",
                      (unsigned long long)scanned->bad);
    if (a->request->out != NULL) jali_doc_fact(doc, "written to", "%s", a->request->out);
    jali_doc_set(doc, "rows", json_integer((json_int_t)a->rows));
    jali_doc_set(doc, "labels", json_integer((json_int_t)a->partition.labels));
    jali_doc_set(doc, "left_out", json_integer((json_int_t)scanned->bad));
    return jali_doc_finish(doc, JALI_OK, out, err);
}

jali_status jali_clustering_assign(const jali_assign *request, jali_doc **out, jali_err *err)
{
    assigning a = { .request = request };
    jali_duckdb *db = NULL;
    jali_scan scanned = { 0 };
    jali_status status = check(request, err);
    if (status == JALI_OK)
        status = request->clustering != NULL ? from_file(&a, err) : from_vault(&a, err);
    if (status == JALI_OK) status = jali_duckdb_new(&db, 1, err);
    if (status == JALI_OK) status = open_out(&a, err);
    if (status == JALI_OK) status = scan(&a, db, &scanned, err);
    if (a.file != NULL && fclose(a.file) != 0 && status == JALI_OK)
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST, "%.200s cannot be written",
                           request->out);
    if (status == JALI_OK) status = tell(&a, &scanned, out, err);
    jali_duckdb_free(db);
    jali_text_clear(&a.line);
    jali_arena_clear(&a.arena);
    return status;
}
