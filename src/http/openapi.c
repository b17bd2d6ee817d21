/* http/openapi.c — the API described in OpenAPI 3.1, from the table that routes by. */
#include "http/server.h"
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
    if (strcmp(r->path, "releases/*") == 0)
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

static json_t *operation(const http_route_row *r, bool has_id)
{
    json_t *o = json_pack("{s:s,s:o,s:{s:{s:s},s:{s:s},s:{s:s}}}", "summary", r->summary,
                          "parameters", parameters(r, has_id), "responses", "200",
                          "description", "a document of docs/json.md", "4XX", "description",
                          "one sentence: what, where, why, how to mend", "500", "description",
                          "something failed inside; a charge that was made stands");
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
