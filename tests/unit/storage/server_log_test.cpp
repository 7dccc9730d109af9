#include "storage/log/server_log.h"

#include "base/error.h"
#include "base/threads.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"

#include <gtest/gtest.h>

#include <set>

namespace basalt
{
namespace
{

// A set of texts: edit 1 adds one, edit 2 removes one, edit 3 is a row that must stay in the log.
class TextTable final : public LogParticipant
{
public:
    void restore(std::string_view state) override
    {
        while (!state.empty())
            texts.insert(std::string(take_text(state)));
    }
    void replay(uint64_t sequence, uint8_t kind, std::string_view payload) override
    {
        apply(sequence, kind, std::string(payload));
    }
    std::string checkpoint_state() const override
    {
        std::lock_guard lock(mutex);
        std::string state;
        for (const auto& text : texts)
            append_text(state, text);
        return state;
    }
    uint64_t oldest_needed() const override
    {
        std::lock_guard lock(mutex);
        return rows.empty() ? UINT64_MAX : rows.begin()->first;
    }
    void apply(uint64_t sequence, uint8_t kind, const std::string& text)
    {
        std::lock_guard lock(mutex);
        if (kind == 1)
            texts.insert(text);
        else if (kind == 2)
            texts.erase(text);
        else
            rows[sequence] = text;
    }

