#include "executor/key_combinations.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt::test
{

namespace
{

template <class T> ColumnPtr runs(size_t rows, size_t length, std::mt19937& random)
{
    auto column = std::make_shared<VectorColumn<T>>(rows);
    T value = T(0);
    for (size_t i = 0; i < rows; ++i)
    {
        if (i % length == 0)
            value = static_cast<T>(random() % 5);
        column->data()[i] = value;
    }
    return column;
}

ColumnPtr dictionary(size_t rows, size_t entries, std::mt19937& random)
{
    auto values = std::make_shared<StringColumn>();
    for (size_t e = 0; e < entries; ++e)
        values->append("entry " + std::to_string(e / 2)); // some twice
    PodVector<uint32_t> codes;
    for (size_t i = 0; i < rows; ++i)
        codes.push_back(static_cast<uint32_t>(random() % entries));
    return std::make_shared<DictionaryColumn>(values, std::move(codes));
}

ColumnPtr bytes(size_t rows, std::mt19937& random)
{
    auto column = std::make_shared<VectorColumn<int8_t>>(rows);
    for (auto& value : column->data())
        value = static_cast<int8_t>(random() % 7 - 3);
    return column;
}

std::string key_of(const Columns& keys, size_t row)
{
    std::string text;
    for (const ColumnPtr& key : keys)
        text += key->value_at(row).to_text() + "|";
    return text;
}

// Rows of one code have equal keys; codes are numbered by first sight.
void expect_numbered(const Columns& keys, size_t rows)
{
    PodVector<uint16_t> codes;
    RowIndexes first_rows;
    ASSERT_TRUE(number_combinations(keys, rows, codes, first_rows));
    ASSERT_EQ(codes.size(), rows);
    size_t next = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        ASSERT_LE(codes[i], next);
        if (codes[i] == next)
        {
            ASSERT_LT(next, first_rows.size());
            ASSERT_EQ(first_rows[next++], i);
        }
        ASSERT_EQ(key_of(keys, i), key_of(keys, first_rows[codes[i]]));
    }
    EXPECT_EQ(next, first_rows.size());
}

} // namespace

TEST(KeyCombinations, OfEveryKind)
{
    std::mt19937 random(1);
    const size_t rows = 6000;
    const auto constant = make_constant(simple_type(TypeId::UInt64), Value(uint64_t{7}), rows);
    expect_numbered({dictionary(rows, 40, random)}, rows);
    expect_numbered({bytes(rows, random)}, rows);
    expect_numbered({runs<uint32_t>(rows, 900, random)}, rows);
    expect_numbered({runs<int64_t>(rows, 300, random), dictionary(rows, 6, random)}, rows);
    expect_numbered({runs<double>(rows, 500, random), runs<uint16_t>(rows, 700, random), constant},
                    rows);
    expect_numbered({constant, dictionary(rows, 3, random), dictionary(rows, 5, random),
                     bytes(rows, random)},
                    rows);
    expect_numbered({constant}, rows);
    expect_numbered({constant->slice(0, 1)}, 1);
}

TEST(KeyCombinations, RefusesManyAndOtherKinds)
{
    std::mt19937 random(2);
    const size_t rows = 6000;
    PodVector<uint16_t> codes;
    RowIndexes first_rows;
    const auto few = [&](const Columns& keys)
    { return number_combinations(keys, rows, codes, first_rows); };
    EXPECT_FALSE(few({runs<uint64_t>(rows, 1, random), runs<uint64_t>(rows, 1, random)}));
    EXPECT_FALSE(few({dictionary(rows, 100, random), dictionary(rows, 100, random)}));
    EXPECT_FALSE(few({to_flat(dictionary(rows, 4, random))}));
    EXPECT_FALSE(number_combinations({bytes(0, random)}, 0, codes, first_rows));
}

} // namespace basalt::test
