// Combiners against a plain model: rows of one key at a time, in lists.

#include "storage/mergetree/row_combiner.h"

#include "table_fixture.h"

#include <map>
#include <random>

namespace basalt::test
{

namespace
{

using Kind = MergingDescription::Kind;

struct Row
{
    uint64_t key = 0;
    int64_t version = 0;
    int64_t sign = 1;
    uint64_t deleted = 0;
    int64_t value = 0;
    std::optional<int64_t> maybe;

    std::string text() const
    {
        return std::to_string(key) + "|" + std::to_string(version) + "|" + std::to_string(sign) +
               "|" + std::to_string(deleted) + "|" + std::to_string(value) + "|" +
               (maybe ? std::to_string(*maybe) : "NULL");
    }
};
using Rows = std::vector<Row>;

TableMetadata metadata_of(Kind kind)
{
    TableMetadata metadata;
    const auto add = [&](const std::string& name, const std::string& type)
    { metadata.columns.push_back({name, type_from_name(type)}); };
    add("key", "UInt64");
    add("version", "Int64");
    add("sign", "Int8");
    add("deleted", "UInt8");
    add("value", "Int64");
    add("maybe", "Nullable(Int64)");
    metadata.sorting_key = {"key", {col("key", "UInt64")}, {}};
    metadata.merging.kind = kind;
    if (kind == Kind::Replacing)
    {
        metadata.merging.version = "version";
        metadata.merging.is_deleted = "deleted";
    }
    if (kind == Kind::Collapsing || kind == Kind::VersionedCollapsing)
        metadata.merging.sign = "sign";
    if (kind == Kind::VersionedCollapsing)
    {
        metadata.merging.version = "version";
        metadata.sorting_key.expressions.push_back(col("version", "Int64"));
    }
    if (kind == Kind::Summing)
        metadata.merging.columns = {"value", "maybe"};
    return metadata;
}

Block block_of(const TableMetadata& metadata, const Rows& rows)
{
    Block block;
    for (const auto& column : metadata.columns)
        block.add({column.type->create_column(), column.type, column.name});
    const auto put = [&](size_t at, const Value& value)
    { const_cast<Column&>(*block[at].column).append_value(value); };
    for (const auto& row : rows)
    {
        put(0, row.key);
        put(1, row.version);
        put(2, row.sign);
        put(3, row.deleted);
        put(4, row.value);
        put(5, row.maybe ? Value(*row.maybe) : Value(Null{}));
    }
    block.set_rows(rows.size());
    return block;
}

// Cut at random places.
std::vector<std::string> combined(const TableMetadata& metadata, const Rows& rows,
                                  std::mt19937_64& random, size_t longest)
{
    KeyedCombiner combiner(metadata, plain_context());
    std::vector<std::string> lines;
    const auto emit = [&](Block block)
    {
        ASSERT_GT(block.rows(), 0u);
        Tables::append_lines(block, lines);
    };
    for (size_t at = 0; at < rows.size();)
    {
        const size_t count = std::min<size_t>(1 + random() % longest, rows.size() - at);
        combiner.add(block_of(metadata, Rows(rows.begin() + static_cast<ptrdiff_t>(at),
                                             rows.begin() + static_cast<ptrdiff_t>(at + count))),
                     emit);
        at += count;
    }
    combiner.finish(emit);
    return lines;
}

Rows replacing(const Rows& group)
{
    Row best = group[0];
    for (const auto& row : group)
        if (row.version >= best.version)
            best = row;
    return {best};
}

Rows summing(const Rows& group)
{
    Row sum = group[0];
    for (size_t i = 1; i < group.size(); ++i)
    {
        sum.value += group[i].value;
        if (group[i].maybe)
            sum.maybe = sum.maybe.value_or(0) + *group[i].maybe;
    }
    return sum.value == 0 && !sum.maybe ? Rows() : Rows{sum};
}

Rows collapsing(const Rows& group)
{
    size_t states = 0, cancels = 0;
    std::optional<Row> state, cancel;
    for (const auto& row : group)
    {
        (row.sign > 0 ? states : cancels) += 1;
        if (row.sign > 0)
            state = row;
        else if (!cancel)
            cancel = row;
    }
    if (states > cancels)
        return {*state};
    if (cancels > states)
        return {*cancel};
    return group.back().sign > 0 ? Rows{*cancel, *state} : Rows();
}

Rows versioned_collapsing(const Rows& group)
{
    Rows stack;
    for (const auto& row : group)
        if (!stack.empty() && stack.back().sign != row.sign)
            stack.pop_back();
        else
            stack.push_back(row);
    return stack;
}

Rows coalescing(const Rows& group)
{
    Row last = group.back();
    for (const auto& row : group)
        if (row.maybe)
            last.maybe = row.maybe;
    return {last};
}

Rows random_rows(std::mt19937_64& random, bool by_version)
{
    Rows rows(1 + random() % 60);
    const uint64_t keys = 1 + random() % 12;
    for (auto& row : rows)
    {
        row.key = random() % keys;
        row.version = static_cast<int64_t>(random() % 4);
        row.sign = random() % 2 ? 1 : -1;
        row.deleted = random() % 2;
        row.value = static_cast<int64_t>(random() % 5) - 2;
        if (random() % 2)
            row.maybe = static_cast<int64_t>(random() % 3) - 1;
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b)
                     {
                         return a.key != b.key ? a.key < b.key
                                               : by_version && a.version < b.version;
                     });
    return rows;
}

void check(Kind kind, Rows (*model)(const Rows&))
{
    const TableMetadata metadata = metadata_of(kind);
    std::mt19937_64 random(static_cast<uint64_t>(kind) + 7);
    for (int round = 0; round < 300; ++round)
    {
        const bool by_version = kind == Kind::VersionedCollapsing;
        const Rows rows = random_rows(random, by_version);
        std::vector<std::string> expected;
        for (size_t at = 0; at < rows.size();)
        {
            Rows group;
            for (; at < rows.size() &&
                   (group.empty() || (group[0].key == rows[at].key &&
                                      (!by_version || group[0].version == rows[at].version)));
                 ++at)
                group.push_back(rows[at]);
            for (const auto& row : model(group))
                expected.push_back(row.text());
        }
        for (const size_t longest : {1, 2, 7, 100})
            ASSERT_EQ(combined(metadata, rows, random, longest), expected)
                << "round " << round << ", blocks of up to " << longest;
    }
}

} // namespace

