/* door/release.c — stored releases told again, each by its teller. */
#include "door/desk.h"
#include "door/teller.h"

static const struct {
    char kind;
    const char *name;
    jali_teller tell;
} tellers[] = {
    { 'r', "ask", jali_tell_ask },         { 'k', "contrast", jali_tell_contrast },
    { 'p', "profile", jali_tell_profile }, { 'w', "why", jali_tell_why },
    { 'c', "cluster", jali_tell_cluster }, { 'm', "model", jali_tell_model },
};

const char *jali_teller_name(char kind)
{
    for (size_t i = 0; i < sizeof tellers / sizeof *tellers; i++)
        if (tellers[i].kind == kind) return tellers[i].name;
    return NULL;
}

jali_status jali_tell(const jali_telling *t, jali_err *err)
{
    jali_vault_tell_public(t->doc, t->vault->is_public);
    for (size_t i = 0; i < sizeof tellers / sizeof *tellers; i++)
        if (tellers[i].kind == t->release->id[0]) return tellers[i].tell(t, err);
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                     "release %.20s is of a kind that this jali does not know; use a newer one",
                     t->release->id);
}

jali_status jali_desk_tell(jali_desk *desk, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    const char *name = jali_teller_name(desk->release.id[0]);
    JALI_TRY(jali_desk_doc(desk, name == NULL ? "?" : name, &doc, err));
    jali_telling t = { .vault = desk->vault,
                       .ledger = desk->ledger,
                       .release = &desk->release,
                       .miss = desk->miss,
                       .arena = &desk->arena,
                       .doc = doc };
    jali_status status = jali_tell(&t, err);
    if (status == JALI_OK) status = jali_desk_tell_cost(desk, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status release(const jali_spend *spend, const char *id, jali_doc **out,
                           jali_err *err)
{
    jali_desk desk;
    jali_status status = jali_desk_open(&desk, spend, err);
    desk.free = true;
    if (status == JALI_OK)
        status = jali_ledger_find_id(desk.ledger, id, &desk.arena, &desk.release, err);
    if (status == JALI_OK) status = jali_desk_tell(&desk, out, err);
    jali_desk_close(&desk);
    return status;
}

jali_status jali_vault_release(const char *vault, const char *id, const char *confidence,
                               jali_doc **out, jali_err *err)
{
    jali_spend spend = { .vault = vault, .confidence = confidence, .quote = true };
    return release(&spend, id, out, err);
}

jali_status jali_hold_release(jali_hold *hold, const char *id, const char *confidence,
                              jali_doc **out, jali_err *err)
{
    jali_spend spend = {
        .vault = jali_hold_path(hold), .confidence = confidence, .quote = true, .hold = hold
    };
    return release(&spend, id, out, err);
}
