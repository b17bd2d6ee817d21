/* engine/shards.h — one table in several folders, each of which may live on its own machine.
 *
 * `columns/shards.json` names the folders in their order; a name that does not begin with a
 * slash is below `columns/`. Each folder is a columns folder whose manifest says which import
 * it is of and which of how many shards: a shard of another import, a shard in the wrong place
 * or one that stands there twice is refused, because it would count a person more often than
 * the promise allows. A table that is not split is one shard without such a page.
 *
 * Whoever wants a column gets one array. Shards but the last have a whole number of pages of
 * every column (jali_shards_rows), so that their files are mapped one behind the other;
 * shards of other lengths are read into memory instead.
 */
#ifndef JALI_ENGINE_SHARDS_H
#define JALI_ENGINE_SHARDS_H

#include "base/file.h"
#include "engine/manifest.h"

typedef struct jali_shard {
    const char *folder;
    const char *page;       /* its manifest's path */
    jali_file_mark mark;    /* of its manifest     */
    jali_manifest manifest; /* of no rows while the folder is not here */
    bool here;
} jali_shard;

typedef struct jali_shards {
    const char *folder; /* columns/    */
    const char *page;   /* shards.json */
    jali_file_mark mark;
    size_t n, all; /* those of this share, and of the whole table */
    jali_shard *shard;
    const jali_manifest *facts; /* of the first that is here: names and domains are alike */
    uint64_t rows;              /* of those that are here */
} jali_shards;

/* Reads the manifests of the shards i with i % ranks == rank. A folder that is not here is
 * remembered: whoever maps it is refused. JALI_E_ENGINE, curator: no folder is here, one is
 * of another import, too many rows; JALI_E_USAGE: fewer shards than ranks. */
JALI_MUST_USE jali_status jali_shards_open(jali_shards *out, const char *folder, unsigned rank,
                                           unsigned ranks, jali_arena *arena, jali_err *err);

/* Column i of all shards as one array of `bytes` bytes; NULL for no rows. To be unmapped. Marks
 * its files, one for each shard. */
JALI_MUST_USE jali_status jali_shards_map(const jali_shards *shards, size_t i,
                                          jali_file_mark *marks, void **out, jali_err *err);

/* Are the pages still those that were read, and the files of column i those that were mapped?
 */
bool jali_shards_as_opened(const jali_shards *shards);
bool jali_shards_as_mapped(const jali_shards *shards, size_t i, const jali_file_mark *marks);

/* Checksum and largest code of column i, mapped at `codes`. */
JALI_MUST_USE jali_status jali_shards_verify(const jali_shards *shards, size_t i,
                                             const void *codes, jali_err *err);

/* How many rows go into each shard but the last ones. */
uint64_t jali_shards_rows(uint64_t rows, size_t shards);

/* The page that names n shards, in `folder`, and the name of shard i there. */
JALI_MUST_USE jali_status jali_shards_write(const char *folder, const char *set, size_t n,
                                            jali_err *err);
void jali_shards_name(char *out, size_t room, size_t i);

#endif
