/* audit/cases_model.c — tables that an explanation of a model could betray somebody in. */
#include "audit/cases.h"

#define BOUNDS "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}"
#define FIELDS "{\"name\":\"x\"," BOUNDS ",{\"name\":\"y\"," BOUNDS "]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define ROWS "x,y\n4*10,0\n4*20,10\n"
#define FAR "100,100\n"
#define MODEL(kind)                                                                            \
    "model", "VAULT", kind, "--model", "command:awk -F, 'NR>1{print ($1>50)}'", "--columns",   \
        "x,y", "--declared", "public", "--bounds", "0:1"

const jali_audit_case jali_case_model[] = {
    { .name = "model.pdp",
      .verb = "model",
      .tries = "the only row where the model says yes",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .command = { MODEL("pdp"), "--feature", "y", "--resolution", "3", "--epsilon", "1" },
      .runs = 200 },
    { .name = "model.ale",
      .verb = "model",
      .tries = "the only row of an interval",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .command = { MODEL("ale"), "--feature", "x", "--resolution", "3", "--epsilon", "1" },
      .runs = 200 },
    { .name = "model.pfi",
      .verb = "model",
      .tries = "a label that the model misses by the most",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "0,100\n",
      .delta = "0",
      .command = { MODEL("pfi"), "--label", "y", "--epsilon", "1" },
      .runs = 200 },
    { .name = "model.rank",
      .verb = "model",
      .tries = "the only row where the model says yes, in one of four blocks",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { MODEL("rank"), "--label", "y", "--blocks", "4", "--rho", "0.3" },
      .runs = 200 },
    { .name = NULL },
};
