#pragma once

// What formats that write row after row share.

#include "columns/string_text.h"
#include "formats/format.h"

namespace basalt
{

// NULL where people read: Pretty, Vertical, JSONStrings.
inline constexpr std::string_view kReadableNull = "ᴺᵁᴸᴸ";

class RowOutput : public OutputFormat
{
public:
    RowOutput(OutputBuffer& out, const FormatOptions& options)
        : out_(out), options_(options), text_(options_.text)
    {
    }

    void begin(const Header& header) override;
    void write(const Block& block) override;
    void finish(const ResultStatistics& statistics) override { write_suffix(); }

protected:
    virtual void write_prefix() {}
    virtual void write_suffix() {}
    virtual void write_row(const Block& block, size_t row) = 0;

    // One value in a place, and as text for people.
    void write_value(const Block& block, size_t column, size_t row, TextPlace place)
    {
        serializations_[column]->write_text(*block[column].column, row, out_, place, text_);
    }
    void write_readable(const Column& column, size_t index, size_t row, OutputBuffer& out);
    // write_readable as a JSON string.
    void write_json_readable(const Column& column, size_t index, size_t row);

    OutputBuffer& out_;
    FormatOptions options_;
    TextOptions& text_;
    Header header_;
    std::vector<SerializationPtr> serializations_;
    size_t rows_ = 0; // written by write() so far

private:
    std::string scratch_;
};

// Whether people expect values of the type at the right side of a column: numbers, dates, times.
bool is_shown_right(const TypePtr& type);

// A factory of formats that are constructed from (out, options, args…).
template <class Format, auto... kArgs>
std::unique_ptr<OutputFormat> make_output(OutputBuffer& out, const FormatOptions& options)
{
    return std::make_unique<Format>(out, options, kArgs...);
}

inline constexpr const char* kJsonContentType = "application/json; charset=UTF-8";
inline constexpr const char* kNdjsonContentType = "application/x-ndjson; charset=UTF-8";
inline constexpr const char* kTsvContentType = "text/tab-separated-values; charset=UTF-8";
inline constexpr const char* kBinaryContentType = "application/octet-stream";

} // namespace basalt
