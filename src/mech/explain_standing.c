/* mech/explain_standing.c — which score stands on which rank.
 *
 * No claim: scores in order, as sealed as before. If all scores move by amounts in [lo, hi], so
 * does the score on any rank (PRIVACY 2.1): that is used, and proved, in explain_vector.c and
 * explain_search.c. Scores of 0 are counted and not kept, so predicates that match nothing take
 * a rank and no room. Sorting takes the same steps for all scores.
 */
#include "mech/explain_inside.h"
#include <stdlib.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

jali_status jali_standing_add(jali_standing *s, const int64_t *score, size_t n)
{
    if (s->room - s->n < n + 1) {
        size_t room = 2 * s->room + n + 4096;
        int64_t *at = realloc(s->score, room * sizeof *at);
        if (at == NULL) return JALI_E_NOMEM;
        s->score = at;
        s->room = room;
    }
    for (size_t i = 0; i < n; i++) { /* always written, kept if not 0 */
        s->score[s->n] = score[i];
        s->n += score[i] != 0;
    }
    return JALI_OK;
}

/* Rises with falling score. */
static uint64_t key_of(int64_t score)
{
    return ~((uint64_t)score ^ (uint64_t)1 << 63);
}

jali_status jali_standing_sort(jali_standing *s)
{
    int64_t *from = s->score, *to = malloc((s->n + 1) * sizeof *to);
    if (to == NULL) return JALI_E_NOMEM;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        size_t start[DIGITS] = { 0 }, sum = 0;
        for (size_t i = 0; i < s->n; i++) start[key_of(from[i]) >> shift & (DIGITS - 1)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            size_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < s->n; i++)
            to[start[key_of(from[i]) >> shift & (DIGITS - 1)]++] = from[i];
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    free(to); /* after an even number of turns: the one that was added */
    s->above = 0;
    for (size_t i = 0; i < s->n; i++) s->above += from[i] > 0;
    return JALI_OK;
}

void jali_standing_clear(jali_standing *s)
{
    free(s->score);
    *s = (jali_standing){ 0 };
}

int64_t jali_standing_at(const jali_standing *s, uint64_t t)
{
    uint64_t zeros = s->predicates - s->n, place = t - 1;
    if (place < s->above) return s->score[place];
    if (place < s->above + zeros) return 0;
    return s->score[place - zeros];
}
