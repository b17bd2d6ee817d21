/* table/where_refuse.c — what a condition may not say, and what to write instead. */
#include "table/where_refuse.h"

jali_status jali_where_refuse(const jali_sql *sql, const json_t *node, jali_err *err)
{
    static const struct {
        const char *kind, *words;
    } known[] = {
        { "A_Expr", "nothing can be computed here: compare a column with one constant (a name "
                    "that is not a plain word needs double quotes, as in \"net-pay\")" },
        { "SubLink", "a subquery cannot be asked here: write the constants themselves" },
        { "FuncCall", "a function cannot be asked here: compare the column itself with a "
                      "constant" },
        { "CoalesceExpr", "COALESCE cannot be asked here: write x = 1 OR x IS NULL" },
        { "CaseExpr", "CASE cannot be asked here: write it with AND, OR and NOT" },
        { "TypeCast", "a cast cannot be asked here: write the constant as the column's own "
                      "type has it" },
        { "ParamRef", "a parameter has no value here: write the constant itself" },
        { "RowExpr", "rows cannot be compared: write one comparison a column, joined by AND" },
        { "A_ArrayExpr", "an array cannot be asked here: write IN (...)" },
        { "SQLValueFunction",
          "the time of asking cannot be asked here: write the date itself" },
        { "CollateClause", "COLLATE cannot be asked here: leave it out" },
        { "A_Indirection", "a part of a column cannot be asked for: name the column itself" },
        { "ColumnRef",
          "a column cannot be compared with a column: compare it with a constant" },
        { "A_Const",
          "a constant cannot be compared with a constant: compare a column with it" },
    };
    const char *kind = jali_sql_kind(node, NULL);
    for (size_t i = 0; kind != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].kind, kind) == 0)
            return jali_sql_refuse(sql, node, err, "%s", known[i].words);
    return jali_sql_refuse(sql, node, err,
                           "this cannot be asked here: compare columns with constants, joined "
                           "by AND, OR and NOT");
}

jali_status jali_where_refuse_operator(const jali_sql *sql, const json_t *node,
                                       const char *kind, const char *name, jali_err *err)
{
    static const struct {
        const char *kind, *words;
    } known[] = {
        { "AEXPR_LIKE", "patterns cannot be asked for: list the values, as in IN ('a', 'b')" },
        { "AEXPR_ILIKE", "patterns cannot be asked for: list the values, as in IN ('a', 'b')" },
        { "AEXPR_SIMILAR", "patterns cannot be asked for: list the values with IN" },
        { "AEXPR_DISTINCT", "IS DISTINCT FROM is not known here: write x <> 1 OR x IS NULL" },
        { "AEXPR_NOT_DISTINCT", "IS NOT DISTINCT FROM is not known here: write x = 1" },
        { "AEXPR_BETWEEN_SYM", "write BETWEEN with the smaller constant first" },
        { "AEXPR_NOT_BETWEEN_SYM", "write NOT BETWEEN with the smaller constant first" },
        { "AEXPR_OP_ANY", "write IN (...) in place of = ANY" },
        { "AEXPR_OP_ALL", "write NOT IN (...) in place of <> ALL" },
        { "AEXPR_NULLIF", "NULLIF cannot be asked here: write it with AND and OR" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].kind, kind) == 0)
            return jali_sql_refuse(sql, node, err, "%s", known[i].words);
    return jali_sql_refuse(sql, node, err,
                           "%.20s cannot be computed here: compare a column with one constant "
                           "by =, <>, <, <=, > or >=",
                           name);
}
