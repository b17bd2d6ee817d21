/* door/draft.c — schemas to be edited, from files and from tables. */
#include "table/draft.h"
#include "table/remote.h"

static jali_status as_text(json_t *schema, char **out, jali_err *err)
{
    char *text = json_dumps(schema, JSON_INDENT(2));
    json_decref(schema);
    if (text == NULL) return jali_fail_memory(err);
    *out = text;
    return JALI_OK;
}

jali_status jali_draft(const char *const *data, size_t n, const jali_progress *progress,
                       char **out, jali_err *err)
{
    json_t *schema;
    JALI_TRY(jali_draft_make(data, n, progress, &schema, err));
    return as_text(schema, out, err);
}

jali_status jali_draft_postgres(const char *server, const char *table, bool rows, char **out,
                                jali_err *err)
{
    jali_postgres *pg;
    json_t *schema = NULL;
    JALI_TRY(jali_postgres_new(&pg, &server, 1, err));
    jali_status status = jali_remote_draft(pg, table, rows, &schema, err);
    jali_postgres_free(pg);
    return status == JALI_OK ? as_text(schema, out, err) : status;
}
