// CHECK TABLE: every byte of parts is read, every page decoded.

#include "base/error.h"
#include "engine/mutation.h"
#include "engine/statement.h"
#include "storage/mergetree/merge_tree_table.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

struct CheckedTable
{
    TableName name;
    std::vector<CheckedPart> parts;
};

CheckedTable check_table(const AstCheck& check, const TablePtr& table, StatementContext& statement)
{
    auto* merge_tree = dynamic_cast<MergeTreeTable*>(table.get());
    if (!merge_tree)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Check query is not supported for {} storage",
                                table->engine_name()));
    std::string partition_id, part_name;
    if (check.partition)
    {
        const auto& partition = *check.partition->as<AstPartition>();
        const std::string text =
            partition.all ? ""
                          : partition_id_of_ast(partition, *table->metadata(), *statement.context);
        (partition.is_part ? part_name : partition_id) = text;
    }
    return {table->table_name(),
            merge_tree->check_parts(partition_id, part_name, *statement.context)};
}

Header header_of(bool single, bool all_tables)
{
    if (single)
        return {{"result", simple_type(TypeId::UInt8)}};
    const TypePtr text = simple_type(TypeId::String);
    Header header;
    if (all_tables)
        header = {{"database", text}, {"table", text}};
    header.push_back({"part_path", text});
    header.push_back({"is_passed", simple_type(TypeId::Bool)});
    header.push_back({"message", text});
    return header;
}

} // namespace

ResultPtr run_check(const AstCheck& check, StatementContext& statement)
{
    std::vector<CheckedTable> tables;
    auto& catalog = statement.engine.catalog();
    if (check.all_tables)
    {
        for (const auto& database : catalog.databases())
            for (const auto& table : catalog.tables(database.name))
                if (dynamic_cast<MergeTreeTable*>(table.get()))
                    tables.push_back(check_table(check, table, statement));
    }
    else
        tables.push_back(check_table(check, statement.get_table(check.table), statement));
    const bool single = !check.all_tables &&
                        statement.context->settings.get_bool("check_query_single_value_result");
    const Header header = header_of(single, check.all_tables);
    std::vector<MutableColumnPtr> columns;
    for (const auto& column : header)
        columns.push_back(column.type->create_column());
    bool all_passed = true;
    for (const auto& table : tables)
        for (const auto& part : table.parts)
        {
            all_passed &= part.problem.empty();
            if (single)
                continue;
            size_t at = 0;
            if (check.all_tables)
            {
                columns[at++]->append_value(table.name.database);
                columns[at++]->append_value(table.name.table);
            }
            columns[at++]->append_value(part.name);
            columns[at++]->append_value(uint64_t{part.problem.empty()});
            columns[at++]->append_value(part.problem);
        }
    if (single)
        columns[0]->append_value(uint64_t{all_passed});
    Block block;
    for (size_t i = 0; i < header.size(); ++i)
        block.add({std::move(columns[i]), header[i].type, header[i].name});
    return result_of_blocks(header, {std::move(block)});
}

} // namespace basalt
