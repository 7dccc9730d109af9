// Pages that older programs wrote must stay readable: their bytes and the rows they hold stand in
// golden/. A format that changes gets a file of its own beside the old ones:
// BASALT_WRITE_GOLDEN=NAME writes golden/NAME.part and NAME.rows from the rows below.

#include "encodings/page_format.h"
#include "tests/unit/encodings/one_part.h"
#include "tests/unit/encodings/template_lines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace basalt
{
namespace
{

const std::string kFolder = BASALT_SOURCE_DIR "/tests/unit/encodings/golden/";
constexpr size_t kRows = 400;
constexpr size_t kGranule = 128;

std::string read_file(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

// A row as text: values divided by tabs, bytes that are not printable as \xx.
std::string text_of(const Value& value)
{
    if (value.is_null())
        return "\\N";
    if (const auto* number = value.get_if<uint64_t>())
        return std::to_string(*number);
    if (const auto* number = value.get_if<int64_t>())
        return std::to_string(*number);
    if (const auto* number = value.get_if<double>())
    {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", *number);
        return text;
    }
    std::string out;
    for (const char c : value.get<std::string>())
    {
        char code[4];
        std::snprintf(code, sizeof code, "\\%02x", static_cast<unsigned char>(c));
        out += c < ' ' || c > '~' || c == '\\' ? std::string(code) : std::string(1, c);
    }
    return out;
}

std::string rows_of(const Columns& columns)
{
    std::string text;
    for (size_t row = 0; row < columns[0]->size(); ++row)
    {
        for (size_t i = 0; i < columns.size(); ++i)
            text += (i ? "\t" : "") + text_of(columns[i]->value_at(row));
        text += '\n';
    }
    return text;
}

Block golden_block()
{
    Block block;
    const auto add = [&](const char* name, const char* type, auto&& value)
    {
        SeededRandom random(block.width() + 1);
        auto column = remove_low_cardinality(type_from_name(type))->create_column();
        for (size_t i = 0; i < kRows; ++i)
            column->append_value(value(i, random));
        block.add({std::move(column), type_from_name(type), name});
    };
    add("trace", "String", [](size_t, SeededRandom& r) { return Value(hex_digits(r, 32)); });
    add("took", "Float32",
        [](size_t i, SeededRandom&) { return Value(static_cast<double>(i * 37 % 4000) / 8); });
    add("code", "UInt16", [](size_t i, SeededRandom&) { return Value(uint64_t{200 + i % 7}); });
    add("message", "String",
        [&](size_t i, SeededRandom& random)
        {
            if (i % 9 == 0)
                return Value(odd_line(random));
            std::string line = i % 3 ? "GET /a" : "POST /b";
            return Value(line + " code=" + std::to_string(200 + i % 7) + " trace=" +
                         block[0].column->value_at(i).get<std::string>());
        });
    add("line", "String", [](size_t, SeededRandom& random) { return Value(log_line(random)); });
    add("access", "String", [](size_t, SeededRandom& random) { return Value(nginx_line(random)); });
    add("id", "UInt64", [](size_t i, SeededRandom&) { return Value(uint64_t{1000000 + i * 6}); });
    add("at", "DateTime64(3)", [](size_t i, SeededRandom& random)
        { return Value(static_cast<int64_t>(1787616000000 + i * 1000 + random.next_u64() % 90)); });
    add("level", "LowCardinality(String)", [](size_t i, SeededRandom&)
        { return Value(std::string(i % 5 ? "INFO" : "ERROR")); });
    add("constant", "String", [](size_t, SeededRandom&) { return Value(std::string("same")); });
    add("maybe", "Nullable(Int32)", [](size_t i, SeededRandom&)
        { return i % 4 ? Value(static_cast<int64_t>(i) - 200) : Value(Null{}); });
    add("float", "Float64", [](size_t, SeededRandom& random)
        { return Value(static_cast<double>(random.next_u64()) / 3e9); });
    add("service", "String", [](size_t, SeededRandom& random) { return Value(service_line(random)); });
    add("again", "UInt32",
        [](size_t i, SeededRandom&) { return Value(uint64_t{i % 31 * 7919 % 1000 + i % 2}); });
    add("grows", "Int64", [](size_t i, SeededRandom& random)
        { return Value(static_cast<int64_t>(i * i * 5000 + random.next_u64() % 4)); });
    add("lz4", "String",
        [](size_t i, SeededRandom&) { return Value(std::string(i % 30, 'x') + "end"); });
    return block;
}

Header header_of(const Block& block)
{
    Header header;
    for (const auto& column : block.columns())
        header.push_back({column.name, column.type});
    return header;
}

void append_text(std::string& out, const std::string& text)
{
    const auto size = static_cast<uint32_t>(text.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += text;
}

void write_golden(const std::string& name)
{
    const Block block = golden_block();
    const Header header = header_of(block);
    std::vector<ColumnEncodingOptions> options(header.size());
    options.back().codec = "LZ4";
    auto encoder = make_part_encoder(header, options, kGranule);
    const auto pages = encoder->encode(block);
    const auto shared = encoder->finish();
    std::string out;
    for (size_t i = 0; i < header.size(); ++i)
        for (const auto& text :
             {header[i].name, header[i].type->name(), shared[i], pages[i].bytes})
            append_text(out, text);
    std::ofstream(kFolder + name + ".part", std::ios::binary) << out;
    Columns columns;
    for (const auto& column : block.columns())
        columns.push_back(column.column);
    std::ofstream(kFolder + name + ".rows", std::ios::binary) << rows_of(columns);
}

void expect_golden(const std::string& name)
{
    const std::string bytes = read_file(kFolder + name + ".part");
    size_t at = 0;
    const auto next = [&]
    {
        uint32_t size = 0;
        EXPECT_LE(at + sizeof size, bytes.size());
        std::memcpy(&size, bytes.data() + at, sizeof size);
        at += sizeof size + size;
        EXPECT_LE(at, bytes.size());
        return bytes.substr(at - size, size);
    };
    Header header;
    std::vector<std::string> shared, pages;
    while (at < bytes.size())
    {
        const std::string column = next();
        header.push_back({column, type_from_name(next())});
        shared.push_back(next());
        pages.push_back(next());
    }
    const auto decoder = make_part_decoder(header, shared, kGranule);
    Columns columns;
    std::set<PageEncoding> encodings;
    for (size_t i = 0; i < header.size(); ++i)
    {
        std::vector<EncodedPagePtr> siblings;
        for (const size_t sibling : decoder->siblings(i))
            siblings.push_back(decoder->open_page(sibling, {pages[sibling], nullptr}, {}));
        const auto page = decoder->open_page(i, {pages[i], nullptr}, siblings);
        columns.push_back(to_flat(page->decode(0, page->rows())));
        encodings.insert(PageHead::read(pages[i]).encoding);
    }
    EXPECT_EQ(rows_of(columns), read_file(kFolder + name + ".rows")) << name;
    for (const PageEncoding encoding :
         {PageEncoding::Plain, PageEncoding::PackedIntegers, PageEncoding::DecimalFloats,
          PageEncoding::HexText, PageEncoding::Templates, PageEncoding::NullableValues})
        EXPECT_TRUE(encodings.contains(encoding)) << static_cast<int>(encoding);
}

TEST(GoldenPages, StayReadable)
{
    if (const char* name = std::getenv("BASALT_WRITE_GOLDEN"))
        write_golden(name);
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder))
        if (entry.path().extension() == ".part")
        {
            expect_golden(entry.path().stem());
            ++files;
        }
    EXPECT_GT(files, 0u);
}

} // namespace
} // namespace basalt
