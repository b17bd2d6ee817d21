/* cli/contrast.c — jali contrast: plan centres, ask what one here would cost, draw the map. */
#include "cli/cli.h"
#include <string.h>

static const cli_option options[] = {
    { "columns", "X,Y", "plan: the coordinates", false },
    { "centres", "K", "plan: how many", false },
    { "objective", "O", "plan: median (distances, the default) or means (squares)", false },
    { "weight", "W", "plan: a column that says how many people a row stands for", false },
    { "bounds", "B", "plan: a smaller box, LOW:HIGH for each column with commas between",
      false },
    { "cells", "N", "plan: about how many cells of the coreset (default: 1500)", false },
    { "tight", NULL, "plan: the data fill the box; a grid instead of a tree", false },
    { "file", "CSV", "at: many points, one a line", false },
    { "grid", "N", "map: cells along the longer side (default: 64)", false },
    { 0 },
};

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    jali_centres q = { .spend = *spend,
                       .columns = cli_value(call, "columns"),
                       .weight = cli_value(call, "weight"),
                       .centres = cli_value(call, "centres"),
                       .objective = cli_value(call, "objective"),
                       .bounds = cli_value(call, "bounds"),
                       .cells = cli_value(call, "cells"),
                       .tight = cli_flag(call, "tight") };
    return jali_vault_centres(&q, out, err);
}

static jali_status ask(cli_call *call, unsigned grid, jali_err *err)
{
    jali_doc *doc;
    jali_contrast_query q = { .vault = call->word[0],
                              .release = call->word[2],
                              .confidence = cli_value(call, "confidence"),
                              .word = call->word + 3,
                              .n_words = call->n_words - 3,
                              .file = cli_value(call, "file"),
                              .grid = grid };
    jali_status status = jali_vault_contrast(&q, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

static jali_status draw_map(cli_call *call, jali_err *err)
{
    unsigned grid = 64;
    jali_status status = cli_count(call, "grid", 2, 512, &grid, err);
    if (status != JALI_OK) return status;
    if (call->n_words > 3) return cli_refuse(err, "map takes a release and no points");
    return ask(call, grid, err);
}

static jali_status run(cli_call *call, jali_err *err)
{
    const char *what = call->word[1];
    if (strcmp(what, "plan") == 0 && call->n_words == 2) return cli_spend(call, request, err);
    if (call->quote)
        return cli_refuse(err, "only contrast plan costs something: jali cost contrast VAULT "
                               "plan ...");
    if (strcmp(what, "at") == 0 && call->n_words > 2) return ask(call, 0, err);
    if (strcmp(what, "map") == 0 && call->n_words > 2) return draw_map(call, err);
    static const char *const known[] = { "plan", "at", "map" };
    return cli_refuse_word(
        err, "contrast knows VAULT plan, VAULT at RELEASE X Y and VAULT map RELEASE", what, 3,
        known);
}

const cli_verb cli_contrast = {
    .name = "contrast",
    .usage = "contrast VAULT plan --columns X,Y --centres K --epsilon E | at RELEASE X Y ... | "
             "map RELEASE",
    .summary = "centres for points, and what it would cost to put one here",
    .about =
        "plan places K centres so that the total distance of all rows to the nearest is least,\n"
        "from a private summary of where rows are, and stores it. at answers, for free, how\n"
        "much the total would rise if one centre had to be at a point; map draws it everywhere.\n"
        "An answer depends on the plan and its own point alone.",
    .option = options,
    .spends = true,
    .example = "  jali contrast demo/places.jali plan --columns x,y --centres 5 --epsilon 1 "
               "--yes\n  jali contrast demo/places.jali at k1 30 60\n"
               "  jali contrast demo/places.jali map k1 --grid 64\n",
    .least = 2,
    .most = CLI_MAX_WORDS,
    .run = run,
};
