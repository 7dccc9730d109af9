#include "catalog/function_table.h"

#include "binder/binder.h"
#include "sql/ast_create.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

FunctionTable::FunctionTable(std::string function, std::string engine, Header columns)
    : function_(std::move(function)), engine_(std::move(engine))
{
    auto metadata = std::make_shared<TableMetadata>();
    for (NamedType& column : columns)
    {
        ColumnDescription description;
        description.name = std::move(column.name);
        description.type = std::move(column.type);
        metadata->columns.push_back(std::move(description));
    }
    metadata_ = std::move(metadata);
}

BlocksTable::BlocksTable(std::string function, std::string engine, Header columns,
                         std::vector<Block> blocks)
    : FunctionTable(std::move(function), std::move(engine), std::move(columns)),
      blocks_(std::move(blocks))
{
}

std::unique_ptr<Scan> BlocksTable::scan(const ScanRequest& request, QueryContextPtr context)
{
    return scan_blocks(blocks_, metadata()->physical_header(), request, std::move(context));
}

std::optional<uint64_t> BlocksTable::total_rows() const
{
    uint64_t rows = 0;
    for (const Block& block : blocks_)
        rows += block.rows();
    return rows;
}

uint64_t table_function_uint(const TableFunctionArgument& argument, const std::string& what)
{
    if (const auto* number = argument.value.get_if<uint64_t>())
        return *number;
    if (const auto* number = argument.value.get_if<int64_t>(); number && *number >= 0)
        return static_cast<uint64_t>(*number);
    if (const auto* number = argument.value.get_if<double>();
        number && *number >= 0 && *number < 1.8e19 &&
        *number == static_cast<double>(static_cast<uint64_t>(*number)))
        return static_cast<uint64_t>(*number);
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Table function '{}' requires a non-negative integer, got {}", what,
                            argument.value.to_text()));
}

std::string table_function_text(const TableFunctionArgument& argument, const std::string& what)
{
    if (const auto* text = argument.value.get_if<std::string>())
        return *text;
    if (argument.ast)
        if (const auto* identifier = argument.ast->as<AstIdentifier>())
            return identifier->full_name();
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Table function '{}' requires a string here", what));
}

Header columns_of_structure(const std::string& structure)
{
    Header header;
    for (const AstPtr& ast : parse_column_declarations(structure))
    {
        const auto& column = *ast->as<AstColumnDeclaration>();
        if (!column.type)
            throw Error(error_codes::SYNTAX_ERROR,
                        fmt::format("Column {} of the structure has no type", column.name));
        TypePtr type = type_from_name(column.type->as<AstTypeName>()->to_text());
        if (column.null_modifier == NullModifier::Null)
            type = make_nullable(type);
        header.push_back({column.name, std::move(type)});
    }
    return header;
}

} // namespace basalt
