/* http/page.h — files of the page, embedded. */
#ifndef JALI_HTTP_PAGE_H
#define JALI_HTTP_PAGE_H

typedef struct http_file {
    const char *name;
    const unsigned char *plain, *end, *zip, *zip_end;
} http_file;

extern const http_file http_files[]; /* ends with a nameless one */

#endif