TEST(RowCombiner, Replacing)
{
    check(Kind::Replacing, replacing);
}

TEST(RowCombiner, Summing)
{
    check(Kind::Summing, summing);
}

TEST(RowCombiner, Collapsing)
{
    check(Kind::Collapsing, collapsing);
}

TEST(RowCombiner, VersionedCollapsing)
{
    check(Kind::VersionedCollapsing, versioned_collapsing);
}

TEST(RowCombiner, Coalescing)
{
    check(Kind::Coalescing, coalescing);
}

TEST(RowCombiner, ReadingDropsDeletedRows)
{
    const TableMetadata metadata = metadata_of(Kind::Replacing);
    const Rows rows = {{1, 1, 1, 0, 10, {}}, {1, 2, 1, 1, 11, {}}, {2, 1, 1, 1, 20, {}},
                       {2, 2, 1, 0, 21, {}}, {3, 0, 1, 1, 30, {}}};
    Header header = metadata.physical_header();
    CombinerOptions options;
    options.keys.resize(1);
    options.for_reading = true;
    const auto combiner = make_row_combiner(metadata, header, std::move(options), plain_context());
    std::vector<std::string> lines;
    const auto emit = [&](Block block) { Tables::append_lines(block, lines); };
    for (const auto& row : rows)
        combiner->add(block_of(metadata, {row}), emit);
    combiner->finish(emit);
    EXPECT_EQ(lines, std::vector<std::string>{rows[3].text()});
}

TEST(RowCombiner, MarksThatAreNeitherValueAreRefused)
{
    for (const Kind kind : {Kind::Replacing, Kind::Collapsing, Kind::VersionedCollapsing})
    {
        const TableMetadata metadata = metadata_of(kind);
        Row row;
        row.deleted = 2;
        row.sign = 3;
        KeyedCombiner combiner(metadata, plain_context());
        try
        {
            combiner.add(block_of(metadata, {row}), [](Block) {});
            FAIL();
        }
        catch (const Error& error)
        {
            EXPECT_EQ(error.code(), error_codes::INCORRECT_DATA);
        }
    }
}

TEST(RowCombiner, ManyRowsOfOneKeyAreNotHeld)
{
    const TableMetadata metadata = metadata_of(Kind::VersionedCollapsing);
    KeyedCombiner combiner(metadata, plain_context());
    size_t emitted = 0;
    const auto emit = [&](Block block) { emitted += block.rows(); };
    Rows rows(10000);
    combiner.add(block_of(metadata, rows), emit);
    EXPECT_GT(emitted, 0u); // all have one sign: the oldest cannot wait for ever
    combiner.finish(emit);
    EXPECT_EQ(emitted, rows.size());
}

} // namespace basalt::test
