#include "system/system_tables.h"

#include "engine/external_table.h"

#include "base/error.h"
#include "binder/binder.h"
#include "columns/serialization.h"
#include "sql/ast_create.h"
#include "sql/parser.h"
#include "system/information_schema.h"
#include "system/pg_catalog.h"
#include "storage/table.h"

#include <fmt/format.h>

namespace basalt
{

const char* default_kind_text(DefaultKind kind)
{
    switch (kind)
    {
    case DefaultKind::None:
        return "";
    case DefaultKind::Default:
        return "DEFAULT";
    case DefaultKind::Materialized:
        return "MATERIALIZED";
    case DefaultKind::Ephemeral:
        return "EPHEMERAL";
    case DefaultKind::Alias:
        return "ALIAS";
    }
    return "";
}

Header parse_header(std::string_view columns)
{
    return parse_structure(columns);
}

RowBuilder::RowBuilder(const Header& header) : header_(header)
{
    for (const auto& column : header_)
    {
        columns_.push_back(column.type->create_column());
        defaults_.push_back(column.type->default_value());
    }
}

size_t RowBuilder::position(std::string_view column) const
{
    for (size_t i = 0; i < header_.size(); ++i)
        if (header_[i].name == column)
            return i;
    std::fprintf(stderr, "basalt: no system column %.*s\n", static_cast<int>(column.size()),
                 column.data());
    BASALT_ASSERT(!"a system table sets a column that it does not have");
    return 0;
}

void RowBuilder::fill(size_t column, size_t rows)
{
    while (columns_[column]->size() < rows)
        columns_[column]->append_value(defaults_[column]);
}

void RowBuilder::add_row()
{
    ++rows_;
}

void RowBuilder::set_value(std::string_view column, const Value& value)
{
    const size_t at = position(column);
    fill(at, rows_ - 1);
    BASALT_ASSERT(columns_[at]->size() == rows_ - 1);
    if (value.is_null())
    {
        columns_[at]->append_value(value);
        return;
    }
    const auto converted = convert_value(value, header_[at].type);
    BASALT_ASSERT(converted.has_value());
    columns_[at]->append_value(*converted);
}

void RowBuilder::set(std::string_view column, std::string_view text)
{
    set_value(column, Value(std::string(text)));
}

void RowBuilder::set_uint(std::string_view column, uint64_t value)
{
    set_value(column, Value(value));
}

void RowBuilder::set_int(std::string_view column, int64_t value)
{
    set_value(column, Value(value));
}

void RowBuilder::set_float(std::string_view column, double value)
{
    set_value(column, Value(value));
}

void RowBuilder::set_texts(std::string_view column, const std::vector<std::string>& texts)
{
    ArrayValue array;
    for (const auto& text : texts)
        array.items.push_back(Value(text));
    set_value(column, Value(std::move(array)));
}

void RowBuilder::set_map(std::string_view column,
                         const std::vector<std::pair<std::string, std::string>>& pairs)
{
    MapValue map;
    for (const auto& [key, value] : pairs)
        map.items.push_back(Value(TupleValue{{Value(key), Value(value)}}));
    set_value(column, Value(std::move(map)));
}

void RowBuilder::set_uint_map(std::string_view column,
                              const std::vector<std::pair<std::string, uint64_t>>& pairs)
{
    MapValue map;
    for (const auto& [key, value] : pairs)
        map.items.push_back(Value(TupleValue{{Value(key), Value(value)}}));
    set_value(column, Value(std::move(map)));
}

Block RowBuilder::finish()
{
    std::vector<NamedColumn> columns;
    for (size_t i = 0; i < header_.size(); ++i)
    {
        fill(i, rows_);
        columns.push_back({columns_[i], header_[i].type, header_[i].name});
    }
    return Block(std::move(columns), rows_);
}

namespace
{

std::string camel_case(const std::string& name)
{
    std::string out;
    bool upper = true;
    for (char c : name)
    {
        if (c == '_')
        {
            upper = true;
            continue;
        }
        out.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
        upper = false;
    }
    return out;
}

class SystemTable : public Table
{
public:
    SystemTable(Engine& engine, SystemTableDefinition definition)
        : engine_(engine), definition_(std::move(definition))
    {
        auto metadata = std::make_shared<TableMetadata>();
        for (const auto& column : definition_.columns)
        {
            ColumnDescription description;
            description.name = column.name;
            description.type = column.type;
            metadata->columns.push_back(std::move(description));
        }
        const QueryContextPtr context = engine.make_context();
        for (const auto& [name, text] : definition_.aliases)
        {
            ColumnDescription description;
            description.name = name;
            description.default_kind = DefaultKind::Alias;
            description.default_text = text;
            description.default_expression =
                bind_expression(*parse_expression(text), definition_.columns, *context);
            description.type = description.default_expression->type();
            metadata->columns.push_back(std::move(description));
        }
        metadata_ = std::move(metadata);
        if (definition_.engine_name.empty())
            definition_.engine_name = "System" + camel_case(definition_.name);
    }

    std::string engine_name() const override { return definition_.engine_name; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override { return {definition_.database, definition_.name}; }
    std::string uuid() const override { return ""; }

    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        RowBuilder rows(definition_.columns);
        definition_.fill(engine_, *context, rows);
        return scan_blocks({rows.finish()}, definition_.columns, request, std::move(context));
    }

private:
    Engine& engine_;
    SystemTableDefinition definition_;
    TableMetadataPtr metadata_;
};

} // namespace

void add_system_table(Engine& engine, SystemTableDefinition definition)
{
    engine.catalog().add_system_table(std::make_shared<SystemTable>(engine, std::move(definition)));
}

void register_system_tables(Engine& engine)
{
    auto& catalog = engine.catalog();
    if (!catalog.database_exists("system"))
        catalog.create_database({"system", "Atomic", "", "", true}, true);
    SystemTables tables;
    register_all_table(tables);
    for (const auto& definition : tables.list())
        catalog.add_system_table(std::make_shared<SystemTable>(engine, definition));
    register_information_schema(engine);
    register_pg_catalog(engine);
}

} // namespace basalt
