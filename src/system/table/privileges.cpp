#include "system/access_rows.h"

#include <algorithm>

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    const auto add = [&](std::string_view name, std::string_view aliases, std::string_view level,
                         std::string_view parent)
    {
        rows.add_row();
        rows.set("privilege", name);
        std::vector<std::string> texts;
        for (size_t begin = 0; begin < aliases.size();)
        {
            const size_t end = std::min(aliases.find('|', begin), aliases.size());
            texts.emplace_back(aliases.substr(begin, end - begin));
            begin = end + 1;
        }
        rows.set_texts("aliases", texts);
        if (!level.empty())
            rows.set("level", level);
        if (!parent.empty())
            rows.set("parent_group", parent);
    };
    for (const auto& one : privilege_definitions())
        add(one.name, one.aliases, one.level, one.parent);
    add("ALL", "ALL PRIVILEGES", "", "");
    add("NONE", "USAGE|NO PRIVILEGES", "", "");
}


} // namespace

void register_privileges(SystemTables& tables)
{
    tables.add({"privileges",
                parse_header(
                    "privilege " + privilege_enum_type() +
                    ", aliases Array(String), level Nullable(Enum8('GLOBAL' = 0, 'DATABASE' = 1, "
                    "'TABLE' = 2, 'DICTIONARY' = 3, 'VIEW' = 4, 'COLUMN' = 5, 'NAMED_COLLECTION' = "
                    "6, 'USER_NAME' = 7, 'TABLE_ENGINE' = 8, 'DEFINER' = 9, 'SOURCE' = 10)), "
                    "parent_group Nullable(" + privilege_enum_type() + ")"),
                fill, ""});
}

} // namespace basalt
