#include "base/error.h"
#include "tests/unit/functions/evaluate.h"

#include <gtest/gtest.h>

namespace basalt::test
{

namespace
{

template <class T> ColumnPtr vector_of(std::initializer_list<T> values)
{
    return std::make_shared<VectorColumn<T>>(PodVector<T>(values));
}

ColumnPtr strings_of(std::initializer_list<const char*> values)
{
    auto column = std::make_shared<StringColumn>();
    for (const char* value : values)
        column->append(value);
    return column;
}

Block sample_block()
{
    Block block;
    block.add({vector_of<uint64_t>({0, 1, 2, 3, 4, 5}), simple_type(TypeId::UInt64), "n"});
    block.add({vector_of<int64_t>({-2, -1, 0, 1, 2, 3}), simple_type(TypeId::Int64), "i"});
    block.add({strings_of({"a", "b", "", "12", "7", "x"}), simple_type(TypeId::String), "s"});
    block.add({NullableColumn::make(vector_of<uint8_t>({1, 0, 1, 0, 1, 0}),
                                    vector_of<uint8_t>({0, 0, 1, 1, 0, 0})),
               make_nullable(simple_type(TypeId::UInt8)), "f"});
    block.add({std::make_shared<DictionaryColumn>(strings_of({"10", "bad", "30", "unused"}),
                                                  PodVector<uint32_t>({0, 2, 0, 2, 0, 2})),
               std::make_shared<LowCardinalityType>(simple_type(TypeId::String)), "d"});
    return block;
}

std::string run(std::string_view text, const QueryContext& context, const Block& block)
{
    const auto expression = parse_expression(text, context, &block);
    const ExpressionProgram program({expression}, context);
    const ColumnPtr column = program.run(block)[0];
    EXPECT_EQ(column->size(), block.rows());
    std::string all;
    for (size_t i = 0; i < column->size(); ++i)
        all += (i ? " " : "") + column->value_at(i).to_text();
    return all;
}

std::string run(std::string_view text)
{
    const QueryContext context;
    return run(text, context, sample_block());
}

} // namespace

TEST(ExpressionProgram, EvaluatesBranchesOnlyWhereNeeded)
{
    // intDiv by zero would throw on the rows that the condition keeps away.
    EXPECT_EQ(run("if(equals(i, 0), 0, intDiv(10, i))"), "-5 -10 0 10 5 3");
    EXPECT_EQ(run("multiIf(equals(i, 0), -1, less(n, 2), intDiv(6, i), intDiv(12, i))"),
              "-3 -6 -1 12 6 4");
    EXPECT_EQ(run("and(notEquals(i, 0), greater(intDiv(10, i), 4))"), "0 0 0 1 1 0");
    EXPECT_EQ(run("or(equals(i, 0), greater(intDiv(10, i), 4))"), "0 0 1 1 1 0");
    EXPECT_EQ(run("if(greater(n, 2), if(less(n, 5), toUInt64(s), 99), 7)", QueryContext(),
                  sample_block()),
              "7 7 7 12 7 99");
}

TEST(ExpressionProgram, SharesWhatSeveralBranchesNeed)
{
    EXPECT_EQ(run("minus(if(equals(i, 0), 0, intDiv(10, i)), if(less(i, 1), 0, intDiv(10, i)))"),
              "-5 -10 0 0 0 0");
    EXPECT_EQ(run("multiIf(equals(i, 0), 0, greater(intDiv(10, i), 3), intDiv(10, i), -1)"),
              "-1 -1 0 10 5 -1");
}

TEST(ExpressionProgram, RunsOnZeroRows)
{
    const QueryContext context;
    const Block block = sample_block().slice(0, 0);
    EXPECT_EQ(run("if(equals(i, 0), 0, intDiv(10, i))", context, block), "");
    EXPECT_EQ(run("and(n, intDiv(10, n))", context, block), "");
}

TEST(ExpressionProgram, EvaluatesEverythingWhenDisabled)
{
    QueryContext context;
    context.settings.set("short_circuit_function_evaluation", "disable");
    EXPECT_THROW(run("if(equals(i, 0), 0, intDiv(10, i))", context, sample_block()), Error);
}

TEST(ExpressionProgram, UsesDictionaries)
{
    // 'bad' and 'unused' stand in the dictionary but in no row.
    EXPECT_EQ(run("toUInt8(d)"), "10 30 10 30 10 30");
    EXPECT_EQ(run("equals(d, '30')"), "0 1 0 1 0 1");
}

TEST(ExpressionProgram, TreatsNullAsFalse)
{
    EXPECT_EQ(run("if(f, 1, 2)"), "1 2 2 2 1 2");
    EXPECT_EQ(run("and(f, n)"), "0 0 NULL NULL 1 0");
    EXPECT_EQ(run("plus(f, 1)"), "2 1 NULL NULL 2 1");
    EXPECT_EQ(run("ifNull(f, 9)"), "1 0 9 9 1 0");
}

TEST(Expression, FoldsConstants)
{
    const QueryContext context;
    const Block block = sample_block();
    EXPECT_TRUE(parse_expression("plus(1, multiply(2, 3))", context)->is_constant());
    EXPECT_TRUE(parse_expression("and(0, n)", context, &block)->is_constant());
    EXPECT_EQ(parse_expression("plus(n, 1)", context, &block)->fingerprint(), "plus(n, 1_UInt8)");
    EXPECT_EQ(inputs_of({parse_expression("plus(n, if(i, n, 2))", context, &block)}).size(), 2u);
    EXPECT_EQ(split_conjuncts(parse_expression("and(n, and(i, f))", context, &block)).size(), 3u);
    const auto replaced =
        replace_inputs(parse_expression("plus(n, i)", context, &block),
                       {{"n", Expression::constant(simple_type(TypeId::UInt64),
                                                   Value(uint64_t{1}))},
                        {"i", Expression::constant(simple_type(TypeId::Int64),
                                                   Value(int64_t{-1}))}},
                       context);
    EXPECT_TRUE(replaced->is_constant());
}

TEST(Expression, NamesNearFunctions)
{
    const QueryContext context;
    try
    {
        parse_expression("pluss(1, 2)", context);
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::UNKNOWN_FUNCTION);
        EXPECT_EQ(error.message(), "Function with name `pluss` does not exist. Maybe you meant: "
                                   "['plus','less']");
    }
}

