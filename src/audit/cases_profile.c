/* audit/cases_profile.c — tables that profile could betray somebody in. */
#include "audit/cases.h"

#define SCHEMA                                                                                 \
    "{\"name\":\"t\",\"fields\":["                                                             \
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"p\",\"q\",\"r\"]}},"     \
    "{\"name\":\"x\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"           \
    "{\"name\":\"y\",\"type\":\"string\",\"constraints\":{\"enum\":[\"c\",\"d\"]}}]}"
#define RULES "{\"rules\":[\"g = 'p'\",\"g = 'q'\"]}"
#define ROWS "g,x,y\np,a,c\np,b,d\nq,a,c\nq,a,d\n"

const jali_audit_case jali_case_profile[] = {
    { .name = "profile.choice",
      .verb = "profile",
      .tries = "a row that makes one attribute tell more",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "q,a,c\n",
      .delta = "0",
      .command = { "profile", "VAULT", RULES, "--epsilon", "3" },
      .runs = 500 },
    { .name = "profile.empty",
      .verb = "profile",
      .tries = "the only row of a cluster",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "0",
      .command = { "profile", "VAULT", RULES, "--epsilon", "3" },
      .runs = 500 },
    { .name = "profile.zcdp",
      .verb = "profile",
      .tries = "the same with Gaussian histograms",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "1e-6",
      .command = { "profile", "VAULT", RULES, "--rho", "1" },
      .runs = 500 },
    { .name = "profile.paper",
      .verb = "profile",
      .tries = "two stages, as published and corrected",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "r,b,d\n",
      .delta = "0",
      .command = { "profile", "VAULT", RULES, "--epsilon", "3", "--method", "paper",
                   "--candidates", "1" },
      .runs = 500 },
    { .name = NULL },
};
