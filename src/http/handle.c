/* http/handle.c — what handlers share: whose vault, who may, which words, which format. */
#include "http/handle.h"
#include <string.h>

const http_vault *http_vault_of(const http_exchange *x)
{
    return &x->server->vault[x->session->person.vault];
}

const char *http_vault_path(const http_exchange *x)
{
    return http_vault_of(x)->path;
}

bool http_may(http_exchange *x, jali_role least, bool auditor_too)
{
    jali_role role = x->session->person.role;
    bool good = role == JALI_CURATOR || role == least || (auditor_too && role == JALI_AUDITOR);
    if (!good) http_reply_error(x, MHD_HTTP_FORBIDDEN, "your role does not allow this", NULL);
    return good;
}

const char *http_query(const http_exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *http_member(http_exchange *x, json_t **body, const char *name)
{
    if (*body == NULL && x->body != NULL)
        *body = json_loadb(x->body, x->n_body, JSON_REJECT_DUPLICATES, NULL);
    return json_string_value(json_object_get(*body, name));
}

static bool read_format(const char *word, jali_format *out)
{
    static const struct {
        const char *word;
        jali_format format;
    } known[] = { { "json", JALI_FORMAT_JSON },     { "csv", JALI_FORMAT_CSV },
                  { "svg", JALI_FORMAT_SVG },       { "vega", JALI_FORMAT_VEGA },
                  { "blocks", JALI_FORMAT_BLOCKS }, { "md", JALI_FORMAT_MD },
                  { "html", JALI_FORMAT_HTML },     { "text", JALI_FORMAT_TABLE } };
    *out = JALI_FORMAT_JSON;
    if (word == NULL) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i].word) == 0) {
            *out = known[i].format;
            return true;
        }
    return false;
}

bool http_format_of(http_exchange *x, jali_format *out)
{
    if (read_format(http_query(x, "format"), out)) return true;
    http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                     "that format is not known; take json, blocks, csv, svg, vega, md, html or "
                     "text",
                     NULL);
    return false;
}

void http_reply(http_exchange *x, jali_status status, jali_doc *doc, const jali_err *err)
{
    jali_format format;
    if (http_format_of(x, &format))
        http_reply_doc(x, status, doc, format, err);
    else if (status == JALI_OK)
        jali_doc_free(doc);
}
