#pragma once

// Streams over the rows of parts in key order: for merges and mutations. Memory: some thousand
// rows of each part and their encoded pages, never a whole part.

#include "storage/mergetree/part.h"
#include "storage/mergetree/row_combiner.h"
#include "storage/mergetree/row_source.h"
#include "storage/table.h"

#include <deque>
#include <functional>

namespace basalt
{

// Rows of each input that a merge holds decoded.
inline constexpr size_t kMergeRowsAtOnce = 8192;

struct MergeOptions
{
    bool combine = false; // rows of equal keys, as the table's engine does
    bool deduplicate = false;
    // Columns that make rows the same, all those of the sorting key among them; empty: all.
    std::vector<std::string> deduplicate_by;
    bool cleanup = false; // rows marked as deleted go
};

class PartMerger
{
public:
    // Columns: the table's physical ones. `before_block` is called for each block that is read
    // and may throw; it gets the rows read.
    PartMerger(const std::vector<PartPtr>& parts, TableMetadataPtr metadata,
               std::shared_ptr<const ColumnHistory> history, MergeOptions options,
               std::function<void(uint64_t)> before_block, const QueryContext& context);
    ~PartMerger();

    // To be called first when all rows go to a PartWriter as they come: columns that nothing here
    // looks at may then be compact.
    void pass_compact();

    // Merged rows, with a key kPageRows of them unless some were combined or dropped; empty at the
    // end. One thread at a time.
    Block next();

private:
    class Input;
    Block read();
    void drop_repeated(Block& block);
    bool templates_agree() const;

    std::vector<PartPtr> parts_;
    TableMetadataPtr metadata_;
    std::shared_ptr<const ColumnHistory> history_;
    MergeOptions options_;
    std::function<void(uint64_t)> before_block_;
    const QueryContext& context_;
    ColumnSlots slots_;
    size_t width_ = 0; // physical columns
    std::vector<bool> compact_;                 // by physical column
    std::vector<TemplateListPtr> template_lists_; // the same; null: as texts
    std::unique_ptr<ExpressionProgram> key_program_;
    SortKeys sort_keys_;
    std::vector<std::unique_ptr<Input>> inputs_; // without a key: one after the other
    size_t input_at_ = 0;
    std::unique_ptr<SortedMerge> merge_;
    std::unique_ptr<RowCombiner> combiner_;
    std::deque<Block> combined_;
    struct Seen;
    std::unique_ptr<Seen> seen_; // rows with the key of the last row
    std::vector<size_t> seen_by_; // positions of the columns that make rows the same
};

} // namespace basalt
