// DELETE, UPDATE, OPTIMIZE; the mutations of ALTER.

#include "base/error.h"
#include "engine/mutation.h"
#include "engine/select.h"

#include <fmt/format.h>

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

ResultPtr run_optimize(const AstOptimize& optimize, StatementContext& statement)
{
    if (!optimize.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (!optimize.deduplicate_by.empty())
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "OPTIMIZE … DEDUPLICATE BY is not implemented");
    if (optimize.cleanup)
        throw Error(error_codes::NOT_IMPLEMENTED, "OPTIMIZE … CLEANUP is not implemented");
    if (optimize.dry_run || !optimize.parts.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "OPTIMIZE … DRY RUN is not implemented");
    const TablePtr table = statement.get_table(optimize.table);
    if (!table->engine_name().ends_with("MergeTree"))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Method optimize is not supported by storage {}",
                                table->engine_name()));
    std::string partition_id;
    if (optimize.partition)
    {
        const auto& partition = *optimize.partition->as<AstPartition>();
        if (partition.is_part)
            throw Error(error_codes::NOT_IMPLEMENTED, "OPTIMIZE … PART is not implemented");
        if (!partition.all)
            partition_id =
                partition_id_of_ast(partition, *table->metadata(), *statement.context);
    }
    table->optimize(partition_id, optimize.is_final || optimize.force, optimize.deduplicate,
                    statement.context);
    return nullptr;
}

} // namespace basalt
