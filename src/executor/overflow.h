#pragma once

// Limits with an overflow mode: max_rows_to_group_by, max_rows_in_distinct, max_rows_to_sort,
// max_rows_in_join and their max_bytes_ twins.

#include "executor/operator.h"

#include <atomic>
#include <string>
#include <string_view>

namespace basalt
{

enum class OverflowMode : uint8_t
{
    Throw,
    Break, // what was taken so far is the whole input
    Any,   // GROUP BY only: no new groups
};
OverflowMode overflow_mode(const QueryContext& context, std::string_view setting);

// A limit of 0 is none.
struct SizeLimit
{
    uint64_t max_rows = 0;
    uint64_t max_bytes = 0;
    OverflowMode mode = OverflowMode::Throw;
    std::string_view what; // "Limit for <what> exceeded"
    int code = 0;

    bool is_set() const { return max_rows != 0 || max_bytes != 0; }
    // True while within the limit; past it throws, or returns false when mode is Break.
    bool check(uint64_t rows, uint64_t bytes) const;
};

// Ends every stream of an operator early once stop() was called. Any thread.
class StoppableInput : public Operator
{
public:
    explicit StoppableInput(Operator& input) : Operator(input.header()), input_(input) {}
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

    size_t stream_count() const override { return input_.stream_count(); }
    Block next(size_t stream) override
    {
        return stopped_.load(std::memory_order_relaxed) ? Block{} : input_.next(stream);
    }

private:
    Operator& input_;
    std::atomic<bool> stopped_{false};
};

} // namespace basalt
