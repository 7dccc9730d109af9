// The statements of a simulated life.

#include "simulation.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt::sim
{

const std::string& Simulation::random_table()
{
    const Model& model = candidates_.front();
    return std::next(model.begin(), static_cast<ptrdiff_t>(dice_.below(model.size())))->first;
}

void Simulation::step()
{
    if (candidates_.front().empty())
    {
        create_table();
        return;
    }
    const std::string table = random_table();
    const uint64_t roll = dice_.below(100);
    if (roll < 40)
        insert(table);
    else if (roll < 50)
        disturb("short background steps", [&] { world_->background_round(false); });
    else if (roll < 58)
        disturb("long background steps", [&] { world_->background_round(true); });
    else if (roll < 69)
        change_rows(table);
    else if (roll < 75)
        change_partition(table);
    else if (roll < 81)
        alter(table);
    else if (roll < 85)
        move_clock();
    else if (roll < 88)
        disturb("checkpoint", [&] { world_->checkpoint(); });
    else if (roll < 91)
        perform(fmt::format("OPTIMIZE TABLE {}{}", table, dice_.one_in(2) ? " FINAL" : ""),
                [](Model&) {});
    else if (roll < 94)
    {
        start_again(dice_.one_in(2));
        if (dice_.one_in(2))
            judge(false);
    }
    else if (roll < 96)
        settle();
    else if (roll == 96)
        perform("TRUNCATE TABLE " + table, [=](Model& model) { model[table].rows.clear(); });
    else if (roll == 97)
        perform(fmt::format("DROP TABLE {}", table), [=](Model& model) { model.erase(table); });
    else if (roll == 98 && candidates_.front().size() < 3)
        create_table();
    else
    {
        const std::string name = fmt::format("t{}", next_name_++);
        perform(fmt::format("RENAME TABLE {} TO {}", table, name),
                [=](Model& model)
                {
                    model[name] = std::move(model[table]);
                    model.erase(table);
                });
    }
}

void Simulation::create_table()
{
    const std::string name = fmt::format("t{}", next_name_++);
    SimTable table;
    table.columns = {{"id", "UInt64", "", ""},
                     {"p", "UInt8", "", ""},
                     {"ts", "DateTime", "", ""},
                     {"k", dice_.one_in(2) ? "String" : "LowCardinality(String)", "", ""}};
    for (uint64_t n = dice_.below(5); n > 0; --n)
        table.columns.push_back(random_column(dice_, fmt::format("c{}", next_name_++)));
    std::string text;
    for (const auto& column : table.columns)
        text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", column.name, column.type,
                            column.codec.empty() ? "" : " CODEC(" + column.codec + ")");
    if (dice_.one_in(2))
    {
        text += ", INDEX i1 id TYPE minmax GRANULARITY 1";
        table.indexes.push_back("i1");
    }
    if (dice_.one_in(3))
    {
        text += ", INDEX i2 k TYPE bloom_filter GRANULARITY 2";
        table.indexes.push_back("i2");
    }
    if (dice_.one_in(3))
        table.ttl_s = static_cast<int64_t>(dice_.between(100, 4000));
    const std::string order = dice_.pick<std::string>({"(k, id)", "id", "(p, id)", "tuple()"});
    perform(fmt::format("CREATE TABLE {} UUID '00000000-0000-4000-8000-{:012x}' ({}) ENGINE = "
                        "MergeTree {}ORDER BY {}{} SETTINGS index_granularity = {}",
                        name, next_uuid_++, text, dice_.one_in(4) ? "" : "PARTITION BY p ", order,
                        table.ttl_s ? fmt::format(" TTL ts + toIntervalSecond({})", table.ttl_s) : "",
                        dice_.pick<int>({8, 32, 8192})),
            [=](Model& model) { model[name] = table; });
}

