#include "storage/mergetree/merge_tree_table.h"

#include "base/error.h"

namespace basalt
{
bool MergeTreeTable::mutate_once() { return false; }
bool MergeTreeTable::merge_once() { return false; }
void MergeTreeTable::alter(TableMetadataPtr, const std::vector<MutationCommand>&, QueryContextPtr) { throw Error(error_codes::NOT_IMPLEMENTED, "ALTER"); }
void MergeTreeTable::mutate(const std::vector<MutationCommand>&, bool, QueryContextPtr) { throw Error(error_codes::NOT_IMPLEMENTED, "ALTER"); }
void MergeTreeTable::change_partition(const PartitionCommand&, QueryContextPtr) { throw Error(error_codes::NOT_IMPLEMENTED, "ALTER"); }
void MergeTreeTable::optimize(const std::string&, bool, bool, QueryContextPtr) { throw Error(error_codes::NOT_IMPLEMENTED, "ALTER"); }
void MergeTreeTable::truncate(QueryContextPtr) { throw Error(error_codes::NOT_IMPLEMENTED, "ALTER"); }
}
