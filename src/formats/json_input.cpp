#include "formats/json_input.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class JsonRowInput final : public RowInput
{
public:
    JsonRowInput(InputBuffer& in, InputFormatContext context, JsonRows rows, JsonFrame frame)
        : RowInput(in, std::move(context)), frame_(frame),
          objects_(rows == JsonRows::Objects || rows == JsonRows::StringObjects),
          strings_(rows == JsonRows::StringObjects || rows == JsonRows::StringArrays)
    {
        const Settings& settings = context_.options.settings;
        skips_unknown_ = settings.get_bool("input_format_skip_unknown_fields");
        ignores_unnecessary_ = settings.get_bool("input_format_json_ignore_unnecessary_fields");
        any_column_count_ =
            settings.get_bool("input_format_json_compact_allow_variable_number_of_columns");
        uses_names_ = settings.get_bool("input_format_with_names_use_header");
        for (size_t i = 0; i < context_.header.size(); ++i)
        {
            std::string key;
            StringOutputBuffer out(key);
            write_json_string(out, context_.header[i].name, false);
            out.finish();
            quoted_names_.push_back(std::move(key));
            fields_.push_back(static_cast<int>(i));
        }
    }

protected:
    bool parse_prefix(TextCursor& cursor) override
    {
        cursor.skip_word("\xEF\xBB\xBF"); // byte order mark
        cursor.skip_spaces();
        switch (frame_)
        {
        case JsonFrame::Rows:
            // [row, row] for objects; an array row begins in the same way when rows are arrays.
            in_brackets_ = objects_ && cursor.skip('[');
            return true;
        case JsonFrame::RowsWithNames:
        case JsonFrame::RowsWithNamesAndTypes:
            return parse_header(cursor);
        case JsonFrame::NamedRows:
            return cursor.expect('{');
        case JsonFrame::Document:
            return find_data(cursor);
        }
        return true;
    }

    RowResult parse_row(TextCursor& cursor) override
    {
        if (!at_row(cursor))
            return cursor.code == 0 ? RowResult::End : RowResult::Failed;
        if (frame_ == JsonFrame::NamedRows && !skip_row_name(cursor))
            return RowResult::Failed;
        if (!(objects_ ? parse_object(cursor) : parse_array(cursor)))
            return RowResult::Failed;
        if (frame_ == JsonFrame::Rows || frame_ == JsonFrame::RowsWithNames ||
            frame_ == JsonFrame::RowsWithNamesAndTypes)
            cursor.skip('\n');
        return RowResult::Row;
    }

private:
    // Moves to the next row; false at the end of the rows or, with a code, on what is none.
    bool at_row(TextCursor& cursor)
    {
        cursor.skip_spaces();
        if (cursor.peek() == ',' || cursor.peek() == ';')
        {
            ++cursor.pos;
            cursor.skip_spaces();
        }
        const bool framed = frame_ == JsonFrame::NamedRows || frame_ == JsonFrame::Document;
        if (framed || in_brackets_)
        {
            if (cursor.at_end())
                return cursor.fail(error_codes::CANNOT_READ_ALL_DATA,
                                   "Unexpected end of stream while parsing JSON rows");
            // What stands behind the rows does not matter.
            if (*cursor.pos == (frame_ == JsonFrame::NamedRows ? '}' : ']'))
            {
                cursor.pos = cursor.end;
                return false;
            }
            return true;
        }
        return !cursor.at_end();
    }

    bool parse_object(TextCursor& cursor)
    {
        if (!cursor.expect('{'))
            return false;
        size_t expected = 0; // the column whose key most likely comes next
        size_t read = 0;
        cursor.skip_spaces();
        if (!cursor.skip('}'))
        {
            for (;;)
            {
                int column = -1;
                const bool complete = read == columns_.size();
                // Once every column has its value, what follows does not matter.
                if (complete && ignores_unnecessary_ && skips_unknown_)
                {
                    key_.clear();
                    if (!parse_json_string(cursor, key_))
                        return false;
                }
                else if (!parse_key(cursor, expected, column))
                    return false;
                cursor.skip_spaces();
                if (!cursor.expect(':'))
                    return false;
                cursor.skip_spaces();
                if (column < 0)
                {
                    if (!skip_json_value(cursor))
                        return false;
                }
                else
                {
                    const auto index = static_cast<size_t>(column);
                    if (has_value(index))
                        return cursor.fail(error_codes::INCORRECT_DATA,
                                           "Duplicate field found while parsing JSONEachRow "
                                           "format: " +
                                               context_.header[index].name);
                    if (!parse_value(index, cursor))
                        return false;
                    ++read;
                    expected = index + 1;
                }
                cursor.skip_spaces();
                if (cursor.skip(','))
                {
                    cursor.skip_spaces();
                    continue;
                }
                if (cursor.skip('}'))
                    break;
                if (cursor.at_end())
                    return cursor.fail(error_codes::CANNOT_READ_ALL_DATA,
                                       "Unexpected end of stream while parsing JSONEachRow format");
                return cursor.expect(',');
            }
        }
        if (read < columns_.size())
            for (size_t i = 0; i < columns_.size(); ++i)
                if (!has_value(i))
                    append_omitted(i);
        return true;
    }

    // column: -1 for one that is not wanted.
    bool parse_key(TextCursor& cursor, size_t expected, int& column)
    {
        if (expected < quoted_names_.size() && cursor.skip_word(quoted_names_[expected])) [[likely]]
        {
            column = static_cast<int>(expected);
            return true;
        }
        key_.clear();
        if (!parse_json_string(cursor, key_))
            return false;
        const std::string_view name(key_.data(), key_.size());
        column = find_column(name);
        if (column < 0 && !skips_unknown_)
            return cursor.fail(error_codes::INCORRECT_DATA,
                               "Unknown field found while parsing JSONEachRow format: " +
                                   std::string(name));
        return true;
    }

    bool parse_array(TextCursor& cursor)
    {
        if (!cursor.expect('['))
            return false;
        for (size_t i = 0; i < fields_.size(); ++i)
        {
            cursor.skip_spaces();
            if (any_column_count_ && cursor.peek() == ']')
            {
                for (; i < fields_.size(); ++i)
                    if (fields_[i] >= 0)
                        append_omitted(static_cast<size_t>(fields_[i]));
                break;
            }
            if (i > 0 && !cursor.expect(','))
                return false;
            cursor.skip_spaces();
            if (!(fields_[i] >= 0 ? parse_value(static_cast<size_t>(fields_[i]), cursor)
                                  : skip_json_value(cursor)))
                return false;
        }
        for (const size_t column : absent_)
            append_omitted(column);
        cursor.skip_spaces();
        if (any_column_count_)
            while (cursor.skip(','))
            {
                if (!skip_json_value(cursor))
                    return false;
                cursor.skip_spaces();
            }
        return cursor.expect(']');
    }

    bool parse_value(size_t column, TextCursor& cursor)
    {
        if (!strings_)
            return parse_field(column, cursor, TextPlace::Json);
        key_.clear();
        if (!parse_json_string(cursor, key_))
            return false;
        TextCursor inner(std::string_view(key_.data(), key_.size()), cursor.quiet);
        const TypePtr& type = context_.header[column].type;
        // NULL among strings is written for people.
        if (inner.rest() == "ᴺᵁᴸᴸ" && !strip_wrappers(type)->is_string())
            columns_[column]->append_default();
        else if (inner.rest() == "ᴺᵁᴸᴸ" && is_nullable_or_lc_nullable(type))
            columns_[column]->append_default();
        else if (!serializations_[column]->parse_text(*columns_[column], inner, TextPlace::Whole,
                                                      text_))
            return cursor.fail(inner.code, inner.message);
        else if (!inner.at_end())
            return cursor.fail(error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                               "Unexpected data " + quoted_excerpt(inner.rest()) +
                                   " after the value");
        return true;
    }

    bool skip_row_name(TextCursor& cursor)
    {
        key_.clear();
        if (!parse_json_string(cursor, key_))
            return false;
        cursor.skip_spaces();
        if (!cursor.expect(':'))
            return false;
        cursor.skip_spaces();
        return true;
    }

    bool parse_strings(TextCursor& cursor, std::vector<std::string>& strings)
    {
        cursor.skip_spaces();
        if (!cursor.expect('['))
            return false;
        for (;;)
        {
            cursor.skip_spaces();
            if (cursor.skip(']'))
                return true;
            if (!strings.empty() && !cursor.expect(','))
                return false;
            cursor.skip_spaces();
            key_.clear();
            if (!parse_json_string(cursor, key_))
                return false;
            strings.emplace_back(key_.data(), key_.size());
        }
    }

    bool parse_header(TextCursor& cursor)
    {
        std::vector<std::string> names, types;
        if (cursor.at_end())
            return true;
        if (!parse_strings(cursor, names))
            return false;
        if (frame_ == JsonFrame::RowsWithNamesAndTypes && !parse_strings(cursor, types))
            return false;
        if (!uses_names_)
            return true;
        std::vector<bool> seen(context_.header.size());
        fields_.clear();
        for (const std::string& name : names)
        {
            const int column = find_column(name);
            if (column < 0 && !skips_unknown_)
                return cursor.fail(error_codes::INCORRECT_DATA,
                                   "Unknown field found in the header: " + quoted_excerpt(name));
            if (column >= 0)
            {
                if (seen[static_cast<size_t>(column)])
                    return cursor.fail(error_codes::INCORRECT_DATA,
                                       "Duplicate field found in the header: " +
                                           quoted_excerpt(name));
                seen[static_cast<size_t>(column)] = true;
            }
            fields_.push_back(column);
        }
        absent_.clear();
        for (size_t i = 0; i < seen.size(); ++i)
            if (!seen[i])
                absent_.push_back(i);
        for (size_t i = 0; i < types.size() && i < fields_.size(); ++i)
            if (fields_[i] >= 0)
            {
                const NamedType& column = context_.header[static_cast<size_t>(fields_[i])];
                if (!names_type(types[i], column.type))
                    return cursor.fail(error_codes::INCORRECT_DATA,
                                       fmt::format("Type of '{}' must be {}, not {}", column.name,
                                                   column.type->name(), types[i]));
            }
        return true;
    }

    // Moves behind the bracket that opens the value of "data".
    bool find_data(TextCursor& cursor)
    {
        if (!cursor.expect('{'))
            return false;
        for (bool first = true;; first = false)
        {
            cursor.skip_spaces();
            if (!first && !cursor.expect(','))
                return false;
            cursor.skip_spaces();
            key_.clear();
            if (!parse_json_string(cursor, key_))
                return false;
            cursor.skip_spaces();
            if (!cursor.expect(':'))
                return false;
            cursor.skip_spaces();
            if (std::string_view(key_.data(), key_.size()) == "data")
                return cursor.expect('[');
            if (!skip_json_value(cursor))
                return false;
        }
    }

    JsonFrame frame_;
    bool objects_;
    bool strings_;
    bool in_brackets_ = false;
    bool skips_unknown_;
    bool ignores_unnecessary_;
    bool any_column_count_;
    bool uses_names_;
    std::vector<std::string> quoted_names_;
    std::vector<int> fields_;    // wanted column of each array element, -1 for none
    std::vector<size_t> absent_; // wanted columns that no element is for
    PodVector<char> key_;
};

} // namespace

std::unique_ptr<InputFormat> make_json_row_input(InputBuffer& in, InputFormatContext context,
                                                 JsonRows rows, JsonFrame frame)
{
    return std::make_unique<JsonRowInput>(in, std::move(context), rows, frame);
}

} // namespace basalt
