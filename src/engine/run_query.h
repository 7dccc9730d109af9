#pragma once

// One query from its text to its result. Protocols call start_query() and pull blocks; the query
// is logged, counted and listed on the way.

#include "engine/engine.h"
#include "engine/query_objects.h"
#include "engine/session.h"
#include "formats/format.h"
#include "sql/ast.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace basalt
{

// Rows that a statement answers with.
class ResultStream
{
public:
    virtual ~ResultStream() = default;
    virtual const Header& header() const = 0;
    virtual Block next() = 0; // zero rows at the end
    virtual std::optional<Block> totals() { return std::nullopt; }
    virtual std::optional<Block> extremes() { return std::nullopt; }
    virtual std::optional<uint64_t> rows_before_limit() const { return std::nullopt; }
};
using ResultPtr = std::unique_ptr<ResultStream>; // null: the statement answers nothing

ResultPtr result_of_blocks(Header header, std::vector<Block> blocks);

struct QueryRequest
{
    // The query's text. With `more`, at most max_query_size bytes of it are read from there and
    // appended; what stands behind an INSERT's head is its data.
    std::string text;
    InputBuffer* more = nullptr;
    std::string query_id; // empty: one is made
    Settings settings;    // for this query only
    std::map<std::string, std::string> parameters; // {name:Type}
    std::string default_format = "TabSeparated";
    std::string database; // empty: the session's
    ClientInfo client;
    // Called once the query is listed and can be cancelled, on the thread that starts it.
    std::function<void(const QueryContextPtr&)> on_start;
    // Called before the statement runs, unless it is an INSERT that takes blocks: for what arrives
    // after the text and must be there first.
    std::function<void()> before_run;
    // Native protocol: INSERT data that is not in the text arrives as blocks. Called with the wanted
    // columns and the target's description (describe_columns); gives the source of blocks, whose end
    // is a block without rows. Columns may have other types; they are cast.
    std::function<std::function<Block()>(const Header&, const std::string& description)>
        insert_blocks;
    bool readonly = false; // GET over HTTP: only reading statements
};

class RunningQuery
{
public:
    ~RunningQuery(); // a query dropped before its end is cancelled and logged as failed

    const QueryContextPtr& context() const { return context_; }
    bool has_result() const { return result_ != nullptr; }
    const Header& header() const { return result_->header(); }
    // FORMAT of the query, or the request's default.
    const std::string& format() const { return format_; }
    const std::string& kind() const { return kind_; } // Select, Insert, Create, …

    Block next();
    std::optional<Block> totals() { return result_->totals(); }
    std::optional<Block> extremes() { return result_->extremes(); }
    std::optional<uint64_t> rows_before_limit() const { return result_->rows_before_limit(); }
    ResultStatistics statistics() const;
    double elapsed_s() const;

    // Exactly one of these ends the query in the log.
    void finish();
    void fail(const Error& error);

private:
    friend class QueryStarter;
    RunningQuery() = default;
    void log(QueryLogEntry::Type type, const Error* error);

    Engine* engine_ = nullptr;
    QueryContextPtr context_;
    ClientInfo client_;
    std::string text_;
    std::string kind_;
    std::string format_;
    QueryObjects objects_;
    ResultPtr result_;
    ProcessList::Slot slot_;
    uint64_t max_result_rows_ = 0, max_result_bytes_ = 0;
    bool break_on_overflow_ = false;
    bool stopped_early_ = false;
    bool ended_ = false;
};

// Parses and starts. Statements without a result, INSERT among them, have run when this returns.
// Throws Error (already logged).
std::unique_ptr<RunningQuery> start_query(Engine& engine, Session& session, QueryRequest request);

// Runs a whole query and writes its result in its format.
void run_query_to(Engine& engine, Session& session, QueryRequest request, OutputBuffer& out);

// Blocks of a running query through a format, to the end; calls finish() or fail().
void write_result(RunningQuery& query, const FormatEntry& entry, OutputBuffer& out,
                  bool is_terminal = false);

} // namespace basalt
