/* Every kind: same seed, same bytes; a schema that fits; small sizes; one-sentence noes. */
#define _GNU_SOURCE
#include "sheet.h"
#include "table/schema.h"

static const struct {
    const char *kind, *preset;
} all[] = { { "hospital", NULL },    { "table", NULL }, { "table", "census" },
            { "table", "ipums" },    { "gauss", NULL }, { "gauss", "synth10" },
            { "gauss", "synth100" }, { "points", NULL } };
enum { ALL = sizeof all / sizeof *all };

SENTENCE(the_same_seed_gives_the_same_bytes_and_another_seed_others)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ALL; i++) {
        jali_mock_options o = options_of(all[i].kind, all[i].preset, 300);
        sheet a = sheet_of(&o), b = sheet_of(&o);
        o.seed++;
        sheet c = sheet_of(&o);
        assert_string_equal(a.bytes.at, b.bytes.at);
        assert_string_not_equal(a.bytes.at, c.bytes.at);
        sheet_clear(&a);
        sheet_clear(&b);
        sheet_clear(&c);
    }
}

/* Any change of the bytes is a change of every figure that was measured on them. */
SENTENCE(the_first_rows_are_those_of_last_year)
{
    UNUSED_STATE;
    static const char *const rows[][2] = {
        { "hospital",
          "P0000001,31,female,family,former,painkiller,emergency,surgery,injury,24.1,128,5.2,1,2606,37.28,36.82\n" },
        { "table", "0,0,0,4,0,1,5,3,48.82,59.03,0\n" },
        { "gauss", "-23.9814,34.3389,0\n" },
        { "points", "50.262,52.030,4,8\n" }
    };
    for (size_t i = 0; i < 4; i++) {
        jali_mock_options o = options_of(rows[i][0], NULL, 1);
        sheet s = sheet_of(&o);
        assert_string_equal(strchr(s.bytes.at, '\n') + 1, rows[i][1]);
        sheet_clear(&s);
    }
}

/* The longer table begins with the shorter one: a sample is a prefix. */
SENTENCE(a_longer_table_begins_like_a_shorter_one)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ALL; i++) {
        jali_mock_options o = options_of(all[i].kind, all[i].preset, 700);
        sheet a = sheet_of(&o);
        o.rows = 10;
        sheet b = sheet_of(&o);
        assert_memory_equal(a.bytes.at, b.bytes.at, b.bytes.used);
        sheet_clear(&a);
        sheet_clear(&b);
    }
}

SENTENCE(zero_one_and_ten_rows_are_tables_too)
{
    UNUSED_STATE;
    static const uint64_t sizes[] = { 0, 1, 10, 257 };
    for (size_t i = 0; i < ALL; i++)
        for (size_t k = 0; k < 4; k++)
            for (int plain = 0; plain < 2; plain++) {
                jali_mock_options o = options_of(all[i].kind, all[i].preset, sizes[k]);
                o.plain = plain;
                o.truth = scratch_name("truth");
                sheet s = sheet_of(&o);
                assert_int_equal(s.rows, sizes[k]);
                json_t *truth = json_then_gone((char *)(uintptr_t)o.truth);
                assert_int_equal(json_integer_value(json_object_get(truth, "rows")), sizes[k]);
                json_decref(truth);
                sheet_clear(&s);
            }
}

/* ---- the schema fits ------------------------------------------------------------- */

static bool among(const json_t *words, const char *cell)
{
    size_t i;
    json_t *word;
    json_array_foreach(words, i,
                       word) if (strcmp(json_string_value(word), cell) == 0) return true;
    return false;
}

static bool inside(const json_t *field, const char *cell)
{
    const json_t *limits = json_object_get(field, "constraints");
    const json_t *words = json_object_get(limits, "enum");
    const char *type = json_string_value(json_object_get(field, "type"));
    if (words != NULL) return among(words, cell);
    if (strcmp(type, "string") == 0) return true; /* the person */
    char *end;
    double x = strtod(cell, &end);
    const char *step =
        json_string_value(json_object_get(json_object_get(field, "jali"), "step"));
    double steps = x / strtod(step, NULL);
    return *end == '\0' && end != cell && fabs(steps - round(steps)) < 1e-6 &&
           x >= json_number_value(json_object_get(limits, "minimum")) &&
           x <= json_number_value(json_object_get(limits, "maximum"));
}

