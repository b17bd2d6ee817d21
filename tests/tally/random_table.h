/* tests/tally/random_table.h — random tables, each in a real PostgreSQL and in memory. The
 * codes in memory are table/field.c's, of the texts that PostgreSQL itself prints. */
#ifndef JALI_TESTS_TALLY_RANDOM_TABLE_H
#define JALI_TESTS_TALLY_RANDOM_TABLE_H

#include "support/postgres.h"
#include "table/remote.h"
#include "tally/plan.h"

enum { FIELDS = 10 };

extern uint64_t random_state; /* set it, and everything here repeats itself */
uint64_t next(void);
uint32_t below(uint32_t n);

typedef struct world {
    jali_arena arena;
    jali_schema schema;
    jali_remote_place place;
    jali_postgres *pg;
    jali_remote remote;
    jali_columns *far, *near; /* the same rows there and here; n columns */
    size_t n;
    jali_column column[2 * FIELDS];
} world;

/* A table t of so many rows, in place of the one before; `foreign`: asked as "parted", whose
 * partitions are views of it. The schema's persons: every row is one. */
void world_open(world *w, PGconn *conn, const char *place, size_t rows, bool foreign);
void world_close(world *w);

/* A plan of every kind of table (random_plan.c). Equal seeds are equal plans, over w->near or
 * w->far. */
void random_plan(world *w, jali_columns *columns, uint64_t seed, jali_plan **out);

#endif
