#pragma once

// Where rows of a scan come from: a part or a block of the live buffer, with the table's columns
// as they are now (missing ones filled with their defaults, others converted).

#include "encodings/compact_pages.h"
#include "storage/mergetree/column_history.h"
#include "storage/mergetree/live_buffer.h"
#include "storage/mergetree/page_reader.h"
#include "storage/table.h"

#include <memory>
#include <vector>

namespace basalt
{

// Some rows of one page: all `count` from `begin`; or nearly all of them, by a mask; or those of
// `rows` (ascending, counted from the page's start).
struct PageRows
{
    size_t page = 0;
    size_t begin = 0;
    size_t count = 0;
    bool all = true;
    RowIndexes rows;
    Mask dense; // empty: all or `rows`
    size_t dense_count = 0;

    size_t size() const { return all ? count : dense.empty() ? rows.size() : dense_count; }
    PageRows listed() const; // without a mask
};

// Columns that a scan reads, in any order: slots.
class ColumnSlots
{
public:
    // The number of the column's slot, made when new.
    size_t add(const std::string& name, const TypePtr& type);
    int find(std::string_view name) const;
    const Header& header() const { return header_; }
    size_t size() const { return header_.size(); }

private:
    Header header_;
};

// Shared by the streams of a scan; immutable.
class SourcePlan
{
public:
    // How each slot is read from a part. Adds slots that defaults of missing columns need.
    SourcePlan(const TableMetadata& metadata, const ColumnHistory& history, PartPtr part,
               size_t part_index, const TableName& table_name, ColumnSlots& slots,
               const QueryContext& context);
    // From a live block.
    SourcePlan(const TableMetadata& metadata, const ColumnHistory& history, LiveBlock block,
               size_t part_index, const TableName& table_name, ColumnSlots& slots,
               const QueryContext& context);

    const PartPtr& part() const { return part_; } // null for a live block
    const Block& block() const { return block_.block; }
    const LiveBlock& live_block() const { return block_; }
    size_t rows() const { return part_ ? part_->rows() : block_.block.rows(); }
    size_t page_count() const { return (rows() + kPageRows - 1) / kPageRows; }
    // The column of the part that the slot is, unchanged; -1 when it is something else.
    int stored_column(size_t slot) const;
    // The same value in all rows: virtual columns of the part, defaults. Null when it is not so.
    ColumnPtr constant_of(size_t slot) const;

private:
    friend class RowReader;
    struct Slot
    {
        enum class Kind : uint8_t
        {
            Stored,
            Constant,
            Computed,
            Offset, // _part_offset
        } kind = Kind::Constant;
        size_t column = 0;   // Stored
        ColumnPtr constant;  // Constant: one row
        TypePtr stored_type; // Stored with another type than the slot's
        std::shared_ptr<ExpressionProgram> program; // conversion of "value", or Computed
        std::vector<size_t> inputs;                 // Computed: slots
        TypePtr type;
    };

    void plan(const TableMetadata& metadata, const ColumnHistory& history, ColumnSlots& slots,
              const QueryContext& context);
    Slot plan_slot(const TableMetadata& metadata, const ColumnHistory& history,
                   const NamedType& column, ColumnSlots& slots, const QueryContext& context);
    std::optional<size_t> find_stored(const ColumnHistory& history, const std::string& name,
                                      TypePtr& type) const;

    PartPtr part_;
    LiveBlock block_;
    size_t part_index_;
    TableName table_name_;
    std::vector<Slot> slots_;
};

// The block with the table's physical columns as they are now.
Block conform_block(const TableMetadata& metadata, const ColumnHistory& history,
                    const LiveBlock& block, const QueryContext& context);

// Reads for one stream. One thread.
class RowReader
{
public:
    RowReader(std::shared_ptr<const SourcePlan> plan, PageUse use, const QueryContext& context);

    // rows.size() values of the slot, any form, in the slot's type.
    ColumnPtr read(size_t slot, const PageRows& rows);
    // The same, compact where the page can be read so; for who only passes rows on.
    ColumnPtr read_compact(size_t slot, const PageRows& rows, CompactPages& pages);
    // The same of texts, where only the first `bytes` of each are needed; there may be more.
    ColumnPtr read_prefix(size_t slot, const PageRows& rows, size_t bytes);
    // Decides a condition on the slot's encoded page without reading values; false when the slot
    // is not stored as it is or the page cannot tell.
    bool evaluate(size_t slot, const PagePredicate& predicate, const PageRows& rows, Mask& mask);
    // The same, only how many; nothing also where a mask is as cheap.
    std::optional<size_t> count_matching(size_t slot, const PagePredicate& predicate,
                                         const PageRows& rows);
    const SourcePlan& plan() const { return *plan_; }
    // Bytes of values decoded since the last call.
    uint64_t take_read_bytes();
    bool take_has_read(); // whether anything stored was read since the last call

private:
    void note_read(const SourcePlan::Slot& slot, const PageRows& rows);
    ColumnPtr read_stored(const SourcePlan::Slot& slot, const PageRows& rows);

    std::shared_ptr<const SourcePlan> plan_;
    std::unique_ptr<PageReader> pages_;
    const QueryContext& context_;
    uint64_t read_bytes_ = 0;
    bool has_read_ = false;
};

} // namespace basalt
