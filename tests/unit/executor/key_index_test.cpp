#include "executor/key_index.h"

#include "plan_fixture.h"

#include <gtest/gtest.h>

namespace basalt::test
{

namespace
{

// A value of the type, few distinct ones.
Value random_value(const TypePtr& given, std::mt19937& random, uint32_t distinct)
{
    const TypePtr type = remove_low_cardinality(given);
    const auto n = static_cast<uint32_t>(random() % distinct);
    switch (type->id())
    {
    case TypeId::Nullable:
    {
        const TypePtr& nested = type_as<NullableType>(type).nested();
        if (n % 5 == 0 || nested->is(TypeId::Nothing))
            return Null{};
        return random_value(nested, random, distinct);
    }
    case TypeId::String:
        return std::string(n % 23, 'a') + std::to_string(n / 2) +
               std::string(n % 3 ? 0 : 1, '\0');
    case TypeId::FixedString:
        return std::string(4, static_cast<char>(n));
    case TypeId::Float64:
    case TypeId::Float32:
        return n % 7 == 0 ? -0.0 : static_cast<double>(n % 11) * 0.5;
    case TypeId::UInt128:
        return UInt128(n) << 90 | n;
    case TypeId::Int8:
    case TypeId::Int16:
    case TypeId::Int32:
    case TypeId::Int64:
        return int64_t{static_cast<int8_t>(n)};
    case TypeId::UInt64:
        return uint64_t{n} << 50;
    case TypeId::Array:
    {
        ArrayValue array;
        for (uint32_t i = 0; i < n % 4; ++i)
            array.items.push_back(
                random_value(type_as<ArrayType>(type).nested(), random, distinct));
        return array;
    }
    case TypeId::Tuple:
    {
        TupleValue tuple;
        for (const TypePtr& element : type_as<TupleType>(type).elements())
            tuple.items.push_back(random_value(element, random, distinct));
        return tuple;
    }
    default:
        return uint64_t{n % 200};
    }
}

enum class Form
{
    Flat,
    Constant,
    OwnDictionary,
    SharedDictionary,
    HugeDictionary,
};

struct Maker
{
    TypePtr type;
    ColumnPtr shared; // dictionary, with a duplicate and with entries no row uses
    std::mt19937& random;
    uint32_t distinct;

