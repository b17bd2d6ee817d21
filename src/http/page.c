/* http/page.c — the page, as it was built into the program by tools/embed-web. */
#include "http/page.h"
#include "http/server.h"
#include <string.h>

static const char *type_of(const char *name)
{
    static const char *const types[][2] = { { ".html", "text/html; charset=utf-8" },
                                            { ".js", "text/javascript; charset=utf-8" },
                                            { ".css", "text/css; charset=utf-8" },
                                            { ".svg", "image/svg+xml" } };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i][0]) == 0) return types[i][1];
    return "application/octet-stream";
}

const unsigned char *http_page(const char *name, bool zip, size_t *n, const char **type,
                               bool *zipped)
{
    for (const http_file *f = http_files; f->name != NULL; f++) {
        if (strcmp(f->name, name) != 0) continue;
        *type = type_of(name);
        *zipped = zip;
        *n = (size_t)(zip ? f->zip_end - f->zip : f->end - f->plain);
        return zip ? f->zip : f->plain;
    }
    return NULL;
}
