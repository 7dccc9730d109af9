#pragma once

// A block as bytes and back: rows of live buffers in the log, parts' key indexes, files of the
// Log engines. Layout in docs/format/part.md, "Blocks". The bytes carry names and types.

#include "columns/block.h"

#include <string>
#include <string_view>

namespace basalt
{

// Any column forms. LZ4 where it pays.
std::string encode_block(const Block& block);
// Flat columns. Throws CORRUPTED_DATA.
Block decode_block(std::string_view bytes);

} // namespace basalt
