#include "values.h"

#include <fmt/format.h>

namespace basalt::sim
{

namespace
{

constexpr int64_t kTimeBase = 1'700'000'000;

const std::vector<std::string>& all_types()
{
    static const std::vector<std::string> types = {
        "UInt16",         "Int64",          "Nullable(Int32)",     "Float64",
        "String",         "String",         "LowCardinality(String)", "DateTime",
        "Array(UInt16)",  "UUID",           "Decimal(9, 2)",       "FixedString(4)",
        "Date",           "Nullable(String)", "Bool",              "Map(String, UInt8)",
        "Enum8('a' = 1, 'bc' = 2)", "UInt8"};
    return types;
}

std::vector<std::string> codecs_of(const std::string& type)
{
    if (type == "UInt16" || type == "Int64" || type == "UInt8" || type == "DateTime" ||
        type == "Date")
        return {"", "", "LZ4", "ZSTD(1)", "Delta, LZ4", "DoubleDelta, ZSTD(1)", "T64, LZ4", "NONE"};
    if (type == "Float64")
        return {"", "", "Gorilla, LZ4", "ZSTD(1)"};
    return {"", "", "LZ4", "ZSTD(3)", "NONE"};
}

std::string hex(Dice& dice, size_t digits)
{
    std::string text;
    while (text.size() < digits)
        text += "0123456789abcdef"[dice.below(16)];
    return text;
}

std::string random_string(Dice& dice)
{
    switch (dice.below(9))
    {
    case 0:
        return "";
    case 1:
        return hex(dice, 32);
    case 2:
        return fmt::format("tab\\tand {} line\\nof \\\\ text", dice.below(100));
    case 3:
        return dice.pick<std::string>({"GET", "POST", "ok", "été", "a"});
    case 4:
        return fmt::format("{}-{}-{}-{}-{}", hex(dice, 8), hex(dice, 4), hex(dice, 4),
                           hex(dice, 4), hex(dice, 12));
    default:
        return fmt::format("user {} logged in from 10.{}.0.{} after {} ms, request {}",
                           dice.below(1000), dice.below(9), dice.below(256), dice.below(100000),
                           hex(dice, 16));
    }
}

} // namespace

std::string random_key(Dice& dice)
{
    return fmt::format("host-{}", dice.below(6));
}

Column random_column(Dice& dice, std::string name)
{
    Column column;
    column.name = std::move(name);
    column.type = dice.pick(all_types());
    column.codec = dice.pick(codecs_of(column.type));
    column.fallback = default_cell(column.type);
    return column;
}

std::string random_cell(Dice& dice, const std::string& type)
{
    if (type.starts_with("Nullable("))
        return dice.one_in(4) ? "\\N" : random_cell(dice, type.substr(9, type.size() - 10));
    if (type == "UInt8")
        return std::to_string(dice.below(256));
    if (type == "UInt16" || type == "UInt32" || type == "UInt64")
        return std::to_string(dice.one_in(5) ? dice.below(65536) : dice.below(50));
    if (type == "Int32")
        return std::to_string(static_cast<int64_t>(dice.below(2000)) - 1000);
    if (type == "Int64")
        return std::to_string(static_cast<int64_t>(dice.below(uint64_t{1} << dice.between(1, 40))) -
                              500);
    if (type == "Float64")
        return fmt::format("{}{}", dice.below(1000), dice.pick<std::string>({"", ".5", ".25"}));
    if (type == "DateTime")
        return time_text(kTimeBase + static_cast<int64_t>(dice.below(100000)));
    if (type == "Date")
        return time_text(kTimeBase + static_cast<int64_t>(dice.below(400)) * 86400).substr(0, 10);
    if (type == "Array(UInt16)")
    {
        std::string text;
        for (uint64_t n = dice.below(4); n > 0; --n)
            text += fmt::format("{}{}", text.empty() ? "" : ",", dice.below(3000));
        return "[" + text + "]";
    }
    if (type == "Map(String, UInt8)")
        return dice.one_in(4) ? "{}" : fmt::format("{{'a':{},'key{}':{}}}", dice.below(9),
                                                   dice.below(3), dice.below(200));
    if (type == "UUID")
        return fmt::format("{}-{}-4{}-8{}-{}", hex(dice, 8), hex(dice, 4), hex(dice, 3),
                           hex(dice, 3), hex(dice, 12));
    if (type == "Decimal(9, 2)")
        return fmt::format("{}{}", dice.below(100000), dice.pick<std::string>({"", ".5", ".25"}));
    if (type == "FixedString(4)")
        return hex(dice, 4);
    if (type == "Bool")
        return dice.one_in(2) ? "true" : "false";
    if (type.starts_with("Enum8"))
        return dice.one_in(2) ? "a" : "bc";
    if (type == "LowCardinality(String)")
        return dice.one_in(9) ? random_string(dice) : random_key(dice);
    return random_string(dice);
}

std::string default_cell(const std::string& type)
{
    if (type.starts_with("Nullable("))
        return "\\N";
    if (type.ends_with("String)") || type == "String")
        return "";
    if (type.starts_with("Array"))
        return "[]";
    if (type.starts_with("Map"))
        return "{}";
    if (type == "UUID")
        return "00000000-0000-0000-0000-000000000000";
    if (type == "FixedString(4)")
        return "\\0\\0\\0\\0";
    if (type == "Date")
        return "1970-01-01";
    if (type == "DateTime")
        return "1970-01-01 00:00:00";
    if (type == "Bool")
        return "false";
    if (type.starts_with("Enum8"))
        return "a";
    return "0";
}

std::string sql_literal(const std::string& cell, const std::string& type)
{
    if (cell == "\\N")
        return fmt::format("CAST(NULL, '{}')", type);
    std::string quoted;
    for (const char c : cell)
        quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
    std::string type_text;
    for (const char c : type)
        type_text += c == '\'' ? std::string("\\'") : std::string(1, c);
    return fmt::format("CAST('{}', '{}')", quoted, type_text);
}

std::string wider_type(const std::string& type)
{
    if (type == "UInt8")
        return "UInt16";
    if (type == "UInt16")
        return "UInt32";
    if (type == "UInt32")
        return "Int64";
    if (type == "Int64" || type == "Date" || type == "DateTime")
        return "String";
    if (type == "String")
        return "LowCardinality(String)";
    if (type == "LowCardinality(String)")
        return "String";
    return {};
}

Predicate random_predicate(Dice& dice, const SimTable& table, uint64_t max_id)
{
    for (;;)
    {
        switch (dice.below(8))
        {
        case 0:
        {
            const uint64_t modulo = dice.between(2, 9), rest = dice.below(modulo);
            return {fmt::format("id % {} = {}", modulo, rest),
                    [=](const Cells& cells) { return std::stoull(cells[kId]) % modulo == rest; }};
        }
        case 1:
        {
            const uint64_t first = dice.below(max_id + 1), end = first + dice.below(60);
            return {fmt::format("id >= {} AND id < {}", first, end), [=](const Cells& cells)
                    {
                        const uint64_t id = std::stoull(cells[kId]);
                        return id >= first && id < end;
                    }};
        }
        case 2:
        {
            const std::string key = random_key(dice);
            return {fmt::format("k = '{}'", key),
                    [=](const Cells& cells) { return cells[kKey] == key; }};
        }
        case 3:
        {
            const std::string partition = std::to_string(dice.below(3));
            const std::string key = random_key(dice);
            return {fmt::format("p = {} AND k <= '{}'", partition, key), [=](const Cells& cells)
                    { return cells[kPartition] == partition && cells[kKey] <= key; }};
        }
        case 4:
        {
            const uint64_t id = dice.below(max_id + 1);
            return {fmt::format("id IN ({}, {})", id, id + 7), [=](const Cells& cells)
                    { return cells[kId] == std::to_string(id) || cells[kId] == std::to_string(id + 7); }};
        }
        default:
            break;
        }
        // One of the other columns.
        if (table.columns.size() <= kFixedColumns)
            continue;
        const size_t at = dice.between(kFixedColumns, table.columns.size() - 1);
        const Column& column = table.columns[at];
        if (column.type == "UInt8" || column.type == "UInt16" || column.type == "UInt32" ||
            column.type == "Int64" || column.type == "Nullable(Int32)")
        {
            const auto bound = static_cast<int64_t>(dice.below(60));
            return {fmt::format("{} < {}", column.name, bound), [=](const Cells& cells)
                    { return cells[at] != "\\N" && std::stoll(cells[at]) < bound; }};
        }
        if (column.type == "String" || column.type == "LowCardinality(String)")
        {
            // Of some row, so that it is often found.
            std::string cell = random_cell(dice, "String");
            if (!table.rows.empty() && !dice.one_in(3))
                cell = std::next(table.rows.begin(),
                                 static_cast<ptrdiff_t>(dice.below(table.rows.size())))
                           ->second.cells[at];
            if (dice.one_in(2))
                return {fmt::format("{} LIKE '%user {}%'", column.name, cell.size()),
                        [=, needle = fmt::format("user {}", cell.size())](const Cells& cells)
                        { return cells[at].find(needle) != std::string::npos; }};
            return {fmt::format("{} = {}", column.name, sql_literal(cell, "String")),
                    [=](const Cells& cells) { return cells[at] == cell; }};
        }
    }
}

} // namespace basalt::sim
