#include "encodings/page_format.h"
#include "encodings/slot_text.h"
#include "encodings/slot_time.h"
#include "encodings/template_learn.h"
#include "encodings/template_tokens.h"
#include "tests/unit/encodings/one_part.h"
#include "tests/unit/encodings/template_lines.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

PageEncoding encoding_of(const std::string& page)
{
    return PageHead::read(page).encoding;
}

void expect_equal_texts(const ColumnPtr& expected, size_t begin, const ColumnPtr& actual)
{
    const ColumnPtr flat = to_flat(actual);
    const auto& a = column_as<StringColumn>(*expected);
    const auto& b = column_as<StringColumn>(*flat);
    for (size_t i = 0; i < b.size(); ++i)
        ASSERT_EQ(a.at(begin + i), b.at(i)) << "row " << begin + i;
}

TEST(SlotText, TakesOnlyWhatItGivesBack)
{
    SeededRandom random(1);
    const char* const texts[] = {"0",    "-0",   "-5",   "007",  "-07", "5",    "1.5",  "1.50",
                                 "01.5", "-0.0", "-0.5", "0.05", ".5",  "5.",   "1.2.3", "10.0.0.1",
                                 "256.0.0.1", "01.0.0.1", "123456789012345678",
                                 "1234567890123456789", "0.123456789", "0.1234567891", "abc", "ABC",
                                 "0123456789abcdef", "0123456789abcdef0", "deadbeef"};
    for (const std::string_view text : texts)
    {
        const char* const end = text.data() + text.size();
        SlotNumber number;
        char buffer[128];
        const auto check = [&](SlotKind kind, const char* stop)
        {
            if (!stop)
                return;
            const char* written =
                write_slot_number(kind, number.value, number.form,
                                  integer_power_of_ten(number.form % 20), buffer);
            EXPECT_EQ(std::string_view(text.data(), static_cast<size_t>(stop - text.data())),
                      std::string_view(buffer, static_cast<size_t>(written - buffer)));
        };
        check(SlotKind::Integer, parse_integer(text.data(), end, number));
        check(SlotKind::Decimal, parse_decimal(text.data(), end, number));
        check(SlotKind::HexLower, parse_hex_number(text.data(), end, HexCase::Lower, number));
        check(SlotKind::HexUpper, parse_hex_number(text.data(), end, HexCase::Upper, number));
        check(SlotKind::Ipv4, parse_ipv4(text.data(), end, number));
    }
    for (int i = 0; i < 20000; ++i)
    {
        const uint64_t value = random.next_u64() >> (random.next_u64() % 64);
        char buffer[64];
        const char* end = write_number(value, buffer);
        ASSERT_EQ(std::string(buffer, static_cast<size_t>(end - buffer)), std::to_string(value));
    }
}

TEST(SlotTime, TakesOnlyWhatItGivesBack)
{
    const auto taken = [](const std::string& text)
    {
        TimeShape shape;
        const char* const end = text.data() + text.size();
        const char* stop = detect_time(text.data(), end, shape);
        if (!stop)
            return std::string("none");
        int64_t ticks = 0;
        EXPECT_EQ(parse_time(text.data(), end, shape, ticks), stop);
        char buffer[64];
        const char* written = write_time(ticks, shape, buffer);
        EXPECT_EQ(std::string(text.data(), stop), std::string(buffer, static_cast<size_t>(written - buffer)));
        return std::string(text.data(), stop);
    };
    for (const std::string text :
         {"2026-08-25 12:00:00", "2026-08-25T23:59:59.123", "1969-12-31 23:59:59,5",
          "2024/02/29 00:00:00", "0001-01-01 00:00:00", "9999-12-31 23:59:59",
          "25/Aug/2026:12:00:00", "Aug  5 12:00:00", "Feb 29 12:00:00", "Dec 31 23:59:59",
          "12:34:56", "00:00:00.000000001", "1970-01-01 00:00:00.000"})
        EXPECT_EQ(taken(text), text);
    for (const char* text :
         {"2026-08-25 24:00:00", "2026-08-25 12:60:00", "2026-08-25 12:00:60", "2026-02-30 12:00:00",
          "2025-02-29 12:00:00", "2026-00-10 12:00:00", "Aug 05 12:00:00", "Aug  0 12:00:00",
          "Aug 32 12:00:00", "Abc 12 12:00:00", "25/aug/2026:12:00:00", "12:34:567", "12:34:56:78",
          "2026-08-25 12:00:00.1234567890", "2026-8-25 12:00:00", ""})
        EXPECT_EQ(taken(text), "none") << text;
    // Any number can be written.
    SeededRandom random(2);
    for (int i = 0; i < 20000; ++i)
    {
        TimeShape shape;
        shape.format = "ISCLT"[i % 5];
        shape.digits = static_cast<uint8_t>(i % 10);
        char buffer[64];
        const char* end =
            write_time(static_cast<int64_t>(random.next_u64() >> (i % 64)), shape, buffer);
        ASSERT_LE(end - buffer, static_cast<ptrdiff_t>(kMaxTimeBytes));
    }
}

