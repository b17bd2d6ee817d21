/* engine/columns.c — the vault's own column files: raw codes, mapped. */
#define _DEFAULT_SOURCE
#include "engine/columns.h"
#include "engine/codes.h"
#include "engine/columns_inside.h"
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "column files are little-endian arrays and are mapped as they are"
#endif

unsigned jali_column_width(uint64_t domain)
{
    return domain <= 1ull << 8 ? 1 : domain <= 1ull << 16 ? 2 : domain <= 1ull << 32 ? 4 : 8;
}

static size_t slot_of(const jali_columns *c, const char *name)
{
    size_t at = (size_t)XXH3_64bits(name, strlen(name)) & (c->slots - 1);
    while (c->slot[at] != 0 && strcmp(c->column[c->slot[at] - 1].name, name) != 0)
        at = (at + 1) & (c->slots - 1);
    return at;
}

static jali_status take_room(jali_columns *c, jali_err *err)
{
    size_t n = c->manifest.n;
    for (c->slots = 16; c->slots < 2 * n;) c->slots *= 2;
    c->column = jali_arena_take(&c->arena, n + 1, sizeof *c->column);
    c->mapped = jali_arena_take(&c->arena, n + 1, sizeof *c->mapped);
    c->mark = jali_arena_take(&c->arena, n + 1, sizeof *c->mark);
    c->believed_until = jali_arena_take(&c->arena, n + 1, sizeof *c->believed_until);
    c->slot = jali_arena_take(&c->arena, c->slots, sizeof *c->slot);
    if (c->column == NULL || c->mapped == NULL || c->mark == NULL ||
        c->believed_until == NULL || c->slot == NULL)
        return jali_fail_memory(err);
    return JALI_OK;
}

jali_status jali_columns_enter(jali_columns *c, jali_err *err)
{
    JALI_TRY(take_room(c, err));
    for (size_t i = 0; i < c->manifest.n; i++) {
        const jali_manifest_line *l = &c->manifest.line[i];
        c->column[i] = (jali_column){ l->name, l->width, l->domain, c->manifest.rows, NULL };
        size_t at = slot_of(c, l->name);
        if (c->slot[at] != 0)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "%s names the column \"%.100s\" twice: restore the vault from a "
                             "copy or import the table again",
                             c->folder, l->name);
        c->slot[at] = (uint32_t)i + 1;
    }
    return JALI_OK;
}

static jali_status read_folder(jali_columns *c, const char *folder, unsigned rank,
                               unsigned ranks, jali_err *err)
{
    JALI_TRY(jali_shards_open(&c->shards, folder, rank, ranks, &c->arena, err));
    c->folder = c->shards.folder;
    c->manifest = *c->shards.facts;
    c->manifest.rows = c->shards.rows;
    return jali_columns_enter(c, err);
}

jali_status jali_columns_open_share(jali_columns **out, const char *folder, unsigned rank,
                                    unsigned ranks, jali_err *err)
{
    jali_columns *c = calloc(1, sizeof *c);
    if (c == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&c->lock, NULL);
    jali_status status = read_folder(c, folder, rank, ranks, err);
    if (status != JALI_OK) {
        jali_columns_free(c);
        return status;
    }
    *out = c;
    return JALI_OK;
}

jali_status jali_columns_open(jali_columns **out, const char *folder, jali_err *err)
{
    return jali_columns_open_share(out, folder, 0, 1, err);
}

static jali_status borrow(jali_columns *c, const jali_column *column, size_t n, jali_err *err)
{
    c->folder = "memory";
    c->borrowed = true;
    c->manifest.n = n;
    c->manifest.rows = n > 0 ? column[0].rows : 0;
    c->manifest.line = jali_arena_take(&c->arena, n + 1, sizeof *c->manifest.line);
    if (c->manifest.line == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        c->manifest.line[i] = (jali_manifest_line){ .name = column[i].name,
                                                    .file = "",
                                                    .width = column[i].width,
                                                    .domain = column[i].domain };
    JALI_TRY(jali_columns_enter(c, err));
    for (size_t i = 0; i < n; i++) {
        const jali_column *k = &column[i];
        if (k->rows != c->manifest.rows || k->rows > JALI_ROWS_MAX || k->domain == 0 ||
            k->width != jali_column_width(k->domain) ||
            !jali_codes_below(k->codes, k->width, (size_t)k->rows, k->domain))
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                             "column \"%.100s\" in memory is not as its facts say", k->name);
        c->column[i].codes = k->rows > 0 ? k->codes : c->column;
        atomic_store(&c->mapped[i], c->column[i].codes);
        atomic_store(&c->believed_until[i], INT64_MAX);
    }
    return JALI_OK;
}

jali_status jali_columns_borrow(jali_columns **out, const jali_column *column, size_t n,
                                jali_err *err)
{
    jali_columns *c = calloc(1, sizeof *c);
    if (c == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&c->lock, NULL);
    jali_status status = borrow(c, column, n, err);
    if (status != JALI_OK) {
        jali_columns_free(c);
        return status;
    }
    *out = c;
    return JALI_OK;
}

void jali_columns_free(jali_columns *c)
{
    if (c == NULL) return;
    bool unmap = c->mapped != NULL && c->manifest.rows > 0 && !c->borrowed;
    for (size_t i = 0; unmap && i < c->manifest.n; i++) {
        void *at = (void *)(uintptr_t)atomic_load(&c->mapped[i]);
        if (at != NULL) munmap(at, c->manifest.rows * c->column[i].width);
    }
    pthread_mutex_destroy(&c->lock);
    jali_arena_clear(&c->arena);
    free(c);
}

