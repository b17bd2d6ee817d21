/* budget/store_sqlite_cache.h — statements that SQLite need not read twice. */
#ifndef JALI_BUDGET_STORE_SQLITE_CACHE_H
#define JALI_BUDGET_STORE_SQLITE_CACHE_H

#include <sqlite3.h>
#include <stdbool.h>

enum { JALI_KEPT = 32 };

typedef struct jali_kept {
    struct {
        const char *sql; /* borrowed from its statement; NULL: a free place */
        sqlite3_stmt *stmt;
        bool busy;
    } slot[JALI_KEPT];
} jali_kept;

/* A statement that stands at its beginning with nothing bound; SQLite's code. */
int jali_kept_take(jali_kept *cache, sqlite3 *db, const char *sql, sqlite3_stmt **out);
/* Ends its rows; NULL is fine. */
void jali_kept_give(jali_kept *cache, sqlite3_stmt *stmt);
/* Forgets all that nobody is reading. */
void jali_kept_clear(jali_kept *cache);

#endif
