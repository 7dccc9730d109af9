#include "formats/row_input.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

RowInput::RowInput(InputBuffer& in, InputFormatContext context)
    : in_(in), context_(std::move(context)), text_(context_.options.text),
      allowed_errors_(context_.options.settings.get_uint("input_format_allow_errors_num")),
      allowed_error_ratio_(context_.options.settings.get_float("input_format_allow_errors_ratio"))
{
    for (size_t i = 0; i < context_.header.size(); ++i)
    {
        const NamedType& column = context_.header[i];
        serializations_.push_back(serialization_of(column.type));
        takes_null_.push_back(is_nullable_or_lc_nullable(column.type));
        column_by_name_.emplace(column.name, i);
    }
}

int RowInput::find_column(std::string_view name) const
{
    const auto found = column_by_name_.find(name);
    return found == column_by_name_.end() ? -1 : static_cast<int>(found->second);
}

bool RowInput::names_type(const std::string& name, const TypePtr& type)
{
    if (name == type->name())
        return true;
    try
    {
        return type_from_name(name)->name() == type->name();
    }
    catch (const Error&)
    {
        return false;
    }
}

void RowInput::start_block()
{
    columns_.clear();
    for (const NamedType& column : context_.header)
        columns_.push_back(column.type->create_column());
    omitted_.assign(columns_.size(), Mask());
    row_ = 0;
}

void RowInput::take_back_row()
{
    for (size_t i = 0; i < columns_.size(); ++i)
    {
        Column& column = *columns_[i];
        if (column.size() > row_)
            column.remove_last(column.size() - row_);
        if (omitted_[i].size() > row_)
            omitted_[i].resize(row_);
    }
}

bool RowInput::parse_field(size_t column, TextCursor& cursor, TextPlace place)
{
    current_column_ = static_cast<int>(column);
    field_begin_ = cursor.pos;
    if (!takes_null_[column] && text_.null_as_default && parse_null(cursor, place, text_))
    {
        append_omitted(column);
        return true;
    }
    return serializations_[column]->parse_text(*columns_[column], cursor, place, text_);
}

void RowInput::append_omitted(size_t column)
{
    columns_[column]->append_default();
    omitted_[column].resize_fill(row_, 0);
    omitted_[column].push_back(1);
}

void RowInput::drop_omitted(size_t column)
{
    if (omitted_[column].size() > row_)
        omitted_[column].resize(row_);
}

void RowInput::skip_row(TextCursor& cursor)
{
    const size_t line_end = cursor.rest().find('\n');
    cursor.pos = line_end == std::string_view::npos ? cursor.end : cursor.pos + line_end + 1;
}

bool RowInput::may_skip_error()
{
    ++errors_;
    const auto rows = static_cast<double>(rows_before_ + row_ + 1);
    return errors_ <= allowed_errors_ ||
           static_cast<double>(errors_) <= allowed_error_ratio_ * rows;
}

void RowInput::throw_row_error(const TextCursor& cursor)
{
    std::string message = fmt::format("{}: (at row {})", cursor.message, rows_before_ + row_ + 1);
    if (current_column_ >= 0)
    {
        const NamedType& column = context_.header[static_cast<size_t>(current_column_)];
        message += fmt::format(": while reading column {} of type {}", column.name,
                               column.type->name());
        if (field_begin_ && field_begin_ <= cursor.end)
            message += ", its text begins with " +
                       quoted_excerpt({field_begin_,
                                       static_cast<size_t>(cursor.end - field_begin_)});
    }
    throw Error(cursor.code, message);
}