void Simulation::insert(const std::string& name)
{
    const SimTable& table = first(name);
    const uint64_t rows = dice_.one_in(4) ? dice_.between(40, 200) : dice_.between(1, 25);
    // Most of one partition, so that those have many parts.
    const bool mixed = dice_.one_in(3);
    const uint64_t partition = dice_.below(3);
    std::map<uint64_t, Row> added;
    std::string data;
    const int64_t now = world_->clock().unix_s();
    for (uint64_t n = 0; n < rows; ++n)
    {
        Row row;
        const uint64_t id = next_id_++;
        row.cells = {std::to_string(id), std::to_string(mixed ? dice_.below(3) : partition),
                     time_text(now - static_cast<int64_t>(dice_.below(500))), random_key(dice_)};
        for (size_t i = kFixedColumns; i < table.columns.size(); ++i)
            row.cells.push_back(random_cell(dice_, table.columns[i].type));
        for (size_t i = 0; i < row.cells.size(); ++i)
            data += (i ? "\t" : "") + row.cells[i];
        data += "\n";
        added.emplace(id, std::move(row));
    }
    std::string columns;
    for (const auto& column : table.columns)
        columns += (columns.empty() ? "" : ", ") + column.name;
    perform(fmt::format("INSERT INTO {} ({}) FORMAT TabSeparated\n{}", name, columns, data),
            [=](Model& model) { model[name].rows.insert(added.begin(), added.end()); });
}

void Simulation::change_rows(const std::string& name)
{
    const SimTable& table = first(name);
    const Predicate predicate = random_predicate(dice_, table, next_id_);
    const bool wait = dice_.one_in(2);
    const std::string sync = fmt::format(" SETTINGS mutations_sync = {}", wait ? 1 : 0);
    const uint64_t roll = dice_.below(10);
    if (roll < 3)
    {
        perform(fmt::format("DELETE FROM {} WHERE {}", name, predicate.sql),
                [=](Model& model) { model[name].remove_where(predicate); });
        return;
    }
    const size_t at = dice_.below(table.columns.size());
    if (roll < 5 || at < kFixedColumns || table.columns[at].type.starts_with("Map("))
    {
        perform(fmt::format("ALTER TABLE {} DELETE WHERE {}{}", name, predicate.sql, sync),
                [=](Model& model) { model[name].remove_where(predicate); });
        return;
    }
    const Column& column = table.columns[at];
    std::string expression;
    std::function<std::string(const std::string&)> change;
    if ((column.type == "Int64" || column.type == "Nullable(Int32)") && dice_.one_in(2))
    {
        expression = column.name + " + 1";
        change = [](const std::string& cell)
        { return cell == "\\N" ? cell : std::to_string(std::stoll(cell) + 1); };
    }
    else
    {
        const std::string cell = random_cell(dice_, column.type);
        expression = sql_literal(cell, column.type);
        change = [cell](const std::string&) { return cell; };
    }
    perform(fmt::format("ALTER TABLE {} UPDATE {} = {} WHERE {}{}", name, column.name, expression,
                        predicate.sql, sync),
            [=](Model& model) { model[name].update_where(predicate, at, change); });
}

void Simulation::change_partition(const std::string& name)
{
    // Parts outside the table are not reached by mutations under way, so those end first.
    settle();
    const bool by_part = dice_.one_in(3);
    const uint64_t roll = dice_.below(10);
    if (roll >= 6)
    {
        if (roll == 9)
        {
            // One folder after the other: after a fault some may be left, which are whole.
            for (auto& candidate : candidates_)
                for (auto& [id, row] : candidate[name].detached)
                    row.may_be_gone = true;
            perform(fmt::format("ALTER TABLE {} DROP DETACHED PARTITION ALL", name),
                    [=](Model& model) { model[name].detached.clear(); });
            return;
        }
        perform(fmt::format("ALTER TABLE {} ATTACH PARTITION ALL", name),
                [=](Model& model)
                {
                    auto& table = model[name];
                    for (auto& [id, row] : table.detached)
                        table.rows.emplace(id, row);
                    table.detached.clear();
                });
        return;
    }
    const auto parts = world_->run_lines(fmt::format(
        "SELECT name, partition_id FROM system.parts WHERE database = 'default' AND table = '{}' "
        "AND active ORDER BY name",
        name));
    if (parts.empty())
        return;
    const auto chosen = split(dice_.pick(parts), '\t');
    const std::string where =
        by_part ? fmt::format("_part = '{}'", chosen[0]) : fmt::format("_partition_id = '{}'", chosen[1]);
    std::set<uint64_t> ids;
    for (const auto& id :
         world_->run_lines(fmt::format("SELECT id FROM {} WHERE {}", name, where)))
        ids.insert(std::stoull(id));
    const bool drop = roll < 2;
    perform(fmt::format("ALTER TABLE {} {} {}'{}'", name, drop ? "DROP" : "DETACH",
                        by_part ? "PART " : "PARTITION ID ", by_part ? chosen[0] : chosen[1]),
            [=](Model& model)
            {
                auto& table = model[name];
                for (const uint64_t id : ids)
                {
                    const auto found = table.rows.find(id);
                    if (found == table.rows.end())
                        continue;
                    if (!drop)
                        table.detached.emplace(id, found->second);
                    table.rows.erase(found);
                }
            });
}

