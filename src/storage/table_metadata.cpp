#include "storage/table.h"

namespace basalt
{

const ColumnDescription* TableMetadata::find_column(std::string_view name) const
{
    for (const auto& column : columns)
        if (column.name == name)
            return &column;
    return nullptr;
}

Header TableMetadata::physical_header() const
{
    Header header;
    for (const auto& column : columns)
        if (column.default_kind != DefaultKind::Alias &&
            column.default_kind != DefaultKind::Ephemeral)
            header.push_back({column.name, column.type});
    return header;
}

Header TableMetadata::insertable_header() const
{
    Header header;
    for (const auto& column : columns)
        if (column.default_kind == DefaultKind::None ||
            column.default_kind == DefaultKind::Default ||
            column.default_kind == DefaultKind::Ephemeral)
            header.push_back({column.name, column.type});
    return header;
}

const std::string* TableMetadata::find_setting(std::string_view name) const
{
    for (const auto& [key, value] : settings)
        if (key == name)
            return &value;
    return nullptr;
}

} // namespace basalt
