/* tests/tally/crew_ranks.h — ranks as threads that do the orders of rank 0. */
#ifndef JALI_TESTS_TALLY_CREW_RANKS_H
#define JALI_TESTS_TALLY_CREW_RANKS_H

#include "plane.h"
#include "support/thread_crew.h"
#include "tally/hand.h"
#include "tally/order.h"

typedef struct hands {
    thread_crew line;
    jali_crew crew[THREAD_RANKS];
    jali_columns *columns[THREAD_RANKS];
    jali_hand hand[THREAD_RANKS];
    pthread_t thread[THREAD_RANKS];
    jali_status said[THREAD_RANKS]; /* the first failure */
} hands;

typedef struct task {
    hands *h;
    unsigned rank;
} task;

static void *serve(void *self)
{
    task t = *(task *)self;
    jali_hand *hand = &t.h->hand[t.rank];
    free(self);
    for (bool stop = false; !stop;) {
        char *bytes;
        size_t n;
        uint64_t kind;
        jali_err err = { 0 };
        if (jali_crew_receive(&t.h->crew[t.rank], &bytes, &n, NULL) != JALI_OK) break;
        memcpy(&kind, bytes, sizeof kind);
        stop = kind == JALI_ORDER_STOP;
        jali_status status =
            stop ? JALI_OK : jali_hand_do(hand, (jali_order_kind)kind, bytes + 8, n - 8, &err);
        if (t.h->said[t.rank] == JALI_OK) t.h->said[t.rank] = status;
        free(bytes);
    }
    return NULL;
}

/* Rank r of `ranks` has every row from r * rows / ranks on; the last leaves `skip` rows out,
 * and lacks the last `lacks` columns. */
static void hire(hands *h, const plane *w, unsigned ranks, size_t skip, size_t lacks)
{
    *h = (hands){ 0 };
    thread_crew_init(&h->line, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        jali_column part[SMALL_COLUMNS];
        size_t rows = w->data.rows, first = rows * r / ranks, end = rows * (r + 1) / ranks;
        size_t n = w->data.n - (r + 1 == ranks ? lacks : 0);
        if (r + 1 == ranks) end -= skip;
        for (size_t c = 0; c < n; c++) {
            part[c] = w->data.column[c];
            part[c].codes = (const char *)part[c].codes + first * part[c].width;
            part[c].rows = end - first;
        }
        CHECK_OK(jali_columns_borrow(&h->columns[r], part, n, NULL));
        h->crew[r] = thread_crew_rank(&h->line, r);
        jali_columns_join(h->columns[r], &h->crew[r]);
        h->hand[r] = (jali_hand){ .columns = h->columns[r], .schema = &w->schema };
        if (r == 0) continue;
        task *t = malloc(sizeof *t);
        *t = (task){ h, r };
        assert_int_equal(pthread_create(&h->thread[r], NULL, serve, t), 0);
    }
}

static void dismiss(hands *h)
{
    jali_text stop = { 0 };
    jali_put(&stop, JALI_ORDER_STOP);
    CHECK_OK(jali_crew_send(&h->crew[0], &stop, NULL));
    for (unsigned r = 0; r < h->line.ranks; r++) {
        if (r > 0) assert_int_equal(pthread_join(h->thread[r], NULL), 0);
        jali_hand_clear(&h->hand[r]);
        jali_columns_free(h->columns[r]);
    }
    thread_crew_clear(&h->line);
}

#endif
