// ALTER TABLE and ALTER DATABASE.

#include "base/error.h"
#include "catalog/metadata_files.h"
#include "engine/make_table.h"
#include "engine/mutation.h"
#include "engine/select.h"
#include "engine/table_change.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

ResultPtr alter_database(const AstAlter& alter, StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    const std::string& name = alter.table.database;
    if (!catalog.database_exists(name))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", name));
    for (const auto& ast : alter.commands)
    {
        const auto& command = *ast->as<AstAlterCommand>();
        if (command.action != AlterAction::ModifyComment)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "ALTER DATABASE … MODIFY SETTING is not implemented");
        catalog.alter_database_comment(name, command.comment->as<AstLiteral>()->text);
    }
    return nullptr;
}

// What each engine lets ALTER do to its description; others are refused by name.
bool takes(const std::string& engine, AlterAction action)
{
    if (engine.ends_with("MergeTree"))
        return action != AlterAction::ModifyQuery;
    switch (action)
    {
    case AlterAction::ModifyComment:
        return true;
    case AlterAction::CommentColumn:
        return engine != "View" && engine != "MaterializedView";
    case AlterAction::AddColumn:
    case AlterAction::DropColumn:
    case AlterAction::ModifyColumn:
    case AlterAction::RenameColumn:
        return engine == "Memory" || engine == "Null";
    default:
        return false;
    }
}

// Returns what is left to do to the parts.
std::vector<MutationCommand> change_description(
    const TablePtr& table, const std::vector<const AstAlterCommand*>& commands,
    StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    const TableName name = table->table_name();
    for (const auto* command : commands)
        if (!takes(table->engine_name(), command->action))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Alter of type '{}' is not supported by storage {}",
                                    action_name(command->action), table->engine_name()));
    const AstPtr stored = catalog.create_query(name);
    const auto* create = stored ? stored->as<AstCreateTable>() : nullptr;
    if (!create)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("ALTER of table {}, which has no CREATE statement of its own, is "
                                "not implemented",
                                name.full()));
    if (create->create != CreateKind::Table)
    {
        // Only comments get here; a view has nothing else that changes.
        auto copy = std::static_pointer_cast<AstCreateTable>(stored->clone());
        for (const auto* command : commands)
            copy->comment = command->comment->clone();
        auto metadata = std::make_shared<TableMetadata>(*table->metadata());
        metadata->comment = copy->comment->as<AstLiteral>()->text;
        table->alter(std::move(metadata), {}, statement.context);
        catalog.replace_create_query(name, copy);
        return {};
    }
    TableChange change(*table, *create, *statement.context);
    for (const auto* command : commands)
        change.apply(*command);
    PreparedTable prepared = change.finish(catalog, *make_lenient_context(statement.engine));
    // The table first: it logs the statement with what happens to its columns, and the next start
    // brings the catalog up to it (finish_alters).
    const auto merge_tree = std::dynamic_pointer_cast<MergeTreeTable>(table);
    std::vector<MutationCommand> rest;
    if (merge_tree)
        rest = merge_tree->alter_to(prepared.metadata, change.commands(),
                             stored_create_text(prepared.create_query), statement.context);
    else
        table->alter(prepared.metadata, change.commands(), statement.context);
    catalog.replace_create_query(name, prepared.create_query, merge_tree != nullptr);
    return rest;
}

bool sets_ttl(const AstAlterCommand* command)
{
    return command->action == AlterAction::ModifyTtl ||
           (command->action == AlterAction::ModifyColumn &&
            command->declaration->as<AstColumnDeclaration>()->ttl);
}

void check_part_name(const std::string& name)
{
    if (!parse_part_name(name))
        throw Error(error_codes::BAD_DATA_PART_NAME,
                    fmt::format("Unexpected part name: {} for format version: 1", name));
}

PartitionCommand partition_command(const AstAlterCommand& command, const Table& table,
                                   StatementContext& statement)
{
    PartitionCommand out;
    switch (command.action)
    {
    case AlterAction::DropPartition:
        out.kind = PartitionCommand::Kind::Drop;
        break;
    case AlterAction::DetachPartition:
        out.kind = PartitionCommand::Kind::Detach;
        break;
    case AlterAction::AttachPartition:
        if (!command.table.table.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "ATTACH PARTITION … FROM another table is not implemented");
        out.kind = PartitionCommand::Kind::Attach;
        break;
    case AlterAction::DropDetachedPartition:
        if (!statement.context->settings.get_bool("allow_drop_detached"))
            throw Error(error_codes::SUPPORT_IS_DISABLED,
                        "Cannot execute query: DROP DETACHED PART is disabled (see "
                        "allow_drop_detached setting)");
        out.kind = PartitionCommand::Kind::DropDetached;
        break;
    case AlterAction::FreezePartition:
    case AlterAction::UnfreezePartition:
        out.kind = command.action == AlterAction::FreezePartition
                       ? PartitionCommand::Kind::Freeze
                       : PartitionCommand::Kind::Unfreeze;
        if (out.kind == PartitionCommand::Kind::Unfreeze && command.with_name.empty())
            throw Error(error_codes::BAD_ARGUMENTS, "UNFREEZE needs WITH NAME");
        out.backup_name = escape_file_name(command.with_name);
        out.all = !command.partition;
        if (out.all)
            return out;
        break;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Alter of type '{}' is not implemented",
                                action_name(command.action)));
    }
    const auto& partition = *command.partition->as<AstPartition>();
    if (partition.is_part)
        check_part_name(partition_id_of_ast(partition, *table.metadata(), *statement.context));
    out.all = partition.all;
    out.is_part = partition.is_part;
    if (!partition.all)
        out.partition_id =
            partition_id_of_ast(partition, *table.metadata(), *statement.context);
    return out;
}

} // namespace

ResultPtr run_alter(const AstAlter& alter, StatementContext& statement)
{
    if (!alter.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (alter.is_database)
        return alter_database(alter, statement);
    if (alter.if_exists && !statement.find_table(alter.table))
        return nullptr;
    const TablePtr table = statement.get_table(alter.table);
    std::vector<const AstAlterCommand*> description;
    AstList mutations;
    std::vector<const AstAlterCommand*> partitions;
    for (const auto& ast : alter.commands)
    {
        const auto& command = *ast->as<AstAlterCommand>();
        if (changes_description(command.action))
            description.push_back(&command);
        else if (is_mutation(command.action))
            mutations.push_back(ast);
        else
            partitions.push_back(&command);
    }
    if (!description.empty())
    {
        std::vector<MutationCommand> rest;
        {
            std::lock_guard lock(statement.engine.alter_lock(table->uuid()));
            rest = change_description(table, description, statement);
        }
        if (!rest.empty())
            table->mutate(rest, statement.context->settings.get_uint("alter_sync") > 0,
                          statement.context);
    }
    if (std::any_of(description.begin(), description.end(), sets_ttl) &&
        statement.context->settings.get_bool("materialize_ttl_after_modify"))
    {
        auto materialize = std::make_shared<AstAlterCommand>();
        materialize->action = AlterAction::MaterializeTtl;
        mutate_table(table, {materialize}, statement.context->settings.get_uint("alter_sync") > 0,
                     statement);
    }
    if (!mutations.empty())
        mutate_table(table, mutations,
                     statement.context->settings.get_uint("mutations_sync") != 0, statement);
    if (!partitions.empty())
        require_merge_tree(*table, "partitioning");
    for (const auto* command : partitions)
        table->change_partition(partition_command(*command, *table, statement),
                                statement.context);
    return nullptr;
}

} // namespace basalt
