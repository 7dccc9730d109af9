#include "columns/row_gatherer.h"
#include "columns/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace basalt
{
namespace
{

using Random = std::mt19937_64;

const char* const kKeyTypes[] = {
    "UInt8",  "Int16",   "UInt64", "Int64",  "Float32",          "Float64", "UInt128", "Int256",
    "String", "FixedString(12)", "Nullable(Int32)", "Nullable(String)", "Array(UInt8)", "UUID",
    "LowCardinality(String)",
};

Value random_key(const TypePtr& type, Random& random, size_t distinct)
{
    const uint64_t pick = random() % distinct;
    switch (type->physical())
    {
    case PhysicalType::Nullable:
        return pick == 0 ? Value() : random_key(remove_nullable(type), random, distinct);
    case PhysicalType::String: return std::string(pick % 11, 'x') + std::to_string(pick);
    case PhysicalType::FixedString:
    {
        std::string text = "prefix-" + std::to_string(pick % 100);
        text.resize(12);
        return text;
    }
    case PhysicalType::Array: return ArrayValue{{uint64_t{pick % 3}, uint64_t{pick % 5}}};
    case PhysicalType::Float32:
    case PhysicalType::Float64:
        if (pick % 17 == 3)
            return std::nan("");
        return pick % 5 == 0 ? -0.0 : static_cast<double>(pick) - 40.5;
    case PhysicalType::UInt128: return (UInt128{pick % 7} << 90) + pick;
    case PhysicalType::Int256: return Int256(static_cast<int64_t>(pick) - 50) << 180;
    case PhysicalType::UInt8:
    case PhysicalType::UInt64: return uint64_t{pick};
    default: return static_cast<int64_t>(pick) - 50;
    }
}

Block random_block(const std::vector<const char*>& types, size_t rows, size_t distinct,
                   Random& random)
{
    Block block;
    for (const char* name : types)
    {
        const TypePtr type = type_from_name(name);
        MutableColumnPtr column = type->create_column();
        for (size_t i = 0; i < rows; ++i)
            column->append_value(random_key(type, random, distinct));
        block.add({std::move(column), type, std::string("c") + std::to_string(block.width())});
    }
    return block;
}

RowIndexes expected_order(const Block& block, const SortKeys& keys)
{
    std::vector<uint32_t> rows(block.rows());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b)
                     { return compare_rows(block, a, block, b, keys) < 0; });
    RowIndexes result;
    result.append(rows.data(), rows.size());
    return result;
}

void expect_sorted_as_expected(const Block& block, const SortKeys& keys)
{
    const RowIndexes expected = expected_order(block, keys);
    for (const size_t limit : {size_t{0}, size_t{1}, size_t{7}, block.rows() / 3, block.rows(),
                               block.rows() + 5})
    {
        const RowIndexes rows = sort_rows(block, keys, limit);
        const size_t wanted = limit == 0 ? block.rows() : std::min(limit, block.rows());
        ASSERT_EQ(rows.size(), wanted);
        for (size_t i = 0; i < wanted; ++i)
            ASSERT_EQ(rows[i], expected[i]) << "limit " << limit << " at " << i;
    }
    EXPECT_TRUE(is_sorted(block.take(expected), keys));
}

TEST(SortRows, OneKeyOfEveryType)
{
    Random random(1);
    for (const char* type : kKeyTypes)
        for (const size_t rows : {0, 1, 2, 10, 100, 2000})
            for (const size_t distinct : {2, 60, 100000})
                for (const bool descending : {false, true})
                    for (const bool nulls_first : {false, true})
                    {
                        SCOPED_TRACE(std::string(type) + " rows " + std::to_string(rows));
                        const Block block = random_block({type}, rows, distinct, random);
                        expect_sorted_as_expected(block, {{0, descending, nulls_first}});
                    }
}

