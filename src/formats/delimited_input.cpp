#include "formats/delimited_input.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class DelimitedInput final : public RowInput
{
public:
    DelimitedInput(InputBuffer& in, InputFormatContext context, TextPlace place, HeaderLines lines)
        : RowInput(in, std::move(context)), place_(place), lines_(lines),
          is_csv_(place == TextPlace::Csv), delimiter_(is_csv_ ? text_.csv_delimiter : '\t')
    {
        const std::string kind = is_csv_ ? "csv" : "tsv";
        const Settings& settings = context_.options.settings;
        const auto on = [&](const std::string& name)
        { return settings.get_bool("input_format_" + kind + "_" + name); };
        detects_header_ = lines == HeaderLines::None && on("detect_header");
        any_column_count_ = on("allow_variable_number_of_columns");
        skips_empty_tail_ = on("skip_trailing_empty_lines");
        skip_lines_ = settings.get_uint("input_format_" + kind + "_skip_first_lines");
        takes_crlf_ = is_csv_ || settings.get_bool("input_format_tsv_crlf_end_of_line");
        trims_ = is_csv_ && settings.get_bool("input_format_csv_trim_whitespaces");
        uses_names_ = settings.get_bool("input_format_with_names_use_header");
        checks_types_ = settings.get_bool("input_format_with_types_use_header");
        skips_unknown_ = settings.get_bool("input_format_skip_unknown_fields");
    }

protected:
    bool parse_prefix(TextCursor& cursor) override
    {
        fields_.clear();
        absent_.clear();
        for (size_t i = 0; i < context_.header.size(); ++i)
            fields_.push_back(static_cast<int>(i));
        cursor.skip_word("\xEF\xBB\xBF"); // byte order mark
        for (uint64_t i = 0; i < skip_lines_; ++i)
            skip_row(cursor);
        if (lines_ == HeaderLines::None)
        {
            if (detects_header_)
                detect_header(cursor);
            return true;
        }
        std::vector<std::string> names, types;
        if (cursor.at_end())
            return true;
        if (!parse_line(cursor, names))
            return false;
        if (lines_ == HeaderLines::NamesAndTypes && !parse_line(cursor, types))
            return false;
        return use_header(cursor, names, types);
    }

    RowResult parse_row(TextCursor& cursor) override
    {
        if (cursor.at_end())
            return RowResult::End;
        if (skips_empty_tail_)
        {
            const char* const start = cursor.pos;
            while (cursor.skip('\n') || cursor.skip('\r')) {}
            if (cursor.at_end())
                return RowResult::End;
            cursor.pos = start;
        }
        for (size_t i = 0; i < fields_.size(); ++i)
        {
            if (i > 0)
            {
                if (any_column_count_ && at_line_end(cursor))
                {
                    for (; i < fields_.size(); ++i)
                        if (fields_[i] >= 0)
                            append_omitted(static_cast<size_t>(fields_[i]));
                    break;
                }
                if (!cursor.expect(delimiter_))
                    return RowResult::Failed;
            }
            if (trims_)
                skip_blanks(cursor);
            // A return before the line end is not part of the last value.
            const char* const end = cursor.end;
            if (takes_crlf_ && !is_csv_ && i + 1 == fields_.size())
                cursor.end = before_return(cursor);
            const bool good = fields_[i] >= 0
                                  ? parse_wanted(static_cast<size_t>(fields_[i]), cursor)
                                  : skip_field(cursor);
            cursor.end = end;
            if (!good)
                return RowResult::Failed;
            if (trims_)
                skip_blanks(cursor);
        }
        for (const size_t column : absent_)
            append_omitted(column);
        if (any_column_count_)
            while (!at_line_end(cursor))
                if (!cursor.skip(delimiter_) || !skip_field(cursor))
                    break;
        return parse_line_end(cursor) ? RowResult::Row : RowResult::Failed;
    }

private:
    bool at_line_end(const TextCursor& cursor) const
    {
        const int next = cursor.peek();
        return next == -1 || next == '\n' || (next == '\r' && takes_crlf_);
    }

    // A blank may be the delimiter itself.
    void skip_blanks(TextCursor& cursor) const
    {
        while (!cursor.at_end() && (*cursor.pos == ' ' || *cursor.pos == '\t') &&
               *cursor.pos != delimiter_)
            ++cursor.pos;
    }

    static const char* before_return(const TextCursor& cursor)
    {
        const size_t line_end = cursor.rest().find('\n');
        if (line_end == std::string_view::npos || line_end == 0 ||
            cursor.pos[line_end - 1] != '\r')
            return cursor.end;
        return cursor.pos + line_end - 1;
    }

    bool parse_line_end(TextCursor& cursor)
    {
        if (!is_csv_ && !takes_crlf_ && cursor.peek() == '\n' && field_begin_ != cursor.pos &&
            field_begin_ && cursor.pos[-1] == '\r')
            --cursor.pos;
        else if (cursor.skip('\n') || cursor.at_end())
            return true;
        if (*cursor.pos == '\r' && takes_crlf_)
        {
            ++cursor.pos;
            return cursor.at_end() || cursor.expect('\n');
        }
        if (is_csv_)
            return cursor.fail(error_codes::INCORRECT_DATA, "Expected end of line");
        if (*cursor.pos == '\r')
            return cursor.fail(error_codes::INCORRECT_DATA,
                               "There is a carriage return (\\r) at the end of the row, as in a "
                               "file with DOS/Windows line ends; the setting "
                               "input_format_tsv_crlf_end_of_line accepts it");
        return cursor.fail_expected("\n");
    }

    bool parse_wanted(size_t column, TextCursor& cursor)
    {
        const bool empty = at_line_end(cursor) || cursor.peek() == static_cast<unsigned char>(delimiter_);
        if (empty && !is_csv_ && text_.empty_as_default)
        {
            append_omitted(column);
            return true;
        }
        if (!parse_field(column, cursor, place_))
            return false;
        if (place_ != TextPlace::Raw || at_line_end(cursor) || cursor.peek() == delimiter_)
            return true;
        return cursor.fail(error_codes::UNEXPECTED_DATA_AFTER_PARSED_VALUE,
                           "Unexpected data " +
                               quoted_excerpt(cursor.rest().substr(
                                   0, cursor.rest().find_first_of("\t\n"))) +
                               " after the value");
    }

    bool skip_field(TextCursor& cursor)
    {
        PodVector<char> ignored;
        return parse_string_text(cursor, ignored);
    }

    bool parse_string_text(TextCursor& cursor, PodVector<char>& to)
    {
        if (is_csv_)
            return parse_csv_string(cursor, to, text_);
        if (place_ == TextPlace::Escaped)
            return parse_escaped(cursor, to);
        const size_t size = std::min(cursor.rest().find_first_of("\t\n"), cursor.left());
        to.append(cursor.pos, size);
        cursor.pos += size;
        return true;
    }

    bool parse_line(TextCursor& cursor, std::vector<std::string>& values)
    {
        for (;;)
        {
            PodVector<char> value;
            if (trims_)
                skip_blanks(cursor);
            if (!parse_string_text(cursor, value))
                return false;
            if (trims_)
                skip_blanks(cursor);
            if (takes_crlf_ && !is_csv_ && !value.empty() && value.back() == '\r')
                value.pop_back();
            values.emplace_back(value.data(), value.size());
            if (!cursor.skip(delimiter_))
                return parse_line_end(cursor);
        }
    }

    bool use_header(TextCursor& cursor, const std::vector<std::string>& names,
                    const std::vector<std::string>& types)
    {
        if (uses_names_)
        {
            std::vector<bool> seen(context_.header.size());
            fields_.clear();
            for (const std::string& name : names)
            {
                const int column = find_column(name);
                if (column < 0 && !skips_unknown_)
                    return cursor.fail(error_codes::INCORRECT_DATA,
                                       "Unknown field found in the header: " + quoted_excerpt(name));
                if (column >= 0 && seen[static_cast<size_t>(column)])
                    return cursor.fail(error_codes::INCORRECT_DATA,
                                       "Duplicate field found in the header: " +
                                           quoted_excerpt(name));
                if (column >= 0)
                    seen[static_cast<size_t>(column)] = true;
                fields_.push_back(column);
            }
            absent_.clear();
            for (size_t i = 0; i < seen.size(); ++i)
                if (!seen[i])
                    absent_.push_back(i);
        }
        if (types.empty() || !checks_types_)
            return true;
        if (types.size() != fields_.size())
            return cursor.fail(error_codes::INCORRECT_DATA,
                               fmt::format("The header has {} names and {} types", fields_.size(),
                                           types.size()));
        for (size_t i = 0; i < types.size(); ++i)
        {
            if (fields_[i] < 0)
                continue;
            const NamedType& column = context_.header[static_cast<size_t>(fields_[i])];
            if (!names_type(types[i], column.type))
                return cursor.fail(error_codes::INCORRECT_DATA,
                                   fmt::format("Type of '{}' must be {}, not {}", column.name,
                                               column.type->name(), types[i]));
        }
        return true;
    }

    // A first line of nothing but names of columns is a header; a second one of their types too.
    void detect_header(TextCursor& cursor)
    {
        TextCursor probe(cursor.rest(), true);
        std::vector<std::string> names, types;
        const bool parsed = parse_line(probe, names);
        // Only whole lines tell.
        wants_more_ = probe.at_end();
        if (!parsed)
            return;
        std::vector<bool> seen(context_.header.size());
        for (const std::string& name : names)
        {
            const int column = find_column(name);
            if (column < 0 || seen[static_cast<size_t>(column)])
                return;
            seen[static_cast<size_t>(column)] = true;
        }
        cursor.pos = probe.pos;
        const bool has_types = parse_line(probe, types);
        wants_more_ = probe.at_end();
        if (has_types && types.size() == names.size())
        {
            bool all_types = true;
            for (size_t i = 0; i < types.size(); ++i)
                all_types = all_types &&
                            types[i] == context_.header[static_cast<size_t>(find_column(names[i]))]
                                            .type->name();
            if (all_types)
                cursor.pos = probe.pos;
        }
        use_header(cursor, names, {});
    }

    TextPlace place_;
    HeaderLines lines_;
    bool is_csv_;
    char delimiter_;
    bool detects_header_;
    bool any_column_count_;
    bool skips_empty_tail_;
    uint64_t skip_lines_;
    bool takes_crlf_;
    bool trims_;
    bool uses_names_;
    bool checks_types_;
    bool skips_unknown_;
    std::vector<int> fields_;    // wanted column of each field, -1 for none
    std::vector<size_t> absent_; // wanted columns that have no field
};

} // namespace

std::unique_ptr<InputFormat> make_delimited_input(InputBuffer& in, InputFormatContext context,
                                                  TextPlace place, HeaderLines lines)
{
    return std::make_unique<DelimitedInput>(in, std::move(context), place, lines);
}

} // namespace basalt