InputBlock RowInput::read(size_t max_rows)
{
    start_block();
    while (!prefix_done_)
    {
        in_.eof();
        TextCursor cursor(in_.available());
        wants_more_ = false;
        const bool good = parse_prefix(cursor);
        const auto used = static_cast<size_t>(cursor.pos - in_.position());
        // What ended at the end of the buffer may go on in the next one.
        if ((!good || wants_more_ || cursor.at_end()) && in_.refill())
            continue;
        if (!good)
            cursor.throw_error();
        in_.consume(used);
        prefix_done_ = true;
    }
    while (row_ < max_rows && !ended_)
    {
        in_.eof();
        TextCursor cursor(in_.available());
        current_column_ = -1;
        field_begin_ = nullptr;
        const RowResult result = parse_row(cursor);
        if (result == RowResult::Row && !cursor.at_end()) [[likely]]
        {
            in_.set_position(cursor.pos);
            ++row_;
            continue;
        }
        if (result == RowResult::End && !cursor.at_end())
        {
            in_.set_position(cursor.pos);
            ended_ = true;
            break;
        }
        // What reached the end of the buffer, or failed, may read differently with more bytes.
        // The buffer grows by half each time, so that long rows are parsed few times.
        const size_t had = in_.available().size();
        const auto used = static_cast<size_t>(cursor.pos - in_.position());
        const auto field = field_begin_ ? field_begin_ - in_.position() : -1;
        if (in_.ensure(result == RowResult::End ? had + 1 : had + had / 2 + 1) > had)
        {
            take_back_row();
            continue;
        }
        cursor.end = in_.end();
        cursor.pos = in_.position() + used;
        field_begin_ = field >= 0 ? in_.position() + field : nullptr;
        if (result == RowResult::End)
        {
            in_.set_position(cursor.pos);
            ended_ = true;
            break;
        }
        if (result == RowResult::Failed)
        {
            take_back_row();
            if (!may_skip_error())
                throw_row_error(cursor);
            skip_row(cursor);
            in_.set_position(cursor.pos);
            ++rows_before_;
            continue;
        }
        in_.set_position(cursor.pos);
        ++row_;
    }
    InputBlock result;
    std::vector<NamedColumn> columns;
    for (size_t i = 0; i < columns_.size(); ++i)
    {
        columns.push_back({columns_[i], context_.header[i].type, context_.header[i].name});
        if (!omitted_[i].empty())
            omitted_[i].resize_fill(row_, 0);
    }
    result.block = Block(std::move(columns), row_);
    result.omitted = std::move(omitted_);
    rows_before_ += row_;
    columns_.clear();
    return result;
}

size_t find_line_border(std::string_view bytes)
{
    const size_t at = bytes.rfind('\n');
    return at == std::string_view::npos ? 0 : at + 1;
}

size_t find_tsv_border(std::string_view bytes)
{
    // A line end after an odd number of backslashes belongs to the value.
    for (size_t at = bytes.rfind('\n'); at != std::string_view::npos; at = bytes.rfind('\n', at - 1))
    {
        size_t backslashes = 0;
        while (backslashes < at && bytes[at - 1 - backslashes] == '\\')
            ++backslashes;
        if (backslashes % 2 == 0)
            return at + 1;
        if (at == 0)
            break;
    }
    return 0;
}

size_t find_csv_border(std::string_view bytes)
{
    size_t border = 0;
    size_t at = 0;
    bool quoted = false;
    while (at < bytes.size())
    {
        const size_t next = quoted ? bytes.find('"', at) : bytes.find_first_of("\"\n", at);
        if (next == std::string_view::npos)
            break;
        if (bytes[next] == '"')
            quoted = !quoted;
        else
            border = next + 1;
        at = next + 1;
    }
    return border;
}

size_t find_json_border(std::string_view bytes)
{
    size_t border = 0;
    size_t depth = 0;
    bool in_string = false;
    for (size_t at = 0; at < bytes.size(); ++at)
    {
        const char c = bytes[at];
        if (in_string)
        {
            if (c == '\\')
                ++at;
            else if (c == '"')
                in_string = false;
        }
        else if (c == '"')
            in_string = true;
        else if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && depth > 0)
            --depth;
        else if (c == '\n' && depth == 0)
            border = at + 1;
    }
    return border;
}

} // namespace basalt