void Simulation::alter(const std::string& name)
{
    settle();
    const SimTable& table = first(name);
    const bool has_more = table.columns.size() > kFixedColumns;
    const size_t at =
        has_more ? dice_.between(kFixedColumns, table.columns.size() - 1) : table.columns.size();
    // Names that were used before must show nothing of what they were.
    const auto free_name = [&]
    {
        std::vector<std::string> names;
        for (const auto& used : used_columns_)
            if (table.find_column(used) == table.columns.size())
                names.push_back(used);
        return names.empty() || dice_.one_in(2) ? fmt::format("c{}", next_name_++)
                                                : dice_.pick(names);
    };
    const uint64_t roll = dice_.below(12);
    if (roll < 3 || !has_more)
    {
        Column column = random_column(dice_, free_name());
        std::string text = fmt::format("{} {}", column.name, column.type);
        if (dice_.one_in(2) && !column.type.starts_with("Map("))
        {
            column.fallback = random_cell(dice_, column.type);
            text += " DEFAULT " + sql_literal(column.fallback, column.type);
        }
        if (!column.codec.empty())
            text += fmt::format(" CODEC({})", column.codec);
        used_columns_.push_back(column.name);
        perform(fmt::format("ALTER TABLE {} ADD COLUMN {}", name, text),
                [=](Model& model)
                {
                    auto& table = model[name];
                    table.columns.push_back(column);
                    for (auto* rows : {&table.rows, &table.detached})
                        for (auto& [id, row] : *rows)
                            row.cells.push_back(column.fallback);
                });
        return;
    }
    const std::string old = table.columns[at].name;
    if (roll < 5)
    {
        perform(fmt::format("ALTER TABLE {} DROP COLUMN {}", name, old),
                [=](Model& model)
                {
                    auto& table = model[name];
                    table.columns.erase(table.columns.begin() + static_cast<ptrdiff_t>(at));
                    for (auto* rows : {&table.rows, &table.detached})
                        for (auto& [id, row] : *rows)
                            row.cells.erase(row.cells.begin() + static_cast<ptrdiff_t>(at));
                });
        return;
    }
    if (roll < 7)
    {
        const std::string renamed = free_name();
        used_columns_.push_back(renamed);
        perform(fmt::format("ALTER TABLE {} RENAME COLUMN {} TO {}", name, old, renamed),
                [=](Model& model) { model[name].columns[at].name = renamed; });
        return;
    }
    if (roll < 9)
    {
        const std::string type = wider_type(table.columns[at].type);
        if (!type.empty() && table.columns[at].codec.empty())
            perform(fmt::format("ALTER TABLE {} MODIFY COLUMN {} {}", name, old, type),
                    [=](Model& model) { model[name].columns[at].type = type; });
        return;
    }
    if (roll == 9)
    {
        const auto ttl = static_cast<int64_t>(dice_.between(100, 4000));
        perform(fmt::format("ALTER TABLE {} MODIFY TTL ts + toIntervalSecond({})", name, ttl),
                [=](Model& model) { model[name].ttl_s = ttl; });
        return;
    }
    const std::string index = "i3";
    const auto& indexes = table.indexes;
    if (std::find(indexes.begin(), indexes.end(), index) == indexes.end())
    {
        perform(fmt::format("ALTER TABLE {} ADD INDEX {} k TYPE set(10) GRANULARITY 1", name, index),
                [=](Model& model) { model[name].indexes.push_back(index); });
        if (candidates_.front().contains(name) && dice_.one_in(2) &&
            !first(name).indexes.empty() && first(name).indexes.back() == index)
            perform(fmt::format("ALTER TABLE {} MATERIALIZE INDEX {}", name, index), [](Model&) {});
        return;
    }
    perform(fmt::format("ALTER TABLE {} DROP INDEX {}", name, index),
            [=](Model& model) { std::erase(model[name].indexes, index); });
}

void Simulation::move_clock()
{
    const int64_t s = dice_.one_in(4) ? -static_cast<int64_t>(dice_.between(1, 2000))
                                      : static_cast<int64_t>(dice_.between(1, 600));
    note(fmt::format("the clock moves by {} s", s));
    world_->clock().move_s(s);
}

} // namespace basalt::sim
