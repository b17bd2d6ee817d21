/* tests/support/thread_crew.h — a crew whose ranks are threads of one process.
 *
 * What jali-tally does between machines, without MPI: so that every kind of tally can be tried
 * thousands of times, and under sanitizers.
 */
#ifndef JALI_TESTS_THREAD_CREW_H
#define JALI_TESTS_THREAD_CREW_H

#include "jali.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREAD_RANKS = 8 };

typedef struct thread_crew {
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    unsigned ranks;
    void *open; /* rank 0's bytes */
    struct thread_rank {
        struct thread_crew *crew;
        unsigned rank;
    } rank[THREAD_RANKS];
} thread_crew;

/* Rank 0 lays its bytes open, everybody does `what` with them, all go on. */
static inline void thread_meet(struct thread_rank *r, void *bytes,
                               void (*what)(void *to, void *from, size_t n), void *mine,
                               size_t n)
{
    thread_crew *c = r->crew;
    if (r->rank == 0) c->open = bytes;
    pthread_barrier_wait(&c->barrier);
    if (r->rank > 0) {
        pthread_mutex_lock(&c->lock);
        what(c->open, mine, n);
        pthread_mutex_unlock(&c->lock);
    }
    pthread_barrier_wait(&c->barrier);
}

static inline void thread_copy_back(void *open, void *mine, size_t n)
{
    memcpy(mine, open, n);
}

static inline void thread_sum(void *open, void *mine, size_t n)
{
    for (size_t i = 0; i < n; i++) ((int64_t *)open)[i] += ((int64_t *)mine)[i];
}

static inline void thread_or(void *open, void *mine, size_t n)
{
    for (size_t i = 0; i < n; i++) ((uint64_t *)open)[i] |= ((uint64_t *)mine)[i];
}

static inline bool thread_tell(void *self, void *bytes, size_t n)
{
    thread_meet(self, bytes, thread_copy_back, bytes, n);
    return true;
}

static inline bool thread_add(void *self, int64_t *cell, size_t n)
{
    thread_meet(self, cell, thread_sum, cell, n);
    return true;
}

static inline bool thread_either(void *self, uint64_t *word, size_t n)
{
    thread_meet(self, word, thread_or, word, n);
    return true;
}

static inline bool thread_gather(void *self, const void *bytes, size_t n, void *out)
{
    struct thread_rank *r = self;
    thread_crew *c = r->crew;
    if (r->rank == 0) c->open = out;
    pthread_barrier_wait(&c->barrier);
    memcpy((char *)c->open + r->rank * n, bytes, n);
    pthread_barrier_wait(&c->barrier);
    return true;
}

static inline void thread_crew_init(thread_crew *c, unsigned ranks)
{
    c->ranks = ranks;
    pthread_barrier_init(&c->barrier, NULL, ranks);
    pthread_mutex_init(&c->lock, NULL);
    for (unsigned i = 0; i < ranks; i++) c->rank[i] = (struct thread_rank){ c, i };
}

static inline void thread_crew_clear(thread_crew *c)
{
    pthread_barrier_destroy(&c->barrier);
    pthread_mutex_destroy(&c->lock);
}

static inline jali_crew thread_crew_rank(thread_crew *c, unsigned rank)
{
    return (jali_crew){ .rank = rank,
                        .ranks = c->ranks,
                        .tell = thread_tell,
                        .add = thread_add,
                        .either = thread_either,
                        .gather = thread_gather,
                        .self = &c->rank[rank] };
}

#endif
