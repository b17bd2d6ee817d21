/* base/pool.c — a small thread pool for loops over blocks.
 *
 * Workers sleep between loops. Indices are handed out one by one from an atomic counter:
 * results must therefore not depend on who did what, which is what integers are for.
 */
#include "base/pool.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

struct jali_pool {
    unsigned threads; /* workers and the caller */
    pthread_t *worker;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    unsigned round, busy;
    bool closing;
    void (*work)(void *self, unsigned worker, size_t i);
    void *self;
    size_t n;
    atomic_size_t next;
};

struct seat {
    jali_pool *pool;
    unsigned number;
};

static void take_turns(jali_pool *pool, unsigned number)
{
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->n) return;
        pool->work(pool->self, number, i);
    }
}

static void *live(void *arg)
{
    struct seat seat = *(struct seat *)arg;
    free(arg);
    jali_pool *pool = seat.pool;
    unsigned seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->closing) break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        take_turns(pool, seat.number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool start_worker(jali_pool *pool, unsigned number)
{
    struct seat *seat = malloc(sizeof *seat);
    if (seat == NULL) return false;
    *seat = (struct seat){ pool, number };
    if (pthread_create(&pool->worker[number], NULL, live, seat) == 0) return true;
    free(seat);
    return false;
}

static unsigned cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

jali_status jali_pool_new(jali_pool **out, unsigned threads, jali_err *err)
{
    jali_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return jali_fail_memory(err);
    if (threads == 0) threads = cores();
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    pool->worker = calloc(threads, sizeof *pool->worker);
    pool->threads = 1;
    while (pool->worker != NULL && pool->threads < threads) {
        if (!start_worker(pool, pool->threads)) break;
        pool->threads++;
    }
    if (pool->worker == NULL || pool->threads < threads) {
        jali_pool_free(pool);
        return jali_fail_memory(err);
    }
    *out = pool;
    return JALI_OK;
}

void jali_pool_free(jali_pool *pool)
{
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i < pool->threads; i++) pthread_join(pool->worker[i], NULL);
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->finished);
    pthread_mutex_destroy(&pool->lock);
    free(pool->worker);
    free(pool);
}

unsigned jali_pool_threads(const jali_pool *pool)
{
    return pool == NULL ? 1 : pool->threads;
}

void jali_pool_each(jali_pool *pool, size_t n,
                    void (*work)(void *self, unsigned worker, size_t i), void *self)
{
    if (pool == NULL || pool->threads == 1 || n < 2) {
        for (size_t i = 0; i < n; i++) work(self, 0, i);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->self = self;
    pool->n = n;
    atomic_store(&pool->next, 0);
    pool->busy = pool->threads - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    take_turns(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
