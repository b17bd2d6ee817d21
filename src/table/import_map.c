/* table/import_map.c — cells to codes, in DuckDB's threads. */
#include "table/import_inside.h"
#include "table/inside.h"

enum {
    BLOCK_BYTES = 4 << 20, /* of one thread's rows before they go to the file */
    BLOCK_ROWS = 65536     /* at most                                         */
};

/* ---- the shape of a block ----------------------------------------------------------- */

jali_status jali_import_lay_out(jali_importer *im, jali_arena *arena, jali_err *err)
{
    const jali_schema *s = im->schema;
    jali_layout *l = &im->lay;
    size_t *field = jali_arena_take(arena, s->n + 1, sizeof *field),
           *segment = jali_arena_take(arena, s->n + 1, sizeof *segment);
    unsigned *width = jali_arena_take(arena, s->n + 1, sizeof *width);
    if (field == NULL || segment == NULL || width == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < s->n; i++) {
        if (!s->fields[i].used) continue;
        field[l->n] = i;
        width[l->n] = jali_column_width(s->fields[i].domain);
        l->row_bytes += width[l->n++];
    }
    size_t each = l->row_bytes + 1 + (im->persons ? sizeof(jali_person) + 8 : 0);
    size_t rows = BLOCK_BYTES / each / JALI_CHUNK_ROWS * JALI_CHUNK_ROWS;
    l->block_rows = rows < JALI_CHUNK_ROWS ? (size_t)JALI_CHUNK_ROWS
                    : rows > BLOCK_ROWS    ? (size_t)BLOCK_ROWS
                                           : rows;
    for (size_t i = 0; i < l->n; i++) {
        segment[i] = l->bytes;
        l->bytes += width[i] * l->block_rows;
    }
    l->person = l->bytes;
    if (im->persons) l->bytes += sizeof(jali_person) * l->block_rows;
    l->rank = l->bytes;
    if (im->persons) l->bytes += 8 * l->block_rows;
    l->state = l->bytes;
    l->bytes += l->block_rows;
    l->field = field;
    l->width = width;
    l->segment = segment;
    return JALI_OK;
}

/* ---- workers: one for each thread that is inside --------------------------------------- */

static void worker_free(jali_worker *w)
{
    if (w == NULL) return;
    free(w->block);
    free(w->row);
    free(w->fates);
    free(w);
}

static jali_status worker_new(jali_importer *im, jali_worker **out, jali_err *err)
{
    jali_worker *w = calloc(1, sizeof *w);
    if (w == NULL) return jali_fail_memory(err);
    w->block = calloc(1, im->lay.bytes); /* its whole is written, the end of the last one too */
    w->row = malloc(im->lay.row_bytes + 1);
    w->fates = calloc(im->lay.n + 1, sizeof *w->fates);
    if (w->block == NULL || w->row == NULL || w->fates == NULL) {
        worker_free(w);
        return jali_fail_memory(err);
    }
    *out = w;
    return JALI_OK;
}

static jali_status worker_take(jali_importer *im, jali_worker **out, jali_err *err)
{
    pthread_mutex_lock(&im->lock);
    jali_worker *w = im->idle;
    if (w != NULL) im->idle = w->free_next;
    pthread_mutex_unlock(&im->lock);
    if (w == NULL) {
        JALI_TRY(worker_new(im, &w, err));
        pthread_mutex_lock(&im->lock);
        w->next = im->all;
        im->all = w;
        pthread_mutex_unlock(&im->lock);
    }
    *out = w;
    return JALI_OK;
}

static void worker_give(jali_importer *im, jali_worker *w)
{
    pthread_mutex_lock(&im->lock);
    w->free_next = im->idle;
    im->idle = w;
    pthread_mutex_unlock(&im->lock);
}

static jali_status worker_flush(jali_importer *im, jali_worker *w, jali_err *err)
{
    if (w->rows == 0) return JALI_OK;
    size_t rows = w->rows;
    w->rows = 0;
    return jali_spool_add(&im->spool, w->block, im->lay.bytes, rows, err);
}

