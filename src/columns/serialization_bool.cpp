#include "columns/serialization_kinds.h"

namespace basalt
{

namespace
{

struct Word
{
    std::string_view text;
    bool value;
};
// Longer words first, so that "t" does not hide "true".
constexpr Word kWords[] = {{"disabled", false}, {"enabled", true}, {"disable", false},
                           {"enable", true},    {"false", false},  {"true", true},
                           {"yes", true},       {"off", false},    {"on", true},
                           {"no", false},       {"t", true},       {"f", false},
                           {"y", true},         {"n", false},      {"1", true},
                           {"0", false}};

class BoolSerialization final : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const bool value = column_as<VectorColumn<uint8_t>>(*cell.column).data()[cell.row] != 0;
        if (place == TextPlace::Json || place == TextPlace::Quoted)
            out.write(value ? "true" : "false");
        else
            out.write(std::string_view(value ? options.bool_true : options.bool_false));
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        bool value;
        const bool parsed = place == TextPlace::Json     ? parse_json(cursor, value)
                            : place == TextPlace::Quoted ? parse_quoted_place(cursor, value)
                                                         : parse_word(cursor, options, value);
        if (parsed)
            column_as<VectorColumn<uint8_t>>(column).data().push_back(value);
        return parsed;
    }

    BASALT_FIXED_WIDTH_BINARY(uint8_t)

private:
    static bool fail(TextCursor& cursor)
    {
        if (cursor.quiet)
            return cursor.fail(error_codes::CANNOT_PARSE_BOOL, "");
        if (cursor.at_end())
            return cursor.fail(error_codes::CANNOT_PARSE_BOOL,
                               "Expected boolean value but get EOF");
        return cursor.fail(
            error_codes::CANNOT_PARSE_BOOL,
            "Cannot parse boolean value here: " + quoted_excerpt(cursor.rest()) +
                ", should be 'true' or 'false' controlled by setting bool_true_representation and "
                "bool_false_representation or one of True/False/T/F/Y/N/Yes/No/On/Off/Enable/"
                "Disable/Enabled/Disabled/1/0");
    }

    static bool parse_json(TextCursor& cursor, bool& value)
    {
        value = true;
        if (cursor.skip_word("true") || cursor.skip('1'))
            return true;
        value = false;
        if (cursor.skip_word("false") || cursor.skip('0'))
            return true;
        if (cursor.quiet)
            return cursor.fail(error_codes::CANNOT_PARSE_BOOL, "");
        return cursor.fail(error_codes::CANNOT_PARSE_BOOL,
                           "Invalid boolean value, should be true/false, 1/0, but it starts with " +
                               quoted_excerpt(cursor.rest().substr(0, 1)));
    }

    static bool parse_quoted_place(TextCursor& cursor, bool& value)
    {
        const bool in_quotes = cursor.skip('\'');
        if (cursor.skip_word_without_case("true") || cursor.skip('1'))
            value = true;
        else if (cursor.skip_word_without_case("false") || cursor.skip('0'))
            value = false;
        else
            return fail(cursor);
        return !in_quotes || cursor.expect('\'');
    }

    static bool parse_word(TextCursor& cursor, const TextOptions& options, bool& value)
    {
        const auto ends = [&]
        {
            const int next = cursor.peek();
            return next == -1 || next == '\t' || next == '\n' || next == '\r' || next == ' ' ||
                   next == static_cast<unsigned char>(options.csv_delimiter);
        };
        const char* const start = cursor.pos;
        value = true;
        if (cursor.skip_word(options.bool_true) && ends())
            return true;
        cursor.pos = start;
        value = false;
        if (cursor.skip_word(options.bool_false) && ends())
            return true;
        for (const Word& word : kWords)
        {
            cursor.pos = start;
            value = word.value;
            if (cursor.skip_word_without_case(word.text) && ends())
                return true;
        }
        cursor.pos = start;
        return fail(cursor);
    }
};

} // namespace

SerializationPtr make_bool_serialization() { return std::make_shared<BoolSerialization>(); }

} // namespace basalt
