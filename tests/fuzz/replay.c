/* The fuzzers without libFuzzer: every input of the committed corpus, whole, cut at places and
 * with bytes changed, from a fixed seed. No substitute for make fuzz; it keeps what that found
 * found, in every `make test`, under sanitizers as well.
 *
 * usage: NAME_replay CORPUS [CHANGES]      CHANGES of each input (default 40) */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 20261118;

static uint64_t word(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A block of its own, to the byte: a sanitizer sees one read too many. */
static void feed(const uint8_t *data, size_t n)
{
    uint8_t *own = malloc(n == 0 ? 1 : n);
    if (own == NULL) abort();
    memcpy(own, data, n);
    (void)LLVMFuzzerTestOneInput(own, n);
    free(own);
}

static void change(uint8_t *data, size_t n)
{
    static const uint8_t liked[] = { 0, 1, '"', '\'', '{', '}', '[', ',', '-', '9', 127, 255 };
    for (uint64_t times = 1 + word() % 3; times > 0; times--) {
        uint8_t *at = data + word() % n;
        *at =
            word() % 2 == 0 ? liked[word() % sizeof liked] : (uint8_t)(*at ^ 1u << word() % 8);
    }
}

static unsigned replay(const uint8_t *data, size_t n, unsigned changes)
{
    uint8_t *copy = malloc(n == 0 ? 1 : n);
    if (copy == NULL) abort();
    feed(data, n);
    for (unsigned i = 0; n > 0 && i < changes; i++) {
        memcpy(copy, data, n);
        if (i % 4 != 0) change(copy, n);
        feed(copy, i % 4 < 2 ? word() % n : n);
    }
    free(copy);
    return 1 + (n > 0 ? changes : 0);
}

static unsigned replay_file(const char *folder, const char *name, unsigned changes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *from = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    if (from == NULL || data == NULL) abort();
    size_t n = fread(data, 1, 1 << 20, from);
    fclose(from);
    unsigned done = replay(data, n, changes);
    free(data);
    return done;
}

int main(int argc, char **argv)
{
    DIR *folder = argc < 2 ? NULL : opendir(argv[1]);
    unsigned done = 0, changes = argc > 2 ? (unsigned)atoi(argv[2]) : 40; /* NOLINT: ours */
    if (folder == NULL) return 2;
    for (struct dirent *d; (d = readdir(folder)) != NULL;)
        if (d->d_name[0] != '.') done += replay_file(argv[1], d->d_name, changes);
    closedir(folder);
    printf("1..1\n%s 1 - %u inputs are answered or refused\n", done > 0 ? "ok" : "not ok",
           done);
    return done == 0;
}
