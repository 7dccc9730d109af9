#include "base/error.h"
#include "base/profile_events.h"
#include "io/file_system.h"
#include "tests/unit/io/error_code_of.h"
#include "tests/unit/io/test_directory.h"

#include <gtest/gtest.h>
#include <thread>

namespace basalt
{
namespace
{

TEST(RealFileSystem, DirectReadsOfEveryAlignment)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    const std::string content = pattern((1 << 20) * 2 + 12345);
    fs.replace_whole(dir.file("a"), content);
    for (const bool direct : {false, true})
    {
        const auto file = fs.open_for_read(dir.file("a"), {.direct = direct});
        for (const size_t offset : {0ul, 1ul, 4095ul, 4096ul, 100000ul, content.size() - 5})
            for (const size_t size : {1ul, 4096ul, 4097ul, 70000ul, (1ul << 20) + 4097})
            {
                std::string got(size, 'x');
                const size_t n = file->pread(got.data(), size, offset);
                EXPECT_EQ(n, std::min(size, content.size() - offset));
                EXPECT_EQ(got.substr(0, n), content.substr(offset, n));
            }
        char c;
        EXPECT_EQ(file->pread(&c, 1, content.size()), 0u);
        EXPECT_EQ(file->pread(&c, 1, content.size() + 100000), 0u);
        EXPECT_EQ(error_code_of([&] { file->read_exact(&c, 1, content.size()); }),
                  error_codes::CANNOT_READ_ALL_DATA);
        alignas(4096) static char block[8192];
        EXPECT_EQ(file->pread(block, sizeof(block), 4096), sizeof(block));
        EXPECT_EQ(std::string_view(block, sizeof(block)),
                  std::string_view(content).substr(4096, sizeof(block)));
        file->advise(Advice::WillNeed);
        file->advise(Advice::DontNeed, 0, 4096);
    }
}

TEST(RealFileSystem, ConcurrentDirectReads)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    const std::string content = pattern(500000);
    fs.replace_whole(dir.file("a"), content);
    const auto file = fs.open_for_read(dir.file("a"), {.direct = true});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (size_t t = 0; t < 4; ++t)
        threads.emplace_back(
            [&, t]
            {
                std::string got(3000, 0);
                for (size_t i = 0; i < 100; ++i)
                {
                    const size_t offset = (i * 4999 + t * 17) % 490000;
                    file->read_exact(got.data(), got.size(), offset);
                    if (got != content.substr(offset, got.size()))
                        ++wrong;
                }
            });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(RealFileSystem, ErrorsNamePathAndReason)
{
    try
    {
        real_file_system().open_for_read("/nonexistent/file");
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_NE(error.message().find("/nonexistent/file"), std::string::npos);
        EXPECT_NE(error.message().find("No such file"), std::string::npos);
    }
    // /dev/full refuses every write with ENOSPC.
    EXPECT_EQ(error_code_of(
                  []
                  {
                      auto file = real_file_system().open_for_write("/dev/full", OpenMode::Append);
                      file->append("x");
                      file->flush();
                  }),
              error_codes::NOT_ENOUGH_SPACE);
}

TEST(RealFileSystem, CountsBytes)
{
    TestDirectory dir;
    auto& counters = server_profile_counters();
    const uint64_t written = counters.get(ProfileEvent::OSWriteBytes);
    const uint64_t read = counters.get(ProfileEvent::OSReadBytes);
    real_file_system().replace_whole(dir.file("a"), "12345");
    real_file_system().read_whole(dir.file("a"));
    EXPECT_EQ(counters.get(ProfileEvent::OSWriteBytes) - written, 5u);
    EXPECT_EQ(counters.get(ProfileEvent::OSReadBytes) - read, 5u);
}

TEST(Paths, ParentAndJoin)
{
    EXPECT_EQ(parent_directory("/a/b/c"), "/a/b");
    EXPECT_EQ(parent_directory("/a/b/c/"), "/a/b");
    EXPECT_EQ(parent_directory("/a"), "/");
    EXPECT_EQ(parent_directory("a"), ".");
    EXPECT_EQ(parent_directory("/"), "/");
    EXPECT_EQ(join_path("a", "b"), "a/b");
    EXPECT_EQ(join_path("a/", "b"), "a/b");
}

} // namespace
} // namespace basalt
