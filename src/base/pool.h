/* base/pool.h — a small thread pool for loops over blocks. */
#ifndef JALI_BASE_POOL_H
#define JALI_BASE_POOL_H

#include "base/err.h"

typedef struct jali_pool jali_pool;

/* A pool of `threads` workers, the caller being one of them; 0 means one per core. */
JALI_MUST_USE jali_status jali_pool_new(jali_pool **out, unsigned threads, jali_err *err);
void jali_pool_free(jali_pool *pool); /* NULL is fine */

unsigned jali_pool_threads(const jali_pool *pool); /* 1 for NULL */

/* Calls work(self, worker, i) for i = 0..n-1, each once, in any order, and returns when
 * all are done. `worker` is below jali_pool_threads(pool): use it to pick scratch memory.
 * A NULL pool runs in the caller. Not to be called from inside `work`. */
void jali_pool_each(jali_pool *pool, size_t n,
                    void (*work)(void *self, unsigned worker, size_t i), void *self);

#endif
