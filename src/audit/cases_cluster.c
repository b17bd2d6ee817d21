/* audit/cases_cluster.c — tables that a clustering could betray somebody in, method by method.
 */
#include "audit/cases.h"

#define BOUNDS "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}"
#define FIELDS "{\"name\":\"x\"," BOUNDS ",{\"name\":\"y\"," BOUNDS "]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define ROWS "x,y\n5*10,10\n5*12,9\n5*90,10\n"
#define FAR "100,100\n"
#define CLUSTER(method)                                                                        \
    "cluster", "VAULT", "--columns", "x,y", "--method", method, "--clusters", "2"

const jali_audit_case jali_case_cluster[] = {
    { .name = "cluster.refined",
      .verb = "cluster",
      .tries = "one point in an empty corner",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { CLUSTER("refined"), "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.two",
      .verb = "cluster",
      .tries = "the second row of a table",
      .schema = SCHEMA,
      .rows = "x,y\n0,0\n",
      .person = FAR,
      .delta = "1e-6",
      .command = { "cluster", "VAULT", "--columns", "x,y", "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.person",
      .verb = "cluster",
      .tries = "a person with more rows than are kept",
      .schema = "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["
                "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
                "\"maximum\":99}}," FIELDS,
      .rows = "id,x,y\n1,10,10\n2,12,9\n3,90,10\n",
      .person = "7,100,100\n7,100,99\n7,99,100\n7,99,99\n7,98,98\n7,97,97\n",
      .delta = "1e-6",
      .command = { CLUSTER("refined"), "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.dpm",
      .verb = "cluster",
      .tries = "one point in an empty corner",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { "cluster", "VAULT", "--columns", "x,y", "--method", "dpm", "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.lloyd",
      .verb = "cluster",
      .tries = "one point in an empty corner",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { CLUSTER("lloyd"), "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.lsh",
      .verb = "cluster",
      .tries = "one point in an empty corner",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { CLUSTER("lsh"), "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.cover",
      .verb = "cluster",
      .tries = "one point in an empty corner",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .command = { CLUSTER("cover"), "--rho", "0.3" },
      .runs = 300 },
    { .name = "cluster.grid",
      .verb = "cluster",
      .tries = "one point in an empty corner, pure",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .command = { CLUSTER("grid"), "--epsilon", "1" },
      .runs = 300 },
    { .name = "cluster.modes",
      .verb = "cluster",
      .tries = "the only row of a category",
      .schema = "{\"name\":\"t\",\"fields\":["
                "{\"name\":\"x\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\","
                "\"c\"]}},"
                "{\"name\":\"y\",\"type\":\"string\",\"constraints\":{\"enum\":[\"d\",\"e\","
                "\"f\"]}}]}",
      .rows = "x,y\n5*a,d\n5*b,e\n",
      .person = "c,f\n",
      .delta = "1e-6",
      .command = { CLUSTER("modes"), "--rho", "0.3" },
      .runs = 300 },
    { .name = NULL },
};
