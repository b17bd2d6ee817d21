/* door/hold.c — the ledger of a vault, held open for a server.
 *
 * Opening a ledger checks every row of its chain, and closing it signs a note: right for a
 * program that asks once, too dear for a server that asks a thousand times. A held ledger was
 * checked when it was opened, is shared by threads, and signs every 64 rows and at the end. If
 * the file was put aside meanwhile (a backup brought back), or a commit failed, the next who
 * asks opens it anew: nobody ever writes to a ledger that is no longer the vault's.
 *
 * The vault is kept open, too, with its columns mapped and checked, for as long as its files
 * are those that were opened (base/file.h tells by their marks). Who has the old one when they
 * change goes on with it, and the last one closes it.
 */
#define _POSIX_C_SOURCE 200809L
#include "door/hold.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { IDLE_DICE = 32 };

struct jali_held {
    jali_arena arena;
    jali_ledger *ledger;
    dev_t device;
    ino_t file;
    size_t users;
    bool retired; /* the last user closes it */
};

struct jali_copy {
    jali_vault *vault;
    size_t users; /* hold->copy is one of them */
};

struct jali_hold {
    pthread_mutex_t lock;
    jali_arena arena;
    const char *vault;
    const char *path;
    jali_held *now;             /* NULL: none is open */
    jali_copy *copy;            /* NULL: none is open */
    jali_dice *dice[IDLE_DICE]; /* at rest: their pages are dear to make, not their words */
    size_t n_dice;
};

static void end(jali_held *held)
{
    (void)jali_ledger_close(held->ledger,
                            NULL); /* what is not signed now, the next one signs */
    jali_arena_clear(&held->arena);
    free(held);
}

static void retire(jali_hold *hold)
{
    jali_held *old = hold->now;
    hold->now = NULL;
    if (old == NULL) return;
    old->retired = true;
    if (old->users == 0) end(old);
}

static bool is_current(const jali_hold *hold)
{
    struct stat st;
    const jali_held *now = hold->now;
    return now != NULL && !jali_ledger_failed(now->ledger) && stat(hold->path, &st) == 0 &&
           st.st_dev == now->device && st.st_ino == now->file;
}

/* The file is looked at before it is opened: one that is changed in between is seen by the next
 * who asks. */
static jali_status open_held(jali_hold *hold, jali_err *err)
{
    struct stat st = { 0 };
    jali_held *held = calloc(1, sizeof *held);
    if (held == NULL) return jali_fail_memory(err);
    if (stat(hold->path, &st) == 0) {
        held->device = st.st_dev;
        held->file = st.st_ino;
    }
    jali_status status =
        jali_door_ledger(hold->vault, JALI_LEDGER_WRITE, &held->arena, &held->ledger, err);
    if (status == JALI_OK) status = jali_ledger_read_beside(held->ledger, err);
    if (status == JALI_OK)
        hold->now = held;
    else
        end(held);
    return status;
}

const char *jali_hold_path(const jali_hold *hold)
{
    return hold->vault;
}

jali_status jali_hold_take(jali_hold *hold, jali_held **out, jali_ledger **ledger,
                           jali_err *err)
{
    jali_status status = JALI_OK;
    pthread_mutex_lock(&hold->lock);
    if (!is_current(hold)) {
        retire(hold);
        status = open_held(hold, err);
    }
    if (status == JALI_OK) {
        hold->now->users++;
        *out = hold->now;
        *ledger = hold->now->ledger;
    }
    pthread_mutex_unlock(&hold->lock);
    return status;
}

void jali_hold_give(jali_hold *hold, jali_held *held)
{
    pthread_mutex_lock(&hold->lock);
    held->users--;
    if (held->retired && held->users == 0) end(held);
    pthread_mutex_unlock(&hold->lock);
}

/* ---- the vault ---- */

static jali_copy *take_copy(jali_hold *hold)
{
    pthread_mutex_lock(&hold->lock);
    jali_copy *copy = hold->copy;
    if (copy != NULL) copy->users++;
    pthread_mutex_unlock(&hold->lock);
    return copy;
}

