// SET, USE, SYSTEM, KILL.

#include "base/error.h"
#include "base/failpoint.h"
#include "catalog/metadata_files.h"
#include "engine/select.h"
#include "sql/formatter.h"
#include "sql/parser.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/storage_service.h"

#include <fmt/format.h>

namespace basalt
{

ResultPtr run_set(const AstSetQuery& set, StatementContext& statement)
{
    apply_settings(set, statement.session.settings, &statement.session.parameters,
                   setting_check(statement.session, statement.context->settings));
    return nullptr;
}

ResultPtr run_use(const AstUse& use, StatementContext& statement)
{
    if (!statement.engine.catalog().database_exists(use.database))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", use.database));
    statement.session.current_database = use.database;
    return nullptr;
}

namespace
{

// Of the table, or of all tables that there are.
void hold_merges(const AstSystem& system, bool hold, StatementContext& statement)
{
    std::vector<TablePtr> tables;
    auto& catalog = statement.engine.catalog();
    if (!system.table.table.empty())
        tables.push_back(statement.get_table(system.table));
    else
        for (const auto& database : catalog.databases())
            for (auto& table : catalog.tables(database.name))
                tables.push_back(std::move(table));
    for (const auto& table : tables)
        if (auto* merge_tree = dynamic_cast<MergeTreeTable*>(table.get()))
            merge_tree->hold_merges(hold);
}

} // namespace

ResultPtr run_system(const AstSystem& system, StatementContext& statement)
{
    const std::string& command = system.command;
    // Caches and logs that are in memory, complete at once, or do not exist: nothing to do.
    static constexpr std::string_view kNothingToDo[] = {
        "FLUSH LOGS",          "DROP MARK CACHE",       "DROP UNCOMPRESSED CACHE",
        "DROP QUERY CACHE",    "DROP QUERY CONDITION CACHE", "DROP DNS CACHE",
        "DROP MMAP CACHE",     "DROP COMPILED EXPRESSION CACHE", "DROP PRIMARY INDEX CACHE",
        "DROP INDEX MARK CACHE", "DROP INDEX UNCOMPRESSED CACHE", "DROP FILESYSTEM CACHE",
        "DROP FORMAT SCHEMA CACHE", "RELOAD CONFIG",
        "RELOAD DICTIONARIES", "CLEAR MARK CACHE", "CLEAR UNCOMPRESSED CACHE",
        "CLEAR QUERY CACHE", "CLEAR QUERY CONDITION CACHE", "DROP SCHEMA CACHE", "JEMALLOC PURGE",
        "DROP PAGE CACHE", "DROP CONNECTIONS CACHE", "RELOAD FUNCTIONS", "RELOAD USERS"};
    if (std::find(std::begin(kNothingToDo), std::end(kNothingToDo), command) !=
        std::end(kNothingToDo))
        return nullptr;
    if (command == "FLUSH ASYNC INSERT QUEUE")
    {
        statement.engine.async_inserts().flush();
        return nullptr;
    }
    if (command == "STOP MERGES" || command == "START MERGES")
    {
        hold_merges(system, command == "STOP MERGES", statement);
        return nullptr;
    }
    if (command == "UNFREEZE WITH NAME")
    {
        const Ast& argument = *system.arguments.at(0);
        const std::string name = argument.as<AstLiteral>()
                                     ? argument.as<AstLiteral>()->text
                                     : argument.as<AstIdentifier>()->full_name();
        if (name.empty())
            throw Error(error_codes::BAD_ARGUMENTS, "The name of a backup is empty");
        statement.engine.files().remove_directory_recursive(
            statement.engine.storage().shadow_path(escape_file_name(name)));
        return nullptr;
    }
    if (command == "ENABLE FAILPOINT" || command == "DISABLE FAILPOINT")
    {
        for (const auto& name : system.arguments)
            set_failpoint(name->as<AstLiteral>()->text, command == "ENABLE FAILPOINT");
        return nullptr;
    }
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("SYSTEM {} is not implemented", command));
}

namespace
{

// Rows of a system table that the WHERE of KILL keeps.
Block rows_to_kill(const AstKill& kill, const std::string& select, StatementContext& statement)
{
    AnalyzerContext analyzer = make_analyzer(statement);
    const std::string where = kill.where ? format_query(*kill.where) : "1";
    const AstPtr ast = parse_query(fmt::format("{} AND ({})", select, where));
    return run_plan(analyze(ast, analyzer), statement.context);
}

ResultPtr kill_mutations(const AstKill& kill, StatementContext& statement)
{
    const Block found = rows_to_kill(kill,
                                     "SELECT 'waiting' AS kill_status, database, table, "
                                     "mutation_id, command FROM system.mutations WHERE 1",
                                     statement);
    if (const auto& access = statement.session.access)
        for (size_t i = 0; i < found.rows(); ++i)
            for (const char* privilege : {"ALTER UPDATE", "ALTER DELETE"})
                access->require(privilege, {found[1].column->value_at(i).get<std::string>(),
                                            found[2].column->value_at(i).get<std::string>(),
                                            {}});
    const auto text = [&](size_t column, size_t row)
    { return found[column].column->value_at(row).get<std::string>(); };
    if (kill.mode != KillMode::Test)
        for (size_t i = 0; i < found.rows(); ++i)
        {
            const TablePtr table =
                statement.engine.catalog().find_table({text(1, i), text(2, i)});
            if (auto* merge_tree = dynamic_cast<MergeTreeTable*>(table.get()))
                merge_tree->kill_mutation(text(3, i));
        }
    return result_of_blocks(found.header(), {found});
}

} // namespace

ResultPtr run_kill(const AstKill& kill, StatementContext& statement)
{
    if (!kill.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (kill.target == KillKind::Mutation)
        return kill_mutations(kill, statement);
    if (kill.target != KillKind::Query)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Only KILL QUERY and KILL MUTATION are implemented");
    const Block found =
        rows_to_kill(kill,
                     fmt::format("SELECT 'waiting' AS kill_status, query_id, user, query FROM "
                                 "system.processes WHERE query_id != {}{}",
                                 quote_string(statement.context->query_id),
                                 // Those of others need a grant.
                                 statement.context->granted("KILL QUERY")
                                     ? ""
                                     : " AND user = " + quote_string(statement.session.user)),
                     statement);
    if (kill.mode != KillMode::Test)
        for (size_t i = 0; i < found.rows(); ++i)
            statement.engine.processes().kill(found[1].column->value_at(i).get<std::string>());
    return result_of_blocks(found.header(), {found});
}

} // namespace basalt
