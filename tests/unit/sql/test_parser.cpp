#include "base/error.h"
#include "sql/ast_alter.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

namespace basalt
{

namespace
{

std::string one_line(const std::string& expression)
{
    return format_query(*parse_expression(expression));
}

std::string column(const std::string& expression)
{
    return column_name(*parse_expression(expression));
}

std::string error_of(const std::string& text, int code = error_codes::SYNTAX_ERROR)
{
    try
    {
        parse_query(text);
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), code) << text;
        return error.message();
    }
    ADD_FAILURE() << "parsed: " << text;
    return {};
}

std::string repeated(const std::string& text, size_t count)
{
    std::string result;
    for (size_t i = 0; i < count; ++i)
        result += text;
    return result;
}

} // namespace

TEST(SqlParser, PrecedenceIsThatOfClickHouse)
{
    EXPECT_EQ(one_line("1 + 2 * 3 - 4"), "(1 + (2 * 3)) - 4");
    EXPECT_EQ(one_line("NOT a = b AND c OR d"), "((NOT (a = b)) AND c) OR d");
    EXPECT_EQ(one_line("-a::Int8"), "-CAST(a, 'Int8')");
    EXPECT_EQ(one_line("-a[1].2"), "-((a[1]).2)");
    EXPECT_EQ(one_line("a || b + c || d"), "concat(a, b + c, d)");
    EXPECT_EQ(one_line("a = b IS NULL"), "(a = b) IS NULL");
    EXPECT_EQ(one_line("a BETWEEN b + 1 AND c AND d"), "((a >= (b + 1)) AND (a <= c)) AND d");
    EXPECT_EQ(one_line("a <=> b = c"), "(a <=> b) = c");
    EXPECT_EQ(one_line("a AND (b AND c)"), "a AND (b AND c)");
    EXPECT_EQ(one_line("a ? b : c"), "if(a, b, c)");
    EXPECT_EQ(one_line("a IN (1) AND b NOT IN (SELECT 1)"), "(a IN (1)) AND (b NOT IN (SELECT 1))");
}

TEST(SqlParser, NumbersAreExact)
{
    const auto literal = [](const std::string& text)
    { return std::static_pointer_cast<AstLiteral>(parse_expression(text)); };
    EXPECT_EQ(literal("18446744073709551615")->unsigned_value, 18446744073709551615u);
    EXPECT_EQ(literal("-9223372036854775808")->signed_value, INT64_MIN);
    EXPECT_EQ(literal("0xFF")->unsigned_value, 255u);
    EXPECT_EQ(literal("0b101")->unsigned_value, 5u);
    EXPECT_EQ(literal("1_000")->unsigned_value, 1000u);
    EXPECT_EQ(literal("0x1p3")->float_value, 8.0);
    EXPECT_EQ(literal("12345678901234567890123")->text, "12345678901234567890123");
    EXPECT_EQ(literal("12345678901234567890123")->literal_kind, LiteralKind::Float64);
    EXPECT_EQ(literal("-0.10")->text, "-0.10");
    EXPECT_EQ(one_line("1.10::Decimal(10, 2)"), "CAST('1.10', 'Decimal(10, 2)')");
    EXPECT_EQ(one_line("[1, 2]::Array(Int8)"), "CAST('[1, 2]', 'Array(Int8)')");
}

TEST(SqlParser, StringsHaveClickHouseEscapes)
{
    const auto value = [](const std::string& text)
    { return std::static_pointer_cast<AstLiteral>(parse_expression(text))->text; };
    EXPECT_EQ(value(R"('a\n\t\\\'b''c')"), "a\n\t\\'b'c");
    EXPECT_EQ(value(R"('\x41\0')"), std::string("A\0", 2));
    EXPECT_EQ(value(R"('100\%')"), "100\\%");
    EXPECT_EQ(value("$x$it's$x$"), "it's");
    EXPECT_EQ(value("x'4142'"), "AB");
    EXPECT_EQ(value("b'01000001'"), "A");
}

TEST(SqlParser, CommentsAndBlanksGoAnywhere)
{
    EXPECT_EQ(format_query(*parse_query("-- a\nSELECT /* b /* nested */ */ 1 # c\n#! d\n, 2;;")),
              "SELECT 1, 2");
}

