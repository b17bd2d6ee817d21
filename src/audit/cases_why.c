/* audit/cases_why.c — tables that why could betray somebody in. Both sides explain the same
 * released answer. */
#include "audit/cases.h"

#define SCHEMA                                                                                 \
    "{\"name\":\"t\",\"fields\":["                                                             \
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"           \
    "{\"name\":\"k\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\",\"w\"]}},"     \
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}"
#define ROWS "g,k,x\n3*a,u,100\na,v,50\n2*b,u,0\nb,v,50\n"
#define ASK(what, currency, price)                                                             \
    {                                                                                          \
        "ask", "VAULT", "SELECT g, " what " FROM t GROUP BY g", currency, price                \
    }

const jali_audit_case jali_case_why[] = {
    { .name = "why.average",
      .verb = "why",
      .tries = "a value at its bound in an average",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "b,u,100\n",
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { "why", "VAULT", "r1", "a > b", "--rho", "0.3" },
      .runs = 400 },
    { .name = "why.group",
      .verb = "why",
      .tries = "the only row of a group",
      .schema = SCHEMA,
      .rows = "g,k,x\n3*a,u,100\na,v,50\n",
      .person = "b,u,0\n",
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { "why", "VAULT", "r1", "a > b", "--rho", "0.3" },
      .runs = 400 },
    { .name = "why.idle",
      .verb = "why",
      .tries = "the only row that a predicate matches, pure",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,w,100\n",
      .delta = "0",
      .prepare = ASK("SUM(x)", "--epsilon", "1"),
      .command = { "why", "VAULT", "r1", "a > b", "--epsilon", "1" },
      .runs = 400 },
    { .name = "why.search",
      .verb = "why",
      .tries = "a row more, ranks by noisy searches",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,w,100\n",
      .delta = "1e-6",
      .prepare = ASK("COUNT(*)", "--rho", "1"),
      .command = { "why", "VAULT", "r1", "a > b", "--rho", "0.3", "--ranks", "search" },
      .runs = 400 },
    { .name = "why.person",
      .verb = "why",
      .tries = "a person with more rows than are kept",
      .schema = "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["
                "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
                "\"maximum\":99}},"
                "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\","
                "\"b\"]}},"
                "{\"name\":\"k\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\","
                "\"v\"]}}]}",
      .rows = "id,g,k\n1,a,u\n2,a,v\n3,b,u\n",
      .person = "7,a,u\n7,a,u\n7,a,u\n7,a,u\n7,a,u\n7,a,u\n",
      .delta = "0",
      .prepare = ASK("COUNT(*)", "--epsilon", "1"),
      .command = { "why", "VAULT", "r1", "a > b", "--epsilon", "1", "--columns", "k" },
      .runs = 400 },
    { .name = NULL },
};
