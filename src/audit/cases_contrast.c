/* audit/cases_contrast.c — tables that contrast's plan could betray somebody in. */
#include "audit/cases.h"

#define BOUNDS "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":15}}"
#define FIELDS "{\"name\":\"x\"," BOUNDS ",{\"name\":\"y\"," BOUNDS "]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define WIDE                                                                                   \
    "{\"name\":\"t\",\"fields\":[{\"name\":\"v\"," BOUNDS ",{\"name\":\"w\"," BOUNDS "," FIELDS
#define PERSONS                                                                                \
    "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["            \
    "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
#define PLAN "contrast", "VAULT", "plan", "--columns", "x,y", "--centres", "2", "--cells", "256"
#define ROWS "x,y\n6*0,0\n6*1,1\n"
#define FAR "15,15\n"

const jali_audit_case jali_case_contrast[] = {
    { .name = "contrast.empty",
      .verb = "contrast",
      .tries = "the only row that is somewhere",
      .schema = SCHEMA,
      .rows = "x,y\n,\n",
      .person = "3,12\n",
      .delta = "0",
      .command = { PLAN, "--epsilon", "2" },
      .runs = JALI_RUNS_MOST },
    { .name = "contrast.far",
      .verb = "contrast",
      .tries = "one point far from all others",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .command = { PLAN, "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "contrast.tight",
      .verb = "contrast",
      .tries = "one point far from all others, on a grid, Gaussian",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { PLAN, "--tight", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "contrast.means",
      .verb = "contrast",
      .tries = "one point far from all others, squares",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { PLAN, "--objective", "means", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "contrast.four",
      .verb = "contrast",
      .tries = "one point far from all others, of four columns",
      .schema = WIDE,
      .rows = "v,w,x,y\n6*0,0,0,0\n6*1,1,1,1\n",
      .person = "15,15,15,15\n",
      .delta = "1e-6",
      .command = { "contrast", "VAULT", "plan", "--columns", "v,w,x,y", "--centres", "2",
                   "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "contrast.weight",
      .verb = "contrast",
      .tries = "one row of the largest weight",
      .schema = WIDE,
      .rows = "v,w,x,y\n6*0,1,0,0\n6*0,1,1,1\n",
      .person = "0,15,15,15\n",
      .delta = "0",
      .command = { PLAN, "--weight", "w", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "contrast.person",
      .verb = "contrast",
      .tries = "a person with more rows than are kept",
      .schema = PERSONS FIELDS,
      .rows = "id,x,y\n1,0,0\n2,1,1\n3,1,0\n",
      .person = "7,15,15\n7,15,14\n7,14,15\n7,14,14\n7,13,15\n7,13,13\n",
      .delta = "0",
      .command = { PLAN, "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = NULL },
};
