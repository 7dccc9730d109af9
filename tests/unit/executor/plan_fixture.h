#pragma once

// Hand-made plans over ready blocks and over a table whose scan has a stream per list of blocks.

#include "base/error.h"
#include "base/thread_allocation.h"
#include "columns/serialization.h"
#include "executor/build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace basalt::test
{

using Row = Values;
using Rows = std::vector<Row>;
using Lines = std::vector<std::string>;
using SettingList = std::vector<std::pair<std::string, std::string>>;

inline Value u(uint64_t value) { return Value(value); }
inline Value s(std::string text) { return Value(std::move(text)); }
inline TypePtr type(const std::string& name) { return type_from_name(name); }

inline QueryContextPtr make_context(const SettingList& settings = {})
{
    auto context = std::make_shared<QueryContext>();
    context->settings.set("max_threads", "4");
    for (const auto& [name, value] : settings)
        context->settings.set(name, value);
    context->start();
    return context;
}

inline Header header_of(const std::vector<std::pair<std::string, std::string>>& columns)
{
    Header header;
    for (const auto& [name, type_name] : columns)
        header.push_back({name, type(type_name)});
    return header;
}

inline Block block_of(const Header& header, const Rows& rows)
{
    std::vector<NamedColumn> columns;
    for (size_t c = 0; c < header.size(); ++c)
    {
        auto column = header[c].type->create_column();
        for (const Row& row : rows)
            column->append_value(row[c]);
        columns.push_back({column, header[c].type, header[c].name});
    }
    return Block(std::move(columns), rows.size());
}

// Numbers and strings of one kind: <0, 0, >0.
inline int order_of(const Value& x, const Value& y)
{
    const auto order = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
    if (const auto* a = x.get_if<uint64_t>())
        return order(*a, y.get<uint64_t>());
    if (const auto* a = x.get_if<int64_t>())
        return order(*a, y.get<int64_t>());
    if (const auto* a = x.get_if<double>())
        return order(*a, y.get<double>());
    return order(x.get<std::string>(), y.get<std::string>());
}

inline std::string line_of(const Row& row)
{
    std::string line;
    for (const Value& value : row)
        line += (line.empty() ? "" : "|") + value.to_text();
    return line;
}

inline Row row_of(const Block& block, size_t i)
{
    Row row;
    for (const auto& column : block.columns())
        row.push_back(column.column->value_at(i));
    return row;
}

inline Lines lines_of(const Rows& rows)
{
    Lines lines;
    for (const Row& row : rows)
        lines.push_back(line_of(row));
    return lines;
}

inline Lines sorted(Lines lines)
{
    std::sort(lines.begin(), lines.end());
    return lines;
}

using Streams = std::vector<std::vector<Block>>;

class StreamsTable : public Table
{
public:
    StreamsTable(Header header, Streams streams)
        : header_(std::move(header)), streams_(std::move(streams))
    {
    }
    std::string engine_name() const override { return "Streams"; }
    TableMetadataPtr metadata() const override { return std::make_shared<TableMetadata>(); }
    TableName table_name() const override { return {"test", "streams"}; }
    std::string uuid() const override { return {}; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr) override;

    size_t throw_in_stream = SIZE_MAX;  // instead of its second block
    std::atomic<size_t> blocks_given{0};

private:
    friend class StreamsScan;
    Header header_;
    Streams streams_;
};

class StreamsScan : public Scan
{
public:
    explicit StreamsScan(StreamsTable& table) : table_(table), at_(table.streams_.size(), 0) {}
    const Header& header() const override { return table_.header_; }
    size_t stream_count() const override { return at_.size(); }
    Block next(size_t stream) override
    {
        if (at_[stream] >= table_.streams_[stream].size())
            return {};
        if (stream == table_.throw_in_stream && at_[stream] == 1)
            throw Error(error_codes::CORRUPTED_DATA, "the stream breaks");
        ++table_.blocks_given;
        return table_.streams_[stream][at_[stream]++];
    }

private:
    StreamsTable& table_;
    std::vector<size_t> at_;
};

inline std::unique_ptr<Scan> StreamsTable::scan(const ScanRequest&, QueryContextPtr)
{
    return std::make_unique<StreamsScan>(*this);
}

inline PlanPtr read_node(std::shared_ptr<StreamsTable> table, const Header& header)
{
    auto node = std::make_unique<ReadNode>();
    node->output = header;
    for (const auto& column : header)
        node->request.columns.push_back(column.name);
    node->table = std::move(table);
    return node;
}

// The rows dealt out to `streams` streams in blocks of at most block_rows.
inline Streams dealt(const Header& header, const Rows& rows, size_t streams, size_t block_rows)
{
    Streams out(streams);
    size_t stream = 0;
    for (size_t at = 0; at < rows.size(); at += block_rows)
    {
        const Rows part(rows.begin() + static_cast<ptrdiff_t>(at),
                        rows.begin() + static_cast<ptrdiff_t>(
                                           std::min(rows.size(), at + block_rows)));
        out[stream++ % streams].push_back(block_of(header, part));
    }
    return out;
}

inline PlanPtr read_rows(const Header& header, const Rows& rows, size_t streams = 3,
                         size_t block_rows = 7)
{
    return read_node(
        std::make_shared<StreamsTable>(header, dealt(header, rows, streams, block_rows)), header);
}

template <class Node> std::unique_ptr<Node> over(PlanPtr input)
{
    auto node = std::make_unique<Node>();
    node->output = input->output;
    node->inputs.push_back(std::move(input));
    return node;
}

struct Result
{
    Rows rows;
    std::optional<Rows> totals, extremes;
    std::optional<uint64_t> rows_before_limit;

    Lines lines() const { return lines_of(rows); }
    Lines sorted_lines() const { return sorted(lines()); }
};

inline Result run(PlanPtr plan, QueryContextPtr context = make_context())
{
    QueryPlan query;
    for (const auto& column : plan->output)
        query.result_names.push_back(column.name);
    query.root = std::move(plan);
    query.extremes = context->settings.get_bool("extremes");
    Result result;
    QueryExecution execution(std::move(query), context);
    for (Block block = execution.next(); block.rows() > 0; block = execution.next())
        for (size_t i = 0; i < block.rows(); ++i)
            result.rows.push_back(row_of(block, i));
    const auto keep = [](const std::optional<Block>& block, std::optional<Rows>& rows)
    {
        if (!block)
            return;
        rows.emplace();
        for (size_t i = 0; i < block->rows(); ++i)
            rows->push_back(row_of(*block, i));
    };
    keep(execution.totals(), result.totals);
    keep(execution.extremes(), result.extremes);
    result.rows_before_limit = execution.rows_before_limit();
    return result;
}

template <class Work> int error_code_of(Work&& work)
{
    try
    {
        work();
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

inline AggregateCall call_of(const std::string& function, std::vector<std::string> arguments,
                             const Header& header, const std::string& name)
{
    Types types;
    for (const auto& argument : arguments)
        types.push_back(header[position_of(header, argument)].type);
    return {aggregate_functions().get(function, types, {}), std::move(arguments), name};
}

inline ExpressionPtr col(const Header& header, const std::string& name)
{
    return Expression::input(name, header[position_of(header, name)].type);
}
inline ExpressionPtr call(const std::string& function, Expressions arguments)
{
    static const QueryContext context;
    return Expression::call(function, std::move(arguments), context);
}
inline ExpressionPtr lit(uint64_t value)
{
    return Expression::constant(type_of_value(value), value);
}

} // namespace basalt::test
