/* engine/shards_map.c — the files of a column, one behind the other in memory. */
#define _DEFAULT_SOURCE
#include "engine/codes.h"
#include "engine/shards.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { CHUNK = 128 << 10 /* verified at once: the second look finds it in L2 */ };

static jali_status trouble(const jali_shard *s, const jali_manifest_line *l, const char *what,
                           jali_err *err)
{
    return jali_fail(
        err, JALI_E_ENGINE, JALI_FOR_CURATOR,
        "%s/%s (column \"%.100s\") %s: restore the vault from a copy or import the "
        "table again",
        s->folder, l->file, l->name, what);
}

enum { PATH_BYTES = 4096 };

static bool path_of(const jali_shard *s, size_t i, char path[static PATH_BYTES])
{
    int n = snprintf(path, PATH_BYTES, "%s/%s", s->folder, s->manifest.line[i].file);
    return n >= 0 && n < PATH_BYTES;
}

static jali_status open_file(const jali_shard *s, size_t i, int *out, jali_err *err)
{
    char path[PATH_BYTES];
    struct stat st;
    if (!s->here)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the shard %s is not here: mount it, say in shards.json where it is, "
                         "or start jali-tally where the shards are",
                         s->folder);
    const jali_manifest_line *l = &s->manifest.line[i];
    int fd = path_of(s, i, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return trouble(s, l, strerror(errno), err);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_size == s->manifest.rows * l->width) {
        *out = fd;
        return JALI_OK;
    }
    close(fd);
    return trouble(s, l, "has not the size that its manifest states", err);
}

static bool read_into(int fd, char *to, uint64_t bytes)
{
    while (bytes > 0) {
        ssize_t n = read(fd, to, bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        bytes -= (uint64_t)n;
    }
    return true;
}

/* Every file but the last of them begins and ends with a page. */
static bool fits_pages(const jali_shards *all, unsigned width)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = 0;
    for (size_t k = 0; k < all->n; k++) {
        if (all->shard[k].manifest.rows > 0 && at % page != 0) return false;
        at += all->shard[k].manifest.rows * width;
    }
    return true;
}

static jali_status place(const jali_shard *s, size_t i, char *at, bool pages,
                         jali_file_mark *mark, jali_err *err)
{
    uint64_t bytes = s->manifest.rows * (s->here ? s->manifest.line[i].width : 0);
    int fd;
    JALI_TRY(open_file(s, i, &fd, err));
    *mark = jali_file_mark_of(fd);
    bool good = true;
    if (bytes > 0 && pages)
        good = mmap(at, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    else if (bytes > 0)
        good = read_into(fd, at, bytes);
    int why = errno;
    close(fd);
    return good ? JALI_OK : trouble(s, &s->manifest.line[i], strerror(why), err);
}

jali_status jali_shards_map(const jali_shards *all, size_t i, jali_file_mark *marks, void **out,
                            jali_err *err)
{
    unsigned width = all->facts->line[i].width;
    uint64_t bytes = all->rows * width;
    bool pages = fits_pages(all, width);
    char *at = NULL;
    if (bytes > 0)
        at = mmap(NULL, bytes, pages ? PROT_NONE : PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | (pages ? MAP_NORESERVE : 0), -1, 0);
    if (at == MAP_FAILED) return jali_fail_memory(err);
    jali_status status = JALI_OK;
    char *to = at;
    for (size_t k = 0; status == JALI_OK && k < all->n; k++) {
        status = place(&all->shard[k], i, to, pages, &marks[k], err);
        if (status == JALI_OK && at != NULL) to += all->shard[k].manifest.rows * width;
    }
    if (status == JALI_OK && bytes > 0 && !pages && mprotect(at, bytes, PROT_READ) != 0)
        status = jali_fail_memory(err);
    if (status != JALI_OK && at != NULL) munmap(at, bytes);
    if (status == JALI_OK) *out = at;
    return status;
}

bool jali_shards_as_mapped(const jali_shards *all, size_t i, const jali_file_mark *marks)
{
    char path[PATH_BYTES];
    bool same = true;
    for (size_t k = 0; same && k < all->n; k++)
        same = path_of(&all->shard[k], i, path) && jali_file_is_as(path, &marks[k]);
    return same;
}

static jali_status verify_part(const jali_shard *s, size_t i, const char *at,
                               XXH3_state_t *state, jali_err *err)
{
    const jali_manifest_line *l = &s->manifest.line[i];
    bool inside = true;
    XXH3_128bits_reset(state);
    for (uint64_t left = s->manifest.rows * l->width; left > 0;) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        XXH3_128bits_update(state, at, n);
        inside = jali_codes_below(at, l->width, n / l->width, l->domain) && inside;
        at += n;
        left -= n;
    }
    XXH128_hash_t sum = XXH3_128bits_digest(state);
    if (sum.high64 != l->sum[0] || sum.low64 != l->sum[1])
        return trouble(s, l, "does not match its checksum", err);
    return inside ? JALI_OK : trouble(s, l, "holds a code outside its domain", err);
}

jali_status jali_shards_verify(const jali_shards *all, size_t i, const void *codes,
                               jali_err *err)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) return jali_fail_memory(err);
    const char *at = codes;
    jali_status status = JALI_OK;
    for (size_t k = 0; status == JALI_OK && k < all->n; k++) {
        status = verify_part(&all->shard[k], i, at, state, err);
        at += all->shard[k].manifest.rows * all->facts->line[i].width;
    }
    XXH3_freeState(state);
    return status;
}
