/* door/book.h — the releases of a ledger beside the charges that paid for them. */
#ifndef JALI_DOOR_BOOK_H
#define JALI_DOOR_BOOK_H

#include "door/door.h"

typedef struct jali_entry {
    char id[24];
    int64_t row, charge, time_ms; /* rows of the ledger; when it was stored */
    const char *who, *note;
    jali_loss loss;
    const char *hash, *charge_hash;
} jali_entry;

typedef struct jali_book {
    jali_entry *entry; /* in the order of the ledger */
    size_t n;
    int64_t rows;     /* of the whole ledger         */
    const char *head; /* the hash of its last row    */
} jali_book;

/* Everything in the arena. */
JALI_MUST_USE jali_status jali_book_read(jali_ledger *ledger, jali_arena *arena, jali_book *out,
                                         jali_err *err);

/* The entry of an id, or NULL. */
const jali_entry *jali_book_find(const jali_book *book, const char *id);

/* A table of entries on a document; the same as JSON rows, to be set by the caller. */
void jali_book_tell(jali_doc *doc, const jali_entry *const *entry, size_t n,
                    const jali_cap *cap);
json_t *jali_book_json(const jali_entry *const *entry, size_t n);

#endif