TEST(SortRows, SeveralKeys)
{
    Random random(2);
    for (int round = 0; round < 60; ++round)
    {
        std::vector<const char*> types;
        SortKeys keys;
        for (size_t i = 0; i < 3; ++i)
        {
            types.push_back(kKeyTypes[random() % std::size(kKeyTypes)]);
            keys.push_back({i, random() % 2 == 0, random() % 2 == 0});
        }
        const Block block = random_block(types, random() % 1500, 2 + random() % 20, random);
        expect_sorted_as_expected(block, keys);
    }
}

TEST(SortRows, DictionariesAndConstants)
{
    Random random(3);
    for (const bool descending : {false, true})
        for (const bool nulls_first : {false, true})
        {
            const TypePtr type = type_from_name("Nullable(String)");
            MutableColumnPtr entries = type->create_column();
            for (const char* text : {"b", "a", "b", "prefix-of-more-than-8", "c"})
                entries->append_value(std::string(text));
            entries->append_value(Null{});
            PodVector<uint32_t> codes;
            for (size_t i = 0; i < 500; ++i)
                codes.push_back(static_cast<uint32_t>(random() % entries->size()));
            Block block;
            block.add({make_constant(type, std::string("x"), 500), type, "k"});
            block.add({std::make_shared<DictionaryColumn>(entries, codes), type, "d"});
            expect_sorted_as_expected(block, {{0}, {1, descending, nulls_first}});
        }
}

class BlockInput final : public SortedInput
{
public:
    explicit BlockInput(std::vector<Block> blocks) : blocks_(std::move(blocks)) {}
    Block next() override { return at_ < blocks_.size() ? blocks_[at_++] : Block(); }

private:
    std::vector<Block> blocks_;
    size_t at_ = 0;
};

Block with_dictionary(const Block& block, size_t column)
{
    Block result = block;
    PodVector<uint32_t> codes;
    for (size_t i = 0; i < block.rows(); ++i)
        codes.push_back(static_cast<uint32_t>(i));
    result[column].column =
        std::make_shared<DictionaryColumn>(block[column].column, std::move(codes));
    return result;
}

void check_merge(const std::vector<const char*>& types, const SortKeys& keys, size_t inputs,
                 size_t distinct, size_t block_rows, bool dictionaries, bool whole_blocks,
                 Random& random)
{
    std::vector<std::unique_ptr<SortedInput>> sources;
    std::vector<Block> all;
    std::vector<uint32_t> input_of;
    for (size_t i = 0; i < inputs; ++i)
    {
        Block block = random_block(types, random() % 400, distinct, random);
        block = block.take(expected_order(block, keys));
        std::vector<Block> pieces;
        for (size_t at = 0; at < block.rows();)
        {
            const size_t count = std::min<size_t>(1 + random() % 90, block.rows() - at);
            pieces.push_back(block.slice(at, count));
            if (dictionaries && random() % 2)
                pieces.back() = with_dictionary(pieces.back(), random() % types.size());
            at += count;
        }
        sources.push_back(std::make_unique<BlockInput>(std::move(pieces)));
        input_of.resize(input_of.size() + block.rows(), static_cast<uint32_t>(i));
        all.push_back(std::move(block));
    }
    const Block whole = concat_blocks(all);
    const RowIndexes order = expected_order(whole, keys);
    SortedMerge merge(std::move(sources), keys, block_rows, whole_blocks);
    size_t at = 0;
    for (;;)
    {
        const Block block = merge.next();
        if (block.rows() == 0)
            break;
        ASSERT_LE(block.rows(), block_rows);
        ASSERT_EQ(merge.last_sources().size(), block.rows());
        ASSERT_LE(at + block.rows(), whole.rows());
        ASSERT_TRUE(!whole_blocks || block.rows() == std::min(block_rows, whole.rows() - at));
        const Block flat = block.flattened();
        for (size_t i = 0; i < block.rows(); ++i, ++at)
        {
            ASSERT_EQ(merge.last_sources()[i], input_of[order[at]]);
            for (size_t c = 0; c < types.size(); ++c)
                ASSERT_EQ(flat[c].column->compare_at(i, *whole[c].column, order[at], 1), 0);
        }
    }
    ASSERT_EQ(at, whole.rows());
    ASSERT_EQ(merge.next().rows(), 0u);
}

