#include "postgres/source_table.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace basalt::pg
{

namespace
{

// Columns with domains resolved to what they are made of: one row for each column of each table.
constexpr const char* kDescribe = R"(
WITH RECURSIVE wanted AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relreplident, c.relhassubclass,
           c.relfilenode,
           (SELECT md5(string_agg(v.xmin::text, ',' ORDER BY v.attnum))
            FROM pg_catalog.pg_attribute v WHERE v.attrelid = c.oid AND v.attnum > 0) AS versions
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE {condition}
    LIMIT {limit}
), types AS (
    SELECT w.oid AS relation, a.attnum, a.atttypid AS type, a.atttypmod AS modifier
    FROM wanted w JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    UNION ALL
    SELECT b.relation, b.attnum, t.typbasetype,
           CASE WHEN b.modifier >= 0 THEN b.modifier ELSE t.typtypmod END
    FROM types b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT w.oid, w.nspname, w.relname, w.relkind, w.relreplident, w.relhassubclass,
       a.attname, a.atttypid, a.atttypmod, a.attnotnull,
       CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN t.typelem ELSE t.oid END,
       b.modifier,
       CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN e.typtype ELSE t.typtype END = 'e',
       CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN greatest(a.attndims, 1) ELSE 0 END,
       coalesce(array_position((p.indkey::int2[])[0:p.indnkeyatts - 1], a.attnum), 0),
       coalesce(array_position((i.indkey::int2[])[0:i.indnkeyatts - 1], a.attnum), 0),
       coalesce(p.indnkeyatts, 0), coalesce(i.indnkeyatts, 0),
       CASE w.relkind WHEN 'p' THEN
           (SELECT md5(string_agg(l.relfilenode::text, ',' ORDER BY l.oid))
            FROM pg_catalog.pg_partition_tree(w.oid) leaf
            JOIN pg_catalog.pg_class l ON l.oid = leaf.relid WHERE leaf.isleaf)
       ELSE w.relfilenode::text END,
       w.versions
FROM wanted w
JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid
JOIN types b ON b.relation = w.oid AND b.attnum = a.attnum
JOIN pg_catalog.pg_type t ON t.oid = b.type AND t.typtype <> 'd'
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
LEFT JOIN pg_catalog.pg_index p ON p.indrelid = w.oid AND p.indisprimary AND p.indisvalid
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = w.oid AND i.indisreplident AND i.indisvalid
ORDER BY w.nspname, w.relname, a.attnum
)";

constexpr std::string_view kFilesMark = " files ";

uint32_t oid_of(const Cell& cell)
{
    return static_cast<uint32_t>(std::stoul(cell.value_or("0")));
}

std::vector<SourceTable> describe(Connection& connection, const std::string& condition,
                                  const std::vector<Cell>& parameters)
{
    std::string sql = kDescribe;
    const auto put = [&](std::string_view name, const std::string& text)
    { sql.replace(sql.find(name), name.size(), text); };
    put("{condition}", condition);
    put("{limit}", std::to_string(kMaxSourceTables + 1));
    std::vector<SourceTable> tables;
    std::vector<std::pair<size_t, size_t>> primary, index; // place in the key, column
    size_t primary_width = 0, index_width = 0;
    const auto finish = [&]
    {
        if (tables.empty())
            return;
        SourceTable& table = tables.back();
        // A key with a generated column is not published whole.
        if (primary.size() != primary_width)
            primary.clear();
        if (index.size() != index_width)
            index.clear();
        std::sort(primary.begin(), primary.end());
        std::sort(index.begin(), index.end());
        table.has_primary_key = !primary.empty();
        const bool by_index = table.identity == ReplicaIdentity::Index && !index.empty();
        for (const auto& [place, column] : by_index ? index : primary)
            table.key.push_back(column);
        for (size_t i = 0; i < table.columns.size(); ++i)
            table.columns[i].is_identity =
                table.identity == ReplicaIdentity::Full ||
                (table.identity != ReplicaIdentity::Nothing &&
                 (by_index || table.identity == ReplicaIdentity::Default) &&
                 std::find(table.key.begin(), table.key.end(), i) != table.key.end());
        primary.clear();
        index.clear();
    };
    for (const Row& row : connection.query(sql, parameters))
    {
        const uint32_t oid = oid_of(row[0]);
        if (tables.empty() || tables.back().oid != oid)
        {
            finish();
            if (tables.size() == kMaxSourceTables)
                throw Error(error_codes::LIMIT_EXCEEDED,
                            fmt::format("The PostgreSQL database has more than {} tables",
                                        kMaxSourceTables));
            SourceTable table;
            table.oid = oid;
            table.schema = *row[1];
            table.name = table.local_name = *row[2];
            table.is_partitioned = *row[3] == "p";
            table.has_children = *row[5] == "t" && !table.is_partitioned;
            table.identity = static_cast<ReplicaIdentity>((*row[4])[0]);
            table.files = row[18].value_or("");
            table.column_versions = row[19].value_or("");
            tables.push_back(std::move(table));
        }
        SourceColumn column;
        column.name = *row[6];
        column.type_oid = oid_of(row[7]);
        column.type_modifier = std::stoi(*row[8]);
        column.type.is_not_null = *row[9] == "t";
        column.type.oid = oid_of(row[10]);
        column.type.modifier = std::stoi(*row[11]);
        column.type.is_enum = row[12] && *row[12] == "t";
        column.type.array_depth = oid_of(row[13]);
        primary_width = oid_of(row[16]);
        index_width = oid_of(row[17]);
        auto& columns = tables.back().columns;
        if (*row[14] != "0")
            primary.emplace_back(oid_of(row[14]), columns.size());
        if (*row[15] != "0")
            index.emplace_back(oid_of(row[15]), columns.size());
        columns.push_back(std::move(column));
    }
    finish();
    return tables;
}

} // namespace

