/* table/import_write.c — the rows that stay, written column by column. */
#include "base/pool.h"
#include "engine/shards.h"
#include "engine/writer.h"
#include "table/import_inside.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* Columns beyond the fields: the bins of numbers that have them, then the persons. */
typedef struct writing {
    jali_importer *im;
    size_t n_binned;
    size_t *binned; /* indices into the layout */
    size_t shards;
    uint64_t each;                /* rows of a shard; the last has what is left */
    jali_columns_writer **writer; /* one a shard */
    unsigned char **room;         /* of each thread of the pool */
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

static uint64_t load(const unsigned char *at, unsigned width)
{
    uint64_t code = 0;
    memcpy(&code, at, width);
    return code;
}

/* Codes of a number as the numbers of its bins, NULL last, in 16 bits. */
static void bin_codes(const jali_field *f, const unsigned char *at, unsigned width, size_t rows,
                      uint16_t *to)
{
    uint64_t null = jali_field_null(f);
    for (size_t r = 0; r < rows; r++) {
        uint64_t code = load(at + r * width, width);
        to[r] = (uint16_t)(code == null ? f->n_bins : jali_field_bin_of(f, code));
    }
}

/* `rows` codes behind the *done that the column has already, to the shards they belong to. */
static jali_status put(writing *w, size_t i, uint64_t *done, size_t rows,
                       const unsigned char *codes, unsigned width, jali_err *err)
{
    while (rows > 0) {
        uint64_t shard = *done / w->each, end = (shard + 1) * w->each;
        if (shard >= w->shards) shard = w->shards - 1; /* nothing is left over: see each */
        size_t n = shard + 1 < w->shards && end - *done < rows ? (size_t)(end - *done) : rows;
        JALI_TRY(jali_columns_writer_column(w->writer[shard], i, n, codes, width, err));
        if (*done + n == end) JALI_TRY(jali_columns_writer_rest(w->writer[shard], i, err));
        codes += n * width;
        *done += n;
        rows -= n;
    }
    return JALI_OK;
}

static jali_status write_column(writing *w, unsigned thread, size_t i, jali_err *err)
{
    jali_importer *im = w->im;
    const jali_layout *l = &im->lay;
    bool hidden = i == l->n + w->n_binned, bins = !hidden && i >= l->n;
    size_t source = bins ? w->binned[i - l->n] : i;
    unsigned width = hidden ? 16 : l->width[source];
    size_t segment = hidden ? l->person : l->segment[source];
    unsigned char *room = w->room[thread], *second = room + 8 * l->block_rows;
    uint64_t done = 0;
    for (size_t b = 0; b < im->spool.n; b++) {
        const jali_spool_block *block = &im->spool.blocks[b];
        JALI_TRY(jali_spool_read(&im->spool, b, segment, room, width * block->rows, err));
        size_t kept = squeeze(room, width, block->rows, im->keep, block->first);
        if (hidden) fold_persons(room, kept);
        if (bins)
            bin_codes(&im->schema->fields[l->field[source]], room, width, kept,
                      (uint16_t *)(void *)second);
        JALI_TRY(put(w, i, &done, kept, bins ? second : room,
                     hidden ? 8
                     : bins ? 2
                            : width,
                     err));
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

static jali_status run_writer(writing *w, jali_pool *pool, jali_arena *arena, jali_err *err)
{
    jali_importer *im = w->im;
    unsigned threads = jali_pool_threads(pool);
    w->room = jali_arena_take(arena, threads, sizeof *w->room);
    if (w->room == NULL) return jali_fail_memory(err);
    for (unsigned t = 0; t < threads; t++) {
        w->room[t] = jali_arena_take(arena, im->lay.block_rows, 16);
        if (w->room[t] == NULL) return jali_fail_memory(err);
    }
    jali_pool_each(pool, im->lay.n + w->n_binned + im->persons, write_one, w);
    if (w->status != JALI_OK) {
        if (err != NULL) *err = w->err;
        return w->status;
    }
    for (size_t s = 0; s < w->shards; s++)
        JALI_TRY(jali_columns_writer_finish(w->writer[s], err));
    return im->ask->shards < 2
               ? JALI_OK
               : jali_shards_write(im->ask->folder, im->ask->set, w->shards, err);
}

/* Fields, then NAME#bin of those with bins, then #person. */
static jali_status name_columns(writing *w, jali_arena *arena, const char ***names,
                                uint64_t **domains, size_t *n, jali_err *err)
{
    const jali_layout *l = &w->im->lay;
    const jali_field *fields = w->im->schema->fields;
    *names = jali_arena_take(arena, 2 * l->n + 1, sizeof **names);
    *domains = jali_arena_take(arena, 2 * l->n + 1, sizeof **domains);
    w->binned = jali_arena_take(arena, l->n, sizeof *w->binned);
    if (*names == NULL || *domains == NULL || w->binned == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < l->n; i++) {
        const jali_field *f = &fields[l->field[i]];
        (*names)[i] = f->name;
        (*domains)[i] = f->domain;
        if (f->kind != JALI_NUMBER || f->n_bins == 0) continue;
        size_t at = l->n + w->n_binned;
        (*names)[at] = jali_arena_format(arena, "%s" JALI_BIN_SUFFIX, f->name);
        (*domains)[at] = (uint64_t)f->n_bins + 1;
        if ((*names)[at] == NULL) return jali_fail_memory(err);
        w->binned[w->n_binned++] = i;
    }
    *n = l->n + w->n_binned;
    if (!w->im->persons) return JALI_OK;
    (*names)[*n] = JALI_PERSON_COLUMN;
    (*domains)[(*n)++] = JALI_PERSON_DOMAIN;
    return JALI_OK;
}

/* A table in one piece is one writer without a word about shards. */
static jali_status new_writers(writing *w, size_t n, const char *const *names,
                               const uint64_t *domains, jali_arena *arena, jali_err *err)
{
    const jali_import_request *ask = w->im->ask;
    w->writer = jali_arena_take(arena, w->shards, sizeof *w->writer);
    if (w->writer == NULL) return jali_fail_memory(err);
    if (ask->shards < 2)
        return jali_columns_writer_new(&w->writer[0], ask->folder, n, names, domains, err);
    if (mkdir(ask->folder, 0700) != 0)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot make the folder %s: %s",
                         ask->folder, strerror(errno));
    for (size_t s = 0; s < w->shards; s++) {
        char name[32];
        jali_shards_name(name, sizeof name, s);
        const char *folder = jali_arena_format(arena, "%s/%s", ask->folder, name);
        if (folder == NULL) return jali_fail_memory(err);
        JALI_TRY(jali_columns_writer_new(&w->writer[s], folder, n, names, domains, err));
        jali_columns_writer_shard(w->writer[s], ask->set, s, w->shards);
    }
    return JALI_OK;
}

jali_status jali_import_write(jali_importer *im, uint64_t rows, jali_arena *arena,
                              jali_err *err)
{
    writing w = { .im = im, .failed = ATOMIC_FLAG_INIT };
    const char **names = NULL;
    uint64_t *domains = NULL;
    size_t n = 0;
    jali_pool *pool = NULL;
    w.shards = im->ask->shards < 2 ? 1 : im->ask->shards;
    w.each = jali_shards_rows(rows, w.shards);
    JALI_TRY(name_columns(&w, arena, &names, &domains, &n, err));
    jali_status status = new_writers(&w, n, names, domains, arena, err);
    if (status == JALI_OK) status = jali_pool_new(&pool, im->ask->threads, err);
    if (status == JALI_OK) status = run_writer(&w, pool, arena, err);
    jali_pool_free(pool);
    for (size_t s = 0; w.writer != NULL && s < w.shards; s++)
        jali_columns_writer_free(w.writer[s]);
    return status;
}
