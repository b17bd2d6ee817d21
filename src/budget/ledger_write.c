/* budget/ledger_write.c — transactions: run once, or again, or refused; never half.
 *
 * Three things can go wrong at the end of a transaction. It lost a race: the storage undid it,
 * so it is run again, and looks at everything anew. The connection broke before the commit was
 * sent: nothing happened, the same. The connection broke while the commit was on its way:
 * then only the storage knows; it is asked, and answers when the old transaction can no longer
 * change. If it cannot be asked, nothing is drawn, and the handle is dead.
 */
#include "budget/inside.h"

enum { ROUNDS = 16 }; /* races are rare: writers wait for each other before they look */

static jali_status check_alive(const jali_ledger *ledger, jali_err *err)
{
    if (ledger->mode != JALI_LEDGER_WRITE)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "the ledger %s was opened for reading only", ledger->name);
    if (ledger->dead)
        return jali_fail(
            err, JALI_E_ENGINE, JALI_FOR_CURATOR,
            "an earlier write to the ledger %s failed; close it, look at the disk, "
            "and open it again",
            ledger->name);
    return JALI_OK;
}

/* What is there after a break must be the book that we knew, or its continuation. `before` is
 * the last row we had seen when the transaction began. */
static jali_status mend(jali_ledger *ledger, const jali_head *before, bool *committed,
                        jali_err *err)
{
    jali_store *store = ledger->store;
    JALI_TRY(store->kind->recover(store, committed, err));
    if (!*committed) ledger->seen = *before;
    return jali_ledger_check_again(ledger, err);
}

/* After a failed commit the row may or may not be on disk: either way nothing was drawn
 * for it. What this handle believes is worth nothing any more, unless the storage can say. */
static jali_status settle(jali_ledger *ledger, const jali_head *before, jali_status status,
                          bool *again, jali_err *err)
{
    bool committed = false;
    *again = ledger->store->again;
    if (*again) return status;
    if (ledger->store->lost && mend(ledger, before, &committed, NULL) == JALI_OK) {
        *again = !committed;
        return committed ? JALI_OK : status;
    }
    ledger->dead = true;
    if (ledger->store->kind->recover == NULL) return status;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the connection to the ledger %s was lost while it was written to; "
                     "nothing is released, and the ledger says whether it was paid: ask again "
                     "under the same request id",
                     ledger->name);
}

/* The transaction ended before its commit: nothing of it is there. */
static jali_status give_up(jali_ledger *ledger, const jali_head *before, jali_status status,
                           bool *again, jali_err *err)
{
    jali_store *store = ledger->store;
    bool committed;
    store->kind->rollback(store);
    ledger->seen = *before;
    *again = false;
    const bool lost = store->lost;
    if (lost) JALI_TRY(mend(ledger, before, &committed, err));
    *again = store->again || lost;
    return status;
}

/* One transaction. `*again` says that nothing of it is there and that it may be run anew. */
static jali_status run_once(jali_ledger *ledger, jali_ledger_work *work, void *self,
                            bool *again, jali_err *err)
{
    jali_store *store = ledger->store;
    const jali_head before = ledger->seen;
    jali_status status = store->kind->begin(store, JALI_STORE_WRITE, err);
    if (status == JALI_OK) status = work(ledger, self, err);
    if (status != JALI_OK) return give_up(ledger, &before, status, again, err);
    status = store->kind->commit(store, err);
    *again = false;
    if (status == JALI_OK) return JALI_OK;
    status = settle(ledger, &before, status, again, err);
    if (status == JALI_OK) return JALI_OK;
    store->kind->rollback(store);
    ledger->seen = before;
    return status;
}

jali_status jali_ledger_write(jali_ledger *ledger, jali_ledger_work *work, void *self,
                              jali_err *err)
{
    bool again = true;
    JALI_TRY(check_alive(ledger, err));
    jali_status status = JALI_OK;
    for (int round = 0; again && round < ROUNDS; round++)
        status = run_once(ledger, work, self, &again, err);
    return status;
}

static jali_status look_once(jali_ledger *ledger, jali_store *store, jali_ledger_look *look,
                             void *self, jali_err *err)
{
    jali_status status = look(ledger, store, self, err);
    store->kind->rollback(store);
    return status;
}

/* Beside the writer: neither waits for the other. */
static jali_status read_beside(jali_ledger *ledger, jali_ledger_look *look, void *self,
                               jali_err *err)
{
    pthread_mutex_lock(&ledger->reading);
    jali_status status = ledger->reader->kind->begin(ledger->reader, JALI_STORE_READ, err);
    if (status == JALI_OK) status = look_once(ledger, ledger->reader, look, self, err);
    pthread_mutex_unlock(&ledger->reading);
    return status;
}

/* A reader that was idle may find its connection gone: it is made anew, once. In the middle
 * there is no second try, for rows were already told. */
static jali_status read_between(jali_ledger *ledger, jali_ledger_look *look, void *self,
                                jali_err *err)
{
    jali_store *store = ledger->store;
    bool committed;
    jali_status status = store->kind->begin(store, JALI_STORE_READ, err);
    if (status != JALI_OK && store->lost) {
        const jali_head before = ledger->seen;
        JALI_TRY(mend(ledger, &before, &committed, err));
        status = store->kind->begin(store, JALI_STORE_READ, err);
    }
    return status == JALI_OK ? look_once(ledger, store, look, self, err) : status;
}

jali_status jali_ledger_read(jali_ledger *ledger, jali_ledger_look *look, void *self,
                             jali_err *err)
{
    if (ledger->reader != NULL) return read_beside(ledger, look, self, err);
    pthread_mutex_lock(&ledger->lock);
    jali_status status = read_between(ledger, look, self, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}
