/* tally/probe_order.c — rows in an order that no row number decides.
 *
 * Removing a person renumbers everybody, so what needs an order of rows or blocks of persons
 * takes them from a keyed hash: of the person where persons are declared, and of the content
 * of the row and its number among rows of equal content. Equal rows are interchangeable, so
 * one more of them is one more key, and equal rows do not stand side by side (where they
 * would lend to each other what they have already).
 */
#define _GNU_SOURCE
#include "tally/probe_inside.h"
#include <sodium.h>
#include <stdlib.h>

typedef struct content {
    size_t n;
    const jali_column **column;
    const jali_column *person; /* NULL: a row is a person */
} content;

static jali_status map_all(const jali_probe *p, jali_arena *arena, content *out, jali_err *err)
{
    size_t n = jali_columns_count(p->columns), person;
    out->column = jali_arena_take(arena, n + 1, sizeof *out->column);
    if (out->column == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        JALI_TRY(jali_columns_map(p->columns, i, &out->column[i], err));
    out->n = n;
    out->person =
        p->schema->person >= 0 && jali_columns_find(p->columns, JALI_PERSON_COLUMN, &person)
            ? out->column[person]
            : NULL;
    return JALI_OK;
}

static const void *at(const jali_column *c, size_t row)
{
    return (const char *)c->codes + row * c->width;
}

static uint64_t hash_row(const content *all, const unsigned char *key, size_t row,
                         unsigned char *room)
{
    uint64_t hash;
    size_t used = 0;
    for (size_t i = 0; i < all->n; i++) {
        memcpy(room + used, at(all->column[i], row), all->column[i]->width);
        used += all->column[i]->width;
    }
    crypto_shorthash_siphash24((unsigned char *)&hash, room, used, key);
    return hash;
}

static int by_key(const void *a, const void *b, void *self)
{
    const jali_keyed *x = a, *y = b;
    const content *all = self;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    for (size_t i = 0; i < all->n; i++) {
        int d = memcmp(at(all->column[i], x->row), at(all->column[i], y->row),
                       all->column[i]->width);
        if (d != 0) return d;
    }
    return 0;
}

/* Sorted by content by now. The k-th of equal rows gets the hash of (content, k). */
static void number_equals(const content *all, const unsigned char *key, jali_keyed *to,
                          size_t rows, size_t blocks)
{
    uint64_t before[2] = { 0, 0 }; /* hash of the content, and the number */
    jali_keyed last = { 0 };
    for (size_t i = 0; i < rows; i++) {
        uint64_t both[2], own;
        bool equal = i > 0 && by_key(&last, &to[i], (void *)(uintptr_t)all) == 0;
        before[0] = to[i].hash;
        before[1] = equal ? before[1] + 1 : 0;
        last = to[i];
        crypto_shorthash_siphashx24((unsigned char *)both, (const unsigned char *)before,
                                    sizeof before, key);
        own = both[1];
        if (all->person != NULL)
            crypto_shorthash_siphash24((unsigned char *)&own, at(all->person, to[i].row),
                                       all->person->width, key);
        to[i].hash = both[0];
        to[i].block = (uint32_t)(own % blocks);
    }
}

static jali_status order(const jali_probe *p, size_t blocks, jali_keyed *to, size_t rows,
                         jali_arena *arena, jali_err *err)
{
    content all;
    size_t bytes = 0;
    JALI_TRY(map_all(p, arena, &all, err));
    for (size_t i = 0; i < all.n; i++) bytes += all.column[i]->width;
    unsigned char *room = jali_arena_take(arena, bytes + 1, 1);
    if (room == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < rows; i++)
        to[i] = (jali_keyed){ hash_row(&all, p->key, i, room), (uint32_t)i, 0 };
    qsort_r(to, rows, sizeof *to, by_key, &all);
    number_equals(&all, p->key, to, rows, blocks);
    qsort_r(to, rows, sizeof *to, by_key, &all);
    return JALI_OK;
}

jali_status jali_probe_order(const jali_probe *p, size_t blocks, jali_keyed **out, size_t *rows,
                             jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    JALI_TRY(jali_columns_load(p->columns, err));
    size_t n = (size_t)jali_columns_rows(p->columns);
    jali_keyed *to = calloc(n + 1, sizeof *to);
    jali_status status =
        to == NULL ? jali_fail_memory(err) : order(p, blocks, to, n, &arena, err);
    jali_arena_clear(&arena);
    if (status != JALI_OK) {
        free(to);
        return status;
    }
    *out = to;
    *rows = n;
    return JALI_OK;
}
