#pragma once

// TTL as what it does at one moment: deletions and updates, the same as mutations make, groups of
// rows that become one, and codecs that parts get.

#include "binder/binder.h"
#include "storage/table.h"

namespace basalt
{

// "<= now" of every TTL of the table and its columns; empty when there is none. The first has
// `text`, the others none: together they are one mutation.
std::vector<MutationCommand> bind_ttl_commands(const TableMetadata& metadata,
                                               const std::string& text,
                                               const std::string& partition_id,
                                               const QueryContext& context);

} // namespace basalt
