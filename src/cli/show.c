/* cli/show.c — how the program speaks: the answer on stdout, one sentence on stderr. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <langinfo.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Refused here, because a verb that spends would have spent by the time it is written. A price
 * is no query, whatever it is the price of. (JALI_FORMAT_BLOCKS is the server's.) */
static jali_status read_format(cli_call *call, jali_err *err)
{
    static const char *const names[] = {
        [JALI_FORMAT_TABLE] = "table",   [JALI_FORMAT_JSON] = "json",
        [JALI_FORMAT_NDJSON] = "ndjson", [JALI_FORMAT_CSV] = "csv",
        [JALI_FORMAT_MD] = "md",         [JALI_FORMAT_HTML] = "html",
        [JALI_FORMAT_SVG] = "svg",       [JALI_FORMAT_VEGA] = "vega",
        [JALI_FORMAT_SQL] = "sql"
    };
    const char *asked = cli_value(call, "format");
    bool query = call->verb->prints == CLI_OR_QUERY && !call->quote;
    for (size_t i = 0; asked != NULL && i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && strcmp(asked, names[i]) == 0 &&
            (query || i != JALI_FORMAT_SQL)) {
            call->style.format = (jali_format)i;
            return JALI_OK;
        }
    if (asked == NULL) return JALI_OK;
    return cli_refuse(err,
                      "--format %.20s is not known here; take table, json, ndjson, csv, md, "
                      "html, svg, vega or, for a clustering (cluster, release), sql",
                      asked);
}

static bool no_color(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return (none != NULL && none[0] != '\0') || (term != NULL && strcmp(term, "dumb") == 0);
}

jali_status cli_style(cli_call *call, jali_err *err)
{
    struct winsize size = { 0 };
    bool terminal = isatty(STDOUT_FILENO) == 1;
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        call->style.width = size.ws_col;
    call->style.color = terminal && !no_color();
    call->style.ascii = cli_flag(call, "ascii") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    return read_format(call, err);
}

jali_status cli_show(cli_call *call, jali_doc *doc, jali_err *err)
{
    char *text;
    jali_status status = jali_doc_render(doc, &call->style, &text, err);
    jali_doc_free(doc);
    if (status != JALI_OK) return status;
    bool good = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    jali_free(text);
    if (good) return JALI_OK;
    *err = (jali_err){ .code = JALI_E_ENGINE, .reader = JALI_FOR_CURATOR };
    snprintf(err->text, sizeof err->text, "the answer could not be written to standard output");
    return JALI_E_ENGINE;
}

/* The refused line of the text, and a caret under the place. */
static void point(const char *text, unsigned line, unsigned column)
{
    for (; line > 1; line--) {
        text = strchr(text, '\n');
        if (text == NULL) return;
        text++;
    }
    fprintf(stderr, "  %.*s\n  %*s^\n", (int)strcspn(text, "\n"), text, (int)column - 1, "");
}

/* Where the manual says more: always the last line, so that a log has it, too. */
static void see_also(const cli_call *call, const jali_err *err)
{
    static const char *const topic[] = { [JALI_E_BUDGET] = "budget",
                                         [JALI_E_DATA] = "person",
                                         [JALI_E_LEDGER] = "vault",
                                         [JALI_E_INTERNAL] = "exit-codes" };
    const char *page = jali_error_page(err->code), *idea = topic[jali_exit_code(err->code)];
    if (idea != NULL)
        fprintf(stderr, "see: jali help %s, %s\n", idea, page);
    else if (call->verb != NULL)
        fprintf(stderr, "see: jali %s --help, %s\n", call->verb->name, page);
    else
        fprintf(stderr, "see: jali --help, %s\n", page);
}

void cli_complain(const cli_call *call, const jali_err *err)
{
    bool color = isatty(STDERR_FILENO) == 1 && !no_color();
    fprintf(stderr, color ? "\033[1mjali:\033[0m %s\n" : "jali: %s\n", err->text);
    bool ours = err->code == JALI_E_USAGE; /* a file of the vault has places, too */
    if (ours && call->source != NULL && err->column > 0)
        point(call->source, err->line, err->column);
    see_also(call, err);
}

const char *cli_who(const cli_call *call)
{
    const char *name = cli_value(call, "as");
    if (name != NULL) return name;
    const struct passwd *me = getpwuid(getuid());
    return me != NULL && me->pw_name[0] != '\0' ? me->pw_name : "nobody";
}

int64_t cli_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
