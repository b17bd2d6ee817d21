/* engine/manifest.h — the one page that says what a columns folder holds. */
#ifndef JALI_ENGINE_MANIFEST_H
#define JALI_ENGINE_MANIFEST_H

#include "base/arena.h"
#include "base/text.h"
#include "engine/columns.h"

enum { JALI_MANIFEST_VERSION = 1, JALI_SET_TEXT = 33, JALI_SHARDS_MAX = 4096 };

typedef struct jali_manifest_line {
    const char *name, *file;
    unsigned width;
    uint64_t domain;
    uint64_t sum[2]; /* XXH3-128 of the file: high, low */
} jali_manifest_line;

typedef struct jali_manifest {
    char set[JALI_SET_TEXT]; /* of a shard: which import it is of, 32 hex digits; else "" */
    uint64_t shard, of;      /* of a shard: its number, and how many there are            */
    uint64_t rows;
    size_t n;
    jali_manifest_line *line;
} jali_manifest;

/* The file name of column i: its number in at least four digits, and its width. */
void jali_manifest_file(char *out, size_t room, size_t i, unsigned width);

/* Appends the text; ask jali_text_status afterwards. */
void jali_manifest_write(const jali_manifest *manifest, jali_text *out);

/* Reads what jali_manifest_write wrote and nothing else; `bytes` end with a zero, are
 * changed (names are unescaped in place) and must outlive *out. */
JALI_MUST_USE jali_status jali_manifest_read(jali_manifest *out, char *bytes, size_t n,
                                             jali_arena *arena, const char *path,
                                             jali_err *err);

#endif
