#pragma once

// Places where work can be made to fail, for tests of a running server: SYSTEM ENABLE FAILPOINT.
// A place costs one load of an atomic while none is enabled. Threads: any.

#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

enum class Failpoint : unsigned char
{
    LogBeforeWrite,       // before a batch of records is written
    LogBeforeSync,        // written, not synced
    CheckpointBeforeWrite,
    FlushBeforeCommit,    // the parts of a live buffer are written
    InsertBeforeCommit,   // the parts of a large insert are written
    MergeBeforeCommit,    // the merged part is written
    MutationBeforeCommit, // the rewritten part is written
    PublishBeforeRename,  // committed; folders have their temporary names
    RemoveOutdatedParts,
    CatalogBeforeWrite,   // before the CREATE text of a table is written or removed
    Count_
};

struct FailpointInfo
{
    std::string_view name;
    std::string_view description;
    bool enabled = false;
};

// Throws FAULT_INJECTED (710) when it is enabled.
void failpoint(Failpoint place);
std::vector<FailpointInfo> failpoints();
// BAD_ARGUMENTS when there is none of that name.
void set_failpoint(std::string_view name, bool enabled);

} // namespace basalt
