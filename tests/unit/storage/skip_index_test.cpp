#include "table_fixture.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "storage/skip_index/sized_filter.h"

#include <cmath>

namespace basalt::test
{
namespace
{

SkipIndexSource source_of(MemoryFileSystem& files, const std::string& bytes, size_t entries)
{
    const auto file = files.open_for_write("index", OpenMode::Truncate);
    file->append("before" + bytes);
    file->sync();
    file->close();
    SkipIndexSource source;
    source.file = files.open_for_read("index", {});
    source.offset = 6;
    source.size = bytes.size();
    source.entries = entries;
    return source;
}

uint64_t key(uint64_t n)
{
    return xxh3_64(reinterpret_cast<const char*>(&n), sizeof n);
}

// Entry i holds keys i * 1000 … i * 1000 + keys - 1.
TEST(SlicedFilter, FindsEveryKeyAndFewOthers)
{
    for (const size_t entries : {1, 2, 7, 8, 9, 63, 64, 65, 200})
        for (const size_t keys : {1, 20, 700})
        {
            SizedFilterWriter writer([](size_t most)
                                     { return FilterGeometry::for_rate(most, 0.01); });
            for (size_t i = 0; i < entries; ++i)
            {
                std::vector<uint64_t> hashes;
                for (size_t k = 0; k < keys; ++k)
                    for (size_t again = 0; again < 1 + i % 6; ++again)
                        hashes.push_back(key(i * 1000 + k));
                writer.add_entry(hashes);
            }
            MemoryFileSystem files;
            const std::string bytes = writer.finish();
            EXPECT_LT(static_cast<double>(bytes.size()),
                      1.1 * static_cast<double>(entries) *
                              (static_cast<double>(keys) * 9.6 / 8 + 9) +
                          1200);
            const SlicedFilterReader reader(source_of(files, bytes, entries));
            size_t wrong = 0;
            for (size_t i = 0; i < entries; ++i)
                for (const size_t k : {size_t{0}, keys / 2, keys - 1})
                {
                    std::vector<uint8_t> possible(entries, 0);
                    reader.find_all({key(i * 1000 + k), key(i * 1000)}, possible);
                    ASSERT_EQ(possible[i], 1) << entries << " " << keys << " " << i;
                    reader.find_all({key(i * 1000 + k)}, possible);
                    wrong +=
                        static_cast<size_t>(std::count(possible.begin(), possible.end(), 1)) - 1;
                }
            EXPECT_LE(wrong, 3 * entries * entries / 30 + 3) << entries << " " << keys;
        }
}

TEST(SlicedFilter, ChunksMayDiffer)
{
    SlicedFilterWriter writer;
    std::string bytes;
    for (size_t i = 0; i < 300; ++i)
    {
        writer.begin_entry(FilterGeometry::with_bits(i < 100 ? 64 : i < 101 ? 8 << 20 : 4096, 3));
        writer.add(key(i));
        bytes += writer.take_bytes();
    }
    bytes += writer.finish();
    MemoryFileSystem files;
    const SlicedFilterReader reader(source_of(files, bytes, 300));
    for (size_t i = 0; i < 300; ++i)
    {
        std::vector<uint8_t> possible(300, 0);
        reader.find_all({key(i)}, possible);
        ASSERT_EQ(possible[i], 1) << i;
    }
}

TEST(SlicedFilter, DamageIsNoticed)
{
    SizedFilterWriter writer([](size_t most) { return FilterGeometry::for_rate(most, 0.01); });
    for (size_t i = 0; i < 20; ++i)
    {
        std::vector<uint64_t> hashes;
        for (size_t k = 0; k < 100; ++k)
            hashes.push_back(key(i * 1000 + k));
        writer.add_entry(hashes);
    }
    const std::string bytes = writer.finish();
    const auto find_all_keys = [&](const std::string& damaged)
    {
        MemoryFileSystem files;
        const SlicedFilterReader reader(source_of(files, damaged, 20));
        if (!reader.readable())
            return;
        for (size_t i = 0; i < 20; ++i)
            for (size_t k = 0; k < 100; ++k)
            {
                std::vector<uint8_t> possible(20, 0);
                reader.find_all({key(i * 1000 + k)}, possible);
                ASSERT_EQ(possible[i], 1);
            }
    };
    size_t noticed = 0;
    SeededRandom random(1);
    for (size_t n = 0; n < 60; ++n)
    {
        std::string damaged = bytes;
        damaged[random.next_u64() % bytes.size()] ^= static_cast<char>(1 << random.next_u64() % 8);
        try
        {
            find_all_keys(damaged);
        }
        catch (const Error&)
        {
            ++noticed;
        }
    }
    EXPECT_GT(noticed, 50u);
    for (size_t size : {size_t{0}, size_t{7}, size_t{12}, bytes.size() - 1})
        EXPECT_THROW(find_all_keys(bytes.substr(0, size)), Error) << size;
}

const char* const kWords[] = {"Error", "timeout",           "GET", "payment", "status=503",
                              "a-b",   "\xc3\xa9t\xc3\xa9", "x_y", "order",   "K\xe2\x84\xaa",
                              "s",     "Users/17"};

std::shared_ptr<TableMetadata> text_metadata(size_t granule)
{
    auto metadata = std::make_shared<TableMetadata>();
    const auto add = [&](const std::string& name, const std::string& type) {
        metadata->columns.push_back({name, type_from_name(type)});
    };
    add("k", "UInt64");
    add("s", "String");
    add("fs", "FixedString(6)");
    add("lc", "LowCardinality(Nullable(String))");
    add("tags", "Array(String)");
    add("m", "Map(String, String)");
    add("id", "String");
    metadata->sorting_key = {"k", {col("k", "UInt64")}, {}};
    metadata->primary_key = metadata->sorting_key;
    metadata->settings.emplace_back("index_granularity", std::to_string(granule));
    const auto s = col("s", "String"), fs = col("fs", "FixedString(6)"),
               lc = col("lc", "LowCardinality(Nullable(String))"),
               tags = col("tags", "Array(String)"), m = col("m", "Map(String, String)");
    const auto token = [](uint64_t bytes) {
        return Values{Value(bytes), Value(uint64_t{3}), Value(uint64_t{0})};
    };
    const auto ngram = [](uint64_t n) {
        return Values{Value(n), Value(uint64_t{512}), Value(uint64_t{2}), Value(uint64_t{0})};
    };
    const auto text = [](const char* tokenizer)
    { return Values{Value("tokenizer = " + std::string(tokenizer))}; };
    metadata->indexes = {{"i1", "s", s, "tokenbf_v1", token(128), 1},
                         {"i2", "s", s, "ngrambf_v1", ngram(3), 2},
                         {"i3", "lower(s)", call("lower", {s}), "bloom_filter", {}, 1},
                         {"i4", "s", s, "bloom_filter", {Value(0.01)}, 3},
                         {"i5", "fs", fs, "tokenbf_v1", token(64), 1},
                         {"i6", "fs", fs, "bloom_filter", {}, 1},
                         {"k2", "fs", fs, "ngrambf_v1", ngram(3), 1},
                         {"k3", "fs", fs, "text", text("array"), 1},
                         {"i7", "lc", lc, "text", text("splitByNonAlpha"), 100000000},
                         {"i8", "lc", lc, "set", {Value(uint64_t{5})}, 1},
                         {"i9", "lc", lc, "bloom_filter", {}, 1},
                         {"j1", "tags", tags, "bloom_filter", {}, 1},
                         {"j2", "tags", tags, "tokenbf_v1", token(64), 1},
                         {"j3", "mapKeys(m)", call("mapKeys", {m}), "bloom_filter", {}, 1},
                         {"j4", "mapValues(m)", call("mapValues", {m}), "text", text("array"), 1},
                         {"j5", "mapKeys(m)", call("mapKeys", {m}), "ngrambf_v1", ngram(2), 1},
                         {"j6",
                          "m['a']",
                          call("arrayElement", {m, lit(std::string("a"))}),
                          "set",
                          {Value(uint64_t{4})},
                          2},
                         {"j7", "s", s, "text", text("splitByString([' ', '='])"), 1},
                         {"j8", "s", s, "text", text("ngrams(4)"), 1},
                         {"j9", "s", s, "set", {Value(uint64_t{7})}, 1},
                         {"k1", "length(s)", call("length", {s}), "minmax", {}, 1}};
    return metadata;
}

class Texts
{
public:
    explicit Texts(SeededRandom& random) : random_(random) {}

