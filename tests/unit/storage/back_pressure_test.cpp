#include "table_fixture.h"

#include "base/error.h"
#include "io/faulty_file_system.h"

#include <thread>

namespace basalt::test
{
namespace
{

// A table whose live buffer is full after one insert. Flushes fail while parts cannot be made.
class BackPressureTest : public ::testing::Test
{
protected:
    void start(uint64_t live_max_bytes, uint64_t total_max_bytes, int64_t patience_ms)
    {
        StorageOptions options = small_options();
        options.live_max_bytes = live_max_bytes;
        options.live_total_max_bytes = total_max_bytes;
        options.insert_patience_ms = patience_ms;
        tables_ = std::make_unique<Tables>(files_, options);
        tables_->open(events_metadata());
        tables_->insert(events(0, 500));
    }
    void fail_flushes(bool fail)
    {
        FaultPlan plan;
        if (fail)
            plan.failures.push_back(
                {.operation = FileOperation::OpenForWrite, .count = UINT64_MAX, .path_part = "tmp_"});
        files_.set_plan(plan);
    }
    Error refusal(QueryContextPtr context)
    {
        const auto transaction = tables_->service->begin();
        try
        {
            tables_->table->write(*transaction, std::move(context));
        }
        catch (const Error& error)
        {
            return error;
        }
        return Error(0, "taken");
    }

    MemoryFileSystem disk_;
    FaultyFileSystem files_{disk_, system_random()};
    std::unique_ptr<Tables> tables_;
};

TEST_F(BackPressureTest, FullBuffersRefuseInsertsUntilTheyAreWritten)
{
    for (const bool by_sum : {false, true})
    {
        start(by_sum ? UINT64_MAX : 1, by_sum ? 1 : UINT64_MAX, 1);
        fail_flushes(true);
        tables_->service->background().run_until_idle();
        const Error error = refusal(tables_->service->make_context());
        EXPECT_EQ(error.code(), error_codes::TOO_MANY_PARTS);
        EXPECT_NE(error.message().find("try again later"), std::string::npos) << error.message();
        EXPECT_GT(tables_->service->live_bytes(), 0u);
        fail_flushes(false);
        tables_->table->flush(nullptr);
        EXPECT_EQ(tables_->service->live_bytes(), 0u);
        EXPECT_EQ(refusal(tables_->service->make_context()).code(), 0);
        EXPECT_EQ(tables_->count(), 500u);
        tables_.reset();
        disk_.remove_directory_recursive("/data");
    }
}

TEST_F(BackPressureTest, AWaitingInsertGoesOnWhenThereIsRoom)
{
    start(1, UINT64_MAX, 600000);
    int code = -1;
    std::thread waiting([&] { code = refusal(tables_->service->make_context()).code(); });
    tables_->table->flush(nullptr);
    waiting.join();
    EXPECT_EQ(code, 0);
}

TEST_F(BackPressureTest, AClientThatLeavesStopsWaiting)
{
    start(1, UINT64_MAX, 600000);
    const QueryContextPtr context = tables_->service->make_context();
    int code = -1;
    std::thread waiting([&] { code = refusal(context).code(); });
    context->cancel();
    waiting.join();
    EXPECT_EQ(code, error_codes::QUERY_WAS_CANCELLED);
}

} // namespace
} // namespace basalt::test
