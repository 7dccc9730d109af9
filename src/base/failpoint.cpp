#include "base/failpoint.h"

#include "base/error.h"

#include <array>
#include <atomic>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kCount = static_cast<size_t>(Failpoint::Count_);

struct Place
{
    std::string_view name;
    std::string_view description;
};

constexpr std::array<Place, kCount> kPlaces = {{
    {"basalt_log_before_write", "Before records of transactions are written to the log"},
    {"basalt_log_before_sync", "Records are written to the log and not synced"},
    {"basalt_checkpoint_before_write", "Before a checkpoint of the log is written"},
    {"basalt_flush_before_commit", "The parts of a live buffer are written and not committed"},
    {"basalt_insert_before_commit", "The parts of a large insert are written and not committed"},
    {"basalt_merge_before_commit", "A merged part is written and not committed"},
    {"basalt_mutation_before_commit", "A mutated part is written and not committed"},
    {"basalt_publish_before_rename", "Parts are committed and have their temporary names"},
    {"basalt_remove_outdated_parts", "Before folders of replaced parts are removed"},
    {"basalt_catalog_before_write", "Before the CREATE text of a table is written or removed"},
}};

std::atomic<unsigned> any_enabled{0};
std::array<std::atomic<bool>, kCount> enabled{};

} // namespace

void failpoint(Failpoint place)
{
    if (any_enabled.load(std::memory_order_relaxed) == 0)
        return;
    const auto index = static_cast<size_t>(place);
    if (enabled[index].load(std::memory_order_relaxed))
        throw Error(error_codes::FAULT_INJECTED,
                    fmt::format("Failpoint {} is enabled", kPlaces[index].name));
}

std::vector<FailpointInfo> failpoints()
{
    std::vector<FailpointInfo> infos;
    for (size_t i = 0; i < kCount; ++i)
        infos.push_back({kPlaces[i].name, kPlaces[i].description, enabled[i].load()});
    return infos;
}

void set_failpoint(std::string_view name, bool is_enabled)
{
    for (size_t i = 0; i < kCount; ++i)
    {
        if (kPlaces[i].name != name)
            continue;
        const bool was = enabled[i].exchange(is_enabled);
        if (was != is_enabled)
            is_enabled ? ++any_enabled : --any_enabled;
        return;
    }
    throw Error(error_codes::BAD_ARGUMENTS, fmt::format("Cannot find fail point {}", name));
}

} // namespace basalt
