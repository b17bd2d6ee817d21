/* ask.c — a question through jali.h: the price first, then the answer. */
#include <jali.h>
#include <stdio.h>

static int refuse(const jali_err *err)
{
    fprintf(stderr, "ask: %s\n", err->text);
    return jali_exit_code(err->code);
}

static int show(jali_doc *doc, jali_err *err)
{
    char *text;
    jali_style style = { .format = JALI_FORMAT_TABLE, .width = 80 };
    jali_status status = jali_doc_render(doc, &style, &text, err);
    jali_doc_free(doc);
    if (status != JALI_OK) return refuse(err);
    puts(text);
    jali_free(text);
    return 0;
}

int main(int argc, char **argv)
{
    jali_err err;
    jali_doc *doc;
    jali_question q = { .spend = { .vault = argc > 1 ? argv[1] : "visits.jali",
                                   .epsilon = "0.5",
                                   .by = "example",
                                   .now_ms = 1700000000000, /* the caller has the clock */
                                   .quote = true },
                        .sql = "SELECT sex, COUNT(*) FROM hospital GROUP BY sex" };
    if (jali_vault_ask(&q, &doc, &err) != JALI_OK) return refuse(&err); /* spends nothing */
    if (show(doc, &err) != 0) return 1;
    q.spend.quote = false;
    if (jali_vault_ask(&q, &doc, &err) != JALI_OK) return refuse(&err);
    return show(doc, &err);
}