TEST(Expression, LambdaRunsOnItemsWithCapturedColumns)
{
    const QueryContext context;
    const auto body = Expression::call(
        "plus",
        {Expression::input("x", simple_type(TypeId::UInt64)),
         Expression::input("n", simple_type(TypeId::UInt64))},
        context);
    const auto lambda = Expression::lambda({{"x", simple_type(TypeId::UInt64)}}, body);
    const LambdaColumn column(lambda, {{vector_of<uint64_t>({10, 20}),
                                        simple_type(TypeId::UInt64), "n"}},
                              2, context);
    const ColumnPtr result =
        column.apply({vector_of<uint64_t>({1, 2, 3})}, PodVector<uint64_t>({2, 3}));
    EXPECT_EQ(result->value_at(0), Value(uint64_t{11}));
    EXPECT_EQ(result->value_at(1), Value(uint64_t{12}));
    EXPECT_EQ(result->value_at(2), Value(uint64_t{23}));
}

TEST(ConditionMask, KeepsTrueRows)
{
    Mask mask;
    const Block block = sample_block();
    EXPECT_EQ(column_to_mask(block[3].column, block[3].type, mask), 2u);
    EXPECT_EQ(column_to_mask(block[0].column, block[0].type, mask), 5u);
    EXPECT_THROW(column_to_mask(block[2].column, block[2].type, mask), Error);
}

TEST(ValueSet, FindsNumbersTextsAndTuples)
{
    const auto numbers = make_value_set({simple_type(TypeId::UInt64)},
                                        {vector_of<uint64_t>({5, 0, 5, 7})}, nullptr);
    EXPECT_EQ(numbers->size(), 3u);
    Mask mask;
    numbers->contains({vector_of<uint64_t>({0, 1, 5, 7, 8})}, mask);
    EXPECT_EQ(std::vector<int>(mask.begin(), mask.end()), (std::vector<int>{1, 0, 1, 1, 0}));
    const auto texts =
        make_value_set({simple_type(TypeId::String)}, {strings_of({"a", "bc"})}, nullptr);
    texts->contains({strings_of({"bc", "b", "a", ""})}, mask);
    EXPECT_EQ(std::vector<int>(mask.begin(), mask.end()), (std::vector<int>{1, 0, 1, 0}));
    const auto pairs =
        make_value_set({simple_type(TypeId::UInt8), simple_type(TypeId::String)},
                       {vector_of<uint8_t>({1, 2}), strings_of({"a", "b"})}, nullptr);
    pairs->contains({vector_of<uint8_t>({1, 1, 2}), strings_of({"a", "b", "b"})}, mask);
    EXPECT_EQ(std::vector<int>(mask.begin(), mask.end()), (std::vector<int>{1, 0, 1}));
}

} // namespace basalt::test
