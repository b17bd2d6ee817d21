/* From a file to columns: the codes are those of the cells, and the counts those of the data.
 */
#define _XOPEN_SOURCE 700
#include "engine/columns.h"
#include "scratch.h"
#include "table/import.h"
#include <sys/stat.h>

static const jali_person_key key = { "0123456789abcde", "fedcba987654321" };

typedef struct made {
    jali_arena arena;
    jali_schema schema;
    jali_import_report report;
    jali_columns *columns;
    jali_err err;
} made;

static jali_status make(made *m, const char *schema, const char *const *files, size_t n)
{
    static unsigned count;
    char folder[300];
    *m = (made){ .arena = JALI_ARENA_INIT };
    snprintf(folder, sizeof folder, "%s/columns-%u", scratch_folder, count++);
    JALI_TRY(
        jali_schema_parse(&m->schema, schema, strlen(schema), "schema", &m->arena, &m->err));
    jali_import_request ask = { .schema = &m->schema,
                                .files = files,
                                .n_files = n,
                                .folder = folder,
                                .scratch = scratch_folder,
                                .key = &key,
                                .threads = 2 };
    jali_status status = jali_import(&ask, &m->arena, &m->report, &m->err);
    if (status != JALI_OK) {
        CHECK(!jali_file_exists(folder) || m->err.code == JALI_E_ENGINE);
        return status;
    }
    return jali_columns_open(&m->columns, folder, &m->err);
}

static void clear(made *m)
{
    jali_columns_free(m->columns);
    jali_arena_clear(&m->arena);
}

static uint64_t code_at(made *m, const char *name, uint64_t row)
{
    size_t i;
    const jali_column *c;
    CHECK(jali_columns_find(m->columns, name, &i));
    CHECK_OK(jali_columns_verify(m->columns, i, NULL));
    CHECK_OK(jali_columns_map(m->columns, i, &c, NULL));
    uint64_t code = 0;
    memcpy(&code, (const char *)c->codes + row * c->width, c->width);
    return code;
}

/* How many rows have this value; "NULL" counts NULLs. */
static uint64_t count_where(made *m, const char *name, const char *value)
{
    size_t f;
    uint64_t n = 0;
    CHECK_OK(jali_schema_find(&m->schema, name, &f, NULL));
    for (uint64_t r = 0; r < jali_columns_rows(m->columns); r++)
        n += strcmp(jali_field_text(&m->schema.fields[f], code_at(m, name, r), &m->arena),
                    value) == 0;
    return n;
}

#define AGE                                                                                    \
    "{\"name\": \"age\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 90}}"
#define WARD                                                                                   \
    "{\"name\": \"ward\", \"constraints\": {\"enum\": [\"A\", \"B\"]}, \"jali\": {\"other\": \"rest\"}}"
#define COST                                                                                   \
    "{\"name\": \"cost\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 1000}, \"jali\": {\"step\": \"0.01\"}}"

SENTENCE(cells_become_codes_and_the_curator_hears_how)
{
    UNUSED_STATE;
    made m;
    const char *file = scratch_file("a.csv", "ward,cost,note,age\nA,0.285,x,30\nC,5000,y,200\n"
                                             "B,,z,old\n,-1,w,\n");
    CHECK_OK(make(&m, "{\"fields\": [" AGE "," WARD "," COST "]}", &file, 1));
    assert_int_equal(jali_columns_rows(m.columns), 4);
    assert_int_equal(jali_columns_count(m.columns), 3);
    CHECK(count_where(&m, "ward", "A") == 1 && count_where(&m, "ward", "rest") == 1);
    CHECK(count_where(&m, "ward", "NULL") == 1);
    CHECK(count_where(&m, "cost", "0.29") == 1 && count_where(&m, "cost", "1000") == 1);
    CHECK(count_where(&m, "cost", "0") == 1 && count_where(&m, "cost", "NULL") == 1);
    CHECK(count_where(&m, "age", "90") == 1 && count_where(&m, "age", "NULL") == 2);
    CHECK(m.report.rows_read == 4 && m.report.rows_kept == 4 && m.report.files[0].extra == 1);
    CHECK(m.report.fates[0][JALI_CLAMPED] == 1 && m.report.fates[0][JALI_NULLED] == 1);
    CHECK(m.report.fates[0][JALI_MISSING] == 1 && m.report.fates[0][JALI_KEPT] == 1);
    CHECK(m.report.fates[1][JALI_OTHERED] == 1 && m.report.fates[2][JALI_CLAMPED] == 2);
    clear(&m);
}

