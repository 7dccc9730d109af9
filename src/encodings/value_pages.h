#pragma once

// Pages of one flat column in the forms that Auto chooses between; layouts in
// docs/format/page.md. Each write_… appends a whole page and returns true, or leaves `out` as it
// was and returns false when the form does not fit the values. Each open_… throws CORRUPTED_DATA.

#include "encodings/page.h"
#include "encodings/page_format.h"

namespace basalt::inline encodings
{

// Integers, dates and times, enums, decimals, IPv4: up to 64 bits wide; and the bits of floats.
bool write_packed_integers(const Column& flat, const TypePtr& type, size_t granule_rows,
                           std::string& out);
EncodedPagePtr open_packed_integers(const PageHead& head, const TypePtr& type, PageBytes bytes);

// Floats that are decimals: a whole number divided by a power of ten. After Afroozeh, Kuffo and
// Boncz, "ALP: Adaptive Lossless floating-Point Compression", 2023.
bool write_decimal_floats(const Column& flat, const TypePtr& type, size_t granule_rows,
                          std::string& out);
EncodedPagePtr open_decimal_floats(const PageHead& head, const TypePtr& type, PageBytes bytes);

// Strings of one even number of hexadecimal digits in one case, or UUIDs with dashes.
bool write_hex_text(const Column& flat, size_t granule_rows, std::string& out);
EncodedPagePtr open_hex_text(const PageHead& head, PageBytes bytes);
class HexColumn;
void write_hex_column(const HexColumn& column, size_t granule_rows, std::string& out);
// Of a page that open_hex_text opened; null for other pages.
std::shared_ptr<const HexColumn> decode_hex(const EncodedPage& page, size_t begin, size_t count);

// Of a page that open_hex_text opened: the bytes that its texts may hold; empty for other pages.
std::string_view hex_alphabet_of(const EncodedPage& page);
// hits[i] = whether text begin + i is, begins with, ends with or holds `text`, decided on the
// binary digits. False for other pages, and where looking at the texts is as good.
enum class TextTest : uint8_t
{
    Equals,
    StartsWith,
    EndsWith,
    Contains,
};
bool test_hex_texts(const EncodedPage& page, TextTest test, std::string_view text, size_t begin,
                    size_t count, uint8_t* hits);

// `nested` is a page of the nested column.
void write_nullable(const uint8_t* nulls, size_t rows, size_t granule_rows,
                    std::string_view nested, std::string& out);
// Where the nested page lies in a page of NullableValues.
std::string_view nested_page_of(std::string_view page);
EncodedPagePtr open_nullable(const PageHead& head, const TypePtr& type, PageBytes bytes,
                             EncodedPagePtr nested);

} // namespace basalt::encodings
