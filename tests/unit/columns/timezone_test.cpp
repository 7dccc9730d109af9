#include "base/error.h"
#include "columns/timezone.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

CivilTime civil(int year, int month, int day, int hour = 0, int minute = 0, int second = 0)
{
    return {year,
            static_cast<uint8_t>(month),
            static_cast<uint8_t>(day),
            static_cast<uint8_t>(hour),
            static_cast<uint8_t>(minute),
            static_cast<uint8_t>(second)};
}

TEST(TimeZone, CivilDaysRoundTrip)
{
    EXPECT_EQ(days_from_civil(1970, 1, 1), 0);
    EXPECT_EQ(days_from_civil(1900, 1, 1), -25567);
    EXPECT_EQ(days_from_civil(2299, 12, 31), 120529);
    int32_t expected = days_from_civil(-5, 1, 1);
    for (int32_t days = expected; days < 200000; ++days)
    {
        int32_t year;
        uint8_t month, day;
        civil_from_days(days, year, month, day);
        ASSERT_EQ(days_from_civil(year, month, day), days);
    }
}

TEST(TimeZone, GapsAndOverlapsAsTheOracle)
{
    const TimeZone& berlin = timezone("Europe/Berlin");
    EXPECT_FALSE(berlin.is_utc());
    EXPECT_EQ(berlin.to_unix(civil(2024, 3, 31, 2, 30)), 1711845000);
    EXPECT_EQ(berlin.to_unix(civil(2024, 10, 27, 2, 30)), 1729989000);
    EXPECT_EQ(berlin.to_unix(civil(1900, 1, 1)), -2208992400);
    EXPECT_EQ(berlin.to_unix(civil(1890, 1, 1)), -2524524808);
    EXPECT_EQ(timezone("Asia/Kolkata").to_unix(civil(1900, 1, 1)), -2209008070);
    EXPECT_EQ(timezone("Africa/Monrovia").to_unix(civil(1970, 1, 1, 0, 30)), 4470);
    EXPECT_EQ(timezone("Fixed/UTC+03:00:00").offset_at(0), 10800);
    EXPECT_EQ(timezone("Etc/GMT+3").offset_at(0), -10800);
}

TEST(TimeZone, RoundTripAroundTheYears)
{
    for (const char* name : {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu",
                             "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"})
    {
        const TimeZone& zone = timezone(name);
        EXPECT_EQ(zone.name(), name);
        int64_t ambiguous = 0, total = 0;
        for (int64_t t = -3000000000; t < 17500000000; t += 1234567)
        {
            const CivilTime local = zone.to_civil(t);
            const int64_t back = zone.to_unix(local);
            ++total;
            if (back != t)
            {
                // The second pass through an overlap is read as the first.
                ++ambiguous;
                EXPECT_LT(back, t);
                EXPECT_EQ(zone.to_civil(back).hour, local.hour);
            }
            const int32_t day = zone.local_day(t);
            EXPECT_LE(zone.day_start(day), t);
            EXPECT_GT(zone.day_start(day + 1), t);
        }
        EXPECT_LT(ambiguous * 1000, total);
    }
}

TEST(TimeZone, DayWithoutMidnight)
{
    const TimeZone& zone = timezone("America/Sao_Paulo");
    const int32_t day = days_from_civil(2018, 11, 4);
    EXPECT_EQ(zone.day_start(day), 1541300400);
    EXPECT_EQ(zone.to_civil(zone.day_start(day)).hour, 1);
}

TEST(TimeZone, UnknownNames)
{
    for (const char* name : {"", "utc", "Foo/Bar", "/etc/passwd", "../zoneinfo/UTC",
                             "libc:localtime", "file:/etc/localtime", "Europe/Ber lin"})
        EXPECT_THROW(timezone(name), Error) << name;
}

} // namespace
} // namespace basalt
