/* engine/inside.h — DuckDB's functions, found at run time. */
#ifndef JALI_ENGINE_INSIDE_H
#define JALI_ENGINE_INSIDE_H

#include "engine/duckdb.h"
#include <duckdb.h>
#include <stdatomic.h>

/* Every function of DuckDB that we call. */
#define JALI_DUCKDB_CALLS(X)                                                                   \
    X(close)                                                                                   \
    X(column_count)                                                                            \
    X(connect)                                                                                 \
    X(create_config)                                                                           \
    X(create_logical_type)                                                                     \
    X(create_scalar_function)                                                                  \
    X(data_chunk_get_column_count)                                                             \
    X(data_chunk_get_size)                                                                     \
    X(data_chunk_get_vector)                                                                   \
    X(destroy_config)                                                                          \
    X(destroy_logical_type)                                                                    \
    X(destroy_pending)                                                                         \
    X(destroy_prepare)                                                                         \
    X(destroy_result)                                                                          \
    X(destroy_scalar_function)                                                                 \
    X(disconnect)                                                                              \
    X(execute_pending)                                                                         \
    X(free)                                                                                    \
    X(open_ext)                                                                                \
    X(pending_error)                                                                           \
    X(pending_execute_task)                                                                    \
    X(pending_execution_is_finished)                                                           \
    X(pending_prepared)                                                                        \
    X(prepare)                                                                                 \
    X(prepare_error)                                                                           \
    X(query)                                                                                   \
    X(query_progress)                                                                          \
    X(register_scalar_function)                                                                \
    X(result_error)                                                                            \
    X(row_count)                                                                               \
    X(scalar_function_set_error)                                                               \
    X(scalar_function_set_extra_info)                                                          \
    X(scalar_function_set_function)                                                            \
    X(scalar_function_set_name)                                                                \
    X(scalar_function_set_return_type)                                                         \
    X(scalar_function_set_special_handling)                                                    \
    X(scalar_function_set_varargs)                                                             \
    X(scalar_function_set_volatile)                                                            \
    X(set_config)                                                                              \
    X(value_varchar)                                                                           \
    X(vector_get_data)                                                                         \
    X(vector_get_validity)

typedef struct jali_duckdb_calls {
#define JALI_DUCKDB_MEMBER(name) __typeof__(duckdb_##name) *name;
    JALI_DUCKDB_CALLS(JALI_DUCKDB_MEMBER)
#undef JALI_DUCKDB_MEMBER
} jali_duckdb_calls;

/* What the scan in hand wants from the threads that call `take`. */
typedef struct jali_taking {
    const jali_duckdb_calls *call;
    jali_sink sink;
    atomic_bool stopped;
    atomic_uint_fast64_t rows;
    atomic_flag writing; /* guards err and status: the first to fail writes them */
    jali_status status;
    jali_err err;
} jali_taking;

struct jali_duckdb {
    jali_duckdb_calls call;
    duckdb_database database;
    duckdb_connection connection;
    jali_taking taking;
    unsigned scans; /* so far: names the tables of rejected lines */
};

/* Finds the library: beside the program, where it was built, where it was installed, where
 * the system keeps it. */
JALI_MUST_USE jali_status jali_duckdb_load(jali_duckdb_calls *out, jali_err *err);

/* Our side of a function that DuckDB calls back. DuckDB hands us only `info`, and asking
 * `info` takes a function of the library, which we hold nowhere but in our side: so the
 * library is found again by `caller`, an address inside it. */
jali_taking *jali_duckdb_taking(duckdb_function_info info, void *caller);

/* DuckDB's message cut to one line, without its own "Error:" prefix. */
void jali_duckdb_line(char *out, size_t room, const char *message);

/* `text` as an SQL literal, added to sql. */
struct jali_text;
void jali_duckdb_literal(struct jali_text *sql, const char *text);

#endif
