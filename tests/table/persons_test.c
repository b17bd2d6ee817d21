/* Refutes persons.bound if it can: at most m rows, chosen by the person's own rows alone. */
#include "table/persons.h"
#include "unit.h"
#include <stdlib.h>

enum { ROWS = 5000, PERSONS = 700 };

static const jali_person_key key = { "0123456789abcde", "fedcba987654321" };

static uint64_t mix(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A table of (person, content) in some order. */
typedef struct table {
    size_t n;
    unsigned who[ROWS], content[ROWS];
    unsigned char state[ROWS];
    jali_person person[ROWS];
    uint64_t rank[ROWS];
    uint64_t keep[ROWS / 64 + 1];
    jali_person_counts counts;
} table;

static void name(table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        char id[16];
        int n = snprintf(id, sizeof id, "p%u", t->who[i]);
        t->person[i] = jali_person_of(&key, id, (size_t)n);
        t->rank[i] = jali_person_rank(&key, t->person[i], &t->content[i], 4);
    }
}

static void fill(table *t, uint64_t seed)
{
    t->n = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        t->who[i] = (unsigned)(mix(&seed) % PERSONS * (mix(&seed) % PERSONS) / PERSONS);
        t->content[i] = (unsigned)(mix(&seed) % 50);
        t->state[i] = JALI_ROW_NAMED;
    }
    name(t);
}

/* Blocks of 512 rows, so that persons lie across blocks. */
static jali_status read_block(void *self, size_t block, jali_person_rows *out, jali_err *err)
{
    (void)err;
    table *t = self;
    size_t first = block * 512, rows = t->n - first < 512 ? t->n - first : 512;
    *out =
        (jali_person_rows){ rows, first, t->state + first, t->person + first, t->rank + first };
    return JALI_OK;
}

static void bound(table *t, uint32_t m, size_t batch)
{
    jali_person_source source = { (t->n + 511) / 512, t->n, read_block, t };
    memset(t->keep, 0xff, sizeof t->keep);
    CHECK_OK(jali_persons_bound(&source, m, batch, t->keep, &t->counts, NULL));
}

static bool kept(const table *t, size_t row)
{
    return t->keep[row / 64] >> (row % 64) & 1;
}

static bool same_vault(const table *a, const table *b, unsigned but)
{
    static unsigned seen[2][PERSONS][50];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < a->n; i++)
        if (a->who[i] != but) seen[0][a->who[i]][a->content[i]] += kept(a, i);
    for (size_t i = 0; i < b->n; i++)
        if (b->who[i] != but) seen[1][b->who[i]][b->content[i]] += kept(b, i);
    return memcmp(seen[0], seen[1], sizeof seen[0]) == 0;
}

static void shuffle(table *t, uint64_t seed)
{
    for (size_t i = t->n - 1; i > 0; i--) {
        size_t j = (size_t)(mix(&seed) % (i + 1));
        unsigned who = t->who[i], content = t->content[i];
        t->who[i] = t->who[j], t->content[i] = t->content[j];
        t->who[j] = who, t->content[j] = content;
    }
    name(t);
}

static table a, b;

/* persons.bound, first half. */
SENTENCE(no_person_keeps_more_than_m_rows_and_none_loses_more_than_needed)
{
    UNUSED_STATE;
    fill(&a, 1);
    for (uint32_t m = 1; m < 40; m = m * 2 + 1) {
        unsigned have[PERSONS] = { 0 }, keep[PERSONS] = { 0 };
        uint64_t persons = 0, dropped = 0;
        bound(&a, m, 1000);
        for (size_t i = 0; i < a.n; i++) have[a.who[i]]++, keep[a.who[i]] += kept(&a, i);
        for (unsigned p = 0; p < PERSONS; p++) {
            assert_int_equal(keep[p], have[p] < m ? have[p] : m);
            persons += have[p] > 0;
            dropped += have[p] - keep[p];
        }
        CHECK(a.counts.persons == persons && a.counts.dropped == dropped);
    }
}

/* persons.bound, second half: order, blocks and other people do not matter. */
SENTENCE(what_is_kept_of_a_person_depends_on_that_person_alone)
{
    UNUSED_STATE;
    fill(&a, 2);
    bound(&a, 3, 100000);
    for (uint64_t round = 0; round < 20; round++) {
        fill(&b, 2);
        shuffle(&b, 100 + round);
        bound(&b, 3, 500 + 977 * (size_t)round); /* other batches, too */
        CHECK(same_vault(&a, &b, PERSONS));
        /* Without one person, everybody else's rows stay as they were. */
        unsigned gone = (unsigned)(7 * round + 1);
        size_t n = 0;
        for (size_t i = 0; i < b.n; i++) {
            if (b.who[i] == gone) continue;
            b.who[n] = b.who[i];
            b.content[n++] = b.content[i];
        }
        b.n = n;
        name(&b);
        bound(&b, 3, 2000);
        CHECK(same_vault(&a, &b, gone));
    }
}

/* The twin: a bound by row number must be refused by the test above. */
SENTENCE(the_test_refuses_a_choice_by_row_number)
{
    UNUSED_STATE;
    fill(&a, 2);
    for (size_t i = 0; i < a.n; i++) a.rank[i] = i;
    bound(&a, 3, 100000);
    fill(&b, 2);
    shuffle(&b, 100);
    for (size_t i = 0; i < b.n; i++) b.rank[i] = i;
    bound(&b, 3, 100000);
    CHECK(!same_vault(&a, &b, PERSONS));
}

SENTENCE(rows_without_an_id_are_persons_of_their_own_and_dead_rows_are_nobody)
{
    UNUSED_STATE;
    fill(&a, 3);
    for (size_t i = 0; i < a.n; i++) a.who[i] = 5;
    name(&a);
    for (size_t i = 0; i < 100; i++) a.state[i] = JALI_ROW_ALONE;
    for (size_t i = 100; i < 150; i++) a.state[i] = JALI_ROW_DEAD;
    bound(&a, 2, 64);
    for (size_t i = 0; i < 150; i++) CHECK(kept(&a, i)); /* not ours to judge */
    CHECK(a.counts.alone == 100 && a.counts.persons == 101);
    CHECK(a.counts.dropped == ROWS - 150 - 2);
    unsigned named = 0;
    for (size_t i = 150; i < a.n; i++) named += kept(&a, i);
    assert_int_equal(named, 2);
}

SENTENCE(another_key_keeps_other_rows)
{
    UNUSED_STATE;
    jali_person_key other = key;
    other.content[0] ^= 1;
    fill(&a, 4);
    bound(&a, 3, 100000);
    fill(&b, 4);
    for (size_t i = 0; i < b.n; i++)
        b.rank[i] = jali_person_rank(&other, b.person[i], &b.content[i], 4);
    bound(&b, 3, 100000);
    CHECK(!same_vault(&a, &b, PERSONS));
}

RUN_ALL(TEST(no_person_keeps_more_than_m_rows_and_none_loses_more_than_needed),
        TEST(what_is_kept_of_a_person_depends_on_that_person_alone),
        TEST(the_test_refuses_a_choice_by_row_number),
        TEST(rows_without_an_id_are_persons_of_their_own_and_dead_rows_are_nobody),
        TEST(another_key_keeps_other_rows))
