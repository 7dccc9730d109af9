#include "engine/mutation.h"

#include "base/error.h"
#include "binder/binder.h"
#include "engine/make_table.h"
#include "engine/select.h"
#include "engine/table_change.h"
#include "engine/ttl.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// Over the stored columns of a table; subqueries run where they stand.
class MutationBinder final : public TableBinder
{
public:
    MutationBinder(const Header& columns, AnalyzerContext& analyzer, const TableName& table)
        : TableBinder(*analyzer.context, columns, {table.table}), analyzer_(analyzer)
    {
    }

protected:
    ExpressionPtr bind_subquery(const AstSubquery& subquery) override
    {
        const Block block = run(subquery.query);
        if (block.rows() > 1)
            throw Error(error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                        "Scalar subquery returned more than one row");
        Expressions values;
        for (size_t i = 0; i < block.width(); ++i)
        {
            const TypePtr& type = block[i].type;
            if (block.rows() == 0)
                values.push_back(Expression::constant(
                    can_be_inside_nullable(remove_low_cardinality(type)) ? make_nullable(type)
                                                                         : type,
                    can_be_inside_nullable(remove_low_cardinality(type))
                        ? Value(Null{})
                        : type->default_value()));
            else
                values.push_back(Expression::constant_column(
                    std::make_shared<ConstantColumn>(to_flat(block[i].column)->slice(0, 1), 1),
                    type));
        }
        if (values.size() == 1)
            return values[0];
        return Expression::call("tuple", values, context_);
    }

    ExpressionPtr bind_exists(const AstFunction& call) override
    {
        const Block block = run(call.arguments[0]->as<AstSubquery>()->query);
        return Expression::constant(simple_type(TypeId::UInt8),
                                    Value(uint64_t{block.rows() > 0 ? 1u : 0u}));
    }

    ExpressionPtr bind_query_set(const ExpressionPtr& left, const Ast& right) override
    {
        AstPtr query;
        if (const auto* subquery = right.as<AstSubquery>())
            query = subquery->query;
        else if (const auto* name = right.as<AstIdentifier>())
            query = parse_query("SELECT * FROM " + format_query(*name));
        else
            return nullptr;
        const Block block = run(query);
        Columns members;
        Types types;
        for (const auto& column : block.columns())
        {
            members.push_back(column.column);
            types.push_back(column.type);
        }
        return make_set_expression(left, members, types, context_, format_query(*query), true);
    }

private:
    Block run(const AstPtr& query)
    {
        return run_plan(analyze(query, analyzer_), analyzer_.context);
    }

    AnalyzerContext& analyzer_;
};

class Mutations
{
public:
    Mutations(const Table& table, const TableMetadata& metadata, AnalyzerContext& analyzer)
        : metadata_(metadata), context_(*analyzer.context),
          binder_(metadata.physical_header(), analyzer, table.table_name())
    {
    }

    void add(const AstAlterCommand& command)
    {
        MutationCommand bound;
        bound.text = "(" + format_query(command) + ")";
        if (command.partition)
            bound.partition_id = partition_id_of_ast(*command.partition->as<AstPartition>(),
                                                     metadata_, context_);
        switch (command.action)
        {
        case AlterAction::Delete:
            bound.kind = MutationCommand::Kind::Delete;
            bound.predicate = bind_condition(*command.where, true);
            break;
        case AlterAction::Update:
            bound.kind = MutationCommand::Kind::Update;
            bind_updates(command, bound);
            break;
        case AlterAction::MaterializeIndex:
        case AlterAction::ClearIndex:
            bound.kind = command.action == AlterAction::ClearIndex
                             ? MutationCommand::Kind::DropIndex
                             : MutationCommand::Kind::MaterializeIndex;
            bound.name = command.name;
            if (std::none_of(metadata_.indexes.begin(), metadata_.indexes.end(),
                             [&](const auto& index) { return index.name == command.name; }))
                return;
            break;
        case AlterAction::ClearColumn:
            bound.kind = MutationCommand::Kind::ClearColumn;
            bound.name = command.name;
            if (!check_clear(command))
                return;
            break;
        case AlterAction::MaterializeColumn:
            bound.kind = MutationCommand::Kind::MaterializeColumn;
            bound.name = command.name;
            check_materialize(command);
            break;
        case AlterAction::MaterializeTtl:
            return add_ttl(bound);
        default:
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Alter of type '{}' is not implemented",
                                    action_name(command.action)));
        }
        commands_.push_back(std::move(bound));
    }

    void add_ttl(const MutationCommand& what)
    {
        auto commands = bind_ttl_commands(metadata_, what.text, what.partition_id, context_);
        if (commands.empty())
            throw Error(error_codes::INCORRECT_QUERY,
                        "Cannot MATERIALIZE TTL as there is no TTL set for the table");
        commands_.insert(commands_.end(), commands.begin(), commands.end());
    }

    std::vector<MutationCommand> take() { return std::move(commands_); }

