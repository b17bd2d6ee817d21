/* budget/ledger_policy.c — the cap in force, quotas, and the curator's acts.
 *
 * The cap is the guarantee; a quota or a largest question is fairness on top and can only
 * refuse what the cap would allow. All are rows of the ledger: the latest counts.
 */
#include "base/text.h"
#include "budget/inside.h"

jali_status jali_check_name(const char *name, size_t limit, const char *what, jali_err *err)
{
    size_t n = name == NULL ? 0 : strlen(name);
    bool good = n > 0 && n <= limit && jali_text_is_utf8(name, n) &&
                !jali_text_commands(name) && strpbrk(name, "\t\n\r") == NULL;
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the %s must be 1 to %zu bytes of plain text without control characters",
                     what, limit);
}

/* ---- reading what is in force ---- */

/* The body of the newest act of this kind about this subject; to be finished. */
static jali_status find_newest(jali_rows *rows, jali_store *store, const char *what,
                               const char *subject, bool *found, jali_err *err)
{
    const jali_cell cells[] = { jali_cell_text(what), jali_cell_text(subject) };
    return jali_rows_first(rows, store,
                           "SELECT body FROM acts WHERE (what = $1 OR ($1 = 'raise' AND"
                           " what = 'create')) AND subject = $2 ORDER BY seq DESC LIMIT 1",
                           cells, 2, found, err);
}

/* The same, parsed; NULL if there is none. */
static jali_status newest(jali_store *store, const char *what, const char *subject,
                          json_t **out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(find_newest(&rows, store, what, subject, &found, err));
    jali_status status = JALI_OK;
    *out = NULL;
    if (found)
        status = jali_json_parse(out, jali_rows_text(&rows, 0), store->kind->bytes(&rows, 0),
                                 "the ledger", err);
    jali_rows_finish(&rows);
    return status;
}

static jali_status damaged(const char *what, jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger's %s cannot be read; run jali ledger verify", what);
}

static jali_status read_cap(jali_store *store, const char *text, size_t n, jali_cap *out)
{
    json_t *body;
    JALI_TRY(jali_json_parse(&body, text, n, "the ledger", NULL));
    jali_status status = jali_cap_from_json(out, json_object_get(body, "cap"), "cap", NULL);
    json_decref(body);
    if (status != JALI_OK || n >= sizeof store->cap_text) return status;
    memcpy(store->cap_text, text, n);
    store->cap_text[n] = '\0';
    store->cap = *out;
    return JALI_OK;
}

/* The row is looked up every time, and its text read again if it is not the one that we know.
 */
jali_status jali_ledger_cap(jali_store *store, jali_cap *out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(find_newest(&rows, store, "raise", "", &found, err));
    const char *text = found ? jali_rows_text(&rows, 0) : "";
    const size_t n = found ? store->kind->bytes(&rows, 0) : 0;
    jali_status status = JALI_OK;
    if (n > 0 && strlen(store->cap_text) == n && memcmp(store->cap_text, text, n) == 0)
        *out = store->cap;
    else
        status = read_cap(store, text, n, out);
    jali_rows_finish(&rows);
    return status == JALI_OK ? JALI_OK : damaged("cap", err);
}

jali_status jali_ledger_share(jali_store *store, const char *what, const char *subject,
                              uint32_t *ppm, jali_err *err)
{
    json_t *body;
    JALI_TRY(newest(store, what, subject, &body, err));
    json_int_t value = body == NULL ? 0 : json_integer_value(json_object_get(body, "ppm"));
    bool good = body == NULL || (value >= 1 && value <= 1000000);
    json_decref(body);
    if (!good) return damaged(what, err);
    *ppm = (uint32_t)value;
    return JALI_OK;
}

/* A quota of one's own goes before everybody's, be it larger or smaller. */
jali_status jali_ledger_quota(jali_store *store, const char *analyst, uint32_t *ppm,
                              jali_err *err)
{
    uint32_t own;
    JALI_TRY(jali_ledger_share(store, "quota", analyst, &own, err));
    if (own == 0) return jali_ledger_share(store, "quota", "", ppm, err);
    *ppm = own;
    return JALI_OK;
}

