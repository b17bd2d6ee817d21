/* score/arrivals.c — which predicate came when, and which did not come at all.
 *
 * No claim: bookkeeping of numbers. Which predicates match nothing is as secret as a count; it
 * leaves this room only as the number of a predicate that mech/ has drawn.
 */
#include "score/open.h"
#include <stdlib.h>

/* Does the piece go on where the last run ended? */
static bool goes_on(const jali_arrivals *a, const jali_score_piece *p)
{
    if (a->n_runs == 0) return false;
    const struct jali_arrival_run *r = &a->run[a->n_runs - 1];
    if (p->cell == NULL) return r->cell == NULL && r->first + r->n == p->first;
    return r->cell != NULL && r->first == p->first && r->cell + r->n == p->cell;
}

jali_status jali_arrivals_note(jali_arrivals *a, const jali_score_piece *piece)
{
    if (goes_on(a, piece)) {
        a->run[a->n_runs - 1].n += piece->n;
        if (piece->cell != NULL) a->idle -= piece->n;
        a->n += piece->n;
        return JALI_OK;
    }
    if (a->n_runs == a->room) {
        size_t room = 2 * a->room + 16;
        struct jali_arrival_run *run = realloc(a->run, room * sizeof *run);
        if (run == NULL) return JALI_E_NOMEM;
        a->run = run;
        a->room = room;
    }
    a->run[a->n_runs++] =
        (struct jali_arrival_run){ a->n, piece->first, piece->n,
                                   piece->cell == NULL ? piece->n : piece->span, piece->cell };
    a->n += piece->n;
    if (piece->cell != NULL) a->idle += piece->span - piece->n;
    return JALI_OK;
}

void jali_arrivals_clear(jali_arrivals *a)
{
    free(a->run);
    *a = (jali_arrivals){ 0 };
}

uint64_t jali_arrivals_number(const jali_arrivals *a, uint64_t arrival)
{
    size_t lo = 0, hi = a->n_runs;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (a->run[middle].arrival <= arrival)
            lo = middle;
        else
            hi = middle;
    }
    const struct jali_arrival_run *r = &a->run[lo];
    uint64_t at = arrival - r->arrival;
    return r->first + (r->cell == NULL ? at : r->cell[at]);
}

/* The rank-th number that is not in the rising list: below list[i] there are list[i] - i. */
static uint64_t missing(const uint64_t *list, uint64_t n, uint64_t rank)
{
    uint64_t lo = 0, hi = n; /* list[i] - i <= rank for i < lo, > rank from hi on */
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (list[middle] - middle <= rank)
            lo = middle + 1;
        else
            hi = middle;
    }
    return rank + lo;
}

uint64_t jali_arrivals_idle(const jali_arrivals *a, uint64_t rank)
{
    for (size_t i = 0; i < a->n_runs; i++) {
        const struct jali_arrival_run *r = &a->run[i];
        uint64_t idle = r->cell == NULL ? 0 : r->span - r->n;
        if (rank < idle) return r->first + missing(r->cell, r->n, rank);
        rank -= idle;
    }
    return UINT64_MAX;
}