    uint64_t pick(uint64_t n) { return random_.next_u64() % n; }
    std::string word()
    {
        std::string word = kWords[pick(std::size(kWords))];
        if (pick(3) == 0)
            word += std::to_string(pick(40));
        return word;
    }
    std::string text()
    {
        std::string text = word();
        for (uint64_t n = pick(4); n; --n)
            text += (pick(4) ? " " : "=") + word();
        return text;
    }
    std::string some_case(std::string text)
    {
        for (char& c : text)
            if (pick(2))
                c = static_cast<char>(pick(2) ? std::tolower(c) : std::toupper(c));
        return text;
    }
    // A part of what a row may hold, perhaps with wildcards.
    std::string part()
    {
        const std::string whole = text();
        const size_t begin = pick(2) ? 0 : pick(whole.size());
        return whole.substr(begin, pick(2) ? std::string::npos : 1 + pick(whole.size()));
    }
    std::string pattern()
    {
        std::string pattern = part();
        if (pick(2))
            pattern.insert(pick(pattern.size() + 1), pick(2) ? "%" : "_");
        return (pick(3) ? "%" : "") + pattern + (pick(3) ? "%" : "");
    }
    std::string hex(uint64_t n)
    {
        static const char* const kDigits = "0123456789abcdef";
        std::string text;
        for (size_t i = 0; i < 32; ++i)
            text += kDigits[key(n * 2 + i / 16) >> (i % 16 * 4) & 15];
        return text;
    }

