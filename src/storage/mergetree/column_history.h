#pragma once

// How the columns of a table as it is now are found in parts that were written before an ALTER.

#include "storage/mergetree/table_log.h"
#include "storage/table.h"

#include <optional>
#include <string>
#include <vector>

namespace basalt
{

class ColumnHistory
{
public:
    ColumnHistory() = default;
    ColumnHistory(uint64_t version, std::vector<ColumnEvent> events)
        : version_(version), events_(std::move(events))
    {
    }

    uint64_t version() const { return version_; }
    const std::vector<ColumnEvent>& events() const { return events_; }

    // The name under which a part of that version keeps the column; nothing when the part was
    // written before the column was made anew.
    std::optional<std::string> stored_name(std::string name, uint64_t part_version) const
    {
        for (auto event = events_.rbegin(); event != events_.rend(); ++event)
        {
            if (event->version <= part_version)
                break;
            if (event->kind == ColumnEvent::Kind::Renamed && event->new_name == name)
                name = event->name;
            else if (event->name == name)
                return std::nullopt;
        }
        return name;
    }

private:
    uint64_t version_ = 0;
    std::vector<ColumnEvent> events_; // by version, then in the order in which ALTER named them
};

} // namespace basalt
