#include "storage/mergetree/column_history.h"

namespace basalt
{

std::vector<ColumnEvent> ColumnHistory::completed(std::vector<ColumnEvent> events,
                                                  const TableMetadata& metadata)
{
    const auto last_is_unfinished = [&]
    {
        const ColumnEvent& event = events.back();
        const bool has_name = metadata.find_column(event.name) != nullptr;
        switch (event.kind)
        {
        case ColumnEvent::Kind::Dropped:
            return has_name;
        case ColumnEvent::Kind::Added:
            return !has_name;
        case ColumnEvent::Kind::Renamed:
            return has_name && !metadata.find_column(event.new_name);
        }
        return false;
    };
    while (!events.empty() && last_is_unfinished())
        events.pop_back();
    return events;
}

} // namespace basalt