std::vector<std::string> learnt_from(const std::vector<std::string>& lines)
{
    auto column = std::make_shared<StringColumn>();
    RowIndexes rows;
    for (const auto& line : lines)
    {
        rows.push_back(static_cast<uint32_t>(column->size()));
        column->append(line);
    }
    const Block block({{column, type_from_name("String"), "c"}});
    SiblingColumns siblings(block, {});
    std::vector<std::string> described;
    for (const auto& parts : learn_templates(*column, rows, siblings))
        described.push_back(describe_template(parts));
    return described;
}

TEST(TemplateLearn, MasksValuesAndKeepsWords)
{
    std::vector<std::string> lines;
    for (int i = 0; i < 40; ++i)
        lines.push_back("took " + std::to_string(i) + (i % 2 ? ".5" : "") + "ms status=200 at 10.0.0." +
                        std::to_string(i) + " v1");
    EXPECT_EQ(learnt_from(lines),
              std::vector<std::string>{"took <Decimal>ms status=200 at <Ipv4> v1"});
}

TEST(TemplateLearn, ManyCombinationsOfWordsBecomeASlot)
{
    std::vector<std::string> lines;
    for (int i = 0; i < 400; ++i)
        lines.push_back("user " + std::string(1, static_cast<char>('a' + i % 26)) +
                        std::string(1, static_cast<char>('a' + i / 26)) +
                        (i % 2 ? " came" : " went"));
    const auto learnt = learnt_from(lines);
    EXPECT_EQ(learnt.size(), 2u);
    EXPECT_EQ(learnt[0].substr(0, 12), "user <Word> ");
}

TEST(TemplateLearn, QuotedTextsOfManyKindsAreOneSlot)
{
    std::vector<std::string> lines;
    for (int i = 0; i < 600; ++i)
        lines.push_back("\"key\": \"" + std::string(1 + i % 40, 'x') + " and " +
                        std::to_string(i) + "\", took " + std::to_string(i % 7));
    EXPECT_EQ(learnt_from(lines),
              std::vector<std::string>{"\"key\": \"<Quoted>\", took <Integer>"});
}

TEST(TemplateLearn, WhatLinesBeginWithIsCutOff)
{
    SeededRandom random(3);
    std::vector<std::string> lines;
    for (int i = 0; i < 2000; ++i)
        lines.push_back(service_line(random));
    const auto learnt = learnt_from(lines);
    ASSERT_FALSE(learnt.empty());
    EXPECT_EQ(learnt[0], "<Time>Z [<Integer>] <Rest>");
    EXPECT_LT(learnt.size(), 10u);
}

