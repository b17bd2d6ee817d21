/* table/import_write.c — the rows that stay, written column by column. */
#include "base/pool.h"
#include "engine/writer.h"
#include "table/import_inside.h"
#include <stdatomic.h>

/* Moves the kept items of `width` bytes together; returns how many. */
static size_t squeeze(unsigned char *at, unsigned width, size_t rows, const uint64_t *keep,
                      uint64_t row)
{
    size_t kept = 0;
    for (size_t r = 0; r < rows; r++, row++) {
        if ((keep[row / 64] >> (row % 64) & 1) == 0) continue;
        if (kept != r) memcpy(at + kept * width, at + r * width, width);
        kept++;
    }
    return kept;
}

typedef struct writing {
    jali_importer *im;
    jali_columns_writer *writer;
    unsigned char **room; /* of each thread of the pool */
    atomic_flag failed;
    jali_status status;
    jali_err err;
} writing;

/* The hidden column: the top 62 bits, NULL being the code nobody has. */
static void fold_persons(unsigned char *at, size_t rows)
{
    const jali_person *person = (const jali_person *)(const void *)at;
    for (size_t r = 0; r < rows; r++) {
        uint64_t code = person[r].who[0] >> 2;
        if (code == JALI_PERSON_DOMAIN - 1) code--;
        memcpy(at + 8 * r, &code, 8); /* behind the one being read */
    }
}

static jali_status write_column(writing *w, unsigned thread, size_t i, jali_err *err)
{
    jali_importer *im = w->im;
    const jali_layout *l = &im->lay;
    bool hidden = i == l->n;
    unsigned width = hidden ? 16 : l->width[i];
    size_t segment = hidden ? l->person : l->segment[i];
    unsigned char *room = w->room[thread];
    for (size_t b = 0; b < im->spool.n; b++) {
        const jali_spool_block *block = &im->spool.blocks[b];
        JALI_TRY(jali_spool_read(&im->spool, b, segment, room, width * block->rows, err));
        size_t kept = squeeze(room, width, block->rows, im->keep, block->first);
        if (hidden) fold_persons(room, kept);
        JALI_TRY(jali_columns_writer_column(w->writer, i, kept, room, hidden ? 8 : width, err));
    }
    return JALI_OK;
}

static void write_one(void *self, unsigned thread, size_t i)
{
    writing *w = self;
    jali_err err;
    jali_status status = write_column(w, thread, i, &err);
    if (status == JALI_OK || atomic_flag_test_and_set(&w->failed)) return;
    w->status = status;
    w->err = err;
}

static jali_status run_writer(jali_importer *im, jali_columns_writer *writer, jali_pool *pool,
                              jali_arena *arena, jali_err *err)
{
    writing w = { .im = im, .writer = writer, .failed = ATOMIC_FLAG_INIT };
    unsigned threads = jali_pool_threads(pool);
    w.room = jali_arena_take(arena, threads, sizeof *w.room);
    if (w.room == NULL) return jali_fail_memory(err);
    for (unsigned t = 0; t < threads; t++) {
        w.room[t] = jali_arena_take(arena, im->lay.block_rows, 16);
        if (w.room[t] == NULL) return jali_fail_memory(err);
    }
    jali_pool_each(pool, im->lay.n + im->persons, write_one, &w);
    if (w.status == JALI_OK) return jali_columns_writer_finish(writer, err);
    if (err != NULL) *err = w.err;
    return w.status;
}

jali_status jali_import_write(jali_importer *im, jali_arena *arena, jali_err *err)
{
    const jali_layout *l = &im->lay;
    const char **names = jali_arena_take(arena, l->n + 1, sizeof *names);
    uint64_t *domains = jali_arena_take(arena, l->n + 1, sizeof *domains);
    if (names == NULL || domains == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < l->n; i++) {
        names[i] = im->schema->fields[l->field[i]].name;
        domains[i] = im->schema->fields[l->field[i]].domain;
    }
    names[l->n] = JALI_PERSON_COLUMN;
    domains[l->n] = JALI_PERSON_DOMAIN;
    jali_columns_writer *writer = NULL;
    jali_pool *pool = NULL;
    jali_status status = jali_columns_writer_new(&writer, im->ask->folder, l->n + im->persons,
                                                 names, domains, err);
    if (status == JALI_OK) status = jali_pool_new(&pool, im->ask->threads, err);
    if (status == JALI_OK) status = run_writer(im, writer, pool, arena, err);
    jali_pool_free(pool);
    jali_columns_writer_free(writer);
    return status;
}