void jali_hold_return(jali_hold *hold, jali_copy *copy)
{
    if (copy == NULL) return;
    pthread_mutex_lock(&hold->lock);
    const bool last = --copy->users == 0;
    pthread_mutex_unlock(&hold->lock);
    if (!last) return;
    jali_vault_free(copy->vault);
    free(copy);
}

/* For all who come, instead of the one that they have now. */
static void keep_copy(jali_hold *hold, jali_copy *copy)
{
    pthread_mutex_lock(&hold->lock);
    jali_copy *old = hold->copy;
    copy->users++;
    hold->copy = copy;
    pthread_mutex_unlock(&hold->lock);
    jali_hold_return(hold, old);
}

static jali_status new_copy(jali_hold *hold, jali_copy **out, jali_err *err)
{
    jali_copy *copy = calloc(1, sizeof *copy);
    if (copy == NULL) return jali_fail_memory(err);
    jali_status status = jali_vault_open(&copy->vault, hold->vault, err);
    if (status != JALI_OK) {
        free(copy);
        return status;
    }
    copy->users = 1;
    if (copy->vault->place.n == 0) keep_copy(hold, copy);
    *out = copy;
    return JALI_OK;
}

/* The files are looked at without the lock: nobody waits for a disk that somebody else asks. */
jali_status jali_hold_lend(jali_hold *hold, jali_copy **out, jali_vault **vault, jali_err *err)
{
    jali_copy *copy = take_copy(hold);
    if (copy == NULL || !jali_vault_as_opened(copy->vault)) {
        jali_hold_return(hold, copy);
        JALI_TRY(new_copy(hold, &copy, err));
    }
    *out = copy;
    *vault = copy->vault;
    return JALI_OK;
}

/* ---- dice ---- */

static jali_dice *take_dice(jali_hold *hold)
{
    pthread_mutex_lock(&hold->lock);
    jali_dice *dice = hold->n_dice > 0 ? hold->dice[--hold->n_dice] : NULL;
    pthread_mutex_unlock(&hold->lock);
    return dice;
}

jali_status jali_hold_dice(jali_hold *hold, jali_dice **out, jali_err *err)
{
    jali_dice *dice = take_dice(hold);
    if (dice == NULL) return jali_dice_new(out, err);
    jali_status status = jali_dice_wake(dice, err);
    if (status == JALI_OK)
        *out = dice;
    else
        jali_dice_free(dice);
    return status;
}

void jali_hold_dice_back(jali_hold *hold, jali_dice *dice)
{
    if (dice == NULL) return;
    jali_dice_rest(dice);
    pthread_mutex_lock(&hold->lock);
    const bool room = hold->n_dice < IDLE_DICE;
    if (room) hold->dice[hold->n_dice++] = dice;
    pthread_mutex_unlock(&hold->lock);
    if (!room) jali_dice_free(dice);
}

/* ---- life ---- */

jali_status jali_hold_open(const char *vault, jali_hold **out, jali_err *err)
{
    jali_hold *hold = calloc(1, sizeof *hold);
    if (hold == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&hold->lock, NULL);
    hold->vault = jali_arena_text(&hold->arena, vault);
    jali_status status = hold->vault == NULL
                             ? jali_fail_memory(err)
                             : jali_door_book(vault, &hold->arena, &hold->path, err);
    if (status == JALI_OK) status = open_held(hold, err);
    if (status == JALI_OK)
        *out = hold;
    else
        jali_hold_close(hold);
    return status;
}

void jali_hold_close(jali_hold *hold)
{
    if (hold == NULL) return;
    retire(hold);
    jali_hold_return(hold, hold->copy);
    while (hold->n_dice > 0) jali_dice_free(hold->dice[--hold->n_dice]);
    pthread_mutex_destroy(&hold->lock);
    jali_arena_clear(&hold->arena);
    free(hold);
}
