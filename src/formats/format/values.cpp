#include "formats/row_input.h"
#include "formats/row_output.h"

namespace basalt
{

namespace
{

class ValuesOutput final : public RowOutput
{
public:
    using RowOutput::RowOutput;

protected:
    void write_row(const Block& block, size_t row) override
    {
        out_.write(rows_ ? ",(" : "(");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(',');
            write_value(block, i, row, TextPlace::Quoted);
        }
        out_.write(')');
    }
};

// (value, …), (value, …) up to the end or a semicolon, which is left. What is no literal of the column's type is handed to the caller's
// expression evaluator.
class ValuesInput final : public RowInput
{
public:
    ValuesInput(InputBuffer& in, InputFormatContext context)
        : RowInput(in, std::move(context)),
          interprets_(context_.options.settings.get_bool(
              "input_format_values_interpret_expressions"))
    {
    }

protected:
    RowResult parse_row(TextCursor& cursor) override
    {
        cursor.skip_spaces();
        if (rows_started_ && cursor.skip(','))
            cursor.skip_spaces();
        if (cursor.at_end() || *cursor.pos == ';')
            return RowResult::End;
        if (!cursor.expect('('))
            return RowResult::Failed;
        for (size_t i = 0; i < columns_.size(); ++i)
        {
            cursor.skip_spaces();
            if (!parse_item(i, cursor))
                return RowResult::Failed;
            cursor.skip_spaces();
            const bool last = i + 1 == columns_.size();
            if (!last && !cursor.expect(','))
                return RowResult::Failed;
        }
        // A comma may follow the last value.
        if (cursor.skip(','))
            cursor.skip_spaces();
        if (!cursor.skip(')'))
        {
            cursor.fail(error_codes::SYNTAX_ERROR,
                        "Cannot parse the row: expected ) here: " + quoted_excerpt(cursor.rest()));
            return RowResult::Failed;
        }
        rows_started_ = true;
        return RowResult::Row;
    }

private:
    // A comma may follow the last value too.
    bool ends_item(TextCursor cursor, size_t column) const
    {
        cursor.skip_spaces();
        return cursor.peek() == ',' || (cursor.peek() == ')' && column + 1 == columns_.size());
    }

    bool parse_item(size_t column, TextCursor& cursor)
    {
        const char* const start = cursor.pos;
        current_column_ = static_cast<int>(column);
        field_begin_ = start;
        if (cursor.skip_word_without_case("default") && ends_item(cursor, column))
        {
            append_omitted(column);
            return true;
        }
        cursor.pos = start;
        const bool parsed = parse_field(column, cursor, TextPlace::Quoted);
        if (parsed && ends_item(cursor, column))
            return true;
        if (parsed)
        {
            // A literal that goes on: 1 + 1.
            const bool was_empty = cursor.at_end();
            columns_[column]->remove_last(1);
            if (was_empty)
                return fail_item(column, start, cursor);
            drop_omitted(column);
        }
        const int code = cursor.code;
        std::string message = std::move(cursor.message);
        cursor.pos = start;
        if (interprets_ && context_.expression)
        {
            const size_t used = context_.expression(cursor.rest(), context_.header[column].type,
                                                    *columns_[column]);
            if (used > 0)
            {
                cursor.code = 0;
                cursor.pos += used;
                return ends_item(cursor, column) || fail_item(column, start, cursor);
            }
        }
        if (code == 0 || interprets_)
            return fail_item(column, start, cursor);
        return cursor.fail(code, message);
    }

    bool fail_item(size_t column, const char* start, TextCursor& cursor) const
    {
        cursor.pos = start;
        return cursor.fail(error_codes::SYNTAX_ERROR,
                           "Cannot parse expression of type " +
                               context_.header[column].type->name() +
                               " here: " + quoted_excerpt(cursor.rest()));
    }

    bool interprets_;
    bool rows_started_ = false;
};

} // namespace

void register_values(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "Values";
    entry.output = make_output<ValuesOutput>;
    entry.input = [](InputBuffer& in, InputFormatContext context) -> std::unique_ptr<InputFormat>
    { return std::make_unique<ValuesInput>(in, std::move(context)); };
    registry.add(std::move(entry));
}

} // namespace basalt
