#define _GNU_SOURCE
/* tests/fuzz/codes_fuzz.c — column files as a disk may give them back: codes outside their
 * domain are refused, by the fast way and by the plain one, and a folder opens whole or not. */
#include "base/arena.h"
#include "base/file.h"
#include "engine/codes.h"
#include "engine/manifest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path_of_all[] = "/tmp/jali-codes-XXXXXX";

static void tidy(void)
{
    jali_file_remove_tree(path_of_all);
}

static const char *folder(void)
{
    static bool made;
    if (!made && (mkdtemp(path_of_all) == NULL || atexit(tidy) != 0)) abort();
    made = true;
    return path_of_all;
}

static void put(const char *name, const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *to = fopen(path, "wb");
    if (to == NULL || fwrite(bytes, 1, n, to) != n || fclose(to) != 0) abort();
}

/* The reference: code by code. */
static bool all_below(const uint8_t *codes, unsigned width, size_t n, uint64_t domain)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t code = 0;
        memcpy(&code, codes + i * width, width);
        if (code >= domain) return false;
    }
    return true;
}

/* A manifest that fits the file, but perhaps not the codes in it. */
static void try_folder(const uint8_t *codes, unsigned width, size_t rows, uint64_t domain,
                       bool good)
{
    char file[32];
    jali_text manifest = { 0 };
    jali_columns *columns;
    if (jali_column_width(domain) != width) return;
    XXH128_hash_t sum = XXH3_128bits(codes, rows * width);
    jali_manifest_file(file, sizeof file, 0, width);
    jali_manifest_line line = { "x", file, width, domain, { sum.high64, sum.low64 } };
    jali_manifest_write(&(jali_manifest){ .rows = rows, .n = 1, .line = &line }, &manifest);
    put("manifest.json", manifest.at, manifest.used);
    put(file, codes, rows * width);
    jali_text_clear(&manifest);
    if (jali_columns_open(&columns, folder(), NULL) != JALI_OK) abort(); /* it fits its files */
    if ((jali_columns_verify(columns, 0, NULL) == JALI_OK) != good) abort();
    jali_columns_free(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t domain = 0;
    if (size < 10) return 0;
    unsigned width = 1u << data[0] % 4;
    memcpy(&domain, data + 1, 1 + data[9] % 8);
    size_t n = (size - 10) / width;
    uint8_t *codes = malloc(n * width + 1), *narrow = malloc(n * 8 + 1);
    if (codes == NULL || narrow == NULL) abort();
    memcpy(codes, data + 10, n * width);
    bool good = all_below(codes, width, n, domain);
    if (jali_codes_below(codes, width, n, domain) != good) abort();
    if (jali_codes_below_plain(codes, width, n, domain) != good) abort();
    unsigned to = domain == 0 ? 8 : jali_column_width(domain);
    if (to <= width && jali_codes_narrow(narrow, to, codes, width, n, domain)) {
        if (!good) abort();
        for (size_t i = 0; i < n; i++) {
            uint64_t a = 0, b = 0;
            memcpy(&a, codes + i * width, width);
            memcpy(&b, narrow + i * to, to);
            if (a != b) abort();
        }
    }
    if (domain > 0) try_folder(codes, width, n, domain, good);
    free(codes);
    free(narrow);
    return 0;
}
