#include "postgres/type_mapping.h"

#include "columns/type.h"

#include <gtest/gtest.h>

namespace basalt::pg
{
namespace
{

std::string name_of(uint32_t oid, int32_t modifier = -1, bool is_not_null = true,
                    uint32_t array_depth = 0, bool is_enum = false)
{
    return column_type_name({oid, modifier, is_enum, array_depth, is_not_null});
}

// As PostgreSQL packs numeric(precision, scale).
int32_t numeric_modifier(int precision, int scale)
{
    return ((precision << 16) | (scale & 0x7FF)) + 4;
}

TEST(PgTypes, MapBuiltInTypes)
{
    EXPECT_EQ(name_of(16), "Bool");
    EXPECT_EQ(name_of(21), "Int16");
    EXPECT_EQ(name_of(23), "Int32");
    EXPECT_EQ(name_of(20), "Int64");
    EXPECT_EQ(name_of(700), "Float32");
    EXPECT_EQ(name_of(701), "Float64");
    EXPECT_EQ(name_of(1082), "Date32");
    EXPECT_EQ(name_of(1114), "DateTime64(6)");
    EXPECT_EQ(name_of(1184), "DateTime64(6, 'UTC')");
    EXPECT_EQ(name_of(2950), "UUID");
    for (const uint32_t text : {25u, 1043u, 17u, 114u, 3802u, 869u, 600u, 90001u})
        EXPECT_EQ(name_of(text), "String") << text;
}

TEST(PgTypes, MapNumerics)
{
    EXPECT_EQ(name_of(1700), "Decimal(76, 38)");
    EXPECT_EQ(name_of(1700, numeric_modifier(10, 2)), "Decimal(10, 2)");
    EXPECT_EQ(name_of(1700, numeric_modifier(5, 0)), "Decimal(5, 0)");
    EXPECT_EQ(name_of(1700, numeric_modifier(76, 76)), "Decimal(76, 76)");
    EXPECT_EQ(name_of(1700, numeric_modifier(80, 5)), "String");
    EXPECT_EQ(name_of(1700, numeric_modifier(2, -3)), "Decimal(5, 0)");
    EXPECT_EQ(name_of(1700, numeric_modifier(3, 5)), "Decimal(5, 5)");
    EXPECT_EQ(name_of(1700, numeric_modifier(1000, -1000)), "String");
    EXPECT_EQ(numeric_bounds(numeric_modifier(1000, -1000))->scale, -1000);
    EXPECT_FALSE(numeric_bounds(-1));
}

TEST(PgTypes, MapNullsArraysAndEnums)
{
    EXPECT_EQ(name_of(23, -1, false), "Nullable(Int32)");
    EXPECT_EQ(name_of(23, -1, true, 1), "Array(Nullable(Int32))");
    EXPECT_EQ(name_of(25, -1, false, 2), "Array(Array(Nullable(String)))");
    EXPECT_EQ(name_of(90001, -1, true, 0, true), "LowCardinality(String)");
    EXPECT_EQ(name_of(90001, -1, false, 0, true), "LowCardinality(Nullable(String))");
    EXPECT_EQ(name_of(90001, -1, true, 1, true), "Array(LowCardinality(Nullable(String)))");
}

TEST(PgTypes, AreTypesOfTheColumnStore)
{
    for (const uint32_t oid : {16u, 20u, 21u, 23u, 25u, 26u, 700u, 701u, 1082u, 1114u, 1184u, 1700u, 2950u})
        for (const bool is_not_null : {true, false})
            for (const uint32_t depth : {0u, 1u, 3u})
                for (const bool is_enum : {false, true})
                {
                    const std::string name = name_of(oid, -1, is_not_null, depth, is_enum);
                    EXPECT_EQ(type_from_name(name)->name(), name);
                }
}

} // namespace
} // namespace basalt::pg