    ColumnPtr flat(size_t rows)
    {
        auto column = type->create_column();
        for (size_t i = 0; i < rows; ++i)
            column->append_value(random_value(type, random, distinct));
        return column;
    }
    ColumnPtr make(Form form, size_t rows)
    {
        if (form == Form::Flat)
            return flat(rows);
        if (form == Form::Constant)
            return std::make_shared<ConstantColumn>(flat(1), rows);
        ColumnPtr dictionary = shared;
        if (form == Form::OwnDictionary)
            dictionary = flat(1 + random() % 20);
        if (form == Form::HugeDictionary)
            dictionary = flat(rows * 2 + 5);
        if (form == Form::SharedDictionary && !shared)
            dictionary = shared = flat(30);
        PodVector<uint32_t> codes(rows);
        for (auto& code : codes)
            code = static_cast<uint32_t>(random() % dictionary->size());
        return std::make_shared<DictionaryColumn>(dictionary, std::move(codes));
    }
};

std::string key_of(const Columns& columns, size_t row)
{
    PodVector<char> key;
    for (const auto& column : columns)
        column->append_key(row, key);
    return {key.data(), key.size()};
}

void check(const std::vector<std::string>& type_names, uint32_t seed)
{
    std::mt19937 random(seed);
    Types types;
    std::vector<Maker> makers;
    const uint32_t distinct = 1 + random() % 300;
    for (const auto& name : type_names)
    {
        types.push_back(type(name));
        makers.push_back({types.back(), nullptr, random, distinct});
    }
    KeyIndex index(types);
    std::map<std::string, uint32_t> model;
    PodVector<uint32_t> ids;
    RowIndexes new_rows;
    for (int round = 0; round < 12; ++round)
    {
        const size_t rows = 1 + random() % 70;
        Columns columns;
        for (auto& maker : makers)
            columns.push_back(maker.make(static_cast<Form>(random() % 5), rows));
        if (round % 3 == 2)
        {
            index.find(columns, rows, ids);
            for (size_t i = 0; i < rows; ++i)
            {
                const auto it = model.find(key_of(columns, i));
                ASSERT_EQ(ids[i], it == model.end() ? kMissingKey : it->second);
            }
            continue;
        }
        index.insert(columns, rows, ids, new_rows);
        RowIndexes expected_new;
        for (size_t i = 0; i < rows; ++i)
        {
            const auto next = static_cast<uint32_t>(model.size());
            const auto [it, is_new] = model.emplace(key_of(columns, i), next);
            if (is_new)
                expected_new.push_back(static_cast<uint32_t>(i));
            ASSERT_EQ(ids[i], it->second) << type_names[0] << " round " << round;
        }
        ASSERT_EQ(std::vector<uint32_t>(new_rows.begin(), new_rows.end()),
                  std::vector<uint32_t>(expected_new.begin(), expected_new.end()));
        ASSERT_EQ(index.size(), model.size());
    }
    EXPECT_GT(index.byte_size(), 0u);
}

} // namespace

TEST(KeyIndex, AgreesWithAMapOfKeyStrings)
{
    const std::vector<std::vector<std::string>> lists = {
        {"UInt8"},
        {"Bool"},
        {"Int16"},
        {"Date"},
        {"Int32"},
        {"UInt64"},
        {"Float32"},
        {"Float64"},
        {"UInt128"},
        {"Nullable(UInt8)"},
        {"Nullable(Int32)"},
        {"Nullable(UInt64)"},
        {"Nullable(Float64)"},
        {"Nullable(Nothing)"},
        {"String"},
        {"Nullable(String)"},
        {"LowCardinality(String)"},
        {"LowCardinality(Nullable(String))"},
        {"FixedString(4)"},
        {"Array(UInt8)"},
        {"Array(Nullable(String))"},
        {"Tuple(UInt8, String)"},
        {"UInt8", "Int8"},
        {"UInt32", "Int32"},
        {"UInt32", "String"},
        {"Nullable(UInt16)", "Nullable(Int32)"},
        {"UInt64", "Int64"},
        {"UInt64", "Nullable(Int32)"},
        {"String", "String", "LowCardinality(String)"},
        {"Nullable(String)", "UInt64", "Array(UInt8)"},
        {"UInt64", "UInt64", "UInt8"},
        {"Nullable(UInt64)", "Nullable(UInt64)", "Nullable(String)"},
        {"UInt128", "Nullable(UInt64)", "Tuple(UInt8, UInt8)", "Float64", "String"},
    };
    for (const auto& list : lists)
        for (uint32_t seed = 1; seed <= 8; ++seed)
            ASSERT_NO_FATAL_FAILURE(check(list, seed));
}

TEST(KeyIndex, GrowsPastManyKeys)
{
    for (const char* name : {"UInt64", "String"})
    {
        KeyIndex index({type(name)});
        const size_t rows = 100000;
        auto column = type(name)->create_column();
        for (size_t i = 0; i < rows; ++i)
            if (std::string(name) == "String")
                column->append_value(std::to_string(i * 7));
            else
                column->append_value(uint64_t{i * 7});
        PodVector<uint32_t> ids;
        RowIndexes new_rows;
        index.insert({column}, rows, ids, new_rows);
        ASSERT_EQ(new_rows.size(), rows);
        index.insert({column}, rows, ids, new_rows);
        ASSERT_EQ(new_rows.size(), 0u);
        for (size_t i = 0; i < rows; ++i)
            ASSERT_EQ(ids[i], i);
    }
}

TEST(KeyIndex, NoKeyColumnsIsOneKey)
{
    KeyIndex index(Types{});
    PodVector<uint32_t> ids;
    RowIndexes new_rows;
    index.insert({}, 3, ids, new_rows);
    EXPECT_EQ(index.size(), 1u);
    EXPECT_EQ(new_rows.size(), 1u);
    EXPECT_EQ(ids[2], 0u);
}

} // namespace basalt::test
