/* tests/scratch.h — a folder of its own for a test program, and files in it. */
#ifndef JALI_TESTS_SCRATCH_H
#define JALI_TESTS_SCRATCH_H

#include "base/file.h"
#include "unit.h"
#include <stdlib.h>

/* scratch_open makes it, scratch_close removes it: cmocka's group set-up and tear-down. The
 * includer needs _XOPEN_SOURCE 700. */
static char scratch_folder[256];

static int scratch_open(void **state)
{
    (void)state;
    snprintf(scratch_folder, sizeof scratch_folder, "jali-test-XXXXXX");
    return mkdtemp(scratch_folder) == NULL;
}

static int scratch_close(void **state)
{
    (void)state;
    jali_file_remove_tree(scratch_folder);
    return 0;
}

/* The path of a file in the folder; 64 may be in use at once. */
static inline const char *scratch_path(const char *name)
{
    static char paths[64][512];
    static unsigned next;
    char *path = paths[next++ % 64];
    snprintf(path, 512, "%s/%s", scratch_folder, name);
    return path;
}

static inline const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, n, file) == n);
    CHECK(fclose(file) == 0);
    return path;
}

static inline const char *scratch_file(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

#endif
