#include "codecs/codec.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/compressed_block.h"
#include "codecs/wide_word.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace basalt
{
namespace
{

using Kind = CodecElement::Kind;

template <typename F> int error_code_of(F f)
{
    try
    {
        f();
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

CodecElement integer(uint8_t bytes, T64Type type = T64Type::None)
{
    return {Kind::Integer, bytes, type, "Test"};
}

template <typename T, typename F> std::string values(size_t n, F value)
{
    std::string bytes;
    for (uint64_t i = 0; i < n; ++i)
    {
        const T v = static_cast<T>(value(i));
        bytes.append(reinterpret_cast<const char*>(&v), sizeof(T));
    }
    return bytes;
}

uint64_t mixed(uint64_t i)
{
    return i * i * i * i * 2654435761u * 40503u;
}
uint64_t shifted(uint64_t i)
{
    return mixed(i) >> (i % 61);
}

// Frames that ClickHouse 26.7 wrote for a column of these values, named by size and checksum.
struct Golden
{
    std::string codec;
    CodecElement element;
    std::string data;
    size_t frame_bytes; // without the checksum
    std::string checksum;
};

std::vector<Golden> golden_frames()
{
    using enum T64Type;
    const auto i8 = integer(1, UInt8), i16 = integer(2, UInt16), i32 = integer(4, UInt32),
               i64 = integer(8, UInt64);
    const auto square = [](uint64_t i) { return i * i; };
    const auto square_less = [](uint64_t i) { return i * i - 1000; };
    return {
        {"DoubleDelta", i64, values<uint64_t>(500, shifted), 3276,
         "13e1426db787aa96c4de80e959e82327"},
        {"DoubleDelta", i32, values<uint32_t>(500, shifted), 2148,
         "ecd8e50ccc6280172ac2f64d506c358f"},
        {"DoubleDelta", i16, values<uint16_t>(500, shifted), 2066,
         "1b6e69fd2ee1fb5debfe254182929abf"},
        {"DoubleDelta", i8, values<uint8_t>(500, shifted), 661, "e16cd63f48a4addd65b8a91b7c35bacd"},
        {"Gorilla", i64, values<uint64_t>(500, shifted), 4030, "73cfb28c6c6682fb4f5302df5ee29129"},
        {"Gorilla", i32, values<uint32_t>(500, shifted), 2130, "e4554dfa6e6b05fbb824f0eb1ad9aa69"},
        {"Gorilla", i16, values<uint16_t>(500, shifted), 1136, "49bcfa49cd65cde0e7ea6dc18c60b812"},
        {"Gorilla", i8, values<uint8_t>(500, shifted), 635, "d7173e5d3d29427f38025d22c4274b21"},
        {"T64", i64, values<uint64_t>(500, [](uint64_t i) { return mixed(i) >> 20; }), 2842,
         "c5b1b1ac25d05273c1beba3ee04968c8"},
        {"T64('bit')", i64, values<uint64_t>(500, [](uint64_t i) { return mixed(i) >> 20; }), 2842,
         "95dabdc8f4bb6889e902cb16fb7e4739"},
        {"T64", integer(8, Int64), values<int64_t>(500, square_less), 1242,
         "a51be1edd67e7cd4c83cbbaae37c88ee"},
        {"T64('bit')", integer(4, Int32), values<int32_t>(500, square_less), 1242,
         "a971f2e7d291932d57b098e76dbf4bc8"},
        {"T64", integer(2, Int16), values<int16_t>(500, [](uint64_t i) { return i - 30000; }), 730,
         "ee5a628ce38e1ed07802c74921af15d7"},
        {"T64", integer(8, Int64), values<int64_t>(500, mixed), 4122,
         "bcf5a7c4520e2a246f722d2bbd10ddf5"},
        {"T64", i64, values<uint64_t>(5, [](uint64_t) { return 0; }), 26,
         "facb1370c09ad3c8dcf8cd649ace95c6"},
        {"Delta", i64, values<uint64_t>(500, mixed), 4011, "b12bde1eb4ab14f53f458a9505f2a2df"},
        {"Delta", i8, values<uint8_t>(500, mixed), 511, "9c962bf877dfbafefe5aa5b9d7ae4699"},
        {"GCD", i64, values<uint64_t>(500, [](uint64_t i) { return i * i * 12; }), 4019,
         "d01d551528ab574b16ba8733c6b48c1d"},
        {"GCD", i16, values<uint16_t>(500, [](uint64_t i) { return i * 12; }), 1013,
         "676aea02c0ee49144ee3ef80fc781c7a"},
        {"GCD", i32, values<uint32_t>(5, [](uint64_t) { return 0; }), 35,
         "214f593130b5a714f2dffd61895a1586"},
        {"GCD", integer(16), values<UInt128>(100, [](uint64_t i) { return i * 36; }), 1627,
         "0b9d7fc95d9a98ca078f6507eb3a1d8c"},
        {"GCD", integer(32),
         values<WideWord>(100,
                          [](uint64_t i) {
                              return WideWord{{i * i * 12, 0, 0, 0}};
                          }),
         3243, "afeeff2fbba894c9598a392bac594e8e"},
        {"GCD", integer(32),
         values<WideWord>(100,
                          [](uint64_t i)
                          {
                              const uint64_t high = (i - 50) * 36;
                              return WideWord{{0, 0, high, i < 50 ? ~0ull : 0}};
                          }),
         3243, "8e2e09a162e58382d63d2ce310616209"},
        {"GCD", integer(32), values<WideWord>(5, [](uint64_t) { return WideWord{}; }), 203,
         "f7733b3d18d9e522a1664e56633999e5"},
        {"Delta, T64, LZ4", i32, values<uint32_t>(500, [](uint64_t i) { return i * 3; }), 173,
         "09392e883f8a0894bbe656c3199dc04e"},
        {"DoubleDelta, GCD, NONE", i64, values<uint64_t>(500, square), 633,
         "0e58196b7553c0e4662f3cf58bbad7aa"},
        {"NONE", i64, values<uint64_t>(500, square), 4009, "80c0cc552a45faad98f549d12d5cb587"},
    };
}

TEST(Codec, FramesAsClickHouse)
{
    for (const auto& golden : golden_frames())
    {
        SCOPED_TRACE(fmt::format("{} on {} bytes", golden.codec, golden.element.bytes));
        const auto codec = codec_registry().make_from_text(golden.codec, golden.element);
        std::string frame;
        write_compressed_block(*codec, golden.data, frame);
        std::string checksum;
        for (size_t i = 0; i < kFrameChecksumBytes; ++i)
            checksum += fmt::format("{:02x}", static_cast<uint8_t>(frame[i]));
        EXPECT_EQ(frame.size() - kFrameChecksumBytes, golden.frame_bytes);
        EXPECT_EQ(checksum, golden.checksum);
        std::string back;
        EXPECT_EQ(read_compressed_block(frame, back), frame.size());
        EXPECT_EQ(back, golden.data);
    }
}

// Data of many shapes, of every width and of sizes that no width divides.
std::vector<std::string> samples()
{
    std::vector<std::string> result = {"", "a", "abc", std::string(1000, '\0'),
                                       std::string(777, '\xFF')};
    SeededRandom random(7);
    std::string noise;
    for (size_t i = 0; i < 2003; ++i)
        noise += static_cast<char>(random.next_u64());
    result.push_back(noise);
    result.push_back(noise.substr(0, 64 * 8));
    result.push_back(noise.substr(0, 64 * 8 + 8));
    result.push_back(values<uint64_t>(300, [](uint64_t i) { return 1700000000000 + i * 1000; }));
    result.push_back(values<uint32_t>(300, [](uint64_t i) { return i % 7 * 60; }));
    result.push_back(values<int16_t>(301, [](uint64_t i) { return i * 100 - 15000; }));
    result.push_back(values<double>(200, [](uint64_t i) { return 20.0 + double(i % 10) / 10; }));
    for (const uint64_t edge :
         {0x7FFFFFFFFFFFFFFFull, 0x8000000000000000ull, 0x80000000ull, 0x8000ull, 0x80ull})
        result.push_back(values<uint64_t>(50, [&](uint64_t i)
                                          { return i % 3 == 0   ? edge
                                                   : i % 3 == 1 ? ~edge
                                                                : 0; }));
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += fmt::format("GET /api/v1/items/{} took {} ms\n", i * 7919, i % 13);
    result.push_back(text);
    return result;
}

// Every registered codec on every element it takes.
std::vector<CodecPtr> all_codecs()
{
    std::vector<CodecPtr> result;
    std::vector<CodecElement> elements = {{}};
    for (const uint8_t bytes : {1, 2, 4, 8, 16, 32})
        elements.push_back(integer(bytes));
    for (int type = 1; type <= 23; ++type)
        for (const uint8_t bytes : {1, 2, 4, 8})
            elements.push_back(integer(bytes, static_cast<T64Type>(type)));
    elements.push_back({Kind::Float, 4, T64Type::None, "Float32"});
    elements.push_back({Kind::Float, 8, T64Type::None, "Float64"});
    for (const auto& entry : codec_registry().entries())
    {
        size_t made = 0;
        for (const auto& element : elements)
        {
            try
            {
                result.push_back(codec_registry().make({entry.name, {}}, element));
                ++made;
            }
            catch (const Error& error)
            {
                made += error.code() == error_codes::NOT_IMPLEMENTED;
                continue; // not built, or does not take this element
            }
            if (element.kind == Kind::Bytes)
                break; // takes anything
        }
        EXPECT_GT(made, 0u) << entry.name;
    }
    for (const char* text :
         {"LZ4HC(3)", "LZ4HC(12)", "ZSTD(0)", "ZSTD(3)", "ZSTD(9, 20)", "T64('bit')",
          "Delta(4), LZ4", "Delta(8), ZSTD(1)", "DoubleDelta(8), Gorilla(8), LZ4",
          "Gorilla(1), Gorilla(1), Gorilla(1)", "DoubleDelta(2), DoubleDelta(2), DoubleDelta(2)"})
        result.push_back(codec_registry().make_from_text(text, integer(8, T64Type::Int64)));
    return result;
}

TEST(Codec, EveryCodecRoundTrips)
{
    for (const auto& codec : all_codecs())
        for (const auto& data : samples())
        {
            SCOPED_TRACE(fmt::format("{} on {} bytes", codec->description(), data.size()));
            std::string packed = "kept";
            codec->compress(data, packed);
            ASSERT_EQ(packed.substr(0, 4), "kept");
            // Exact allocations let sanitizers see a step out of bounds.
            const std::vector<char> exact(packed.begin() + 4, packed.end());
            std::vector<char> back(data.size());
            const Codec& decoder = codec_registry().decoder(static_cast<uint8_t>(codec->method()));
            decoder.decompress({exact.data(), exact.size()}, back.data(), back.size());
            ASSERT_EQ(std::string_view(back.data(), back.size()), data);
            // A wrong size is refused where the format can tell (T64 cannot: the frame does),
            // and does no harm anywhere.
            std::vector<char> wrong(data.size() + 1);
            const auto read_wrong = [&] {
                decoder.decompress({exact.data(), exact.size()}, wrong.data(), wrong.size());
            };
            const int code = error_code_of(read_wrong);
            if (code != 0 || codec->method() != CodecMethod::T64)
            {
                ASSERT_TRUE(code == error_codes::CANNOT_DECOMPRESS ||
                            code == error_codes::CORRUPTED_DATA)
                    << code;
            }
        }
}

TEST(Codec, CutOffIsRefused)
{
    for (const auto& codec : all_codecs())
        for (const auto& data : samples())
        {
            if (data.size() < 64)
                continue;
            std::string packed;
            codec->compress(data, packed);
            const Codec& decoder = codec_registry().decoder(static_cast<uint8_t>(codec->method()));
            const size_t step = packed.size() > 300 ? packed.size() / 100 : 1;
            for (size_t size = 0; size < packed.size(); size += step)
            {
                const std::vector<char> cut(packed.begin(),
                                            packed.begin() + static_cast<ptrdiff_t>(size));
                std::vector<char> back(data.size());
                ASSERT_THROW(decoder.decompress({cut.data(), cut.size()}, back.data(), back.size()),
                             Error)
                    << codec->description() << " cut to " << size << " of " << packed.size();
            }
        }
}

TEST(Codec, FlippedBitsDoNoHarm)
{
    SeededRandom random(11);
    for (const auto& codec : all_codecs())
        for (const auto& data : samples())
        {
            std::string packed;
            codec->compress(data, packed);
            const Codec& decoder = codec_registry().decoder(static_cast<uint8_t>(codec->method()));
            for (int round = 0; round < 30 && !packed.empty(); ++round)
            {
                std::vector<char> damaged(packed.begin(), packed.end());
                // The header is small and decides most: half of the damage goes there.
                const size_t range =
                    round % 2 ? std::min<size_t>(damaged.size(), 24) : damaged.size();
                const size_t at = random.next_u64() % range;
                damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.next_u64() % 8));
                std::vector<char> back(data.size());
                try
                {
                    decoder.decompress({damaged.data(), damaged.size()}, back.data(), back.size());
                }
                catch (const Error& error)
                {
                    const int code = error.code();
                    ASSERT_TRUE(code == error_codes::CANNOT_DECOMPRESS ||
                                code == error_codes::CORRUPTED_DATA ||
                                code == error_codes::UNKNOWN_CODEC ||
                                code == error_codes::NOT_IMPLEMENTED)
                        << error.full_text();
                }
            }
        }
}

TEST(Codec, Descriptions)
{
    const auto text = [](const char* from, CodecElement element = integer(4, T64Type::UInt32))
    { return codec_registry().make_from_text(from, element)->description(); };
    EXPECT_EQ(text("CODEC(Delta, ZSTD)"), "Delta(4), ZSTD(1)");
    EXPECT_EQ(text("LZ4HC"), "LZ4HC(0)");
    EXPECT_EQ(text("LZ4HC(99)"), "LZ4HC(99)");
    EXPECT_EQ(text("DoubleDelta(4)"), "DoubleDelta");
    EXPECT_EQ(text("Gorilla"), "Gorilla(4)");
    EXPECT_EQ(text("T64('byte')"), "T64");
    EXPECT_EQ(text("T64( 'bit' ) ,LZ4"), "T64('bit'), LZ4");
    EXPECT_EQ(text("ZSTD(3,20)"), "ZSTD(3, 20)");
    EXPECT_EQ(text("GCD"), "GCD");
    EXPECT_EQ(text("NONE"), "NONE");
}

TEST(Codec, WrongDescriptions)
{
    const auto code = [](const char* from, CodecElement element = integer(4, T64Type::UInt32))
    { return error_code_of([&] { codec_registry().make_from_text(from, element); }); };
    using namespace error_codes;
    EXPECT_EQ(code("zstd"), UNKNOWN_CODEC);
    EXPECT_EQ(code("LZ4(3)"), DATA_TYPE_CANNOT_HAVE_ARGUMENTS);
    EXPECT_EQ(code("NONE(1)"), DATA_TYPE_CANNOT_HAVE_ARGUMENTS);
    EXPECT_EQ(code("ZSTD(99)"), ILLEGAL_CODEC_PARAMETER);
    EXPECT_EQ(code("ZSTD(1,99)"), ILLEGAL_CODEC_PARAMETER);
    EXPECT_EQ(code("ZSTD(1,2,3)"), ILLEGAL_SYNTAX_FOR_CODEC_TYPE);
    EXPECT_EQ(code("ZSTD('a')"), ILLEGAL_CODEC_PARAMETER);
    EXPECT_EQ(code("Delta(3)"), ILLEGAL_CODEC_PARAMETER);
    EXPECT_EQ(code("Delta(4,4)"), ILLEGAL_SYNTAX_FOR_CODEC_TYPE);
    EXPECT_EQ(code("T64('x')"), ILLEGAL_CODEC_PARAMETER);
    EXPECT_EQ(code("T64", integer(8)), ILLEGAL_SYNTAX_FOR_CODEC_TYPE);
    EXPECT_EQ(code("GCD(3)"), ILLEGAL_SYNTAX_FOR_CODEC_TYPE);
    EXPECT_EQ(code("GCD", {Kind::Float, 8, T64Type::None, "Float64"}), BAD_ARGUMENTS);
    EXPECT_EQ(code("FPC"), NOT_IMPLEMENTED);
    EXPECT_EQ(code("AES_128_GCM_SIV"), NOT_IMPLEMENTED);
    EXPECT_EQ(code("Default"), UNKNOWN_CODEC);
    EXPECT_EQ(code("Delta", {}), BAD_ARGUMENTS);
    EXPECT_EQ(code("Delta", integer(16)), BAD_ARGUMENTS);
    for (const char* malformed : {"", "CODEC()", "CODEC(LZ4", "LZ4,", "ZSTD(1", "ZSTD(,)", "LZ4 x",
                                  "T64('bit", "CODEC(LZ4) x"})
        EXPECT_EQ(code(malformed), SYNTAX_ERROR) << malformed;
    std::string many = "LZ4";
    for (size_t i = 0; i < kMaxCodecChain; ++i)
        many += ", LZ4";
    EXPECT_EQ(code(many.c_str()), SYNTAX_ERROR);
}

TEST(WideWord, DivisionAndGcd)
{
    SeededRandom random(5);
    for (int round = 0; round < 200; ++round)
    {
        // Products of two 128-bit numbers: the gcd with a factor is a multiple of that factor.
        WideWord a;
        WideWord b;
        for (int i = 0; i < 2; ++i)
        {
            a.limbs[i] = random.next_u64();
            b.limbs[i] = random.next_u64() | 1;
        }
        const WideWord product = a.times(b);
        EXPECT_EQ(wide_gcd(product, b), b);
        EXPECT_EQ(wide_gcd(b, product), b);
        EXPECT_EQ(b.times(b.inverse()), (WideWord{{1, 0, 0, 0}}));
        if (!a.is_zero())
        {
            EXPECT_EQ(product.times(b.inverse()), a);
        }
    }
    EXPECT_EQ(wide_gcd({}, {}), WideWord{});
    EXPECT_EQ(wide_gcd({{12, 0, 0, 0}}, {{18, 0, 0, 0}}), (WideWord{{6, 0, 0, 0}}));
}

TEST(Codec, SuspiciousChains)
{
    const auto code = [](const char* text, CodecElement element = integer(4))
    {
        return error_code_of(
            [&] {
                check_codec_chain(codec_registry().make_all(parse_codec_text(text), element),
                                  element);
            });
    };
    const CodecElement f64 = {Kind::Float, 8, T64Type::None, "Float64"};
    for (const char* fine :
         {"LZ4", "NONE", "ZSTD(3)", "Delta, LZ4", "DoubleDelta", "GCD, ZSTD", "DoubleDelta, LZ4"})
        EXPECT_EQ(code(fine), 0) << fine;
    EXPECT_EQ(code("Gorilla", f64), 0);
    for (const char* bad : {"Delta", "GCD", "LZ4, LZ4", "ZSTD, Delta", "NONE, LZ4", "Gorilla"})
        EXPECT_EQ(code(bad), error_codes::BAD_ARGUMENTS) << bad;
}

} // namespace
} // namespace basalt
