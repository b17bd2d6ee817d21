/* cli/complete.c — what could stand next on a command line, for the shells' completion.
 *
 * `jali --complete WORD... PART` prints one candidate a line; ":files" asks the shell for file
 * names. It reads public facts of a vault only, and says nothing when something is wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct line {
    const cli_verb *verb;
    int argc; /* words after the verb, the last one unfinished */
    char **argv;
    const char *part, *vault;
} line;

static void offer(const line *l, const char *word)
{
    if (strncmp(word, l->part, strlen(l->part)) == 0) puts(word);
}

/* ---- vaults ---------------------------------------------------------------------------------
 */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Vaults of the folder that is being typed, and folders in which there may be more. */
static void offer_vaults(const line *l)
{
    const char *slash = strrchr(l->part, '/');
    int n = slash == NULL ? 0 : (int)(slash - l->part) + 1;
    char folder[4096], path[8192];
    snprintf(folder, sizeof folder, "%.*s", n, n > 0 ? l->part : "");
    DIR *dir = opendir(n > 0 ? folder : ".");
    if (dir == NULL) return;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        struct stat st;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s%s", folder, e->d_name);
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        bool vault = ends_with(path, ".jali");
        snprintf(path, sizeof path, "%s%s%s", folder, e->d_name, vault ? "" : "/");
        offer(l, path);
    }
    closedir(dir);
}

/* ---- what is in a vault
 * ---------------------------------------------------------------------- */

static json_t *told(jali_status status, jali_doc *doc)
{
    char *text = NULL;
    jali_style style = { .format = JALI_FORMAT_JSON };
    if (status != JALI_OK) return NULL;
    json_t *value = NULL;
    if (jali_doc_render(doc, &style, &text, NULL) == JALI_OK) value = json_loads(text, 0, NULL);
    jali_free(text);
    jali_doc_free(doc);
    return value;
}

static void offer_releases(const line *l)
{
    jali_doc *doc = NULL;
    jali_status status = jali_vault_releases(l->vault, &doc, NULL);
    json_t *row, *value = told(status, doc);
    size_t i;
    json_array_foreach(json_object_get(value, "rows"), i, row)
        offer(l, json_string_value(json_object_get(row, "release")));
    json_decref(value);
}

static void offer_groups_of(const line *l, const char *column, const json_t *field)
{
    json_t *values = json_object_get(json_object_get(field, "constraints"), "enum"), *v;
    size_t i;
    json_array_foreach(values, i, v)
    {
        char word[512];
        if (!json_is_string(v)) continue;
        const char *value = json_string_value(v);
        if (column == NULL)
            snprintf(word, sizeof word, "%s", value);
        else
            snprintf(word, sizeof word, "%s=%s", column, value);
        offer(l, word);
    }
}

/* A column, after those of a list that are already there: "age,b" becomes "age,bmi". */
static void offer_listed(const line *l, const char *name)
{
    const char *comma = strrchr(l->part, ',');
    char word[1024];
    snprintf(word, sizeof word, "%.*s%s", comma == NULL ? 0 : (int)(comma - l->part) + 1,
             l->part, name);
    offer(l, word);
}

typedef enum wanted { COLUMNS, PAIRS, GROUPS } wanted; /* names; name=value; values */

static void offer_columns(const line *l, wanted what)
{
    jali_doc *doc = NULL;
    jali_status status = jali_vault_show(l->vault, &doc, NULL);
    json_t *row, *value = told(status, doc);
    json_t *fields = json_object_get(json_object_get(value, "schema"), "fields");
    size_t i;
    json_array_foreach(what == COLUMNS ? json_object_get(value, "rows") : fields, i, row)
    {
        const char *name =
            json_string_value(json_object_get(row, what == COLUMNS ? "column" : "name"));
        if (name == NULL) continue;
        if (what == COLUMNS)
            offer_listed(l, name);
        else
            offer_groups_of(l, what == PAIRS ? name : NULL, row);
    }
    json_decref(value);
}

/* ---- words of a usage line
 * ------------------------------------------------------------------- */

static void offer_choices(const line *l, const char *token)
{
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", token);
    for (char *word = strtok_r(copy, "|[]", &rest); word != NULL;
         word = strtok_r(NULL, "|[]", &rest))
        offer(l, word);
}

