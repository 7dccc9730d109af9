#pragma once

// What text formats that are read row after row share: rows that end beyond the buffer are read
// again once more bytes are there, errors name row, column and value, bad rows may be skipped.

#include "columns/string_text.h"
#include "formats/format.h"

#include <unordered_map>

namespace basalt
{

// Lines before the rows of a format.
enum class HeaderLines : uint8_t
{
    None,
    Names,
    NamesAndTypes,
};

enum class RowResult : uint8_t
{
    Row,
    End,    // nothing but spaces is left
    Failed, // cursor says why
};

class RowInput : public InputFormat
{
public:
    RowInput(InputBuffer& in, InputFormatContext context);
    InputBlock read(size_t max_rows) override;

protected:
    // Appends one value to every column. After Failed, or when it is called again for the same
    // row, whatever was appended is taken back by the caller.
    virtual RowResult parse_row(TextCursor& cursor) = 0;
    // What stands before the first row; false after cursor.fail(). Sets wants_more_ when the
    // bytes at hand do not suffice to tell; it is asked again with more, if there are more.
    virtual bool parse_prefix(TextCursor& cursor) { return true; }
    // Moves past a bad row. By default past the next line end.
    virtual void skip_row(TextCursor& cursor);

    // Appends a value parsed at the cursor. A NULL for a column without NULL, if allowed, is its
    // default and counts as omitted.
    bool parse_field(size_t column, TextCursor& cursor, TextPlace place);
    // The column's default, to be replaced by its DEFAULT expression.
    void append_omitted(size_t column);
    bool has_value(size_t column) const { return columns_[column]->size() > row_; }
    // After the current row's value of the column was removed.
    void drop_omitted(size_t column);

    // Whether a name in a header means the type; no name of a type means none.
    static bool names_type(const std::string& name, const TypePtr& type);

    // -1 when no such column is wanted.
    int find_column(std::string_view name) const;

    InputBuffer& in_;
    InputFormatContext context_;
    const TextOptions& text_;
    std::vector<MutableColumnPtr> columns_;
    std::vector<SerializationPtr> serializations_;
    std::vector<bool> takes_null_;
    size_t row_ = 0;            // number of the current row in columns_
    bool wants_more_ = false;
    int current_column_ = -1;   // for messages
    const char* field_begin_ = nullptr;

private:
    void start_block();
    void take_back_row();
    [[noreturn]] void throw_row_error(const TextCursor& cursor);
    bool may_skip_error();

    std::vector<Mask> omitted_;
    std::unordered_map<std::string_view, size_t> column_by_name_;
    uint64_t rows_before_ = 0; // of earlier blocks, and skipped ones
    uint64_t errors_ = 0;
    uint64_t allowed_errors_;
    double allowed_error_ratio_;
    bool prefix_done_ = false;
    bool ended_ = false;
};

// Row borders (see RowBorderFinder): unescaped line ends; line ends outside of quotes; ends of
// JSON objects or arrays followed by a line end.
size_t find_line_border(std::string_view bytes);
size_t find_tsv_border(std::string_view bytes);
size_t find_csv_border(std::string_view bytes);
size_t find_json_border(std::string_view bytes);

} // namespace basalt
