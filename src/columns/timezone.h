#pragma once

// Time zones by name over the system's tz database (cctz), with a fast path: UTC and fixed zones are
// arithmetic; others have a table of their offset changes with an index by stretches of time for
// 1753–2499, so that conversions need no search. Thread-safe.

#include "base/int_types.h"

#include <string>
#include <string_view>

namespace basalt
{

struct CivilTime
{
    int32_t year;
    uint8_t month; // 1 … 12
    uint8_t day;   // 1 … 31
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
};

class TimeZone
{
public:
    virtual ~TimeZone() = default;
    virtual const std::string& name() const = 0;
    // Seconds to add to UTC to get local time at that UTC second.
    virtual int32_t offset_at(int64_t unix_s) const = 0;
    // Local civil time to UTC seconds. In an overlap the first; in a gap the offset after it holds
    // (02:30 of a spring night is 01:30), as ClickHouse does. day may exceed the month's length.
    virtual int64_t to_unix(const CivilTime& local) const = 0;
    virtual bool is_utc() const = 0;

    CivilTime to_civil(int64_t unix_s) const;
    int32_t local_day(int64_t unix_s) const; // days since 1970-01-01 in local time
    // UTC second at which that local day begins.
    virtual int64_t day_start(int32_t local_day) const = 0;
};

// Throws BAD_ARGUMENTS for an unknown name. The reference lives as long as the process.
const TimeZone& timezone(std::string_view name);
const TimeZone& utc();

// Days since 1970-01-01 of a civil date and back (proleptic Gregorian; Hinnant's algorithms).
int32_t days_from_civil(int32_t year, uint32_t month, uint32_t day);
void civil_from_days(int32_t days, int32_t& year, uint8_t& month, uint8_t& day);

} // namespace basalt
