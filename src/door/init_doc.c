/* door/init_doc.c — what the curator hears after an import. */
#include "door/init.h"

static unsigned long long n(uint64_t count)
{
    return (unsigned long long)count;
}

static void tell_rows(jali_doc *doc, const jali_import_report *r, const jali_schema *s)
{
    jali_doc_fact(doc, "rows read", "%llu", n(r->rows_read));
    if (r->rows_unfit > 0)
        jali_doc_fact(doc, "rows dropped", "%llu (without a required value)", n(r->rows_unfit));
    if (s->person >= 0) {
        jali_doc_fact(doc, "persons", "%llu (rows without an id, each its own person: %llu)",
                      n(r->persons.persons), n(r->persons.alone));
        jali_doc_fact(doc, "rows dropped", "%llu (beyond %u of a person)",
                      n(r->persons.dropped), s->rows_per_person);
    }
    jali_doc_fact(doc, "rows kept", "%llu", n(r->rows_kept));
}

static void tell_files(jali_doc *doc, const jali_import_report *r)
{
    for (size_t i = 0; i < r->n_files; i++) {
        const jali_import_file *f = &r->files[i];
        if (!f->header)
            jali_doc_say(doc, "%s has no header: its columns were taken in the schema's order.",
                         f->path);
        if (f->extra > 0)
            jali_doc_say(doc,
                         "%s has %zu columns that the schema does not name; they were left "
                         "out.",
                         f->path, f->extra);
    }
}

static void tell_bad(jali_doc *doc, const jali_import_report *r)
{
    static const jali_col cols[] = { { "file", false },
                                     { "line", true },
                                     { "left out because", false } };
    uint64_t all = 0;
    for (size_t i = 0; i < r->n_files; i++) all += r->files[i].bad;
    if (all == 0) return;
    jali_doc_say(doc, "Lines that could not be read and were left out: %llu%s.", n(all),
                 all >= JALI_BAD_COUNTED ? " or more" : "");
    jali_doc_table(doc, 3, cols);
    for (size_t i = 0; i < r->n_files; i++)
        for (size_t k = 0; k < r->files[i].scan.n_shown; k++) {
            jali_doc_cell(doc, "%s", r->files[i].path);
            jali_doc_cell(doc, "%llu", n(r->files[i].scan.shown[k].line));
            jali_doc_cell(doc, "%s", r->files[i].scan.shown[k].why);
        }
}

static void tell_cells(jali_doc *doc, const jali_import_report *r, const jali_schema *s)
{
    static const jali_col cols[] = { { "column", false },
                                     { "missing", true },
                                     { "clamped", true },
                                     { "to other", true },
                                     { "to NULL", true } };
    jali_doc_table(doc, 5, cols);
    for (size_t i = 0; i < s->n; i++) {
        if (!s->fields[i].used) continue;
        jali_doc_cell(doc, "%s", s->fields[i].name);
        jali_doc_cell(doc, "%llu", n(r->fates[i][JALI_MISSING]));
        jali_doc_cell(doc, "%llu", n(r->fates[i][JALI_CLAMPED]));
        jali_doc_cell(doc, "%llu", n(r->fates[i][JALI_OTHERED]));
        jali_doc_cell(doc, "%llu", n(r->fates[i][JALI_NULLED]));
    }
}

static json_t *bad_json(const jali_import_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_files; i++)
        for (size_t k = 0; k < r->files[i].scan.n_shown; k++)
            if (json_array_append_new(
                    list, json_pack("{s:s,s:I,s:s}", "file", r->files[i].path, "line",
                                    (json_int_t)r->files[i].scan.shown[k].line, "why",
                                    r->files[i].scan.shown[k].why)) != 0)
                break;
    return list;
}

static json_t *cells_json(const jali_import_report *r, const jali_schema *s)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->n; i++) {
        if (!s->fields[i].used) continue;
        json_t *row = json_pack("{s:s,s:I,s:I,s:I,s:I}", "column", s->fields[i].name, "missing",
                                (json_int_t)r->fates[i][JALI_MISSING], "clamped",
                                (json_int_t)r->fates[i][JALI_CLAMPED], "other",
                                (json_int_t)r->fates[i][JALI_OTHERED], "null",
                                (json_int_t)r->fates[i][JALI_NULLED]);
        if (json_array_append_new(rows, row) != 0) break;
    }
    return rows;
}

static void set_json(jali_doc *doc, const jali_import_report *r, const jali_schema *s,
                     const char *vault)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < r->n_files; i++) bad += r->files[i].bad;
    jali_doc_set(doc, "vault", json_string(vault));
    jali_doc_set(doc, "rows_read", json_integer((json_int_t)r->rows_read));
    jali_doc_set(doc, "rows_kept", json_integer((json_int_t)r->rows_kept));
    jali_doc_set(doc, "rows_unfit", json_integer((json_int_t)r->rows_unfit));
    jali_doc_set(doc, "bad_lines", json_integer((json_int_t)bad));
    jali_doc_set(doc, "bad", bad_json(r));
    if (s->person >= 0)
        jali_doc_set(doc, "persons",
                     json_pack("{s:I,s:I,s:I}", "count", (json_int_t)r->persons.persons,
                               "without_id", (json_int_t)r->persons.alone, "rows_dropped",
                               (json_int_t)r->persons.dropped));
    jali_doc_set(doc, "rows", cells_json(r, s));
}

jali_status jali_init_doc(const jali_import_report *report, const jali_schema *schema,
                          const jali_init *ask, const char *vault, jali_doc **out,
                          jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "init", err));
    jali_doc_heading(doc, "Made %s", vault);
    jali_doc_say(doc, ask->is_public
                          ? "This vault is public: its truth may be shown, and nothing printed "
                            "from it is private."
                          : "For the curator only: these counts are not private.");
    tell_rows(doc, report, schema);
    tell_files(doc, report);
    tell_bad(doc, report);
    tell_cells(doc, report, schema);
    set_json(doc, report, schema, vault);
    return jali_doc_finish(doc, JALI_OK, out, err);
}
