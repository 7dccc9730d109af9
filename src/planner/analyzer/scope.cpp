#include "planner/analyzer/scope.h"

#include "base/error.h"
#include "binder/binder.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string joined(const std::vector<std::string>& parts, size_t begin, size_t end)
{
    std::string text = parts[begin];
    for (size_t i = begin + 1; i < end; ++i)
        text += "." + parts[i];
    return text;
}

bool has_parts(const ExpressionPtr& value, const std::vector<std::string>& parts, size_t from,
               const QueryContext& context)
{
    ExpressionPtr part = value;
    for (size_t i = from; i < parts.size() && part; ++i)
        part = subcolumn_of(part, parts[i], context);
    return part != nullptr;
}

// The longest prefix of parts[first…] that names one of the columns.
ColumnReference find_in(const std::vector<ScopeColumn>& columns,
                        const std::unordered_map<std::string, size_t>* by_name,
                        const std::vector<std::string>& parts, size_t first,
                        const QueryContext& context)
{
    for (size_t end = parts.size(); end > first; --end)
    {
        const std::string name = joined(parts, first, end);
        size_t at = columns.size();
        if (by_name)
        {
            if (auto it = by_name->find(name); it != by_name->end())
                at = it->second;
        }
        else
            for (size_t i = 0; i < columns.size(); ++i)
                if (columns[i].name == name)
                    at = i;
        if (at < columns.size() && has_parts(columns[at].value, parts, end, context))
        {
            ColumnReference found;
            found.place = ColumnReference::Place::Table;
            found.column = at;
            found.used_parts = end;
            return found;
        }
    }
    return {};
}

ColumnReference find_in_table(const ScopeTable& table, const std::vector<std::string>& parts,
                              const QueryContext& context, bool& qualified)
{
    for (const auto& qualifier : table.qualifiers)
    {
        if (parts.size() <= qualifier.size() ||
            !std::equal(qualifier.begin(), qualifier.end(), parts.begin()))
            continue;
        auto found = find_in(table.columns, &table.by_name, parts, qualifier.size(), context);
        if (found.place != ColumnReference::Place::None)
        {
            qualified = true;
            return found;
        }
    }
    qualified = false;
    return find_in(table.columns, &table.by_name, parts, 0, context);
}

} // namespace

ColumnReference FromScope::find(const std::vector<std::string>& parts,
                                const QueryContext& context) const
{
    if (auto found = find_in(array_joined, nullptr, parts, 0, context);
        found.place != ColumnReference::Place::None)
    {
        found.place = ColumnReference::Place::ArrayJoin;
        return found;
    }
    if (auto found = find_in(using_columns, nullptr, parts, 0, context);
        found.place != ColumnReference::Place::None)
    {
        found.place = ColumnReference::Place::Using;
        return found;
    }
    std::vector<ColumnReference> plain, qualified_ones;
    for (size_t t = 0; t < tables.size(); ++t)
    {
        bool qualified = false;
        auto found = find_in_table(tables[t], parts, context, qualified);
        if (found.place == ColumnReference::Place::None)
            continue;
        found.table = t;
        (qualified ? qualified_ones : plain).push_back(found);
    }
    const auto& found = qualified_ones.empty() ? plain : qualified_ones;
    if (found.empty())
        return {};
    // A visible column goes before a virtual one of the same name.
    std::vector<ColumnReference> visible;
    for (const ColumnReference& reference : found)
        if (!column(reference).hidden)
            visible.push_back(reference);
    const auto& candidates = visible.empty() ? found : visible;
    if (candidates.size() == 1 || (tables.size() == 2 && prefer_left))
        return candidates[0];
    throw Error(error_codes::AMBIGUOUS_IDENTIFIER,
                fmt::format("JOIN has ambiguous identifier '{}'", joined(parts, 0, parts.size())));
}

const ScopeColumn& FromScope::column(const ColumnReference& reference) const
{
    switch (reference.place)
    {
    case ColumnReference::Place::Using:
        return using_columns[reference.column];
    case ColumnReference::Place::ArrayJoin:
        return array_joined[reference.column];
    default:
        return tables[reference.table].columns[reference.column];
    }
}

ScopeColumn& FromScope::column(const ColumnReference& reference)
{
    return const_cast<ScopeColumn&>(std::as_const(*this).column(reference));
}

std::vector<std::string> FromScope::shortest_name(size_t table, size_t column,
                                                  const QueryContext& context) const
{
    const ScopeTable& owner = tables[table];
    const std::string& name = owner.columns[column].name;
    if (tables.size() == 1)
        return {name};
    for (const ScopeColumn& merged : using_columns)
        if (merged.name == name && table == 0)
            return {name};
    try
    {
        const auto found = find({name}, context);
        if (found.place == ColumnReference::Place::Table && found.table == table &&
            found.column == column)
            return {name};
    }
    catch (const Error&)
    {
        // Ambiguous: it needs its table.
    }
    return owner.label.empty() ? std::vector<std::string>{name}
                               : std::vector<std::string>{owner.label, name};
}

void FromScope::replace_values(const std::unordered_map<std::string, ExpressionPtr>& by_id,
                               const QueryContext& context)
{
    auto replace = [&](std::vector<ScopeColumn>& columns)
    {
        for (ScopeColumn& column : columns)
            column.value = replace_inputs(column.value, by_id, context);
    };
    for (ScopeTable& table : tables)
        replace(table.columns);
    replace(using_columns);
    replace(array_joined);
}

std::vector<std::string> FromScope::names() const
{
    std::vector<std::string> result;
    for (const ScopeColumn& column : array_joined)
        result.push_back(column.name);
    for (const ScopeTable& table : tables)
        for (const ScopeColumn& column : table.columns)
            if (!column.hidden)
                result.push_back(column.name);
    return result;
}

} // namespace basalt