/* What a word in capitals stands for. */
static void offer_token(const line *l, const char *token)
{
    bool in_vault = l->vault != NULL;
    if (strstr(token, "VAULT") != NULL)
        offer_vaults(l);
    else if (strstr(token, "FILE") != NULL || strstr(token, "FOLDER") != NULL)
        puts(":files");
    else if (in_vault && (strstr(token, "ID") != NULL || strstr(token, "RELEASE") != NULL))
        offer_releases(l);
    else if (in_vault && strstr(token, "COLUMN") != NULL)
        offer_columns(l, COLUMNS);
    else if (in_vault && strstr(token, "GROUP") != NULL)
        offer_columns(l, PAIRS);
    else if (in_vault && strstr(token, "QUESTION") != NULL)
        offer_columns(l, GROUPS);
    else if (strstr(token, "VERB") != NULL)
        for (size_t i = 0; cli_verbs[i] != NULL; i++) offer(l, cli_verbs[i]->name);
    else if (strchr(token, '|') != NULL)
        offer_choices(l, token);
}

/* Words that a usage line does not list as choices: of a verb, at a place after it. */
static const struct {
    const char *verb;
    int place;
    const char *token;
} choices[] = {
    { "contrast", 2, "plan|at|map" },
    { "contrast", 3, "RELEASE" },
    { "mock", 1, "hospital|table|gauss|points" },
    { "model", 2, "pdp|ale|pfi|interaction|shap|plot|rank|add|list|remove" },
    { "schema", 1, "check" },
    { "token", 2, "add|list|revoke" },
    { "budget", 2, "raise|quota|question" },
    { "eval", 1, "cluster|why|profile|contrast|model" },
};

static const char *choice_of(const line *l, int place)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(choices[i].verb, l->verb->name) == 0 && choices[i].place == place)
            return choices[i].token;
    return NULL;
}

/* The i-th word after the verb in its usage line; the last one stands for all that follow. */
static void offer_word(const line *l, int i)
{
    char copy[512], *rest = NULL, *last = NULL;
    snprintf(copy, sizeof copy, "%s", l->verb->usage);
    for (char *t = strtok_r(copy, " ", &rest); t != NULL; t = strtok_r(NULL, " ", &rest)) {
        if (strncmp(t, "--", 2) == 0 || strncmp(t, "[-", 2) == 0) break;
        if (strncmp(t, "...", 3) == 0) continue;
        last = t;
        if (i-- == 0) break; /* the verb itself is the 0th */
    }
    if (last != NULL && (i < 0 || strstr(l->verb->usage, "...") != NULL)) offer_token(l, last);
}

/* ---- options
 * --------------------------------------------------------------------------------- */

