#include "engine/ttl.h"

#include "base/error.h"
#include "catalog/create_table.h"
#include "columns/absent_value.h"
#include "sql/ast_create.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// The moment has come.
ExpressionPtr is_over(const ExpressionPtr& moment, const QueryContext& context)
{
    const TypePtr type = strip_wrappers(moment->type());
    const auto now = Expression::call(
        "CAST",
        {Expression::constant(simple_type(TypeId::DateTime),
                              Value(static_cast<uint64_t>(context.clock->unix_s()))),
         Expression::constant(simple_type(TypeId::String), Value(type->name()))},
        context);
    return Expression::call("lessOrEquals", {moment, now}, context);
}

AstList parse_ttl(const std::string& text)
{
    const AstPtr ast =
        parse_query("CREATE TABLE t (c UInt8) ENGINE = MergeTree ORDER BY tuple() TTL " + text);
    return ast->as<AstCreateTable>()->storage->as<AstStorage>()->ttl;
}

MutationCommand expire_column(const ColumnDescription& column, const Header& header,
                              const QueryContext& context)
{
    MutationCommand command;
    command.kind = MutationCommand::Kind::Update;
    ExpressionPtr value = column.default_expression;
    if (!value)
        value = Expression::constant(column.type, absent_value(*column.type));
    const auto moment =
        bind_expression(*parse_expression(column.ttl_text), header, context);
    const TypePtr type = strip_wrappers(moment->type());
    // A column's moment that is the type's zero never comes, as in ClickHouse. Rows that have the
    // value already need no change.
    command.predicate = Expression::call(
        "and",
        {is_over(moment, context),
         Expression::call("notEquals",
                          {moment, Expression::constant(type, type->default_value())}, context),
         Expression::call("isDistinctFrom",
                          {Expression::input(column.name, column.type), value}, context)},
        context);
    command.updates.emplace_back(column.name, value);
    return command;
}

} // namespace

std::vector<MutationCommand> bind_ttl_commands(const TableMetadata& metadata,
                                               const std::string& text,
                                               const std::string& partition_id,
                                               const QueryContext& context)
{
    std::vector<MutationCommand> commands;
    const Header header = metadata.physical_header();
    if (!metadata.ttl_text.empty())
        for (const AstPtr& ast : parse_ttl(metadata.ttl_text))
        {
            const auto& element = *ast->as<AstTtlElement>();
            MutationCommand command;
            const auto moment = bind_expression(*element.expression, header, context);
            command.predicate = is_over(moment, context);
            switch (element.action)
            {
            case TtlAction::Delete:
                command.kind = MutationCommand::Kind::Delete;
                break;
            case TtlAction::Recompress:
                command.kind = MutationCommand::Kind::Recompress;
                command.name = bind_ttl_codec(*element.codec, context);
                command.updates.emplace_back("", moment);
                break;
            case TtlAction::GroupBy:
                command.kind = MutationCommand::Kind::Rollup;
                command.rollup = bind_rollup(element, metadata, context);
                break;
            default:
                continue; // refused when it was written
            }
            if (element.where)
                command.predicate =
                    Expression::call("and",
                                     {command.predicate,
                                      bind_expression(*element.where, header, context)},
                                     context);
            commands.push_back(std::move(command));
        }
    for (const auto& column : metadata.columns)
        if (!column.ttl_text.empty() && column.default_kind != DefaultKind::Alias &&
            column.default_kind != DefaultKind::Ephemeral)
            commands.push_back(expire_column(column, header, context));
    for (auto& command : commands)
        command.partition_id = partition_id;
    if (!commands.empty())
        commands.front().text = text;
    return commands;
}

} // namespace basalt
