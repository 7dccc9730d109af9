#include "executor/key_combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Rows of one number have equal keys; used numbers, first rows and counts are as the codes say.
void expect_numbered(const Columns& keys, size_t rows)
{
    RowCombinations found;
    ASSERT_TRUE(number_combinations(keys, rows, found));
    ASSERT_EQ(found.codes.size(), rows);
    ASSERT_EQ(found.used.size(), found.first_rows.size());
    std::vector<uint64_t> counts(found.numbers, 0);
    std::vector<size_t> first(found.numbers, rows);
    for (size_t i = 0; i < rows; ++i)
    {
        ASSERT_LT(found.codes[i], found.numbers);
        if (counts[found.codes[i]]++ == 0)
            first[found.codes[i]] = i;
        ASSERT_EQ(key_of(keys, i), key_of(keys, first[found.codes[i]]));
    }
    size_t used = 0;
    for (size_t n = 0; n < found.numbers; ++n)
        used += counts[n] > 0;
    ASSERT_EQ(used, found.used.size());
    for (size_t i = 0; i < used; ++i)
        EXPECT_EQ(found.first_rows[i], first[found.used[i]]);
    EXPECT_TRUE(std::is_sorted(found.first_rows.begin(), found.first_rows.end()));
    if (!found.counts.empty())
    {
        EXPECT_TRUE(std::equal(counts.begin(), counts.end(), found.counts.begin(),
                               found.counts.end()));
    }
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
    expect_numbered({dictionary(rows, 3000, random)}, rows);
    expect_numbered({dictionary(rows, 60, random), dictionary(rows, 50, random)}, rows);
    expect_numbered({dictionary(rows, 2, random)->slice(0, 2)}, 2);
    expect_numbered({constant}, rows);
    expect_numbered({constant->slice(0, 1)}, 1);
}

TEST(KeyCombinations, RefusesManyAndOtherKinds)
{
    std::mt19937 random(2);
    const size_t rows = 6000;
    RowCombinations found;
    const auto few = [&](const Columns& keys) { return number_combinations(keys, rows, found); };
    EXPECT_FALSE(few({runs<uint64_t>(rows, 1, random), runs<uint64_t>(rows, 1, random)}));
    EXPECT_FALSE(few({dictionary(rows, 100, random), dictionary(rows, 100, random)}));
    EXPECT_FALSE(few({to_flat(dictionary(rows, 4, random))}));
    EXPECT_FALSE(number_combinations({bytes(0, random)}, 0, found));
}

} // namespace basalt::test
