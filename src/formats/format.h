#pragma once

// Formats: blocks to bytes and back. A format is one file in formats/format/ that registers
// itself. One object serves one query and is used by one thread.

#include "base/settings.h"
#include "columns/block.h"
#include "columns/serialization.h"
#include "io/buffer.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

// All input_format_… / output_format_… / format_… settings that formats look at.
struct FormatOptions
{
    TextOptions text;
    Settings settings; // for what only one format needs
    bool is_terminal = false; // Pretty: colours and width

    static FormatOptions from(const Settings& settings, const std::string& session_timezone);
};

// What a result carries after its rows, for formats that print it (JSON).
struct ResultStatistics
{
    double elapsed_s = 0;
    uint64_t rows_read = 0;
    uint64_t bytes_read = 0;
    std::optional<uint64_t> rows_before_limit;
};

class OutputFormat
{
public:
    virtual ~OutputFormat() = default;
    // Called once, before any block, also when there will be none.
    virtual void begin(const Header& header) = 0;
    // Columns in any form.
    virtual void write(const Block& block) = 0;
    virtual void totals(const Block& block) {}
    virtual void extremes(const Block& block) {}
    // Called once at a good end.
    virtual void finish(const ResultStatistics& statistics) = 0;
    // Instead of finish() when the query fails after bytes were written: what a reader of the
    // format can recognise, if the format has such a thing.
    virtual void fail(const std::string& message) {}
};

// Rows of one read. omitted[c][i] = 1: column c was absent from row i and holds its type's
// default, to be replaced by the column's DEFAULT expression. An empty mask: none omitted.
struct InputBlock
{
    Block block;
    std::vector<Mask> omitted;
};

class InputFormat
{
public:
    virtual ~InputFormat() = default;
    // Up to max_rows rows; zero rows at the end. Throws with row number, column and the beginning
    // of the value; rows given before stay valid.
    virtual InputBlock read(size_t max_rows) = 0;
};

struct InputFormatContext
{
    Header header; // what is wanted, in order
    FormatOptions options;
    // VALUES: parses and evaluates the expression that begins at `text` and appends its value;
    // returns the bytes used, 0 when it is not an expression. May be empty.
    std::function<size_t(std::string_view text, const TypePtr& type, Column& into)> expression;
};

using OutputFormatFactory = std::unique_ptr<OutputFormat> (*)(OutputBuffer& out,
                                                              const FormatOptions& options);
using InputFormatFactory = std::unique_ptr<InputFormat> (*)(InputBuffer& in,
                                                            InputFormatContext context);
// The size of the longest prefix of `bytes` that ends at a row's end; 0 when there is none. With
// it, input may be cut and parsed by several threads.
using RowBorderFinder = size_t (*)(std::string_view bytes);

struct FormatEntry
{
    std::string name;
    OutputFormatFactory output = nullptr; // null: not an output format
    InputFormatFactory input = nullptr;
    RowBorderFinder row_border = nullptr;
    std::string content_type = "text/plain; charset=UTF-8";
    bool is_binary = false;
};

class FormatRegistry
{
public:
    void add(FormatEntry entry);
    const FormatEntry* find(std::string_view name) const; // any case, as ClickHouse
    const FormatEntry& get_output(std::string_view name) const; // UNKNOWN_FORMAT, FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
    const FormatEntry& get_input(std::string_view name) const;
    std::vector<const FormatEntry*> entries() const;

private:
    std::map<std::string, FormatEntry, std::less<>> by_lower_name_;
};

const FormatRegistry& formats();
void register_all_format(FormatRegistry& registry);

} // namespace basalt
