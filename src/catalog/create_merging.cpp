// The arguments of the MergeTree engines that combine rows.

#include "catalog/create_table.h"

#include "base/error.h"
#include "functions/simple_aggregate.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

using Kind = MergingDescription::Kind;

struct Engine
{
    std::string_view name;
    Kind kind;
    size_t least = 0, most = 0; // arguments
    std::string_view arguments;
};

constexpr Engine kEngines[] = {
    {"MergeTree", Kind::Ordinary},
    {"ReplacingMergeTree", Kind::Replacing, 0, 2, "a version column and an is_deleted column"},
    {"SummingMergeTree", Kind::Summing, 0, 1, "a list of columns to sum"},
    {"AggregatingMergeTree", Kind::Aggregating},
    {"CollapsingMergeTree", Kind::Collapsing, 1, 1, "a sign column"},
    {"VersionedCollapsingMergeTree", Kind::VersionedCollapsing, 2, 2,
     "a sign column and a version column"},
    {"CoalescingMergeTree", Kind::Coalescing, 0, 1, "a list of columns to coalesce"},
};

const ColumnDescription* find_stored(const std::vector<ColumnDescription>& columns,
                                     const std::string& name)
{
    for (const auto& column : columns)
        if (column.name == name && column.default_kind != DefaultKind::Alias &&
            column.default_kind != DefaultKind::Ephemeral)
            return &column;
    return nullptr;
}

std::string column_name(const AstPtr& argument)
{
    const auto* name = argument->as<AstIdentifier>();
    if (!name)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The engine's argument {} is not the name of a column",
                                format_query(*argument)));
    std::string text;
    for (const auto& part : name->parts)
        text += (text.empty() ? "" : ".") + part;
    return text;
}

std::vector<std::string> column_list(const AstPtr& argument)
{
    std::vector<std::string> names;
    const auto* tuple = argument->as<AstFunction>();
    if (tuple && tuple->name == "tuple")
        for (const AstPtr& element : tuple->arguments)
            names.push_back(column_name(element));
    else
        names.push_back(column_name(argument));
    return names;
}

void check_sign(const std::vector<ColumnDescription>& columns, const std::string& name,
                std::string_view engine)
{
    const auto* column = find_stored(columns, name);
    if (!column)
        throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                    fmt::format("Sign column {} does not exist in table declaration.", name));
    if (!column->type->is(TypeId::Int8))
        throw Error(error_codes::BAD_TYPE_OF_FIELD,
                    fmt::format("Sign column ({}) for storage {} must have type Int8. Provided "
                                "column of type {}.",
                                name, engine, column->type->name()));
}

bool can_be_version(const TypePtr& type)
{
    const TypePtr bare = remove_low_cardinality(type);
    return bare->is_integer() || bare->is_float() || bare->is(TypeId::Date) ||
           bare->is(TypeId::Date32) || bare->is(TypeId::DateTime) ||
           bare->is(TypeId::DateTime64);
}

void check_version(const std::vector<ColumnDescription>& columns, const std::string& name,
                   std::string_view engine)
{
    const auto* column = find_stored(columns, name);
    if (!column)
        throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                    fmt::format("Version column {} does not exist in table declaration.", name));
    if (!can_be_version(column->type))
        throw Error(error_codes::BAD_TYPE_OF_FIELD,
                    fmt::format("The column {} cannot be used as a version column for storage {} "
                                "because it is of type {} (must be of an integer type or of type "
                                "Date/DateTime/DateTime64).",
                                name, engine, column->type->name()));
}

void check_is_deleted(const std::vector<ColumnDescription>& columns, const std::string& name,
                      std::string_view engine)
{
    const auto* column = find_stored(columns, name);
    if (!column)
        throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                    fmt::format("is_deleted column {} does not exist in table declaration.", name));
    if (!column->type->is(TypeId::UInt8) && !column->type->is(TypeId::Bool))
        throw Error(error_codes::BAD_TYPE_OF_FIELD,
                    fmt::format("is_deleted column ({}) for storage {} must have type UInt8. "
                                "Provided column of type {}.",
                                name, engine, column->type->name()));
}

bool is_set(const TableMetadata& metadata, std::string_view setting)
{
    const std::string* value = metadata.find_setting(setting);
    return value && *value != "0" && *value != "false";
}

// Columns to sum are neither in a key nor unknown; a Nested may be named as a whole.
void check_list(const TableMetadata& metadata, const std::vector<std::string>& names,
                std::string_view what, std::string_view keys_allowed_by)
{
    const auto check_key = [&](const KeyDescription& key, std::string_view key_name)
    {
        for (const auto& name : inputs_of(key.expressions))
            if (std::find(names.begin(), names.end(), name) != names.end())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Columns: {} listed both in columns to {} and in {} key. "
                                        "That is not allowed.",
                                        name, what, key_name));
    };
    for (const auto& name : names)
        if (!find_stored(metadata.columns, name) &&
            std::none_of(metadata.columns.begin(), metadata.columns.end(), [&](const auto& column)
                         { return column.name.starts_with(name + "."); }))
            throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                        fmt::format("Column {} listed in columns to {} does not exist in table "
                                    "declaration.",
                                    name, what));
    if (is_set(metadata, keys_allowed_by))
        return;
    check_key(metadata.partition_key, "partition");
    check_key(metadata.sorting_key, "sorting");
}

