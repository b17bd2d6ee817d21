/* budget/ledger_verify.c — the auditor's walk through the book.
 *
 * Claim    ledger.evident
 *          If jali_ledger_verify calls a ledger intact, then each row up to the signed one
 *          is the row that was signed, in its order; the sums are the sums, every charge was
 *          admitted by the cap in force, and every release stands under an earlier charge.
 *          A change that breaks this is reported with the first row where it shows.
 * Proof    proofs/budget_ledger.md#ledger.evident
 * Source   FIELD C.5; hash chain and signature as in any transparency log.
 * Law      hash(row) = BLAKE2b-256(prev, kind, columns); Ed25519 over the checkpoint
 * Test     tests/budget/ledger_verify_test.c
 * Silent   rows after the last checkpoint can be cut off unseen; who holds the key can
 *          write any history. Quotas are policy and are not checked again.
 */
#include "budget/inside.h"

struct audit {
    jali_store *store;
    jali_ledger_report *report;
    jali_checkpoint note; /* seq 0: there is none that holds */
    char vault[JALI_LEDGER_MAX_NAME + 1];
    unsigned char verifying[crypto_sign_PUBLICKEYBYTES];
    char hash[JALI_HASH_TEXT]; /* of the row before */
};

static void blame(jali_ledger_report *r, int64_t row, const char *why)
{
    if (!r->intact) return;
    r->intact = false;
    r->bad_row = row;
    snprintf(r->why, sizeof r->why, "%.399s", why);
}

/* ---- what each kind of row must say ---- */

static bool is_first_row(const struct audit *a, const json_t *body)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1];
    const char *vault = json_string_value(json_object_get(body, "vault"));
    const char *verifying = json_string_value(json_object_get(body, "verifying_key"));
    sodium_bin2hex(key, sizeof key, a->verifying, sizeof a->verifying);
    return vault != NULL && strcmp(vault, a->vault) == 0 && verifying != NULL &&
           strcmp(verifying, key) == 0;
}

static const char *fault_of_cap(struct audit *a, const jali_row *row, const json_t *body)
{
    jali_cap cap;
    bool create = strcmp(row->what, "create") == 0;
    if (jali_cap_from_json(&cap, json_object_get(body, "cap"), "cap", NULL) != JALI_OK)
        return "its cap is not sound";
    if (create && !is_first_row(a, body)) return "it does not match the file's vault and key";
    if (!create && !jali_cap_is_raise(&a->report->cap, &cap)) return "it lowers the cap";
    a->report->cap = cap;
    return NULL;
}

static const char *fault_of_act(struct audit *a, const jali_row *row)
{
    json_t *body = NULL;
    const char *why = NULL;
    bool create = strcmp(row->what, "create") == 0;
    if (create != (row->seq == 1)) return "a ledger begins with its creation, and only once";
    if (jali_json_parse(&body, row->body, row->body_n, "act", NULL) != JALI_OK)
        return "its body is not JSON";
    json_int_t ppm = json_integer_value(json_object_get(body, "ppm"));
    if (create || strcmp(row->what, "raise") == 0)
        why = fault_of_cap(a, row, body);
    else if (strcmp(row->what, "quota") != 0 && strcmp(row->what, "question") != 0)
        why = "it is an act that jali does not know";
    else if (ppm < 1 || ppm > 1000000)
        why = "its share is not between 0 and 1";
    json_decref(body);
    a->report->acts++;
    return why;
}

static const char *fault_of_charge(struct audit *a, const jali_row *row)
{
    char hash[JALI_HASH_TEXT];
    jali_loss sum = jali_loss_add(a->report->sum, row->loss);
    if (jali_plan_hash(hash, row->plan, NULL) != JALI_OK || strcmp(hash, row->plan_hash) != 0)
        return "its plan does not have the hash it states";
    if (!jali_loss_equal(sum, row->sum)) return "its sum is not the sum of the charges";
    if (jali_cap_admits(&a->report->cap, sum) == JALI_REFUSED) return "it goes beyond the cap";
    a->report->sum = sum;
    a->report->charges++;
    return NULL;
}

