// ALTER, DELETE, UPDATE, OPTIMIZE.

#include "base/error.h"
#include "engine/make_table.h"
#include "engine/statement.h"

namespace basalt
{

ResultPtr run_alter(const AstAlter&, StatementContext&)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "ALTER is not implemented");
}

ResultPtr run_delete(const AstDelete&, StatementContext&)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "DELETE is not implemented");
}

ResultPtr run_update(const AstUpdate&, StatementContext&)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "UPDATE is not implemented");
}

ResultPtr run_optimize(const AstOptimize& optimize, StatementContext& statement)
{
    if (optimize.partition || !optimize.parts.empty() || !optimize.deduplicate_by.empty() ||
        optimize.cleanup || optimize.dry_run)
        throw Error(error_codes::NOT_IMPLEMENTED, "This form of OPTIMIZE is not implemented");
    statement.get_table(optimize.table)
        ->optimize("", optimize.is_final, optimize.deduplicate, statement.context);
    return nullptr;
}

std::vector<MutationCommand> bind_mutation_text(const Table&, const std::string&, QueryContextPtr)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "Mutations are not implemented");
}

} // namespace basalt
