#define _GNU_SOURCE
/* tests/fuzz/ledger_fuzz.c — a ledger's file with some bytes changed: opened, it tells the sums
 * that were charged, or it is refused in one sentence. Structure-aware: the input is a list of
 * changes (two bytes of place, one of value) to a book with charges, releases and acts. */
#include "../budget/desk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static desk book;
static uint8_t *whole;
static size_t n_whole;
static jali_totals right;

static void write_all(const uint8_t *bytes, size_t n)
{
    char path[128];
    static const char *const left[] = { "-wal", "-shm", "-journal" };
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", book.file, left[i]);
        unlink(path);
    }
    FILE *to = fopen(book.file, "wb");
    if (to == NULL || fwrite(bytes, 1, n, to) != n || fclose(to) != 0) abort();
}

static void tidy(void)
{
    jali_file_remove_tree(book.folder);
}

static void prepare(void)
{
    jali_cap cap = desk_cap("4", "1/1000000");
    book = (desk){ .folder = "/tmp/jali-book-XXXXXX" };
    if (access("/dev/shm", W_OK) == 0)
        snprintf(book.folder, sizeof book.folder, "/dev/shm/jali-book-XXXXXX");
    CHECK(mkdtemp(book.folder) != NULL && atexit(tidy) == 0);
    snprintf(book.file, sizeof book.file, "%s/ledger.sqlite", book.folder);
    book.places = (jali_ledger_places){ .file = book.file };
    CHECK_OK(
        jali_ledger_create(&book.places, "census", &cap, &(jali_hand){ "carol", NOON }, NULL));
    jali_ledger *l = desk_open(&book);
    desk_ask(&book, l, "ana", "{\"q\":1}", desk_pure("0.5"));
    desk_ask(&book, l, "bob", "{\"q\":2}", desk_gauss("0.01"));
    CHECK_OK(jali_ledger_totals(l, &book.arena, &right, NULL));
    CHECK_OK(jali_ledger_close(l, NULL));
    char *bytes;
    CHECK_OK(jali_file_read(book.file, 1 << 24, &book.arena, &bytes, &n_whole, NULL));
    whole = (uint8_t *)bytes;
}

static void look(void)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *l;
    jali_totals now;
    jali_err err = { 0 };
    jali_release found;
    jali_status status = jali_ledger_open(&l, &book.places, JALI_LEDGER_READ, &err);
    if (status == JALI_OK) {
        if (jali_ledger_totals(l, &arena, &now, NULL) == JALI_OK &&
            (now.sum.eps_pico != right.sum.eps_pico || now.sum.rho_pico != right.sum.rho_pico ||
             now.charges != right.charges || now.cap.eps_pico != right.cap.eps_pico))
            abort(); /* budget came back, or went */
        if (jali_ledger_find_plan(l, "{\"q\":1}", &arena, &found, NULL) == JALI_OK &&
            found.id[0] != '\0' && strcmp(found.body, "{\"count\":41}") != 0)
            abort(); /* a release that nobody drew */
        (void)jali_ledger_close(l, NULL);
    } else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL)
        abort();
    jali_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (whole == NULL) prepare();
    uint8_t *changed = malloc(n_whole);
    if (changed == NULL) abort();
    memcpy(changed, whole, n_whole);
    for (size_t i = 0; i + 3 <= size && i < 3 * 64; i += 3)
        changed[((size_t)data[i] << 8 | data[i + 1]) * n_whole / 65536] = data[i + 2];
    write_all(changed, size % 3 == 2 ? n_whole / 2 : n_whole);
    look();
    free(changed);
    return 0;
}