const char *jali_columns_set(const jali_columns *c)
{
    return c->manifest.set;
}

void jali_columns_join(jali_columns *c, const jali_crew *crew)
{
    c->crew = crew;
}

const jali_crew *jali_columns_crew(const jali_columns *c)
{
    return c->crew;
}

size_t jali_columns_count(const jali_columns *c)
{
    return c->manifest.n;
}

uint64_t jali_columns_rows(const jali_columns *c)
{
    return c->manifest.rows;
}

const jali_column *jali_columns_at(const jali_columns *c, size_t i)
{
    return &c->column[i];
}

bool jali_columns_find(const jali_columns *c, const char *name, size_t *i)
{
    uint32_t found = c->slot[slot_of(c, name)];
    if (found == 0) return false;
    *i = found - 1;
    return true;
}

/* With the lock. Nothing can be mapped of no rows, and NULL means "not yet". */
static jali_status map_first(jali_columns *c, size_t i, jali_err *err)
{
    void *at = NULL;
    if (c->mark[i] == NULL)
        c->mark[i] = jali_arena_take(&c->arena, c->shards.n, sizeof *c->mark[i]);
    if (c->mark[i] == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_shards_map(&c->shards, i, c->mark[i], &at, err));
    c->column[i].codes = at != NULL ? at : c->column;
    atomic_store_explicit(&c->mapped[i], c->column[i].codes, memory_order_release);
    return JALI_OK;
}

jali_status jali_columns_map(jali_columns *c, size_t i, const jali_column **out, jali_err *err)
{
    jali_status status = JALI_OK;
    if (c->remote != NULL) JALI_TRY(jali_columns_load(c, err));
    if (atomic_load_explicit(&c->mapped[i], memory_order_acquire) == NULL) {
        pthread_mutex_lock(&c->lock);
        if (atomic_load(&c->mapped[i]) == NULL) status = map_first(c, i, err);
        pthread_mutex_unlock(&c->lock);
    }
    if (status == JALI_OK) *out = &c->column[i];
    return status;
}

static int64_t clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec;
}

/* Who holds columns for long reads their pages from the disk again and again. */
jali_status jali_columns_verify(jali_columns *c, size_t i, jali_err *err)
{
    enum { BELIEVED_S = 60 };
    const jali_column *col;
    JALI_TRY(jali_columns_map(c, i, &col, err));
    const int64_t now = clock_s();
    if (atomic_load(&c->believed_until[i]) > now) return JALI_OK;
    JALI_TRY(jali_shards_verify(&c->shards, i, col->codes, err));
    atomic_store(&c->believed_until[i], now + BELIEVED_S);
    return JALI_OK;
}

bool jali_columns_as_opened(const jali_columns *c)
{
    bool same = c->remote == NULL && !c->borrowed && jali_shards_as_opened(&c->shards);
    for (size_t i = 0; same && i < c->manifest.n; i++)
        if (atomic_load_explicit(&c->mapped[i], memory_order_acquire) != NULL)
            same = jali_shards_as_mapped(&c->shards, i, c->mark[i]);
    return same;
}

struct verify_job {
    jali_columns *columns;
    const size_t *index;
    pthread_mutex_t lock;
    size_t
        worst; /* the first column that failed, so that the sentence does not depend on luck */
    jali_status status;
    jali_err err;
};

static void verify_one(void *self, unsigned worker, size_t i)
{
    (void)worker;
    struct verify_job *job = self;
    jali_err err;
    jali_status status = jali_columns_verify(job->columns, job->index[i], &err);
    if (status == JALI_OK) return;
    pthread_mutex_lock(&job->lock);
    if (i < job->worst) {
        job->worst = i;
        job->status = status;
        job->err = err;
    }
    pthread_mutex_unlock(&job->lock);
}

jali_status jali_columns_verify_all(jali_columns *c, const size_t *index, size_t n,
                                    jali_pool *pool, jali_err *err)
{
    struct verify_job job = { .columns = c, .index = index, .worst = SIZE_MAX };
    pthread_mutex_init(&job.lock, NULL);
    jali_pool_each(pool, n, verify_one, &job);
    pthread_mutex_destroy(&job.lock);
    if (job.status != JALI_OK && err != NULL) *err = job.err;
    return job.status;
}

jali_status jali_columns_check_all(jali_columns *c, const size_t *index, size_t n,
                                   jali_pool *pool, jali_err *err)
{
    if (c->remote == NULL) return jali_columns_verify_all(c, index, n, pool, err);
    JALI_TRY(jali_remote_check(c->remote, err));
    return jali_remote_divide(c, err);
}

const char *const *jali_columns_parts(const jali_columns *c, size_t *n)
{
    *n = c->parts;
    return c->part;
}

const jali_remote *jali_columns_remote_of(const jali_columns *c)
{
    return c->remote;
}

bool jali_columns_loaded(const jali_columns *c)
{
    return c->remote == NULL || atomic_load(&c->loaded);
}

jali_status jali_columns_load(jali_columns *c, jali_err *err)
{
    jali_status status = JALI_OK;
    if (jali_columns_loaded(c)) return JALI_OK;
    pthread_mutex_lock(&c->lock);
    if (!atomic_load(&c->loaded)) status = jali_remote_fetch(c, err);
    if (status == JALI_OK) atomic_store(&c->loaded, true);
    pthread_mutex_unlock(&c->lock);
    return status;
}
