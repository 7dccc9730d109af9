#include "binder/binder.h"

#include "base/error.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

const Header kColumns{
    {"a", simple_type(TypeId::UInt8)},
    {"n", type_from_name("Nullable(Int32)")},
    {"arr", type_from_name("Array(UInt16)")},
    {"d", simple_type(TypeId::Date)},
    {"lc", type_from_name("LowCardinality(String)")},
};

ExpressionPtr bind_text(const std::string& text)
{
    static QueryContext context;
    return bind_expression(*parse_expression(text), kColumns, context);
}

const ValueSet& set_of(const ExpressionPtr& in)
{
    EXPECT_TRUE(in->is_call("in") || in->is_call("notIn"));
    const auto& constant = column_as<ConstantColumn>(in->arguments()[1]->constant_column());
    return column_as<SetColumn>(constant.nested()).set();
}

std::string value_of(const std::string& text)
{
    const ExpressionPtr bound = bind_text(text);
    if (!bound->is_constant())
        return "not constant: " + text;
    return bound->constant_column()->value_at(0).to_text();
}

TEST(InSet, MembersTakeTheTypeOfTheLeftSide)
{
    const auto in = bind_text("a IN (1, 257, 2.0, 2.5, '3', NULL)");
    EXPECT_EQ(set_of(in).size(), 3u); // 1, 2, 3
    EXPECT_EQ(set_of(in).key_types()[0]->name(), "UInt8");
    EXPECT_EQ(set_of(bind_text("n NOT IN (1, -5)")).key_types()[0]->name(), "Int32");
    EXPECT_EQ(set_of(bind_text("d IN ('2020-01-01', '2020-01-02')")).size(), 2u);
    EXPECT_EQ(set_of(bind_text("d IN (toDate('2020-01-01'))")).size(), 1u);
    EXPECT_EQ(set_of(bind_text("lc IN ('x', 'y', 'x')")).size(), 2u);
    EXPECT_EQ(set_of(bind_text("a IN 5")).size(), 1u);
    EXPECT_EQ(set_of(bind_text("a IN [5, 6]")).size(), 2u);
    EXPECT_EQ(set_of(bind_text("(a, d) IN ((1, '2020-01-01'), (2, '2020-01-01'))")).size(), 2u);
}

TEST(InSet, ASetWrittenInTheQueryMayOutliveIt)
{
    ExpressionPtr kept; // as a mutation, a default or a constraint keeps it
    {
        QueryContext context;
        kept = bind_expression(*parse_expression("a IN (1, 2, 3)"), kColumns, context);
        EXPECT_EQ(context.memory.used_bytes(), 0);
    }
    EXPECT_EQ(set_of(kept).size(), 3u);
}

TEST(InSet, AnswersOverConstants)
{
    EXPECT_EQ(value_of("1 IN (1, 2)"), "1");
    EXPECT_EQ(value_of("3 IN (1, 2)"), "0");
    EXPECT_EQ(value_of("3 NOT IN (1, 2)"), "1");
    EXPECT_EQ(value_of("(1, 'a') IN ((1, 'a'), (2, 'b'))"), "1");
    EXPECT_EQ(value_of("(1, 2) IN (1, 2)"), "1");
    EXPECT_EQ(value_of("(1, 2) IN (2, 1)"), "0");
    EXPECT_EQ(value_of("[1] IN ([1], [2])"), "1");
    EXPECT_EQ(value_of("NULL IN (1, NULL)"), "NULL");
    EXPECT_EQ(value_of("1 IN (NULL)"), "0");
}

TEST(InSet, ColumnsOnTheRight)
{
    EXPECT_TRUE(bind_text("a IN arr")->is_call("has"));
    EXPECT_TRUE(bind_text("a NOT IN arr")->is_call("not"));
    EXPECT_TRUE(bind_text("a IN (a, 2)")->is_call("has"));
}

TEST(InSet, EqualListsAreEqualExpressions)
{
    EXPECT_EQ(bind_text("a IN (1, 2)")->fingerprint(), bind_text("a IN (1, 2)")->fingerprint());
    EXPECT_NE(bind_text("a IN (1, 2)")->fingerprint(), bind_text("a IN (1, 3)")->fingerprint());
}

TEST(InSet, Errors)
{
    auto code = [](const std::string& text)
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
    };
    EXPECT_EQ(code("(a, d) IN ((1, '2020-01-01', 3))"), error_codes::INCORRECT_ELEMENT_OF_SET);
    EXPECT_EQ(code("d IN ('abc')"), error_codes::CANNOT_PARSE_DATE);
    EXPECT_EQ(code("a IN (SELECT 1)"), error_codes::UNSUPPORTED_METHOD);
}

TEST(InSet, FromColumnsOfAnotherType)
{
    QueryContext context;
    auto members = std::make_shared<VectorColumn<int64_t>>();
    for (const int64_t value : {1, -1, 300, 2})
        members->data().push_back(value);
    const auto left = Expression::input("a", simple_type(TypeId::UInt8));
    const auto set =
        make_set_expression(left, {members}, {simple_type(TypeId::Int64)}, context, "t");
    const auto in = Expression::call("in", {left, set}, context);
    EXPECT_EQ(set_of(in).size(), 2u);
    try
    {
        make_set_expression(left, {members, members},
                            {simple_type(TypeId::Int64), simple_type(TypeId::Int64)}, context,
                            "t");
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH);
    }
}

} // namespace
} // namespace basalt
