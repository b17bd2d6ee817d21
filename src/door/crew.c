/* door/crew.c — a vault opened by several processes at once, each with its shards.
 *
 * Ranks other than 0 open schema, policy and columns; the ledger, its keys and the dice are
 * rank 0's alone, and what is drawn never travels.
 */
#include "door/crew.h"
#include "base/pool.h"
#include "engine/manifest.h"
#include "tally/hand.h"
#include "tally/order.h"

/* What rank 0 has to know of each share. */
typedef struct share {
    uint64_t rows;
    char set[JALI_SET_TEXT];
} share;

static share share_of(const jali_vault *v)
{
    share s = { .rows = jali_columns_rows(v->columns) };
    snprintf(s.set, sizeof s.set, "%s", jali_columns_set(v->columns));
    return s;
}

static jali_status compare(const share *s, unsigned ranks, jali_err *err)
{
    uint64_t rows = 0;
    for (unsigned i = 0; i < ranks; i++) {
        if (strncmp(s[i].set, s[0].set, sizeof s->set) != 0)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "rank %u has shards of another import than rank 0: bring the "
                             "right ones",
                             i);
        if (s[i].rows > JALI_ROWS_MAX - rows)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "the shards of all ranks have more rows than a vault may hold");
        rows += s[i].rows;
    }
    return JALI_OK;
}

/* Everybody opened; rank 0 looks at what they have. */
static jali_status meet(const jali_vault *v, const jali_crew *crew, jali_err *err)
{
    share mine = share_of(v), *all = NULL;
    if (crew->rank == 0) all = calloc(crew->ranks, sizeof *all);
    JALI_TRY(jali_crew_agree(
        crew, crew->rank == 0 && all == NULL ? jali_fail_memory(err) : JALI_OK, err));
    jali_status status =
        crew->gather(crew->self, &mine, sizeof mine, all) ? JALI_OK : jali_crew_lost(err);
    if (status == JALI_OK && all != NULL) status = compare(all, crew->ranks, err);
    free(all);
    return status;
}

static jali_status open_together(jali_vault **out, const char *path, const jali_crew *crew,
                                 jali_err *err)
{
    jali_vault *v = NULL;
    jali_status status = jali_vault_open_share(&v, path, crew->rank, crew->ranks, err);
    status = jali_crew_agree(crew, status, err);
    if (status == JALI_OK) status = meet(v, crew, err);
    if (status != JALI_OK) {
        jali_vault_free(v);
        return status;
    }
    jali_columns_join(v->columns, crew);
    *out = v;
    return JALI_OK;
}

jali_status jali_crew_open(jali_vault **out, const char *path, const jali_crew *crew,
                           jali_err *err)
{
    jali_text order = { 0 };
    if (crew == NULL || crew->ranks < 2) return jali_vault_open(out, path, err);
    jali_put(&order, JALI_ORDER_HELLO);
    jali_put_text(&order, path);
    JALI_TRY(jali_crew_send(crew, &order, err));
    return open_together(out, path, crew, err);
}

void jali_crew_dismiss(const jali_crew *crew)
{
    jali_text order = { 0 };
    jali_put(&order, JALI_ORDER_STOP);
    (void)!jali_crew_send(crew, &order, NULL);
}

/* ---- the others ---------------------------------------------------------------------------
 */

static jali_status say_hello(jali_hand *h, jali_vault **vault, const jali_crew *crew,
                             jali_reading *r, jali_err *err)
{
    jali_hand_clear(h);
    jali_vault_free(*vault);
    *vault = NULL;
    h->columns = NULL;
    const char *path = jali_get_text(r); /* an empty path is no vault, and says so */
    JALI_TRY(open_together(vault, path, crew, err));
    h->columns = (*vault)->columns;
    h->schema = &(*vault)->schema;
    return JALI_OK;
}

/* One order. *stop: we were dismissed. What fails is in *said, and the next order may come,
 * but for a dead line. */
static jali_status obey(jali_hand *h, jali_vault **vault, const jali_crew *crew, bool *stop,
                        jali_status *said, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_err now = { 0 };
    char *bytes;
    size_t n;
    JALI_TRY(jali_crew_receive(crew, &bytes, &n, err));
    jali_reading r = { bytes, bytes + n, true, &arena };
    jali_order_kind kind = (jali_order_kind)jali_get(&r);
    jali_status status = JALI_OK;
    if (kind == JALI_ORDER_STOP)
        *stop = true;
    else if (kind == JALI_ORDER_HELLO)
        status = say_hello(h, vault, crew, &r, &now);
    else if (h->columns != NULL)
        status = jali_hand_do(h, kind, r.at, (size_t)(r.end - r.at), &now);
    else
        status = jali_crew_agree(crew,
                                 jali_fail(&now, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                                           "an order came before its vault"),
                                 &now);
    if (status != JALI_OK && *said == JALI_OK) {
        *said = status;
        if (err != NULL) *err = now;
    }
    free(bytes);
    jali_arena_clear(&arena);
    return JALI_OK;
}

jali_status jali_crew_work(const jali_crew *crew, unsigned threads, jali_err *err)
{
    jali_hand hand = { 0 };
    jali_vault *vault = NULL;
    bool stop = false;
    jali_status said = JALI_OK, status = jali_pool_new(&hand.pool, threads, err);
    while (status == JALI_OK && !stop) status = obey(&hand, &vault, crew, &stop, &said, err);
    jali_hand_clear(&hand);
    jali_vault_free(vault);
    jali_pool_free(hand.pool);
    return status == JALI_OK ? said : status;
}
