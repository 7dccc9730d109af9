#include "io/memory_file_system.h"
#include "tests/unit/io/error_code_of.h"

#include <gtest/gtest.h>
#include <thread>

namespace basalt
{
namespace
{

TEST(MemoryFileSystem, PowerCutLosesWhatWasNotSynced)
{
    MemoryFileSystem fs;
    fs.create_directories("/data");
    fs.sync_directory("/");
    auto file = fs.open_for_write("/data/log", OpenMode::Truncate);
    file->append("durable");
    file->sync();
    fs.sync_directory("/data");
    file->append(" volatile");
    file->flush();
    EXPECT_EQ(fs.read_whole("/data/log"), "durable volatile");
    file->pwrite("D", 1, 0);
    auto reader = fs.open_for_read("/data/log");
    fs.power_cut();
    EXPECT_EQ(fs.read_whole("/data/log"), "durable");
    // Open files are dead.
    EXPECT_EQ(error_code_of([&] { file->sync(); }), error_codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    char c;
    EXPECT_NE(error_code_of([&] { reader->pread(&c, 1, 0); }), 0);
}

TEST(MemoryFileSystem, NamesNeedASyncedDirectory)
{
    MemoryFileSystem fs;
    fs.create_directories("/d");
    {
        auto file = fs.open_for_write("/d/synced", OpenMode::Truncate);
        file->append("x");
        file->sync();
    }
    fs.power_cut();
    EXPECT_FALSE(fs.exists("/d")) << "the directory's own name was not synced";

    fs.create_directories("/d");
    fs.sync_directory("/");
    fs.open_for_write("/d/a", OpenMode::Truncate)->sync();
    fs.power_cut();
    EXPECT_TRUE(fs.exists("/d"));
    EXPECT_FALSE(fs.exists("/d/a"));

    fs.replace_whole("/d/a", "1");
    fs.rename("/d/a", "/d/b");
    fs.power_cut();
    EXPECT_EQ(fs.read_whole("/d/a"), "1");
    EXPECT_FALSE(fs.exists("/d/b"));

    fs.rename("/d/a", "/d/b");
    fs.hard_link("/d/b", "/d/c");
    fs.sync_directory("/d");
    fs.remove_file("/d/b");
    fs.power_cut();
    EXPECT_EQ(fs.read_whole("/d/b"), "1");
    EXPECT_EQ(fs.read_whole("/d/c"), "1");
    EXPECT_FALSE(fs.exists("/d/a"));
}

TEST(MemoryFileSystem, NameWithoutContent)
{
    MemoryFileSystem fs;
    auto file = fs.open_for_write("/f", OpenMode::Truncate);
    file->append("never synced");
    file->close();
    fs.sync_directory("/");
    fs.power_cut();
    EXPECT_EQ(fs.file_size("/f"), 0u);
}

TEST(MemoryFileSystem, TruncateIsVolatileUntilSynced)
{
    MemoryFileSystem fs;
    fs.replace_whole("/f", "0123456789");
    fs.truncate("/f", 3);
    EXPECT_EQ(fs.read_whole("/f"), "012");
    fs.power_cut();
    EXPECT_EQ(fs.read_whole("/f"), "0123456789");
    fs.truncate("/f", 3);
    auto file = fs.open_for_write("/f", OpenMode::Append);
    file->append("abc");
    file->sync();
    fs.power_cut();
    EXPECT_EQ(fs.read_whole("/f"), "012abc");
}

TEST(MemoryFileSystem, PowerCutFreesLocks)
{
    MemoryFileSystem fs;
    auto lock = fs.lock_file("/lock");
    fs.sync_directory("/");
    fs.power_cut();
    auto again = fs.lock_file("/lock");
    lock.reset(); // of the time before: frees nothing
    EXPECT_EQ(error_code_of([&] { fs.lock_file("/lock"); }), error_codes::CANNOT_OPEN_FILE);
}

TEST(MemoryFileSystem, TornWritesMixSectors)
{
    bool lost_all = false;
    bool kept_all = false;
    bool mixed = false;
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        MemoryFileSystem fs;
        SeededRandom random(seed);
        fs.replace_whole("/f", std::string(1024, 'o'));
        auto file = fs.open_for_write("/f", OpenMode::Append);
        file->append(std::string(1000, 'n'));
        file->flush();
        fs.power_cut(&random);
        const std::string got = fs.read_whole("/f");
        ASSERT_EQ(got.substr(0, 1024), std::string(1024, 'o')) << "synced bytes are safe";
        const std::string tail = got.substr(1024);
        ASSERT_TRUE(tail.empty() || tail.size() == 1000);
        lost_all |= tail.empty();
        kept_all |= tail == std::string(1000, 'n');
        mixed |= tail.find('n') != std::string::npos && tail.find('\0') != std::string::npos;
    }
    EXPECT_TRUE(lost_all && kept_all && mixed);
}

TEST(MemoryFileSystem, ManyThreads)
{
    MemoryFileSystem fs;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back(
            [&fs, t]
            {
                for (int i = 0; i < 100; ++i)
                {
                    const std::string path = "/d" + std::to_string(t) + "/f" + std::to_string(i);
                    fs.create_directories(parent_directory(path));
                    fs.replace_whole(path, path);
                    if (fs.read_whole(path) != path)
                        std::abort();
                    if (i % 2)
                        fs.remove_file(path);
                }
            });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(fs.list("/d3").size(), 50u);
}

TEST(MemoryFileSystem, PathsWithDotsAndSlashes)
{
    MemoryFileSystem fs;
    fs.replace_whole("a", "1");
    EXPECT_EQ(fs.read_whole("//./a"), "1");
    EXPECT_EQ(error_code_of([&] { fs.status("/x/../a"); }), error_codes::INCORRECT_FILE_NAME);
}

} // namespace
} // namespace basalt
