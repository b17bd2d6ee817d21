/* engine/manifest.c — the one page that says what a columns folder holds.
 *
 * It is JSON for anyone who looks, and a fixed form for us: one line a column, members in
 * one order, sealed by a checksum of everything above its last line. A general JSON parser
 * needs 30 ms for 10,000 columns; this scanner, 1 ms, and it has less to be wrong about:
 * whatever is not byte for byte what we write is a damaged file.
 */
#include "engine/manifest.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void jali_manifest_file(char *out, size_t room, size_t i, unsigned width)
{
    snprintf(out, room, "%04zu.u%u", i, 8 * width);
}

static void add_quoted(jali_text *out, const char *name)
{
    jali_text_add_n(out, "\"", 1);
    for (const char *c = name; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20)
            jali_text_format(out, "\\u%04x", byte);
        else if (byte == '"' || byte == '\\')
            jali_text_format(out, "\\%c", byte);
        else
            jali_text_add_n(out, c, 1);
    }
    jali_text_add_n(out, "\"", 1);
}

void jali_manifest_write(const jali_manifest *manifest, jali_text *out)
{
    size_t start = out->used;
    jali_text_format(out, "{\"version\":%d,", JALI_MANIFEST_VERSION);
    if (manifest->set[0] != '\0')
        jali_text_format(out, "\"set\":\"%s\",\"shard\":%" PRIu64 ",\"of\":%" PRIu64 ",",
                         manifest->set, manifest->shard, manifest->of);
    jali_text_format(out, "\"rows\":%" PRIu64 ",\"columns\":[\n", manifest->rows);
    for (size_t i = 0; i < manifest->n; i++) {
        const jali_manifest_line *l = &manifest->line[i];
        jali_text_add(out, "{\"name\":");
        add_quoted(out, l->name);
        jali_text_format(out,
                         ",\"file\":\"%s\",\"width\":%u,\"domain\":%" PRIu64
                         ",\"xxh3\":\"%016" PRIx64 "%016" PRIx64 "\"}%s\n",
                         l->file, l->width, l->domain, l->sum[0], l->sum[1],
                         i + 1 < manifest->n ? "," : "");
    }
    if (out->failed) return;
    XXH128_hash_t seal = XXH3_128bits(out->at + start, out->used - start);
    jali_text_format(out, "],\"xxh3\":\"%016" PRIx64 "%016" PRIx64 "\"}\n",
                     (uint64_t)seal.high64, (uint64_t)seal.low64);
}

/* A place in the text, and whether everything so far was as expected. */
typedef struct cursor {
    char *at;
    bool good;
} cursor;

static void expect(cursor *c, const char *literal)
{
    size_t n = strlen(literal);
    if (!c->good || strncmp(c->at, literal, n) != 0)
        c->good = false;
    else
        c->at += n;
}

static uint64_t number(cursor *c)
{
    uint64_t value = 0;
    const char *start = c->at;
    bool fits = true;
    for (; c->good && *c->at >= '0' && *c->at <= '9'; c->at++)
        fits = fits && !__builtin_mul_overflow(value, 10u, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*c->at - '0'), &value);
    c->good = c->good && fits && c->at > start && (c->at == start + 1 || *start != '0');
    return value;
}

static unsigned hex_digit(cursor *c)
{
    char d = c->good ? *c->at : 'x';
    unsigned value = d >= '0' && d <= '9'   ? (unsigned)(d - '0')
                     : d >= 'a' && d <= 'f' ? (unsigned)(d - 'a') + 10
                                            : 16;
    c->good = c->good && value < 16;
    c->at += c->good;
    return value & 15;
}

static uint64_t hex(cursor *c, int digits)
{
    uint64_t value = 0;
    for (int i = 0; i < digits; i++) value = value << 4 | hex_digit(c);
    return value;
}

static char escaped(cursor *c)
{
    if (*c->at == '"' || *c->at == '\\') return *c->at++;
    expect(c, "u");
    uint64_t value = hex(c, 4);
    c->good = c->good && value > 0 && value < 0x20;
    return (char)value;
}

