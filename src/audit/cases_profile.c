/* audit/cases_profile.c — tables that profile could betray somebody in. */
#include "audit/cases.h"

#define FIELDS                                                                                 \
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"p\",\"q\",\"r\"]}},"     \
    "{\"name\":\"x\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"           \
    "{\"name\":\"y\",\"type\":\"string\",\"constraints\":{\"enum\":[\"c\",\"d\"]}}]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define PERSONS                                                                                \
    "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["            \
    "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
#define RULES "{\"rules\":[\"g = 'p'\",\"g = 'q'\"]}"
#define ROWS "g,x,y\np,a,c\np,b,d\nq,a,c\nq,a,d\n"
#define PROFILE "profile", "VAULT", RULES

const jali_audit_case jali_case_profile[] = {
    { .name = "profile.choice",
      .verb = "profile",
      .tries = "a row that makes one attribute tell more",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "q,a,c\n",
      .delta = "0",
      .command = { PROFILE, "--epsilon", "3" },
      .runs = JALI_RUNS_MOST },
    { .name = "profile.empty",
      .verb = "profile",
      .tries = "the only row of a cluster",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "0",
      .command = { PROFILE, "--epsilon", "3" },
      .runs = JALI_RUNS_MANY },
    { .name = "profile.zcdp",
      .verb = "profile",
      .tries = "the same with Gaussian histograms",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "1e-6",
      .command = { PROFILE, "--rho", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "profile.paper",
      .verb = "profile",
      .tries = "two stages, as published and corrected",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "0",
      .command = { PROFILE, "--epsilon", "3", "--method", "paper", "--candidates", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "profile.two",
      .verb = "profile",
      .tries = "two attributes a cluster",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "1e-6",
      .command = { PROFILE, "--rho", "2", "--per-cluster", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "profile.null",
      .verb = "profile",
      .tries = "a row without values",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = ",,\n",
      .delta = "0",
      .command = { PROFILE, "--epsilon", "3" },
      .runs = JALI_RUNS_SOME },
    { .name = "profile.person",
      .verb = "profile",
      .tries = "a person with rows in all clusters",
      .schema = PERSONS FIELDS,
      .rows = "id,g,x,y\n1,p,a,c\n2,p,b,d\n3,q,a,c\n",
      .person = "7,p,a,d\n7,q,a,d\n7,r,a,d\n7,r,b,d\n",
      .delta = "0",
      .command = { PROFILE, "--epsilon", "3" },
      .runs = JALI_RUNS_SOME },
    { .name = NULL },
};
