/* budget/store_sqlite_cache.c — statements that SQLite need not read twice.
 *
 * A charge has about twenty statements, always the same, and reading them took longer than
 * running them. SQLite prepares one anew by itself if the tables changed under it. A statement
 * that is being read (two may be the same text) is not shared; one too many is not kept.
 */
#include "budget/store_sqlite_cache.h"
#include <string.h>

int jali_kept_take(jali_kept *cache, sqlite3 *db, const char *sql, sqlite3_stmt **out)
{
    size_t room = JALI_KEPT;
    for (size_t i = 0; i < JALI_KEPT; i++) {
        if (cache->slot[i].sql == NULL) {
            room = i;
            break; /* places fill from the first */
        }
        if (cache->slot[i].busy || strcmp(cache->slot[i].sql, sql) != 0) continue;
        cache->slot[i].busy = true;
        *out = cache->slot[i].stmt;
        return SQLITE_OK;
    }
    int code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code == SQLITE_OK && room < JALI_KEPT) {
        cache->slot[room].sql = sqlite3_sql(*out);
        cache->slot[room].stmt = *out;
        cache->slot[room].busy = true;
    }
    return code;
}

void jali_kept_give(jali_kept *cache, sqlite3_stmt *stmt)
{
    for (size_t i = 0; stmt != NULL && i < JALI_KEPT; i++) {
        if (cache->slot[i].stmt != stmt) continue;
        sqlite3_reset(stmt);
        sqlite3_clear_bindings(stmt); /* they point to what is the caller's */
        cache->slot[i].busy = false;
        return;
    }
    sqlite3_finalize(stmt);
}

void jali_kept_clear(jali_kept *cache)
{
    for (size_t i = 0; i < JALI_KEPT; i++)
        if (!cache->slot[i].busy) sqlite3_finalize(cache->slot[i].stmt);
    *cache = (jali_kept){ 0 };
}
