/* table/import.c — files in, columns of codes out.
 *
 * Two steps. While DuckDB parses, its threads map cells to codes and put blocks of rows into
 * a nameless file; then, when every row of every person is known, the blocks are read back
 * column by column and the rows that stay are written. Memory is a few blocks a thread, the
 * batch of persons and one bit a row, however large the files are.
 */
#include "table/import_inside.h"

enum {
    PERSON_BATCH = 6000000, /* rows whose persons are sorted at a time: 192 MB */
    MAX_IMPORT_FILES = 100000
};

/* ---- reading -------------------------------------------------------------------------- */

static jali_status read_file(jali_importer *im, jali_duckdb *db, const char *path,
                             jali_arena *arena, jali_import_file *out, jali_err *err)
{
    const jali_layout *l = &im->lay;
    jali_source source;
    size_t *index = jali_arena_take(arena, im->schema->n + 1, sizeof *index),
           *columns = jali_arena_take(arena, l->n + 1, sizeof *columns);
    if (index == NULL || columns == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_duckdb_look(db, path, arena, &source, err));
    JALI_TRY(jali_import_match(im->schema, &source, index, &out->extra, err));
    for (size_t i = 0; i < l->n; i++) columns[i] = index[l->field[i]];
    if (im->persons) columns[l->n] = index[im->schema->person];
    uint64_t before = im->spool.rows;
    JALI_TRY(jali_duckdb_scan(db, &source, columns, l->n + im->persons,
                              (jali_sink){ jali_import_take, im }, im->ask->progress, arena,
                              &out->scan, err));
    JALI_TRY(jali_import_flush(im, err));
    out->path = source.path;
    out->header = source.header;
    out->rows = im->spool.rows - before;
    out->bad = out->scan.bad;
    if (out->rows == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "%s has no row that can be read%s",
                         path, source.header ? ", only a header" : "");
    /* A line here and there is bad luck; most of them bad is another dialect. */
    if (out->bad >= out->rows && out->bad > 10)
        return jali_fail(
            err, JALI_E_DATA, JALI_FOR_CURATOR,
            "%s: most lines are not like the first (line %llu: %.100s); remove what "
            "stands above the table",
            path, (unsigned long long)out->scan.shown[0].line, out->scan.shown[0].why);
    return JALI_OK;
}

/* ---- rows that stay ------------------------------------------------------------------- */

static jali_status read_persons(void *self, size_t block, jali_person_rows *out, jali_err *err)
{
    jali_importer *im = self;
    const jali_layout *l = &im->lay;
    const jali_spool_block *b = &im->spool.blocks[block];
    unsigned char *room = im->all->block; /* idle by now, and just of the right size */
    JALI_TRY(jali_spool_read(&im->spool, block, l->person, room + l->person,
                             l->bytes - l->person, err));
    *out = (jali_person_rows){ .rows = b->rows,
                               .first = b->first,
                               .state = room + l->state,
                               .person = (const jali_person *)(void *)(room + l->person),
                               .rank = (const uint64_t *)(void *)(room + l->rank) };
    return JALI_OK;
}

/* Bits of the rows that are not dead. */
static jali_status mark_living(jali_importer *im, uint64_t *living, jali_err *err)
{
    const jali_layout *l = &im->lay;
    unsigned char *state = im->all->block;
    im->keep = calloc((size_t)(im->spool.rows / 64 + 1), sizeof *im->keep);
    if (im->keep == NULL) return jali_fail_memory(err);
    *living = 0;
    for (size_t b = 0; b < im->spool.n; b++) {
        uint64_t row = im->spool.blocks[b].first;
        size_t rows = im->spool.blocks[b].rows;
        JALI_TRY(jali_spool_read(&im->spool, b, l->state, state, rows, err));
        for (size_t r = 0; r < rows; r++, row++) {
            uint64_t lives = state[r] != JALI_ROW_DEAD;
            im->keep[row / 64] |= lives << (row % 64);
            *living += lives;
        }
    }
    return JALI_OK;
}

/* ---- the whole ----------------------------------------------------------------------- */

static jali_status sum_up(const jali_importer *im, jali_arena *arena, jali_import_report *out,
                          jali_err *err)
{
    uint64_t(*fates)[5] = jali_arena_take(arena, im->schema->n + 1, sizeof *fates);
    if (fates == NULL) return jali_fail_memory(err);
    for (const jali_worker *w = im->all; w != NULL; w = w->next) {
        out->rows_unfit += w->unfit;
        for (size_t i = 0; i < im->lay.n; i++)
            for (size_t k = 0; k < 5; k++) fates[im->lay.field[i]][k] += w->fates[i][k];
    }
    out->n_fields = im->schema->n;
    out->fates = (const uint64_t(*)[5])fates;
    out->rows_read = im->spool.rows;
    return JALI_OK;
}

static jali_status bound_persons(jali_importer *im, jali_import_report *out, jali_err *err)
{
    uint64_t living = 0;
    JALI_TRY(mark_living(im, &living, err));
    if (im->persons) {
        jali_person_source source = { im->spool.n, im->spool.rows, read_persons, im };
        JALI_TRY(jali_persons_bound(&source, im->schema->rows_per_person, PERSON_BATCH,
                                    im->keep, &out->persons, err));
    }
    out->rows_kept = living - out->persons.dropped;
    if (out->rows_kept == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "every row lacks a value that the schema requires; nothing is left");
    return JALI_OK;
}

static jali_status import_all(jali_importer *im, jali_duckdb *db, jali_arena *arena,
                              jali_import_report *out, jali_err *err)
{
    jali_import_file *files = jali_arena_take(arena, im->ask->n_files, sizeof *files);
    if (files == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < im->ask->n_files; i++)
        JALI_TRY(read_file(im, db, im->ask->files[i], arena, &files[i], err));
    out->n_files = im->ask->n_files;
    out->files = files;
    JALI_TRY(sum_up(im, arena, out, err));
    JALI_TRY(bound_persons(im, out, err));
    return jali_import_write(im, out->rows_kept, arena, err);
}

static jali_status check_request(const jali_importer *im, jali_err *err)
{
    if (im->ask->n_files == 0 || im->ask->n_files > MAX_IMPORT_FILES)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR, "name 1 to %d data files",
                         MAX_IMPORT_FILES);
    if (im->lay.n == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "the schema drops every column; nothing would be left to ask about");
    return JALI_OK;
}

jali_status jali_import(const jali_import_request *request, jali_arena *arena,
                        jali_import_report *out, jali_err *err)
{
    jali_importer im = { .ask = request,
                         .schema = request->schema,
                         .persons = request->schema->person >= 0,
                         .lock = PTHREAD_MUTEX_INITIALIZER };
    jali_import_report report = { 0 };
    jali_duckdb *db = NULL;
    JALI_TRY(jali_import_lay_out(&im, arena, err));
    JALI_TRY(check_request(&im, err));
    JALI_TRY(jali_spool_init(&im.spool, request->scratch, err));
    jali_status status = jali_duckdb_new(&db, request->threads, err);
    if (status == JALI_OK) status = import_all(&im, db, arena, &report, err);
    jali_duckdb_free(db);
    jali_spool_clear(&im.spool);
    free(im.keep);
    jali_import_free_workers(&im);
    if (status == JALI_OK) *out = report;
    return status;
}
