#include "base/error.h"
#include "functions/expression.h"

namespace basalt
{

namespace
{

[[noreturn]] void not_a_value(const char* what)
{
    throw Error(error_codes::LOGICAL_ERROR, std::string(what) + " is not a column of values");
}

} // namespace

LambdaColumn::LambdaColumn(ExpressionPtr lambda, std::vector<NamedColumn> captured, size_t rows,
                           const QueryContext& context,
                           std::shared_ptr<const ExpressionProgram> program)
    : Column(ColumnForm::Lambda), lambda_(std::move(lambda)), captured_(std::move(captured)),
      rows_(rows), context_(context), program_(std::move(program))
{
    if (!program_)
        program_ = std::make_shared<ExpressionProgram>(Expressions{lambda_->body()}, context);
}

ColumnPtr LambdaColumn::apply(const Columns& arguments,
                              const PodVector<uint64_t>& offsets) const
{
    const auto& parameters = lambda_->parameters();
    BASALT_ASSERT(arguments.size() == parameters.size());
    const size_t values = offsets.empty() ? 0 : offsets.back();
    std::vector<NamedColumn> columns;
    columns.reserve(parameters.size() + captured_.size());
    for (size_t i = 0; i < parameters.size(); ++i)
        columns.push_back({arguments[i], parameters[i].type, parameters[i].name});
    for (const auto& column : captured_)
        columns.push_back({column.column->replicate(offsets), column.type, column.name});
    return program_->run(Block(std::move(columns), values), context_)[0];
}

MutableColumnPtr LambdaColumn::clone_empty() const
{
    return std::make_shared<LambdaColumn>(lambda_, std::vector<NamedColumn>(), 0, context_,
                                          program_);
}

void LambdaColumn::append_from(const Column&, size_t)
{
    not_a_value("A lambda");
}
void LambdaColumn::append_range(const Column&, size_t, size_t)
{
    not_a_value("A lambda");
}
void LambdaColumn::append_default()
{
    not_a_value("A lambda");
}
void LambdaColumn::append_value(const Value&)
{
    not_a_value("A lambda");
}
void LambdaColumn::remove_last(size_t)
{
    not_a_value("A lambda");
}

ColumnPtr LambdaColumn::filter(const Mask& mask, size_t kept_rows) const
{
    auto captured = captured_;
    for (auto& column : captured)
        column.column = column.column->filter(mask, kept_rows);
    return std::make_shared<LambdaColumn>(lambda_, std::move(captured), kept_rows, context_,
                                          program_);
}

ColumnPtr LambdaColumn::take(const RowIndexes& rows) const
{
    auto captured = captured_;
    for (auto& column : captured)
        column.column = column.column->take(rows);
    return std::make_shared<LambdaColumn>(lambda_, std::move(captured), rows.size(), context_,
                                          program_);
}

ColumnPtr LambdaColumn::slice(size_t begin, size_t count) const
{
    auto captured = captured_;
    for (auto& column : captured)
        column.column = column.column->slice(begin, count);
    return std::make_shared<LambdaColumn>(lambda_, std::move(captured), count, context_, program_);
}

MutableColumnPtr SetColumn::clone_empty() const
{
    return std::make_shared<SetColumn>(set_);
}
void SetColumn::append_from(const Column&, size_t)
{
    not_a_value("A set");
}
void SetColumn::append_range(const Column&, size_t, size_t)
{
    not_a_value("A set");
}
void SetColumn::append_default()
{
    not_a_value("A set");
}
void SetColumn::append_value(const Value&)
{
    not_a_value("A set");
}
void SetColumn::remove_last(size_t)
{
    not_a_value("A set");
}
ColumnPtr SetColumn::filter(const Mask&, size_t) const
{
    return std::make_shared<SetColumn>(set_);
}
ColumnPtr SetColumn::take(const RowIndexes&) const
{
    return std::make_shared<SetColumn>(set_);
}
ColumnPtr SetColumn::slice(size_t, size_t) const
{
    return std::make_shared<SetColumn>(set_);
}

} // namespace basalt