static const char *fault_of_release(struct audit *a, const jali_row *row)
{
    const jali_cell seq = jali_cell_number(row->charge);
    jali_rows rows;
    bool found = false;
    if (jali_rows_first(&rows, a->store, "SELECT 1 FROM charges WHERE seq = $1", &seq, 1,
                        &found, NULL) != JALI_OK)
        return "its charge cannot be read";
    jali_rows_finish(&rows);
    if (!found || row->charge >= row->seq) return "no earlier charge paid for it";
    a->report->releases++;
    return NULL;
}

/* ---- the chain ---- */

/* Order, link and hash of the row at hand; NULL if they hold. */
static const char *fault_of_link(const jali_walk *walk, const jali_row *row, const char *prev,
                                 int64_t expected, const char *last)
{
    char hash[JALI_HASH_TEXT];
    if (row->seq < expected) return "its number occurs twice";
    if (row->seq > expected) return "it is missing";
    if (strcmp(prev, last) != 0) return "it does not follow the row before";
    jali_walk_hash(walk, hash);
    if (strcmp(hash, row->hash) != 0) return "its hash does not match its content";
    return NULL;
}

static const char *fault_of_row(struct audit *a, const jali_walk *walk, const jali_row *row,
                                const char *prev)
{
    const char *why = fault_of_link(walk, row, prev, a->report->rows + 1, a->hash);
    if (why != NULL) return why;
    if (a->note.seq == row->seq && strcmp(a->note.hash, row->hash) != 0)
        return "it is not the row that the checkpoint signed";
    if (row->seq == 1 && row->kind != JALI_ROW_ACT)
        return "a ledger begins with its creation, and only once";
    if (row->kind == JALI_ROW_ACT) return fault_of_act(a, row);
    return row->kind == JALI_ROW_CHARGE ? fault_of_charge(a, row) : fault_of_release(a, row);
}

static jali_status walk_rows(struct audit *a, jali_err *err)
{
    jali_walk walk;
    jali_row row;
    const char *prev, *why;
    bool found = true;
    memset(a->hash, '0', JALI_HASH_TEXT - 1);
    jali_status status = jali_walk_init(&walk, a->store, INT64_MIN, err);
    while (status == JALI_OK && a->report->intact) {
        status = jali_walk_next(&walk, &found, &row, &prev, err);
        if (status != JALI_OK || !found) break;
        why = fault_of_row(a, &walk, &row, prev);
        if (why != NULL)
            blame(a->report, row.seq < a->report->rows + 1 ? row.seq : a->report->rows + 1,
                  why);
        if (why != NULL) break;
        snprintf(a->hash, sizeof a->hash, "%s", row.hash);
        a->report->rows++;
    }
    jali_walk_clear(&walk);
    return status;
}

/* Links and hashes only; what the rows say is for verify. */
jali_status jali_ledger_check_chain(jali_store *store, const jali_checkpoint *note,
                                    jali_err *err)
{
    jali_walk walk;
    jali_row row;
    const char *prev, *why = NULL;
    bool found = true;
    int64_t at = 0;
    char last[JALI_HASH_TEXT] = "";
    memset(last, '0', JALI_HASH_TEXT - 1);
    jali_status status = jali_walk_init(&walk, store, INT64_MIN, err);
    while (status == JALI_OK) {
        status = jali_walk_next(&walk, &found, &row, &prev, err);
        if (status != JALI_OK || !found) break;
        why = fault_of_link(&walk, &row, prev, ++at, last);
        if (why == NULL && at == note->seq && strcmp(row.hash, note->hash) != 0)
            why = "it is not the row that was signed";
        if (why != NULL)
            status = jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                               "row %lld of the ledger %s is bad: %s; run jali ledger verify",
                               (long long)at, store->name, why);
        snprintf(last, sizeof last, "%s", row.hash);
    }
    jali_walk_clear(&walk);
    return status;
}