static void store(unsigned char *at, unsigned width, uint64_t code)
{
    /* The widths are those of little-endian column files; so is every machine we run on. */
    if (width == 1)
        *at = (unsigned char)code;
    else if (width == 2)
        memcpy(at, &(uint16_t){ (uint16_t)code }, 2);
    else if (width == 4)
        memcpy(at, &(uint32_t){ (uint32_t)code }, 4);
    else
        memcpy(at, &code, 8);
}

/* Column i of the chunk. Rows whose required value is missing die. */
static void map_column(const jali_importer *im, jali_worker *w, const jali_chunk *chunk,
                       size_t i)
{
    const jali_field *f = &im->schema->fields[im->lay.field[i]];
    unsigned width = im->lay.width[i];
    unsigned char *at = w->block + im->lay.segment[i] + w->rows * width;
    unsigned char *state = w->block + im->lay.state + w->rows;
    uint64_t null = jali_field_null(f);
    for (size_t r = 0; r < chunk->rows; r++, at += width) {
        size_t n = 0;
        jali_fate fate = JALI_MISSING;
        const char *text = jali_chunk_text(chunk, i, r, &n);
        uint64_t code = text == NULL ? null : jali_field_code(im->schema, f, text, n, &fate);
        w->fates[i][fate]++;
        store(at, width, code);
        if (f->required && code == null) state[r] = JALI_ROW_DEAD;
    }
}

static const char *trim(const char *text, size_t *n)
{
    while (*n > 0 && (text[0] == ' ' || text[0] == '\t')) text++, --*n;
    while (*n > 0 && (text[*n - 1] == ' ' || text[*n - 1] == '\t')) --*n;
    return text;
}

/* Whose rows they are and how they rank. A row without an id is a person of its own; what
 * its hash is must still come from its content and from nothing else. */
static void name_rows(const jali_importer *im, jali_worker *w, const jali_chunk *chunk)
{
    const jali_layout *l = &im->lay;
    jali_person *person = (jali_person *)(void *)(w->block + l->person) + w->rows;
    uint64_t *rank = (uint64_t *)(void *)(w->block + l->rank) + w->rows;
    unsigned char *state = w->block + l->state + w->rows;
    for (size_t r = 0; r < chunk->rows; r++) {
        size_t n = 0, used = 0;
        const char *id = jali_chunk_text(chunk, l->n, r, &n);
        for (size_t i = 0; i < l->n; used += l->width[i], i++)
            memcpy(w->row + used, w->block + l->segment[i] + (w->rows + r) * l->width[i],
                   l->width[i]);
        if (id != NULL) id = trim(id, &n);
        if (id == NULL || n == 0 || jali_words_find(im->schema->missing_words, id, n) >= 0) {
            if (state[r] == JALI_ROW_NAMED) state[r] = JALI_ROW_ALONE;
            person[r] = jali_person_of(im->ask->key, (const char *)w->row, used);
            person[r].who[0] ^= 1; /* not the person whose id is these bytes */
        } else {
            person[r] = jali_person_of(im->ask->key, id, n);
        }
        rank[r] = jali_person_rank(im->ask->key, person[r], w->row, used);
    }
}

jali_status jali_import_take(void *self, const jali_chunk *chunk, jali_err *err)
{
    jali_importer *im = self;
    jali_worker *w;
    JALI_TRY(worker_take(im, &w, err));
    jali_status status = JALI_OK;
    if (w->rows + chunk->rows > im->lay.block_rows) status = worker_flush(im, w, err);
    if (status == JALI_OK) {
        unsigned char *state = w->block + im->lay.state + w->rows;
        memset(state, JALI_ROW_NAMED, chunk->rows);
        for (size_t i = 0; i < im->lay.n; i++) map_column(im, w, chunk, i);
        if (im->persons) name_rows(im, w, chunk);
        for (size_t r = 0; r < chunk->rows; r++) w->unfit += state[r] == JALI_ROW_DEAD;
        w->rows += chunk->rows;
    }
    worker_give(im, w);
    return status;
}

jali_status jali_import_flush(jali_importer *im, jali_err *err)
{
    for (jali_worker *w = im->all; w != NULL; w = w->next) JALI_TRY(worker_flush(im, w, err));
    return JALI_OK;
}

void jali_import_free_workers(jali_importer *im)
{
    while (im->all != NULL) {
        jali_worker *next = im->all->next;
        worker_free(im->all);
        im->all = next;
    }
    im->idle = NULL;
}
