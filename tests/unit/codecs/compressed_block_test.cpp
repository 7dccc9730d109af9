#include "codecs/compressed_block.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/hash.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

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

std::string frame_of(const char* codec, std::string_view data)
{
    std::string frame;
    write_compressed_block(*codec_registry().make_from_text(codec), data, frame);
    return frame;
}

// Sets the checksum right after the rest was changed on purpose.
void seal(std::string& frame)
{
    const Hash128 hash = city_hash128(frame.data() + 16, frame.size() - 16);
    store(frame.data(), hash.low);
    store(frame.data() + 8, hash.high);
}

TEST(CompressedBlock, StreamOfFrames)
{
    std::string stream;
    std::string expected;
    for (const char* codec : {"LZ4", "ZSTD(3)", "NONE", "Delta(4), LZ4"})
        for (const size_t size : {0, 1, 100, 100000})
        {
            std::string data;
            for (size_t i = 0; i < size; ++i)
                data += static_cast<char>(i * i / 7);
            stream += frame_of(codec, data);
            expected += data;
        }
    std::string got;
    std::string_view left = stream;
    while (const size_t n = read_compressed_block(left, got))
        left.remove_prefix(n);
    EXPECT_EQ(got, expected);
}

TEST(CompressedBlock, EveryDamageIsSeen)
{
    const std::string frame = frame_of("LZ4", "hello hello hello hello hello");
    std::string out;
    for (size_t size = 1; size < frame.size(); ++size)
        EXPECT_EQ(error_code_of([&] { read_compressed_block(frame.substr(0, size), out); }),
                  error_codes::CANNOT_READ_ALL_DATA);
    for (size_t bit = 0; bit < frame.size() * 8; ++bit)
    {
        std::string damaged = frame;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        std::string ignored;
        EXPECT_NE(error_code_of([&] { read_compressed_block(damaged, ignored); }), 0) << bit;
    }
}

TEST(CompressedBlock, ErrorsAreTold)
{
    const std::string data(1000, 'x');
    std::string out;
    const auto read = [&](const std::string& frame)
    { return error_code_of([&] { read_compressed_block(frame, out); }); };
    std::string frame = frame_of("LZ4", data);
    frame[0] = static_cast<char>(frame[0] ^ 1);
    EXPECT_EQ(read(frame), error_codes::CHECKSUM_DOESNT_MATCH);

    frame = frame_of("LZ4", data);
    frame[16] = 0x33;
    seal(frame);
    EXPECT_EQ(read(frame), error_codes::UNKNOWN_CODEC);

    frame = frame_of("LZ4", data);
    store(frame.data() + 21, uint32_t{999});
    seal(frame);
    EXPECT_EQ(read(frame), error_codes::CANNOT_DECOMPRESS);

    frame = frame_of("LZ4", data);
    store(frame.data() + 21, uint32_t{0x7FFFFFFF});
    EXPECT_EQ(read(frame), error_codes::TOO_LARGE_SIZE_COMPRESSED);
    frame = frame_of("LZ4", data);
    store(frame.data() + 17, uint32_t{0x7FFFFFFF});
    EXPECT_EQ(read(frame), error_codes::TOO_LARGE_SIZE_COMPRESSED);
    store(frame.data() + 17, uint32_t{8});
    EXPECT_EQ(read(frame), error_codes::CORRUPTED_DATA);

    frame = frame_of("LZ4", data);
    std::string small(999, 0);
    EXPECT_EQ(error_code_of([&] { read_compressed_block(frame, small.data(), small.size()); }),
              error_codes::CORRUPTED_DATA);
}

TEST(CompressedBlock, ChecksumCanBeLeftOut)
{
    std::string frame = frame_of("NONE", "abc");
    frame[0] = static_cast<char>(frame[0] ^ 1);
    char out[3];
    read_compressed_block(frame, out, 3, false);
    EXPECT_EQ(std::string_view(out, 3), "abc");
}

// A chain cannot name a chain: no recursion from hostile bytes.
TEST(CompressedBlock, ChainsDoNotNest)
{
    std::string inner("\x02\x91\x82", 3);
    inner += std::string("\x91\x0A\0\0\0\x01\0\0\0\0", 10);
    char out[1];
    EXPECT_EQ(error_code_of([&] { codec_registry().decoder(0x91).decompress(inner, out, 1); }),
              error_codes::CORRUPTED_DATA);
}

} // namespace
} // namespace basalt
