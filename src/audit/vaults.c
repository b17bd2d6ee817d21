/* audit/vaults.c — two vaults of a case, and a fresh copy for every run.
 *
 * The copies differ in their columns alone: ledger, keys, policy and what was prepared are
 * those of the vault with the person. A copy is called v.jali in the run's own folder, whatever
 * its side, so that no path tells them apart.
 */
#define _GNU_SOURCE
#include "audit/inside.h"
#include "base/file.h"
#include "base/text.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAP "1000" /* epsilon: a case is about its charge, never about the cap */

enum { MAX_FILE = 1 << 24 };

static jali_status cannot(const char *what, const char *path, jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot %s %.200s: %s", what, path,
                     strerror(errno));
}

/* ---- two vaults ------------------------------------------------------------------------ */

/* "40*a,3" is forty lines. */
static void add_rows(jali_text *t, const char *rows)
{
    while (*rows != '\0') {
        size_t n = strcspn(rows, "\n");
        char *rest;
        unsigned long times = strtoul(rows, &rest, 10);
        const char *line = rows;
        if (rest != rows && *rest == '*')
            line = rest + 1;
        else
            times = 1;
        for (; times > 0; times--) {
            jali_text_add_n(t, line, n - (size_t)(line - rows));
            jali_text_add(t, "\n");
        }
        rows += n + (rows[n] == '\n');
    }
}

static jali_status write_text(const jali_pair *p, const char *name, const char *first,
                              const char *then, jali_err *err)
{
    jali_text t = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/%s", p->home, name);
    add_rows(&t, first);
    if (then != NULL) add_rows(&t, then);
    jali_status status = jali_text_status(&t, err);
    if (status == JALI_OK) status = jali_file_replace(path, t.at, t.used, 0600, err);
    jali_text_clear(&t);
    return status;
}

static jali_status run_well(const jali_pair *p, const char *const *words, jali_err *err)
{
    jali_output out;
    JALI_TRY(jali_audit_run(p->bench->program, p->home, words, &out, err));
    bool good = out.exit_code == 0;
    if (!good)
        jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                  "case %s: jali %s ended with %d: %.300s", p->c->name, words[0], out.exit_code,
                  out.err);
    jali_output_clear(&out);
    return good ? JALI_OK : JALI_E_INTERNAL;
}

static jali_status make_vault(const jali_pair *p, const char *vault, const char *csv,
                              jali_err *err)
{
    const char *words[] = { "init",        vault,       "--data", csv,       "--schema",
                            "schema.json", "--epsilon", CAP,      "--delta", p->c->delta,
                            "--as",        "auditor",   NULL };
    return run_well(p, words, err);
}

/* Words with the names of vault and file in them. */
static void fill_in(const jali_pair *p, const char *const *words, const char *vault,
                    const char *out[static JALI_AUDIT_WORDS + 1])
{
    size_t n = 0;
    for (; n < JALI_AUDIT_WORDS && words[n] != NULL; n++)
        out[n] = strcmp(words[n], "VAULT") == 0   ? vault
                 : strcmp(words[n], "GIVEN") == 0 ? p->given
                                                  : words[n];
    out[n] = NULL;
}

/* What a script says. */
static void add_manners(const char *words[static JALI_AUDIT_WORDS + 1])
{
    static const char *const manners[] = { "--yes", "--format", "json", "--as", "auditor" };
    size_t n = 0;
    while (words[n] != NULL) n++;
    for (size_t i = 0; i < sizeof manners / sizeof *manners && n < JALI_AUDIT_WORDS; i++)
        words[n++] = manners[i];
    words[n] = NULL;
}

static jali_status make_pair(jali_pair *p, jali_err *err)
{
    const char *words[JALI_AUDIT_WORDS + 1];
    JALI_TRY(write_text(p, "schema.json", p->c->schema, NULL, err));
    if (p->c->file != NULL) JALI_TRY(write_text(p, "given.json", p->c->file, NULL, err));
    JALI_TRY(write_text(p, "with.csv", p->c->rows, p->c->person, err));
    JALI_TRY(write_text(p, "without.csv", p->c->rows, NULL, err));
    JALI_TRY(make_vault(p, "with.jali", "with.csv", err));
    JALI_TRY(make_vault(p, "without.jali", "without.csv", err));
    if (p->c->prepare[0] == NULL) return JALI_OK;
    fill_in(p, p->c->prepare, "with.jali", words);
    add_manners(words);
    return run_well(p, words, err);
}

