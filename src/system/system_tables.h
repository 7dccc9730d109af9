#pragma once

// Tables of the database `system`: one file each in table/, over the state of the engine. Column
// names and types are ClickHouse's; columns whose subject does not exist here hold defaults.

#include "columns/block.h"
#include "engine/engine.h"

#include <functional>
#include <string>
#include <vector>

namespace basalt
{

// Builds rows column by column, by name, in the order of a header. Columns that a row does not set
// get their type's default.
class RowBuilder
{
public:
    explicit RowBuilder(const Header& header);

    void add_row();
    // The value must be of the kind that the column holds (convert_value rules apply).
    void set_value(std::string_view column, const Value& value);
    void set(std::string_view column, std::string_view text);
    void set_uint(std::string_view column, uint64_t value);
    void set_int(std::string_view column, int64_t value);
    void set_float(std::string_view column, double value);
    void set_texts(std::string_view column, const std::vector<std::string>& texts);
    void set_map(std::string_view column,
                 const std::vector<std::pair<std::string, std::string>>& pairs);
    void set_uint_map(std::string_view column,
                      const std::vector<std::pair<std::string, uint64_t>>& pairs);

    size_t rows() const { return rows_; }
    Block finish();

private:
    size_t position(std::string_view column) const;
    void fill(size_t column, size_t rows); // defaults up to `rows`

    Header header_;
    std::vector<MutableColumnPtr> columns_;
    std::vector<Value> defaults_;
    size_t rows_ = 0;
};

struct SystemTableDefinition
{
    std::string name;
    Header columns;
    // Fills the rows as they are now. Threads: any.
    std::function<void(Engine&, const QueryContext&, RowBuilder&)> fill;
    std::string engine_name; // "" = "System" + name in camel case
    // ALIAS columns, name and expression: other names that older clients ask for.
    std::vector<std::pair<std::string, std::string>> aliases = {};
    std::string database = "system";
};

class SystemTables
{
public:
    void add(SystemTableDefinition definition) { list_.push_back(std::move(definition)); }
    const std::vector<SystemTableDefinition>& list() const { return list_; }

private:
    std::vector<SystemTableDefinition> list_;
};

// DEFAULT, MATERIALIZED, EPHEMERAL, ALIAS or nothing.
const char* default_kind_text(DefaultKind kind);

// "name String, is_x UInt8" as ClickHouse writes column lists, to a header.
Header parse_header(std::string_view columns);

// A table of a room that this one does not know.
void add_system_table(Engine& engine, SystemTableDefinition definition);
// Makes the databases system and INFORMATION_SCHEMA with all their tables.
void register_system_tables(Engine& engine);
void register_all_table(SystemTables& tables); // generated

} // namespace basalt
