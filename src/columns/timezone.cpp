#include "columns/timezone.h"

#include "base/error.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace basalt
{

namespace
{

using Instant = cctz::time_point<cctz::seconds>;

constexpr int64_t kSecondsPerDay = 86400;
// Offsets of real zones lie within this of UTC.
constexpr int64_t kMaxOffset = 18 * 3600;
constexpr size_t kMaxZoneNameBytes = 128;
constexpr int64_t kTableBegin = -6847804800; // 1753-01-01
constexpr int64_t kTableEnd = 16725225600;   // 2500-01-01
constexpr int kBucketBits = 22;              // 48.5 days: seldom more than one transition

Instant instant(int64_t unix_s) { return Instant(cctz::seconds(unix_s)); }

int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0 ? 1 : 0);
}

int64_t local_seconds(const CivilTime& local)
{
    return int64_t{days_from_civil(local.year, local.month, local.day)} * kSecondsPerDay +
           local.hour * 3600 + local.minute * 60 + local.second;
}

class ZoneOfDatabase final : public TimeZone
{
public:
    ZoneOfDatabase(std::string name, const cctz::time_zone& zone)
        : name_(std::move(name)), zone_(zone)
    {
        starts_.push_back(std::numeric_limits<int64_t>::min());
        offsets_.push_back(zone_.lookup(instant(kTableBegin)).offset);
        Instant at = instant(kTableBegin);
        cctz::time_zone::civil_transition transition;
        while (zone_.next_transition(at, &transition))
        {
            at = zone_.lookup(transition.from).trans;
            const int64_t start = at.time_since_epoch().count();
            if (start >= kTableEnd)
                break;
            const int32_t offset = zone_.lookup(at).offset;
            if (offset == offsets_.back())
                continue;
            starts_.push_back(start);
            offsets_.push_back(offset);
        }
        is_fixed_ = starts_.size() == 1;
        is_utc_ = is_fixed_ && offsets_[0] == 0;
        starts_.push_back(std::numeric_limits<int64_t>::max());
        uint16_t period = 0;
        for (int64_t bucket = kTableBegin; bucket < kTableEnd; bucket += int64_t{1} << kBucketBits)
        {
            while (starts_[period + 1] <= bucket)
                ++period;
            buckets_.push_back(period);
        }
    }

    const std::string& name() const override { return name_; }
    bool is_utc() const override { return is_utc_; }

    int32_t offset_at(int64_t unix_s) const override
    {
        if (is_fixed_)
            return offsets_[0];
        if (unix_s < kTableBegin || unix_s >= kTableEnd) [[unlikely]]
            return zone_.lookup(instant(unix_s)).offset;
        return offsets_[period_at(unix_s)];
    }

    int64_t to_unix(const CivilTime& local) const override
    {
        const int64_t seconds = local_seconds(local);
        if (is_fixed_)
            return seconds - offsets_[0];
        if (!in_table(seconds)) [[unlikely]]
            return seconds - zone_.lookup(instant(seconds)).offset;
        return seconds - offsets_[period_of_local(seconds)];
    }

    int64_t day_start(int32_t local_day) const override
    {
        const int64_t seconds = local_day * kSecondsPerDay;
        if (is_fixed_)
            return seconds - offsets_[0];
        if (!in_table(seconds)) [[unlikely]]
            return seconds - zone_.lookup(instant(seconds)).offset;
        const size_t period = period_of_local(seconds);
        return std::max(seconds - offsets_[period], starts_[period]);
    }

private:
    static bool in_table(int64_t local)
    {
        return local >= kTableBegin + kMaxOffset && local < kTableEnd - kMaxOffset;
    }

    size_t period_at(int64_t unix_s) const
    {
        size_t period = buckets_[static_cast<size_t>((unix_s - kTableBegin) >> kBucketBits)];
        while (starts_[period + 1] <= unix_s)
            ++period;
        return period;
    }

    // The first period that the local time falls into or, in a gap, the one after it.
    size_t period_of_local(int64_t local) const
    {
        size_t period = period_at(local - kMaxOffset);
        while (local - offsets_[period] >= starts_[period + 1])
            ++period;
        return period;
    }

    std::string name_;
    cctz::time_zone zone_;
    bool is_fixed_ = false;
    bool is_utc_ = false;
    // Period i has offsets_[i] and lasts from starts_[i] to starts_[i + 1].
    std::vector<int64_t> starts_;
    std::vector<int32_t> offsets_;
    std::vector<uint16_t> buckets_; // period in force at the start of each bucket
};

// The tz library also understands file names and "libc:localtime"; these are not zones.
bool is_plausible_zone_name(std::string_view name)
{
    if (name.empty() || name.size() > kMaxZoneNameBytes || name.front() == '/' ||
        name.find("..") != std::string_view::npos || name.substr(0, 5) == "libc:" ||
        name.substr(0, 5) == "file:")
        return false;
    for (const char c : name)
    {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '/' && c != '_' && c != '-' && c != '+' && c != ':')
            return false;
    }
    return true;
}

} // namespace

CivilTime TimeZone::to_civil(int64_t unix_s) const
{
    const int64_t local = unix_s + offset_at(unix_s);
    const int64_t days = floor_div(local, kSecondsPerDay);
    const auto second_of_day = static_cast<uint32_t>(local - days * kSecondsPerDay);
    CivilTime civil;
    civil_from_days(static_cast<int32_t>(days), civil.year, civil.month, civil.day);
    civil.hour = static_cast<uint8_t>(second_of_day / 3600);
    civil.minute = static_cast<uint8_t>(second_of_day / 60 % 60);
    civil.second = static_cast<uint8_t>(second_of_day % 60);
    return civil;
}

int32_t TimeZone::local_day(int64_t unix_s) const
{
    return static_cast<int32_t>(floor_div(unix_s + offset_at(unix_s), kSecondsPerDay));
}

const TimeZone& timezone(std::string_view name)
{
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<ZoneOfDatabase>, std::less<>> zones;
    const std::lock_guard lock(mutex);
    if (const auto found = zones.find(name); found != zones.end())
        return *found->second;
    const std::string key(name);
    cctz::time_zone zone;
    if (!is_plausible_zone_name(name) || !cctz::load_time_zone(key, &zone))
        throw Error(error_codes::BAD_ARGUMENTS, "Cannot load time zone " + key);
    return *zones.emplace(key, std::make_unique<ZoneOfDatabase>(key, zone)).first->second;
}

const TimeZone& utc()
{
    static const TimeZone& zone = timezone("UTC");
    return zone;
}

int32_t days_from_civil(int32_t year, uint32_t month, uint32_t day)
{
    year -= month <= 2;
    const int32_t era = (year >= 0 ? year : year - 399) / 400;
    const auto year_of_era = static_cast<uint32_t>(year - era * 400);
    const uint32_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const uint32_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + static_cast<int32_t>(day_of_era) - 719468;
}

void civil_from_days(int32_t days, int32_t& year, uint8_t& month, uint8_t& day)
{
    const int64_t shifted = int64_t{days} + 719468;
    const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const auto day_of_era = static_cast<uint32_t>(shifted - era * 146097);
    const uint32_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const uint32_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const uint32_t shifted_month = (5 * day_of_year + 2) / 153;
    day = static_cast<uint8_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    month = static_cast<uint8_t>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    year = static_cast<int32_t>(int64_t{year_of_era} + era * 400) + (month <= 2 ? 1 : 0);
}

} // namespace basalt
