#pragma once

// Dates and times to text and back. Text forms are ClickHouse's; "best effort" reads ISO 8601,
// RFC 2822 and 3339, unix timestamps of 9, 10, 13, 16 or 19 digits, day-first dates with month
// numbers or names, am/pm, UTC offsets.

#include "columns/text_cursor.h"
#include "columns/timezone.h"
#include "io/buffer.h"

namespace basalt
{

struct TextOptions;

// Whole seconds that dates are written for: years 0000 to 9999.
inline constexpr int64_t kMinDateTimeSecond = -62167219200;
inline constexpr int64_t kMaxDateTimeSecond = 253402300799;
inline constexpr int32_t kMinDate32 = -25567; // 1900-01-01
inline constexpr int32_t kMaxDate32 = 120529; // 2299-12-31
inline constexpr int32_t kMaxTimeSecond = 3599999; // 999:59:59

// YYYY-MM-DD; 10 bytes, returns the end.
char* put_date(char* to, int32_t days);
void write_date(OutputBuffer& out, int32_t days);
// scale 0 … 9 fraction digits of ticks; 0 for DateTime. Form by options.date_time_output.
void write_date_time(OutputBuffer& out, int64_t ticks, uint32_t scale, const TimeZone& zone,
                     const TextOptions& options);
// [-]hh:mm:ss[.fraction], hours up to three digits.
void write_time(OutputBuffer& out, int64_t ticks, uint32_t scale);

// A date of any separator or none; not yet limited to a type's range. An impossible day or month
// gives `impossible`; 30 February is 1 or 2 March.
bool parse_date(TextCursor& cursor, int32_t impossible, int32_t& days);
// Ticks of 10^-scale s. Best effort, or the plain form with options.date_time_input_basic.
// is_64: DateTime64, which takes a fraction and reaches past 1970 … 2106; DateTime saturates.
bool parse_date_time(TextCursor& cursor, uint32_t scale, bool is_64, const TimeZone& zone,
                     const TextOptions& options, int64_t& ticks);
bool parse_time(TextCursor& cursor, uint32_t scale, int64_t& ticks);

struct DateTimeParts
{
    int64_t unix_s = 0;
    uint64_t fraction = 0; // of `fraction_digits` decimal digits, at most 18
    uint32_t fraction_digits = 0;
};
// The parser behind best effort. month_first: 02/13/2024 is 13 February (US).
bool parse_date_time_best_effort(TextCursor& cursor, bool is_64, const TimeZone& zone,
                                 bool month_first, DateTimeParts& parts);
bool parse_date_time_basic(TextCursor& cursor, bool is_64, const TimeZone& zone,
                           DateTimeParts& parts);

// The session's zone; remembers the last one asked for in this thread.
const TimeZone& session_timezone(const TextOptions& options);

} // namespace basalt
