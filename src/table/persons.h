/* table/persons.h — at most m rows of each person. */
#ifndef JALI_TABLE_PERSONS_H
#define JALI_TABLE_PERSONS_H

#include "base/err.h"

/* Secret, fresh for each vault: who knows it can tell which rows of a person were kept. */
typedef struct jali_person_key {
    unsigned char id[16], content[16];
} jali_person_key;

/* Whose row it is, as 128 keyed bits: two persons share them with chance below 2^-64. */
typedef struct jali_person {
    uint64_t who[2];
} jali_person;

jali_person jali_person_of(const jali_person_key *key, const char *id, size_t n);

/* Where the row stands among its person's rows: a keyed hash of person and content. */
uint64_t jali_person_rank(const jali_person_key *key, jali_person person, const void *content,
                          size_t n);

/* What becomes of a row before persons are looked at. */
enum { JALI_ROW_DEAD = 0, JALI_ROW_NAMED = 1, JALI_ROW_ALONE = 2 };

/* Some rows, the first of them being row `first` of the table. */
typedef struct jali_person_rows {
    size_t rows;
    uint64_t first;
    const unsigned char *state; /* JALI_ROW_... ; an ALONE row is its own person */
    const jali_person *person;
    const uint64_t *rank;
} jali_person_rows;

typedef struct jali_person_source {
    size_t n; /* blocks */
    uint64_t rows;
    jali_status (*read)(void *self, size_t block, jali_person_rows *out, jali_err *err);
    void *self;
} jali_person_source;

typedef struct jali_person_counts {
    uint64_t persons; /* different ids, and rows without one */
    uint64_t alone;   /* rows without an id                  */
    uint64_t dropped; /* rows beyond the m of their person   */
} jali_person_counts;

/* Clears the bit of every NAMED row beyond the m lowest ranks of its person in `keep` (one
 * bit a row). `batch` rows are held in memory at a time, 32 bytes each; the blocks are read
 * once for each batch. */
JALI_MUST_USE jali_status jali_persons_bound(const jali_person_source *source, uint32_t m,
                                             size_t batch, uint64_t *keep,
                                             jali_person_counts *out, jali_err *err);

#endif
