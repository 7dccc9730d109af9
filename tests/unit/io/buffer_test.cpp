#include "base/error.h"
#include "io/binary.h"
#include "io/buffer.h"
#include "io/file_system.h"
#include "tests/unit/io/test_directory.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

TEST(OutputBuffer, StringGrowsAndKeepsWhatWasThere)
{
    std::string target = "start:";
    std::string expected = target;
    StringOutputBuffer out(target);
    for (int i = 0; i < 5000; ++i)
    {
        out.write('c');
        out.write("word ");
        char* p = out.reserve(3);
        std::memcpy(p, "abc", 3);
        out.advance(2);
        expected += "cword ab";
        if (i == 2500)
        {
            out.flush();
            EXPECT_EQ(target, expected);
        }
    }
    out.write(std::string_view());
    out.finish();
    EXPECT_EQ(target, expected);
    EXPECT_EQ(out.count() + 6, expected.size());
}

TEST(OutputBuffer, CallbackGetsEveryByteInOrder)
{
    std::string got;
    CallbackOutputBuffer out([&](std::string_view piece) { got += piece; }, 16);
    std::string expected;
    for (size_t i = 0; i < 200; ++i)
    {
        const std::string word(i % 40, static_cast<char>('a' + i % 26));
        out.write(word);
        out.write('|');
        expected += word + "|";
        EXPECT_EQ(out.count(), expected.size());
    }
    std::memset(out.reserve(100), 'z', 100);
    out.advance(100);
    expected += std::string(100, 'z');
    out.flush();
    EXPECT_EQ(got, expected);
}

TEST(Buffers, ThroughAFile)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    auto file = fs.open_for_write(dir.file("f"), OpenMode::Truncate);
    FileOutputBuffer out(*file);
    for (uint64_t i = 0; i < 30000; ++i)
    {
        write_varint(out, i * i * i);
        write_fixed<uint32_t>(out, static_cast<uint32_t>(i));
        write_string(out, std::string(i % 50, 'x'));
    }
    out.finish();
    file->close();

    const auto readable = fs.open_for_read(dir.file("f"));
    FileInputBuffer in(*readable, 0, 1000);
    for (uint64_t i = 0; i < 30000; ++i)
    {
        ASSERT_EQ(read_varint(in), i * i * i);
        ASSERT_EQ(read_fixed<uint32_t>(in), i);
        ASSERT_EQ(read_string(in), std::string(i % 50, 'x'));
    }
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(in.count(), out.count());
    EXPECT_THROW(in.read_byte(), Error);
    EXPECT_EQ(in.peek(), -1);
}

TEST(InputBuffer, EnsureAndRefillKeepUnreadBytes)
{
    std::string source;
    for (int i = 0; i < 1000; ++i)
        source += std::to_string(i) + ",";
    size_t at = 0;
    CallbackInputBuffer in(
        [&](char* to, size_t size)
        {
            const size_t n = std::min({size, source.size() - at, size_t{7}});
            std::memcpy(to, source.data() + at, n);
            at += n;
            return n;
        },
        16);
    EXPECT_FALSE(in.eof());
    in.consume(3);
    const size_t together = in.ensure(500);
    EXPECT_EQ(together, in.available().size());
    EXPECT_GE(in.available().size(), 500u);
    EXPECT_EQ(in.available().substr(0, 500), std::string_view(source).substr(3, 500));
    EXPECT_EQ(in.count(), 3u);
    in.ignore(497);
    EXPECT_EQ(in.read_all(), source.substr(500));
    EXPECT_EQ(in.ensure(1), 0u);
}

TEST(InputBuffer, MemoryAndString)
{
    MemoryInputBuffer memory("hello");
    EXPECT_EQ(memory.available(), "hello");
    EXPECT_EQ(memory.peek(), 'h');
    EXPECT_EQ(memory.ensure(10), 5u);
    char buffer[6];
    EXPECT_THROW(memory.read_exact(buffer, 6), Error);
    StringInputBuffer owned("hello");
    owned.read_exact(buffer, 5);
    EXPECT_TRUE(owned.eof());
    StringInputBuffer limited("hello");
    EXPECT_THROW(limited.read_all(3), Error);
}

TEST(Binary, VarintEdges)
{
    for (int bits = 0; bits <= 64; ++bits)
        for (const int64_t delta : {-1, 0, 1})
        {
            const uint64_t value =
                (bits == 64 ? 0 : uint64_t{1} << bits) + static_cast<uint64_t>(delta);
            char bytes[kMaxVarintBytes];
            const char* end = put_varint(value, bytes);
            EXPECT_EQ(static_cast<size_t>(end - bytes), varint_size(value));
            uint64_t back = 0;
            EXPECT_EQ(get_varint(back, bytes, end), end);
            EXPECT_EQ(back, value);
            EXPECT_EQ(get_varint(back, bytes, end - 1), nullptr);
            MemoryInputBuffer cut(std::string_view(bytes, static_cast<size_t>(end - bytes) - 1));
            EXPECT_THROW(read_varint(cut), Error);
        }
    MemoryInputBuffer too_long("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02");
    EXPECT_THROW(read_varint(too_long), Error);
}

TEST(Binary, StringLimits)
{
    std::string bytes;
    StringOutputBuffer out(bytes);
    write_varint(out, 1ull << 40);
    out.flush();
    MemoryInputBuffer huge(bytes);
    EXPECT_THROW(read_string(huge), Error);
    MemoryInputBuffer cut("\x05"
                          "abc");
    EXPECT_THROW(read_string(cut), Error);
}

} // namespace
} // namespace basalt