bool is_measure(const TypePtr& type)
{
    return type->is(TypeId::AggregateFunction) || type->is(TypeId::SimpleAggregateFunction);
}

// Columns beside measures would keep the value of any row of the group.
void check_dimensions(const TableMetadata& metadata)
{
    if (is_set(metadata, "allow_dimensions_outside_sorting_key"))
        return;
    const auto keys = inputs_of(metadata.sorting_key.expressions);
    bool has_measure = false;
    std::string outside;
    for (const auto& column : metadata.columns)
    {
        if (column.default_kind == DefaultKind::Alias ||
            column.default_kind == DefaultKind::Ephemeral)
            continue;
        if (is_measure(column.type))
            has_measure = true;
        else if (std::find(keys.begin(), keys.end(), column.name) == keys.end())
            outside += (outside.empty() ? "" : ", ") + column.name;
    }
    if (has_measure && !outside.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Column(s) {} of the AggregatingMergeTree table are neither in "
                                "the sorting key nor AggregateFunction or "
                                "SimpleAggregateFunction: a merge would keep the value of any row "
                                "of a group. Put them into ORDER BY, or set "
                                "allow_dimensions_outside_sorting_key = 1 if that is meant",
                                outside));
}

// The function's result must be what the column stores.
void check_simple_functions(const std::vector<ColumnDescription>& columns)
{
    for (const auto& column : columns)
    {
        if (!column.type->is(TypeId::SimpleAggregateFunction))
            continue;
        const auto& type = type_as<SimpleAggregateFunctionType>(column.type);
        const auto function = simple_aggregate_of(type);
        const TypePtr stored = remove_low_cardinality(type.nested());
        if (function->result_type()->name() != stored->name())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Incompatible data types between aggregate function '{}' "
                                    "which returns {} and column storage type {}",
                                    type.function_text(), function->result_type()->name(),
                                    stored->name()));
    }
}

} // namespace

void bind_merging(const std::string& engine, const AstList& arguments, TableMetadata& metadata,
                  bool is_new)
{
    const auto* found = std::find_if(std::begin(kEngines), std::end(kEngines),
                                     [&](const Engine& one) { return one.name == engine; });
    if (found == std::end(kEngines))
        return;
    if (arguments.size() < found->least || arguments.size() > found->most)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    found->most == 0
                        ? fmt::format("Storage {} takes no parameters", engine)
                        : fmt::format("Storage {} takes {} to {} parameters: {}", engine,
                                      found->least, found->most, found->arguments));
    MergingDescription merging;
    merging.kind = found->kind;
    const auto& columns = metadata.columns;
    switch (found->kind)
    {
    case Kind::Ordinary:
        break;
    case Kind::Aggregating:
        if (is_new)
            check_dimensions(metadata);
        break;
    case Kind::Replacing:
        if (arguments.size() == 2)
        {
            merging.is_deleted = column_name(arguments[1]);
            check_is_deleted(columns, merging.is_deleted, engine);
        }
        if (!arguments.empty())
        {
            merging.version = column_name(arguments[0]);
            check_version(columns, merging.version, engine);
        }
        if (!merging.version.empty() && merging.version == merging.is_deleted)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The version and is_deleted column cannot be the same column "
                                    "({}).",
                                    merging.version));
        break;
    case Kind::Summing:
    case Kind::Coalescing:
        if (!arguments.empty())
        {
            merging.columns = column_list(arguments[0]);
            const bool sums = found->kind == Kind::Summing;
            check_list(metadata, merging.columns, sums ? "sum" : "coalesce",
                       sums ? "allow_summing_columns_in_partition_or_order_key"
                            : "allow_coalescing_columns_in_partition_or_order_key");
        }
        break;
    case Kind::Collapsing:
    case Kind::VersionedCollapsing:
        merging.sign = column_name(arguments[0]);
        check_sign(columns, merging.sign, engine);
        if (found->kind == Kind::Collapsing)
            break;
        merging.version = column_name(arguments[1]);
        check_version(columns, merging.version, engine);
        auto& key = metadata.sorting_key;
        const bool is_in_key = std::any_of(
            key.expressions.begin(), key.expressions.end(), [&](const ExpressionPtr& part)
            { return part->kind() == ExpressionKind::Input && part->name() == merging.version; });
        if (!is_in_key)
        {
            key.text += (key.text.empty() ? "" : ", ") + quote_identifier_if_needed(merging.version);
            key.expressions.push_back(
                Expression::input(merging.version, find_stored(columns, merging.version)->type));
            key.descending.resize(key.expressions.size(), false);
        }
        break;
    }
    if (is_new)
        check_simple_functions(columns);
    metadata.merging = std::move(merging);
}

} // namespace basalt
