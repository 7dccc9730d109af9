#pragma once

// One seed: a random life of a server, judged step by step by the model.

#include "values.h"
#include "world.h"

namespace basalt::sim
{

struct Statistics
{
    uint64_t statements = 0;
    uint64_t faults = 0;      // statements that met a fault
    uint64_t power_cuts = 0;
    uint64_t restarts = 0;
    uint64_t rows_judged = 0;
    uint64_t bit_flips = 0;
    uint64_t flips_noticed = 0; // an error or a part set aside
};

class Simulation
{
public:
    // damage: of files, at the end of the life.
    Simulation(uint64_t seed, size_t steps, bool damage, Statistics& statistics);
    // Throws SimFailure; then the trace ends with what is on the disk.
    void run();
    const std::vector<std::string>& trace() const { return trace_; }
    // For a signal handler: the last line of the trace.
    static const char* last_line();

private:
    using Change = std::function<void(Model&)>;

    void note(std::string text);
    void note_disk(const std::string& directory);
    void live();
    // Runs the statement, perhaps with a fault, and has the model follow.
    void perform(const std::string& sql, const Change& change);
    // The same for work that changes no answer.
    void disturb(const std::string& what, const std::function<void()>& work);
    FaultPlan random_faults();
    // After a fault: starts again when it must, and finds out what came of the statement.
    void recover();
    void start_again(bool power_cut);
    // Nothing is under way any more; what may be is what is.
    void settle();
    std::map<std::string, std::string> describe_tables();
    void judge(bool settled);
    void judge_predicate();

    // steps.cpp
    void step();
    void create_table();
    void insert(const std::string& table);
    void change_rows(const std::string& table);
    void change_partition(const std::string& table);
    void alter(const std::string& table);
    void move_clock();
    const std::string& random_table();

    // damage.cpp: at the end of a life.
    void damage();
    void damage_part();
    void damage_log();
    void take_data_away();
    // Rows as the model has them without `lost`; an error that says damage is passed over if allowed.
    void judge_rest(const std::string& table, const std::string& condition,
                    const std::map<uint64_t, Row>& expected, bool may_fail);
    std::vector<std::string> files_under(const std::string& directory);
    void flip_bit(const std::string& path);

    SimTable& first(const std::string& table) { return candidates_.front()[table]; }

    Dice dice_;
    size_t steps_;
    bool damages_;
    Statistics& statistics_;
    std::unique_ptr<World> world_;
    std::vector<Model> candidates_; // one unless a fault left it open what happened
    std::vector<std::string> trace_;
    uint64_t next_id_ = 1;
    uint64_t next_name_ = 1;
    uint64_t next_uuid_ = 1;
    std::vector<std::string> used_columns_; // names that were once columns
    bool quiet_ = false; // no faults
};

} // namespace basalt::sim
