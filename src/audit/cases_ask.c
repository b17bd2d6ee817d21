/* audit/cases_ask.c — tables that ask could betray somebody in. */
#include "audit/cases.h"

#define SCHEMA                                                                                 \
    "{\"name\":\"t\",\"fields\":["                                                             \
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"     \
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}"

#define ROWS "g,x\n6*a,50\n5*b,50\n"

const jali_audit_case jali_case_ask[] = {
    { .name = "ask.count",
      .verb = "ask",
      .tries = "one row more in a group",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,50\n",
      .delta = "1e-6",
      .command = { "ask", "VAULT", "SELECT g, COUNT(*) FROM t GROUP BY g", "--rho", "0.5" },
      .runs = 1500 },
    { .name = "ask.count.pure",
      .verb = "ask",
      .tries = "one row more in a group, pure",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,50\n",
      .delta = "0",
      .command = { "ask", "VAULT", "SELECT g, COUNT(*) FROM t GROUP BY g", "--epsilon", "1" },
      .runs = 800 },
    { .name = "ask.empty",
      .verb = "ask",
      .tries = "the only row of a group",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "c,50\n",
      .delta = "0",
      .command = { "ask", "VAULT", "SELECT g, COUNT(*) FROM t GROUP BY g", "--epsilon", "1" },
      .runs = 800 },
    { .name = "ask.sum",
      .verb = "ask",
      .tries = "a value at the upper bound",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,100\n",
      .delta = "1e-6",
      .command = { "ask", "VAULT", "SELECT SUM(x) FROM t", "--rho", "1" },
      .runs = 800 },
    { .name = "ask.clamp",
      .verb = "ask",
      .tries = "a value far beyond its bounds",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,1000000\n",
      .delta = "0",
      .command = { "ask", "VAULT", "SELECT SUM(x) FROM t", "--epsilon", "1" },
      .runs = 800 },
    { .name = "ask.average",
      .verb = "ask",
      .tries = "a value at the lower bound of an average",
      .schema = SCHEMA,
      .rows = "g,x\n4*a,100\n",
      .person = "a,0\n",
      .delta = "1e-6",
      .command = { "ask", "VAULT", "SELECT g, AVG(x) FROM t GROUP BY g", "--rho", "2" },
      .runs = 800 },
    { .name = "ask.person",
      .verb = "ask",
      .tries = "a person with more rows than are kept",
      .schema = "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["
                "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
                "\"maximum\":99}},"
                "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
                "\"maximum\":100}}]}",
      .rows = "id,x\n1,50\n2,50\n3,50\n",
      .person = "7,100\n7,99\n7,98\n7,97\n7,96\n7,95\n",
      .delta = "1e-6",
      .command = { "ask", "VAULT", "SELECT COUNT(*), SUM(x) FROM t", "--rho", "1" },
      .runs = 800 },
    { .name = NULL },
};
