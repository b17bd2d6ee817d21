/* door/claims.c — what this program promises, from the cards it was built from.
 *
 * An auditor holds a binary, not a repository: the cards are inside it, so that nobody can
 * read the promises of one version beside the program of another.
 */
#include "door/claims.h"
#include "door/door.h"

/* "noise" names noise.laplace and noise.gauss, "noise.gauss" itself. */
static bool is_named(const jali_claim *c, const char *which)
{
    size_t n = which == NULL ? 0 : strlen(which);
    return n == 0 || (strncmp(c->id, which, n) == 0 && (c->id[n] == '\0' || c->id[n] == '.'));
}

/* A law is a formula: a line is a line. */
static void tell_law(jali_doc *doc, const char *law)
{
    const char *label = "law";
    while (*law != '\0') {
        size_t n = strcspn(law, "\n");
        jali_doc_fact(doc, label, "%.*s", (int)n, law);
        law += n + (law[n] == '\n');
        label = "";
    }
}

static void tell(jali_doc *doc, const jali_claim *c, json_t *rows)
{
    jali_doc_heading(doc, "%s", c->id);
    jali_doc_say(doc, "%s", c->claim);
    tell_law(doc, c->law);
    jali_doc_fact(doc, "mechanism", "%s", c->file);
    jali_doc_fact(doc, "proof", "%s (%s)", c->proof, c->state);
    jali_doc_fact(doc, "source", "%s", c->source);
    jali_doc_fact(doc, "test", "%s", c->test);
    jali_doc_fact(doc, "silent about", "%s", c->silent);
    json_t *row =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "id", c->id, "claim", c->claim,
                  "file", c->file, "proof", c->proof, "state", c->state, "source", c->source,
                  "law", c->law, "test", c->test, "silent", c->silent);
    if (row == NULL || json_array_append_new(rows, row) != 0) doc->failed = true;
}

jali_status jali_claims(const char *which, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    size_t n = 0;
    json_t *rows = json_array();
    if (rows == NULL) return jali_fail_memory(err);
    jali_status status = jali_doc_new(&doc, "claims", err);
    if (status != JALI_OK) {
        json_decref(rows);
        return status;
    }
    for (const jali_claim *c = jali_claim_cards; c->id != NULL; c++) {
        if (!is_named(c, which)) continue;
        tell(doc, c, rows);
        n++;
    }
    jali_doc_set(doc, "version", json_string(jali_version()));
    jali_doc_set(doc, "rows", rows);
    if (n == 0)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "there is no claim \"%.40s\"; jali claims lists them", which);
    return jali_doc_finish(doc, status, out, err);
}
