#pragma once

// Base of the tables that table functions make: a name, a header, no storage.

#include "catalog/catalog.h"

namespace basalt
{

class FunctionTable : public Table
{
public:
    FunctionTable(std::string function, std::string engine, Header columns);

    std::string engine_name() const override { return engine_; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override { return {"_table_function", function_}; }
    std::string uuid() const override { return {}; }

private:
    std::string function_, engine_;
    TableMetadataPtr metadata_;
};

// Ready rows.
class BlocksTable final : public FunctionTable
{
public:
    BlocksTable(std::string function, std::string engine, Header columns,
                std::vector<Block> blocks);
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    std::optional<uint64_t> total_rows() const override;

private:
    std::vector<Block> blocks_;
};

// The only column of a series of numbers first, first + step, …: `count` values, or without end.
// With several streams, each takes the next block of kSeriesBlockRows rows.
inline constexpr size_t kSeriesBlockRows = 65536;
struct SeriesDescription
{
    std::string function;
    std::string engine;
    std::string column;
    enum class Kind : uint8_t
    {
        Numbers, // UInt64
        Zeros,   // UInt8
        Signed,  // Int64
    } kind = Kind::Numbers;
    uint64_t first = 0;
    uint64_t step = 1; // two's complement for a descending series
    bool endless = false;
    uint64_t count = 0;
    // Rows come in order when there are at most so many: then one stream makes them.
    uint64_t ordered_rows = 0;
    TableName name; // of a table in the database system; else of a table function
};
TablePtr make_series_table(SeriesDescription description);

// Arguments of table functions. `what` is the function's name for messages.
uint64_t table_function_uint(const TableFunctionArgument& argument, const std::string& what);
std::string table_function_text(const TableFunctionArgument& argument, const std::string& what);
// 'a UInt8, b String' as columns.
Header columns_of_structure(const std::string& structure);

} // namespace basalt
