/* cli/manual.c — man pages, made from the same tables as --help. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <string.h>
#include <sys/stat.h>

/* The letter at *text as its number, and how many bytes it has; our own texts are UTF-8. */
static unsigned letter(const char *text, size_t *bytes)
{
    unsigned char c = (unsigned char)*text;
    *bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    unsigned code = *bytes == 1 ? c : c & (0x7fu >> *bytes);
    for (size_t i = 1; i < *bytes; i++) code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* Roff reads a dot or quote at the start of a line as a command, a backslash anywhere, and
 * turns a hyphen into a typographic one. */
static void roff(FILE *to, const char *text)
{
    bool start = true;
    size_t bytes;
    for (; *text != '\0'; text += bytes) {
        unsigned code = letter(text, &bytes);
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", to);
        start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else if (code >= 0x80)
            fprintf(to, "\\[u%04X]", code);
        else
            fputc(*text, to);
    }
}

static void section(FILE *to, const char *name)
{
    fprintf(to, ".SH %s\n", name);
}

static void literal(FILE *to, const char *text)
{
    fputs(".nf\n", to);
    roff(to, text);
    if (text[0] == '\0' || text[strlen(text) - 1] != '\n') fputc('\n', to);
    fputs(".fi\n", to);
}

static void write_options(FILE *to, const cli_option *option)
{
    for (; option != NULL && option->name != NULL; option++) {
        fputs(".TP\n\\fB\\-\\-", to);
        roff(to, option->name);
        fputs("\\fR", to);
        if (option->value != NULL) {
            fputs(" \\fI", to);
            roff(to, option->value);
            fputs("\\fR", to);
        }
        fputc('\n', to);
        roff(to, option->help);
        fputc('\n', to);
    }
}

static void title(FILE *to, const char *name, int part, const char *summary)
{
    fprintf(to, ".TH \"%s\" %d \"\" \"jali %s\" \"jali\"\n", name, part, jali_version());
    section(to, "NAME");
    roff(to, name);
    fputs(" \\- ", to);
    roff(to, summary);
    fputc('\n', to);
}

static void verb_page(FILE *to, const cli_verb *verb)
{
    char name[64];
    snprintf(name, sizeof name, "jali-%s", verb->name);
    title(to, name, 1, verb->summary);
    section(to, "SYNOPSIS");
    fputs(".B jali\n", to);
    roff(to, verb->usage);
    fputc('\n', to);
    section(to, "DESCRIPTION");
    roff(to, verb->about);
    fputc('\n', to);
    section(to, "OPTIONS");
    write_options(to, verb->option);
    if (verb->spends) write_options(to, cli_spending);
    write_options(to, cli_common(verb));
    if (verb->example != NULL) {
        section(to, "EXAMPLES");
        literal(to, verb->example);
    }
    section(to, "SEE ALSO");
    fputs(".BR jali (1)\n", to);
}

static void topic_page(FILE *to, const cli_topic *topic)
{
    char name[64];
    snprintf(name, sizeof name, "jali-%s", topic->name);
    title(to, name, 7, topic->summary);
    section(to, "DESCRIPTION");
    literal(to, topic->text);
    section(to, "SEE ALSO");
    fputs(".BR jali (1)\n", to);
}

static void front_page(FILE *to)
{
    title(to, "jali", 1, "answers why over sensitive tables, with differential privacy");
    section(to, "SYNOPSIS");
    fputs(".B jali\n\\fIVERB\\fR ...\n", to);
    section(to, "VERBS");
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        fprintf(to, ".TP\n.BR jali\\-%s (1)\n", cli_verbs[i]->name);
        roff(to, cli_verbs[i]->summary);
        fputc('\n', to);
    }
    section(to, "IDEAS");
    for (const cli_topic *t = cli_topics; t->name != NULL; t++) {
        fputs(".TP\n.BR jali\\-", to);
        roff(to, t->name);
        fputs(" (7)\n", to);
        roff(to, t->summary);
        fputc('\n', to);
    }
    section(to, "EXIT STATUS");
    literal(to, cli_find_topic("exit-codes")->text);
}

static FILE *open_page(const char *folder, int part, const char *name, jali_err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/man%d", folder, part);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/man%d/jali%s%s.%d", folder, part, name[0] ? "-" : "", name,
             part);
    FILE *to = fopen(path, "w");
    if (to == NULL) {
        *err = (jali_err){ .code = JALI_E_ENGINE, .reader = JALI_FOR_CURATOR };
        snprintf(err->text, sizeof err->text, "%.300s cannot be written; is the folder there?",
                 path);
    }
    return to;
}

static jali_status run(cli_call *call, jali_err *err)
{
    const char *folder = call->word[0];
    FILE *to = open_page(folder, 1, "", err);
    if (to == NULL) return err->code;
    front_page(to);
    fclose(to);
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        if ((to = open_page(folder, 1, cli_verbs[i]->name, err)) == NULL) return err->code;
        verb_page(to, cli_verbs[i]);
        fclose(to);
    }
    for (const cli_topic *t = cli_topics; t->name != NULL; t++) {
        if ((to = open_page(folder, 7, t->name, err)) == NULL) return err->code;
        topic_page(to, t);
        fclose(to);
    }
    return JALI_OK;
}

static const cli_option none[] = { { 0 } };

const cli_verb cli_manual = {
    .name = "manual",
    .prints = CLI_ITS_OWN,
    .usage = "manual FOLDER",
    .summary = "write the man pages under a folder",
    .about =
        "Writes FOLDER/man1 and FOLDER/man7: a page for each verb and each idea, made from\n"
        "the same tables as --help and jali help. make install does it for you.",
    .option = none,
    .example = "  jali manual demo\n",
    .least = 1,
    .most = 1,
    .run = run,
};
