#pragma once

// UUIDs of version 4 (RFC 4122, 4.4): six of their 128 bits are alike in all and are not kept.
// Layout in docs/format/templates.md, "Texts".

#include "encodings/byte_reader.h"
#include "encodings/page_format.h"

#include <string>
#include <string_view>

namespace basalt::inline encodings
{

// page: of HexText. Appends its letters and its UUIDs; false when they are no such UUIDs.
bool write_random_uuids(std::string_view page, std::string& out);
// The page again. Throws CORRUPTED_DATA.
std::string read_random_uuids(ByteReader& reader, size_t count);

} // namespace basalt::encodings
