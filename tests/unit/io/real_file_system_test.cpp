#include "base/error.h"
#include "base/profile_events.h"
#include "io/file_system.h"
#include "tests/unit/io/test_directory.h"

#include <gtest/gtest.h>
#include <thread>

namespace basalt
{
namespace
{

template <typename F>
int error_code_of(F f)
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

std::string pattern(size_t n)
{
    std::string s(n, 0);
    for (size_t i = 0; i < n; ++i)
        s[i] = static_cast<char>((i * 131 + (i >> 8)) & 0xFF);
    return s;
}

TEST(RealFileSystem, WritesAndReadsBack)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    const std::string content = pattern(300000);
    {
        auto file = fs.open_for_write(dir.file("a"), OpenMode::Exclusive);
        for (size_t i = 0; i < content.size(); i += 777)
            file->append(std::string_view(content).substr(i, 777));
        EXPECT_EQ(file->size(), content.size());
        file->sync();
        file->close();
        EXPECT_EQ(error_code_of([&] { file->append("x"); }),
                  error_codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    }
    EXPECT_EQ(fs.read_whole(dir.file("a")), content);
    EXPECT_EQ(fs.file_size(dir.file("a")), content.size());
    EXPECT_EQ(error_code_of([&] { fs.read_whole(dir.file("a"), 10); }),
              error_codes::TOO_LARGE_STRING_SIZE);
    EXPECT_EQ(error_code_of([&] { fs.open_for_write(dir.file("a"), OpenMode::Exclusive); }),
              error_codes::FILE_ALREADY_EXISTS);

    auto more = fs.open_for_write(dir.file("a"), OpenMode::Append);
    EXPECT_EQ(more->size(), content.size());
    more->append("tail");
    more->flush();
    more->pwrite("HEAD", 4, 0);
    more->close();
    EXPECT_EQ(fs.read_whole(dir.file("a")), "HEAD" + content.substr(4) + "tail");
    fs.truncate(dir.file("a"), 4);
    EXPECT_EQ(fs.read_whole(dir.file("a")), "HEAD");
}

TEST(RealFileSystem, AppendWithoutFlushIsNotWritten)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    fs.open_for_write(dir.file("a"), OpenMode::Truncate)->append("gone");
    EXPECT_EQ(fs.file_size(dir.file("a")), 0u);
}

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
        threads.emplace_back([&, t] {
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

TEST(RealFileSystem, Directories)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    fs.create_directories(dir.file("x/y/z"));
    fs.create_directories(dir.file("x/y/z"));
    EXPECT_TRUE(fs.is_directory(dir.file("x/y/z")));
    fs.replace_whole(dir.file("x/b"), "b");
    fs.replace_whole(dir.file("x/a"), "a");
    const auto entries = fs.list(dir.file("x"));
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name, "a");
    EXPECT_EQ(entries[1].name, "b");
    EXPECT_FALSE(entries[1].is_directory);
    EXPECT_EQ(entries[2].name, "y");
    EXPECT_TRUE(entries[2].is_directory);
    EXPECT_EQ(error_code_of([&] { fs.list(dir.file("nope")); }),
              error_codes::DIRECTORY_DOESNT_EXIST);
    EXPECT_NE(error_code_of([&] { fs.create_directories(dir.file("x/a")); }), 0);

    fs.rename(dir.file("x/a"), dir.file("x/b"));
    EXPECT_FALSE(fs.exists(dir.file("x/a")));
    EXPECT_EQ(fs.read_whole(dir.file("x/b")), "a");
    fs.hard_link(dir.file("x/b"), dir.file("x/c"));
    EXPECT_EQ(error_code_of([&] { fs.hard_link(dir.file("x/b"), dir.file("x/c")); }),
              error_codes::FILE_ALREADY_EXISTS);
    fs.remove_file(dir.file("x/b"));
    EXPECT_EQ(fs.read_whole(dir.file("x/c")), "a");
    fs.sync_directory(dir.file("x"));

    EXPECT_EQ(error_code_of([&] { fs.remove_file(dir.file("x/b")); }),
              error_codes::FILE_DOESNT_EXIST);
    EXPECT_FALSE(fs.remove_file_if_exists(dir.file("x/b")));
    EXPECT_EQ(error_code_of([&] { fs.open_for_read(dir.file("x/b")); }),
              error_codes::FILE_DOESNT_EXIST);
    fs.remove_directory_recursive(dir.file("x"));
    fs.remove_directory_recursive(dir.file("x"));
    EXPECT_FALSE(fs.exists(dir.file("x")));
    EXPECT_GT(fs.free_space(dir.path()), 0u);
}

TEST(RealFileSystem, LockIsExclusive)
{
    TestDirectory dir;
    auto& fs = real_file_system();
    auto lock = fs.lock_file(dir.file("lock"), "me");
    EXPECT_EQ(fs.read_whole(dir.file("lock")), "me");
    EXPECT_EQ(error_code_of([&] { fs.lock_file(dir.file("lock")); }),
              error_codes::CANNOT_OPEN_FILE);
    lock.reset();
    lock = fs.lock_file(dir.file("lock"), "other");
    EXPECT_TRUE(lock);
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
    EXPECT_EQ(error_code_of([] {
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