TEST(TemplatePage, TemplatesWithinSlotsAreSmallAndExact)
{
    const auto type = type_from_name("String");
    const auto first = lines_of(20000, 1, service_line);
    const auto second = lines_of(9000, 2,
                                 [](SeededRandom& random)
                                 {
                                     const std::string line = service_line(random);
                                     return random.next_u64() % 5
                                                ? line
                                                : line.substr(0, 30) + odd_line(random);
                                 });
    const OnePart part(type, "", 512, {first, second});
    const OnePart packed(type, "ZSTD(3)", 8192, {first, second});
    ASSERT_EQ(encoding_of(part.pages[0]), PageEncoding::Templates);
    EXPECT_LT(part.pages[0].size() * 10, packed.pages[0].size() * 6);
    const auto page = part.open(0);
    expect_equal_texts(first, 0, page->decode(0, 20000));
    expect_equal_texts(first, 8000, page->decode(8000, 9000));
    RowIndexes rows;
    for (uint32_t row = 3; row < 20000; row += 1 + row / 3)
        rows.push_back(row);
    const auto taken = to_flat(page->decode_rows(rows));
    for (size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(taken->value_at(i), first->value_at(rows[i]));
    expect_equal_texts(second, 0, part.open(1)->decode(0, 9000));
}

TEST(TemplatePage, RandomUuidsTakeTheBitsThatAreRandom)
{
    const auto type = type_from_name("String");
    for (const bool random_ones : {true, false})
    {
        const auto lines = lines_of(
            9001, 5,
            [&](SeededRandom& random)
            {
                return "id=" + hex_digits(random, 8) + "-" + hex_digits(random, 4) + "-4" +
                       hex_digits(random, 3) + "-" +
                       (random_ones ? "89ab" : "89c0")[random.next_u64() % 4] +
                       hex_digits(random, 3) + "-" + hex_digits(random, 12) + " was seen";
            });
        const OnePart part(type, "", 512, {lines});
        ASSERT_EQ(encoding_of(part.pages[0]), PageEncoding::Templates);
        if (random_ones)
        {
            EXPECT_LT(part.pages[0].size(), 9001 * 61 / 4 + 200);
        }
        expect_equal_texts(lines, 0, part.open(0)->decode(0, 9001));
    }
}

TEST(TemplatePage, LogLinesAreSmallAndExact)
{
    const auto type = type_from_name("String");
    const auto first = lines_of(20000, 1, log_line);
    const auto second = lines_of(20000, 2, log_line);
    const OnePart part(type, "", 512, {first, second});
    const OnePart packed(type, "ZSTD(3)", 8192, {first, second});
    ASSERT_EQ(encoding_of(part.pages[0]), PageEncoding::Templates);
    ASSERT_EQ(encoding_of(part.pages[1]), PageEncoding::Templates);
    EXPECT_LT(part.pages[1].size() * 10, packed.pages[1].size() * 8);
    const auto page = part.open(1);
    expect_equal_texts(second, 0, page->decode(0, 20000));
    for (const auto& [begin, count] : {std::pair<size_t, size_t>{0, 1}, {8191, 2}, {8192, 100},
                                       {5000, 9000}, {19999, 1}, {300, 0}})
    {
        const auto some = page->decode(begin, count);
        ASSERT_EQ(some->size(), count);
        expect_equal_texts(second, begin, some);
    }
    RowIndexes rows;
    for (uint32_t row = 3; row < 20000; row += 1 + row / 3)
        rows.push_back(row);
    const auto taken = to_flat(page->decode_rows(rows));
    for (size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(taken->value_at(i), second->value_at(rows[i]));
}

TEST(TemplatePage, OddLinesComeBackFromPagesOfEverySize)
{
    const auto type = type_from_name("String");
    for (const size_t rows : {1, 2, 15, 16, 100, 1000, 8193, 30000})
    {
        for (uint64_t seed = 0; seed < 3; ++seed)
        {
            const auto mixed = [](SeededRandom& random)
            { return random.next_u64() % 4 ? odd_line(random) : log_line(random); };
            const std::vector<ColumnPtr> columns = {
                lines_of(rows, seed, odd_line), lines_of(rows, seed + 10, mixed),
                lines_of(rows, seed + 20, log_line)};
            const OnePart part(type, "", 1024, columns);
            for (size_t i = 0; i < columns.size(); ++i)
                expect_equal_texts(columns[i], 0, part.open(i)->decode(0, rows));
        }
    }
}

TEST(TemplatePage, PrefixesAreThoseOfTheLines)
{
    const auto type = type_from_name("String");
    for (const auto& line : {log_line, odd_line})
    {
        const auto column = lines_of(9000, 5, line);
        const OnePart part(type, "", 512, {column});
        for (const size_t bytes : {0, 1, 5, 12, 20, 200})
        {
            const auto cut = to_flat(part.open(0)->decode_prefix(100, 8500, bytes));
            ASSERT_EQ(cut->size(), 8500u);
            for (size_t i = 0; i < 8500; ++i)
                ASSERT_EQ(column_as<StringColumn>(*cut).at(i).substr(0, bytes),
                          column_as<StringColumn>(*column).at(100 + i).substr(0, bytes));
        }
    }
}

TEST(TemplatePage, NullableLinesKeepTheirNulls)
{
    const auto type = type_from_name("Nullable(String)");
    SeededRandom random(5);
    auto column = type->create_column();
    for (size_t i = 0; i < 5000; ++i)
    {
        if (i % 5 == 0)
            column->append_default();
        else
            column->append_value(log_line(random));
    }
    const OnePart part(type, "", 1024, {column});
    ASSERT_EQ(encoding_of(part.pages[0]), PageEncoding::NullableValues);
    expect_same(column, 0, part.open(0)->decode(0, 5000));
    const auto taken = to_flat(part.open(0)->decode_rows({4, 5, 4999}));
    EXPECT_TRUE(taken->is_null_at(1));
    EXPECT_EQ(taken->value_at(2), column->value_at(4999));
}

struct Logs
{
    Header header;
    std::vector<Block> blocks;
};

// Lines that repeat columns beside them.
Logs logs_with_siblings(size_t rows, size_t pages)
{
    Logs logs;
    logs.header = {{"message", type_from_name("String")},
                   {"trace_id", type_from_name("String")},
                   {"duration", type_from_name("Float32")},
                   {"code", type_from_name("UInt16")}};
    SeededRandom random(9);
    for (size_t p = 0; p < pages; ++p)
    {
        auto message = std::make_shared<StringColumn>();
        auto trace = std::make_shared<StringColumn>();
        auto duration = std::make_shared<VectorColumn<float>>();
        auto code = std::make_shared<VectorColumn<uint16_t>>();
        for (size_t i = 0; i < rows; ++i)
        {
            const uint64_t tenths = random.next_u64() % 5000;
            std::string text = std::to_string(tenths / 10);
            if (tenths % 10)
                text += "." + std::to_string(tenths % 10);
            trace->append(hex_digits(random, 32));
            duration->data().push_back(static_cast<float>(static_cast<double>(tenths) / 10));
            code->data().push_back(static_cast<uint16_t>(200 + random.next_u64() % 300));
            // Now and then the line says something else.
            const bool same = random.next_u64() % 500 != 0;
            message->append("done in " + (same ? text : "7.25") + "ms code=" +
                            std::to_string(code->data().back()) + " trace_id=" +
                            (same ? std::string(trace->at(i)) : hex_digits(random, 32)));
        }
        logs.blocks.push_back(Block({{message, logs.header[0].type, "message"},
                                     {trace, logs.header[1].type, "trace_id"},
                                     {duration, logs.header[2].type, "duration"},
                                     {code, logs.header[3].type, "code"}}));
    }
    return logs;
}

TEST(TemplatePage, WhatColumnsBesideItHoldIsNotStoredAgain)
{
    const Logs logs = logs_with_siblings(20000, 2);
    auto encoder = make_part_encoder(logs.header, std::vector<ColumnEncodingOptions>(4), 8192);
    std::vector<std::vector<EncodedColumnPage>> pages;
    for (const auto& block : logs.blocks)
        pages.push_back(encoder->encode(block));
    const auto decoder = make_part_decoder(logs.header, encoder->finish(), 8192);
    ASSERT_EQ(encoding_of(pages[1][0].bytes), PageEncoding::Templates);
    EXPECT_LT(pages[1][0].bytes.size(), 20000u * 16 / 100);
    const auto siblings = decoder->siblings(0);
    EXPECT_EQ(siblings.size(), 3u);
    for (size_t p = 0; p < 2; ++p)
    {
        std::vector<EncodedPagePtr> opened;
        for (const size_t column : siblings)
        {
            EXPECT_TRUE(decoder->siblings(column).empty());
            opened.push_back(decoder->open_page(column, {pages[p][column].bytes, nullptr}, {}));
        }
        const auto page = decoder->open_page(0, {pages[p][0].bytes, nullptr}, opened);
        expect_equal_texts(logs.blocks[p][0].column, 0, page->decode(0, 20000));
        expect_equal_texts(logs.blocks[p][0].column, 8000, page->decode(8000, 500));
        const RowIndexes rows{0, 9, 8191, 8192, 19999};
        const auto taken = to_flat(page->decode_rows(rows));
        for (size_t i = 0; i < rows.size(); ++i)
            ASSERT_EQ(taken->value_at(i), logs.blocks[p][0].column->value_at(rows[i]));
    }
}

TEST(TemplatePage, DamagedBytesAreRefusedOrDecode)
{
    const auto type = type_from_name("String");
    const OnePart log(type, "", 512, {lines_of(3000, 3, log_line)});
    const OnePart service(type, "", 512, {lines_of(3000, 3, service_line)});
    ASSERT_EQ(encoding_of(log.pages[0]), PageEncoding::Templates);
    ASSERT_EQ(encoding_of(service.pages[0]), PageEncoding::Templates);
    SeededRandom random(4);
    for (int round = 0; round < 3000; ++round)
    {
        const OnePart& part = round % 2 ? service : log;
        std::string bytes = part.pages[0];
        if (round % 3 == 0)
            bytes.resize(random.next_u64() % bytes.size());
        else
            bytes[random.next_u64() % (round % 3 == 1 ? bytes.size() : 200)] ^=
                static_cast<char>(1 << (round % 8));
        const std::vector<char> exact(bytes.begin(), bytes.end());
        try
        {
            const auto page =
                part.decoder->open_page(0, {{exact.data(), exact.size()}, nullptr}, {});
            page->decode(0, page->rows());
        }
        catch (const Error&)
        {
        }
    }
}

} // namespace
} // namespace basalt
