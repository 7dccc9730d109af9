#include "base/error.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"
#include "tests/unit/io/error_code_of.h"
#include "tests/unit/io/test_directory.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

// What every implementation promises.
class FileSystemContract : public testing::TestWithParam<const char*>
{
protected:
    void SetUp() override
    {
        dir_ = std::make_unique<TestDirectory>();
        const std::string kind = GetParam();
        if (kind == "memory")
            fs_ = &memory_;
        else if (kind == "faulty")
            fs_ = &faulty_;
        else
            fs_ = &real_file_system();
        fs_->create_directories(dir_->path());
    }

    MemoryFileSystem memory_;
    SeededRandom random_{1};
    FaultyFileSystem faulty_{memory_, random_}; // without a plan it is transparent
    std::unique_ptr<TestDirectory> dir_;
    FileSystem* fs_ = nullptr;
};

TEST_P(FileSystemContract, WritesAndReadsBack)
{
    auto& dir = *dir_;
    auto& fs = *fs_;
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

TEST_P(FileSystemContract, AppendWithoutFlushIsNotWritten)
{
    auto& dir = *dir_;
    auto& fs = *fs_;
    fs.open_for_write(dir.file("a"), OpenMode::Truncate)->append("gone");
    EXPECT_EQ(fs.file_size(dir.file("a")), 0u);
}

TEST_P(FileSystemContract, Directories)
{
    auto& dir = *dir_;
    auto& fs = *fs_;
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

    fs.create_directories(dir.file("d/sub"));
    fs.rename(dir.file("d"), dir.file("e"));
    EXPECT_TRUE(fs.is_directory(dir.file("e/sub")));
    EXPECT_NE(error_code_of([&] { fs.rename(dir.file("e"), dir.file("e/sub/e")); }), 0);
    fs.replace_whole(dir.file("f"), "f");
    EXPECT_NE(error_code_of([&] { fs.rename(dir.file("f"), dir.file("e")); }), 0);
    EXPECT_NE(error_code_of([&] { fs.remove_file(dir.file("e")); }), 0);
    EXPECT_NE(error_code_of([&] { fs.open_for_write(dir.file("e"), OpenMode::Truncate); }), 0);
    EXPECT_EQ(error_code_of([&] { fs.open_for_write(dir.file("no/f"), OpenMode::Truncate); }),
              error_codes::FILE_DOESNT_EXIST);
}

TEST_P(FileSystemContract, LockIsExclusive)
{
    auto& dir = *dir_;
    auto& fs = *fs_;
    auto lock = fs.lock_file(dir.file("lock"), "me");
    EXPECT_EQ(fs.read_whole(dir.file("lock")), "me");
    EXPECT_EQ(error_code_of([&] { fs.lock_file(dir.file("lock")); }),
              error_codes::CANNOT_OPEN_FILE);
    lock.reset();
    lock = fs.lock_file(dir.file("lock"), "other");
    EXPECT_TRUE(lock);
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemContract, testing::Values("real", "memory", "faulty"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
} // namespace basalt