TEST(SqlParser, ColumnNamesAreThoseOfClickHouse)
{
    const std::pair<const char*, const char*> cases[] = {
        {"1+2", "plus(1, 2)"},
        {"(1,2)", "(1, 2)"},
        {"tuple(1)", "(1)"},
        {"[1, a]", "[1, a]"},
        {"[1.5, 2]", "[1.5, 2.]"},
        {"[true, false]", "[1, 0]"},
        {"-9", "-9"},
        {"-(9)", "negate(9)"},
        {"1e10", "10000000000."},
        {"1e-7", "1e-7"},
        {"a::Int8", "CAST(a, 'Int8')"},
        {"a = 1 AND b OR NOT c", "or(and(equals(a, 1), b), not(c))"},
        {"a IN (1, 2+3)", "in(a, (1, plus(2, 3)))"},
        {"arrayMap((x, y) -> x + y, a, b)", "arrayMap(lambda(tuple(x, y), plus(x, y)), a, b)"},
        {"quantiles(0.5, 0.9)(a)", "quantiles(0.5, 0.9)(a)"},
        {"count(*)", "count()"},
        {"COUNT(DISTINCT a)", "COUNTDistinct(a)"},
        {"sum(a) FILTER (WHERE b > 1)", "sumIf(a, greater(b, 1))"},
        {"sum(a) OVER (PARTITION BY b ORDER BY c DESC)",
         "sum(a) OVER (PARTITION BY b ORDER BY c DESC)"},
        {"CASE a WHEN 1 THEN 'x' END", "caseWithExpression(a, 1, 'x', NULL)"},
        {"now() - INTERVAL 1 HOUR", "minus(now(), toIntervalHour(1))"},
        {"(a AS q) + 1", "plus(q, 1)"},
        {"a + 1 AS z", "z"},
        {"t.1", "tupleElement(t, 1)"},
        {"`a b` + 1", "plus(a b, 1)"},
        {"trim(BOTH 'a' FROM s)", "trimBoth(s, 'a')"},
        {"date_add(day, 1, d)", "plus(d, toIntervalDay(1))"},
        {"@@version", "@@version"},
    };
    for (const auto& [expression, name] : cases)
        EXPECT_EQ(column(expression), name) << expression;
    EXPECT_EQ(column_name_without_alias(*parse_expression("a + 1 AS z")), "plus(a, 1)");
}

TEST(SqlParser, TypesAreNormalised)
{
    const auto text = [](const std::string& type)
    { return std::static_pointer_cast<AstTypeName>(parse_type(type))->to_text(); };
    EXPECT_EQ(text("Tuple(a Int8,b Array(Nullable( String )))"),
              "Tuple(a Int8, b Array(Nullable(String)))");
    EXPECT_EQ(text("Enum8('x'=1,'y'=-2)"), "Enum8('x' = 1, 'y' = -2)");
    EXPECT_EQ(text("AggregateFunction(quantiles(0.5,0.9),UInt64)"),
              "AggregateFunction(quantiles(0.5, 0.9), UInt64)");
    EXPECT_EQ(text("double precision"), "DOUBLE PRECISION");
    EXPECT_EQ(text("DateTime64(3,'UTC')"), "DateTime64(3, 'UTC')");
    EXPECT_EQ(text("JSON(a.b UInt32, SKIP c, max_dynamic_paths=10)"),
              "JSON(`a.b` UInt32, SKIP c, max_dynamic_paths = 10)");
}

TEST(SqlParser, ErrorsSayWhereAndWhat)
{
    EXPECT_EQ(error_of("SELECT 1 FROM"),
              "Syntax error: failed at position 14 (end of query): . Expected one of: table, table "
              "function, subquery");
    const std::string message = error_of("SELECT 1\nFROM t\nWHERE a b c");
    EXPECT_EQ(message.rfind("Syntax error: failed at position 25 (b) (line 3, col 9): b c", 0), 0u)
        << message;
    EXPECT_NE(message.find("Expected one of: "), std::string::npos);
    EXPECT_EQ(error_of("SELECT (1, 2"),
              "Syntax error: failed at position 8 ((): (1, 2. Unmatched parentheses: (");
    EXPECT_EQ(error_of("SELECT 1)").substr(0, 43), "Syntax error: failed at position 9 ()): ). ");
    EXPECT_EQ(error_of("SELECT 'abc"), "Single quoted string is not closed: Syntax error: failed at "
                                       "position 8 ('abc): 'abc");
    EXPECT_EQ(error_of(";"), "Empty query");
    EXPECT_EQ(error_of("WATCH v", error_codes::NOT_IMPLEMENTED), "WATCH is not implemented");
    EXPECT_NE(error_of("CREATE TABLE t (a Int8) ENGIN = Memory").find("ENGINE"),
              std::string::npos);
}