SENTENCE(bins_have_a_column_of_their_own)
{
    UNUSED_STATE;
    made m;
    const char *file = scratch_file("b.csv", "n\n0\n17\n18\n65\n90\n\n99\n");
    CHECK_OK(make(&m,
                  "{\"fields\": [{\"name\": \"n\", \"type\": \"integer\", \"jali\": "
                  "{\"bins\": [0, 18, 65, 90]}}]}",
                  &file, 1));
    assert_int_equal(jali_columns_count(m.columns), 2);
    size_t bin;
    CHECK(jali_columns_find(m.columns, "n" JALI_BIN_SUFFIX, &bin));
    CHECK(jali_columns_at(m.columns, bin)->domain == 4);
    unsigned seen[4] = { 0 };
    for (uint64_t r = 0; r < jali_columns_rows(m.columns); r++) {
        uint64_t code = code_at(&m, "n", r), b = code_at(&m, "n" JALI_BIN_SUFFIX, r);
        CHECK(b == (code == 91 ? 3 : code < 18 ? 0 : code < 65 ? 1 : 2));
        seen[b]++;
    }
    CHECK(seen[0] == 2 && seen[1] == 1 && seen[2] == 3);
    clear(&m);
}

SENTENCE(one_row_of_one_value_is_a_table)
{
    UNUSED_STATE;
    made m;
    const char *file = scratch_file("one.csv", "age\n7\n");
    CHECK_OK(make(&m, "{\"fields\": [" AGE "]}", &file, 1));
    CHECK(jali_columns_rows(m.columns) == 1 && code_at(&m, "age", 0) == 7);
    clear(&m);
    file = scratch_file("bare.csv", "7\n");
    CHECK_OK(make(&m, "{\"fields\": [" AGE "]}", &file, 1));
    CHECK(jali_columns_rows(m.columns) == 1 && code_at(&m, "age", 0) == 7);
    CHECK(!m.report.files[0].header);
    clear(&m);
}

SENTENCE(several_files_of_several_kinds_are_one_table)
{
    UNUSED_STATE;
    made m;
    const char *files[] = { scratch_file("m1.csv", "age,ward\n1,A\n2,B\n"),
                            scratch_file("m2.json", "[{\"ward\": \"B\", \"age\": 3}]"),
                            scratch_file("m3.csv", "ward;age\nA;4\n") };
    CHECK_OK(make(&m, "{\"fields\": [" AGE "," WARD "]}", files, 3));
    CHECK(jali_columns_rows(m.columns) == 4);
    CHECK(count_where(&m, "ward", "A") == 2 && count_where(&m, "ward", "B") == 2);
    CHECK(m.report.files[1].rows == 1);
    clear(&m);
}

SENTENCE(rows_without_a_required_value_are_dropped)
{
    UNUSED_STATE;
    made m;
    const char *file = scratch_file("r.csv", "w,age\nA,1\n,2\nZ,3\nB,4\n");
    CHECK_OK(make(&m,
                  "{\"fields\": [" AGE ", {\"name\": \"w\", \"constraints\": {\"enum\": "
                  "[\"A\", \"B\"], \"required\": true}}]}",
                  &file, 1));
    CHECK(m.report.rows_unfit == 2 && m.report.rows_kept == 2);
    CHECK(jali_columns_rows(m.columns) == 2 && count_where(&m, "w", "NULL") == 0);
    CHECK(count_where(&m, "age", "4") == 1 && count_where(&m, "age", "2") == 0);
    clear(&m);
}

#define PERSONS                                                                                \
    "\"jali\": {\"person\": \"id\", \"rowsPerPerson\": 2}, \"fields\": [{\"name\": \"id\"},"

SENTENCE(a_person_keeps_m_rows_whatever_their_order)
{
    UNUSED_STATE;
    made m, n;
    const char *one = scratch_file("p1.csv", "id,age\na,1\na,2\na,3\nb,4\n,5\n,5\n?,6\na,7\n");
    const char *two =
        scratch_file("p2.csv", "id,age\na,7\n?,6\n,5\na,3\nb,4\n,5\na,2\n a ,1\n");
    static const char schema[] = "{\"missingValues\": [\"\", \"?\"], " PERSONS AGE "]}";
    CHECK_OK(make(&m, schema, &one, 1));
    CHECK_OK(make(&n, schema, &two, 1));
    CHECK(m.report.persons.persons == 5 && m.report.persons.alone == 3);
    CHECK(m.report.persons.dropped == 2 && jali_columns_rows(m.columns) == 6);
    for (int age = 1; age < 8; age++) {
        char text[8];
        snprintf(text, sizeof text, "%d", age);
        assert_int_equal(count_where(&m, "age", text), count_where(&n, "age", text));
    }
    size_t hidden;
    CHECK(jali_columns_find(m.columns, JALI_PERSON_COLUMN, &hidden));
    CHECK_OK(jali_columns_verify(m.columns, hidden, NULL));
    CHECK(!jali_columns_find(m.columns, "id", &hidden));
    clear(&m);
    clear(&n);
}