static bool fits(const json_t *schema, const sheet *s)
{
    const json_t *fields = json_object_get(schema, "fields");
    if (json_array_size(fields) != s->columns) return false;
    for (size_t j = 0; j < s->columns; j++) {
        const json_t *field = json_array_get(fields, j);
        const char *name = json_string_value(json_object_get(field, "name"));
        if (strcmp(name, s->cell[j]) != 0) return false;
        for (size_t i = 0; i < s->rows; i++)
            if (!inside(field, sheet_at(s, i, j))) return false;
    }
    return true;
}

SENTENCE(the_schema_names_the_columns_and_holds_all_values)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ALL; i++) {
        jali_mock_options o = options_of(all[i].kind, all[i].preset, 3000);
        o.schema = scratch_name("schema");
        sheet s = sheet_of(&o);
        json_t *schema = json_then_gone((char *)(uintptr_t)o.schema);
        CHECK(fits(schema, &s));
        /* The twin: a schema that lacks the first row's second cell must be refused. */
        json_t *field = json_array_get(json_object_get(schema, "fields"), 1);
        json_object_set_new(field, "constraints",
                            json_pack("{s:[s], s:i}", "enum", "nothing", "minimum", 1));
        CHECK(!fits(schema, &s));
        json_decref(schema);
        sheet_clear(&s);
    }
}

/* The house itself reads it: no draft, no complaint, and no cell has to be changed. */
SENTENCE(the_schema_imports_the_table_in_one_step)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ALL; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_schema schema;
        jali_err err = { 0 };
        jali_mock_options o = options_of(all[i].kind, all[i].preset, 1000);
        o.schema = scratch_name("schema");
        sheet s = sheet_of(&o);
        if (jali_schema_load(&schema, o.schema, &arena, &err) != JALI_OK)
            fail_msg("%s", err.text);
        json_decref(json_then_gone((char *)(uintptr_t)o.schema));
        CHECK(!schema.draft);
        assert_string_equal(schema.name, all[i].preset ? all[i].preset : all[i].kind);
        assert_int_equal(schema.n, s.columns);
        for (size_t j = 0; j < s.columns; j++)
            for (size_t row = 0; schema.fields[j].used && row < s.rows; row++) {
                jali_fate fate;
                const char *cell = sheet_at(&s, row, j);
                jali_field_code(&schema, &schema.fields[j], cell, strlen(cell), &fate);
                assert_int_equal(fate, JALI_KEPT);
            }
        sheet_clear(&s);
        jali_arena_clear(&arena);
    }
}

SENTENCE(the_hospitals_schema_names_the_person)
{
    UNUSED_STATE;
    jali_mock_options o = options_of("hospital", NULL, 5);
    o.schema = scratch_name("schema");
    sheet s = sheet_of(&o);
    json_t *schema = json_then_gone((char *)(uintptr_t)o.schema);
    const json_t *facts = json_object_get(schema, "jali");
    assert_string_equal(json_string_value(json_object_get(facts, "person")), "person");
    assert_int_equal(json_integer_value(json_object_get(facts, "rowsPerPerson")), 3);
    json_decref(schema);
    sheet_clear(&s);
}

/* ---- noes ------------------------------------------------------------------------ */

static bool nothing_more(void *self, const char *bytes, size_t n)
{
    (void)self;
    (void)bytes;
    (void)n;
    return false;
}

