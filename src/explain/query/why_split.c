/* explain/query/why_split.c — which part of the budget goes to what.
 *
 * No claim: the parts add up to the budget or less; mech/explain.c prices each.
 *
 * Defaults: 30% to the choice and 70% to the vector with zCDP, half and half in a pure vault
 * (research B.4 and C: the smaller share starves the choice there). The paper's own numbers are
 * rho 0.5, 0.5 and 1.0 for choice, influences and ranks.
 */
#include "base/rat.h"
#include "base/text.h"
#include "explain/query/why.h"

enum { LONGEST = 200 };

static jali_status refuse_split(jali_err *err, const char *split)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--split %.60s: write \"paper\", or shares that are above 0 and add up to "
                     "1: of the choice and the vector (0.3,0.7), or of the choice, the "
                     "influences and the rank search (0.25,0.25,0.5)",
                     split);
}

static jali_status read_ranks(jali_why_split *s, const jali_why_words *words, jali_err *err)
{
    static const char *const names[] = { "shared", "search" };
    bool paper = words->split != NULL && strcmp(words->split, "paper") == 0;
    s->ranks = paper ? JALI_RANKS_SEARCH : JALI_RANKS_SHARED;
    if (words->ranks == NULL) return JALI_OK;
    const char *near = jali_text_nearest(words->ranks, names, 2);
    if (strcmp(words->ranks, "search") == 0)
        s->ranks = JALI_RANKS_SEARCH;
    else if (strcmp(words->ranks, "shared") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--ranks %.40s: ranks are \"shared\" or \"search\"%s%s", words->ranks,
                         near == NULL ? "" : "; did you mean ", near == NULL ? "" : near);
    else if (paper)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--split paper goes with --ranks search: shared ranks have no third "
                         "part");
    return JALI_OK;
}

static const char *default_split(const jali_why_split *s, jali_law law)
{
    if (s->ranks == JALI_RANKS_SEARCH) return "0.25,0.25,0.5";
    return law == JALI_LAW_GAUSS ? "0.3,0.7" : "0.5,0.5";
}

/* Reads the shares into topk, vector, search, for now as shares. */
static jali_status read_shares(jali_why_split *s, const char *split, jali_arena *arena,
                               jali_err *err)
{
    mpq_ptr part[3] = { s->topk, s->vector, s->search };
    size_t wanted = s->ranks == JALI_RANKS_SEARCH ? 3 : 2, n = 0;
    char *copy = strlen(split) > LONGEST ? NULL : jali_arena_text(arena, split);
    if (copy == NULL) return refuse_split(err, split);
    mpq_t sum;
    mpq_init(sum);
    bool good = true;
    for (char *at = copy; good && at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        good = n < wanted && jali_rat_parse(part[n], at, "--split", NULL) == JALI_OK &&
               mpq_sgn(part[n]) > 0;
        if (good) mpq_add(sum, sum, part[n]);
        if (good) s->share[n++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    good = good && n == wanted && mpq_cmp_ui(sum, 1, 1) == 0;
    mpq_clear(sum);
    return good ? JALI_OK : refuse_split(err, split);
}

static jali_status read_lower(jali_why_split *s, const char *lower, jali_err *err)
{
    mpq_set_ui(s->lower, 1, 10);
    if (lower == NULL) return JALI_OK;
    if (s->ranks != JALI_RANKS_SEARCH)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--lower is a share of the rank search: say --ranks search, too");
    JALI_TRY(jali_rat_parse(s->lower, lower, "--lower", err));
    if (mpq_sgn(s->lower) > 0 && mpq_cmp_ui(s->lower, 1, 1) < 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--lower %.40s must lie between 0 and 1, like 0.1", lower);
}

/* A third of a budget has no last digit; rounded up, the parts would be dearer than the whole.
 */
static jali_status take_part(mpq_t share, mpq_srcptr budget, jali_err *err)
{
    uint64_t pico;
    mpq_mul(share, share, budget);
    if (!jali_rat_down(&pico, share, JALI_LOSS_DIGITS))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "the budget is beyond any cap");
    if (pico == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget is too small to be split; ask with more");
    mpz_set_ui(mpq_numref(share), pico);
    mpz_ui_pow_ui(mpq_denref(share), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(share);
    return JALI_OK;
}

jali_status jali_why_split_init(jali_why_split *out, const jali_why_words *words, jali_law law,
                                mpq_srcptr budget, jali_arena *arena, jali_err *err)
{
    *out = (jali_why_split){ .ranks = JALI_RANKS_SHARED };
    mpq_inits(out->topk, out->vector, out->search, out->lower, NULL);
    jali_status status = read_ranks(out, words, err);
    if (status == JALI_OK) {
        const char *split = words->split;
        if (split == NULL || strcmp(split, "paper") == 0) split = default_split(out, law);
        status = read_shares(out, split, arena, err);
    }
    if (status == JALI_OK) status = read_lower(out, words->lower, err);
    if (status == JALI_OK) status = take_part(out->topk, budget, err);
    if (status == JALI_OK) status = take_part(out->vector, budget, err);
    if (status == JALI_OK && out->ranks == JALI_RANKS_SEARCH)
        status = take_part(out->search, budget, err);
    if (status != JALI_OK) jali_why_split_clear(out);
    return status;
}

void jali_why_split_clear(jali_why_split *split)
{
    mpq_clears(split->topk, split->vector, split->search, split->lower, NULL);
}
