#include "binder/binder.h"

#include "base/error.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

const Header kColumns{
    {"a", simple_type(TypeId::UInt64)},
    {"s", simple_type(TypeId::String)},
    {"n", type_from_name("Nullable(Int32)")},
    {"arr", type_from_name("Array(UInt16)")},
    {"t", type_from_name("Tuple(x UInt8, y Tuple(z String))")},
    {"m", type_from_name("Map(String, UInt8)")},
    {"nested.k", type_from_name("Array(String)")},
    {"d", simple_type(TypeId::Date)},
};

ExpressionPtr bind_text(const std::string& text)
{
    static QueryContext context;
    return bind_expression(*parse_expression(text), kColumns, context);
}
std::string type_text(const std::string& text)
{
    return bind_text(text)->type()->name();
}
std::string value_of(const std::string& text)
{
    const ExpressionPtr bound = bind_text(text);
    if (!bound->is_constant())
        return "not constant: " + text;
    return bound->constant_column()->value_at(0).to_text();
}
int error_of(const std::string& text)
{
    try
    {
        bind_text(text);
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

TEST(Binder, LiteralsHaveTheSmallestType)
{
    EXPECT_EQ(type_text("1"), "UInt8");
    EXPECT_EQ(type_text("-1"), "Int8");
    EXPECT_EQ(type_text("300"), "UInt16");
    EXPECT_EQ(type_text("70000"), "UInt32");
    EXPECT_EQ(type_text("-200"), "Int16");
    EXPECT_EQ(type_text("1.5"), "Float64");
    EXPECT_EQ(type_text("18446744073709551615"), "UInt64");
    EXPECT_EQ(type_text("'x'"), "String");
    EXPECT_EQ(type_text("true"), "Bool");
    EXPECT_EQ(type_text("NULL"), "Nullable(Nothing)");
}

TEST(Binder, CallsWithConstantsFold)
{
    EXPECT_EQ(value_of("1 + 2 * 3"), "7");
    EXPECT_EQ(value_of("[1, 2 + 1]"), "[1, 3]");
    EXPECT_EQ(type_text("[1, 300]"), "Array(UInt16)");
    EXPECT_EQ(type_text("(1, 'a')"), "Tuple(UInt8, String)");
    EXPECT_EQ(value_of("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE 'c' END"), "'b'");
    EXPECT_EQ(type_text("CAST(a AS String)"), "String");
    EXPECT_EQ(type_text("a::Nullable(UInt8)"), "Nullable(UInt8)");
}

TEST(Binder, PartsOfValues)
{
    EXPECT_EQ(type_text("t.x"), "UInt8");
    EXPECT_EQ(type_text("t.y.z"), "String");
    EXPECT_EQ(type_text("t.1"), "UInt8");
    EXPECT_EQ(type_text("arr.size0"), "UInt64");
    EXPECT_EQ(type_text("n.null"), "UInt8");
    EXPECT_EQ(type_text("m.keys"), "Array(String)");
    EXPECT_EQ(type_text("m.values"), "Array(UInt8)");
    EXPECT_EQ(type_text("nested.k"), "Array(String)");
    EXPECT_EQ(bind_text("nested.k")->kind(), ExpressionKind::Input);
    EXPECT_EQ(error_of("t.nosuch"), error_codes::UNKNOWN_IDENTIFIER);
    EXPECT_EQ(error_of("a.x"), error_codes::UNKNOWN_IDENTIFIER);
}

TEST(Binder, UnknownNamesGetHints)
{
    try
    {
        bind_text("arrr");
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::UNKNOWN_IDENTIFIER);
        EXPECT_EQ(error.message(),
                  "Unknown expression identifier `arrr`. Maybe you meant: ['arr']");
    }
    try
    {
        bind_text("lengt(s)");
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::UNKNOWN_FUNCTION);
        EXPECT_NE(error.message().find("'length'"), std::string::npos);
    }
    EXPECT_EQ(error_of("length(1)(s)"), error_codes::FUNCTION_CANNOT_HAVE_PARAMETERS);
    EXPECT_EQ(error_of("(SELECT 1)"), error_codes::UNSUPPORTED_METHOD);
    EXPECT_EQ(error_of("x -> x"), error_codes::BAD_ARGUMENTS);
}

TEST(Binder, LambdasSeeTheirParametersAndColumns)
{
    EXPECT_EQ(type_text("arrayMap(x -> x + a, arr)"), "Array(UInt64)");
    EXPECT_EQ(type_text("arrayMap(x -> arrayMap(y -> x + y, [1, 2]), [10, 20])"),
              "Array(Array(UInt16))");
    // Equal lambdas are equal expressions, whatever their parameters are called.
    EXPECT_EQ(bind_text("arrayMap(x -> x + a, arr)")->fingerprint(),
              bind_text("arrayMap(y -> y + a, arr)")->fingerprint());
    EXPECT_EQ(inputs_of({bind_text("arrayMap(s -> s + a, arr)")}),
              (std::vector<std::string>{"a", "arr"}));
    EXPECT_NE(error_of("arrayMap((x, y) -> x, arr)"), 0);
}

TEST(Binder, DeepExpressionsAreRefusedNotCrashed)
{
    AstPtr ast = AstLiteral::unsigned_number(1);
    for (size_t i = 0; i < kMaxBindDepth + 10; ++i)
        ast = make_ast_function("negate", ast);
    QueryContext context;
    try
    {
        bind_expression(*ast, {}, context);
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::TOO_DEEP_RECURSION);
    }
    // A chain this long is also taken apart without deep recursion of destructors mattering.
}

TEST(Binder, ParametersBecomeLiterals)
{
    QueryContext context;
    const QueryParameters values{{"x", "5"}, {"s", "it's"}, {"d", "2020-01-02"}, {"id", "a"}};
    auto text = [&](const std::string& sql)
    {
        AstPtr ast = parse_expression(sql);
        substitute_parameters(ast, values, context);
        return format_query(*ast);
    };
    EXPECT_EQ(text("{x:UInt8} + 1"), "5 + 1");
    EXPECT_EQ(text("{s:String}"), "'it\\'s'");
    EXPECT_EQ(text("{id:Identifier}"), "a");
    EXPECT_EQ(text("{d:Date}"), "_CAST('2020-01-02', 'Date')");
    auto code = [&](const std::string& sql)
    {
        try
        {
            text(sql);
        }
        catch (const Error& error)
        {
            return error.code();
        }
        return 0;
    };
    EXPECT_EQ(code("{nosuch:UInt8}"), error_codes::UNKNOWN_QUERY_PARAMETER);
    EXPECT_EQ(code("{s:UInt8}"), error_codes::BAD_QUERY_PARAMETER);
}

TEST(Binder, NearNames)
{
    EXPECT_EQ(near_names("nubmer", {"number", "n", "numbers", "other"}),
              (std::vector<std::string>{"number"}));
    EXPECT_TRUE(near_names("x", {"abc", "yz"}).empty());
}

} // namespace
} // namespace basalt