static const cli_option *find_in(const cli_option *option, const char *name)
{
    for (; option != NULL && option->name != NULL; option++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

static const cli_option *find(const line *l, const char *word)
{
    if (strcmp(word, "-o") == 0) return find_in(l->verb->option, "output");
    if (strncmp(word, "--", 2) != 0) return NULL;
    const cli_option *o = find_in(l->verb->option, word + 2);
    if (o == NULL && l->verb->spends) o = find_in(cli_spending, word + 2);
    return o != NULL ? o : find_in(cli_common(l->verb), word + 2);
}

static void offer_options(const line *l, const cli_option *option)
{
    for (; option != NULL && option->name != NULL; option++) {
        char word[80];
        snprintf(word, sizeof word, "--%s", option->name);
        offer(l, word);
    }
}

/* Is the value of this option the name of a column, or a list of such? */
static bool takes_columns(const cli_option *option)
{
    static const char *const names[] = { "columns", "feature", "label", "weight", "either" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option->name, names[i]) == 0) return true;
    return false;
}

static void offer_next(line *l)
{
    int words = 0;
    const cli_option *open = NULL; /* an option that still wants its value */
    for (int i = 0; i + 1 < l->argc; i++) {
        const cli_option *o = find(l, l->argv[i]);
        if (o != NULL)
            open = o->value != NULL ? o : NULL;
        else if (open != NULL && !open->many)
            open = NULL;
        else if (open == NULL && words++ == 0)
            l->vault = l->argv[i];
    }
    if (l->part[0] == '-') {
        offer_options(l, l->verb->option);
        if (l->verb->spends) offer_options(l, cli_spending);
        offer_options(l, cli_common(l->verb));
    } else if (open != NULL && l->vault != NULL && takes_columns(open)) {
        offer_columns(l, COLUMNS);
    } else if (open != NULL) {
        offer_token(l, open->value);
    } else {
        const char *token = choice_of(l, words + 1);
        if (token == NULL)
            offer_word(l, words + 1);
        else if (strcmp(token, "RELEASE") == 0)
            offer_releases(l);
        else
            offer_choices(l, token);
    }
}

void cli_complete(int argc, char **argv)
{
    line l = { .argc = argc - 1, .argv = argv + 1, .part = argc > 0 ? argv[argc - 1] : "" };
    bool costs = argc > 1 && strcmp(argv[0], "cost") == 0;
    if (costs) { /* jali cost VERB ... completes as VERB */
        argv++;
        argc--;
        l.argc--;
        l.argv++;
    }
    if (argc <= 1) {
        for (size_t i = 0; cli_verbs[i] != NULL; i++)
            if (!costs || cli_verbs[i]->spends) offer(&l, cli_verbs[i]->name);
        if (!costs) offer(&l, "help");
        return;
    }
    if (strcmp(argv[0], "help") == 0) {
        for (size_t i = 0; cli_verbs[i] != NULL; i++) offer(&l, cli_verbs[i]->name);
        for (const cli_topic *t = cli_topics; t->name != NULL; t++) offer(&l, t->name);
        return;
    }
    l.verb = cli_find_verb(argv[0]);
    if (l.verb != NULL) offer_next(&l);
}

/* ---- the shells' side
 * ------------------------------------------------------------------------ */

static const char bash_script[] =
    "# jali for bash: eval \"$(jali completion bash)\"\n"
    "_jali() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} line\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [ \"$line\" = :files ]; then\n"
    "            compopt -o filenames\n"
    "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- \"$cur\")\n"
    "        else\n"
    "            case $line in */) compopt -o nospace ;; esac\n"
    "            printf -v line %q \"$line\"\n"
    "            COMPREPLY+=(\"${line//\\\\,/,}\") # a comma needs no quote, and hides what was typed\n"
    "        fi\n"
    "    done < <(jali --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _jali jali\n";

static const char zsh_script[] =
    "#compdef jali\n"
    "# jali for zsh: eval \"$(jali completion zsh)\", after compinit\n"
    "_jali() {\n"
    "    local line\n"
    "    for line in ${(f)\"$(jali --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            _files\n"
    "        elif [[ $line == */ ]]; then\n"
    "            compadd -S '' -- \"$line\"\n"
    "        else\n"
    "            compadd -- \"$line\"\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "compdef _jali jali\n";

static const char fish_script[] =
    "# jali for fish: jali completion fish | source\n"
    "function __jali_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in (jali --complete $words[2..-1] 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c jali -f -a '(__jali_complete)'\n";

static jali_status run(cli_call *call, jali_err *err)
{
    const char *shell = call->word[0];
    const char *script = strcmp(shell, "bash") == 0   ? bash_script
                         : strcmp(shell, "zsh") == 0  ? zsh_script
                         : strcmp(shell, "fish") == 0 ? fish_script
                                                      : NULL;
    if (script == NULL)
        return cli_refuse(err, "completion knows bash, zsh and fish, not \"%.20s\"", shell);
    fputs(script, stdout);
    return JALI_OK;
}

static const cli_option none[] = { { 0 } };

const cli_verb cli_completion = {
    .name = "completion",
    .prints = CLI_ITS_OWN,
    .usage = "completion bash|zsh|fish",
    .summary = "let your shell complete verbs, vaults, columns and release ids",
    .about = "Prints a script for your shell. For bash, put into ~/.bashrc:\n"
             "  eval \"$(jali completion bash)\"\n"
             "for zsh the same with zsh, after compinit; for fish:\n"
             "  jali completion fish | source",
    .option = none,
    .example = "  jali completion bash\n",
    .least = 1,
    .most = 1,
    .run = run,
};