/* ---- copies ---------------------------------------------------------------------------- */

static jali_status load_file(jali_pair *p, const char *name, jali_err *err)
{
    char path[512];
    struct stat st;
    snprintf(path, sizeof path, "%s/with.jali/%s", p->home, name);
    if (stat(path, &st) != 0) return cannot("look at", path, err);
    if (!S_ISREG(st.st_mode)) return JALI_OK;
    if (p->n_files == JALI_PAIR_FILES)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR, "a vault has too many files");
    jali_copied *f = &p->file[p->n_files++];
    f->name = jali_arena_text(&p->arena, name);
    if (f->name == NULL) return jali_fail_memory(err);
    return jali_file_read(path, MAX_FILE, &p->arena, &f->bytes, &f->n, err);
}

static jali_status load_files(jali_pair *p, jali_err *err)
{
    char path[512];
    jali_status status = JALI_OK;
    snprintf(path, sizeof path, "%s/with.jali", p->home);
    DIR *folder = opendir(path);
    if (folder == NULL) return cannot("open", path, err);
    for (const struct dirent *e; status == JALI_OK && (e = readdir(folder)) != NULL;)
        if (e->d_name[0] != '.') status = load_file(p, e->d_name, err);
    closedir(folder);
    return status;
}

static bool write_plain(const char *path, const jali_copied *f)
{
    FILE *to = fopen(path, "wbe");
    bool good =
        to != NULL && fchmod(fileno(to), 0600) == 0 && fwrite(f->bytes, 1, f->n, to) == f->n;
    return to != NULL && fclose(to) == 0 && good;
}

/* What an earlier run left, too, goes: journals, locks, spools. */
static void remove_others(const jali_pair *p, const char *vault)
{
    char path[960];
    DIR *folder = opendir(vault);
    if (folder == NULL) return;
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        size_t i = 0;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        while (i < p->n_files && strcmp(p->file[i].name, e->d_name) != 0) i++;
        if (i < p->n_files) continue;
        snprintf(path, sizeof path, "%s/%s", vault, e->d_name);
        if (unlink(path) != 0) jali_file_remove_tree(path);
    }
    closedir(folder);
}

jali_status jali_pair_copy(const jali_pair *p, const char *folder, bool with, jali_err *err)
{
    char vault[640], path[960], columns[640];
    snprintf(vault, sizeof vault, "%s/v.jali", folder);
    if (mkdir(vault, 0700) != 0 && errno != EEXIST) return cannot("make", vault, err);
    remove_others(p, vault);
    for (size_t i = 0; i < p->n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", vault, p->file[i].name);
        if (!write_plain(path, &p->file[i])) return cannot("write", path, err);
    }
    snprintf(path, sizeof path, "%s/columns", vault);
    snprintf(columns, sizeof columns, "%s/%s.jali/columns", p->home, with ? "with" : "without");
    return symlink(columns, path) == 0 ? JALI_OK : cannot("link", path, err);
}

/* ---- both ends ----------------------------------------------------------------------------
 */

jali_status jali_pair_make(jali_pair *p, const jali_audit_bench *bench,
                           const jali_audit_case *c, jali_err *err)
{
    *p = (jali_pair){ .bench = bench, .c = c };
    p->home = jali_arena_format(&p->arena, "%s/%s", bench->folder, c->name);
    p->given = jali_arena_format(&p->arena, "%s/%s/given.json", bench->folder, c->name);
    if (p->home == NULL || p->given == NULL) return jali_fail_memory(err);
    if (mkdir(p->home, 0700) != 0) return cannot("make", p->home, err);
    JALI_TRY(make_pair(p, err));
    fill_in(p, c->command, "v.jali", p->words);
    add_manners(p->words);
    return load_files(p, err);
}

void jali_pair_clear(jali_pair *p)
{
    if (p->home != NULL) jali_file_remove_tree(p->home);
    jali_arena_clear(&p->arena);
}
