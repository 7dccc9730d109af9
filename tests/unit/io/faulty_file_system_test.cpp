#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"
#include "tests/unit/io/error_code_of.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

using enum FileOperation;

class Faulty : public testing::Test
{
protected:
    MemoryFileSystem memory_;
    SeededRandom random_{3};
    FaultyFileSystem fs_{memory_, random_};
};

TEST_F(Faulty, NthCallFails)
{
    fs_.set_plan({.failures = {{.operation = Sync, .nth = 2, .count = 1}}});
    auto a = fs_.open_for_write("/a", OpenMode::Truncate);
    a->append("x");
    a->sync();
    EXPECT_EQ(error_code_of([&] { a->sync(); }), error_codes::CANNOT_FSYNC);
    // A file whose sync failed cannot be trusted any more.
    EXPECT_EQ(error_code_of([&] { a->sync(); }), error_codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    fs_.open_for_write("/b", OpenMode::Truncate)->sync();
}

TEST_F(Faulty, OnlyMatchingPathsAreCounted)
{
    fs_.set_plan({.failures = {{.operation = OpenForWrite,
                                .nth = 2,
                                .count = 2,
                                .error_code = error_codes::NOT_ENOUGH_SPACE,
                                .path_part = "part"}}});
    const auto open = [&](const char* path)
    { return error_code_of([&] { fs_.open_for_write(path, OpenMode::Truncate); }); };
    EXPECT_EQ(open("/part1"), 0);
    EXPECT_EQ(open("/other"), 0);
    EXPECT_EQ(open("/part2"), error_codes::NOT_ENOUGH_SPACE);
    EXPECT_EQ(open("/part3"), error_codes::NOT_ENOUGH_SPACE);
    EXPECT_EQ(open("/part4"), 0);
}

TEST_F(Faulty, EveryOperationCanFail)
{
    memory_.create_directories("/d");
    memory_.replace_whole("/f", "content");
    const auto call = [&](FileOperation operation)
    {
        const auto write = [&](auto use)
        {
            auto file = fs_.open_for_write("/w", OpenMode::Truncate);
            use(*file);
        };
        switch (operation)
        {
        case OpenForRead:
            fs_.open_for_read("/f");
            break;
        case Read:
            fs_.read_whole("/f");
            break;
        case List:
            fs_.list("/");
            break;
        case Status:
            fs_.exists("/f");
            break;
        case OpenForWrite:
            write([](auto&) {});
            break;
        case Append:
            write([](auto& file) { file.append("x"); });
            break;
        case Pwrite:
            write([](auto& file) { file.pwrite("x", 1, 0); });
            break;
        case Flush:
            write([](auto& file) { file.flush(); });
            break;
        case Sync:
            write([](auto& file) { file.sync(); });
            break;
        case Close:
            write([](auto& file) { file.close(); });
            break;
        case CreateDirectories:
            fs_.create_directories("/d");
            break;
        case Rename:
            fs_.rename("/f", "/f");
            break;
        case HardLink:
            fs_.hard_link("/f", "/l");
            break;
        case RemoveFile:
            fs_.remove_file("/l");
            break;
        case RemoveDirectory:
            fs_.remove_directory_recursive("/nothing");
            break;
        case Truncate:
            fs_.truncate("/f", 7);
            break;
        case SyncDirectory:
            fs_.sync_directory("/");
            break;
        case LockFile:
            fs_.lock_file("/lock");
            break;
        case Count_:
            break;
        }
    };
    for (int i = 0; i < static_cast<int>(Count_); ++i)
    {
        const auto operation = static_cast<FileOperation>(i);
        fs_.set_plan({.failures = {{.operation = operation}}});
        EXPECT_NE(error_code_of([&] { call(operation); }), 0) << i;
        EXPECT_EQ(error_code_of([&] { call(operation); }), 0) << i;
    }
}

TEST_F(Faulty, DiskFillsUp)
{
    fs_.set_plan({.space_bytes = 10});
    auto file = fs_.open_for_write("/f", OpenMode::Truncate);
    file->append("1234567");
    EXPECT_EQ(fs_.free_space("/"), 3u);
    EXPECT_EQ(error_code_of([&] { file->append("89abcde"); }), error_codes::NOT_ENOUGH_SPACE);
    EXPECT_EQ(error_code_of([&] { file->append("x"); }),
              error_codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    EXPECT_EQ(memory_.read_whole("/f"), "123456789a");
    EXPECT_EQ(error_code_of([&] { fs_.replace_whole("/g", "x"); }), error_codes::NOT_ENOUGH_SPACE);
}

TEST_F(Faulty, ShortReadsAreHealedByReadExact)
{
    const std::string content = pattern(10000);
    memory_.replace_whole("/f", content);
    fs_.set_plan({.short_read_one_in = 2});
    bool some_short = false;
    std::string buffer(1000, 0);
    const auto file = fs_.open_for_read("/f");
    for (int i = 0; i < 50; ++i)
        some_short |= file->pread(buffer.data(), 1000, 0) < 1000;
    EXPECT_TRUE(some_short);
    EXPECT_EQ(fs_.read_whole("/f"), content);
}

TEST_F(Faulty, BitsFlipInReadsOnly)
{
    const std::string content = pattern(1000);
    memory_.replace_whole("/f", content);
    fs_.set_plan({.flip_bit_one_in = 1});
    const std::string got = fs_.read_whole("/f");
    int bits = 0;
    for (size_t i = 0; i < got.size(); ++i)
        bits += __builtin_popcount(static_cast<uint8_t>(got[i] ^ content[i]));
    EXPECT_EQ(bits, 1);
    EXPECT_EQ(memory_.read_whole("/f"), content);
}

// The pattern of every crash test: stop after n changes, cut the power, look at what is left.
TEST(Crash, ReplaceWholeIsOldOrNew)
{
    size_t runs = 0;
    bool saw_old = false;
    bool saw_new = false;
    const std::string old_content = pattern(3000);
    const std::string new_content = std::string(5000, 'n');
    for (uint64_t seed = 0; seed < 40; ++seed)
        for (uint64_t stop = 0;; ++stop)
        {
            MemoryFileSystem memory;
            memory.replace_whole("/f", old_content);
            SeededRandom random(seed);
            FaultyFileSystem fs(memory, random);
            fs.set_plan({.stop_after_changes = stop});
            const int code = error_code_of([&] { fs.replace_whole("/f", new_content); });
            EXPECT_EQ(code != 0, fs.stopped());
            if (code)
            {
                EXPECT_NE(error_code_of([&] { fs.read_whole("/f"); }), 0);
            }
            memory.power_cut(&random);
            const std::string got = memory.read_whole("/f");
            ASSERT_TRUE(got == old_content || got == new_content);
            saw_old |= got == old_content;
            saw_new |= got == new_content;
            ++runs;
            if (code == 0)
            {
                ASSERT_EQ(got, new_content) << "acknowledged means durable";
                break;
            }
        }
    EXPECT_GT(runs, 200u);
    EXPECT_TRUE(saw_old && saw_new);
}

} // namespace
} // namespace basalt
