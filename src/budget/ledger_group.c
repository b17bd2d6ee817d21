/* budget/ledger_group.c — several who pay at once share one commit.
 *
 * A commit waits for the disk, and a hundred waiting charges need not wait for it a hundred
 * times. Whoever comes while nobody writes leads: he takes all that wait, runs them one after
 * the other in one transaction, and commits. Each sees the rows of those before it, so cap,
 * chain and requests are decided as if each had come alone; nobody goes on before the
 * commit of all is on disk. If one of them is refused, or anything fails, the transaction is
 * undone and each is run by itself: what one asks cannot refuse what another asks.
 */
#include "budget/inside.h"

enum { MOST = 64 }; /* in one transaction: the last should not wait for ever */

static jali_status run_all(jali_ledger *ledger, void *self, jali_err *err)
{
    for (jali_entry *e = self; e != NULL; e = e->next) JALI_TRY(e->work(ledger, e->self, err));
    return JALI_OK;
}

/* With the lock of the ledger. A handle that died takes nobody, and all hear why. */
static void serve(jali_ledger *ledger, jali_entry *all)
{
    jali_err why = { 0 };
    const bool many = all->next != NULL;
    const jali_status status = many ? jali_ledger_write(ledger, run_all, all, &why) : JALI_OK;
    const bool settled = many && (status == JALI_OK || ledger->dead);
    for (jali_entry *e = all; e != NULL; e = e->next) {
        e->status = settled ? status : jali_ledger_write(ledger, e->work, e->self, e->err);
        if (settled && status != JALI_OK && e->err != NULL) *e->err = why;
    }
}

/* With the gate: what waits, at most MOST of it. */
static jali_entry *take(jali_ledger *ledger)
{
    jali_entry *all = ledger->waiting, **at = &ledger->waiting;
    for (int n = 0; n < MOST && *at != NULL; n++) at = &(*at)->next;
    ledger->waiting = *at;
    *at = NULL;
    return all;
}

/* With the gate: wakes those whose end has come, and one who leads from now on. The others
 * sleep: a crowd that wakes for every commit would do little else. */
static void hand_over(jali_ledger *ledger, jali_entry *all)
{
    for (jali_entry *e = all; e != NULL; e = e->next) {
        e->done = true;
        pthread_cond_signal(&e->wake);
    }
    jali_entry *next = ledger->waiting;
    ledger->led = next != NULL;
    if (next == NULL) return;
    next->leads = true;
    pthread_cond_signal(&next->wake);
}

/* Comes and goes with the gate held; between, others may come and wait. */
static void lead(jali_ledger *ledger)
{
    ledger->led = true;
    pthread_mutex_unlock(&ledger->gate);
    pthread_mutex_lock(&ledger->lock);
    pthread_mutex_lock(&ledger->gate);
    jali_entry *all = take(ledger);
    pthread_mutex_unlock(&ledger->gate);
    serve(ledger, all);
    pthread_mutex_unlock(&ledger->lock);
    pthread_mutex_lock(&ledger->gate);
    hand_over(ledger, all);
}

jali_status jali_ledger_write_together(jali_ledger *ledger, jali_ledger_work *work, void *self,
                                       jali_err *err)
{
    jali_entry mine = { .work = work, .self = self, .err = err };
    pthread_cond_init(&mine.wake, NULL);
    pthread_mutex_lock(&ledger->gate);
    jali_entry **at = &ledger->waiting;
    while (*at != NULL) at = &(*at)->next;
    *at = &mine;
    while (!mine.done)
        if (ledger->led && !mine.leads)
            pthread_cond_wait(&mine.wake, &ledger->gate);
        else
            lead(ledger);
    pthread_mutex_unlock(&ledger->gate);
    pthread_cond_destroy(&mine.wake);
    return mine.status;
}