    Block rows(size_t count)
    {
        const auto metadata = text_metadata(16);
        std::vector<MutableColumnPtr> columns;
        for (const auto& column : metadata->columns)
            columns.push_back(remove_low_cardinality(column.type)->create_column());
        for (size_t i = 0; i < count; ++i)
        {
            columns[0]->append_value(Value(pick(100000)));
            columns[1]->append_value(Value(i % 300 < 40 ? std::string("Same text") : text()));
            std::string fixed = word().substr(0, 6);
            fixed.resize(6);
            columns[2]->append_value(Value(fixed));
            columns[3]->append_value(pick(5) ? Value(word()) : Value());
            ArrayValue tags;
            for (uint64_t n = pick(3); n; --n)
                tags.items.push_back(Value(word()));
            columns[4]->append_value(tags);
            MapValue map;
            for (uint64_t n = pick(3); n; --n)
                map.items.push_back(Value(TupleValue{
                    {Value(pick(2) ? std::string("a") : word()), Value(pick(3) ? word() : "")}}));
            columns[5]->append_value(map);
            columns[6]->append_value(Value(hex(pick(5000))));
        }
        Block block;
        for (size_t c = 0; c < columns.size(); ++c)
            block.add(
                {std::move(columns[c]), metadata->columns[c].type, metadata->columns[c].name});
        return block;
    }