TEST(SqlParser, DepthIsLimited)
{
    for (const char* open : {"(", "[", "f(", "(SELECT ", "CAST(", "NOT (", "CASE WHEN "})
    {
        const std::string text = "SELECT " + repeated(open, 100000) + "1";
        EXPECT_FALSE(error_of(text, error_codes::TOO_DEEP_RECURSION).empty()) << open;
    }
    // Chains grow to the left without recursion: the height of the tree is limited.
    EXPECT_FALSE(error_of("SELECT 1" + repeated(" + 1", 5000), error_codes::TOO_DEEP_AST).empty());
    EXPECT_FALSE(error_of("SELECT a" + repeated("[1]", 5000), error_codes::TOO_DEEP_AST).empty());
    EXPECT_FALSE(error_of("SELECT a" + repeated("::Int8", 5000), error_codes::TOO_DEEP_AST).empty());
    EXPECT_FALSE(
        error_of("SELECT a" + repeated(" IS NULL", 5000), error_codes::TOO_DEEP_AST).empty());
    EXPECT_FALSE(error_of("SELECT a::" + repeated("Array(", 100000),
                          error_codes::TOO_DEEP_RECURSION)
                     .empty());
    EXPECT_FALSE(
        error_of("SELECT a" + repeated(" BETWEEN 1 AND 2", 100), error_codes::TOO_BIG_AST).empty());
    // One operator with many operands is flat.
    EXPECT_NO_THROW(parse_query("SELECT a" + repeated(" OR a", 100000)));
    EXPECT_NO_THROW(parse_query("SELECT a" + repeated(" || a", 100000)));
    ParserLimits wide;
    wide.max_depth = 0;
    wide.max_height = 0;
    wide.max_backtracks = 0;
    const auto deep = [&](const std::string& text)
    {
        try
        {
            format_query(*parse_query(text, wide)->clone());
        }
        catch (const Error&)
        {
        }
    };
    deep("SELECT " + repeated("(", 1400) + "1" + repeated(")", 1400));
    deep("SELECT " + repeated("f(", 1900) + "1" + repeated(")", 1900));
    deep("SELECT " + repeated("(SELECT ", 600) + "1" + repeated(")", 600));
    deep("SELECT 1" + repeated(" + 1", 1900));
}

TEST(SqlParser, NestingIsNotExponential)
{
    const std::string open = repeated("(", 200);
    const std::string close = repeated(")", 200);
    EXPECT_NO_THROW(parse_query("SELECT " + open + "1" + close));
    EXPECT_NO_THROW(parse_query("SELECT " + repeated("((", 100) + "SELECT 1" + repeated("))", 100)));
    EXPECT_THROW(parse_query("SELECT " + open + "1"), Error);
    EXPECT_THROW(parse_query("SELECT " + repeated("interval - ", 60) + "1 FROM ("), Error);
}

TEST(SqlParser, InsertStopsAtTheData)
{
    const auto insert = [](const std::string& text)
    { return std::static_pointer_cast<AstInsert>(parse_query(text)); };
    const std::string values = "INSERT INTO t (a, b) VALUES (1, 'not closed";
    EXPECT_EQ(insert(values)->format, "Values");
    EXPECT_EQ(insert(values)->data_offset, values.find("(1"));
    EXPECT_TRUE(insert(values)->has_inline_data);
    const std::string json = "INSERT INTO db.t FORMAT JSONEachRow\n{\"a\": 'x}";
    EXPECT_EQ(insert(json)->data_offset, json.find('{'));
    EXPECT_EQ(insert(json)->target.database, "db");
    EXPECT_FALSE(insert("INSERT INTO t VALUES")->has_inline_data);
    EXPECT_FALSE(insert("INSERT INTO t SELECT 1")->has_inline_data);
    const auto infile = insert("INSERT INTO t FROM INFILE 'f' FORMAT CSV");
    EXPECT_FALSE(infile->has_inline_data);
    EXPECT_NE(infile->infile, nullptr);
}

