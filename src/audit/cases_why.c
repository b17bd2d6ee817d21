/* audit/cases_why.c — tables that why could betray somebody in. Both sides explain the same
 * released answer. */
#include "audit/cases.h"

#define FIELDS                                                                                 \
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"           \
    "{\"name\":\"k\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\",\"w\"]}},"     \
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define PERSONS                                                                                \
    "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["            \
    "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
#define ROWS "g,k,x\n3*a,u,100\na,v,50\n2*b,u,0\nb,v,50\n"
#define ASK(what, currency, price)                                                             \
    {                                                                                          \
        "ask", "VAULT", "SELECT g, " what " FROM t GROUP BY g", currency, price                \
    }
#define WHY "why", "VAULT", "r1", "a > b"
/* The tight family of the proofs (PRIVACY 1.1, 1.2): no row of b outside the predicate, one of
 * a, and the person is the first outside it in b. */
#define TIGHT "g,k,x\n12*a,u,100\na,v,0\n12*b,u,0\n"
#define OUTSIDE "b,v,100\n"

const jali_audit_case jali_case_why[] = {
    { .name = "why.average",
      .verb = "why",
      .tries = "the first row outside a predicate, average",
      .schema = SCHEMA,
      .rows = TIGHT,
      .person = OUTSIDE,
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { WHY, "--rho", "1" },
      .runs = JALI_RUNS_MANY },
    { .name = "why.sum",
      .verb = "why",
      .tries = "the first row outside a predicate, sum, pure",
      .schema = SCHEMA,
      .rows = TIGHT,
      .person = OUTSIDE,
      .delta = "0",
      .prepare = ASK("SUM(x)", "--epsilon", "1"),
      .command = { WHY, "--epsilon", "2" },
      .runs = JALI_RUNS_MOST },
    { .name = "why.count",
      .verb = "why",
      .tries = "the first row outside a predicate, count, pure",
      .schema = SCHEMA,
      .rows = TIGHT,
      .person = OUTSIDE,
      .delta = "0",
      .prepare = ASK("COUNT(*)", "--epsilon", "1"),
      .command = { WHY, "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.group",
      .verb = "why",
      .tries = "the only row of a group",
      .schema = SCHEMA,
      .rows = "g,k,x\n3*a,u,100\na,v,50\n",
      .person = "b,u,0\n",
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { WHY, "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.idle",
      .verb = "why",
      .tries = "the only row that a predicate matches, pure",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "a,w,100\n",
      .delta = "0",
      .prepare = ASK("SUM(x)", "--epsilon", "1"),
      .command = { WHY, "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.search",
      .verb = "why",
      .tries = "the first row outside a predicate, ranks by noisy searches",
      .schema = SCHEMA,
      .rows = TIGHT,
      .person = OUTSIDE,
      .delta = "1e-6",
      .prepare = ASK("COUNT(*)", "--rho", "1"),
      .command = { WHY, "--rho", "1", "--ranks", "search" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.ranges",
      .verb = "why",
      .tries = "a value at its bound, ranges",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "b,u,100\n",
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { WHY, "--rho", "1", "--inequalities" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.weights",
      .verb = "why",
      .tries = "groups with weights",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = "b,u,100\n",
      .delta = "1e-6",
      .prepare = ASK("AVG(x)", "--rho", "1"),
      .command = { "why", "VAULT", "r1", "2 * a > 3 * b", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "why.person",
      .verb = "why",
      .tries = "a person with more rows than are kept",
      .schema = PERSONS FIELDS,
      .rows = "id,g,k,x\n1,a,u,9\n2,a,v,9\n3,b,u,9\n",
      .person = "7,a,u,9\n7,a,u,9\n7,a,u,9\n7,a,u,9\n7,a,u,9\n7,a,u,9\n",
      .delta = "0",
      .prepare = ASK("COUNT(*)", "--epsilon", "1"),
      .command = { WHY, "--epsilon", "2", "--columns", "k" },
      .runs = JALI_RUNS_SOME },
    { .name = NULL },
};
