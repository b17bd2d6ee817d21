/* door/mock.c — what a generated table is, in words. */
#include "door/door.h"

static void tell_files(jali_doc *doc, const jali_mock_options *o)
{
    const char *schema = o->schema == NULL ? "SCHEMA" : o->schema;
    jali_doc_fact(doc, "table", "%s", o->out == NULL ? "standard output" : o->out);
    if (o->schema != NULL) jali_doc_fact(doc, "schema", "%s", o->schema);
    if (o->truth != NULL) jali_doc_fact(doc, "planted", "%s", o->truth);
    if (o->out != NULL && o->schema != NULL)
        jali_doc_say(doc,
                     "Next: jali init %s.jali --data %s --schema %s --epsilon 3 --delta 1e-6 "
                     "--public",
                     o->kind, o->out, schema);
}

static json_t *text_or_null(const char *text)
{
    return text == NULL ? json_null() : json_string(text);
}

static void set_json(jali_doc *doc, const jali_mock_options *o)
{
    jali_doc_set(doc, "table", json_string(o->kind));
    jali_doc_set(doc, "preset", text_or_null(o->preset));
    jali_doc_set(doc, "count", json_integer((json_int_t)o->rows));
    jali_doc_set(doc, "seed", json_integer((json_int_t)o->seed));
    jali_doc_set(doc, "plain", json_boolean(o->plain));
    jali_doc_set(doc, "file", text_or_null(o->out));
    jali_doc_set(doc, "schema", text_or_null(o->schema));
    jali_doc_set(doc, "truth", text_or_null(o->truth));
}

jali_status jali_mock_doc(const jali_mock_options *o, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "mock", err));
    jali_doc_heading(doc, "A generated table: %s%s%s", o->kind, o->preset == NULL ? "" : " ",
                     o->preset == NULL ? "" : o->preset);
    jali_doc_fact(doc, "rows", "%llu", (unsigned long long)o->rows);
    jali_doc_fact(doc, "seed", "%llu%s", (unsigned long long)o->seed,
                  o->plain ? ", nothing planted" : "");
    tell_files(doc, o);
    set_json(doc, o);
    return jali_doc_finish(doc, JALI_OK, out, err);
}
