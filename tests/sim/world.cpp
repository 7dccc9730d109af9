#include "world.h"

#include "base/error.h"
#include "io/buffer.h"
#include "storage/storage_service.h"
#include "system/system_tables.h"

#include <fmt/format.h>

namespace basalt::sim
{

World::World(Dice& dice, WorldOptions options)
    : dice_(dice), options_(options), disk_(clock_), fault_random_(dice.source().next_u64()),
      faulty_(disk_, fault_random_)
{
    session_.settings.set("max_threads", "1");
    session_.settings.set("max_insert_threads", "1");
    session_.settings.set("allow_drop_detached", "1");
    session_.settings.set("allow_suspicious_low_cardinality_types", "1");
    session_.settings.set("allow_suspicious_codecs", "1");
}

World::~World()
{
    clear_faults();
    engine_.reset();
}

std::string World::run(const std::string& sql)
{
    QueryRequest request;
    request.text = sql;
    std::string answer;
    {
        StringOutputBuffer out(answer);
        run_query_to(*engine_, session_, std::move(request), out);
    }
    return answer;
}

void World::start()
{
    EngineOptions options;
    options.path = "/data";
    options.memory_limit_bytes = size_t{1} << 30;
    options.clock = &clock_;
    options.adjust_storage = [this](StorageOptions& storage)
    {
        storage.background = false;
        storage.merge_threads = 1;
        storage.insert_patience_ms = 0; // its clock stands still while an INSERT waits
        storage.live_flush_rows = options_.live_flush_rows;
        storage.live_flush_bytes = options_.live_flush_bytes;
        storage.direct_insert_rows = options_.direct_insert_rows;
        storage.packed_part_bytes = options_.packed_part_bytes;
        storage.log_segment_bytes = options_.log_segment_bytes;
        storage.report = [this](const std::string& text) { reports_.push_back(text); };
    };
    auto engine = std::make_unique<Engine>(faulty_, options);
    engine->start();
    register_system_tables(*engine);
    engine_ = std::move(engine);
}

void World::stop()
{
    engine_.reset();
}

void World::cut_power()
{
    // Nothing that the dying server does reaches the disk.
    FaultPlan dead;
    dead.stop_after_changes = 0;
    set_faults(dead);
    engine_.reset();
    disk_.power_cut(dice_.one_in(3) ? nullptr : &dice_.source());
    clear_faults();
}

bool World::background_round(bool long_steps)
{
    return engine_->storage().background().round(long_steps);
}

void World::checkpoint()
{
    engine_->storage().log().checkpoint();
}

void World::run_until_idle()
{
    constexpr int kPauses = 4;
    constexpr int kMaxRounds = 3000;
    constexpr int64_t kLongestPause_s = 300;
    int rounds = 0;
    for (int pause = 0; pause < kPauses; ++pause)
    {
        while (background_round(false) || background_round(true))
            if (++rounds > kMaxRounds)
                throw SimFailure("background work does not come to an end");
        clock_.move_s(kLongestPause_s);
    }
}

} // namespace basalt::sim
