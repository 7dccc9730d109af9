#include "base/clock.h"
#include "base/error.h"
#include "encodings/page.h"
#include "encodings/page_statistics.h"
#include "tests/unit/encodings/one_part.h"

#include <gtest/gtest.h>

#include <limits>

namespace basalt
{
namespace
{

struct Case
{
    const char* type;
    const char* codec;
};

// A value for the row, of few or of many distinct ones.
Value random_value(const TypePtr& type, SeededRandom& random, uint64_t distinct)
{
    const uint64_t x = random.next_u64() % distinct;
    switch (type->physical())
    {
    case PhysicalType::String:
        return Value("value-" + std::to_string(x * 7919));
    case PhysicalType::FixedString:
        return Value((std::to_string(x) + std::string(16, 'z')).substr(0, 5));
    case PhysicalType::Float32:
    case PhysicalType::Float64:
        return Value(static_cast<double>(x) / 8);
    case PhysicalType::Int8:
    case PhysicalType::Int16:
    case PhysicalType::Int32:
    case PhysicalType::Int64:
        return Value(static_cast<int64_t>(x % 100) - 50);
    case PhysicalType::UInt128:
        return Value(static_cast<UInt128>(x) << 70);
    case PhysicalType::Nullable:
        if (x % 3 == 0)
            return Null{};
        return random_value(type_as<NullableType>(type).nested(), random, distinct);
    case PhysicalType::Array:
    {
        ArrayValue array;
        for (uint64_t i = 0; i < x % 4; ++i)
            array.items.push_back(random_value(type_as<ArrayType>(type).nested(), random, 50));
        return array;
    }
    case PhysicalType::Tuple:
    {
        TupleValue tuple;
        for (const auto& element : type_as<TupleType>(type).elements())
            tuple.items.push_back(random_value(element, random, distinct));
        return tuple;
    }
    default:
        return Value(x % 200);
    }
}

ColumnPtr random_column(const TypePtr& wrapped, size_t rows, uint64_t seed, uint64_t distinct)
{
    const TypePtr type = remove_low_cardinality(wrapped);
    SeededRandom random(seed);
    auto column = type->create_column();
    for (size_t i = 0; i < rows; ++i)
        column->append_value(random_value(type, random, distinct));
    return column;
}

class PlainPageTest : public ::testing::TestWithParam<Case>
{
};

TEST_P(PlainPageTest, ComesBackInEveryWay)
{
    const TypePtr type = type_from_name(GetParam().type);
    for (const uint64_t distinct : {1ull, 30ull, 1000000ull})
    {
        for (const size_t granule : {size_t{16}, size_t{512}, kPageRows})
        {
            const size_t rows = 2000;
            const ColumnPtr column = random_column(type, rows, distinct, distinct);
            const OnePart part(type, GetParam().codec, granule, {column, column});
            const auto page = part.open(1);
            ASSERT_EQ(page->rows(), rows);
            expect_same(column, 0, page->decode(0, rows));
            for (const auto& [begin, count] :
                 {std::pair<size_t, size_t>{0, 1}, {511, 2}, {512, 512}, {100, 1500}, {1999, 1}})
            {
                const auto some = page->decode(begin, count);
                ASSERT_EQ(some->size(), count);
                expect_same(column, begin, some);
            }
            const RowIndexes chosen{0, 5, 511, 512, 513, 1400, 1999};
            const ColumnPtr taken = to_flat(page->decode_rows(chosen));
            ASSERT_EQ(taken->size(), chosen.size());
            for (size_t i = 0; i < chosen.size(); ++i)
                ASSERT_EQ(taken->value_at(i), column->value_at(chosen[i]));
            ColumnPtr dictionary;
            PodVector<uint32_t> codes;
            if (page->as_dictionary(500, 600, dictionary, codes))
            {
                ASSERT_EQ(codes.size(), 600u);
                for (size_t i = 0; i < codes.size(); ++i)
                    ASSERT_EQ(dictionary->value_at(codes[i]), column->value_at(500 + i));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Types, PlainPageTest,
    ::testing::Values(Case{"UInt8", ""}, Case{"UInt64", "Delta, ZSTD(1)"}, Case{"Int32", "T64, LZ4"},
                      Case{"Float32", ""}, Case{"Float64", "Gorilla, LZ4"}, Case{"String", ""},
                      Case{"String", "ZSTD(3)"}, Case{"String", "NONE"},
                      Case{"FixedString(5)", ""}, Case{"LowCardinality(String)", ""},
                      Case{"LowCardinality(String)", "LZ4"},
                      Case{"LowCardinality(Nullable(String))", ""},
                      Case{"LowCardinality(UInt32)", ""}, Case{"Nullable(Int16)", "Delta, LZ4"},
                      Case{"Nullable(String)", ""}, Case{"Array(UInt16)", ""},
                      Case{"Array(Nullable(String))", "ZSTD"},
                      Case{"Tuple(a UInt8, b String, c Array(Float32))", ""},
                      Case{"DateTime64(3)", ""}, Case{"UUID", ""}));

TEST(PlainPage, LowCardinalityStaysADictionaryOfThePart)
{
    const TypePtr type = type_from_name("LowCardinality(String)");
    const auto first = random_column(type, 5000, 1, 20);
    const auto second = random_column(type, 5000, 2, 40);
    const OnePart part(type, "", 1024, {first, second});
    ColumnPtr a, b;
    PodVector<uint32_t> codes;
    ASSERT_TRUE(part.open(0)->as_dictionary(0, 100, a, codes));
    ASSERT_TRUE(part.open(1)->as_dictionary(0, 100, b, codes));
    EXPECT_EQ(a.get(), b.get());
    EXPECT_LE(a->size(), 60u);
}

TEST(PlainPage, DictionaryInputIsEncodedAsItIs)
{
    const TypePtr type = type_from_name("LowCardinality(String)");
    const auto values = random_column(type, 100, 3, 50); // with doubles
    PodVector<uint32_t> codes;
    SeededRandom random(4);
    for (size_t i = 0; i < 3000; ++i)
        codes.push_back(static_cast<uint32_t>(random.next_u64() % 100));
    const auto column = std::make_shared<DictionaryColumn>(values, codes);
    const OnePart part(type, "", 1024, {column});
    expect_same(column, 0, part.open(0)->decode(0, 3000));
}

TEST(PlainPage, StatisticsBoundTheValues)
{
    const TypePtr type = type_from_name("Nullable(Int32)");
    const auto column = random_column(type, 3000, 7, 90);
    const OnePart part(type, "", 1024, {column});
    const auto& statistics = part.statistics[0];
    EXPECT_EQ(statistics.rows, 3000u);
    uint32_t nulls = 0;
    for (size_t i = 0; i < 3000; ++i)
    {
        const Value value = column->value_at(i);
        nulls += value.is_null();
        if (value.is_null())
            continue;
        EXPECT_LE(*compare_values(*statistics.min, value), 0);
        EXPECT_GE(*compare_values(*statistics.max, value), 0);
    }
    EXPECT_EQ(statistics.null_count, nulls);
}

TEST(PlainPage, StatisticsOfLongTextsAreBoundsAndNanHasNone)
{
    auto text = std::make_shared<StringColumn>();
    text->append(std::string(70, '\xff'));
    auto statistics = statistics_of(*text, type_from_name("String"), 0, 1);
    EXPECT_FALSE(statistics.max);
    text = std::make_shared<StringColumn>();
    text->append(std::string(63, 'a') + "bzzzz");
    statistics = statistics_of(*text, type_from_name("String"), 0, 1);
    EXPECT_EQ(*statistics.min, Value(std::string(63, 'a') + "b"));
    EXPECT_EQ(*statistics.max, Value(std::string(63, 'a') + "c"));
    auto floats = std::make_shared<VectorColumn<double>>();
    floats->data() = PodVector<double>{1.0, std::numeric_limits<double>::quiet_NaN(), 2.0};
    EXPECT_FALSE(statistics_of(*floats, type_from_name("Float64"), 0, 3).min);
}

TEST(PlainPage, TruncatedOrFlippedBytesAreRefusedOrDecode)
{
    const TypePtr type = type_from_name("String");
    for (const uint64_t distinct : {10ull, 100000ull})
    {
        const auto column = random_column(type, 600, 5, distinct);
        const OnePart part(type, "", 128, {column});
        SeededRandom random(6);
        for (int round = 0; round < 400; ++round)
        {
            std::string bytes = part.pages[0];
            if (round % 2)
                bytes.resize(random.next_u64() % bytes.size());
            else
                bytes[random.next_u64() % bytes.size()] ^= static_cast<char>(1 << (round % 8));
            if (bytes.size() > 12)
                std::memcpy(bytes.data() + 4, part.pages[0].data() + 4, 8); // rows stay
            try
            {
                const auto page = part.decoder->open_page(0, {bytes, nullptr}, {});
                page->decode(0, page->rows());
            }
            catch (const Error&)
            {
            }
        }
    }
}

} // namespace
} // namespace basalt