SENTENCE(a_sink_that_takes_no_more_is_an_error)
{
    UNUSED_STATE;
    jali_err err = { 0 };
    jali_mock_options o = options_of("table", "census", 100000);
    o.take = nothing_more;
    assert_int_equal(jali_mock_write(&o, NULL, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_ANALYST, "cannot write the table");
}

SENTENCE(a_file_that_cannot_be_written_leaves_nothing_behind)
{
    UNUSED_STATE;
    jali_err err = { 0 };
    jali_mock_options o = options_of("gauss", NULL, 10);
    o.out = "no-such-folder/table.csv";
    assert_int_equal(jali_mock_write(&o, NULL, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_ANALYST, "no-such-folder/table.csv");
}

SENTENCE(a_file_has_the_bytes_of_the_stream)
{
    UNUSED_STATE;
    char *path = scratch_name("csv"), *bytes = NULL;
    jali_mock_options o = options_of("points", NULL, 100);
    sheet s = sheet_of(&o);
    o.out = path;
    CHECK_OK(jali_mock_write(&o, NULL, NULL));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    bytes = calloc(s.bytes.used + 2, 1);
    assert_int_equal(fread(bytes, 1, s.bytes.used + 1, f), s.bytes.used);
    assert_string_equal(bytes, s.bytes.at);
    fclose(f);
    unlink(path);
    free(bytes);
    free(path);
    sheet_clear(&s);
}

static void refused(const jali_mock_options *o, const char *words)
{
    jali_err err = { 0 };
    jali_text none = { 0 };
    jali_mock_options with = *o;
    with.take = sheet_take;
    with.self = &none;
    assert_int_equal(jali_mock_write(&with, NULL, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    assert_null(none.at); /* nothing was written */
}

SENTENCE(bad_arguments_are_one_sentence_each)
{
    UNUSED_STATE;
    static const unsigned zero[] = { 0 }, huge[] = { 70000 };
    jali_mock_options t = options_of("table", NULL, 10), g = options_of("gauss", NULL, 10),
                      p = options_of("points", NULL, 10), bad;
    refused((bad = t, bad.kind = "sheep", &bad), "no kind of table called sheep");
    refused((bad = t, bad.rows = UINT64_MAX, &bad), "rows are too many");
    refused((bad = t, bad.clusters = 0, &bad), "0 clusters");
    refused((bad = t, bad.clusters = 2000, &bad), "2000 clusters");
    refused((bad = t, bad.imbalance = -1, &bad), "--imbalance -1");
    refused((bad = t, bad.strength = 1.5, &bad), "--strength 1.5");
    refused((bad = t, bad.missing = (double)NAN, &bad), "--missing");
    refused((bad = t, bad.n_domains = 0, &bad), "0 attributes");
    refused((bad = t, bad.domains = zero, bad.n_domains = 1, &bad), "a domain of 0 values");
    refused((bad = t, bad.domains = huge, bad.n_domains = 1, &bad), "70000 values");
    refused((bad = g, bad.dimensions = 0, &bad), "0 dimensions");
    refused((bad = g, bad.spread = 1000, &bad), "--spread 1000");
    refused((bad = g, bad.noise = 2, &bad), "--noise 2");
    refused((bad = p, bad.noise = 0.6, bad.roads = 0.6, &bad), "add up to at most 1");
}

SENTENCE(unknown_words_are_refused_with_the_known_ones)
{
    UNUSED_STATE;
    jali_err err = { 0 };
    jali_mock_options o;
    assert_int_equal(jali_mock_defaults(&o, "tabel", NULL, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "choose hospital, table");
    assert_int_equal(jali_mock_defaults(&o, "gauss", "census", &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "gauss has no preset called census");
    assert_int_equal(jali_mock_defaults(&o, NULL, NULL, &err), JALI_E_USAGE);
    o = options_of("gauss", NULL, 1);
    assert_int_equal(jali_mock_write(&o, NULL, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "somewhere to go");
}

RUN_ALL(TEST(the_same_seed_gives_the_same_bytes_and_another_seed_others),
        TEST(the_first_rows_are_those_of_last_year),
        TEST(a_longer_table_begins_like_a_shorter_one),
        TEST(zero_one_and_ten_rows_are_tables_too),
        TEST(the_schema_names_the_columns_and_holds_all_values),
        TEST(the_schema_imports_the_table_in_one_step),
        TEST(the_hospitals_schema_names_the_person),
        TEST(a_sink_that_takes_no_more_is_an_error),
        TEST(a_file_that_cannot_be_written_leaves_nothing_behind),
        TEST(a_file_has_the_bytes_of_the_stream), TEST(bad_arguments_are_one_sentence_each),
        TEST(unknown_words_are_refused_with_the_known_ones))
