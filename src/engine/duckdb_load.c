/* engine/duckdb_load.c — DuckDB's library, found and opened when it is needed.
 *
 * Linked, its 60 MB would be mapped and relocated by `jali budget`, too. It is never closed
 * again: it has threads and exit handlers of its own.
 */
#define _GNU_SOURCE
#include "engine/duckdb_paths.h"
#include "engine/inside.h"
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

/* ../lib/jali/libduckdb.so seen from the program, so that a moved tree still works. */
static void *open_beside_program(void)
{
    char path[4096 + 64];
    ssize_t n = readlink("/proc/self/exe", path, 4096);
    if (n <= 0 || n >= 4096) return NULL;
    path[n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) return NULL;
        *slash = '\0';
    }
    size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "/lib/jali/libduckdb.so");
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *open_library(void)
{
    static const char *const places[] = { JALI_DUCKDB_BUILT, JALI_DUCKDB_INSTALLED,
                                          "libduckdb.so" };
    void *library = open_beside_program();
    for (size_t i = 0; library == NULL && i < sizeof places / sizeof *places; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library;
}

jali_status jali_duckdb_load(jali_duckdb_calls *out, jali_err *err)
{
    void *library = open_library(), *symbol;
    if (library == NULL)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the library libduckdb.so, which reads data files, was not found; "
                         "`make deps` fetches it");
#define LOOK_UP(name)                                                                          \
    symbol = dlsym(library, "duckdb_" #name);                                                  \
    if (symbol == NULL)                                                                        \
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,                                 \
                         "the system's libduckdb.so is too old: it has no duckdb_" #name);     \
    memcpy(&out->name, &symbol, sizeof symbol);
    JALI_DUCKDB_CALLS(LOOK_UP)
#undef LOOK_UP
    return JALI_OK;
}

/* The file of the library that has this address. dladdr would do, but it searches the names
 * of all symbols, which in DuckDB takes longer than parsing a chunk. */
static const char *file_of(void *address)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
    struct dl_find_object place;
    return _dl_find_object(address, &place) == 0 ? place.dlfo_link_map->l_name : NULL;
#else
    Dl_info place;
    return dladdr(address, &place) != 0 ? place.dli_fname : NULL;
#endif
}

jali_taking *jali_duckdb_taking(duckdb_function_info info, void *caller)
{
    __typeof__(duckdb_scalar_function_get_extra_info) *ask = NULL;
    const char *file = file_of(caller);
    void *library = file == NULL ? NULL : dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL) return NULL;
    void *symbol = dlsym(library, "duckdb_scalar_function_get_extra_info");
    memcpy(&ask, &symbol, sizeof symbol);
    jali_taking *taking = ask == NULL ? NULL : ask(info);
    dlclose(library); /* gives back the count of this dlopen only */
    return taking;
}
