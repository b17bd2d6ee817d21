/* budget/ledger_turn.c — two who ask the same plan at once should pay once.
 *
 * It is a courtesy, not a safeguard: without it both would pay, each for a release of its own.
 * Among processes of one machine a turn is a lock on one byte of a side file, chosen by the
 * plan; the kernel drops it when its owner stores, frees the receipt, or dies. Where machines
 * share a ledger, the server holds a lock of the same kind for as long as the connection lives.
 * Nobody waits for the dead.
 */
#define _GNU_SOURCE
#include "budget/inside.h"
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 10 };

static bool try_near(int fd, int64_t key)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)key, .l_len = 1
    };
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool try_far(jali_ledger *ledger, int64_t key)
{
    if (ledger->store->kind->take_turn == NULL) return true;
    pthread_mutex_lock(&ledger->lock);
    bool mine = ledger->store->kind->take_turn(ledger->store, key);
    pthread_mutex_unlock(&ledger->lock);
    return mine;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

/* The near turn comes first: connections are shared by threads, files are not. */
void jali_turn_take(jali_ledger *ledger, jali_charge *receipt, const char *plan_hash,
                    unsigned patience_ms)
{
    char path[4096];
    uint64_t bits = 0;
    unsigned waited = 0;
    int n = snprintf(path, sizeof path, "%s.turns", ledger->file);
    receipt->turn = -1;
    if (n < 0 || (size_t)n >= sizeof path || ledger->mode != JALI_LEDGER_WRITE) return;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    sscanf(plan_hash, "%15" SCNx64, &bits);
    const int64_t key = (int64_t)bits;
    for (; !try_near(fd, key) && waited < patience_ms; waited += STEP_MS) pause_ms(STEP_MS);
    if (!try_near(fd, key)) {
        close(fd);
        return;
    }
    receipt->turn = fd;
    bool far = try_far(ledger, key);
    for (; !far && waited < patience_ms; waited += STEP_MS) {
        pause_ms(STEP_MS);
        far = try_far(ledger, key);
    }
    receipt->turn_far = far && ledger->store->kind->take_turn != NULL ? key : 0;
}

void jali_turn_leave(jali_charge *receipt)
{
    if (receipt->turn_far != 0) {
        jali_ledger *ledger = receipt->ledger;
        pthread_mutex_lock(&ledger->lock);
        ledger->store->kind->leave_turn(ledger->store, receipt->turn_far);
        pthread_mutex_unlock(&ledger->lock);
    }
    if (receipt->turn >= 0) close(receipt->turn);
    receipt->turn_far = 0;
    receipt->turn = -1;
}