TEST(SortedMerge, EqualsAStableSortOfAll)
{
    Random random(4);
    const std::vector<std::vector<const char*>> shapes = {
        {"UInt64"}, {"String"}, {"String", "UInt64"}, {"Int16", "Int32", "String"},
        {"String", "Int64", "UInt128"}, {"Float64", "Array(UInt8)"},
        {"Nullable(String)", "Nullable(Int32)"}, {"FixedString(12)", "Float32", "UInt8"},
    };
    for (int round = 0; round < 160; ++round)
    {
        const auto& types = shapes[random() % shapes.size()];
        SortKeys keys;
        const size_t key_count = 1 + random() % types.size();
        for (size_t i = 0; i < key_count; ++i)
            keys.push_back({i, random() % 3 == 0, random() % 3 == 0});
        check_merge(types, keys, 1 + random() % 6, 2 + random() % 100, 1 + random() % 200,
                    round % 2 == 1, round % 4 < 2, random);
    }
}

TEST(SortedMerge, SlicesLongStretchesOfOneInput)
{
    const TypePtr type = type_from_name("UInt32");
    std::vector<std::unique_ptr<SortedInput>> inputs;
    std::vector<ColumnPtr> columns;
    for (const uint32_t base : {0u, 1000u})
    {
        auto column = std::make_shared<VectorColumn<uint32_t>>();
        for (uint32_t i = 0; i < 1000; ++i)
            column->data().push_back(base + i);
        columns.push_back(column);
        Block block;
        block.add({column, type, "a"});
        inputs.push_back(std::make_unique<BlockInput>(std::vector<Block>{block}));
    }
    SortedMerge merge(std::move(inputs), {{0}}, 1000);
    // Blocks that do not overlap pass through as they are.
    EXPECT_EQ(merge.next()[0].column, columns[0]);
    EXPECT_EQ(merge.next()[0].column, columns[1]);
    EXPECT_EQ(merge.next().rows(), 0u);
}

TEST(RowGatherer, TakesRowsOfBlocksOfAnyForms)
{
    Random random(7);
    const std::vector<const char*> types = {"UInt64", "String", "LowCardinality(String)",
                                            "Nullable(String)", "FixedString(12)", "Array(UInt8)"};
    for (int round = 0; round < 60; ++round)
    {
        std::vector<Block> blocks;
        RowRefs refs;
        for (uint32_t b = 0; b < 1 + random() % 5; ++b)
        {
            Block block = random_block(types, random() % 200, 30, random);
            const size_t column = random() % types.size();
            if (random() % 3 == 0)
                block = with_dictionary(block, column);
            else if (random() % 3 == 0 && block.rows())
                block[column].column = std::make_shared<ConstantColumn>(
                    block[column].column->slice(0, 1), block.rows());
            for (uint32_t row = 0; row < block.rows(); ++row)
                if (random() % 4)
                    refs.push_back({b, row});
            blocks.push_back(std::move(block));
        }
        if (round % 2)
            std::shuffle(refs.begin(), refs.end(), random);
        const RowGatherer gatherer(blocks);
        const size_t begin = refs.empty() ? 0 : random() % refs.size();
        const size_t count = refs.size() - begin;
        const Block taken = gatherer.take(refs.data() + begin, count).flattened();
        ASSERT_EQ(taken.rows(), count);
        for (size_t c = 0; c < types.size(); ++c)
        {
            ASSERT_EQ(taken[c].column->size(), count);
            for (size_t i = 0; i < count; ++i)
            {
                const RowRef ref = refs[begin + i];
                const ColumnPtr flat = to_flat(blocks[ref.block][c].column);
                ASSERT_EQ(taken[c].column->compare_at(i, *flat, ref.row, 1), 0);
            }
        }
    }
}

} // namespace
} // namespace basalt
