/* tally/crew.c — who counts: this process alone, or others with it. */
#include "tally/crew.h"
#include <string.h>

bool jali_crew_leads(const jali_columns *columns)
{
    const jali_crew *crew = jali_columns_crew(columns);
    return crew != NULL && crew->rank == 0;
}

jali_status jali_crew_lost(jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the line between the processes of jali-tally broke; a charge that was "
                     "made stands, nothing was released");
}

jali_status jali_crew_send(const jali_crew *crew, jali_text *order, jali_err *err)
{
    jali_status status = JALI_OK;
    if (crew != NULL && crew->rank == 0) {
        uint64_t n = order->used;
        status = jali_text_status(order, err);
        if (status == JALI_OK && (!crew->tell(crew->self, &n, sizeof n) ||
                                  !crew->tell(crew->self, order->at, order->used)))
            status = jali_crew_lost(err);
    }
    jali_text_clear(order);
    return status;
}

jali_status jali_crew_receive(const jali_crew *crew, char **bytes, size_t *n, jali_err *err)
{
    uint64_t size = 0;
    if (!crew->tell(crew->self, &size, sizeof size)) return jali_crew_lost(err);
    char *at = malloc((size_t)size + 1);
    if (at == NULL) return jali_fail_memory(err); /* nobody can go on: the line is closed */
    if (!crew->tell(crew->self, at, (size_t)size)) {
        free(at);
        return jali_crew_lost(err);
    }
    at[size] = '\0';
    *bytes = at;
    *n = (size_t)size;
    return JALI_OK;
}

/* The first that failed, in the order of ranks, so that the sentence does not depend on luck.
 */
static const jali_err *first_failure(const jali_err *said, unsigned ranks, unsigned *rank)
{
    for (unsigned i = 0; i < ranks; i++)
        if (said[i].code != JALI_OK) {
            *rank = i;
            return &said[i];
        }
    return NULL;
}

static void tell_failure(const jali_err *said, unsigned rank, jali_err *err)
{
    if (err == NULL) return;
    *err = *said;
    if (rank > 0) snprintf(err->text, sizeof err->text, "rank %u: %.480s", rank, said->text);
}

jali_status jali_crew_agree(const jali_crew *crew, jali_status mine, jali_err *err)
{
    if (crew == NULL) return mine;
    jali_err own = { .code = mine }, *said = NULL;
    int32_t verdict = JALI_OK;
    unsigned rank = 0;
    if (mine != JALI_OK && err != NULL) own = *err;
    own.code = mine;
    if (crew->rank == 0) {
        said = calloc(crew->ranks, sizeof *said);
        if (said == NULL) return jali_fail_memory(err); /* the others wait until we end */
    }
    bool line = crew->gather(crew->self, &own, sizeof own, said);
    const jali_err *bad = line && said != NULL ? first_failure(said, crew->ranks, &rank) : NULL;
    if (bad != NULL) verdict = (int32_t)bad->code;
    line = line && crew->tell(crew->self, &verdict, sizeof verdict);
    jali_status status = line ? (jali_status)verdict : jali_crew_lost(err);
    if (line && bad != NULL) tell_failure(bad, rank, err);
    free(said);
    return status;
}

jali_status jali_crew_add(const jali_crew *crew, int64_t *cell, size_t n, jali_err *err)
{
    if (crew == NULL || n == 0) return JALI_OK;
    return crew->add(crew->self, cell, n) ? JALI_OK : jali_crew_lost(err);
}
