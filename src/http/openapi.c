/* http/openapi.c — the API described in OpenAPI 3.1, from the table that routes by. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>

/* "releases/ *" becomes "/releases/{id}". */
static void path_text(const char *path, char *out, size_t room, bool *has_id)
{
    const char *star = strchr(path, '*');
    *has_id = star != NULL;
    if (star == NULL)
        snprintf(out, room, "/%s", path);
    else
        snprintf(out, room, "/%.*s{id}", (int)(star - path), path);
}

static json_t *parameters(const http_route_row *r, bool has_id)
{
    json_t *list = json_array();
    if (has_id)
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:b,s:{s:s}}", "name", "id", "in", "path",
                                        "required", true, "schema", "type", "string"));
    if (strcmp(r->method, "GET") == 0)
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:{s:s,s:[sssssss]}}", "name", "format", "in",
                                        "query", "schema", "type", "string", "enum", "json",
                                        "blocks", "csv", "svg", "vega", "md", "html"));
    if (strcmp(r->path, "report") == 0)
        json_array_append_new(list, json_pack("{s:s,s:s,s:{s:s}}", "name", "ids", "in", "query",
                                              "schema", "type", "string"));
    if (strcmp(r->path, "releases/*") == 0 || strcmp(r->path, "report") == 0)
        json_array_append_new(list, json_pack("{s:s,s:s,s:{s:s}}", "name", "confidence", "in",
                                              "query", "schema", "type", "string"));
    return list;
}

/* What a POST takes: texts only, numbers too, because they are exact. */
static json_t *body_of(const http_route_row *r)
{
    static const struct {
        const char *path, *first, *second;
    } bodies[] = { { "session", "token", NULL },         { "quotes", "verb", "epsilon" },
                   { "points/*", "grid", "confidence" }, { "releases", "quote", NULL },
                   { "acts", "act", "share" },           { "tokens", "name", "role" } };
    if (strcmp(r->method, "POST") != 0) return NULL;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        if (strcmp(bodies[i].path, r->path) != 0) continue;
        json_t *members = json_object();
        json_object_set_new(members, bodies[i].first, json_pack("{s:s}", "type", "string"));
        if (bodies[i].second != NULL)
            json_object_set_new(members, bodies[i].second,
                                json_pack("{s:s}", "type", "string"));
        return json_pack("{s:b,s:{s:{s:{s:s,s:o,s:[s]}}}}", "required", true, "content",
                         "application/json", "schema", "type", "object", "properties", members,
                         "required", bodies[i].first);
    }
    return NULL;
}

static const char *meaning(unsigned status)
{
    switch (status) {
    case MHD_HTTP_OK:
        return "a document of docs/json.md";
    case MHD_HTTP_ACCEPTED:
        return "a job: ask for it until it is done";
    case MHD_HTTP_BAD_REQUEST:
        return "one sentence: what, where, why, how to mend";
    case MHD_HTTP_UNAUTHORIZED:
        return "no token, or one that opens nothing here";
    case MHD_HTTP_PAYMENT_REQUIRED:
        return "the budget, a quota or the largest question says no; nothing was spent";
    case MHD_HTTP_FORBIDDEN:
        return "the role does not allow this, or the CSRF header is missing";
    case MHD_HTTP_NOT_FOUND:
        return "there is nothing of that name";
    case MHD_HTTP_CONTENT_TOO_LARGE:
        return "the request has more than 64 kB";
    case MHD_HTTP_MISDIRECTED_REQUEST:
        return "the server does not answer to the name in Host";
    case MHD_HTTP_TOO_MANY_REQUESTS:
        return "too many wrong tokens, or too many questions at once; Retry-After says when";
    default:
        return "something failed inside; a charge that was made stands; reference N";
    }
}

/* Its own, and those that any path may give. */
static json_t *responses(const http_route_row *r)
{
    char text[96];
    char *save = NULL;
    json_t *all = json_object();
    bool open = strcmp(r->path, "openapi") == 0;
    snprintf(text, sizeof text, "%s%s", r->statuses,
             open ? " 413 421" : " 401 413 421 429 500");
    for (char *word = strtok_r(text, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save))
        json_object_set_new(
            all, word,
            json_pack("{s:s}", "description", meaning((unsigned)strtoul(word, NULL, 10))));
    return all;
}

static json_t *operation(const http_route_row *r, bool has_id)
{
    json_t *o = json_pack("{s:s,s:o,s:o}", "summary", r->summary, "parameters",
                          parameters(r, has_id), "responses", responses(r));
    json_t *body = body_of(r);
    if (body != NULL) json_object_set_new(o, "requestBody", body);
    return o;
}

json_t *http_openapi(void)
{
    json_t *paths = json_object();
    for (const http_route_row *r = http_routes; r->method != NULL; r++) {
        char path[64], method[16];
        bool has_id;
        size_t n = 0;
        path_text(r->path, path, sizeof path, &has_id);
        for (; r->method[n] != '\0' && n + 1 < sizeof method; n++)
            method[n] = (char)(r->method[n] | 0x20);
        method[n] = '\0';
        if (json_object_get(paths, path) == NULL)
            json_object_set_new(paths, path, json_object());
        json_object_set_new(json_object_get(paths, path), method, operation(r, has_id));
    }
    return json_pack(
        "{s:s,s:{s:s,s:s,s:s},s:[{s:s}],s:o,s:{s:{s:{s:s,s:s}}},s:[{s:[]}]}", "openapi",
        "3.1.0", "info", "title", "jali", "version", jali_version(), "description",
        "Why, over sensitive tables, with differential privacy. No GET spends; spending is a "
        "quote, and then its acceptance.",
        "servers", "url", "/api/v1", "paths", paths, "components", "securitySchemes", "token",
        "type", "http", "scheme", "bearer", "security", "token");
}
