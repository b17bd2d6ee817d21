/* Prints the gallery in a format: for eyes, and for the checkers of other people's formats. */
#include "gallery.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    jali_style style = { .format = (jali_format)(argc > 1 ? strtoul(argv[1], NULL, 10) : 0) };
    if (argc > 2) style.width = (unsigned)strtoul(argv[2], NULL, 10);
    style.ascii = argc > 3 && strchr(argv[3], 'a') != NULL;
    style.color = argc > 3 && strchr(argv[3], 'c') != NULL;
    jali_doc *doc = gallery();
    char *text = NULL;
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    fputs(text, stdout);
    jali_free(text);
    jali_doc_free(doc);
    return 0;
}
