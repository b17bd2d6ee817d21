/* table/persons.c — at most m rows of each person.
 *
 * Claim    persons.bound
 *          With m = rowsPerPerson, a vault holds at most m rows of each person, and which of
 *          a person's rows it holds is a function of that person's own rows and the key: so
 *          tables that differ by one person become vaults that differ by that person's at
 *          most m rows, and by nothing else.
 * Proof    proofs/persons.md#persons.bound
 * Source   PRIVACY 8: never by row number. Removing one person would renumber everybody.
 * Law      keep the m lowest SipHash-2-4(content key, person, codes of the row) of each
 *          SipHash-128(id key, id text). Rows of equal codes are equal, so a tie hides nothing.
 * Test     tests/table/persons_test.c
 * Silent   Ids that collide in 128 keyed bits; a person with several ids; the time it takes.
 */
#include "table/persons.h"
#include <sodium.h>

jali_person jali_person_of(const jali_person_key *key, const char *id, size_t n)
{
    jali_person p;
    crypto_shorthash_siphashx24((unsigned char *)p.who, (const unsigned char *)id, n, key->id);
    return p;
}

uint64_t jali_person_rank(const jali_person_key *key, jali_person person, const void *content,
                          size_t n)
{
    /* The person goes into the key, so that equal rows of two persons rank differently. */
    unsigned char own[16];
    uint64_t rank;
    crypto_shorthash_siphashx24(own, (const unsigned char *)person.who, sizeof person.who,
                                key->content);
    crypto_shorthash_siphash24((unsigned char *)&rank, content, n, own);
    return rank;
}

typedef struct record {
    jali_person person;
    uint64_t rank, row;
} record;

static int by_person(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->person.who[0] != y->person.who[0])
        return x->person.who[0] < y->person.who[0] ? -1 : 1;
    if (x->person.who[1] != y->person.who[1])
        return x->person.who[1] < y->person.who[1] ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

typedef struct batch {
    record *at;
    size_t n, room;
    uint64_t persons, dropped;
} batch;

static bool same_person(const record *x, const record *y)
{
    return x->person.who[0] == y->person.who[0] && x->person.who[1] == y->person.who[1];
}

/* Drops what lies beyond the m lowest of its person; later rows can only push more out, so
 * this may be done at any time. */
static void trim(batch *b, uint32_t m, uint64_t *keep)
{
    size_t kept = 0, run = 0;
    if (b->n > 0) qsort(b->at, b->n, sizeof *b->at, by_person);
    b->persons = 0;
    for (size_t i = 0; i < b->n; i++) {
        record r = b->at[i];
        bool again = kept > 0 && same_person(&b->at[kept - 1], &r);
        run = again ? run + 1 : 1;
        b->persons += !again;
        if (run <= m) {
            b->at[kept++] = r;
            continue;
        }
        keep[r.row / 64] &= ~((uint64_t)1 << (r.row % 64));
        b->dropped++;
    }
    b->n = kept;
}

static jali_status make_room(batch *b, uint32_t m, uint64_t *keep, jali_err *err)
{
    if (b->n < b->room) return JALI_OK;
    if (b->n > 0) trim(b, m, keep);
    if (b->room > 0 && b->n < b->room / 2) return JALI_OK;
    size_t room = b->room == 0 ? 4096 : b->room * 2;
    record *more = realloc(b->at, room * sizeof *more);
    if (more == NULL) return jali_fail_memory(err);
    b->at = more;
    b->room = room;
    return JALI_OK;
}

/* The rows of every `parts`-th person, by a hash that nobody outside knows. */
static jali_status gather(batch *b, const jali_person_source *source, uint64_t part,
                          uint64_t parts, uint32_t m, uint64_t *keep, jali_err *err)
{
    for (size_t i = 0; i < source->n; i++) {
        jali_person_rows rows;
        JALI_TRY(source->read(source->self, i, &rows, err));
        for (size_t r = 0; r < rows.rows; r++) {
            if (rows.state[r] != JALI_ROW_NAMED || rows.person[r].who[0] % parts != part)
                continue;
            JALI_TRY(make_room(b, m, keep, err));
            b->at[b->n++] = (record){ rows.person[r], rows.rank[r], rows.first + r };
        }
    }
    trim(b, m, keep);
    return JALI_OK;
}

static jali_status count_alone(const jali_person_source *source, jali_person_counts *out,
                               jali_err *err)
{
    for (size_t i = 0; i < source->n; i++) {
        jali_person_rows rows;
        JALI_TRY(source->read(source->self, i, &rows, err));
        for (size_t r = 0; r < rows.rows; r++) out->alone += rows.state[r] == JALI_ROW_ALONE;
    }
    out->persons = out->alone;
    return JALI_OK;
}

jali_status jali_persons_bound(const jali_person_source *source, uint32_t m, size_t size,
                               uint64_t *keep, jali_person_counts *out, jali_err *err)
{
    jali_person_counts counts = { 0 };
    uint64_t parts = source->rows / size + 1;
    batch b = { 0 };
    jali_status status = count_alone(source, &counts, err);
    for (uint64_t part = 0; status == JALI_OK && part < parts; part++) {
        b.n = 0;
        b.dropped = 0;
        status = gather(&b, source, part, parts, m, keep, err);
        counts.persons += b.persons;
        counts.dropped += b.dropped;
    }
    free(b.at);
    if (status == JALI_OK) *out = counts;
    return status;
}
