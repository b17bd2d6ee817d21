/* budget/store.c — what both storages share. */
#include "budget/store.h"

jali_status jali_rows_first(jali_rows *rows, jali_store *store, const char *sql,
                            const jali_cell *cells, size_t n, bool *found, jali_err *err)
{
    JALI_TRY(jali_rows_start(rows, store, sql, cells, n, err));
    jali_status status = jali_rows_next(rows, found, err);
    if (status != JALI_OK) jali_rows_finish(rows);
    return status;
}

jali_status jali_store_run(jali_store *store, const char *sql, const jali_cell *cells, size_t n,
                           jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, sql, cells, n, &found, err));
    jali_rows_finish(&rows);
    return JALI_OK;
}

jali_status jali_store_number(jali_store *store, const char *sql, int64_t *out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, sql, NULL, 0, &found, err));
    *out = found ? jali_rows_number(&rows, 0) : 0;
    jali_rows_finish(&rows);
    return JALI_OK;
}