static void refused(const char *schema, const char *file, const char *words)
{
    made m;
    jali_status status = make(&m, schema, &file, 1);
    CHECK(status != JALI_OK);
    if (strstr(m.err.text, words) == NULL) print_message("# %s\n", m.err.text);
    CHECK_REFUSED(m.err, status, JALI_FOR_CURATOR, words);
    clear(&m);
}

SENTENCE(files_that_do_not_fit_are_refused_in_a_sentence)
{
    UNUSED_STATE;
    static const char schema[] = "{\"fields\": [" AGE "," WARD "]}";
    refused(schema, scratch_file("f1.csv", "age,wart\n1,A\n"),
            "no column \"ward\" (its \"wart\"");
    refused(schema, scratch_file("f2.csv", "age,ward,age\n1,A,2\n"),
            "two columns named \"age\"");
    refused(schema, scratch_file("f3.csv", "age,ward\n"), "only a header");
    refused(schema, scratch_file("f4.csv", ""), "is empty");
    refused(schema, scratch_file("f5.csv", "1,A,x\n2,B,y\n"), "the schema has 2");
    refused(schema, scratch_file("f6.csv", "alter,haus\n1,A\n2,B\n"), "no column");
    refused(schema, scratch_file("f7.csv", "age,ward\n1,caf\xe9\n"), "not UTF-8");
    refused(schema, scratch_file("f8.json", "[{\"age\": 3}]"), "no column \"ward\"");
    refused(schema, scratch_folder, "is a folder");
    refused(schema, scratch_path("none.csv"), "No such file");
    refused(schema, scratch_file("f11.csv", "age,ward\n1,A\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"),
            "most lines");
    refused(
        "{\"fields\": [{\"name\": \"w\", \"constraints\": {\"enum\": [\"A\"], \"required\": true}}]}",
        scratch_file("f9.csv", "w\nB\n"), "nothing is left");
    refused("{\"fields\": [{\"name\": \"w\", \"jali\": {\"drop\": true}}]}",
            scratch_file("f10.csv", "w\nB\n"), "drops every column");
}

SENTENCE(hundreds_of_columns_work)
{
    UNUSED_STATE;
    enum { COLUMNS = 300, ROOM = 1 << 20 };
    char *schema = malloc(ROOM), *csv = malloc(ROOM);
    size_t s = (size_t)snprintf(schema, ROOM, "{\"fields\": ["), c = 0;
    for (int i = 0; i < COLUMNS; i++) {
        s += (size_t)snprintf(schema + s, ROOM - s,
                              "%s{\"name\": \"c%d\", \"type\": \"boolean\"}", i ? "," : "", i);
        c += (size_t)snprintf(csv + c, ROOM - c, "%sc%d", i ? "," : "", i);
    }
    snprintf(schema + s, ROOM - s, "]}");
    for (int row = 0; row < 3; row++) {
        csv[c++] = '\n';
        for (int i = 0; i < COLUMNS; i++)
            c += (size_t)snprintf(csv + c, ROOM - c, "%s%d", i ? "," : "", (i + row) % 2);
    }
    made m;
    const char *file = scratch_bytes("wide.csv", csv, c);
    jali_status status = make(&m, schema, &file, 1);
    if (status != JALI_OK) fail_msg("%s", m.err.text);
    CHECK(jali_columns_rows(m.columns) == 3 && jali_columns_count(m.columns) == COLUMNS);
    CHECK(count_where(&m, "c299", "true") == 2 && count_where(&m, "c0", "true") == 1);
    clear(&m);
    free(schema);
    free(csv);
}

/* ---- against published facts, where the data are ------------------------------------- */

static bool unpack(const char *from, const char *to, const char *filter)
{
    char command[1024];
    if (!jali_file_exists(from)) {
        print_message("# skipped: %s is not here\n", from);
        return false;
    }
    snprintf(command, sizeof command, "xz -dc %s | %s >> %s", from, filter, to);
    return system(command) == 0;
}

