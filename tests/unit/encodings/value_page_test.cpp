#include "base/clock.h"
#include "encodings/page.h"
#include "encodings/page_format.h"
#include "encodings/page_statistics.h"
#include "encodings/value_pages.h"
#include "tests/unit/encodings/one_part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace basalt
{
namespace
{

ColumnPtr texts(const std::vector<std::string>& values)
{
    auto column = std::make_shared<StringColumn>();
    for (const auto& value : values)
        column->append(value);
    return column;
}

std::string random_hex(SeededRandom& random, size_t digits, const char* alphabet)
{
    std::string text;
    for (size_t i = 0; i < digits; ++i)
        text.push_back(alphabet[random.next_u64() % 16]);
    return text;
}

template <class F> ColumnPtr hex_column(size_t rows, F&& text)
{
    SeededRandom random(rows);
    auto column = std::make_shared<StringColumn>();
    for (size_t i = 0; i < rows; ++i)
        column->append(text(random));
    return column;
}

PageEncoding encoding_of(const OnePart& part, size_t page = 0)
{
    return PageHead::read(part.pages[page]).encoding;
}

// Every predicate over a page says the same as over the values themselves.
void expect_predicates(const OnePart& part, const ColumnPtr& column,
                       const std::vector<Value>& constants)
{
    using Kind = PagePredicate::Kind;
    const auto page = part.open(0);
    const size_t rows = column->size();
    const auto holds = [](Kind kind, const Value& value, const Values& wanted)
    {
        const int order = compare_values(value, wanted[0]).value_or(0);
        switch (kind)
        {
        case Kind::Equals:
            return value == wanted[0];
        case Kind::NotEquals:
            return value != wanted[0];
        case Kind::Less:
            return order < 0;
        case Kind::LessOrEquals:
            return order <= 0;
        case Kind::Greater:
            return order > 0;
        case Kind::GreaterOrEquals:
            return order >= 0;
        default:
            return (std::find(wanted.begin(), wanted.end(), value) != wanted.end()) ==
                   (kind == Kind::In);
        }
    };
    size_t decided = 0;
    for (int k = 0; k <= static_cast<int>(Kind::NotIn); ++k)
    {
        for (size_t i = 0; i < constants.size(); ++i)
        {
            PagePredicate predicate{static_cast<Kind>(k), {constants[i]}};
            if (predicate.kind == Kind::In || predicate.kind == Kind::NotIn)
                predicate.values.insert(predicate.values.end(), constants.begin(),
                                        constants.begin() + static_cast<ptrdiff_t>(i));
            for (const auto& [begin, count] : {std::pair<size_t, size_t>{0, rows}, {rows / 3, 7}})
            {
                std::vector<uint8_t> mask(count, 9);
                if (!page->evaluate(predicate, begin, count, mask.data()))
                    continue;
                ++decided;
                for (size_t row = 0; row < count; ++row)
                {
                    const Value value = column->value_at(begin + row);
                    const bool expected =
                        !value.is_null() && holds(predicate.kind, value, predicate.values);
                    ASSERT_EQ(mask[row], expected) << k << " row " << row << " "
                                                   << value.to_text();
                }
            }
        }
    }
    EXPECT_GT(decided, 0u);
}

TEST(HexPage, TextsOfOneFormAreBinary)
{
    const auto type = type_from_name("String");
    const char* lower = "0123456789abcdef";
    const char* upper = "0123456789ABCDEF";
    for (const size_t digits : {8, 10, 16, 22, 32, 40, 64})
    {
        for (const char* alphabet : {lower, upper})
        {
            const auto column = hex_column(3000, [&](SeededRandom& random)
                                           { return random_hex(random, digits, alphabet); });
            const OnePart part(type, "", 512, {column});
            ASSERT_EQ(encoding_of(part), PageEncoding::HexText);
            EXPECT_LT(part.pages[0].size(), 3000 * digits / 2 + 40);
            expect_same(column, 0, part.open(0)->decode(0, 3000));
            expect_same(column, 700, part.open(0)->decode(700, 900));
            expect_predicates(part, column,
                              {column->value_at(5), column->value_at(2999), std::string("ff"),
                               std::string(digits, 'g'), column->value_at(7),
                               column->value_at(8), column->value_at(1003)});
        }
    }
    const auto uuids =
        hex_column(2000,
                   [&](SeededRandom& random)
                   {
                       std::string text = random_hex(random, 36, lower);
                       for (const size_t at : {8, 13, 18, 23})
                           text[at] = '-';
                       return text;
                   });
    const OnePart part(type, "", 512, {uuids});
    ASSERT_EQ(encoding_of(part), PageEncoding::HexText);
    expect_same(uuids, 0, part.open(0)->decode(0, 2000));
    expect_predicates(part, uuids, {uuids->value_at(3), std::string(36, '-')});
}

// What holds for the texts is what the binary digits say.
TEST(HexPage, FindsTextsInBinaryDigits)
{
    const char* const lower = "0123456789abcdef";
    for (const size_t digits : {16, 20, 32, 36})
    {
        const auto column = hex_column(
            700,
            [&](SeededRandom& random)
            {
                std::string text = random_hex(random, digits, lower);
                if (digits == 36)
                    for (const size_t at : {8, 13, 18, 23})
                        text[at] = '-';
                return text;
            });
        const OnePart part(type_from_name("String"), "", 512, {column});
        ASSERT_EQ(encoding_of(part), PageEncoding::HexText);
        const auto page = part.open(0);
        const auto& texts = column_as<StringColumn>(*column);
        SeededRandom random(digits);
        std::vector<uint8_t> hits(700);
        size_t decided = 0;
        for (size_t round = 0; round < 600; ++round)
        {
            const std::string_view from = texts.at(random.next_u64() % 700);
            const size_t at = round % 3 ? random.next_u64() % digits : 0;
            std::string text(from.substr(at, 1 + random.next_u64() % (digits + 1)));
            if (round % 7 == 0)
                text[random.next_u64() % text.size()] ^= 1;
            if (round % 31 == 0)
                text += from;
            const size_t begin = random.next_u64() % 700;
            const size_t count = 700 - begin;
            for (const TextTest test : {TextTest::Equals, TextTest::StartsWith,
                                        TextTest::EndsWith, TextTest::Contains})
            {
                if (!test_hex_texts(*page, test, text, begin, count, hits.data()))
                    continue;
                ++decided;
                for (size_t i = 0; i < count; ++i)
                {
                    const std::string_view value = texts.at(begin + i);
                    const bool holds =
                        test == TextTest::Equals       ? value == text
                        : test == TextTest::StartsWith ? value.starts_with(text)
                        : test == TextTest::EndsWith   ? value.ends_with(text)
                                                       : value.find(text) != value.npos;
                    ASSERT_EQ(hits[i], holds) << text << " in " << value;
                }
            }
        }
        EXPECT_GT(decided, 1000u);
    }
}

TEST(HexPage, OneOtherTextKeepsThePageExact)
{
    const auto type = type_from_name("String");
    for (const std::string odd : {"", "0123456789abcdeF", "0123456789abcdeg", "0123456789abcde",
                                  "0123456789abcde\xff"})
    {
        size_t row = 0;
        const auto column =
            hex_column(1000, [&](SeededRandom& random)
                       { return row++ == 901 ? odd : random_hex(random, 16, "0123456789abcdef"); });
        const OnePart part(type, "", 512, {column});
        EXPECT_NE(encoding_of(part), PageEncoding::HexText);
        expect_same(column, 0, part.open(0)->decode(0, 1000));
    }
}

template <class T> ColumnPtr floats(const std::vector<T>& values)
{
    auto column = std::make_shared<VectorColumn<T>>();
    for (const T value : values)
        column->data().push_back(value);
    return column;
}

template <class T> void expect_same_bits(const ColumnPtr& expected, const ColumnPtr& actual)
{
    const ColumnPtr flat = to_flat(actual);
    const auto& a = column_as<VectorColumn<T>>(*expected).data();
    const auto& b = column_as<VectorColumn<T>>(*flat).data();
    ASSERT_EQ(a.size(), b.size());
    ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
}

TEST(DecimalFloatPage, ShareADictionaryWhenAllFit)
{
    SeededRandom random(8);
    std::vector<float> values;
    for (size_t i = 0; i < 40000; ++i)
        values.push_back(static_cast<float>(random.next_u64() % 60000) / 10);
    const OnePart part(type_from_name("Float32"), "", 8192, {floats(values)});
    ASSERT_EQ(encoding_of(part), PageEncoding::DecimalFloats);
    const ColumnPtr first = part.open(0)->decode(0, 16384);
    const ColumnPtr second = part.open(0)->decode(20000, 20000);
    ASSERT_EQ(first->form(), ColumnForm::Dictionary);
    ASSERT_EQ(second->form(), ColumnForm::Dictionary);
    EXPECT_EQ(column_as<DictionaryColumn>(first).dictionary(),
              column_as<DictionaryColumn>(second).dictionary());
    expect_same_bits<float>(floats(values)->slice(20000, 20000), second);
    EXPECT_EQ(part.open(0)->decode(0, 10)->form(), ColumnForm::Vector);
    values[30000] = -0.5f;
    values[30001] = 6553.6f;
    const OnePart more(type_from_name("Float32"), "", 8192, {floats(values)});
    expect_same_bits<float>(floats(values), more.open(0)->decode(0, values.size()));
}

TEST(DecimalFloatPage, DecimalsAreSmallAndOddOnesExact)
{
    SeededRandom random(1);
    std::vector<float> narrow;
    std::vector<double> wide;
    for (size_t i = 0; i < 65536; ++i)
    {
        const uint64_t x = random.next_u64();
        narrow.push_back(static_cast<float>(x % 2000) / 10);
        wide.push_back(static_cast<double>(static_cast<int64_t>(x % 2000000) - 1000000) / 1000);
    }
    {
        const OnePart part(type_from_name("Float32"), "", 8192, {floats(narrow)});
        ASSERT_EQ(encoding_of(part), PageEncoding::DecimalFloats);
        EXPECT_LT(part.pages[0].size(), 65536 * 11 / 8 + 200);
        expect_same_bits<float>(floats(narrow), part.open(0)->decode(0, 65536));
        expect_predicates(part, floats(narrow),
                          {Value(100.0), Value(static_cast<double>(narrow[5])), Value(1e30)});
    }
    const std::vector<double> odd = {-0.0,
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     5e-324,
                                     1.7976931348623157e308,
                                     9007199254740993.0,
                                     0.1 + 0.2,
                                     std::bit_cast<double>(0x7ff8dead0000beefull)};
    for (size_t i = 0; i < odd.size(); ++i)
    {
        wide[i * 1000 + 3] = odd[i];
        narrow[i * 1000 + 3] = static_cast<float>(odd[i]);
    }
    const OnePart part(type_from_name("Float64"), "", 8192, {floats(wide)});
    ASSERT_EQ(encoding_of(part), PageEncoding::DecimalFloats);
    expect_same_bits<double>(floats(wide), part.open(0)->decode(0, 65536));
    const OnePart part32(type_from_name("Float32"), "", 8192, {floats(narrow)});
    expect_same_bits<float>(floats(narrow), part32.open(0)->decode(0, 65536));
    // All odd: any bits at all.
    std::vector<double> any(5000);
    for (auto& value : any)
        value = std::bit_cast<double>(random.next_u64());
    const OnePart none(type_from_name("Float64"), "", 8192, {floats(any)});
    expect_same_bits<double>(floats(any), none.open(0)->decode(0, any.size()));
}

TEST(PackedPage, PredicatesAreExact)
{
    for (const char* name : {"UInt8", "Int8", "UInt16", "Int16", "UInt32", "Int32", "UInt64",
                             "Int64", "DateTime64(3)", "Date", "Nullable(Int32)"})
    {
        const auto type = type_from_name(name);
        SeededRandom random(4);
        auto column = type->create_column();
        const auto plain = remove_nullable(type)->create_column();
        plain->append_default();
        const bool is_signed = plain->value_at(0).get_if<int64_t>() != nullptr;
        for (size_t i = 0; i < 9000; ++i)
        {
            const uint64_t x = random.next_u64() % 120;
            if (type->is_nullable() && x % 5 == 0)
                column->append_default();
            else if (is_signed)
                column->append_value(static_cast<int64_t>(x) - 60);
            else
                column->append_value(x);
        }
        const OnePart part(type, "", 512, {column});
        expect_same(column, 0, part.open(0)->decode(0, 9000));
        if (is_signed)
            expect_predicates(part, column,
                              {Value(int64_t{-60}), Value(int64_t{0}), Value(int64_t{59}),
                               Value(int64_t{100}), Value(int64_t{-7}), Value(int64_t{8}),
                               Value(int64_t{0})});
        else
            expect_predicates(part, column,
                              {Value(uint64_t{0}), Value(uint64_t{59}), Value(uint64_t{200}),
                               Value(uint64_t{119}), Value(uint64_t{3}), Value(uint64_t{4})});
    }
}

TEST(DictionaryPage, LikeIsDecidedOncePerValue)
{
    const auto column = texts([]
                              {
                                  std::vector<std::string> values;
                                  for (size_t i = 0; i < 2000; ++i)
                                      values.push_back(i % 3 ? "Error: disk 50%" : "fine_thing");
                                  return values;
                              }());
    const OnePart part(type_from_name("String"), "", 512, {column});
    const auto page = part.open(0);
    std::vector<uint8_t> mask(2000);
    using Kind = PagePredicate::Kind;
    const auto count = [&](Kind kind, const std::string& pattern)
    {
        EXPECT_TRUE(page->evaluate({kind, {Value(pattern)}}, 0, 2000, mask.data()));
        return std::accumulate(mask.begin(), mask.end(), size_t{0});
    };
    EXPECT_EQ(count(Kind::Like, "%disk%"), 1333u);
    EXPECT_EQ(count(Kind::Like, "Error%50\\%"), 1333u);
    EXPECT_EQ(count(Kind::NotLike, "fine%"), 1333u);
    EXPECT_EQ(count(Kind::ILike, "%ERROR%"), 1333u);
    EXPECT_EQ(count(Kind::Like, "error%"), 0u);
    EXPECT_EQ(count(Kind::Like, "fine\\_thing"), 667u);
    EXPECT_EQ(count(Kind::Like, "f_ne%"), 667u);
    EXPECT_FALSE(page->evaluate({Kind::Like, {Value(std::string("a\\"))}}, 0, 2000, mask.data()));
}

TEST(ValuePages, DamagedBytesAreRefusedOrDecode)
{
    SeededRandom random(8);
    const std::vector<std::pair<std::string, ColumnPtr>> columns = {
        {"String", hex_column(500, [](SeededRandom& r)
                              { return random_hex(r, 16, "0123456789abcdef"); })},
        {"Float32", floats(std::vector<float>(500, 2.5f))},
        {"Nullable(Int32)", [&]
         {
             auto column = type_from_name("Nullable(Int32)")->create_column();
             for (size_t i = 0; i < 500; ++i)
                 i % 7 ? column->append_value(static_cast<int64_t>(i)) : column->append_default();
             return ColumnPtr(column);
         }()},
        {"LowCardinality(String)", [&]
         {
             auto column = std::make_shared<StringColumn>();
             for (size_t i = 0; i < 500; ++i)
                 column->append("value " + std::to_string(i % 9));
             return ColumnPtr(column);
         }()},
    };
    for (const auto& [name, column] : columns)
    {
        const OnePart part(type_from_name(name), "", 128, {column});
        for (int round = 0; round < 600; ++round)
        {
            std::string bytes = part.pages[0];
            if (round % 2)
                bytes.resize(random.next_u64() % bytes.size());
            else
                bytes[random.next_u64() % bytes.size()] ^= static_cast<char>(1 << (round % 8));
            const std::vector<char> exact(bytes.begin(), bytes.end());
            try
            {
                const auto page =
                    part.decoder->open_page(0, {{exact.data(), exact.size()}, nullptr}, {});
                page->decode(0, page->rows());
                std::vector<uint8_t> mask(page->rows());
                page->evaluate({PagePredicate::Kind::Equals, {Value(std::string("x"))}}, 0,
                               page->rows(), mask.data());
            }
            catch (const Error&)
            {
            }
        }
    }
}

} // namespace
} // namespace basalt
