/* dice/race.c — candidates run with noise on their backs; the k first are kept.
 *
 * Work depends on the number of candidates and on k only. A heap would be shorter, but
 * every new leader costs it a sift: scores that come in rising order would take longer
 * than the same scores falling, and a clock would tell. Instead each block of 64 rows of
 * 64 gives up its k+1 best by k+1 tournaments of fixed length, and those are merged.
 */
#include "dice/race.h"
#include "dice/inside.h"
#include "dice/reals.h"
#include <sodium.h>

enum { CHUNK = JALI_LANES };
_Static_assert(JALI_RACE_BLOCK % CHUNK == 0, "a block is filled by whole chunks");

jali_status jali_race_init(jali_race *r, const jali_rate *rate, size_t k, jali_noise noise)
{
    *r = (jali_race){ .rate = rate, .k = k, .noise = noise };
    r->block = malloc(sizeof *r->block);
    if (r->block == NULL) return JALI_E_NOMEM;
    r->block->n = 0;
    return JALI_OK;
}

/* Noise that decided something is erased, like every used word. */
void jali_race_clear(jali_race *r)
{
    size_t used = r->seen < JALI_RACE_BLOCK ? (size_t)r->seen : JALI_RACE_BLOCK;
    sodium_memzero(r->block->word, used * sizeof *r->block->word);
    sodium_memzero(r->block->high, used * sizeof *r->block->high);
    for (size_t i = 0; i < r->n_crowds; i++) {
        sodium_memzero(r->crowd[i].word, r->crowd[i].n * sizeof *r->crowd[i].word);
        free(r->crowd[i].word);
    }
    free(r->crowd);
    free(r->kept.at);
    free(r->fresh.at);
    free(r->merged.at);
    free(r->block);
}

/* ---- keys ---------------------------------------------------------------------------- */

jali_i128 jali_race_base(const jali_rate *rate, int64_t score)
{
    uint64_t sign = (uint64_t)0 - (score < 0);
    uint64_t size = ((uint64_t)score ^ sign) - sign;
    jali_u128 low = (jali_u128)size * (uint64_t)rate->fixed >> 64;
    jali_u128 high = (jali_u128)size * (uint64_t)(rate->fixed >> 64);
    jali_i128 minus = -(jali_i128)(score < 0);
    return ((jali_i128)(high + low) ^ minus) - minus;
}

jali_i128 jali_race_low(jali_i128 high, jali_noise noise, uint64_t w, jali_i128 pad)
{
    uint64_t c = noise == JALI_GUMBEL && w > ~w ? ~w : w;
    if (c == 0) return JALI_KEY_MIN;
    return high - 2 * pad - (jali_i128)((UINT64_C(2) << JALI_KEY_FRACTION) / c) - 1;
}

/* The upper end of the noise for CHUNK words, in units, without the pad. */
static void run(jali_noise noise, const uint64_t w[static CHUNK], int64_t out[static CHUNK])
{
    double x[CHUNK];
    if (noise == JALI_GUMBEL)
        jali_exponential_each(w, x);
    else
        for (size_t i = 0; i < CHUNK; i++) x[i] = jali_double_of(w[i]) * 0x1p-64;
    jali_log_each(x);
    for (size_t i = 0; i < CHUNK; i++) out[i] = (int64_t)(x[i] * -0x1p44);
}

/* Keys for the n <= CHUNK next places of the block. */
static jali_status add_chunk(jali_race *r, jali_dice *d, const int64_t *score, size_t n)
{
    jali_block *b = r->block;
    uint64_t word[CHUNK] = { 0 };
    int64_t noise[CHUNK];
    JALI_TRY(jali_dice_take(d, word, n));
    run(r->noise, word, noise);
    for (size_t i = 0; i < n; i++) {
        jali_i128 key = jali_race_base(r->rate, score[i]) + noise[i] + JALI_KEY_PAD;
        b->high[b->n + i] = word[i] == 0 ? JALI_KEY_MAX : key;
        b->word[b->n + i] = word[i];
        b->score[b->n + i] = score[i];
    }
    b->n += n;
    return JALI_OK;
}

/* ---- the best of a block --------------------------------------------------------------- */

/* Where the largest of 64 keys is; the same steps wherever that is. */
static size_t best_of_side(const jali_i128 *key)
{
    jali_i128 best = key[0];
    size_t at = 0;
    for (size_t i = 1; i < JALI_RACE_SIDE; i++) {
        bool larger = key[i] > best;
        best ^= (best ^ key[i]) & -(jali_i128)larger;
        at ^= (at ^ i) & ((size_t)0 - larger);
    }
    return at;
}

static void refresh_row(jali_block *b, size_t row)
{
    const jali_i128 *keys = b->high + row * JALI_RACE_SIDE;
    b->best[row] = keys[best_of_side(keys)];
}