SENTENCE(adult_has_the_published_groups)
{
    UNUSED_STATE;
    const char *to = scratch_path("adult.csv");
    /* The second file begins with a comment, and its labels end in a full stop. */
    if (!unpack(JALI_SHARED "/adult/adult.data.xz", to, "grep ,") ||
        !unpack(JALI_SHARED "/adult/adult.test.xz", to, "grep , | sed 's/\\.$//'"))
        skip();
    static const char schema[] =
        "{\"fields\": [" AGE ", {\"name\": \"workclass\", \"jali\": {\"drop\": true}},"
        "{\"name\": \"fnlwgt\", \"jali\": {\"drop\": true}}, {\"name\": \"education\", \"jali\": "
        "{\"drop\": true}}, {\"name\": \"education-num\", \"jali\": {\"drop\": true}},"
        "{\"name\": \"marital-status\", \"constraints\": {\"enum\": [\"Never-married\", "
        "\"Separated\", \"Widowed\", \"Married-spouse-absent\", \"Divorced\", "
        "\"Married-AF-spouse\", \"Married-civ-spouse\"]}},"
        "{\"name\": \"o\", \"jali\": {\"drop\": true}}, {\"name\": \"r\", \"jali\": {\"drop\": true}},"
        "{\"name\": \"race\", \"jali\": {\"drop\": true}}, {\"name\": \"sex\", \"constraints\": "
        "{\"enum\": [\"Male\", \"Female\"]}}, {\"name\": \"gain\", \"jali\": {\"drop\": true}},"
        "{\"name\": \"loss\", \"jali\": {\"drop\": true}}, {\"name\": \"hours\", \"jali\": {\"drop\": "
        "true}}, {\"name\": \"country\", \"jali\": {\"drop\": true}},"
        "{\"name\": \"income\", \"constraints\": {\"enum\": [\"<=50K\", \">50K\"]}}]}";
    static const char *const names[] = { "Never-married",     "Separated",
                                         "Widowed",           "Married-spouse-absent",
                                         "Divorced",          "Married-AF-spouse",
                                         "Married-civ-spouse" };
    static const double average[] = { .045480, .064706, .084321, .092357,
                                      .101161, .378378, .446133 };
    made m;
    jali_status status = make(&m, schema, &to, 1);
    if (status != JALI_OK) fail_msg("%s", m.err.text);
    assert_int_equal(jali_columns_rows(m.columns), 48842);
    uint64_t all[8] = { 0 }, rich[8] = { 0 };
    for (uint64_t r = 0; r < 48842; r++) {
        uint64_t g = code_at(&m, "marital-status", r);
        all[g]++;
        rich[g] += code_at(&m, "income", r) == 1;
    }
    assert_int_equal(all[7], 0);
    for (int g = 0; g < 7; g++) {
        double found = (double)rich[g] / (double)all[g];
        if (found - average[g] > 5e-7 || average[g] - found > 5e-7)
            fail_msg("%s: %.6f and not %.6f", names[g], found, average[g]);
    }
    clear(&m);
}

SENTENCE(diabetes_has_71518_persons)
{
    UNUSED_STATE;
    const char *to = scratch_path("diabetes.csv");
    if (!unpack(JALI_SHARED "/diabetes130/diabetic_data.csv.xz", to, "cat")) skip();
    static const char schema[] =
        "{\"missingValues\": [\"?\"], \"jali\": {\"person\": \"patient_nbr\", \"rowsPerPerson\": 1}, "
        "\"fields\": [{\"name\": \"patient_nbr\"}, {\"name\": \"gender\", \"constraints\": "
        "{\"enum\": [\"Male\", \"Female\"]}, \"jali\": {\"other\": \"other\"}},"
        "{\"name\": \"time_in_hospital\", \"type\": \"integer\", \"constraints\": {\"minimum\": 1, "
        "\"maximum\": 14}}]}";
    made m;
    jali_status status = make(&m, schema, &to, 1);
    if (status != JALI_OK) fail_msg("%s", m.err.text);
    assert_int_equal(m.report.rows_read, 101766);
    assert_int_equal(m.report.persons.persons, 71518);
    assert_int_equal(jali_columns_rows(m.columns), 71518);
    clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cells_become_codes_and_the_curator_hears_how),
        TEST(bins_have_a_column_of_their_own),
        TEST(one_row_of_one_value_is_a_table),
        TEST(several_files_of_several_kinds_are_one_table),
        TEST(rows_without_a_required_value_are_dropped),
        TEST(a_person_keeps_m_rows_whatever_their_order),
        TEST(files_that_do_not_fit_are_refused_in_a_sentence),
        TEST(hundreds_of_columns_work),
        TEST(adult_has_the_published_groups),
        TEST(diabetes_has_71518_persons),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
