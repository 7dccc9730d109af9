#include "tests/unit/functions/evaluate.h"

#include <gtest/gtest.h>

namespace basalt::test
{

TEST(Cast, Numbers)
{
    expect_answers(R"(
CAST(300, 'UInt8') => 44
CAST(-1, 'UInt64') => 18446744073709551615
CAST('abc', 'UInt8') => Code: 6
CAST('12abc', 'UInt8') => Code: 6
CAST('abc', 'Nullable(UInt8)') => NULL
CAST(NULL, 'UInt8') => Code: 70
toUInt8('300') => 44
toUInt8OrZero('abc') => 0
toUInt8OrNull('300') => NULL
toUInt8OrDefault('abc', 7) => 7
toUInt8OrZero(5) => Code: 43
toUInt8(300.5) => 44
toInt64(nan) => Code: 70
toInt64(1e30) => -9223372036854775808
toUInt64(1.8e19) => 18000000000000000000
toInt32(5e9) => -2147483648
toUInt32(5e9) => 705032704
accurateCast(300, 'UInt8') => Code: 70
accurateCastOrNull(300, 'UInt8') => NULL
accurateCastOrDefault(300, 'UInt8', 5) => 5
accurateCastOrNull(-1, 'UInt64') => NULL
toBool('true') => true
toBool(5) => true
toUInt8OrNull(toNullable('5')) => 5
)");
}

TEST(Cast, DecimalsAndDates)
{
    expect_answers(R"(
toDecimal32('1.234', 2) => 1.23
toDecimal32(1.239, 2) => 1.23
toDecimal32(1e10, 2) => Code: 407
CAST(100000000, 'Decimal(9,2)') => Code: 407
CAST(toDecimal64(123456789.5, 1), 'Decimal(9,1)') => 123456789.5
CAST(toDecimal32(300.5, 1), 'UInt8') => Code: 407
toUInt8(toDecimal32(1.9, 1)) => 1
toDate(19723) => 2024-01-01
toDate(1704067200) => 2024-01-01
toDate(70000) => 1970-01-01
toDateTime('1704067200') => 2024-01-01 00:00:00
toDateTime(-1) => 1970-01-01 00:00:00
toDateTime(5e9) => 2106-02-07 06:28:15
toDate32(-1) => 1969-12-31
toDateTime64(1704067200.5, 3) => 2024-01-01 00:00:00.500
toDateTime64('2024-01-01 10:00:00.123456', 3) => 2024-01-01 10:00:00.123
toDateOrNull('abc') => NULL
toDate('abc') => Code: 38
toUInt32(toDate('2024-01-01')) => 19723
toFloat64(toDateTime64('2024-01-01 00:00:00.5', 3)) => 1704067200.5
toUnixTimestamp('2024-01-01 00:00:00', 'Asia/Tokyo') => 1704034800
toString(toDateTime('2024-01-01 00:00:00', 'UTC'), 'Europe/Berlin') => 2024-01-01 01:00:00
toDate(toDateTime64('2024-01-01 23:59:59', 3)) => 2024-01-01
CAST(toDateTime64('2024-01-01 00:00:00.567', 3), 'DateTime64(1)') => 2024-01-01 00:00:00.5
toIntervalDay('5') => 5
)");
    EXPECT_EQ(type_of("toDateTime(toDateTime('2024-01-01 00:00:00', 'Asia/Tokyo'))"),
              "DateTime('Asia/Tokyo')");
}

TEST(Cast, OtherTypes)
{
    expect_answers(R"(
CAST(1, 'String') => 1
CAST('a', 'Enum8(\'a\' = 1)') => a
CAST(1, 'Enum8(\'a\' = 1)') => a
CAST(2, 'Enum8(\'a\' = 1)') => Code: 691
CAST('b', 'Enum8(\'a\' = 1)') => Code: 691
CAST('[1,2]', 'Array(UInt8)') => [1,2]
CAST('abc', 'FixedString(2)') => Code: 131
toIPv6('1.2.3.4') => ::ffff:1.2.3.4
CAST(toIPv6('::ffff:1.2.3.4'), 'IPv4') => 1.2.3.4
CAST(toIPv6('::1'), 'IPv4') => Code: 70
toUUID('x') => Code: 376
CAST(1, 'Array(UInt8)') => Code: 53
toUUIDOrZero('x') => 00000000-0000-0000-0000-000000000000
)");
    EXPECT_EQ(type_of("toUInt8(toLowCardinality('5'))"), "LowCardinality(UInt8)");
    EXPECT_EQ(type_of("CAST(toNullable(1), 'String')"), "String");
}

} // namespace basalt::test