private:
    ExpressionPtr bind_condition(const Ast& where, bool is_delete)
    {
        ExpressionPtr bound = binder_.bind(where);
        const TypePtr type = strip_wrappers(bound->type());
        if (!type->is_number() && !type->is(TypeId::Bool) && !type->is(TypeId::Nothing))
            throw Error(is_delete ? error_codes::BAD_ARGUMENTS
                                  : error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal type {} of the condition of a mutation. Must be "
                                    "UInt8",
                                    bound->type()->name()));
        return bound;
    }

    void bind_updates(const AstAlterCommand& command, MutationCommand& bound)
    {
        std::set<std::string> updated;
        for (const auto& ast : command.assignments)
        {
            const auto& assignment = *ast->as<AstAssignment>();
            const ColumnDescription* column = metadata_.find_column(assignment.column);
            if (!column || column->default_kind == DefaultKind::Alias ||
                column->default_kind == DefaultKind::Ephemeral)
                throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                            fmt::format("There is no column {} in table.",
                                        quote_identifier(assignment.column)));
            if (is_key(column->name))
                throw Error(error_codes::CANNOT_UPDATE_COLUMN,
                            fmt::format("Cannot UPDATE key column {}.",
                                        quote_identifier(column->name)));
            if (column->default_kind == DefaultKind::Materialized)
                throw Error(error_codes::CANNOT_UPDATE_COLUMN,
                            fmt::format("Cannot UPDATE materialized column {}.",
                                        quote_identifier(column->name)));
            if (updated.contains(column->name))
                throw Error(error_codes::MULTIPLE_ASSIGNMENTS_TO_COLUMN,
                            fmt::format("Multiple assignments in the single statement to column "
                                        "{}.",
                                        quote_identifier(column->name)));
            ExpressionPtr value = binder_.bind(*assignment.expression);
            if (value->is_constant() && !is_nullable_or_lc_nullable(column->type) &&
                value->constant_column()->value_at(0).is_null())
                throw Error(error_codes::CANNOT_CONVERT_TYPE,
                            fmt::format("Cannot convert NULL to a non-nullable type: column {}",
                                        quote_identifier(column->name)));
            value = cast_to(value, column->type, context_);
            updated.insert(column->name);
            bound.updates.emplace_back(column->name, std::move(value));
        }
        bound.predicate = bind_condition(*command.where, false);
        check_materialized(updated);
        // What cannot run must not be stored: the mutation would wait for ever.
        for (const auto& [name, value] : bound.updates)
            Expression::call("if", {bound.predicate, value, value}, context_);
    }

    // MATERIALIZED columns follow the columns that they are made of; keys cannot.
    void check_materialized(const std::set<std::string>& updated)
    {
        for (const auto& column : metadata_.columns)
        {
            if (column.default_kind != DefaultKind::Materialized || !is_key(column.name))
                continue;
            for (const auto& input : inputs_of({column.default_expression}))
                if (updated.contains(input))
                    throw Error(error_codes::CANNOT_UPDATE_COLUMN,
                                fmt::format("Updated column {} affects MATERIALIZED column {}, "
                                            "which is a key column. Cannot UPDATE it.",
                                            quote_identifier(input),
                                            quote_identifier(column.name)));
        }
    }

    bool is_key(const std::string& column) const
    {
        return key_reads(metadata_.partition_key, column) ||
               key_reads(metadata_.sorting_key, column) || column == metadata_.merging.sign ||
               column == metadata_.merging.version;
    }

    bool check_clear(const AstAlterCommand& command)
    {
        const ColumnDescription* column = metadata_.find_column(command.name);
        if (!column)
        {
            if (command.if_exists)
                return false;
            throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                        fmt::format("Wrong column name. Cannot find column {} to drop.",
                                    quote_identifier(command.name)));
        }
        check_deciding_column(metadata_, column->name, "DROP");
        if (is_key(column->name))
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("Trying to ALTER DROP key {} column which is a part of key "
                                    "expression",
                                    quote_identifier_if_needed(column->name)));
        return true;
    }

    void check_materialize(const AstAlterCommand& command)
    {
        const ColumnDescription* column = metadata_.find_column(command.name);
        if (!column)
            throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                        fmt::format("There is no column {} in table.", command.name));
        if (column->default_kind != DefaultKind::Default &&
            column->default_kind != DefaultKind::Materialized)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Cannot materialize column {} because it doesn't have default "
                                    "expression.",
                                    quote_identifier(column->name)));
        if (is_key(column->name))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Refused to materialize column {} because it is a part of the "
                                    "key",
                                    quote_identifier(column->name)));
    }

    const TableMetadata& metadata_;
    const QueryContext& context_;
    MutationBinder binder_;
    std::vector<MutationCommand> commands_;
};

} // namespace

bool is_mutation(AlterAction action)
{
    switch (action)
    {
    case AlterAction::Delete:
    case AlterAction::Update:
    case AlterAction::ClearColumn:
    case AlterAction::MaterializeColumn:
    case AlterAction::ClearIndex:
    case AlterAction::MaterializeIndex:
    case AlterAction::MaterializeTtl:
    case AlterAction::ClearProjection:
    case AlterAction::MaterializeProjection:
    case AlterAction::ClearStatistics:
    case AlterAction::MaterializeStatistics:
    case AlterAction::ApplyDeletedMask:
    case AlterAction::ApplyPatches:
    case AlterAction::RewriteParts:
        return true;
    default:
        return false;
    }
}

std::vector<MutationCommand> bind_mutations(const AstList& commands, const Table& table,
                                            const TableMetadata& metadata,
                                            AnalyzerContext& analyzer)
{
    Mutations mutations(table, metadata, analyzer);
    for (const auto& command : commands)
        mutations.add(*command->as<AstAlterCommand>());
    return mutations.take();
}

std::vector<MutationCommand> bind_mutation_text(Engine& engine, const Table& table,
                                                const std::string& text, QueryContextPtr context)
{
    const AstPtr ast = parse_query("ALTER TABLE t " + text);
    AnalyzerContext analyzer{engine.catalog(), context, {}, {}, {}, {}, {}};
    analyzer.database = table.table_name().database;
    analyzer.run_subquery = [context](QueryPlan&& plan)
    { return run_plan(std::move(plan), context); };
    return bind_mutations(ast->as<AstAlter>()->commands, table, *table.metadata(), analyzer);
}

} // namespace basalt
