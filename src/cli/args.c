/* cli/args.c — a command line, taken apart by its verb's own table of options. */
#include "cli/cli.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS "table|json|ndjson|csv|md|html|svg|vega"
static const char how[] = "how to print the answer", drawn[] = "draw with plain characters",
                  who[] = "who asks (default: your login name)", page[] = "this page";
static const cli_option document[] = {
    { "format", FORMATS, how, false },
    { "ascii", NULL, drawn, false },
    { "as", "NAME", who, false },
    { "help", NULL, page, false },
    { 0 },
};
static const cli_option or_query[] = {
    { "format", FORMATS "|sql", how, false },
    { "ascii", NULL, drawn, false },
    { "as", "NAME", who, false },
    { "help", NULL, page, false },
    { 0 },
};
static const cli_option its_own[] = { { "help", NULL, page, false }, { 0 } };

const cli_option *cli_common(const cli_verb *verb)
{
    return verb->prints == CLI_ITS_OWN    ? its_own
           : verb->prints == CLI_OR_QUERY ? or_query
                                          : document;
}

jali_status cli_refuse(jali_err *err, const char *fmt, ...)
{
    va_list ap;
    *err = (jali_err){ .code = JALI_E_USAGE, .reader = JALI_FOR_ANALYST };
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return JALI_E_USAGE;
}

jali_status cli_refuse_word(jali_err *err, const char *there_is, const char *word, size_t n,
                            const char *const *known)
{
    const char *near = jali_nearest(word, known, n);
    if (near != NULL)
        return cli_refuse(err, "%s, not \"%.20s\"; did you mean \"%s\"?", there_is, word, near);
    return cli_refuse(err, "%s, not \"%.20s\"", there_is, word);
}

jali_status cli_whole(const cli_call *call, const char *name, uint64_t least, uint64_t most,
                      uint64_t *out, jali_err *err)
{
    const char *text = cli_value(call, name);
    char *end;
    if (text == NULL) return JALI_OK;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (!digits || errno != 0 || n < least || n > most)
        return cli_refuse(err, "--%s %.40s must be a whole number from %llu to %llu", name,
                          text, (unsigned long long)least, (unsigned long long)most);
    *out = n;
    return JALI_OK;
}

jali_status cli_count(const cli_call *call, const char *name, unsigned least, unsigned most,
                      unsigned *out, jali_err *err)
{
    uint64_t n = *out;
    jali_status status = cli_whole(call, name, least, most, &n, err);
    *out = (unsigned)n;
    return status;
}

static const cli_option *find(const cli_option *option, const char *name, size_t n)
{
    for (; option != NULL && option->name != NULL; option++)
        if (strlen(option->name) == n && memcmp(option->name, name, n) == 0) return option;
    return NULL;
}

static jali_status unknown_option(const cli_verb *verb, const char *name, size_t n,
                                  jali_err *err)
{
    const char *known[64];
    char asked[64];
    size_t k = 0;
    for (const cli_option *o = verb->option; o != NULL && o->name != NULL && k < 40; o++)
        known[k++] = o->name;
    for (const cli_option *o = cli_spending; verb->spends && o->name != NULL; o++)
        known[k++] = o->name;
    for (const cli_option *o = cli_common(verb); o->name != NULL; o++) known[k++] = o->name;
    snprintf(asked, sizeof asked, "%.*s", (int)(n < 60 ? n : 60), name);
    const char *near = jali_nearest(asked, known, k);
    if (near != NULL)
        return cli_refuse(err, "%s has no option --%s; did you mean --%s?", verb->name, asked,
                          near);
    return cli_refuse(err, "%s has no option --%s; see jali %s --help", verb->name, asked,
                      verb->name);
}

static jali_status give(cli_call *call, const char *name, const char *value, jali_err *err)
{
    if (call->n_given == CLI_MAX_WORDS) return cli_refuse(err, "too many options");
    call->given[call->n_given].name = name;
    call->given[call->n_given++].value = value;
    return JALI_OK;
}

/* Takes the option at argv[*i] and moves *i to the last word it used. */
static jali_status take_option(cli_call *call, int argc, char **argv, int *i, jali_err *err)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    size_t n = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const cli_option *option = find(call->verb->option, name, n);
    if (option == NULL && call->verb->spends) option = find(cli_spending, name, n);
    if (option == NULL) option = find(cli_common(call->verb), name, n);
    if (option == NULL) return unknown_option(call->verb, name, n, err);
    if (option->value == NULL) {
        if (equals != NULL) return cli_refuse(err, "--%s takes no value", option->name);
        return give(call, option->name, "", err);
    }
    if (!option->many && cli_value(call, option->name) != NULL)
        return cli_refuse(err, "--%s is given twice", option->name);
    if (equals != NULL) return give(call, option->name, equals + 1, err);
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) /* a value like that: --x=--y */
        return cli_refuse(err, "--%s needs a value: --%s %s", option->name, option->name,
                          option->value);
    jali_status status;
    do {
        status = give(call, option->name, argv[++*i], err);
    } while (status == JALI_OK && option->many && *i + 1 < argc &&
             strncmp(argv[*i + 1], "-", 1) != 0);
    return status;
}

static jali_status count_words(const cli_call *call, jali_err *err)
{
    const cli_verb *verb = call->verb;
    if (call->n_words < verb->least)
        return cli_refuse(err, "%s needs more words: jali %s", verb->name, verb->usage);
    if (call->n_words > verb->most)
        return cli_refuse(err, "%s does not know what to do with \"%.60s\": jali %s",
                          verb->name, call->word[verb->most], verb->usage);
    return JALI_OK;
}

/* The long name of -o and -n, where the verb has it. */
static const char *short_option(const cli_verb *verb, const char *word)
{
    const char *name = strcmp(word, "-o") == 0   ? "output"
                       : strcmp(word, "-n") == 0 ? "rows"
                                                 : NULL;
    return name != NULL && find(verb->option, name, strlen(name)) != NULL ? name : NULL;
}

jali_status cli_read(cli_call *call, const cli_verb *verb, int argc, char **argv, jali_err *err)
{
    *call = (cli_call){ .verb = verb, .crew = call->crew, .threads = call->threads };
    bool options = true;
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && strncmp(argv[i], "--", 2) == 0) {
            jali_status status = take_option(call, argc, argv, &i, err);
            if (status != JALI_OK) return status;
        } else if (options && short_option(verb, argv[i]) != NULL) {
            const char *name = short_option(verb, argv[i]);
            if (i + 1 >= argc) return cli_refuse(err, "%s needs a value", argv[i]);
            if (cli_value(call, name) != NULL)
                return cli_refuse(err, "--%s is given twice", name);
            jali_status status = give(call, name, argv[++i], err);
            if (status != JALI_OK) return status;
        } else if (call->n_words < CLI_MAX_WORDS) {
            call->word[call->n_words++] = argv[i];
        } else {
            return cli_refuse(err, "too many words");
        }
    }
    if (cli_flag(call, "help")) return JALI_OK;
    return count_words(call, err);
}

const char *cli_value(const cli_call *call, const char *name)
{
    for (size_t i = call->n_given; i > 0; i--)
        if (strcmp(call->given[i - 1].name, name) == 0) return call->given[i - 1].value;
    return NULL;
}

size_t cli_values(const cli_call *call, const char *name, const char **out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < call->n_given && n < room; i++)
        if (strcmp(call->given[i].name, name) == 0) out[n++] = call->given[i].value;
    return n;
}

bool cli_flag(const cli_call *call, const char *name)
{
    return cli_value(call, name) != NULL;
}
