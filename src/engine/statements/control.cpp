// SET, USE, SYSTEM, KILL, OPTIMIZE.

#include "base/error.h"
#include "engine/select.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

ResultPtr run_set(const AstSetQuery& set, StatementContext& statement)
{
    apply_settings(set, statement.session.settings, &statement.session.parameters);
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

ResultPtr run_system(const AstSystem& system, StatementContext& statement)
{
    const std::string& command = system.command;
    // Caches and logs that are in memory, complete at once, or do not exist: nothing to do.
    static constexpr std::string_view kNothingToDo[] = {
        "FLUSH LOGS",          "DROP MARK CACHE",       "DROP UNCOMPRESSED CACHE",
        "DROP QUERY CACHE",    "DROP QUERY CONDITION CACHE", "DROP DNS CACHE",
        "DROP MMAP CACHE",     "DROP COMPILED EXPRESSION CACHE", "DROP PRIMARY INDEX CACHE",
        "DROP INDEX MARK CACHE", "DROP INDEX UNCOMPRESSED CACHE", "DROP FILESYSTEM CACHE",
        "DROP FORMAT SCHEMA CACHE", "FLUSH ASYNC INSERT QUEUE", "RELOAD CONFIG",
        "RELOAD DICTIONARIES", "CLEAR MARK CACHE", "CLEAR UNCOMPRESSED CACHE",
        "CLEAR QUERY CACHE", "CLEAR QUERY CONDITION CACHE", "DROP SCHEMA CACHE", "JEMALLOC PURGE",
        "DROP PAGE CACHE", "DROP CONNECTIONS CACHE", "RELOAD FUNCTIONS", "RELOAD USERS"};
    if (std::find(std::begin(kNothingToDo), std::end(kNothingToDo), command) !=
        std::end(kNothingToDo))
        return nullptr;
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("SYSTEM {} is not implemented", command));
}

ResultPtr run_kill(const AstKill& kill, StatementContext& statement)
{
    if (kill.target != KillKind::Query)
        throw Error(error_codes::NOT_IMPLEMENTED, "Only KILL QUERY is implemented");
    const std::string where = kill.where ? format_query(*kill.where) : "1";
    AnalyzerContext analyzer = make_analyzer(statement);
    const std::string sql = fmt::format(
        "SELECT {} AS kill_status, query_id, user, query FROM system.processes WHERE ({}) AND "
        "query_id != {}",
        kill.mode == KillMode::Test ? "'waiting'" : "'waiting'", where,
        quote_string(statement.context->query_id));
    const AstPtr ast = parse_query(sql);
    const Block found = run_plan(analyze(ast, analyzer), statement.context);
    if (kill.mode != KillMode::Test)
        for (size_t i = 0; i < found.rows(); ++i)
            statement.engine.processes().kill(found[1].column->value_at(i).get<std::string>());
    return result_of_blocks(found.header(), {found});
}

} // namespace basalt