    ExpressionPtr condition(size_t depth)
    {
        const uint64_t what = depth ? pick(8) : 0;
        if (what == 5)
            return call("not", {condition(depth - 1)});
        if (what >= 6)
            return call(what == 6 ? "or" : "and", {condition(depth - 1), condition(depth - 1)});
        return leaf();
    }

private:
    ExpressionPtr array(std::vector<std::string> texts)
    {
        ArrayValue value;
        for (auto& text : texts)
            value.items.push_back(Value(std::move(text)));
        return Expression::constant(type_from_name("Array(String)"), value);
    }
    ExpressionPtr set(std::vector<std::string> texts)
    {
        auto column = std::make_shared<StringColumn>();
        for (const auto& text : texts)
            column->append(text);
        return Expression::constant_column(std::make_shared<SetColumn>(make_value_set(
                                               {simple_type(TypeId::String)}, {column}, nullptr)),
                                           simple_type(TypeId::Set), "set");
    }
    ExpressionPtr subject()
    {
        const auto s = col("s", "String"), m = col("m", "Map(String, String)");
        switch (pick(9))
        {
        case 0:
            return col("lc", "LowCardinality(Nullable(String))");
        case 1:
            return call("lower", {s});
        case 2:
            return call("upper", {s});
        case 3:
            return call("arrayElement", {m, lit(pick(2) ? std::string("a") : word())});
        case 4:
            return call("lower", {call("arrayElement", {m, lit(std::string("a"))})});
        default:
            return s;
        }
    }
    std::string regexp()
    {
        static const char* const kParts[] = {".*", "[a-z]+", "\\d", "(x|y)?",
                                             "o?", "^",      "|",   "\\s"};
        std::string pattern;
        for (uint64_t n = 1 + pick(3); n; --n)
        {
            pattern += pick(3) ? word() : part();
            pattern += pick(2) ? kParts[pick(std::size(kParts))] : "";
        }
        return pattern;
    }
    ExpressionPtr leaf()
    {
        const auto tags = col("tags", "Array(String)"), m = col("m", "Map(String, String)");
        const auto fs = col("fs", "FixedString(6)"), id = col("id", "String");
        const auto one_of = [&](std::vector<const char*> names)
        { return std::string(names[pick(names.size())]); };
        switch (pick(21))
        {
        case 0:
            return call(one_of({"equals", "notEquals"}),
                        {subject(), lit(pick(4)   ? text()
                                        : pick(2) ? std::string("Same text")
                                                  : "")});
        case 1:
            return call("equals", {lit(some_case(text())), subject()});
        case 2:
            return call(one_of({"in", "notIn"}), {subject(), set({text(), word(), "Same text"})});
        case 3:
        case 4:
            return call(one_of({"like", "notLike"}), {subject(), lit(pattern())});
        case 5:
            return call(one_of({"ilike", "notILike"}), {subject(), lit(some_case(pattern()))});
        case 6:
            return call(one_of({"startsWith", "endsWith"}), {subject(), lit(part())});
        case 7:
        {
            const std::string token = pick(2) ? "timeout" + std::to_string(pick(50)) : "GET";
            return call(one_of({"hasToken", "hasTokenOrNull", "hasTokenCaseInsensitive"}),
                        {subject(), lit(token)});
        }
        case 8:
            return call(one_of({"hasAllTokens", "hasAnyTokens", "hasPhrase"}),
                        {col("s", "String"), lit(text())});
        case 9:
            return call("match", {subject(), lit(regexp())});
        case 10:
            return call(one_of({"multiSearchAny", "multiSearchAnyCaseInsensitive"}),
                        {subject(), array({part(), part()})});
        case 11:
            return call("has", {tags, lit(word())});
        case 12:
            return call(one_of({"hasAny", "hasAll", "hasAnyTokens", "hasAllTokens"}),
                        {tags, array({word(), word()})});
        case 13:
            return call(one_of({"mapContains", "mapContainsKey", "mapContainsValue", "has"}),
                        {m, lit(word())});
        case 14:
            return call(one_of({"mapContainsKeyLike", "mapContainsValueLike"}),
                        {m, lit(pattern())});
        case 15:
            return call("has", {array({text(), "Same text"}), subject()});
        case 16:
            return call(one_of({"equals", "notEquals", "like", "startsWith", "endsWith"}),
                        {fs, lit(word().substr(pick(2), 5) + std::string(pick(4), '\0'))});
        case 17:
            return call("equals", {id, lit(hex(pick(6000)))});
        case 19:
            return call(
                one_of({"equals", "less", "greater"}),
                {call("intDiv", {call("length", {col("s", "String")}), lit(2)}), lit(pick(20))});
        case 18:
            return call("in", {id, set({hex(pick(6000)), hex(pick(6000))})});
        default:
            return call("has", {call("mapValues", {m}), lit(word())});
        }
    }

