#include "system/system_tables.h"

#include "functions/aggregate_function.h"
#include "functions/scalar_registry.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& function : scalar_functions().entries())
    {
        rows.add_row();
        rows.set("name", function.name);
        rows.set_uint("case_insensitive", function.case_insensitive);
        rows.set("alias_to", function.alias_of);
        if (!function.factory)
            continue;
        const auto object = function.factory(context);
        rows.set_uint("deterministic", object->deterministic());
        rows.set_uint("higher_order", object->takes_lambda());
    }
    for (const auto& function : aggregate_functions().entries())
    {
        rows.add_row();
        rows.set("name", function.name);
        rows.set_uint("is_aggregate", 1);
        rows.set_uint("case_insensitive", function.traits.case_insensitive);
        rows.set("alias_to", function.alias_of);
    }
}

} // namespace

void register_functions(SystemTables& tables)
{
    tables.add({"functions",
                parse_header(
                    "name String, is_aggregate UInt8, case_insensitive UInt8, "
                    "alias_to String, create_query String, "
                    "origin Enum8('System' = 0, 'SQLUserDefined' = 1, 'ExecutableUserDefined' = 2, 'WasmUserDefined' = 3), "
                    "description String, syntax String, arguments String, parameters String, "
                    "returned_value String, examples String, introduced_in String, "
                    "categories String, deterministic Nullable(UInt8), "
                    "higher_order Nullable(UInt8)"),
                fill, ""});
}

} // namespace basalt
