#pragma once

// Times as logs write them, to a count of ticks and back. Only times that are written back the
// same are taken: no 24:00, no second 60, no 30 February.

#include <cstdint>
#include <string_view>

namespace basalt::inline encodings
{

// How a time is written. Characters on disk.
struct TimeShape
{
    enum Format : char
    {
        kDashes = 'I',  // 2026-08-25 12:00:00, or another separator
        kSlashes = 'S', // 2026/08/25 12:00:00
        kClf = 'C',     // 25/Aug/2026:12:00:00
        kSyslog = 'L',  // Aug  5 12:00:00, the day with a space for its first digit
        kTime = 'T',    // 12:00:00
    };
    char format = kTime;
    char separator = ' ';          // of kDashes and kSlashes, between day and hour
    char fraction_separator = '.'; // . or ,
    uint8_t digits = 0;            // of the fraction, at most 9; 0: none

    static constexpr size_t kBytes = 4;
    // The four bytes of a template's slot; false when they are no shape.
    static bool read(std::string_view bytes, TimeShape& shape);
    void write(char* bytes) const;
};

inline constexpr size_t kMaxTimeBytes = 32;

// The end of the time at `at`, or null. ticks: 10^digits a second, from 1970, from the begin of a
// leap year (kSyslog) or of the day (kTime).
const char* parse_time(const char* at, const char* end, const TimeShape& shape, int64_t& ticks);
// Finds out the shape, too. What follows must not look like more of it.
const char* detect_time(const char* at, const char* end, TimeShape& shape);
// Returns the end; writes at most kMaxTimeBytes, for any number.
char* write_time(int64_t ticks, const TimeShape& shape, char* out);

} // namespace basalt::encodings
