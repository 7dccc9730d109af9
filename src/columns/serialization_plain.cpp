#include "columns/serialization_kinds.h"

namespace basalt
{

void PlainSerialization::write_text(const Column& column, size_t row, OutputBuffer& out,
                                    TextPlace place, const TextOptions& options) const
{
    const FlatCell cell(column, row);
    char quote = 0;
    if (place == TextPlace::Json)
        quote = quoted_ || json_quotes(options) ? '"' : 0;
    else if (quoted_ && place == TextPlace::Quoted)
        quote = '\'';
    else if (quoted_ && place == TextPlace::Csv)
        quote = '"';
    if (quote)
        out.write(quote);
    write_plain(*cell.column, cell.row, out, options);
    if (quote)
        out.write(quote);
}

bool PlainSerialization::parse_in_quotes(Column& column, TextCursor& cursor, TextPlace place,
                                         const TextOptions& options, char quote) const
{
    if (!cursor.skip(quote))
        return parse_plain(column, cursor, place, options);
    if (!parse_plain(column, cursor, place, options))
        return false;
    if (cursor.expect(quote))
        return true;
    column.remove_last(1);
    return false;
}

bool PlainSerialization::parse_text(Column& column, TextCursor& cursor, TextPlace place,
                                    const TextOptions& options) const
{
    const int next = cursor.peek();
    switch (place)
    {
    case TextPlace::Quoted:
        if (quoted_ && next != '\'')
            return parse_bare(column, cursor, place, options);
        return parse_in_quotes(column, cursor, place, options, '\'');
    case TextPlace::Json:
        if (quoted_ && next != '"')
            return parse_bare(column, cursor, place, options);
        return parse_in_quotes(column, cursor, place, options, '"');
    case TextPlace::Csv:
        return parse_in_quotes(column, cursor, place, options,
                               next == '\'' || next == '"' ? static_cast<char>(next) : '"');
    case TextPlace::Raw:
    {
        // Nothing but a tab or line end stops a raw value.
        const size_t size = std::min(cursor.rest().find_first_of("\t\n"), cursor.left());
        TextCursor field(cursor.rest().substr(0, size), cursor.quiet);
        if (!parse_plain(column, field, TextPlace::Whole, options))
        {
            cursor.code = field.code;
            cursor.message = std::move(field.message);
            return false;
        }
        cursor.pos = field.pos;
        return true;
    }
    default:
        return parse_plain(column, cursor, place, options);
    }
}

bool PlainSerialization::parse_bare(Column&, TextCursor& cursor, TextPlace place,
                                    const TextOptions&) const
{
    return cursor.fail_expected(place == TextPlace::Json ? "\"" : "'");
}

} // namespace basalt
