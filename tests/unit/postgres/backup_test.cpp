#include "postgres/backup.h"
#include "postgres/wal_archive.h"

#include "base/error.h"
#include "io/memory_file_system.h"

#include <gtest/gtest.h>

namespace basalt::pg
{
namespace
{

TEST(PgLsn, ReadsAndWrites)
{
    EXPECT_EQ(Lsn::parse("16/B374D848")->value, 0x16B374D848ull);
    EXPECT_EQ(Lsn{0x16B374D848ull}.text(), "16/B374D848");
    EXPECT_EQ(Lsn::parse("0/0")->value, 0u);
    EXPECT_EQ(Lsn::parse("ffffffff/ffffffff")->value, UINT64_MAX);
    for (const char* bad : {"", "/", "1/", "/1", "16B374D848", "1/2/3", "g/1", "123456789/1", "-1/1",
                            "1/+1", " 1/1"})
        EXPECT_FALSE(Lsn::parse(bad)) << bad;
}

TEST(PgSegment, ReadsAndWrites)
{
    const Segment segment = Segment::of(3, *Lsn::parse("16/B374D848"));
    EXPECT_EQ(segment.name(), "0000000300000016000000B3");
    EXPECT_EQ(Segment::parse(segment.name()), segment);
    EXPECT_EQ((Segment{1, kSegmentsPerLog}).name(), "000000010000000100000000");
    for (const char* bad : {"", "00000003000000160000", "0000000300000016000001B3",
                            "0000000300000016000000b3", "0000000300000016000000B3x"})
        EXPECT_FALSE(Segment::parse(bad)) << bad;
    for (const char* good : {"0000000300000016000000B3", "0000000300000016000000B3.partial",
                             "0000000300000016000000B3.00000028.backup", "00000003.history"})
        EXPECT_TRUE(is_archivable_name(good)) << good;
    for (const char* bad : {"../../etc/passwd", "0000000300000016000000B3.zst", "3.history", "",
                            "0000000300000016000000B3.0000002.backup", "RECOVERYXLOG"})
        EXPECT_FALSE(is_archivable_name(bad)) << bad;
}

class Archive : public testing::Test
{
protected:
    void SetUp() override
    {
        files.create_directories("/pg_wal");
        files.create_directories("/archive");
    }

    std::string segment_name(uint64_t number, uint32_t timeline = 1)
    {
        return Segment{timeline, number}.name();
    }

    void archive(uint64_t number, const std::string& content = "log", uint32_t timeline = 1)
    {
        const std::string path = "/pg_wal/" + segment_name(number, timeline);
        files.replace_whole(path, content);
        archive_file(files, path, "/archive");
    }

