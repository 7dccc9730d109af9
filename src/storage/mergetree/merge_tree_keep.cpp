// Rows that merges leave out because whoever owns the table says so.

#include "storage/mergetree/merge_tree_table.h"

namespace basalt
{

void MergeTreeTable::set_keep_condition(KeepCondition condition)
{
    std::lock_guard lock(mutex_);
    keep_condition_ = std::move(condition);
}

ExpressionPtr MergeTreeTable::keep_condition(const QueryContext& context) const
{
    KeepCondition condition;
    {
        std::lock_guard lock(mutex_);
        condition = keep_condition_;
    }
    return condition ? condition(context) : nullptr;
}

size_t MergeTreeTable::rewrite_parts(double share)
{
    const auto context = service_.make_context();
    const ExpressionPtr keep = keep_condition(*context);
    if (!keep)
        return 0;
    TableMetadataPtr metadata;
    std::vector<std::shared_ptr<Part>> parts;
    {
        std::lock_guard lock(mutex_);
        metadata = metadata_;
        for (const auto& [name, part] : parts_)
            parts.push_back(part);
    }
    ScanRequest request;
    request.filter = Expression::call("not", {keep}, *context);
    size_t rewritten = 0;
    for (const auto& part : parts)
    {
        uint64_t left_out = 0;
        const auto scan = scan_part(part, metadata, request);
        for (Block block = scan->next(0); block.rows() > 0; block = scan->next(0))
            left_out += block.rows();
        if (left_out > 0 &&
            static_cast<double>(left_out) >= share * static_cast<double>(part->rows()) &&
            rewrite_part(part))
            ++rewritten;
    }
    return rewritten;
}

} // namespace basalt
