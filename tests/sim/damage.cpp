// Damage of files: after it answers are right or name an error, and the rest is served.

#include "simulation.h"

#include "base/error.h"
#include "storage/mergetree/part.h"

#include <fmt/format.h>
#include <set>

namespace basalt::sim
{

void Simulation::damage()
{
    if (candidates_.front().empty())
        return;
    switch (dice_.below(4))
    {
    case 0:
        damage_log();
        break;
    case 1:
        take_data_away();
        break;
    default:
        damage_part();
    }
}

std::vector<std::string> Simulation::files_under(const std::string& directory)
{
    std::vector<std::string> found;
    if (!world_->disk().exists(directory))
        return found;
    for (const auto& entry : world_->disk().list(directory))
        if (!entry.is_directory)
            found.push_back(directory + "/" + entry.name);
    return found;
}

void Simulation::flip_bit(const std::string& path)
{
    auto& disk = world_->disk();
    std::string bytes = disk.read_whole(path);
    if (bytes.empty())
        return;
    const size_t at = dice_.below(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice_.below(8)));
    note(fmt::format("a bit flips at byte {} of {} of {}", at, bytes.size(), path));
    const auto file = disk.open_for_write(path, OpenMode::Append);
    file->pwrite(bytes.data() + at, 1, at);
    file->sync();
    file->close();
    ++statistics_.bit_flips;
}

void Simulation::judge_rest(const std::string& name, const std::string& condition,
                            const std::map<uint64_t, Row>& expected, bool may_fail)
{
    SimTable table = first(name);
    table.rows = expected;
    table.note_time(world_->clock().latest_unix_s());
    std::string columns;
    for (const auto& column : table.columns)
        columns += (columns.empty() ? "" : ", ") + column.name;
    const std::string sql = fmt::format("SELECT {} FROM {} WHERE {}", columns, name, condition);
    std::string verdict;
    try
    {
        verdict = table.judge(world_->run_lines(sql), true);
    }
    catch (const Error& error)
    {
        if (!may_fail || !is_damage(error.code()))
            throw SimFailure(sql + ": " + error.full_text());
        note("  named: " + error.full_text());
        ++statistics_.flips_noticed;
        return;
    }
    if (!verdict.empty())
        throw SimFailure(sql + ": " + verdict);
}

void Simulation::damage_part()
{
    const std::string name = random_table();
    const auto parts = world_->run_lines(fmt::format(
        "SELECT name, path FROM system.parts WHERE database = 'default' AND table = '{}' AND active "
        "ORDER BY name",
        name));
    if (parts.empty())
        return;
    const auto chosen = split(dice_.pick(parts), '\t');
    std::string folder = chosen[1];
    while (folder.ends_with('/'))
        folder.pop_back();
    std::map<uint64_t, Row> rest = first(name).rows, all = rest;
    for (const auto& id :
         world_->run_lines(fmt::format("SELECT id FROM {} WHERE _part = '{}'", name, chosen[0])))
        rest.erase(std::stoull(id));
    const auto files = files_under(folder);
    if (files.empty())
        throw SimFailure("part " + chosen[0] + " has no files in " + folder);
    const std::string path = dice_.pick(files);
    switch (dice_.below(6))
    {
    case 0:
    {
        const uint64_t bytes = dice_.below(world_->disk().file_size(path) + 1);
        note(fmt::format("{} is cut to {} bytes", path, bytes));
        world_->disk().truncate(path, bytes);
        break;
    }
    case 1:
        note(path + " vanishes");
        world_->disk().remove_file(path);
        break;
    default:
        flip_bit(path);
    }
    if (dice_.one_in(2))
        start_again(false);
    // The damaged part may be set aside by now, or be named in an error; the rest is served.
    const auto is_listed = [&]
    {
        return !world_->run_lines(fmt::format("SELECT 1 FROM system.parts WHERE table = '{}' AND "
                                              "name = '{}' AND active",
                                              name, chosen[0]))
                    .empty();
    };
    judge_rest(name, fmt::format("_part != '{}'", chosen[0]), rest, false);
    judge_rest(name, "1", is_listed() ? all : rest, true);
    world_->run("CHECK TABLE " + name);
    world_->run_until_idle();
    start_again(false);
    world_->run_until_idle();
    // Rows that are not served are in a folder that says why.
    const auto aside = world_->run_lines(fmt::format(
        "SELECT name FROM system.detached_parts WHERE table = '{}' AND reason LIKE 'broken%'", name));
    judge_rest(name, "1", aside.empty() ? all : rest, aside.empty());
    if (!aside.empty())
        ++statistics_.flips_noticed;
}

