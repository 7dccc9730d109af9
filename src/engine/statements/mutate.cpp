// DELETE, UPDATE, OPTIMIZE; the mutations of ALTER.

#include "base/error.h"
#include "engine/mutation.h"
#include "engine/select.h"
#include "planner/analyzer.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

void require_merge_tree(const Table& table, std::string_view what)
{
    if (!table.engine_name().ends_with("MergeTree"))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Table engine {} doesn't support {}", table.engine_name(), what));
}

void mutate_table(const TablePtr& table, const AstList& commands, bool wait,
                  StatementContext& statement)
{
    if (table->engine_name() != "Memory")
        require_merge_tree(*table, "mutations");
    AnalyzerContext analyzer = make_analyzer(statement);
    const auto bound = bind_mutations(commands, *table, *table->metadata(), analyzer);
    if (!bound.empty())
        table->mutate(bound, wait, statement.context);
}

namespace
{

AstPtr as_command(AlterAction action, const AstList& assignments, const AstPtr& partition,
                  const AstPtr& where)
{
    auto command = std::make_shared<AstAlterCommand>();
    command->action = action;
    command->assignments = assignments;
    command->partition = partition;
    command->where = where;
    return command;
}

} // namespace

// Rows are gone, or changed, when the statement returns: parts are rewritten at once.
ResultPtr run_delete(const AstDelete& query, StatementContext& statement)
{
    if (!query.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    const TablePtr table = statement.get_table(query.table);
    if (!table->engine_name().ends_with("MergeTree"))
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("DELETE query is not supported for table {}",
                                table->table_name().full()));
    mutate_table(table, {as_command(AlterAction::Delete, {}, query.partition, query.where)},
                 statement.context->settings.get_uint("lightweight_deletes_sync") != 0, statement);
    return nullptr;
}

ResultPtr run_update(const AstUpdate& query, StatementContext& statement)
{
    if (!query.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    const TablePtr table = statement.get_table(query.table);
    if (!table->engine_name().ends_with("MergeTree"))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Lightweight updates are not supported by storage {}",
                                table->engine_name()));
    mutate_table(table,
                 {as_command(AlterAction::Update, query.assignments, query.partition,
                             query.where)},
                 true, statement);
    return nullptr;
}

namespace
{

// The columns of DEDUPLICATE BY, matchers written out.
std::vector<std::string> columns_that_identify(const AstOptimize& optimize,
                                               const TableMetadata& metadata,
                                               StatementContext& statement)
{
    std::vector<std::string> names;
    for (const AstPtr& item : optimize.deduplicate_by)
    {
        if (const auto* identifier = item->as<AstIdentifier>())
        {
            names.push_back(identifier->full_name());
            continue;
        }
        auto element = std::make_shared<AstTableElement>();
        auto table = std::make_shared<AstIdentifier>();
        if (!optimize.table.database.empty())
            table->parts.push_back(optimize.table.database);
        table->parts.push_back(optimize.table.table);
        element->table = table;
        auto select = std::make_shared<AstSelect>();
        select->projection.push_back(item->clone());
        select->from.push_back(element);
        auto query = std::make_shared<AstSelectUnion>();
        query->selects.push_back(select);
        AnalyzerContext analyzer = make_analyzer(statement);
        for (const auto& column : analyze_header(query, analyzer))
            names.push_back(column.name);
    }
    std::set<std::string> seen;
    const Header stored = metadata.physical_header();
    for (const auto& name : names)
    {
        if (std::none_of(stored.begin(), stored.end(),
                         [&](const NamedType& column) { return column.name == name; }))
            throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                        fmt::format("There is no column with name `{}` in table {}", name,
                                    optimize.table.table));
        if (!seen.insert(name).second)
            throw Error(error_codes::COLUMN_QUERIED_MORE_THAN_ONCE,
                        fmt::format("Column {} queried more than once.", name));
    }
    Expressions keys = metadata.sorting_key.expressions;
    keys.insert(keys.end(), metadata.partition_key.expressions.begin(),
                metadata.partition_key.expressions.end());
    for (const auto& name : inputs_of(keys))
        if (!seen.contains(name))
            throw Error(error_codes::THERE_IS_NO_COLUMN,
                        fmt::format("DEDUPLICATE BY expression must include all columns used in "
                                    "table's ORDER BY, PRIMARY KEY, or PARTITION BY but '{}' is "
                                    "missing.",
                                    name));
    return names;
}

void check_cleanup(const TableMetadata& metadata)
{
    const std::string* allowed =
        metadata.find_setting("allow_experimental_replacing_merge_with_cleanup");
    if (!allowed || *allowed == "0" || *allowed == "false")
        throw Error(error_codes::SUPPORT_IS_DISABLED,
                    "Experimental merges with CLEANUP are not allowed.");
    if (metadata.merging.is_deleted.empty())
        throw Error(error_codes::CANNOT_ASSIGN_OPTIMIZE,
                    "Cannot OPTIMIZE with CLEANUP a table without an is_deleted column: only "
                    "ReplacingMergeTree can be cleaned up");
}

} // namespace

ResultPtr run_optimize(const AstOptimize& optimize, StatementContext& statement)
{
    if (!optimize.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (optimize.dry_run || !optimize.parts.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "OPTIMIZE … DRY RUN is not implemented");
    const TablePtr table = statement.get_table(optimize.table);
    if (!table->engine_name().ends_with("MergeTree"))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Method optimize is not supported by storage {}",
                                table->engine_name()));
    OptimizeCommand command;
    if (optimize.partition)
    {
        const auto& partition = *optimize.partition->as<AstPartition>();
        if (partition.is_part)
            throw Error(error_codes::NOT_IMPLEMENTED, "OPTIMIZE … PART is not implemented");
        if (!partition.all)
            command.partition_id =
                partition_id_of_ast(partition, *table->metadata(), *statement.context);
    }
    command.final = optimize.is_final || optimize.force;
    command.deduplicate = optimize.deduplicate;
    if (!optimize.deduplicate_by.empty())
        command.deduplicate_by =
            columns_that_identify(optimize, *table->metadata(), statement);
    command.cleanup = optimize.cleanup;
    if (optimize.cleanup)
        check_cleanup(*table->metadata());
    table->optimize(command, statement.context);
    return nullptr;
}

} // namespace basalt
