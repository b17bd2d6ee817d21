/* table/draft.c — a schema read off the data, for the curator to edit.
 *
 * Convenient and dangerous: the ends of a column and its rare values are facts about single
 * persons. So the draft is marked, `jali init` refuses it, and its note says why.
 */
#include "table/draft.h"
#include "base/text.h"
#include "table/draft_facts.h"
#include <pthread.h>

static const char note[] =
    "This schema was read off private data, so its bounds and values are private themselves. "
    "Replace them by what is publicly known, then remove \"draft\" and this note.";

typedef struct drafting {
    pthread_mutex_t lock;
    jali_arena arena;
    size_t n;
    jali_facts *facts;
} drafting;

static jali_status take(void *self, const jali_chunk *chunk, jali_err *err)
{
    drafting *d = self;
    bool good = true;
    pthread_mutex_lock(&d->lock);
    for (size_t c = 0; c < chunk->columns; c++)
        for (size_t r = 0; good && r < chunk->rows; r++) {
            size_t n = 0;
            const char *text = jali_chunk_text(chunk, c, r, &n);
            good = jali_facts_add(&d->facts[c], &d->arena, text == NULL ? "" : text, n);
        }
    pthread_mutex_unlock(&d->lock);
    return good ? JALI_OK : jali_fail_memory(err);
}

/* A name that a schema takes; an empty one goes by its place (table/match.c). */
static jali_status name_column(drafting *d, const jali_source *s, size_t i, jali_err *err)
{
    const char *name = s->header ? s->names[i] : "";
    size_t n = strlen(name);
    while (n > 0 && name[0] == ' ') name++, n--;
    while (n > 0 && name[n - 1] == ' ') n--;
    for (size_t k = 0; k < i && n > 0; k++)
        if (strlen(d->facts[k].name) == n && memcmp(d->facts[k].name, name, n) == 0)
            return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                             "%s has two columns named \"%.*s\"; rename one", s->path,
                             n < 100 ? (int)n : 100, name);
    if (n > JALI_MAX_NAME)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "the name of column %zu of %s has more than %u bytes; shorten it",
                         i + 1, s->path, JALI_MAX_NAME);
    d->facts[i].name = n == 0 ? jali_arena_format(&d->arena, "column%zu", i + 1)
                              : jali_arena_format(&d->arena, "%.*s", (int)n, name);
    return d->facts[i].name == NULL ? jali_fail_memory(err) : JALI_OK;
}

static jali_status start(drafting *d, const jali_source *s, jali_err *err)
{
    if (s->n > JALI_MAX_COLUMNS)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%s has %zu columns; the limit is %u", s->path, s->n,
                         JALI_MAX_COLUMNS);
    d->facts = calloc(s->n, sizeof *d->facts);
    if (d->facts == NULL) return jali_fail_memory(err);
    d->n = s->n;
    for (size_t i = 0; i < s->n; i++) JALI_TRY(name_column(d, s, i, err));
    return JALI_OK;
}

static jali_status read_one(drafting *d, jali_duckdb *db, const char *path,
                            const jali_progress *progress, jali_err *err)
{
    jali_source source;
    jali_scan scan;
    JALI_TRY(jali_duckdb_look(db, path, &d->arena, &source, err));
    if (d->facts == NULL) JALI_TRY(start(d, &source, err));
    if (source.n != d->n)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%s has %zu columns and the file before has %zu", path, source.n,
                         d->n);
    size_t *columns = jali_arena_take(&d->arena, source.n + 1, sizeof *columns);
    if (columns == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < source.n; i++) columns[i] = i;
    return jali_duckdb_scan(db, &source, columns, source.n, (jali_sink){ take, d }, progress,
                            &d->arena, &scan, err);
}

json_t *jali_draft_schema(jali_facts *facts, size_t n, const char *words)
{
    json_t *fields = json_array(), *missing = json_array();
    unsigned seen = 1; /* "" always is */
    for (size_t i = 0; i < n; i++) {
        seen |= facts[i].missing;
        if (json_array_append_new(fields, jali_facts_field(&facts[i])) != 0) goto failed;
    }
    for (unsigned i = 0; i < JALI_DRAFT_MISSING; i++)
        if ((seen >> i & 1) != 0 &&
            json_array_append_new(missing, json_string(jali_draft_missing[i])) != 0)
            goto failed;
    return json_pack("{s:{s:b,s:s},s:o,s:o}", "jali", "draft", 1, "note",
                     words == NULL ? note : words, "missingValues", missing, "fields", fields);
failed:
    json_decref(fields);
    json_decref(missing);
    return NULL;
}

jali_status jali_draft_make(const char *const *files, size_t n, const jali_progress *progress,
                            json_t **out, jali_err *err)
{
    drafting d = { .lock = PTHREAD_MUTEX_INITIALIZER, .arena = JALI_ARENA_INIT };
    jali_duckdb *db = NULL;
    jali_status status = jali_duckdb_new(&db, 0, err);
    for (size_t i = 0; status == JALI_OK && i < n; i++)
        status = read_one(&d, db, files[i], progress, err);
    jali_duckdb_free(db);
    if (status == JALI_OK) {
        json_t *schema = jali_draft_schema(d.facts, d.n, NULL);
        if (schema == NULL) status = jali_fail_memory(err);
        if (schema != NULL) *out = schema;
    }
    for (size_t i = 0; i < d.n && d.facts != NULL; i++) {
        free(d.facts[i].slots);
        free(d.facts[i].values);
    }
    free(d.facts);
    jali_arena_clear(&d.arena);
    return status;
}
