/* tally/probe_order.c — rows in an order that no row number decides.
 *
 * Removing a person renumbers everybody, so what needs an order of rows or blocks of persons
 * takes them from a keyed hash: of the person where persons are declared, and of the content
 * of the row and its number among rows of equal content. Equal rows are interchangeable, so
 * one more of them is one more key, and equal rows do not stand side by side (where they
 * would lend to each other what they have already).
 *
 *     content     the codes of all columns, each in 2, 4 or 8 bytes, the highest first
 *     hash        SHA-256(key, content, number in 8 bytes)
 *     block       bytes 8 to 15 of it, or the first 8 of SHA-256(key, person), halved, mod
 * blocks order       by block, then by the first 8 bytes of the hash, then by content
 *
 * SHA-256 because PostgreSQL has it: probe_far.c writes the same order as SQL, and the sums are
 * equal bit by bit.
 */
#define _GNU_SOURCE
#include "engine/codes.h"
#include "tally/probe_inside.h"
#include <sodium.h>
#include <stdlib.h>

enum { KEY = 16 };

typedef struct keyed {
    uint64_t hash;
    uint32_t row, block;
} keyed;

typedef struct content {
    size_t n, bytes;
    const jali_column **column;
    const jali_column *person; /* NULL: a row is a person */
    unsigned char *room;       /* the key, the content of a row, its number */
} content;

unsigned jali_probe_bytes(uint64_t domain)
{
    return domain <= 1u << 15 ? 2 : domain <= 1u << 31 ? 4 : 8;
}

bool jali_probe_person(const jali_probe *p, size_t *column)
{
    return p->schema->person >= 0 && jali_columns_find(p->columns, JALI_PERSON_COLUMN, column);
}

static jali_status map_all(const jali_probe *p, jali_arena *arena, content *out, jali_err *err)
{
    size_t n = jali_columns_count(p->columns), person;
    out->column = jali_arena_take(arena, n + 1, sizeof *out->column);
    if (out->column == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        JALI_TRY(jali_columns_map(p->columns, i, &out->column[i], err));
        out->bytes += jali_probe_bytes(out->column[i]->domain);
    }
    out->n = n;
    out->person = jali_probe_person(p, &person) ? out->column[person] : NULL;
    out->room = jali_arena_take(arena, KEY + out->bytes + 8, 1);
    if (out->room == NULL) return jali_fail_memory(err);
    memcpy(out->room, p->key, KEY);
    return JALI_OK;
}

/* ---- what is hashed --------------------------------------------------------------------- */

static uint64_t code_of(const jali_column *c, size_t row)
{
    return jali_code_at(c->codes, c->width, row);
}

static void put(unsigned char *to, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) to[i] = (unsigned char)(v >> 8 * (bytes - 1 - i));
}

static uint64_t get(const unsigned char *from)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | from[i];
    return v;
}

static void put_row(const content *all, size_t row)
{
    unsigned char *to = all->room + KEY;
    for (size_t i = 0; i < all->n; i++) {
        unsigned bytes = jali_probe_bytes(all->column[i]->domain);
        put(to, code_of(all->column[i], row), bytes);
        to += bytes;
    }
}

/* Only to find equal rows: any hash will do. */
static uint64_t quick_hash(const content *all, size_t row)
{
    uint64_t hash;
    put_row(all, row);
    crypto_shorthash_siphash24((unsigned char *)&hash, all->room + KEY, all->bytes, all->room);
    return hash;
}

static void key_row(const content *all, keyed *to, uint64_t number, size_t blocks)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    put_row(all, to->row);
    put(all->room + KEY + all->bytes, number, 8);
    crypto_hash_sha256(hash, all->room, KEY + all->bytes + 8);
    to->hash = get(hash);
    uint64_t own = get(hash + 8);
    if (all->person != NULL) {
        unsigned char who[KEY + 8];
        memcpy(who, all->room, KEY);
        put(who + KEY, code_of(all->person, to->row), 8);
        crypto_hash_sha256(hash, who, sizeof who);
        own = get(hash);
    }
    to->block = (uint32_t)((own >> 1) % blocks);
}

/* ---- the order -------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b, void *self)
{
    const keyed *x = a, *y = b;
    const content *all = self;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    for (size_t i = 0; i < all->n; i++) {
        uint64_t c = code_of(all->column[i], x->row), d = code_of(all->column[i], y->row);
        if (c != d) return c < d ? -1 : 1;
    }
    return 0;
}

/* Sorted by content by now. The k-th of equal rows gets the hash of (content, k). */
static void number_equals(content *all, keyed *to, size_t rows, size_t blocks)
{
    uint64_t number = 0;
    keyed last = { 0 };
    for (size_t i = 0; i < rows; i++) {
        number = i > 0 && by_key(&last, &to[i], all) == 0 ? number + 1 : 0;
        last = to[i];
        key_row(all, &to[i], number, blocks);
    }
}

static jali_status sort_rows(const jali_probe *p, size_t blocks, keyed *to, size_t rows,
                             jali_arena *arena, jali_err *err)
{
    content all = { 0 };
    JALI_TRY(map_all(p, arena, &all, err));
    for (size_t i = 0; i < rows; i++) to[i] = (keyed){ quick_hash(&all, i), (uint32_t)i, 0 };
    qsort_r(to, rows, sizeof *to, by_key, &all);
    number_equals(&all, to, rows, blocks);
    qsort_r(to, rows, sizeof *to, by_key, &all);
    return JALI_OK;
}

static jali_status read_near(const jali_probe *p, size_t blocks, bool label, keyed *to,
                             jali_probe_reader reader, jali_arena *arena, jali_err *err)
{
    size_t rows = (size_t)jali_columns_rows(p->columns);
    jali_probe_map map;
    JALI_TRY(sort_rows(p, blocks, to, rows, arena, err));
    JALI_TRY(jali_probe_map_make(p, label, arena, &map, err));
    uint32_t *code = jali_arena_take(arena, map.reads + 1, sizeof *code);
    if (code == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        jali_probe_row(&map, to[i].row, code);
        JALI_TRY(reader.row(reader.self, to[i].block, code, err));
    }
    return JALI_OK;
}

jali_status jali_probe_in_order(const jali_probe *p, size_t blocks, bool label,
                                jali_probe_reader reader, jali_err *err)
{
    if (!jali_columns_loaded(p->columns))
        return jali_probe_in_order_far(p, blocks, label, reader, err);
    jali_arena arena = JALI_ARENA_INIT;
    keyed *to = calloc((size_t)jali_columns_rows(p->columns) + 1, sizeof *to);
    jali_status status = to == NULL ? jali_fail_memory(err)
                                    : read_near(p, blocks, label, to, reader, &arena, err);
    free(to);
    jali_arena_clear(&arena);
    return status;
}
