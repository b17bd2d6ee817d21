/* audit/cases_model.c — tables that an explanation of a model could betray somebody in. */
#include "audit/cases.h"

#define BOUNDS "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}}"
#define FIELDS "{\"name\":\"x\"," BOUNDS ",{\"name\":\"y\"," BOUNDS "]}"
#define SCHEMA "{\"name\":\"t\",\"fields\":[" FIELDS
#define PERSONS                                                                                \
    "{\"name\":\"t\",\"jali\":{\"person\":\"id\",\"rowsPerPerson\":3},\"fields\":["            \
    "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
#define ROWS "x,y\n4*10,0\n4*20,10\n"
#define FAR "100,100\n"
#define ALIKE "x,y\n8*10,0\n"
#define SAYS "--columns", "x,y", "--declared", "public", "--bounds", "0:1"
#define MODEL(kind) "model", "VAULT", kind, "--model", "GIVEN", SAYS

/* XGBoost's file of one split: 1 where x > 50.5, else 0. In the process, so thousands of runs.
 */
static const char stump[] =
    "{\"learner\":{\"attributes\":{},\"feature_names\":[],\"feature_types\""
    ":[],\"gradient_booster\":{\"model\":{\"gbtree_model_param\":{\"num_par"
    "allel_tree\":\"1\",\"num_trees\":\"1\",\"size_leaf_vector\":\"0\"},\"t"
    "ree_info\":[0],\"trees\":[{\"base_weights\":[-1E-2,-5E-1,5E-1],\"categ"
    "ories\":[],\"categories_nodes\":[],\"categories_segments\":[],\"catego"
    "ries_sizes\":[],\"default_left\":[1,0,0],\"id\":0,\"left_children\":[1"
    ",-1,-1],\"loss_changes\":[2.499E1,0E0,0E0],\"parents\":[2147483647,0,0"
    "],\"right_children\":[2,-1,-1],\"split_conditions\":[5.05E1,-5E-1,5E-1"
    "],\"split_indices\":[0,0,0],\"split_type\":[0,0,0],\"sum_hessian\":[1E"
    "2,5.1E1,4.9E1],\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":"
    "\"2\",\"num_nodes\":\"3\",\"size_leaf_vector\":\"0\"}}]},\"name\":\"gbt"
    "ree\"},\"learner_model_param\":{\"base_score\":\"5E-1\",\"boost_from_a"
    "verage\":\"0\",\"num_class\":\"0\",\"num_feature\":\"2\",\"num_target"
    "\":\"1\"},\"objective\":{\"name\":\"reg:squarederror\",\"reg_loss_param"
    "\":{\"scale_pos_weight\":\"1\"}}},\"version\":[1,7,4]}";

const jali_audit_case jali_case_model[] = {
    { .name = "model.pdp",
      .verb = "model",
      .tries = "the only row where the model says yes",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .file = stump,
      .command = { MODEL("pdp"), "--feature", "y", "--resolution", "3", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.pdp.quantiles",
      .verb = "model",
      .tries = "the only row where the model says yes, grid from the data",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .file = stump,
      .command = { MODEL("pdp"), "--feature", "y", "--resolution", "3", "--grid", "quantiles",
                   "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.ale",
      .verb = "model",
      .tries = "the only row of an interval",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .file = stump,
      .command = { MODEL("ale"), "--feature", "x", "--resolution", "3", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.pfi",
      .verb = "model",
      .tries = "the only row where the model says yes: it borrows, and lends",
      .schema = SCHEMA,
      .rows = ALIKE,
      .person = FAR,
      .delta = "0",
      .file = stump,
      .command = { MODEL("pfi"), "--label", "y", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.pfi.absolute",
      .verb = "model",
      .tries = "the same by absolute errors, Gaussian",
      .schema = SCHEMA,
      .rows = ALIKE,
      .person = FAR,
      .delta = "1e-6",
      .file = stump,
      .command = { MODEL("pfi"), "--label", "y", "--loss", "absolute", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.pfi.person",
      .verb = "model",
      .tries = "a person of several rows that borrow, and lend",
      .schema = PERSONS FIELDS,
      .rows = "id,x,y\n1,10,0\n2,10,0\n3,10,0\n",
      .person = "7,100,100\n7,99,99\n7,98,98\n7,97,97\n",
      .delta = "0",
      .file = stump,
      .command = { MODEL("pfi"), "--label", "y", "--epsilon", "2" },
      .runs = JALI_RUNS_FEW },
    { .name = "model.rank",
      .verb = "model",
      .tries = "the only row where the model says yes, in one of four blocks",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .file = stump,
      .command = { MODEL("rank"), "--label", "y", "--blocks", "4", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.interaction",
      .verb = "model",
      .tries = "the only row where the model says yes, in one of four blocks",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .file = stump,
      .command = { MODEL("interaction"), "--blocks", "4", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.shap",
      .verb = "model",
      .tries = "the only row where the model says yes, in one of two blocks",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .file = stump,
      .command = { MODEL("shap"), "--feature", "x", "--resolution", "3", "--blocks", "2",
                   "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.plot",
      .verb = "model",
      .tries = "the only row where the model says yes, in one of two blocks",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "1e-6",
      .file = stump,
      .command = { MODEL("plot"), "--feature", "x", "--explainer", "pdp", "--range", "0:1",
                   "--resolution", "3", "--blocks", "2", "--rho", "1" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.person",
      .verb = "model",
      .tries = "a person with more rows than are kept",
      .schema = PERSONS FIELDS,
      .rows = "id,x,y\n1,10,0\n2,20,10\n3,10,10\n",
      .person = "7,100,100\n7,99,99\n7,98,98\n7,97,97\n",
      .delta = "0",
      .file = stump,
      .command = { MODEL("pdp"), "--feature", "y", "--resolution", "3", "--epsilon", "2" },
      .runs = JALI_RUNS_SOME },
    { .name = "model.command",
      .verb = "model",
      .tries = "the only row where the model says yes, a command",
      .schema = SCHEMA,
      .rows = ROWS,
      .person = FAR,
      .delta = "0",
      .command = { "model", "VAULT", "pdp", "--model", "command:awk -F, 'NR>1{print ($1>50)}'",
                   SAYS, "--feature", "y", "--resolution", "3", "--epsilon", "2" },
      .runs = JALI_RUNS_FEW },
    { .name = NULL },
};
