/* http/page.c — the page, as it was built into the program. */
#include "http/server.h"
#include <string.h>

static const char nothing[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>jali</title>"
    "<h1>jali</h1><p>This program was built without its page. The API is below /api/v1.</p>"
    "</html>";

const unsigned char *http_page(const char *path, size_t *n, const char **type, bool *zipped)
{
    if (strcmp(path, "index.html") != 0) return NULL;
    *n = sizeof nothing - 1;
    *type = "text/html; charset=utf-8";
    *zipped = false;
    return (const unsigned char *)nothing;
}
