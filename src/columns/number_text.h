#pragma once

// Numbers to text and back, digit for digit as ClickHouse.

#include "columns/text_cursor.h"
#include "io/buffer.h"

#include "base/wide_int.h"

namespace basalt
{

void write_number(OutputBuffer& out, uint64_t value);
void write_number(OutputBuffer& out, int64_t value);
void write_number(OutputBuffer& out, UInt128 value);
void write_number(OutputBuffer& out, Int128 value);
void write_number(OutputBuffer& out, const UInt256& value);
void write_number(OutputBuffer& out, const Int256& value);
// Shortest digits that read back as the same value; plain from 1e-6 to below 1e21, otherwise with
// an exponent; nan, inf, -inf.
void write_number(OutputBuffer& out, double value);
void write_number(OutputBuffer& out, float value);

// Decimal of mantissa / 10^scale. Zeros at the end of the fraction are dropped unless asked for.
void write_decimal(OutputBuffer& out, const Int256& mantissa, uint32_t scale,
                   bool trailing_zeros = false);
void write_decimal(OutputBuffer& out, int64_t mantissa, uint32_t scale, bool trailing_zeros = false);

// Digits with an optional sign; wraps around past the type's range as ClickHouse's readers do.
// No digit at all is 0, a sign without one fails. T: 8- to 256-bit integers.
template <class T> bool parse_integer(TextCursor& cursor, T& value);
// The lenient form of TabSeparated: a leading 0 ends the number, no plus sign.
template <class T> bool parse_integer_tsv(TextCursor& cursor, T& value);
// As parse_integer, and false past the range (fail code ARGUMENT_OUT_OF_BOUND).
template <class T> bool parse_integer_checked(TextCursor& cursor, T& value);

bool parse_float(TextCursor& cursor, double& value);
bool parse_float(TextCursor& cursor, float& value);

// Digits, point, exponent. Fraction digits past `scale` are cut off; more than `precision` digits
// in all fail with ARGUMENT_OUT_OF_BOUND. digits_optional: nothing at all is 0.
bool parse_decimal(TextCursor& cursor, uint32_t precision, uint32_t scale, Int256& mantissa,
                   bool digits_optional = false);

// 10^power, power at most 76.
const Int256& power_of_ten_256(uint32_t power);
inline constexpr int64_t kPowersOfTen64[] = {1,
                                             10,
                                             100,
                                             1000,
                                             10000,
                                             100000,
                                             1000000,
                                             10000000,
                                             100000000,
                                             1000000000,
                                             10000000000,
                                             100000000000,
                                             1000000000000,
                                             10000000000000,
                                             100000000000000,
                                             1000000000000000,
                                             10000000000000000,
                                             100000000000000000,
                                             1000000000000000000};

// Two digits at a time: "00" … "99".
extern const char kDigitPairs[201];
inline char* put_two_digits(char* to, uint32_t value)
{
    to[0] = kDigitPairs[value * 2];
    to[1] = kDigitPairs[value * 2 + 1];
    return to + 2;
}
// Writes the decimal digits of value and returns the end; at most 20 bytes.
char* put_digits(char* to, uint64_t value);

} // namespace basalt