// Rows of one record may be lost, never those of another.
void Simulation::damage_log()
{
    world_->checkpoint();
    const std::string name = random_table();
    std::vector<std::set<uint64_t>> batches;
    for (uint64_t n = dice_.between(2, 6); n > 0; --n)
    {
        const uint64_t first_id = next_id_;
        insert(name);
        batches.emplace_back();
        for (uint64_t id = first_id; id < next_id_; ++id)
            batches.back().insert(id);
    }
    note("power cut");
    world_->cut_power();
    std::vector<std::string> files = files_under("/data/log");
    flip_bit(dice_.pick(files));
    try
    {
        world_->start();
    }
    catch (const Error& error)
    {
        throw SimFailure("the server does not start: " + error.full_text());
    }
    const auto reports = world_->take_reports();
    for (const auto& report : reports)
        note("  report: " + report);
    std::set<uint64_t> there;
    for (const auto& id : world_->run_lines(fmt::format("SELECT id FROM {}", name)))
        there.insert(std::stoull(id));
    std::map<uint64_t, Row> expected = first(name).rows;
    int lost = 0;
    for (const auto& batch : batches)
    {
        if (there.contains(*batch.begin()))
            continue;
        ++lost;
        for (const uint64_t id : batch)
            expected.erase(id);
    }
    if (lost > 1 || (lost == 1 && reports.empty()))
        throw SimFailure(fmt::format("{} inserts are lost, {} reports", lost, reports.size()));
    judge_rest(name, "1", expected, false);
    if (!reports.empty())
        ++statistics_.flips_noticed;
    world_->run_until_idle();
    start_again(true);
    judge_rest(name, "1", expected, false);
}

void Simulation::take_data_away()
{
    const std::string name = random_table();
    const auto paths = world_->run_lines(fmt::format(
        "SELECT DISTINCT path FROM system.parts WHERE table = '{}' AND active", name));
    if (paths.empty())
        return;
    std::string folder = paths[0];
    while (folder.ends_with('/'))
        folder.pop_back();
    folder = folder.substr(0, folder.rfind('/'));
    note("the folder of " + name + " is away");
    world_->stop();
    world_->disk().rename(folder, "/away");
    world_->disk().sync_directory("/");
    world_->disk().sync_directory(parent_directory(folder));
    world_->start();
    for (const char* sql : {"SELECT count() FROM {}", "SELECT * FROM {}", "OPTIMIZE TABLE {}",
                            "INSERT INTO {} (id) VALUES (1)", "TRUNCATE TABLE {}"})
    {
        const std::string text = fmt::format(fmt::runtime(sql), name);
        int code = 0;
        try
        {
            world_->run(text);
        }
        catch (const Error& error)
        {
            code = error.code();
        }
        if (code != error_codes::NO_SUCH_DATA_PART && code != error_codes::TABLE_IS_READ_ONLY)
            throw SimFailure(fmt::format("{} ends with {} while the data is away", text, code));
    }
    world_->run_until_idle();
    world_->checkpoint();
    if (dice_.one_in(2))
        start_again(true);
    note("it is back");
    world_->stop();
    world_->disk().remove_directory_recursive(folder);
    world_->disk().rename("/away", folder);
    world_->start();
    judge(true);
}

} // namespace basalt::sim