static const char *quoted(cursor *c)
{
    expect(c, "\"");
    char *start = c->at, *put = start;
    while (c->good && *c->at != '"') {
        char byte = *c->at++;
        if (byte == '\\')
            byte = escaped(c);
        else
            c->good = (unsigned char)byte >= 0x20; /* and the zero at the end of the text */
        *put++ = byte;
    }
    if (!c->good) return "";
    c->at++;
    *put = '\0';
    return start;
}

static void read_line(cursor *c, jali_manifest_line *l, size_t i)
{
    char file[32];
    expect(c, "{\"name\":");
    l->name = quoted(c);
    expect(c, ",\"file\":");
    l->file = quoted(c);
    expect(c, ",\"width\":");
    uint64_t width = number(c);
    expect(c, ",\"domain\":");
    l->domain = number(c);
    expect(c, ",\"xxh3\":\"");
    l->sum[0] = hex(c, 16);
    l->sum[1] = hex(c, 16);
    expect(c, "\"}");
    if (!c->good) return;
    /* The file's name is ours to say: a path in it could point anywhere. */
    l->width = jali_column_width(l->domain);
    jali_manifest_file(file, sizeof file, i, l->width);
    c->good = l->domain > 0 && l->width == width && strcmp(file, l->file) == 0 &&
              l->name[0] != '\0' && jali_text_is_utf8(l->name, strlen(l->name));
}

static jali_status damaged(jali_err *err, const char *path)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "%s is damaged or not of this version of jali: restore the vault from a "
                     "copy or import the table again",
                     path);
}

/* The last line is `],"xxh3":"32 digits"}`: 45 bytes with its newline. */
enum { SEAL_BYTES = 45 };

static bool seal_holds(char *bytes, size_t n)
{
    if (n < SEAL_BYTES) return false;
    cursor c = { bytes + n - SEAL_BYTES, true };
    expect(&c, "],\"xxh3\":\"");
    uint64_t high = hex(&c, 16), low = hex(&c, 16);
    expect(&c, "\"}\n");
    XXH128_hash_t sum = XXH3_128bits(bytes, n - SEAL_BYTES);
    return c.good && sum.high64 == high && sum.low64 == low;
}

static size_t count_lines(const char *bytes, size_t n)
{
    size_t lines = 0;
    for (const char *at = bytes, *end = bytes + n; at < end; lines++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (next == NULL) break;
        at = next + 1;
    }
    return lines;
}

/* A folder that is a whole table says nothing of shards. */
static void read_shard(cursor *c, jali_manifest *m)
{
    static const char digits[] = "0123456789abcdef";
    if (strncmp(c->at, "\"set\"", 5) != 0) return;
    expect(c, "\"set\":\"");
    for (size_t i = 0; i + 1 < sizeof m->set; i++) m->set[i] = digits[hex_digit(c)];
    expect(c, "\",\"shard\":");
    m->shard = number(c);
    expect(c, ",\"of\":");
    m->of = number(c);
    expect(c, ",");
    c->good = c->good && m->of <= JALI_SHARDS_MAX && m->shard < m->of;
}

jali_status jali_manifest_read(jali_manifest *out, char *bytes, size_t n, jali_arena *arena,
                               const char *path, jali_err *err)
{
    size_t lines = count_lines(bytes, n);
    if (!seal_holds(bytes, n) || lines < 2) return damaged(err, path);
    jali_manifest m = { .n = lines - 2 };
    cursor c = { bytes, true };
    expect(&c, "{\"version\":1,");
    read_shard(&c, &m);
    expect(&c, "\"rows\":");
    m.rows = number(&c);
    expect(&c, ",\"columns\":[\n");
    if (!c.good || m.rows > JALI_ROWS_MAX || m.n > JALI_COLUMNS_MAX) return damaged(err, path);
    m.line = jali_arena_take(arena, m.n + 1, sizeof *m.line);
    if (m.line == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < m.n && c.good; i++) {
        read_line(&c, &m.line[i], i);
        expect(&c, i + 1 < m.n ? ",\n" : "\n");
    }
    if (!c.good || c.at != bytes + n - SEAL_BYTES) return damaged(err, path);
    *out = m;
    return JALI_OK;
}
