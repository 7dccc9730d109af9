#pragma once

// A MergeTree table of its own service in memory, and the few expressions that tests need.

#include "base/threads.h"
#include "columns/serialization.h"
#include "io/memory_file_system.h"
#include "storage/mergetree/merge_tree_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace basalt::test
{

inline const QueryContext& plain_context()
{
    static const QueryContext context;
    return context;
}

inline ExpressionPtr col(const std::string& name, const std::string& type)
{
    return Expression::input(name, type_from_name(type));
}
inline ExpressionPtr lit(uint64_t value)
{
    return Expression::constant(type_of_value(value), value);
}
inline ExpressionPtr lit(const std::string& text)
{
    return Expression::constant(simple_type(TypeId::String), text);
}
inline ExpressionPtr call(const std::string& name, Expressions arguments)
{
    return Expression::call(name, std::move(arguments), plain_context());
}

// (day Date, host LowCardinality(String), id UInt64, text String, value Nullable(Float64))
// PARTITION BY day ORDER BY (host, id)
inline std::shared_ptr<TableMetadata> events_metadata(size_t granule = 64)
{
    auto metadata = std::make_shared<TableMetadata>();
    const auto add = [&](const std::string& name, const std::string& type)
    { metadata->columns.push_back({name, type_from_name(type)}); };
    add("day", "Date");
    add("host", "LowCardinality(String)");
    add("id", "UInt64");
    add("text", "String");
    add("value", "Nullable(Float64)");
    metadata->partition_key = {"day", {col("day", "Date")}, {}};
    metadata->sorting_key = {
        "host, id", {col("host", "LowCardinality(String)"), col("id", "UInt64")}, {}};
    metadata->primary_key = metadata->sorting_key;
    metadata->settings.emplace_back("index_granularity", std::to_string(granule));
    return metadata;
}

// Row number n is a function of n.
inline Block events(uint64_t first, uint64_t rows, uint64_t days = 2)
{
    auto day = std::make_shared<VectorColumn<uint16_t>>();
    auto host = std::make_shared<StringColumn>();
    auto id = std::make_shared<VectorColumn<uint64_t>>();
    auto text = std::make_shared<StringColumn>();
    auto value = type_from_name("Nullable(Float64)")->create_column();
    for (uint64_t n = first; n < first + rows; ++n)
    {
        day->data().push_back(static_cast<uint16_t>(20000 + n % days));
        host->append("host-" + std::to_string(n * 7 % 10));
        id->data().push_back(n);
        text->append("message number " + std::to_string(n * 31 % 1000));
        value->append_value(n % 5 == 0 ? Value(Null{}) : Value(static_cast<double>(n % 100)));
    }
    return Block({{day, type_from_name("Date"), "day"},
                  {host, type_from_name("LowCardinality(String)"), "host"},
                  {id, type_from_name("UInt64"), "id"},
                  {text, type_from_name("String"), "text"},
                  {value, type_from_name("Nullable(Float64)"), "value"}});
}

inline StorageOptions small_options()
{
    StorageOptions options;
    options.path = "/data";
    options.background = false;
    options.merge_threads = 1;
    options.live_flush_age_s = 1000000;
    options.direct_insert_rows = 1000;
    options.insert_part_rows = 5000;
    return options;
}

class Tables
{
public:
    explicit Tables(FileSystem& files, StorageOptions options = small_options())
        : service(std::make_unique<StorageService>(files, std::move(options)))
    {
    }
    ~Tables()
    {
        if (table)
            table->shutdown();
    }

    std::shared_ptr<MergeTreeTable> open(TableMetadataPtr metadata, bool attach = false)
    {
        table = std::make_shared<MergeTreeTable>(*service, "MergeTree",
                                                 TableName{"default", "events"}, "0123-uuid", std::move(metadata), attach);
        return table;
    }
    void insert(const Block& block)
    {
        const auto transaction = service->begin();
        const auto sink = table->write(*transaction, service->make_context());
        for (size_t at = 0; at < block.rows(); at += 1000)
            sink->write(block.slice(at, std::min<size_t>(1000, block.rows() - at)));
        sink->finish();
        transaction->commit();
    }
    // Rows as texts "a|b|c", sorted.
    std::vector<std::string> rows(ScanRequest request, QueryContextPtr context = nullptr)
    {
        auto lines = rows_in_order(std::move(request), std::move(context));
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    std::vector<std::string> rows_in_order(ScanRequest request, QueryContextPtr context = nullptr)
    {
        if (!context)
            context = service->make_context();
        const auto scan = table->scan(request, context);
        std::vector<std::string> lines;
        for (size_t stream = 0; stream < scan->stream_count(); ++stream)
            for (Block block = scan->next(stream); block.rows(); block = scan->next(stream))
                append_lines(block, lines);
        return lines;
    }
    static void append_lines(const Block& block, std::vector<std::string>& lines)
    {
        for (size_t row = 0; row < block.rows(); ++row)
        {
            std::string line;
            for (const auto& column : block.columns())
            {
                const Value value = column.column->value_at(row);
                line += (line.empty() ? "" : "|") + value.to_text();
            }
            lines.push_back(std::move(line));
        }
    }
    size_t count(ExpressionPtr filter = nullptr)
    {
        ScanRequest request;
        request.filter = std::move(filter);
        return rows(request).size();
    }

    std::unique_ptr<StorageService> service;
    std::shared_ptr<MergeTreeTable> table;
};

inline ScanRequest all_columns()
{
    ScanRequest request;
    request.columns = {"day", "host", "id", "text", "value"};
    return request;
}

inline std::vector<std::string> lines_of(const Block& block)
{
    std::vector<std::string> lines;
    Tables::append_lines(block, lines);
    std::sort(lines.begin(), lines.end());
    return lines;
}

} // namespace basalt::test
