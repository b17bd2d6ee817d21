/* cli/cli.h — the shape of a verb, and what all verbs share. */
#ifndef JALI_CLI_CLI_H
#define JALI_CLI_CLI_H

#include "jali.h"
#include <stdio.h>

enum { CLI_MAX_WORDS = 1024 }; /* more on one command line is a mistake of a script */

typedef struct cli_option {
    const char *name;  /* without the dashes                                  */
    const char *value; /* what stands for its value in the help; NULL: a flag */
    const char *help;
    bool many; /* may be given again, and takes all words up to the next option */
} cli_option;

typedef struct cli_call cli_call;

/* A document in any format; one that may be a query, too; or words that have no other form. */
typedef enum cli_prints { CLI_DOCUMENT, CLI_OR_QUERY, CLI_ITS_OWN } cli_prints;

typedef struct cli_verb {
    const char *name, *usage, *summary;
    const char *about;        /* a paragraph or two for --help                   */
    const cli_option *option; /* ends with a zeroed one; the common ones come on top */
    const char *example;      /* lines that work on the demo vault               */
    cli_prints prints;        /* which formats it takes                          */
    bool spends;              /* has the options of cli_spending, and a price     */
    size_t least, most;       /* how many words after the verb                   */
    jali_status (*run)(cli_call *call, jali_err *err);
} cli_verb;

extern const cli_option cli_spending[];
const cli_option *cli_common(const cli_verb *verb); /* what all verbs of its kind take */
extern const cli_verb *const cli_verbs[];           /* ends with NULL */
const cli_verb *cli_find_verb(const char *name);

/* One command line, taken apart. */
struct cli_call {
    const cli_verb *verb;
    size_t n_words;
    const char *word[CLI_MAX_WORDS]; /* what is not an option */
    size_t n_given;
    struct {
        const char *name, *value; /* value "" for a flag */
    } given[CLI_MAX_WORDS];
    jali_style style;
    const char *source;    /* the text that a refusal may point into; NULL: none */
    bool quote;            /* jali cost stands in front: tell the price, spend nothing */
    const jali_crew *crew; /* who counts with us; NULL: nobody */
    unsigned threads;      /* 0: one per core */
    int exit_code;         /* for verbs that answer and still do not exit with 0 */
};

/* ---- cli/args.c */
JALI_MUST_USE jali_status cli_read(cli_call *call, const cli_verb *verb, int argc, char **argv,
                                   jali_err *err);
const char *cli_value(const cli_call *call, const char *name); /* the last; NULL: not given */
size_t cli_values(const cli_call *call, const char *name, const char **out, size_t room);
/* A whole number of that range; *out stays as it is where it is not given. */
JALI_MUST_USE jali_status cli_whole(const cli_call *call, const char *name, uint64_t least,
                                    uint64_t most, uint64_t *out, jali_err *err);
JALI_MUST_USE jali_status cli_count(const cli_call *call, const char *name, unsigned least,
                                    unsigned most, unsigned *out, jali_err *err);
bool cli_flag(const cli_call *call, const char *name);
jali_status cli_refuse(jali_err *err, const char *fmt, ...) JALI_PRINTF(2, 3);
/* A word that is none of those `known`: what there is, and the nearest. */
jali_status cli_refuse_word(jali_err *err, const char *there_is, const char *word, size_t n,
                            const char *const *known);

/* ---- cli/show.c */
JALI_MUST_USE jali_status cli_style(cli_call *call, jali_err *err);
/* Prints the document and frees it. */
JALI_MUST_USE jali_status cli_show(cli_call *call, jali_doc *doc, jali_err *err);
void cli_complain(const cli_call *call, const jali_err *err);
const char *cli_who(const cli_call *call); /* --as, or the login name */
int64_t cli_now_ms(void);

/* ---- cli/progress.c: a line on stderr when it is a terminal, silence otherwise. */
typedef struct cli_meter {
    int64_t start_ms;
    bool shown;
} cli_meter;
jali_progress cli_progress(cli_call *call, cli_meter *meter);
void cli_progress_end(cli_meter *meter);

/* ---- cli/spend.c: asks the library, first for a quote when a person has to agree. word[0] is
 * the vault. */
typedef jali_status (*cli_request)(cli_call *call, const jali_spend *spend, jali_doc **out,
                                   jali_err *err);
JALI_MUST_USE jali_status cli_spend(cli_call *call, cli_request request, jali_err *err);

/* ---- cli/cost.c: the verb whose price `jali cost ...` asks for, moved to argv[1]. */
const cli_verb *cli_cost_of(int argc, char **argv);

/* ---- cli/guard.c: true: do the work now, in a child that may be killed at any moment. False:
 * the child is done, its exit code is the call's, and nothing half made is left. */
bool cli_guard(cli_call *call, const char *vault);

/* ---- cli/help.c */
void cli_help(FILE *to);
void cli_help_verb(FILE *to, const cli_verb *verb);

/* ---- cli/topics.c: the ideas behind the verbs; ends with a zeroed one. */
typedef struct cli_topic {
    const char *name, *summary, *text;
} cli_topic;
extern const cli_topic cli_topics[];
const cli_topic *cli_find_topic(const char *name);
void cli_help_topic(FILE *to, const cli_topic *topic);

/* ---- cli/complete.c: prints what could stand in place of the last word. */
void cli_complete(int argc, char **argv);
extern const cli_verb cli_completion, cli_manual;

int cli_main(int argc, char **argv); /* the program: its exit code */
/* The same with others who count (NULL: nobody) and so many threads (0: one per core). */
int cli_run(int argc, char **argv, const jali_crew *crew, unsigned threads);

extern const cli_verb cli_assign, cli_profile;
extern const cli_verb cli_contrast;
extern const cli_verb cli_cluster;
extern const cli_verb cli_ask, cli_audit, cli_cost, cli_eval, cli_release, cli_releases,
    cli_report, cli_why;
extern const cli_verb cli_model, cli_separators;
extern const cli_verb cli_budget, cli_claims, cli_draft, cli_init, cli_ledger, cli_mock,
    cli_schema, cli_serve, cli_token, cli_show_vault;

#endif
