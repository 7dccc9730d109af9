#pragma once

// A query on a thread of its own, so that the connection's thread can meanwhile send progress, look
// for Cancel and notice that the client left. The connection's thread calls everything here; the
// query's thread hands its results over as events, in order.

#include "engine/run_query.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace basalt
{

// What the query's thread may be ahead, and the connection's with rows of an INSERT.
inline constexpr size_t kMaxQueuedBlocks = 4;

struct QueryEvent
{
    enum class Kind
    {
        InsertHeader, // block: the columns wanted; text: describe_columns()
        Header,       // block: of the result, without rows
        Rows,
        Totals,
        Extremes,
        Finished, // rows_before_limit
        Failed,   // error
    } kind = Kind::Finished;
    Block block;
    std::string text;
    std::optional<uint64_t> rows_before_limit;
    std::optional<Error> error;
};

class QueryTask
{
public:
    // The session is not touched after Finished or Failed was given out.
    QueryTask(Engine& engine, Session& session, QueryRequest request);
    ~QueryTask(); // cancels what still runs

    // The next event, or nothing after the timeout.
    std::optional<QueryEvent> wait(int64_t timeout_ms);
    // Null until the query is listed.
    QueryContextPtr context() const;
    // The query ends soon, with Failed or (when it was done already) with Finished.
    void cancel();

    // What must be there before the statement runs is there.
    void ready();
    // Rows of an INSERT; a block without rows ends them. False when there is no room yet.
    bool offer_rows(Block& block);

private:
    void run(QueryRequest request);
    void push(QueryEvent event);
    void push_block(QueryEvent::Kind kind, Block block);
    Block take_rows();
    void wait_until_ready();
    // On the query's thread, until the condition holds; throws when the query shall end.
    void wait_for(std::unique_lock<std::mutex>& lock, const std::function<bool()>& condition);

    Engine& engine_;
    Session& session_;
    mutable std::mutex mutex_;
    std::condition_variable to_connection_, to_query_;
    std::deque<QueryEvent> events_;
    std::deque<Block> rows_;
    QueryContextPtr context_;
    bool ready_ = false;
    bool cancelled_ = false;
    bool ended_ = false; // its last event was pushed
    std::thread thread_;
};

} // namespace basalt
