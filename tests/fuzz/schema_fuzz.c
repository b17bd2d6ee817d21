/* Any bytes as a schema: refused with a place inside them, or obeyed and written again. */
#include "base/json.h"
#include "table/schema.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Every text must have a code inside the domain, every code a text, every range an order. */
static void try_field(const jali_schema *s, const jali_field *f, jali_arena *arena,
                      const char *text, size_t n)
{
    jali_fate fate;
    uint64_t code = jali_field_code(s, f, text, n, &fate), from = 0, to = 0;
    assert(code < f->domain);
    const char *value = jali_field_text(f, code, arena);
    assert(value != NULL);
    if (f->n_bins > 0 && code + 1 < f->domain) assert(jali_field_bin_of(f, code) < f->n_bins);
    for (int op = JALI_EQ; op <= JALI_GE; op++)
        if (jali_field_range(f, (jali_compare)op, value, &from, &to, NULL) == JALI_OK &&
            from <= to)
            assert(to < f->domain - 1);
}

static void write_again(const jali_schema *s, jali_arena *arena)
{
    char *one, *two;
    jali_schema again;
    json_t *json = jali_schema_json(s);
    assert(json != NULL && jali_json_canonical(json, arena, &one, NULL) == JALI_OK);
    json_decref(json);
    assert(jali_schema_parse(&again, one, strlen(one), "again", arena, NULL) == JALI_OK);
    json = jali_schema_json(&again);
    assert(json != NULL && jali_json_canonical(json, arena, &two, NULL) == JALI_OK);
    json_decref(json);
    assert(strcmp(one, two) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const cells[] = { "",      "1", "-0.5", "2020-02-29", "true",
                                         "1e400", "?", "inf",  "A",          " 7 " };
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    jali_err err = { .line = 0 };
    jali_status status = jali_schema_parse(&s, (const char *)data, n, "f", &arena, &err);
    if (status == JALI_OK) {
        for (size_t i = 0; i < s.n; i++) {
            if (!s.fields[i].used) continue;
            for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
                try_field(&s, &s.fields[i], &arena, cells[c], strlen(cells[c]));
            try_field(&s, &s.fields[i], &arena, (const char *)data, n < 40 ? n : 40);
        }
        write_again(&s, &arena);
    } else {
        assert(status == JALI_E_DATA && err.line > 0 && strchr(err.text, '\n') == NULL);
    }
    jali_arena_clear(&arena);
    return 0;
}
