#include "formats/row_input.h"
#include "formats/row_output.h"

namespace basalt
{

namespace
{

// name=value between tabs.
class TskvOutput final : public RowOutput
{
public:
    using RowOutput::RowOutput;

protected:
    void write_row(const Block& block, size_t row) override
    {
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write('\t');
            write_escaped_key(out_, header_[i].name);
            out_.write('=');
            write_value(block, i, row, TextPlace::Escaped);
        }
        out_.write('\n');
    }
};

class TskvInput final : public RowInput
{
public:
    TskvInput(InputBuffer& in, InputFormatContext context)
        : RowInput(in, std::move(context)),
          skips_unknown_(context_.options.settings.get_bool("input_format_skip_unknown_fields"))
    {
    }

protected:
    RowResult parse_row(TextCursor& cursor) override
    {
        if (cursor.at_end())
            return RowResult::End;
        while (!cursor.skip('\n'))
        {
            if (!parse_pair(cursor))
                return RowResult::Failed;
            if (cursor.at_end())
                break;
            if (!cursor.skip('\t') && cursor.peek() != '\n')
            {
                cursor.fail_expected("\n");
                return RowResult::Failed;
            }
        }
        for (size_t i = 0; i < columns_.size(); ++i)
            if (!has_value(i))
                append_omitted(i);
        return RowResult::Row;
    }

private:
    bool parse_pair(TextCursor& cursor)
    {
        // The name ends at the first = that is not escaped.
        size_t end = cursor.rest().find_first_of("=\t\n\\");
        while (end != std::string_view::npos && cursor.pos[end] == '\\')
            end = cursor.rest().find_first_of("=\t\n\\", end + 2);
        if (end == std::string_view::npos || cursor.pos[end] != '=')
        {
            // tskv alone marks the format and is let pass.
            if (cursor.skip_word("tskv"))
                return true;
            return cursor.fail_expected("=");
        }
        TextCursor name_cursor(cursor.rest().substr(0, end));
        name_.clear();
        if (!parse_escaped(name_cursor, name_))
            return cursor.fail(name_cursor.code, name_cursor.message);
        cursor.pos += end + 1;
        std::string name(name_.data(), name_.size());
        // \= is = here only.
        for (size_t at = name.find("\\="); at != std::string::npos; at = name.find("\\=", at + 1))
            name.erase(at, 1);
        const int column = find_column(name);
        if (column < 0)
        {
            if (!skips_unknown_)
                return cursor.fail(error_codes::INCORRECT_DATA,
                                   "Unknown field found while parsing TSKV format: " + name);
            PodVector<char> ignored;
            return parse_escaped(cursor, ignored);
        }
        if (has_value(static_cast<size_t>(column)))
            return cursor.fail(error_codes::INCORRECT_DATA,
                               "Duplicate field found while parsing TSKV format: " + name);
        return parse_field(static_cast<size_t>(column), cursor, TextPlace::Escaped);
    }

    bool skips_unknown_;
    PodVector<char> name_;
};

} // namespace

void register_tskv(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "TSKV";
    entry.output = make_output<TskvOutput>;
    entry.input = [](InputBuffer& in, InputFormatContext context) -> std::unique_ptr<InputFormat>
    { return std::make_unique<TskvInput>(in, std::move(context)); };
    entry.row_border = find_tsv_border;
    registry.add(std::move(entry));
}

} // namespace basalt
