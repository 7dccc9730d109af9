#include "net/native/profile_events.h"

#include "columns/type.h"

#include <string>

namespace basalt
{

namespace
{

constexpr int8_t kIncrement = 1, kGauge = 2;

struct Rows
{
    std::shared_ptr<VectorColumn<int8_t>> kinds = std::make_shared<VectorColumn<int8_t>>();
    std::shared_ptr<StringColumn> names = std::make_shared<StringColumn>();
    std::shared_ptr<VectorColumn<int64_t>> values = std::make_shared<VectorColumn<int64_t>>();

    void add(int8_t kind, std::string_view name, int64_t value)
    {
        kinds->data().push_back(kind);
        names->append(name);
        values->data().push_back(value);
    }
};

} // namespace

std::optional<Block> ProfileEventsSender::changes(const QueryContext& context)
{
    if (!enabled_)
        return std::nullopt;
    Rows rows;
    for (size_t i = 0; i < kProfileEventCount; ++i)
    {
        const auto event = static_cast<ProfileEvent>(i);
        const uint64_t now = context.counters.get(event);
        if (now == sent_[i])
            continue;
        rows.add(kIncrement, profile_event_name(event), static_cast<int64_t>(now - sent_[i]));
        sent_[i] = now;
    }
    const int64_t memory = context.memory.used_bytes(), peak = context.memory.peak_bytes();
    if (memory != sent_memory_bytes_ || peak != sent_peak_bytes_)
    {
        rows.add(kGauge, "MemoryTrackerUsage", memory);
        rows.add(kGauge, "MemoryTrackerPeakUsage", peak);
        sent_memory_bytes_ = memory;
        sent_peak_bytes_ = peak;
    }
    const size_t count = rows.names->size();
    if (count == 0)
        return std::nullopt;
    const TypePtr& text = simple_type(TypeId::String);
    const TypePtr time = type_from_name("DateTime"), thread = type_from_name("UInt64"),
                  kind = type_from_name("Enum8('increment' = 1, 'gauge' = 2)"),
                  number = type_from_name("Int64");
    auto hosts = std::make_shared<StringColumn>();
    for (size_t i = 0; i < count; ++i)
        hosts->append(context.host_name);
    auto times = std::make_shared<VectorColumn<uint32_t>>(
        count, static_cast<uint32_t>(context.clock->unix_s()));
    auto threads = std::make_shared<VectorColumn<uint64_t>>(count, uint64_t{0});
    return Block({{hosts, text, "host_name"},
                  {times, time, "current_time"},
                  {threads, thread, "thread_id"},
                  {rows.kinds, kind, "type"},
                  {rows.names, text, "name"},
                  {rows.values, number, "value"}},
                 count);
}

} // namespace basalt
