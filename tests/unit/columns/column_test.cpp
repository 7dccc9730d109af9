// Every form of every kind of column against a plain vector of values.

#include "base/error.h"
#include "columns/block.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt
{
namespace
{

const char* const kTypes[] = {
    "UInt8",         "UInt16",           "UInt32",
    "UInt64",        "UInt128",          "UInt256",
    "Int8",          "Int16",            "Int32",
    "Int64",         "Int128",           "Int256",
    "Float32",       "Float64",          "Decimal(38, 4)",
    "Date",          "DateTime64(3)",    "Enum8('a' = 1, 'b' = 2)",
    "UUID",          "IPv4",             "IPv6",
    "String",        "FixedString(5)",   "Nullable(String)",
    "Nullable(UInt32)", "Array(String)", "Array(Nullable(Int16))",
    "Array(Array(UInt8))", "Tuple(UInt8, Nullable(String))", "Map(String, UInt64)",
    "LowCardinality(String)", "LowCardinality(Nullable(String))", "Tuple()",
    "Nullable(Tuple(UInt8, String))",
};

using Random = std::mt19937_64;

std::string random_text(Random& random, size_t max_size)
{
    std::string text;
    // Mostly short, sometimes longer than a vector register or a cache line.
    const size_t size = random() % 8 == 0 ? random() % max_size : random() % 6;
    for (size_t i = 0; i < size; ++i)
        text += static_cast<char>('a' + random() % 3);
    return text;
}

Value random_value(const TypePtr& type, Random& random)
{
    switch (type->physical())
    {
    case PhysicalType::UInt8: return uint64_t{random() % 7};
    case PhysicalType::UInt16:
    case PhysicalType::UInt32:
    case PhysicalType::UInt64: return uint64_t{random() % 1000};
    case PhysicalType::UInt128: return (UInt128{random() % 3} << 100) + random() % 5;
    case PhysicalType::UInt256: return UInt256(random() % 5) << 200;
    case PhysicalType::Int8:
    case PhysicalType::Int16:
    case PhysicalType::Int32:
    case PhysicalType::Int64: return static_cast<int64_t>(random() % 200) - 100;
    case PhysicalType::Int128: return Int128{-3} + static_cast<Int128>(random() % 6);
    case PhysicalType::Int256: return Int256(-3) + Int256(random() % 6);
    case PhysicalType::Float32:
    case PhysicalType::Float64: return static_cast<double>(random() % 100) / 4 - 10;
    case PhysicalType::String: return random_text(random, 400);
    case PhysicalType::FixedString:
    {
        std::string text = random_text(random, 5);
        text.resize(type->default_value().get<std::string>().size());
        return text;
    }
    case PhysicalType::Nullable:
    {
        const TypePtr plain = remove_nullable(remove_low_cardinality(type));
        return random() % 4 == 0 ? Value() : random_value(plain, random);
    }
    case PhysicalType::Array:
    {
        const TypePtr& nested = type->is(TypeId::Map)
                                    ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                                    : type_as<ArrayType>(type).nested();
        ArrayValue value;
        for (size_t i = random() % 4; i > 0; --i)
            value.items.push_back(random_value(nested, random));
        return value;
    }
    case PhysicalType::Tuple:
    {
        TupleValue value;
        for (const TypePtr& element : type_as<TupleType>(type).elements())
            value.items.push_back(random_value(element, random));
        return value;
    }
    default: return Null{};
    }
}

Values values_of(const Column& column)
{
    Values values;
    for (size_t i = 0; i < column.size(); ++i)
        values.push_back(column.value_at(i));
    return values;
}

MutableColumnPtr column_of(const TypePtr& type, const Values& values)
{
    MutableColumnPtr column = type->create_column();
    for (const Value& value : values)
        column->append_value(value);
    return column;
}

ColumnPtr dictionary_of(const TypePtr& type, const Values& entries, Random& random, size_t rows,
                        Values& expected)
{
    PodVector<uint32_t> codes;
    expected.clear();
    for (size_t i = 0; i < rows; ++i)
    {
        codes.push_back(static_cast<uint32_t>(random() % entries.size()));
        expected.push_back(entries[codes.back()]);
    }
    return std::make_shared<DictionaryColumn>(column_of(type, entries), std::move(codes));
}

class EveryType : public testing::TestWithParam<const char*>
{
protected:
    TypePtr type = type_from_name(GetParam());
    Random random{42};

    Values random_values(size_t rows)
    {
        Values values;
        for (size_t i = 0; i < rows; ++i)
            values.push_back(random_value(type, random));
        return values;
    }

    struct Form
    {
        ColumnPtr column;
        Values values;
    };
    std::vector<Form> forms(size_t rows)
    {
        std::vector<Form> result;
        const Values flat = random_values(rows);
        result.push_back({column_of(type, flat), flat});
        const Value one = random_value(type, random);
        result.push_back({make_constant(type, one, rows), Values(rows, one)});
        Values expected;
        ColumnPtr dictionary = dictionary_of(type, random_values(20), random, rows, expected);
        result.push_back({dictionary, expected});
        return result;
    }
};

TEST_P(EveryType, AppendsFromEveryForm)
{
    for (const Form& form : forms(150))
    {
        ASSERT_EQ(values_of(*form.column), form.values);
        MutableColumnPtr column = form.column->clone_empty();
        Values expected;
        column->append_range(*form.column, 3, 100);
        expected.insert(expected.end(), form.values.begin() + 3, form.values.begin() + 103);
        column->append_from(*form.column, 149);
        expected.push_back(form.values[149]);
        column->append_repeated(*form.column, 7, 5);
        expected.insert(expected.end(), 5, form.values[7]);
        column->append_range(*form.column, 10, 0);
        column->append_default();
        column->append_defaults(3);
        expected.insert(expected.end(), 4, column->value_at(column->size() - 1));
        column->remove_last(2);
        expected.resize(expected.size() - 2);
        column->append_from(*form.column, 0);
        expected.push_back(form.values[0]);
        ASSERT_EQ(values_of(*column), expected);
        EXPECT_EQ(values_of(*to_flat(form.column)), form.values);
    }
}

TEST_P(EveryType, DefaultIsTheTypesDefault)
{
    if (type->is_enum())
        return; // a column knows only integers
    MutableColumnPtr column = type->create_column();
    column->append_default();
    MutableColumnPtr expected = type->create_column();
    expected->append_value(type->default_value());
    EXPECT_EQ(column->value_at(0), expected->value_at(0));
}

TEST_P(EveryType, SelectsRows)
{
    for (const size_t rows : {0, 1, 63, 64, 65, 200, 1000})
        for (const Form& form : forms(rows))
            for (const int keep_of_16 : {0, 1, 8, 15, 16})
            {
                Mask mask;
                Values expected;
                for (size_t i = 0; i < rows; ++i)
                {
                    const bool keep = static_cast<int>(random() % 16) < keep_of_16;
                    mask.push_back(keep ? static_cast<uint8_t>(1 + random() % 255) : 0);
                    if (keep)
                        expected.push_back(form.values[i]);
                }
                ASSERT_EQ(count_kept(mask), expected.size());
                ASSERT_EQ(values_of(*form.column->filter(mask, expected.size())), expected);

                if (rows == 0)
                    continue;
                RowIndexes indexes;
                expected.clear();
                for (int i = 0; i < keep_of_16 * 10; ++i)
                {
                    indexes.push_back(static_cast<uint32_t>(random() % rows));
                    expected.push_back(form.values[indexes.back()]);
                }
                ASSERT_EQ(values_of(*form.column->take(indexes)), expected);

                const size_t begin = random() % rows;
                const size_t count = random() % (rows - begin + 1);
                expected.assign(form.values.begin() + begin, form.values.begin() + begin + count);
                ASSERT_EQ(values_of(*form.column->slice(begin, count)), expected);
            }
}

TEST_P(EveryType, Replicates)
{
    for (const Form& form : forms(50))
    {
        PodVector<uint64_t> offsets;
        Values expected;
        for (const Value& value : form.values)
        {
            const size_t times = random() % 4;
            expected.insert(expected.end(), times, value);
            offsets.push_back(expected.size());
        }
        EXPECT_EQ(values_of(*form.column->replicate(offsets)), expected);
    }
}

TEST_P(EveryType, KeysRoundTripAndDecideEquality)
{
    for (const Form& form : forms(100))
    {
        std::vector<std::string> keys;
        for (size_t i = 0; i < 100; ++i)
        {
            PodVector<char> key;
            form.column->append_key(i, key);
            keys.emplace_back(key.data(), key.size());
        }
        MutableColumnPtr back = form.column->clone_empty();
        for (const std::string& key : keys)
            ASSERT_EQ(back->append_from_key(key.data()), key.data() + key.size());
        ASSERT_EQ(values_of(*back), form.values);
        for (size_t i = 0; i < 100; ++i)
            for (size_t j = 0; j < i; ++j)
                ASSERT_EQ(keys[i] == keys[j], form.values[i] == form.values[j]);
    }
}

TEST_P(EveryType, HashesAlikeInEveryForm)
{
    for (const Form& form : forms(300))
    {
        PodVector<uint64_t> expected(300, 7);
        column_of(type, form.values)->hash_into({expected.data(), expected.size()});
        PodVector<uint64_t> hashes(300, 7);
        form.column->hash_into({hashes.data(), hashes.size()});
        for (size_t i = 0; i < 300; ++i)
        {
            ASSERT_EQ(hashes[i], expected[i]);
            for (size_t j = 0; j < i; ++j)
                ASSERT_EQ(hashes[i] == hashes[j], form.values[i] == form.values[j]);
        }
    }
}

TEST_P(EveryType, ComparesAsATotalOrder)
{
    const Values values = random_values(40);
    const ColumnPtr flat = column_of(type, values);
    for (const Form& form : forms(40))
        for (size_t i = 0; i < 40; ++i)
            for (size_t j = 0; j < 40; ++j)
            {
                const int order = form.column->compare_at(i, *flat, j, 1);
                const int back = flat->compare_at(j, *to_flat(form.column), i, 1);
                ASSERT_EQ(order, -back);
                ASSERT_EQ(order == 0, form.values[i] == values[j]);
                if (form.column->is_null_at(i) && !flat->is_null_at(j))
                {
                    ASSERT_EQ(order, 1);
                    ASSERT_EQ(form.column->compare_at(i, *flat, j, -1), -1);
                }
            }
}

INSTANTIATE_TEST_SUITE_P(Columns, EveryType, testing::ValuesIn(kTypes));

TEST(VectorColumn, TakesNumbersOfAnyKind)
{
    VectorColumn<int32_t> column;
    column.append_value(uint64_t{5});
    column.append_value(int64_t{-5});
    column.append_value(3.7);
    column.append_value(DecimalValue{Int256(-12345), 2});
    column.append_value(Int256(9));
    EXPECT_EQ(values_of(column), (Values{int64_t{5}, int64_t{-5}, int64_t{3}, int64_t{-12345},
                                         int64_t{9}}));
}

TEST(Block, FindsSelectsAndJoins)
{
    Block block;
    block.add({column_of(type_from_name("UInt8"), {uint64_t{1}, uint64_t{2}, uint64_t{3}}),
               type_from_name("UInt8"), "a"});
    block.add({make_constant(type_from_name("String"), std::string("x"), 3),
               type_from_name("String"), "b"});
    EXPECT_EQ(block.find("b"), 1);
    EXPECT_EQ(block.find("c"), -1);
    const Block kept = block.filter(Mask{1, 0, 1}, 2);
    EXPECT_EQ(kept.rows(), 2u);
    const Block joined = concat_blocks({kept, block.slice(1, 1), block.take(RowIndexes{2, 2})});
    EXPECT_EQ(values_of(*joined[0].column),
              (Values{uint64_t{1}, uint64_t{3}, uint64_t{2}, uint64_t{3}, uint64_t{3}}));
    EXPECT_EQ(joined[1].column->form(), ColumnForm::String);
    EXPECT_EQ(joined.rows(), 5u);
    EXPECT_EQ(Block::empty_of(block.header()).rows(), 0u);
}

// A state that is a sum of what is merged into it.
class SumOps final : public AggregateStateOps
{
public:
    size_t state_size() const override { return sizeof(uint64_t); }
    size_t state_alignment() const override { return alignof(uint64_t); }
    void create_state(char* at) const override
    {
        ++live;
        *reinterpret_cast<uint64_t*>(at) = 0;
    }
    void destroy_state(char*) const noexcept override { --live; }
    void merge_state(char* into, const char* from, Arena&) const override
    {
        *reinterpret_cast<uint64_t*>(into) += *reinterpret_cast<const uint64_t*>(from);
    }
    void write_state(const char* state, std::string& out) const override
    {
        out.append(state, sizeof(uint64_t));
    }
    size_t read_state(char* state, const char* data, size_t size, Arena&) const override
    {
        if (size < sizeof(uint64_t))
            throw Error(error_codes::CORRUPTED_DATA, "too short");
        std::memcpy(state, data, sizeof(uint64_t));
        return sizeof(uint64_t);
    }
    mutable int live = 0;
};

TEST(AggregateStateColumn, OwnsCopiesAndViews)
{
    const auto ops = std::make_shared<SumOps>();
    {
        auto column = std::make_shared<AggregateStateColumn>(ops);
        for (uint64_t i = 1; i <= 5; ++i)
            *reinterpret_cast<uint64_t*>(column->append_new()) = i;
        const Values values = values_of(*column);
        ColumnPtr kept = column->filter(Mask{0, 1, 0, 1, 1}, 3);
        MutableColumnPtr copy = column->clone_empty();
        copy->append_range(*column, 1, 2);
        copy->append_value(values[4]);
        EXPECT_THROW(copy->append_value(std::string("x")), Error);
        EXPECT_EQ(values_of(*copy), (Values{values[1], values[2], values[4]}));
        column.reset();
        EXPECT_EQ(values_of(*kept), (Values{values[1], values[3], values[4]}));
        EXPECT_EQ(values_of(*kept->take(RowIndexes{2, 0})), (Values{values[4], values[1]}));
        EXPECT_EQ(ops->live, 8);
        kept.reset();
        EXPECT_EQ(ops->live, 3);
    }
    EXPECT_EQ(ops->live, 0);
}

} // namespace
} // namespace basalt
