/* engine/shards.c — one table in several folders: the page that names them. */
#include "engine/shards.h"
#include "base/file.h"
#include "base/json.h"
#include <string.h>

enum {
    MANIFEST_BYTES = 256 << 20, /* 100,000 columns with names of 2.5 KB            */
    PAGE_BYTES = 16 << 20,      /* 4096 shards with paths of 4 KB                  */
    PAGE_ROWS = 4096,           /* of one byte fill a page; of more, several pages */
    WORTH_PAGES = 16            /* fewer pages a shard: even shards, read instead of mapped */
};

void jali_shards_name(char *out, size_t room, size_t i)
{
    snprintf(out, room, "shard-%04zu", i);
}

uint64_t jali_shards_rows(uint64_t rows, size_t shards)
{
    uint64_t each = (rows + shards - 1) / shards;
    if (each < WORTH_PAGES * PAGE_ROWS) return each;
    return (each + PAGE_ROWS - 1) / PAGE_ROWS * PAGE_ROWS;
}

jali_status jali_shards_write(const char *folder, const char *set, size_t n, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char name[32], *text, *path = jali_arena_format(&arena, "%s/shards.json", folder);
    json_t *list = json_array(), *page = json_pack("{s:s,s:o}", "set", set, "shards", list);
    bool good = page != NULL && path != NULL;
    for (size_t i = 0; good && i < n; i++) {
        jali_shards_name(name, sizeof name, i);
        good = json_array_append_new(list, json_string(name)) == 0;
    }
    jali_status status = good ? JALI_OK : jali_fail_memory(err);
    if (status == JALI_OK) status = jali_json_pretty(page, &arena, &text, err);
    if (status == JALI_OK) status = jali_file_replace(path, text, strlen(text), 0600, err);
    json_decref(page);
    jali_arena_clear(&arena);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

static jali_status refuse(const char *where, const char *why, jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "%.200s %s", where, why);
}

static jali_status read_manifest(jali_shard *s, jali_arena *arena, jali_err *err)
{
    char *bytes;
    size_t n;
    JALI_TRY(jali_file_read(s->page, MANIFEST_BYTES, arena, &bytes, &n, err));
    JALI_TRY(jali_manifest_read(&s->manifest, bytes, n, arena, s->page, err));
    s->here = true;
    return JALI_OK;
}

static jali_status set_folder(jali_shard *s, const char *folder, jali_arena *arena,
                              jali_err *err)
{
    s->folder = folder;
    s->page = folder == NULL ? NULL : jali_arena_format(arena, "%s/manifest.json", folder);
    if (s->page == NULL) return jali_fail_memory(err);
    s->mark = jali_file_mark_at(s->page);
    return JALI_OK;
}

static bool same_columns(const jali_manifest *a, const jali_manifest *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->line[i].domain == b->line[i].domain &&
               strcmp(a->line[i].name, b->line[i].name) == 0;
    return same;
}

/* The shard that stands at place `number` of the page. */
static jali_status enter(jali_shards *all, const char *name, size_t number, const char *set,
                         jali_arena *arena, jali_err *err)
{
    jali_shard *s = &all->shard[all->n];
    const char *folder = name[0] == '/' ? jali_arena_text(arena, name)
                                        : jali_arena_format(arena, "%s/%s", all->folder, name);
    JALI_TRY(set_folder(s, folder, arena, err));
    all->n++;
    if (!s->mark.there) return JALI_OK;
    JALI_TRY(read_manifest(s, arena, err));
    const jali_manifest *m = &s->manifest;
    if (strcmp(m->set, set) != 0)
        return refuse(s->folder, "is a shard of another import: bring back the right one", err);
    if (m->shard != number || m->of != all->all)
        return refuse(s->folder,
                      "stands in the place of another shard in shards.json: name "
                      "each once, in their order",
                      err);
    if (all->facts != NULL && !same_columns(all->facts, m))
        return refuse(s->folder, "has other columns than the other shards", err);
    if (all->facts == NULL) all->facts = m;
    all->rows += m->rows;
    return all->rows <= JALI_ROWS_MAX
               ? JALI_OK
               : refuse(all->folder, "has more rows in its shards than a vault may hold", err);
}

static jali_status take_page(jali_shards *out, const json_t *page, unsigned rank,
                             unsigned ranks, jali_arena *arena, jali_err *err)
{
    const json_t *list = json_object_get(page, "shards");
    const char *set = json_string_value(json_object_get(page, "set"));
    out->all = json_array_size(list);
    if (set == NULL || strlen(set) != JALI_SET_TEXT - 1 || out->all == 0 ||
        out->all > JALI_SHARDS_MAX)
        return refuse(out->folder,
                      "has a shards.json without \"set\" and \"shards\": restore "
                      "it from a copy",
                      err);
    if (ranks > out->all)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%.200s has %zu shards, which %u processes cannot share: start fewer, "
                         "or import with --shards %u",
                         out->folder, out->all, ranks, ranks);
    out->shard = jali_arena_take(arena, out->all, sizeof *out->shard);
    if (out->shard == NULL) return jali_fail_memory(err);
    for (size_t i = rank; i < out->all; i += ranks) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL || name[0] == '\0')
            return refuse(out->folder, "has a shards.json that names no folder", err);
        JALI_TRY(enter(out, name, i, set, arena, err));
    }
    if (out->facts != NULL) return JALI_OK;
    return refuse(out->shard[0].folder,
                  "is not here: mount it, or say in shards.json where it "
                  "is",
                  err);
}

static jali_status one_folder(jali_shards *out, unsigned ranks, jali_arena *arena,
                              jali_err *err)
{
    if (ranks > 1)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%.200s is in one piece, which %u processes cannot share: import with "
                         "--shards %u",
                         out->folder, ranks, ranks);
    out->shard = jali_arena_take(arena, 1, sizeof *out->shard);
    if (out->shard == NULL) return jali_fail_memory(err);
    JALI_TRY(set_folder(&out->shard[0], out->folder, arena, err));
    JALI_TRY(read_manifest(&out->shard[0], arena, err));
    out->facts = &out->shard[0].manifest;
    out->n = out->all = 1;
    out->rows = out->facts->rows;
    if (out->facts->set[0] == '\0') return JALI_OK;
    return refuse(out->folder,
                  "is one shard of a table: open the vault whose shards.json "
                  "names it",
                  err);
}

jali_status jali_shards_open(jali_shards *out, const char *folder, unsigned rank,
                             unsigned ranks, jali_arena *arena, jali_err *err)
{
    json_t *page;
    *out = (jali_shards){ .folder = jali_arena_text(arena, folder),
                          .page = jali_arena_format(arena, "%s/shards.json", folder) };
    if (out->page == NULL || out->folder == NULL) return jali_fail_memory(err);
    out->mark = jali_file_mark_at(out->page);
    if (!out->mark.there) return one_folder(out, ranks, arena, err);
    JALI_TRY(jali_json_load(&page, out->page, PAGE_BYTES, err));
    jali_status status = take_page(out, page, rank, ranks, arena, err);
    json_decref(page);
    return status;
}

bool jali_shards_as_opened(const jali_shards *all)
{
    bool same = jali_file_is_as(all->page, &all->mark);
    for (size_t k = 0; same && k < all->n; k++)
        same = jali_file_is_as(all->shard[k].page, &all->shard[k].mark);
    return same;
}
