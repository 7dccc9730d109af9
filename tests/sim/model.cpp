#include "model.h"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>

namespace basalt::sim
{

std::string time_text(int64_t unix_s)
{
    const time_t time = unix_s;
    tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

int64_t time_of_text(const std::string& text)
{
    tm parts{};
    strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
    return timegm(&parts);
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> pieces;
    size_t at = 0;
    while (at < text.size())
    {
        const size_t end = std::min(text.find(separator, at), text.size());
        pieces.push_back(text.substr(at, end - at));
        at = end + 1;
        if (at == text.size() && separator != '\n')
            pieces.emplace_back();
    }
    return pieces;
}

size_t SimTable::find_column(const std::string& name) const
{
    size_t at = 0;
    while (at < columns.size() && columns[at].name != name)
        ++at;
    return at;
}

void SimTable::remove_where(const Predicate& predicate)
{
    for (auto& [id, row] : rows)
    {
        if (row.deleted || !predicate.holds(row.cells))
            continue;
        row.earlier.push_back(row.cells);
        row.deleted = true;
    }
}

void SimTable::update_where(const Predicate& predicate, size_t column,
                            const std::function<std::string(const std::string&)>& change)
{
    for (auto& [id, row] : rows)
    {
        if (row.deleted || !predicate.holds(row.cells))
            continue;
        row.earlier.push_back(row.cells);
        row.cells[column] = change(row.cells[column]);
    }
}

void SimTable::settle()
{
    for (auto row = rows.begin(); row != rows.end();)
    {
        if (row->second.deleted)
        {
            row = rows.erase(row);
            continue;
        }
        row->second.earlier.clear();
        ++row;
    }
}

std::string SimTable::description() const
{
    std::string text;
    for (const auto& column : columns)
        text += fmt::format("{} {}, ", column.name, column.type);
    text += ttl_s ? fmt::format("TTL {}", ttl_s) : "no TTL";
    for (const auto& index : indexes)
        text += ", " + index;
    return text;
}

bool SimTable::is_settled() const
{
    for (const auto& [id, row] : rows)
        if (row.deleted || !row.earlier.empty())
            return false;
    return true;
}

void SimTable::note_time(int64_t unix_s)
{
    if (!ttl_s)
        return;
    for (auto& [id, row] : rows)
        if (time_of_text(row.cells[kTime]) + ttl_s <= unix_s)
            row.may_be_gone = true;
}

std::string SimTable::judge(const std::vector<std::string>& lines, bool settled)
{
    std::map<uint64_t, int> seen;
    for (const auto& line : lines)
    {
        const Cells cells = split(line, '\t');
        if (cells.size() != columns.size())
            return fmt::format("a row has {} columns instead of {}: {}", cells.size(),
                               columns.size(), line);
        const uint64_t id = std::stoull(cells[kId]);
        const auto known = rows.find(id);
        if (known == rows.end())
            return fmt::format("row {} should not be there: {}", id, line);
        if (++seen[id] > 1)
            return fmt::format("row {} is there twice: {}", id, line);
        const Row& row = known->second;
        bool fits = !row.deleted && cells == row.cells;
        for (const auto& earlier : row.earlier)
            fits |= !settled && cells == earlier;
        if (fits)
            continue;
        if (settled && row.deleted)
            return fmt::format("row {} was deleted: {}", id, line);
        std::string expected;
        for (const auto& cell : row.cells)
            expected += (expected.empty() ? "" : "\t") + cell;
        return fmt::format("row {} is\n  {}\ninstead of\n  {}", id, line, expected);
    }
    for (auto row = rows.begin(); row != rows.end();)
    {
        if (seen.contains(row->first))
        {
            ++row;
            continue;
        }
        if (!row->second.deleted && !row->second.may_be_gone)
            return fmt::format("row {} of partition {} is lost", row->first,
                               row->second.cells[kPartition]);
        row = rows.erase(row);
    }
    return {};
}

std::string SimTable::judge_ids(const std::vector<std::string>& ids,
                                const Predicate& predicate) const
{
    std::map<uint64_t, int> seen;
    for (const auto& text : ids)
    {
        const uint64_t id = std::stoull(text);
        const auto known = rows.find(id);
        if (known == rows.end() || ++seen[id] > 1)
            return fmt::format("WHERE {} gives row {} {}", predicate.sql, id,
                               known == rows.end() ? "that is not there" : "twice");
        bool may = !known->second.deleted && predicate.holds(known->second.cells);
        for (const auto& earlier : known->second.earlier)
            may |= predicate.holds(earlier);
        if (!may)
            return fmt::format("WHERE {} gives row {}", predicate.sql, id);
    }
    for (const auto& [id, row] : rows)
    {
        bool must = !row.deleted && !row.may_be_gone && predicate.holds(row.cells);
        for (const auto& earlier : row.earlier)
            must &= predicate.holds(earlier);
        if (must && !seen.contains(id))
            return fmt::format("WHERE {} does not give row {}", predicate.sql, id);
    }
    return {};
}

} // namespace basalt::sim