    SeededRandom& random_;
};

QueryContextPtr without_indexes(const StorageService& service)
{
    auto context = service.make_context();
    context->settings.set("use_skip_indexes", "0");
    return context;
}

// Skip indexes never change an answer: random conditions with and without them.
TEST(SkipIndex, NeverChangesAnAnswer)
{
    size_t pruned = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed)
    {
        SeededRandom random(seed);
        Texts texts(random);
        MemoryFileSystem files;
        Tables tables(files);
        tables.open(text_metadata(seed % 2 ? 16 : 64));
        tables.insert(texts.rows(2300));
        tables.insert(texts.rows(1700));
        tables.insert(texts.rows(100)); // live
        for (int i = 0; i < 250; ++i)
        {
            ScanRequest request;
            request.columns = {"k", "s"};
            request.filter = texts.condition(static_cast<size_t>(i) % 3);
            std::vector<std::string> plain;
            try
            {
                plain = tables.rows(request, without_indexes(*tables.service));
            }
            catch (const Error& error)
            {
                // A regular expression that is none.
                ASSERT_EQ(error.code(), error_codes::CANNOT_COMPILE_REGEXP)
                    << request.filter->fingerprint();
                continue;
            }
            const auto context = tables.service->make_context();
            ASSERT_EQ(tables.rows(request, context), plain)
                << "seed " << seed << " " << request.filter->fingerprint();
            pruned += context->read_rows < 3600;
            ++asked;
        }
    }
    EXPECT_GT(pruned, asked / 4);
}

class Spellings : public ::testing::Test
{
protected:
    Spellings() : random_(7), texts_(random_), tables_(files_)
    {
        auto metadata = text_metadata(16);
        tables_.open(metadata);
        tables_.insert(texts_.rows(3000));
    }
    // Granules left by the indexes.
    size_t granules(const ExpressionPtr& filter, const std::string& ignored = "")
    {
        auto context = tables_.service->make_context();
        context->settings.set("ignore_data_skipping_indices", ignored);
        ScanRequest request;
        request.filter = filter;
        return tables_.table->scan(request, context)->estimate().marks;
    }