jali_status jali_ledger_sum(jali_store *store, jali_loss *out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store,
                             "SELECT sum_eps_pico, sum_eps_infinite, sum_rho_pico,"
                             " sum_delta_atto FROM charges ORDER BY seq DESC LIMIT 1",
                             NULL, 0, &found, err));
    jali_status status = JALI_OK;
    if (!found) *out = (jali_loss)JALI_LOSS_NONE;
    if (found && !jali_column_loss(&rows, 0, out)) status = damaged("sum", err);
    jali_rows_finish(&rows);
    return status;
}

jali_status jali_ledger_sum_of(jali_store *store, const char *analyst, jali_loss *out,
                               jali_err *err)
{
    const jali_cell who = jali_cell_text(analyst);
    jali_rows rows;
    bool found = true;
    jali_loss one, sum = JALI_LOSS_NONE;
    JALI_TRY(jali_rows_start(&rows, store,
                             "SELECT eps_pico, eps_infinite, rho_pico, delta_atto"
                             " FROM charges WHERE analyst = $1",
                             &who, 1, err));
    jali_status status = jali_rows_next(&rows, &found, err);
    while (status == JALI_OK && found) {
        if (jali_column_loss(&rows, 0, &one))
            sum = jali_loss_add(sum, one);
        else
            status = damaged("charges", err);
        if (status == JALI_OK) status = jali_rows_next(&rows, &found, err);
    }
    jali_rows_finish(&rows);
    if (status == JALI_OK) *out = sum;
    return status;
}

/* ---- admitting ---- */

static jali_status admit_policy(jali_store *store, const jali_cap *cap, const char *analyst,
                                jali_loss loss, jali_err *err)
{
    uint32_t question, quota;
    jali_loss sum;
    JALI_TRY(jali_ledger_share(store, "question", "", &question, err));
    jali_cap share = jali_cap_share(cap, question);
    if (question != 0 && jali_cap_admits(&share, loss) == JALI_REFUSED)
        return jali_refuse_share("one question", question, &share, (jali_loss)JALI_LOSS_NONE,
                                 loss, err);
    JALI_TRY(jali_ledger_quota(store, analyst, &quota, err));
    if (quota == 0) return JALI_OK;
    JALI_TRY(jali_ledger_sum_of(store, analyst, &sum, err));
    share = jali_cap_share(cap, quota);
    if (jali_cap_admits(&share, jali_loss_add(sum, loss)) != JALI_REFUSED) return JALI_OK;
    return jali_refuse_share(analyst, quota, &share, sum, loss, err);
}

jali_status jali_ledger_admit(jali_store *store, const char *analyst, jali_loss loss,
                              jali_loss *after, jali_err *err)
{
    jali_cap cap;
    jali_loss sum;
    if (!jali_loss_is_sound(loss))
        return jali_fail(
            err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
            "a loss with a delta of its own claims a finite eps; nothing was paid");
    JALI_TRY(jali_ledger_cap(store, &cap, err));
    JALI_TRY(jali_ledger_sum(store, &sum, err));
    jali_loss next = jali_loss_add(sum, loss);
    if (jali_cap_admits(&cap, next) == JALI_REFUSED)
        return jali_refuse_cap(store, &cap, sum, loss, err);
    JALI_TRY(admit_policy(store, &cap, analyst, loss, err));
    *after = next;
    return JALI_OK;
}

struct question {
    const jali_request *request;
    char plan_hash[JALI_HASH_TEXT];
    jali_arena *arena;
    jali_quote found;
};

static jali_status look_for_payer(jali_store *store, const char *analyst, bool *paid,
                                  jali_err *err)
{
    const jali_cell who = jali_cell_text(analyst);
    jali_rows rows;
    JALI_TRY(jali_rows_first(&rows, store, "SELECT 1 FROM charges WHERE analyst = $1 LIMIT 1",
                             &who, 1, paid, err));
    jali_rows_finish(&rows);
    return JALI_OK;
}

static jali_status quote(jali_ledger *ledger, jali_store *store, void *self, jali_err *err)
{
    struct question *q = self;
    jali_loss after;
    bool paid;
    (void)ledger;
    JALI_TRY(jali_release_by_plan(store, q->plan_hash, q->arena, &q->found.stored, err));
    JALI_TRY(look_for_payer(store, q->request->analyst, &paid, err));
    q->found.newcomer = !paid;
    if (q->found.stored.id[0] != '\0') return JALI_OK;
    return jali_ledger_admit(store, q->request->analyst, q->request->loss, &after, err);
}