/* ---- the whole ---- */

static jali_status check_pages(struct audit *a, jali_err *err)
{
    char why[200];
    JALI_TRY(a->store->kind->check_pages(a->store, why, sizeof why, err));
    if (why[0] != '\0') blame(a->report, 0, why);
    return JALI_OK;
}

/* Rows, note against rows, pages: of one moment, whoever writes meanwhile. */
static jali_status audit_rows(struct audit *a, const char *no_note, jali_err *err)
{
    JALI_TRY(walk_rows(a, err));
    if (a->note.seq > a->report->rows)
        blame(a->report, a->report->rows + 1,
              "it is missing: the checkpoint signed a later row");
    if (a->report->rows == 0) blame(a->report, 1, "it is missing");
    if (no_note != NULL) blame(a->report, 0, no_note);
    if (no_note == NULL && strcmp(a->note.vault, a->vault) != 0)
        blame(a->report, 0, "its checkpoint is of another vault");
    a->report->signed_row = a->note.seq;
    return check_pages(a, err);
}

static jali_status audit_content(struct audit *a, const jali_ledger_places *p, jali_err *err)
{
    jali_err note = { 0 };
    JALI_TRY(jali_meta_read(a->store, a->vault, a->verifying, err));
    bool signed_ =
        jali_checkpoint_read(&a->note, p->checkpoint, a->verifying, &note) == JALI_OK;
    JALI_TRY(a->store->kind->begin(a->store, JALI_STORE_READ, err));
    jali_status status = audit_rows(a, signed_ ? NULL : note.text, err);
    a->store->kind->rollback(a->store);
    return status;
}

/* Who edits a row drops a trigger first: the row is the better answer, so a changed schema is
 * told last, or when the rows cannot be read for it. */
static jali_status audit_store(struct audit *a, const jali_ledger_places *p, jali_err *err)
{
    jali_err changed = { 0 };
    JALI_TRY(a->store->kind->check_format(a->store, err));
    jali_status schema = a->store->kind->check_schema(a->store, &changed);
    if (schema != JALI_OK && schema != JALI_E_LEDGER) {
        *err = changed;
        return schema;
    }
    jali_status status = audit_content(a, p, err);
    if (schema == JALI_OK || (status != JALI_OK && status != JALI_E_INTERNAL)) return status;
    blame(a->report, 0, changed.text);
    return JALI_OK;
}

/* A ledger that its storage or our checks cannot read is a bad ledger, not a failed verify. */
static jali_status as_report(struct audit *a, jali_status status, const jali_err *why,
                             jali_err *err)
{
    if (status == JALI_E_LEDGER || status == JALI_E_INTERNAL) {
        blame(a->report, a->report->rows == 0 ? 0 : a->report->rows + 1, why->text);
        return JALI_OK;
    }
    if (status != JALI_OK && err != NULL) *err = *why;
    return status;
}

jali_status jali_ledger_verify(const jali_ledger_places *places, jali_ledger_report *out,
                               jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger_places p;
    jali_ledger_report report = { .intact = true };
    jali_err why = { 0 };
    struct audit a = { .report = &report };
    jali_status status = jali_places_fill(&p, places, &arena, &why);
    if (status == JALI_OK && sodium_init() < 0) status = JALI_E_ENTROPY;
    if (status == JALI_OK) status = jali_places_store(&a.store, &p, JALI_STORE_READ, &why);
    if (status == JALI_OK) status = audit_store(&a, &p, &why);
    status = as_report(&a, status, &why, err);
    if (a.store != NULL) a.store->kind->close(a.store);
    jali_arena_clear(&arena);
    if (status == JALI_OK) *out = report;
    return status;
}

jali_status jali_ledger_report_status(const jali_ledger_report *report, jali_err *err)
{
    if (report->intact) return JALI_OK;
    if (report->bad_row == 0)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "the ledger is bad: %s",
                         report->why);
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "row %lld of the ledger is the first bad one: %s",
                     (long long)report->bad_row, report->why);
}
