// FINAL over parts, live rows and merges, against a plain map.

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
    uint64_t day, key, version;
    int64_t value;
};

// PARTITION BY day ORDER BY key
std::shared_ptr<TableMetadata> table_of(Kind kind, bool day_in_key)
{
    auto metadata = std::make_shared<TableMetadata>();
    const auto add = [&](const std::string& name, const std::string& type)
    { metadata->columns.push_back({name, type_from_name(type)}); };
    add("day", "Date");
    add("key", "UInt64");
    add("version", "UInt32");
    add("value", "Int64");
    metadata->partition_key = {"day", {col("day", "Date")}, {}};
    metadata->sorting_key = {"key", {col("key", "UInt64")}, {}};
    if (day_in_key)
        metadata->sorting_key = {"day, key", {col("day", "Date"), col("key", "UInt64")}, {}};
    metadata->primary_key = metadata->sorting_key;
    metadata->merging.kind = kind;
    if (kind == Kind::Replacing)
        metadata->merging.version = "version";
    if (kind == Kind::Summing)
        metadata->merging.columns = {"value"};
    metadata->settings.emplace_back("index_granularity", "64");
    return metadata;
}

Block block_of(const std::vector<Row>& rows)
{
    auto day = std::make_shared<VectorColumn<uint16_t>>();
    auto key = std::make_shared<VectorColumn<uint64_t>>();
    auto version = std::make_shared<VectorColumn<uint32_t>>();
    auto value = std::make_shared<VectorColumn<int64_t>>();
    for (const auto& row : rows)
    {
        day->data().push_back(static_cast<uint16_t>(row.day));
        key->data().push_back(row.key);
        version->data().push_back(static_cast<uint32_t>(row.version));
        value->data().push_back(row.value);
    }
    return Block({{day, type_from_name("Date"), "day"},
                  {key, type_from_name("UInt64"), "key"},
                  {version, type_from_name("UInt32"), "version"},
                  {value, type_from_name("Int64"), "value"}});
}

// What is left of all rows inserted, in order of the key.
class Model
{
public:
    Model(Kind kind, bool day_in_key) : kind_(kind), day_in_key_(day_in_key) {}

    void insert(const std::vector<Row>& rows)
    {
        for (const auto& row : rows)
        {
            auto [found, is_new] =
                rows_.try_emplace({day_in_key_ ? row.day : 0, row.key}, row);
            if (is_new)
                continue;
            if (kind_ == Kind::Summing)
                found->second.value += row.value;
            else if (row.version >= found->second.version)
                found->second = row;
        }
    }
    template <class Fits> std::vector<std::string> lines(Fits&& fits, bool with_version) const
    {
        std::vector<std::string> lines;
        for (const auto& [key, row] : rows_)
            if (!(kind_ == Kind::Summing && row.value == 0) && fits(row))
                lines.push_back((with_version ? std::to_string(row.version) + "|" : "") +
                                std::to_string(row.key) + "|" + std::to_string(row.value));
        std::sort(lines.begin(), lines.end());
        return lines;
    }

private:
    Kind kind_;
    bool day_in_key_;
    std::map<std::pair<uint64_t, uint64_t>, Row> rows_;
};

void check(Tables& tables, const Model& model, Kind kind, std::mt19937_64& random)
{
    const uint64_t key = random() % 300;
    const auto value = static_cast<int64_t>(random() % 20);
    const auto context = tables.service->make_context();
    ScanRequest request;
    request.final = true;
    request.max_streams = 1 + random() % 3;
    request.block_rows = random() % 2 ? 65536 : 1 + random() % 50;
    const bool with_version = kind == Kind::Replacing;
    request.columns = {"key", "value"};
    if (with_version)
        request.columns.insert(request.columns.begin(), "version");
    EXPECT_EQ(tables.rows(request, context), model.lines([](const Row&) { return true; }, with_version));

    request.filter = call("greaterOrEquals", {col("key", "UInt64"), lit(key)});
    EXPECT_EQ(tables.rows(request, context),
              model.lines([&](const Row& row) { return row.key >= key; }, with_version));

    request.filter = call(
        "and", {request.filter, call("less", {col("value", "Int64"),
                                              Expression::constant(type_from_name("Int64"), value)})});
    EXPECT_EQ(tables.rows(request, context),
              model.lines([&](const Row& row) { return row.key >= key && row.value < value; },
                          with_version));

    // In order of the key, and only so many.
    request.filter = nullptr;
    request.order_prefix = 1;
    const auto lines = tables.rows_in_order(request, context);
    EXPECT_EQ(lines.size(), model.lines([](const Row&) { return true; }, false).size());
    request.limit = 5;
    const auto first = tables.rows_in_order(request, context);
    EXPECT_EQ(first, std::vector<std::string>(
                         lines.begin(), lines.begin() + static_cast<ptrdiff_t>(
                                                            std::min<size_t>(5, lines.size()))));

    request = ScanRequest();
    request.final = true;
    EXPECT_EQ(tables.rows(request, context).size(), lines.size()); // no columns at all
}

void run(Kind kind, bool day_in_key, uint64_t seed)
{
    std::mt19937_64 random(seed);
    MemoryFileSystem files;
    auto metadata = table_of(kind, day_in_key);
    Model model(kind, day_in_key);
    auto tables = std::make_unique<Tables>(files);
    tables->open(metadata);
    for (int step = 0; step < 30; ++step)
    {
        // Past 1,000 rows an insert becomes a part at once.
        std::vector<Row> rows(random() % 4 == 0 ? 1200 + random() % 500 : 1 + random() % 40);
        for (auto& row : rows)
        {
            row.key = random() % 300;
            // Without the day in the key a key has one partition: merges know no others.
            row.day = 20000 + (day_in_key ? random() % 3 : row.key % 3);
            row.version = random() % 6;
            row.value = static_cast<int64_t>(random() % 30) - 10;
        }
        tables->insert(block_of(rows));
        model.insert(rows);
        switch (random() % 6)
        {
        case 0:
            tables->table->flush(nullptr);
            break;
        case 1:
            tables->table->optimize({}, tables->service->make_context());
            break;
        case 2:
            tables = nullptr;
            tables = std::make_unique<Tables>(files);
            tables->open(metadata, true);
            break;
        default:
            break;
        }
        check(*tables, model, kind, random);
        if (::testing::Test::HasFailure())
            FAIL() << "seed " << seed << " step " << step;
    }
    tables->table->optimize({.final = true}, tables->service->make_context());
    check(*tables, model, kind, random);
    // A merge leaves what FINAL shows.
    ScanRequest request;
    request.columns = {"key", "value"};
    EXPECT_EQ(tables->rows(request), model.lines([](const Row&) { return true; }, false));
}

} // namespace

TEST(Final, ReplacingWhateverTheParts)
{
    for (uint64_t seed = 1; seed <= 6; ++seed)
        run(Kind::Replacing, seed % 2, seed);
}

TEST(Final, SummingWhateverTheParts)
{
    for (uint64_t seed = 1; seed <= 6; ++seed)
        run(Kind::Summing, seed % 2, seed);
}

} // namespace basalt::test