static void line_up(jali_block *b)
{
    size_t rows = (b->n + JALI_RACE_SIDE - 1) / JALI_RACE_SIDE;
    for (size_t i = b->n; i < rows * JALI_RACE_SIDE; i++) b->high[i] = JALI_KEY_MIN;
    for (size_t i = rows; i < JALI_RACE_SIDE; i++) b->best[i] = JALI_KEY_MIN;
    for (size_t i = 0; i < rows; i++) refresh_row(b, i);
}

/* Takes the best out of the block; `first` is the number of its candidate 0. */
static jali_runner pull(const jali_race *r, uint64_t first)
{
    jali_block *b = r->block;
    size_t row = best_of_side(b->best);
    size_t at = row * JALI_RACE_SIDE + best_of_side(b->high + row * JALI_RACE_SIDE);
    jali_runner one = {
        .high = b->high[at], .score = b->score[at], .index = first + at, .word = b->word[at]
    };
    one.low = jali_race_low(one.high, r->noise, one.word, JALI_KEY_PAD);
    b->high[at] = JALI_KEY_MIN;
    refresh_row(b, row);
    return one;
}

/* k of these have keys above this, so that who is below it is out. */
static jali_i128 bar(const jali_runners *list, size_t k)
{
    if (list->n < k) return JALI_KEY_MIN;
    jali_i128 least = JALI_KEY_MAX;
    for (size_t i = 0; i < k; i++)
        if (list->at[i].low < least) least = list->at[i].low;
    return least;
}

/* Empties the block into kept: k+1 runners always, more only if enclosures overlap. */
static jali_status settle(jali_race *r, bool doubt)
{
    jali_block *b = r->block;
    jali_i128 least = bar(&r->kept, r->k);
    uint64_t first = r->seen - b->n;
    line_up(b);
    r->fresh.n = 0;
    for (size_t left = b->n; left > 0; left--) {
        jali_runner one = pull(r, first);
        if (r->fresh.n > r->k && one.high < least && !doubt) break;
        JALI_TRY(jali_runners_add(&r->fresh, &one));
        if (r->fresh.n != r->k) continue;
        jali_i128 here = bar(&r->fresh, r->k);
        least = here > least ? here : least;
    }
    b->n = 0;
    return jali_race_merge(r, doubt);
}

/* ---- keeping -------------------------------------------------------------------------- */

static jali_status make_room(jali_runners *list, size_t n)
{
    if (n <= list->room) return JALI_OK;
    size_t room = 2 * list->room > n ? 2 * list->room : n;
    jali_runner *at = realloc(list->at, room * sizeof *at);
    if (at == NULL) return JALI_E_NOMEM;
    list->at = at;
    list->room = room;
    return JALI_OK;
}

jali_status jali_runners_add(jali_runners *list, const jali_runner *one)
{
    JALI_TRY(make_room(list, list->n + 1));
    list->at[list->n++] = *one;
    return JALI_OK;
}

jali_status jali_race_merge(jali_race *r, bool doubt)
{
    const jali_runners *a = &r->kept, *b = &r->fresh;
    jali_runners *to = &r->merged;
    JALI_TRY(make_room(to, a->n + b->n));
    size_t i = 0, j = 0;
    for (to->n = 0; to->n < a->n + b->n; to->n++) {
        bool left = j == b->n || (i < a->n && a->at[i].high >= b->at[j].high);
        to->at[to->n] = left ? a->at[i] : b->at[j];
        i += left;
        j += !left;
    }
    jali_runners old = r->kept;
    r->kept = *to;
    r->merged = old;
    jali_i128 least = bar(&r->kept, r->k);
    while (!doubt && r->kept.n > r->k && r->kept.at[r->kept.n - 1].high < least) r->kept.n--;
    return JALI_OK;
}

/* ---- from start to finish -------------------------------------------------------------- */

jali_status jali_race_offer(jali_race *r, jali_dice *d, const int64_t *score, size_t n)
{
    for (size_t at = 0; at < n && r->status == JALI_OK;) {
        size_t room = JALI_RACE_BLOCK - r->block->n, m = n - at;
        m = m < CHUNK ? m : CHUNK;
        m = m < room ? m : room;
        r->status = add_chunk(r, d, score + at, m);
        r->seen += m;
        at += m;
        if (r->status == JALI_OK && r->block->n == JALI_RACE_BLOCK)
            r->status = settle(r, d->doubt);
    }
    return r->status;
}

static bool in_order(const jali_race *r)
{
    bool good = true;
    for (size_t i = 0; i < r->k && i + 1 < r->kept.n; i++)
        good &= r->kept.at[i].low > r->kept.at[i + 1].high;
    return good;
}

jali_status jali_race_finish(jali_race *r, jali_dice *d)
{
    if (r->status == JALI_OK) r->status = settle(r, d->doubt);
    if (r->status == JALI_OK && (!in_order(r) || d->doubt)) r->status = jali_race_exact(r, d);
    return r->status;
}
