/* door/teller.h — stored releases told again: one teller a kind.
 *
 * A verb shows its answer through its teller, too, so that `jali release VAULT c1` says what
 * `jali cluster` said, at any confidence and for free. A teller looks at the release and the
 * schema only.
 */
#ifndef JALI_DOOR_TELLER_H
#define JALI_DOOR_TELLER_H

#include "door/door.h"
#include "door/vault.h"

typedef struct jali_telling {
    const jali_vault *vault;
    jali_ledger *ledger; /* a why table looks up the answer it explains */
    const jali_release *release;
    double miss; /* 1 - confidence */
    bool story;  /* for a report: also what follows from the release and takes a while */
    jali_arena *arena;
    jali_doc *doc; /* heading, numbers, pictures and JSON members go here; cost is added by
                      the caller */
} jali_telling;

typedef jali_status (*jali_teller)(const jali_telling *t, jali_err *err);

/* The name of a kind of release ("ask") and its teller; NULL for an unknown letter. */
const char *jali_teller_name(char kind);

/* Makes the document of a release: what its teller says, without the cost. */
JALI_MUST_USE jali_status jali_tell(const jali_telling *t, jali_err *err);

/* ---- the tellers, each beside its verb */
jali_status jali_tell_ask(const jali_telling *t, jali_err *err);
jali_status jali_tell_contrast(const jali_telling *t, jali_err *err);
jali_status jali_tell_profile(const jali_telling *t, jali_err *err);
jali_status jali_tell_why(const jali_telling *t, jali_err *err);
jali_status jali_tell_cluster(const jali_telling *t, jali_err *err);
jali_status jali_tell_model(const jali_telling *t, jali_err *err);

#endif
