#include "simulation.h"

#include "base/error.h"

#include <cstring>
#include <fmt/format.h>

namespace basalt::sim
{

namespace
{

char last_trace_line[400];

WorldOptions random_options(Dice& dice)
{
    WorldOptions options;
    options.direct_insert_rows = dice.pick<uint64_t>({10, 40, 100});
    options.packed_part_bytes = dice.pick<uint64_t>({0, 3000, 16 << 20});
    options.log_segment_bytes = dice.pick<uint64_t>({500, 4000, 1 << 20});
    options.live_flush_bytes = dice.pick<uint64_t>({8000, 8000, 64 << 20});
    options.live_flush_rows = dice.pick<uint64_t>({30, 1000});
    return options;
}

} // namespace

const char* Simulation::last_line()
{
    return last_trace_line;
}

Simulation::Simulation(uint64_t seed, size_t steps, bool damage, Statistics& statistics)
    : dice_(seed), steps_(steps), damages_(damage), statistics_(statistics), candidates_(1)
{
    last_trace_line[0] = 0;
}

void Simulation::note(std::string text)
{
    std::strncpy(last_trace_line, text.c_str(), sizeof last_trace_line - 1);
    trace_.push_back(std::move(text));
}

// Folders with names and sizes of their files.
void Simulation::note_disk(const std::string& directory)
{
    std::string line = directory + ":";
    for (const auto& entry : world_->disk().list(directory))
    {
        const std::string path = directory + "/" + entry.name;
        if (entry.is_directory)
            note_disk(path);
        else
            line += fmt::format(" {} ({})", entry.name, world_->disk().file_size(path));
    }
    note(line);
}

void Simulation::run()
{
    try
    {
        live();
    }
    catch (const SimFailure&)
    {
        if (world_->is_running())
        {
            for (const auto& report : world_->take_reports())
                note("  report: " + report);
            world_->clear_faults();
            for (const auto& line : world_->run_lines(
                     "SELECT table, name, rows FROM system.parts WHERE active ORDER BY table, name"))
                note(line);
        }
        note_disk("/data");
        throw;
    }
}

void Simulation::live()
{
    world_ = std::make_unique<World>(dice_, random_options(dice_));
    world_->start();
    for (size_t i = 0; i < steps_; ++i)
    {
        step();
        if (dice_.one_in(4))
            judge(false);
        if (dice_.one_in(4))
            judge_predicate();
    }
    quiet_ = true;
    settle();
    start_again(dice_.one_in(2));
    settle();
    if (damages_)
        damage();
    world_.reset();
}

FaultPlan Simulation::random_faults()
{
    FaultPlan plan;
    switch (dice_.below(4))
    {
    case 0:
    case 1:
        plan.stop_after_changes = dice_.below(dice_.pick<uint64_t>({4, 20, 60}));
        note(fmt::format("  fault: power goes after {} changes of the disk", plan.stop_after_changes));
        break;
    case 2:
        plan.space_bytes = dice_.below(dice_.pick<uint64_t>({100, 3000, 20000}));
        note(fmt::format("  fault: {} bytes left on the disk", plan.space_bytes));
        break;
    default:
    {
        FaultPlan::Failure failure;
        failure.operation = static_cast<FileOperation>(
            dice_.below(static_cast<uint64_t>(FileOperation::LockFile)));
        failure.nth = dice_.between(1, 12);
        failure.count = dice_.between(1, 4);
        note(fmt::format("  fault: file operation {} fails, number {}, {} times",
                         static_cast<int>(failure.operation), failure.nth, failure.count));
        plan.failures.push_back(failure);
    }
    }
    return plan;
}

void Simulation::perform(const std::string& sql, const Change& change)
{
    ++statistics_.statements;
    const bool with_fault = !quiet_ && dice_.one_in(5);
    note(sql);
    if (with_fault)
        world_->set_faults(random_faults());
    std::string error;
    try
    {
        world_->run(sql);
    }
    catch (const Error& thrown)
    {
        error = thrown.full_text();
    }
    if (error.empty())
    {
        for (auto& candidate : candidates_)
            change(candidate);
    }
    else
    {
        note("  error: " + error);
        if (!with_fault)
            throw SimFailure("without a fault: " + error);
        Model after = candidates_.front();
        change(after);
        candidates_.push_back(std::move(after));
    }
    if (!with_fault)
        return;
    if (!error.empty() || world_->has_stopped())
    {
        ++statistics_.faults;
        recover();
    }
    world_->clear_faults();
}

void Simulation::disturb(const std::string& what, const std::function<void()>& work)
{
    const bool with_fault = !quiet_ && dice_.one_in(4);
    note(what);
    if (with_fault)
        world_->set_faults(random_faults());
    std::string error;
    try
    {
        work();
    }
    catch (const Error& thrown)
    {
        error = thrown.full_text();
        note("  error: " + error);
        if (!with_fault)
            throw SimFailure("without a fault: " + error);
    }
    if (!with_fault)
        return;
    if (world_->has_stopped())
        recover();
    world_->clear_faults();
}

void Simulation::recover()
{
    if (world_->has_stopped() || dice_.one_in(3))
        start_again(true);
    else
    {
        world_->clear_faults();
        if (dice_.one_in(3))
            start_again(false);
    }
    settle();
}

void Simulation::start_again(bool power_cut)
{
    note(power_cut ? "power cut" : "restart");
    ++(power_cut ? statistics_.power_cuts : statistics_.restarts);
    if (power_cut)
        world_->cut_power();
    else
        world_->stop();
    // Power may go while the server starts, again and again.
    for (int again = 0; again < 3 && !quiet_ && dice_.one_in(3); ++again)
    {
        FaultPlan plan;
        plan.stop_after_changes = dice_.below(dice_.pick<uint64_t>({3, 15, 40}));
        note(fmt::format("  power goes after {} changes of the disk while it starts",
                         plan.stop_after_changes));
        world_->set_faults(plan);
        try
        {
            world_->start();
        }
        catch (const Error&)
        {
        }
        ++statistics_.power_cuts;
        world_->cut_power();
    }
    world_->clear_faults();
    try
    {
        world_->start();
    }
    catch (const Error& error)
    {
        throw SimFailure("the server does not start: " + error.full_text());
    }
    for (const auto& report : world_->take_reports())
        note("  report: " + report);
}

void Simulation::settle()
{
    note("settle");
    world_->clear_faults();
    world_->run_until_idle();
    judge(true);
    for (auto& [name, table] : candidates_.front())
        table.settle();
}

// As SimTable::description() has it.
std::map<std::string, std::string> Simulation::describe_tables()
{
    std::map<std::string, std::string> texts;
    for (const auto& line :
         world_->run_lines("SELECT name, engine_full FROM system.tables WHERE database = 'default'"))
    {
        const auto cells = split(line, '\t');
        std::string& text = texts[cells[0]];
        for (const auto& column : world_->run_lines(
                 fmt::format("SELECT name, type FROM system.columns WHERE database = 'default' AND "
                             "table = '{}' ORDER BY position FORMAT TSVRaw",
                             cells[0])))
        {
            const auto tab = column.find('\t');
            text += fmt::format("{} {}, ", column.substr(0, tab), column.substr(tab + 1));
        }
        static constexpr std::string_view kTtl = "toIntervalSecond(";
        const auto at = cells[1].find(kTtl);
        text += at == std::string::npos
                    ? "no TTL"
                    : fmt::format("TTL {}", std::stoll(cells[1].substr(at + kTtl.size())));
        for (const auto& index : world_->run_lines(
                 fmt::format("SELECT name FROM system.data_skipping_indices WHERE database = "
                             "'default' AND table = '{}' ORDER BY name",
                             cells[0])))
            text += ", " + index;
    }
    return texts;
}

void Simulation::judge(bool settled)
{
    const auto described = describe_tables();
    std::map<std::string, std::vector<std::string>> answers;
    std::string wrong;
    std::vector<Model> fitting;
    for (auto& candidate : candidates_)
    {
        std::map<std::string, std::string> expected;
        for (const auto& [name, table] : candidate)
            expected[name] = table.description();
        if (described != expected)
        {
            wrong += "\ntables are";
            for (const auto& [name, text] : described)
                wrong += fmt::format("\n  {}: {}", name, text);
            wrong += "\ninstead of";
            for (const auto& [name, text] : expected)
                wrong += fmt::format("\n  {}: {}", name, text);
            continue;
        }
        std::string of_candidate;
        for (auto& [name, table] : candidate)
        {
            table.note_time(world_->clock().latest_unix_s());
            std::string columns;
            for (const auto& column : table.columns)
                columns += (columns.empty() ? "" : ", ") + column.name;
            const std::string sql = fmt::format("SELECT {} FROM {}", columns, name);
            if (!answers.contains(sql))
            {
                try
                {
                    answers[sql] = world_->run_lines(sql);
                }
                catch (const Error& error)
                {
                    of_candidate += "\n" + sql + ": " + error.full_text();
                    continue;
                }
                statistics_.rows_judged += answers[sql].size();
            }
            const std::string verdict = table.judge(answers[sql], settled);
            if (!verdict.empty())
                of_candidate += fmt::format("\ntable {}: {}", name, verdict);
        }
        if (of_candidate.empty())
            fitting.push_back(candidate);
        wrong += of_candidate;
    }
    if (fitting.empty())
        throw SimFailure((candidates_.size() > 1 ? "neither before nor after:" : "wrong answer:") +
                         wrong);
    // What cannot be told apart now is the same.
    if (settled)
        fitting.resize(1);
    candidates_ = std::move(fitting);
}

void Simulation::judge_predicate()
{
    if (candidates_.size() > 1 || candidates_.front().empty())
        return;
    const std::string name = random_table();
    SimTable& table = first(name);
    table.note_time(world_->clock().latest_unix_s());
    const Predicate predicate = random_predicate(dice_, table, next_id_);
    static const std::vector<std::string> kSettings = {
        "", " SETTINGS use_skip_indexes = 0", " SETTINGS basalt_enable_page_statistics = 0",
        " SETTINGS basalt_predicates_on_encoded_pages = 0", " SETTINGS max_block_size = 3"};
    const std::string sql = fmt::format("SELECT id FROM {} WHERE {}{}", name, predicate.sql,
                                        dice_.pick(kSettings));
    std::string verdict;
    try
    {
        verdict = table.judge_ids(world_->run_lines(sql), predicate);
    }
    catch (const Error& error)
    {
        throw SimFailure(sql + ": " + error.full_text());
    }
    if (!verdict.empty())
        throw SimFailure(sql + ": " + verdict);
}

} // namespace basalt::sim