jali_status jali_ledger_quote(jali_ledger *ledger, const jali_request *request,
                              jali_arena *arena, jali_quote *out, jali_err *err)
{
    struct question q = { .request = request, .arena = arena };
    JALI_TRY(jali_check_name(request->analyst, JALI_LEDGER_MAX_NAME, "analyst's name", err));
    JALI_TRY(jali_plan_hash(q.plan_hash, request->plan, err));
    JALI_TRY(jali_ledger_read(ledger, quote, &q, err));
    *out = q.found;
    return JALI_OK;
}

/* ---- acts ---- */

/* Takes body, also on failure. */
jali_status jali_act_append(jali_store *store, const jali_hand *by, const char *what,
                            const char *subject, json_t *body, jali_head *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *text;
    jali_status status =
        body == NULL ? jali_fail_memory(err) : jali_json_canonical(body, &arena, &text, err);
    if (status == JALI_OK) {
        jali_cell cells[] = { { 0 },
                              jali_cell_number(by->now_ms),
                              jali_cell_text(by->who),
                              jali_cell_text(what),
                              jali_cell_text(subject),
                              jali_cell_text(text) };
        status = jali_row_append(store, JALI_ROW_ACT, cells, out, err);
    }
    json_decref(body);
    jali_arena_clear(&arena);
    return status;
}

struct act {
    const jali_hand *by;
    const char *what, *subject;
    json_t *body;
    const jali_cap *raise; /* NULL: another act */
};

static jali_status append_act(jali_ledger *ledger, void *self, jali_err *err)
{
    const struct act *a = self;
    jali_cap cap;
    JALI_TRY(jali_ledger_cap(ledger->store, &cap, err));
    if (a->raise != NULL && !jali_cap_is_raise(&cap, a->raise))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a cap can only grow: eps, delta, reserve and rho must each be "
                         "at least what they are, and one must be more");
    return jali_act_append(ledger->store, a->by, a->what, a->subject, json_incref(a->body),
                           &ledger->seen, err);
}

/* Any act, and a signature at once, for acts are rare. Takes body. */
static jali_status act(jali_ledger *ledger, const jali_hand *by, const char *what,
                       const char *subject, json_t *body, const jali_cap *raise, jali_err *err)
{
    struct act a = { by, what, subject, body, raise };
    pthread_mutex_lock(&ledger->lock);
    jali_status status = jali_ledger_write(ledger, append_act, &a, err);
    if (status == JALI_OK) status = jali_checkpoint_write(ledger, err);
    pthread_mutex_unlock(&ledger->lock);
    json_decref(body);
    return status;
}

jali_status jali_ledger_raise_cap(jali_ledger *ledger, const jali_cap *to, const jali_hand *by,
                                  jali_err *err)
{
    json_t *cap;
    JALI_TRY(jali_check_name(by->who, JALI_LEDGER_MAX_NAME, "curator's name", err));
    if (!jali_cap_is_sound(to))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "the new cap was not made by jali_cap_make");
    JALI_TRY(jali_cap_to_json(&cap, to, err));
    return act(ledger, by, "raise", "", json_pack("{s:o}", "cap", cap), to, err);
}

static jali_status set_share(jali_ledger *ledger, const char *what, const char *subject,
                             uint32_t ppm, const jali_hand *by, jali_err *err)
{
    JALI_TRY(jali_check_name(by->who, JALI_LEDGER_MAX_NAME, "curator's name", err));
    if (ppm < 1 || ppm > 1000000)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a share of the cap must be above 0 and at most 1");
    return act(ledger, by, what, subject, json_pack("{s:I}", "ppm", (json_int_t)ppm), NULL,
               err);
}

jali_status jali_ledger_set_quota(jali_ledger *ledger, const char *analyst, uint32_t ppm,
                                  const jali_hand *by, jali_err *err)
{
    if (analyst != NULL)
        JALI_TRY(jali_check_name(analyst, JALI_LEDGER_MAX_NAME, "analyst's name", err));
    return set_share(ledger, "quota", analyst == NULL ? "" : analyst, ppm, by, err);
}

jali_status jali_ledger_set_question(jali_ledger *ledger, uint32_t ppm, const jali_hand *by,
                                     jali_err *err)
{
    return set_share(ledger, "question", "", ppm, by, err);
}
