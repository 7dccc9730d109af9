#include "tests/unit/functions/evaluate.h"

#include <gtest/gtest.h>

namespace basalt::test
{

TEST(Comparison, Numbers)
{
    expect_answers(R"(
greater(toUInt64(18446744073709551615), toInt64(-1)) => 1
less(toInt64(-1), toUInt64(0)) => 1
equals(toUInt64(18446744073709551615), toInt64(-1)) => 0
equals(9007199254740993, 9007199254740992.0) => 0
equals(toFloat32(0.1), 0.1) => 0
equals(nan, nan) => 0
notEquals(nan, nan) => 1
less(nan, 1) => 0
less(toInt256(-5), toUInt256(5)) => 1
greater(toUInt256(5), -1) => 1
equals(toDecimal32(1.5, 2), toDecimal64(1.5, 5)) => 1
greater(toDecimal32(1.5, 2), 1) => 1
equals(toUInt8(1), '300') => 0
equals(1, 'abc') => Code: 53
less(1, '2') => 1
equals(NULL, NULL) => NULL
isNotDistinctFrom(NULL, NULL) => 1
isNotDistinctFrom(1, NULL) => 0
)");
}

TEST(Comparison, TextsAndDates)
{
    expect_answers(R"(
less('a', 'b') => 1
less('ab', 'a') => 0
equals(toFixedString('a', 3), 'a') => 1
equals(toDate('2024-01-01'), '2024-01-01') => 1
equals(toDate('2024-01-01'), 19723) => Code: 43
greater(toDateTime('2024-01-01 00:00:00'), 5) => 1
equals(toDate('2024-01-01'), toDateTime('2024-01-01 00:00:00')) => 1
less(toDate('2024-01-01'), toDateTime64('2024-01-01 00:00:01', 3)) => 1
equals(CAST('a', 'Enum8(\'a\' = 1, \'b\' = 2)'), 'a') => 1
equals(CAST('a', 'Enum8(\'a\' = 1, \'b\' = 2)'), 'zzz') => 0
equals(toIPv4('1.2.3.4'), toIPv6('::ffff:1.2.3.4')) => 1
equals(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), '61f0c404-5cb3-11e7-907b-a6006ad3dba0') => 1
equals(toIntervalDay(1), toIntervalHour(24)) => 1
greater(toIntervalMonth(1), toIntervalDay(1)) => Code: 386
)");
}

TEST(Logical, ThreeValues)
{
    expect_answers(R"(
and(1, NULL) => NULL
and(0, NULL) => 0
or(1, NULL) => 1
or(0, NULL) => NULL
xor(1, NULL) => NULL
not(NULL) => NULL
and(2, 3) => 1
or(0.5, 0) => 1
and(1, 'a') => Code: 43
)");
    EXPECT_EQ(type_of("and(true, 1)"), "Bool");
    EXPECT_EQ(type_of("and(1, NULL)"), "Nullable(UInt8)");
}

TEST(Conditional, Branches)
{
    expect_answers(R"(
if(1, 'a', 'b') => a
if(NULL, 1, 2) => 2
if(0, NULL, 5) => 5
multiIf(NULL, 1, 0, 2, 3) => 3
multiIf(0, 1, 1, 2.5, 3) => 2.5
if('a', 1, 2) => Code: 43
multiIf(1, 2) => Code: 42
caseWithExpression(1, 1, 'a', 2, 'b', 'c') => a
caseWithExpression(NULL, NULL, 'a', 'c') => a
coalesce(NULL, 1) => 1
ifNull(NULL, 5) => 5
nullIf(1, 1) => NULL
nullIf(1, 2) => 1
isNull(NULL) => 1
isZeroOrNull(0) => 1
greatest(1, 2, 3) => 3
least(1, -1) => -1
greatest(1, NULL) => 1
least(nan, 1) => 1
least(1, nan) => nan
greatest(nan, 1) => 1
greatest(1, nan) => nan
least(2, nan, 1) => 1
greatest(nan, 2, 3) => 3
)");
    EXPECT_EQ(type_of("if(1, 1, -1)"), "Int16");
    EXPECT_EQ(type_of("if(1, 1, NULL)"), "Nullable(UInt8)");
    EXPECT_EQ(type_of("coalesce(toNullable(1), 2)"), "UInt8");
}

} // namespace basalt::test
