#pragma once

// Operators pull blocks from their inputs. Each has a fixed number of streams; different streams
// may be pulled by different threads at once, one stream by one thread at a time. Blocking
// operators (aggregation, sort, the build side of a join) do their work, on several threads, at
// the first pull of any stream.

#include "base/query_context.h"
#include "columns/block.h"

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace basalt
{

class Operator
{
public:
    explicit Operator(Header header) : header_(std::move(header)) {}
    virtual ~Operator() = default;

    const Header& header() const { return header_; }
    virtual size_t stream_count() const = 0;
    // The next block of a stream, its columns as header(); zero rows at the end of the stream.
    virtual Block next(size_t stream) = 0;
    // The row of WITH TOTALS, after all streams have ended.
    virtual std::optional<Block> totals() { return std::nullopt; }
    // Every stream's rows are in this order already (by column positions); empty when not.
    virtual bool keeps_order() const { return false; }

private:
    Header header_;
};
using OperatorPtr = std::unique_ptr<Operator>;

// Runs work once, at the first call from any thread; later callers wait for it and get the same
// exception if it failed.
class RunOnce
{
public:
    template <class Work> void operator()(Work&& work)
    {
        std::call_once(flag_,
                       [&]
                       {
                           try
                           {
                               work();
                           }
                           catch (...)
                           {
                               error_ = std::current_exception();
                           }
                       });
        if (error_)
            std::rethrow_exception(error_);
    }

private:
    std::once_flag flag_;
    std::exception_ptr error_;
};

// Pulls every stream of an operator to its end, on as many threads; consume(stream, block).
void drain(Operator& input, const QueryContext& context,
           const std::function<void(size_t, Block&&)>& consume);

// All streams of the input as one, read by threads of its own through a bounded queue; the input
// itself when it has one stream.
OperatorPtr gather(OperatorPtr input, QueryContextPtr context);

} // namespace basalt