    MemoryFileSystem files;
};

TEST_F(Archive, GivesBackWhatWasPutIn)
{
    const std::string content = std::string(1 << 20, 'x') + "end";
    archive(5, content);
    ASSERT_TRUE(fetch_file(files, "/archive", "", segment_name(5), "/pg_wal/RECOVERYXLOG"));
    EXPECT_EQ(files.read_whole("/pg_wal/RECOVERYXLOG"), content);
    EXPECT_LT(files.file_size("/archive/" + segment_name(5) + ".zst"), 10000u);
    EXPECT_FALSE(fetch_file(files, "/archive", "", segment_name(6), "/out"));
    EXPECT_THROW(fetch_file(files, "/archive", "", "../x", "/out"), Error);
    // Not archived yet, but there.
    files.replace_whole("/pg_wal/" + segment_name(6), "unfinished");
    ASSERT_TRUE(fetch_file(files, "/archive", "/pg_wal", segment_name(6), "/out"));
    EXPECT_EQ(files.read_whole("/out"), "unfinished");
}

TEST_F(Archive, TakesTheSameTwiceAndNothingElse)
{
    archive(1, "first");
    archive(1, "first");
    try
    {
        archive(1, "second");
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::CHECKSUM_DOESNT_MATCH);
    }
    ASSERT_TRUE(fetch_file(files, "/archive", "", segment_name(1), "/out"));
    EXPECT_EQ(files.read_whole("/out"), "first");
    files.replace_whole("/pg_wal/odd", "x");
    EXPECT_THROW(archive_file(files, "/pg_wal/odd", "/archive"), Error);
}

TEST_F(Archive, NoticesEveryFlippedBit)
{
    archive(1, "some content of a segment");
    const std::string path = "/archive/" + segment_name(1) + ".zst";
    const std::string good = files.read_whole(path);
    for (size_t bit = 0; bit < good.size() * 8; ++bit)
    {
        std::string bad = good;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
        files.replace_whole(path, bad);
        try
        {
            fetch_file(files, "/archive", "", segment_name(1), "/out");
            // A flip that changes nothing of the content is no damage.
            EXPECT_EQ(files.read_whole("/out"), "some content of a segment") << bit;
        }
        catch (const Error& error)
        {
            EXPECT_EQ(error.code(), error_codes::CHECKSUM_DOESNT_MATCH) << bit;
        }
    }
    for (size_t size = 0; size < good.size(); ++size)
    {
        files.replace_whole(path, good.substr(0, size));
        EXPECT_THROW(fetch_file(files, "/archive", "", segment_name(1), "/out"), Error) << size;
    }
    EXPECT_EQ(look_at_archive(files, "/archive", {}, true).damaged.size(), 1u);
}

TEST_F(Archive, FindsGaps)
{
    for (const uint64_t number : {3, 4, 5, 7})
        archive(number);
    ArchiveSummary summary = look_at_archive(files, "/archive", {}, true);
    EXPECT_EQ(summary.segments.size(), 4u);
    EXPECT_EQ(summary.gaps, std::vector<std::string>{segment_name(6)});
    EXPECT_TRUE(summary.damaged.empty());
    EXPECT_GT(summary.bytes, 0u);
    archive(6, "six", 2);
    archive(7, "seven", 2);
    EXPECT_TRUE(look_at_archive(files, "/archive", {}, false).gaps.empty());
    summary = look_at_archive(files, "/archive", Segment{1, 1}, false);
    EXPECT_EQ(summary.gaps, (std::vector<std::string>{segment_name(1), segment_name(2)}));
    EXPECT_TRUE(look_at_archive(files, "/archive", Segment{1, 5}, false).gaps.empty());
}

TEST_F(Archive, ForgetsWhatNoBackupNeeds)
{
    for (uint64_t number = 1; number <= 6; ++number)
        archive(number);
    archive(2, "other", 3);
    files.replace_whole("/pg_wal/00000002.history", "h");
    archive_file(files, "/pg_wal/00000002.history", "/archive");
    EXPECT_EQ(remove_older_segments(files, "/archive", Segment{1, 4}), 3u);
    const ArchiveSummary summary = look_at_archive(files, "/archive", {}, false);
    EXPECT_EQ(summary.segments, (std::vector<Segment>{{1, 4}, {1, 5}, {1, 6}, {3, 2}}));
    EXPECT_TRUE(files.exists("/archive/00000002.history.zst"));
}

TEST(PgTime, ReadsWhatPeopleWrite)
{
    const int64_t noon = 1764504000000000; // 2025-11-30 12:00:00 UTC
    EXPECT_EQ(parse_time_us("2025-11-30 12:00:00"), noon);
    EXPECT_EQ(parse_time_us("2025-11-30T12:00Z"), noon);
    EXPECT_EQ(parse_time_us("2025-11-30 13:00:00+01"), noon);
    EXPECT_EQ(parse_time_us("2025-11-30 06:30:00-05:30"), noon);
    EXPECT_EQ(parse_time_us("2025-11-30 17:30:00.25+0530"), noon + 250000);
    EXPECT_EQ(parse_time_us("2025-11-30 12:00:00.000001"), noon + 1);
    for (const char* bad : {"", "now", "2025-11-30", "2025-13-01 00:00", "2025-02-30 00:00",
                            "2025-11-30 24:00", "2025-11-30 12:00:60", "2025-11-30 12:00:00x",
                            "2025-11-30 12:00:00 +1", "2025-11-30 12:00:00."})
        EXPECT_FALSE(parse_time_us(bad)) << bad;
    EXPECT_EQ(time_text_us(noon + 250000), "2025-11-30 12:00:00.250000");
}

BackupInfo backup(const char* id, int64_t finished_s, const char* start, const char* stop)
{
    BackupInfo info;
    info.id = id;
    info.finished_unix_us = finished_s * 1000000;
    info.start_lsn = *Lsn::parse(start);
    info.stop_lsn = *Lsn::parse(stop);
    return info;
}

TEST(PgRestore, ChoosesTheNewestThatServes)
{
    const std::vector<BackupInfo> backups = {backup("a", 1000, "0/1000000", "0/2000000"),
                                             backup("b", 2000, "0/5000000", "0/6000000")};
    const auto chosen = [&](const char* to, const char* id = "")
    { return choose_backup(backups, RestoreTarget::parse(to), id).id; };
    EXPECT_EQ(chosen("latest"), "b");
    EXPECT_EQ(chosen("1970-01-01 00:33:20"), "b");
    EXPECT_EQ(chosen("1970-01-01 00:33:19"), "a");
    EXPECT_EQ(chosen("0/6000000"), "b");
    EXPECT_EQ(chosen("0/5FFFFFF"), "a");
    EXPECT_EQ(chosen("latest", "a"), "a");
    EXPECT_THROW(chosen("1970-01-01 00:10:00"), Error);
    EXPECT_THROW(chosen("0/5FFFFFF", "b"), Error);
    EXPECT_THROW(chosen("latest", "c"), Error);
    EXPECT_THROW(choose_backup({}, RestoreTarget::parse("latest"), ""), Error);
    for (const char* bad : {"", "yesterday", "1/2/3", "2026-11-30"})
        EXPECT_THROW(RestoreTarget::parse(bad), Error) << bad;
}

TEST(PgBackup, ReadsItsManifest)
{
    const auto range = range_of_manifest(
        "{ \"PostgreSQL-Backup-Manifest-Version\": 1,\n\"Files\": [\n{ \"Path\": \"x\" }\n],\n"
        "\"WAL-Ranges\": [\n{ \"Timeline\": 2, \"Start-LSN\": \"0/2000028\", \"End-LSN\": "
        "\"0/2000100\" }\n],\n\"Manifest-Checksum\": \"00\"}\n");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->timeline, 2u);
    EXPECT_EQ(range->start.text(), "0/2000028");
    EXPECT_EQ(range->end.text(), "0/2000100");
    EXPECT_FALSE(range_of_manifest("{}"));
    EXPECT_FALSE(range_of_manifest("\"WAL-Ranges\": [{ \"Timeline\": x, \"Start-LSN\": \"0/1\", "
                                   "\"End-LSN\": \"0/2\" }]"));
    MemoryFileSystem files;
    files.create_directories("/b");
    BackupInfo info = backup("a", 1000, "0/1000000", "0/2000000");
    info.bytes = 5;
    info.timeline = 7;
    info.save(files, "/b");
    const BackupInfo back = BackupInfo::load(files, "/b");
    EXPECT_EQ(back.id, "a");
    EXPECT_EQ(back.finished_unix_us, info.finished_unix_us);
    EXPECT_EQ(back.first_segment(), (Segment{7, 1}));
    files.replace_whole("/b/backup.conf", "id = 'a'\n");
    EXPECT_THROW(BackupInfo::load(files, "/b"), Error);
}

} // namespace
} // namespace basalt::pg
