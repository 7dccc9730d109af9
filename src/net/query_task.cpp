#include "net/query_task.h"

#include "base/error.h"

#include <chrono>

namespace basalt
{

namespace
{

constexpr int64_t kAliveCheckMs = 100;

Error cancelled_error()
{
    return Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled");
}

} // namespace

QueryTask::QueryTask(Engine& engine, Session& session, QueryRequest request)
    : engine_(engine), session_(session)
{
    thread_ = std::thread([this, moved = std::make_shared<QueryRequest>(std::move(request))]
                          { run(std::move(*moved)); });
}

QueryTask::~QueryTask()
{
    cancel();
    thread_.join();
}

std::optional<QueryEvent> QueryTask::wait(int64_t timeout_ms)
{
    std::unique_lock lock(mutex_);
    to_connection_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                            [&] { return !events_.empty(); });
    if (events_.empty())
        return std::nullopt;
    QueryEvent event = std::move(events_.front());
    events_.pop_front();
    to_query_.notify_one();
    return event;
}

QueryContextPtr QueryTask::context() const
{
    std::lock_guard lock(mutex_);
    return context_;
}

void QueryTask::cancel()
{
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (context_)
        context_->cancel();
    to_query_.notify_all();
}

void QueryTask::ready()
{
    std::lock_guard lock(mutex_);
    ready_ = true;
    to_query_.notify_all();
}

bool QueryTask::offer_rows(Block& block)
{
    std::lock_guard lock(mutex_);
    if (ended_ || cancelled_)
        return true; // nobody takes them any more
    if (rows_.size() >= kMaxQueuedBlocks)
        return false;
    rows_.push_back(std::move(block));
    to_query_.notify_all();
    return true;
}

void QueryTask::push(QueryEvent event)
{
    std::unique_lock lock(mutex_);
    const bool is_last =
        event.kind == QueryEvent::Kind::Finished || event.kind == QueryEvent::Kind::Failed;
    if (!is_last)
    {
        wait_for(lock, [&] { return events_.size() < kMaxQueuedBlocks; });
    }
    ended_ = is_last;
    events_.push_back(std::move(event));
    to_connection_.notify_one();
}

void QueryTask::push_block(QueryEvent::Kind kind, Block block)
{
    QueryEvent event;
    event.kind = kind;
    event.block = std::move(block);
    push(std::move(event));
}

Block QueryTask::take_rows()
{
    std::unique_lock lock(mutex_);
    wait_for(lock, [&] { return !rows_.empty(); });
    Block block = std::move(rows_.front());
    rows_.pop_front();
    return block;
}

void QueryTask::wait_until_ready()
{
    std::unique_lock lock(mutex_);
    wait_for(lock, [&] { return ready_; });
}

void QueryTask::wait_for(std::unique_lock<std::mutex>& lock, const std::function<bool()>& condition)
{
    // KILL QUERY and max_execution_time wake nobody.
    while (!to_query_.wait_for(lock, std::chrono::milliseconds(kAliveCheckMs),
                               [&] { return cancelled_ || condition(); }))
        if (context_)
            context_->check_alive();
    if (cancelled_)
        throw cancelled_error();
}

void QueryTask::run(QueryRequest request)
{
    request.on_start = [this](const QueryContextPtr& context)
    {
        std::lock_guard lock(mutex_);
        context_ = context;
        if (cancelled_)
            context_->cancel();
    };
    request.before_run = [this] { wait_until_ready(); };
    request.insert_blocks = [this](const Header& header, const std::string& description)
    {
        QueryEvent event;
        event.kind = QueryEvent::Kind::InsertHeader;
        event.block = Block::empty_of(header);
        event.text = description;
        push(std::move(event));
        return [this] { return take_rows(); };
    };
    QueryEvent last;
    std::unique_ptr<RunningQuery> running;
    try
    {
        running = start_query(engine_, session_, std::move(request));
        if (running->has_result())
        {
            push_block(QueryEvent::Kind::Header, Block::empty_of(running->header()));
            for (Block block = running->next(); block.rows() > 0; block = running->next())
                push_block(QueryEvent::Kind::Rows, std::move(block));
            if (auto totals = running->totals())
                push_block(QueryEvent::Kind::Totals, std::move(*totals));
            if (auto extremes = running->extremes())
                push_block(QueryEvent::Kind::Extremes, std::move(*extremes));
            last.rows_before_limit = running->rows_before_limit();
        }
        running->finish();
    }
    catch (const Error& error)
    {
        if (running)
            running->fail(error);
        last.kind = QueryEvent::Kind::Failed;
        last.error = error;
    }
    catch (const std::exception& error)
    {
        last.kind = QueryEvent::Kind::Failed;
        last.error = Error(error_codes::STD_EXCEPTION, error.what());
        if (running)
            running->fail(*last.error);
    }
    running.reset();
    push(std::move(last));
}

} // namespace basalt