    mutable std::mutex mutex;
    std::set<std::string> texts;
    std::map<uint64_t, std::string> rows;
};

void edit(ServerLog& log, TextTable& table, const std::string& uuid, uint8_t kind,
          const std::string& text)
{
    const auto transaction = log.begin();
    transaction->add_record(uuid, kind, text);
    auto* raw = transaction.get();
    transaction->on_commit([raw, &table, kind, text] { table.apply(raw->sequence(), kind, text); });
    transaction->commit();
}

ServerLogOptions small_segments()
{
    ServerLogOptions options;
    options.directory = "/data/log";
    options.segment_bytes = 300;
    return options;
}

TEST(ServerLog, ReplaysWhatWasCommittedAndNothingElse)
{
    MemoryFileSystem files;
    {
        ServerLog log(files, small_segments());
        TextTable table;
        EXPECT_FALSE(log.attach("t", table));
        for (int i = 0; i < 50; ++i)
            edit(log, table, "t", 1, "text " + std::to_string(i));
        edit(log, table, "t", 2, "text 7");
        bool rolled_back = false;
        {
            const auto dropped = log.begin();
            dropped->add_record("t", 1, "never");
            dropped->on_rollback([&] { rolled_back = true; });
        }
        EXPECT_TRUE(rolled_back);
        const auto values = log.begin();
        values->set_value("lsn", "17");
        values->commit();
    }
    files.power_cut();
    ServerLog log(files, small_segments());
    TextTable table;
    EXPECT_TRUE(log.attach("t", table));
    EXPECT_EQ(table.texts.size(), 49u);
    EXPECT_FALSE(table.texts.contains("text 7"));
    EXPECT_EQ(log.value("lsn"), "17");
    EXPECT_EQ(log.last_sequence(), 52u);
}

TEST(ServerLog, CheckpointKeepsStateAndRemovesSegments)
{
    MemoryFileSystem files;
    for (int round = 0; round < 3; ++round)
    {
        ServerLog log(files, small_segments());
        TextTable a, b;
        log.attach("a", a);
        EXPECT_EQ(a.texts.size(), static_cast<size_t>(round) * 40);
        if (round == 0)
            log.attach("b", b); // later rounds: not attached, its edits must survive
        for (int i = 0; i < 40; ++i)
        {
            edit(log, a, "a", 1, std::to_string(round) + "-" + std::to_string(i));
            if (round == 0)
                edit(log, b, "b", 1, std::to_string(i));
        }
        log.checkpoint();
        EXPECT_LE(log.bytes_on_disk(), 400u);
    }
    files.power_cut();
    ServerLog log(files, small_segments());
    TextTable a, b;
    EXPECT_TRUE(log.attach("a", a));
    EXPECT_TRUE(log.attach("b", b));
    EXPECT_EQ(a.texts.size(), 120u);
    EXPECT_EQ(b.texts.size(), 40u);
}

TEST(ServerLog, NeededRowsHoldBackTheirSegment)
{
    MemoryFileSystem files;
    {
        ServerLog log(files, small_segments());
        TextTable table;
        log.attach("t", table);
        edit(log, table, "t", 1, "first");
        edit(log, table, "t", 3, "row");
        for (int i = 0; i < 60; ++i)
            edit(log, table, "t", 1, std::to_string(i));
        log.checkpoint();
    }
    ServerLog log(files, small_segments());
    TextTable table;
    log.attach("t", table);
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(table.rows.begin()->second, "row");
    EXPECT_EQ(table.texts.size(), 61u);
}

TEST(ServerLog, ForgottenTablesAreGone)
{
    MemoryFileSystem files;
    for (const bool with_checkpoint : {false, true})
    {
        {
            ServerLog log(files, small_segments());
            TextTable table;
            EXPECT_FALSE(log.attach("t", table));
            edit(log, table, "t", 1, "x");
            log.checkpoint();
            log.detach("t");
            const auto drop = log.begin();
            log.forget(*drop, "t");
            drop->commit();
            if (with_checkpoint)
                log.checkpoint();
        }
        ServerLog log(files, small_segments());
        TextTable table;
        EXPECT_FALSE(log.attach("t", table));
        const auto drop = log.begin();
        log.forget(*drop, "t");
        drop->commit();
    }
}

TEST(ServerLog, TokensAreKnownAfterCommitOnly)
{
    MemoryFileSystem files;
    {
        ServerLog log(files, small_segments());
        {
            const auto dropped = log.begin();
            EXPECT_TRUE(dropped->add_token({.table_uuid = "t", .text = "one"}));
        }
        const auto kept = log.begin();
        EXPECT_FALSE(kept->knows_token({.table_uuid = "t", .text = "one"}));
        EXPECT_TRUE(kept->add_token({.table_uuid = "t", .text = "one"}));
        kept->commit();
        const auto again = log.begin();
        EXPECT_TRUE(again->knows_token({.table_uuid = "t", .text = "one"}));
        EXPECT_FALSE(again->add_token({.table_uuid = "t", .text = "one"}));
        EXPECT_TRUE(again->add_token({.table_uuid = "u", .text = "one"}));
        EXPECT_TRUE(again->add_token({.table_uuid = "t", .text = "one", .by_content = true}));
        log.checkpoint();
    }
    ServerLog log(files, small_segments());
    EXPECT_FALSE(log.begin()->add_token({.table_uuid = "t", .text = "one"}));
    EXPECT_TRUE(log.begin()->add_token({.table_uuid = "t", .text = "two"}));
}

// In the log's segments as in a checkpoint.
TEST(ServerLog, TokensOfEmptiedPartitionsAreForgotten)
{
    for (const bool with_checkpoint : {false, true})
    {
        MemoryFileSystem files;
        {
            ServerLog log(files, small_segments());
            const auto insert = [&](const std::string& token,
                                    const std::vector<std::string>& partitions)
            {
                const auto transaction = log.begin();
                EXPECT_TRUE(transaction->add_token({.table_uuid = "t", .text = token}));
                transaction->touch_partitions("t", partitions);
                transaction->commit();
            };
            insert("first", {"1"});
            insert("both", {"1", "2"});
            insert("second", {"2"});
            insert("none", {});
            if (with_checkpoint)
                log.checkpoint();
            const auto drop = log.begin();
            drop->forget_tokens("t", "1");
            drop->commit();
        }
        {
            ServerLog log(files, small_segments());
            EXPECT_TRUE(log.begin()->add_token({.table_uuid = "t", .text = "first"}));
            for (const char* token : {"both", "second", "none"})
                EXPECT_FALSE(log.begin()->add_token({.table_uuid = "t", .text = token})) << token;
            const auto drop = log.begin();
            drop->forget_tokens("t", "2");
            drop->commit();
        }
        {
            ServerLog log(files, small_segments());
            EXPECT_TRUE(log.begin()->add_token({.table_uuid = "t", .text = "both"}));
            EXPECT_FALSE(log.begin()->add_token({.table_uuid = "t", .text = "none"}));
            const auto truncate = log.begin();
            truncate->forget_tokens("t", "");
            truncate->commit();
        }
        ServerLog log(files, small_segments());
        EXPECT_TRUE(log.begin()->add_token({.table_uuid = "t", .text = "none"}));
    }
}

TEST(ServerLog, TokensOfDroppedTablesAreForgotten)
{
    MemoryFileSystem files;
    {
        ServerLog log(files, small_segments());
        const auto insert = log.begin();
        insert->add_token({.table_uuid = "t", .text = "one"});
        insert->commit();
        const auto drop = log.begin();
        log.forget(*drop, "t");
        drop->commit();
    }
    ServerLog log(files, small_segments());
    EXPECT_TRUE(log.begin()->add_token({.table_uuid = "t", .text = "one"}));
}

TEST(ServerLog, GroupCommitKeepsOrderAndSharesSyncs)
{
    MemoryFileSystem files;
    ServerLog log(files, small_segments());
    std::vector<uint64_t> order;
    run_parallel(8,
                 [&](size_t thread)
                 {
                     for (int i = 0; i < 100; ++i)
                     {
                         const auto transaction = log.begin();
                         transaction->add_record("t", 1, std::to_string(thread));
                         auto* raw = transaction.get();
                         transaction->on_commit([&order, raw]
                                                { order.push_back(raw->sequence()); });
                         transaction->commit();
                     }
                 });
    ASSERT_EQ(order.size(), 800u);
    for (size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(order[i], i + 1);
}

// Power cuts at every step of a run, torn in many ways: what was acknowledged is there, what was
// refused is not, and the log goes on.
TEST(ServerLog, SurvivesPowerCutsAtEveryStep)
{
    for (uint64_t step = 1; step < 120; ++step)
    {
        SeededRandom random(step);
        MemoryFileSystem disk;
        FaultyFileSystem files(disk, random);
        std::set<std::string> acknowledged, perhaps;
        for (int round = 0; round < 3; ++round)
        {
            FaultPlan plan;
            plan.stop_after_changes = step;
            files.set_plan(plan);
            try
            {
                ServerLog log(files, small_segments());
                TextTable table;
                log.attach("t", table);
                for (const auto& text : acknowledged)
                    ASSERT_TRUE(table.texts.contains(text)) << "step " << step;
                for (const auto& text : table.texts)
                    ASSERT_TRUE(acknowledged.contains(text) || perhaps.contains(text));
                acknowledged = table.texts;
                perhaps.clear();
                for (int i = 0; i < 30; ++i)
                {
                    const std::string text = std::to_string(round) + "/" + std::to_string(i);
                    perhaps.insert(text);
                    edit(log, table, "t", 1, text);
                    acknowledged.insert(text);
                    if (i % 10 == 9)
                        log.checkpoint();
                }
            }
            catch (const Error&)
            {
            }
            disk.power_cut(&random);
        }
        files.set_plan({});
        ServerLog log(files, small_segments());
        TextTable table;
        log.attach("t", table);
        for (const auto& text : acknowledged)
            ASSERT_TRUE(table.texts.contains(text)) << "step " << step;
    }
}

TEST(ServerLog, FailedWritesAreNotVisibleLaterAndTheLogRecovers)
{
    for (uint64_t failing = 1; failing < 40; ++failing)
    {
        SeededRandom random(failing);
        MemoryFileSystem disk;
        FaultyFileSystem files(disk, random);
        std::set<std::string> acknowledged;
        {
            ServerLog log(files, small_segments());
            TextTable table;
            log.attach("t", table);
            FaultPlan plan;
            for (const auto operation : {FileOperation::Sync, FileOperation::Append,
                                         FileOperation::OpenForWrite, FileOperation::SyncDirectory})
                plan.failures.push_back({operation, failing, 1 + failing % 3, 0, ""});
            files.set_plan(plan);
            size_t refused = 0;
            for (int i = 0; i < 40; ++i)
            {
                try
                {
                    edit(log, table, "t", 1, std::to_string(i));
                    acknowledged.insert(std::to_string(i));
                }
                catch (const Error&)
                {
                    ++refused;
                }
            }
            EXPECT_LT(refused, 20u);
            EXPECT_EQ(table.texts, acknowledged);
        }
        files.set_plan({});
        if (failing % 2)
            disk.power_cut();
        ServerLog log(files, small_segments());
        TextTable table;
        log.attach("t", table);
        EXPECT_EQ(table.texts, acknowledged) << "failing " << failing;
    }
}

} // namespace
} // namespace basalt
