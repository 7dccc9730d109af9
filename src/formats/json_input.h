#pragma once

// JSON formats as input: rows as objects or arrays, alone or inside of a document.

#include "formats/row_input.h"

namespace basalt
{

enum class JsonRows : uint8_t
{
    Objects,
    StringObjects, // every value is the text of a value in a JSON string
    Arrays,
    StringArrays,
};

enum class JsonFrame : uint8_t
{
    Rows, // one after another, with or without commas and brackets around all of them
    RowsWithNames,
    RowsWithNamesAndTypes,
    NamedRows, // {"row_1": row, …}
    Document,  // {"meta": …, "data": [rows], …}
};

std::unique_ptr<InputFormat> make_json_row_input(InputBuffer& in, InputFormatContext context,
                                                 JsonRows rows, JsonFrame frame);

template <JsonRows kRows, JsonFrame kFrame>
std::unique_ptr<InputFormat> make_json_input(InputBuffer& in, InputFormatContext context)
{
    return make_json_row_input(in, std::move(context), kRows, kFrame);
}

} // namespace basalt
