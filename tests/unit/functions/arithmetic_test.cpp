#include "tests/unit/functions/evaluate.h"

#include <gtest/gtest.h>

namespace basalt::test
{

TEST(Arithmetic, ResultTypes)
{
    EXPECT_EQ(type_of("plus(1, 2)"), "UInt16");
    EXPECT_EQ(type_of("minus(1, 2)"), "Int16");
    EXPECT_EQ(type_of("multiply(toInt32(1), toUInt64(1))"), "Int64");
    EXPECT_EQ(type_of("divide(1, 2)"), "Float64");
    EXPECT_EQ(type_of("modulo(toInt32(1), toUInt8(1))"), "Int16");
    EXPECT_EQ(type_of("plus(toUInt128(1), 1.5)"), "Code: 43");
    EXPECT_EQ(type_of("multiply(toDecimal32(1, 2), toDecimal64(1, 3))"), "Decimal(18, 5)");
    EXPECT_EQ(type_of("plus(toDate('2024-01-31'), toIntervalHour(1))"), "DateTime");
    EXPECT_EQ(type_of("intDiv(toFloat32(1), 2)"), "Int32");
}

TEST(Arithmetic, Numbers)
{
    expect_answers(R"(
plus(200, 100) => 300
minus(toUInt64(5), 10) => -5
multiply(-3, 5) => -15
intDiv(-7, 2) => -3
intDiv(1, 0) => Code: 153
intDiv(toInt8(-128), -1) => Code: 153
intDivOrZero(1, 0) => 0
modulo(-7, 3) => -1
modulo(toInt8(-10), toUInt64(3)) => 0
modulo(toUInt64(10), toInt8(-3)) => 10
intDiv(toUInt64(10), toInt8(-3)) => -3
intDiv(toUInt32(4000000000), toInt8(2)) => -147483648
positiveModulo(-7, 3) => 2
positiveModulo(-10, -3) => 2
modulo(7.5, 2) => 1.5
intDiv(1e30, 2) => Code: 153
divide(1, 0) => inf
divideOrNull(1, 0) => NULL
moduloOrNull(5, 0) => NULL
gcd(-12, 18) => 6
lcm(4, 6) => 12
lcm(0, 3) => Code: 153
bitShiftLeft(1, 9) => 0
bitShiftRight(toInt8(-8), 1) => -4
bitRotateLeft(toUInt8(129), 1) => 3
bitShiftLeft(1, -1) => Code: 69
max2(-1, 5) => 5
plus(NULL, 1) => NULL
modulo(1, NULL) => NULL
intDiv(toUInt64(1000000007), 10) => 100000000
modulo(toUInt64(18446744073709551615), 7) => 1
)");
}

TEST(Arithmetic, Decimals)
{
    expect_answers(R"(
plus(toDecimal32(1.5, 2), 1) => 2.5
divide(toDecimal32(1, 2), 3) => 0.33
divide(toDecimal32(1, 2), 0) => Code: 153
divide(2, toDecimal32(1.5, 2)) => 1.33
divide(toDecimal64(7, 5), toDecimal32(3, 2)) => 2.33333
multiply(toDecimal32(2, 1), toDecimal32(3.5, 3)) => 7
multiply(toDecimal32(9999999, 2), toDecimal32(9999999, 2)) => Code: 407
divide(toDecimal32(5.57, 2), toDecimal32(2, 3)) => Code: 69
modulo(toDecimal32(5, 2), 3) => 0.02
intDiv(toDecimal64(7, 2), toDecimal32(2, 1)) => 3
)");
}

TEST(Arithmetic, Dates)
{
    expect_answers(R"(
plus(toDate('2024-01-31'), toIntervalMonth(1)) => 2024-02-29
plus(toDate('2024-01-31'), 1) => 2024-02-01
minus(toDate('2024-01-31'), toDate('2024-01-01')) => 30
plus(toDateTime('2024-03-30 02:30:00', 'Europe/Berlin'), toIntervalDay(1)) => 2024-03-31 01:30:00
plus(toDateTime('2024-10-27 02:30:00', 'Europe/Berlin'), toIntervalDay(1)) => 2024-10-28 02:30:00
plus(toDateTime('2024-02-10 02:30:00', 'America/New_York'), toIntervalMonth(1)) => 2024-03-10 01:30:00
plus(toDateTime64('2024-01-31 00:00:00', 1), toIntervalMillisecond(5)) => 2024-01-31 00:00:00.005
plus('2024-03-31 12:00:00', toIntervalMonth(-1)) => 2024-02-29 12:00:00.000
minus(toDate('1970-01-31'), toIntervalMonth(1)) => 1970-01-01
plus(toDateTime('2106-02-07 06:28:15'), 1) => 1970-01-01 00:00:00
minus(toDateTime64('2024-01-31 00:00:00.5', 3), toDateTime('2024-01-31 00:00:00')) => 0.5
plus(toDate('2024-01-31'), toIntervalMillisecond(5)) => Code: 43
minus(toIntervalDay(1), toDate('2024-01-31')) => Code: 43
)");
}

} // namespace basalt::test
