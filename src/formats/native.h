#pragma once

// The Native format: blocks column by column. Also what the native protocol sends, there with
// block info and, from some revision on, a byte per column that tells of special layouts.

#include "formats/format.h"

namespace basalt
{

// Client revisions from which the protocol's blocks carry more.
inline constexpr uint64_t kRevisionWithBlockInfo = 1;
inline constexpr uint64_t kRevisionWithTimeZones = 54337; // before it DateTime comes without zone
inline constexpr uint64_t kRevisionWithCustomSerialization = 54454;

inline constexpr uint64_t kMaxNativeColumns = 1000000;
inline constexpr uint64_t kMaxNativeRows = 1ull << 32;

// revision 0: the file format.
void write_native_block(const Block& block, OutputBuffer& out, uint64_t revision = 0);
// nullopt at the end of the stream. session_timezone is not needed: types carry their zones.
std::optional<Block> read_native_block(InputBuffer& in, uint64_t revision = 0);

} // namespace basalt