    MemoryFileSystem files_;
    SeededRandom random_;
    Texts texts_;
    Tables tables_;
    ExpressionPtr s_ = col("s", "String");
    ExpressionPtr m_ = col("m", "Map(String, String)");
};

TEST_F(Spellings, ChooseTheSameGranules)
{
    const std::string text = "payment7 order";
    const auto value = lit(text);
    const size_t equal = granules(call("equals", {s_, value}));
    EXPECT_LT(equal, 10u);
    EXPECT_EQ(granules(call("equals", {value, s_})), equal);
    EXPECT_EQ(granules(call("not", {call("notEquals", {s_, value})})), equal);
    EXPECT_EQ(granules(call("like", {s_, value})), equal);
    EXPECT_EQ(granules(call("not", {call("notLike", {s_, value})})), equal);
    EXPECT_EQ(granules(call("has", {Expression::constant(type_from_name("Array(String)"),
                                                         ArrayValue{{Value(text)}}),
                                    s_})),
              equal);
    const size_t prefix = granules(call("startsWith", {s_, value}));
    EXPECT_EQ(granules(call("like", {s_, lit(text + "%")})), prefix);
    const size_t suffix = granules(call("endsWith", {s_, value}));
    EXPECT_EQ(granules(call("like", {s_, lit("%" + text)})), suffix);
    const size_t inside = granules(call("like", {s_, lit("%" + text + "%")}));
    EXPECT_EQ(granules(call("match", {s_, value})), inside);
    EXPECT_EQ(
        granules(call("multiSearchAny", {s_, Expression::constant(type_from_name("Array(String)"),
                                                                  ArrayValue{{Value(text)}})})),
        inside);
    EXPECT_EQ(granules(call("or", {call("like", {s_, lit("%" + text + "%")}),
                                   call("like", {s_, lit("%" + text + "%")})})),
              inside);
    const size_t key = granules(call("mapContains", {m_, lit(std::string("payment3"))}));
    EXPECT_LT(key, 60u);
    EXPECT_EQ(granules(call("mapContainsKey", {m_, lit(std::string("payment3"))})), key);
    EXPECT_EQ(granules(call("has", {m_, lit(std::string("payment3"))})), key);
    EXPECT_EQ(granules(call("has", {call("mapKeys", {m_}), lit(std::string("payment3"))})), key);
    const size_t subscript =
        granules(call("equals", {call("arrayElement", {m_, lit(std::string("payment3"))}),
                                 lit(std::string("s"))}));
    EXPECT_LE(subscript, key);
    // Any row without the key has the default.
    EXPECT_EQ(granules(call("equals", {call("arrayElement", {m_, lit(std::string("payment3"))}),
                                       lit(std::string())})),
              granules(nullptr));
}

TEST_F(Spellings, IndexesCanBeIgnoredAndForced)
{
    const auto filter = call("equals", {s_, lit(std::string("payment7 order"))});
    EXPECT_EQ(granules(filter, "i1, `i2`, i3,i4,j7,j8,j9"), granules(nullptr));
    auto context = tables_.service->make_context();
    ScanRequest request;
    request.filter = filter;
    context->settings.set("force_data_skipping_indices", "i1,i4");
    tables_.table->scan(request, context);
    context->settings.set("force_data_skipping_indices", "i1,i5");
    try
    {
        tables_.table->scan(request, context);
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::INDEX_NOT_USED);
    }
}

TEST(IdFilter, ComesByItselfAndChoosesOnePage)
{
    for (const bool wanted : {true, false})
    {
        SeededRandom random(3);
        Texts texts(random);
        MemoryFileSystem files;
        StorageOptions options = small_options();
        options.insert_part_rows = 1 << 20;
        Tables tables(files, options);
        auto metadata = std::make_shared<TableMetadata>();
        metadata->columns = {{"k", simple_type(TypeId::UInt64)},
                             {"id", simple_type(TypeId::String)}};
        metadata->sorting_key = {"k", {col("k", "UInt64")}, {}};
        metadata->primary_key = metadata->sorting_key;
        if (!wanted)
            metadata->settings.emplace_back("basalt_auto_index", "0");
        tables.open(metadata);
        constexpr size_t kRows = 200000; // three pages and a bit
        Block block;
        auto k = std::make_shared<VectorColumn<uint64_t>>();
        auto id = std::make_shared<StringColumn>();
        for (uint64_t n = 0; n < kRows; ++n)
        {
            k->data().push_back(n);
            id->append(texts.hex(n));
        }
        block.add({k, simple_type(TypeId::UInt64), "k"});
        block.add({id, simple_type(TypeId::String), "id"});
        tables.insert(block);
        const auto infos = tables.table->part_infos();
        ASSERT_EQ(infos.size(), 1u);
        ASSERT_EQ(infos[0].indexes.size(), wanted ? 1u : 0u);
        if (wanted)
        {
            EXPECT_EQ(infos[0].indexes[0].name, "auto_id_filter_index_id");
            EXPECT_LT(infos[0].indexes[0].compressed_bytes, kRows * 77 / 100);
        }
        size_t read = 0;
        for (uint64_t n = 0; n < 40; ++n)
        {
            ScanRequest request;
            request.columns = {"k"};
            request.filter = call("equals", {col("id", "String"), lit(texts.hex(n * 4999))});
            const auto context = tables.service->make_context();
            ASSERT_EQ(tables.rows(request, context),
                      std::vector<std::string>{std::to_string(n * 4999)});
            read += context->read_rows;
        }
        EXPECT_EQ(read > 40 * kRows / 2, !wanted) << read;
    }
}

} // namespace
} // namespace basalt::test
