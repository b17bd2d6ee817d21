/* Threads: every index once, whoever does it. */
#include "base/pool.h"
#include "unit.h"
#include <stdatomic.h>

enum { N = 10000 };

struct tally {
    atomic_int seen[N];
    atomic_int outside; /* a worker number the pool does not have */
    unsigned threads;
};

static void count(void *self, unsigned worker, size_t i)
{
    struct tally *t = self;
    atomic_fetch_add(&t->seen[i], 1);
    if (worker >= t->threads) atomic_fetch_add(&t->outside, 1);
}

static void each_index_once(jali_pool *pool, size_t n)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    t.threads = jali_pool_threads(pool);
    jali_pool_each(pool, n, count, &t);
    for (size_t i = 0; i < N; i++) CHECK(t.seen[i] == (i < n));
    CHECK(t.outside == 0);
}

SENTENCE(every_index_is_done_once_for_any_number_of_threads)
{
    UNUSED_STATE;
    each_index_once(NULL, N);
    for (unsigned threads = 1; threads <= 8; threads++) {
        jali_pool *pool;
        CHECK_OK(jali_pool_new(&pool, threads, NULL));
        CHECK(jali_pool_threads(pool) == threads);
        for (int again = 0; again < 20; again++) each_index_once(pool, N);
        each_index_once(pool, 0);
        each_index_once(pool, 1);
        each_index_once(pool, 2);
        jali_pool_free(pool);
    }
}

SENTENCE(zero_threads_means_one_per_core)
{
    UNUSED_STATE;
    jali_pool *pool;
    CHECK_OK(jali_pool_new(&pool, 0, NULL));
    CHECK(jali_pool_threads(pool) >= 1);
    jali_pool_free(pool);
    jali_pool_free(NULL);
}

RUN_ALL(TEST(every_index_is_done_once_for_any_number_of_threads),
        TEST(zero_threads_means_one_per_core))