std::string SourceTable::column_list() const
{
    std::string list;
    for (const auto& column : columns)
        list += (list.empty() ? "" : ", ") + quote_name(column.name);
    return list;
}

bool SourceTable::has_identity() const
{
    switch (identity)
    {
    case ReplicaIdentity::Default:
        return has_primary_key;
    case ReplicaIdentity::Nothing:
        return false;
    case ReplicaIdentity::Full:
        return true;
    case ReplicaIdentity::Index:
        return !key.empty();
    }
    return false;
}

std::string SourceTable::fingerprint() const
{
    std::string text = fmt::format("{} {} {}", oid, static_cast<char>(identity),
                                   is_partitioned ? 'p' : 'r');
    for (const auto& column : columns)
        text += fmt::format(" {}:{}:{}:{}", quote_name(column.name), column.type_oid,
                            column.type_modifier, column_type_name(column.type));
    text += " key";
    for (const size_t column : key)
        text += fmt::format(" {}", column);
    return text + fmt::format("{}{} {}", kFilesMark, files, column_versions);
}

bool SourceTable::has_rows_of(const std::string& before) const
{
    const std::string now = fingerprint();
    const size_t at_now = now.rfind(kFilesMark), at_before = before.rfind(kFilesMark);
    if (at_before == std::string::npos || now.substr(0, at_now) != before.substr(0, at_before))
        return false;
    const std::string rest = before.substr(at_before + kFilesMark.size());
    const size_t space = rest.find(' ');
    return rest.substr(0, space) == files ||
           (space != std::string::npos && rest.substr(space + 1) == column_versions);
}

bool SourceTable::matches(const RelationMessage& relation) const
{
    if (relation.oid != oid || relation.identity != identity ||
        relation.columns.size() != columns.size())
        return false;
    for (size_t i = 0; i < columns.size(); ++i)
        if (relation.columns[i].name != columns[i].name ||
            relation.columns[i].type_oid != columns[i].type_oid ||
            relation.columns[i].type_modifier != columns[i].type_modifier)
            return false;
    return true;
}

std::vector<SourceTable> describe_tables(Connection& connection,
                                         const std::set<std::string>& schemas)
{
    std::string list;
    for (const auto& schema : schemas)
        list += (list.empty() ? "" : ", ") + quote_text(schema);
    const std::string condition =
        std::string("c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND NOT c.relispartition "
        "AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
        "AND n.nspname NOT LIKE 'pg\\_toast%' AND n.nspname NOT LIKE 'pg\\_temp%' ")
        +
        (list.empty() ? std::string() : "AND n.nspname IN (" + list + ")");
    return describe(connection, condition, {});
}

std::optional<SourceTable> describe_table(Connection& connection, const std::string& schema,
                                          const std::string& name)
{
    auto tables = describe(connection,
                           "c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = $1 "
                           "AND c.relname = $2",
                           {schema, name});
    if (tables.empty())
        return std::nullopt;
    return std::move(tables[0]);
}

std::vector<SourceLeaf> leaves_of(Connection& connection, const SourceTable& table)
{
    const std::string from =
        table.is_partitioned
            ? fmt::format("(SELECT relid AS oid FROM pg_catalog.pg_partition_tree({}::oid) "
                          "WHERE isleaf) leaf",
                          table.oid)
            : fmt::format("(SELECT {}::oid AS oid) leaf", table.oid);
    std::vector<SourceLeaf> leaves;
    for (const Row& row : connection.query(
             "SELECT n.nspname, c.relname, "
             "pg_catalog.pg_relation_size(c.oid) / current_setting('block_size')::int8 FROM " +
             from +
             " JOIN pg_catalog.pg_class c ON c.oid = leaf.oid "
             "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'"))
        leaves.push_back({quote_name(*row[0]) + "." + quote_name(*row[1]),
                          std::stoull(row[2].value_or("0"))});
    return leaves;
}

} // namespace basalt::pg