TEST(SqlParser, ScriptsAreReadOneStatementAtATime)
{
    const std::string script = "SELECT 1; -- one\nINSERT INTO t VALUES (1, ';'), (2, 'x');\n"
                               "INSERT INTO t FORMAT CSV\n1,a\n2,b\n\nSELECT 2;\n-- end";
    size_t at = 0;
    std::vector<std::string> seen;
    std::vector<std::string> data;
    while (true)
    {
        const ParsedStatement one = parse_statement(script, at);
        at = one.next;
        if (one.ast == nullptr)
            break;
        seen.push_back(format_query(*one.ast));
        if (one.has_inline_data)
            data.push_back(script.substr(one.data_begin, one.data_end - one.data_begin));
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"SELECT 1", "INSERT INTO t FORMAT Values",
                                              "INSERT INTO t FORMAT CSV", "SELECT 2"}));
    EXPECT_EQ(data, (std::vector<std::string>{"(1, ';'), (2, 'x')", "1,a\n2,b\n"}));
}

TEST(SqlParser, SetOperationsNestByPrecedence)
{
    EXPECT_EQ(format_query(*parse_query("SELECT 1 EXCEPT SELECT 2 INTERSECT SELECT 3")),
              "SELECT 1 EXCEPT (SELECT 2 INTERSECT SELECT 3)");
    EXPECT_EQ(format_query(*parse_query("SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3")),
              "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3");
}

TEST(SqlParser, PrimaryKeyOfColumnsIsThatOfTheStorage)
{
    const auto create = std::static_pointer_cast<AstCreateTable>(
        parse_query("CREATE TABLE t (a Int8 PRIMARY KEY, b Int8) ENGINE = MergeTree"));
    ASSERT_NE(create->storage, nullptr);
    EXPECT_EQ(format_query(*create->storage->as<AstStorage>()->primary_key), "tuple(a)");
    error_of("CREATE TABLE t (a Int8 PRIMARY KEY) ENGINE = MergeTree PRIMARY KEY a",
             error_codes::BAD_ARGUMENTS);
}

TEST(SqlParser, SecretsAreHidden)
{
    const auto masked = [](const std::string& text) { return format_query_masked(*parse_query(text)); };
    EXPECT_EQ(masked("SELECT * FROM mysql('h', 'd', 't', 'u', 'secret')"),
              "SELECT * FROM mysql('h', 'd', 't', 'u', '[HIDDEN]')");
    EXPECT_EQ(masked("CREATE USER u IDENTIFIED BY 'secret'").find("secret"), std::string::npos);
    EXPECT_EQ(masked("CREATE DATABASE d ENGINE = MaterializedPostgreSQL('h', 'd', 'u', 'secret')")
                  .find("secret"),
              std::string::npos);
}

TEST(SqlParser, MultilineFormIsThatOfClickHouse)
{
    EXPECT_EQ(format_query_multiline(*parse_query(
                  "SELECT a, b FROM (SELECT 1) AS t WHERE a GROUP BY a, b ORDER BY a LIMIT 1")),
              "SELECT\n    a,\n    b\nFROM\n(\n    SELECT 1\n) AS t\nWHERE a\nGROUP BY\n    a,\n"
              "    b\nORDER BY a ASC\nLIMIT 1");
    EXPECT_EQ(format_query_multiline(*parse_query(
                  "CREATE TABLE t (a Int8, b String) ENGINE = MergeTree ORDER BY a")),
              "CREATE TABLE t\n(\n    `a` Int8,\n    `b` String\n)\nENGINE = MergeTree\nORDER BY a");
}

TEST(SqlParser, ExplainTree)
{
    EXPECT_EQ(explain_tree(*parse_query("SELECT -1, [1, 'a'], x + 1 AS y FROM t WHERE 1.5")),
              "SelectWithUnionQuery (children 1)\n"
              " ExpressionList (children 1)\n"
              "  SelectQuery (children 3)\n"
              "   ExpressionList (children 3)\n"
              "    Literal Int64_-1\n"
              "    Literal Array_[UInt64_1, 'a']\n"
              "    Function plus (alias y) (children 1)\n"
              "     ExpressionList (children 2)\n"
              "      Identifier x\n"
              "      Literal UInt64_1\n"
              "   TablesInSelectQuery (children 1)\n"
              "    TablesInSelectQueryElement (children 1)\n"
              "     TableExpression (children 1)\n"
              "      TableIdentifier t\n"
              "   Literal Float64_1.5\n");
}

} // namespace basalt
