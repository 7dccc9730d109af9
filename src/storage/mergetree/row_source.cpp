#include "storage/mergetree/row_source.h"

#include "base/error.h"
#include "columns/absent_value.h"
#include "storage/conversion.h"

#include <fmt/format.h>

namespace basalt
{

size_t ColumnSlots::add(const std::string& name, const TypePtr& type)
{
    if (const int at = find(name); at >= 0)
        return static_cast<size_t>(at);
    header_.push_back({name, type});
    return header_.size() - 1;
}

int ColumnSlots::find(std::string_view name) const
{
    for (size_t i = 0; i < header_.size(); ++i)
        if (header_[i].name == name)
            return static_cast<int>(i);
    return -1;
}

SourcePlan::SourcePlan(const TableMetadata& metadata, const ColumnHistory& history, PartPtr part,
                       size_t part_index, const TableName& table_name, ColumnSlots& slots,
                       const QueryContext& context)
    : part_(std::move(part)), part_index_(part_index), table_name_(table_name)
{
    plan(metadata, history, slots, context);
}

SourcePlan::SourcePlan(const TableMetadata& metadata, const ColumnHistory& history,
                       LiveBlock block, size_t part_index, const TableName& table_name,
                       ColumnSlots& slots, const QueryContext& context)
    : block_(std::move(block)), part_index_(part_index), table_name_(table_name)
{
    plan(metadata, history, slots, context);
}

void SourcePlan::plan(const TableMetadata& metadata, const ColumnHistory& history,
                      ColumnSlots& slots, const QueryContext& context)
{
    // Planning a computed slot may add slots behind.
    for (size_t i = 0; i < slots.size(); ++i)
    {
        const NamedType column = slots.header()[i];
        slots_.push_back(plan_slot(metadata, history, column, slots, context));
    }
}

std::optional<size_t> SourcePlan::find_stored(const ColumnHistory& history,
                                              const std::string& name, TypePtr& type) const
{
    const auto stored =
        history.stored_name(name, part_ ? part_->manifest().metadata_version : block_.version);
    if (!stored)
        return std::nullopt;
    if (!part_)
    {
        const int at = block_.block.find(*stored);
        if (at < 0)
            return std::nullopt;
        type = block_.block[static_cast<size_t>(at)].type;
        return static_cast<size_t>(at);
    }
    const int at = part_->manifest().find_column(*stored);
    if (at < 0)
        return std::nullopt;
    type = part_->header()[static_cast<size_t>(at)].type;
    return static_cast<size_t>(at);
}

SourcePlan::Slot SourcePlan::plan_slot(const TableMetadata& metadata, const ColumnHistory& history,
                                       const NamedType& column, ColumnSlots& slots,
                                       const QueryContext& context)
{
    Slot slot;
    slot.type = column.type;
    const auto constant = [&](const Value& value)
    {
        slot.kind = Slot::Kind::Constant;
        auto one = remove_low_cardinality(column.type)->create_column();
        one->append_value(value);
        slot.constant = std::move(one);
    };
    const ColumnDescription* description = metadata.find_column(column.name);
    if (!description)
    {
        const std::string name = part_ ? part_->name_text() : std::string();
        if (column.name == "_part")
            constant(name);
        else if (column.name == "_partition_id")
            constant(part_ ? part_->name().partition_id : std::string());
        else if (column.name == "_part_index")
            constant(static_cast<uint64_t>(part_index_));
        else if (column.name == "_part_data_version")
            constant(part_ ? part_->name().data_version() : uint64_t{0});
        else if (column.name == "_table")
            constant(table_name_.table);
        else if (column.name == "_database")
            constant(table_name_.database);
        else if (column.name == "_disk_name")
            constant(std::string("default"));
        else if (column.name == "_part_offset")
            slot.kind = Slot::Kind::Offset;
        else
            throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                        fmt::format("There is no column {} in table {}", column.name,
                                    table_name_.full()));
        return slot;
    }
    TypePtr stored_type;
    if (const auto at = find_stored(history, column.name, stored_type))
    {
        slot.kind = Slot::Kind::Stored;
        slot.column = *at;
        if (!same_type(stored_type, column.type))
        {
            slot.stored_type = stored_type;
            if (!same_layout(stored_type, column.type))
                slot.program = std::make_shared<ExpressionProgram>(
                    Expressions{conversion_of("value", stored_type, column.type,
                                              description->default_expression, context)},
                    context);
        }
        return slot;
    }
    if (!description->default_expression)
    {
        constant(absent_value(*column.type));
        return slot;
    }
    slot.kind = Slot::Kind::Computed;
    slot.program = std::make_shared<ExpressionProgram>(
        Expressions{description->default_expression}, context);
    for (const auto& input : slot.program->inputs())
    {
        const ColumnDescription* from = metadata.find_column(input);
        if (!from)
            throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                        fmt::format("The default of column {} needs column {}, which is not there",
                                    column.name, input));
        slot.inputs.push_back(slots.add(input, from->type));
    }
    return slot;
}

int SourcePlan::stored_column(size_t slot) const
{
    const Slot& one = slots_[slot];
    return part_ && one.kind == Slot::Kind::Stored && !one.stored_type
               ? static_cast<int>(one.column)
               : -1;
}

ColumnPtr SourcePlan::constant_of(size_t slot) const
{
    return slots_[slot].kind == Slot::Kind::Constant ? slots_[slot].constant : nullptr;
}

Block conform_block(const TableMetadata& metadata, const ColumnHistory& history,
                    const LiveBlock& block, const QueryContext& context)
{
    ColumnSlots slots;
    const Header header = metadata.physical_header();
    for (const auto& column : header)
        slots.add(column.name, column.type);
    RowReader reader(
        std::make_shared<SourcePlan>(metadata, history, block, 0, TableName(), slots, context), PageUse::Once,
        context);
    Block result;
    PageRows rows;
    rows.count = block.block.rows();
    for (size_t i = 0; i < header.size(); ++i)
        result.add({reader.read(i, rows), header[i].type, header[i].name});
    return result;
}

RowReader::RowReader(std::shared_ptr<const SourcePlan> plan, PageUse use,
                     const QueryContext& context)
    : plan_(std::move(plan)), context_(context)
{
    if (plan_->part())
        pages_ = std::make_unique<PageReader>(plan_->part(), use, &context);
}

PageRows PageRows::listed() const
{
    PageRows list = *this;
    if (dense.empty())
        return list;
    list.dense.clear();
    for (size_t i = 0; i < count; ++i)
        if (dense[i])
            list.rows.push_back(static_cast<uint32_t>(begin + i));
    return list;
}

void RowReader::note_read(const SourcePlan::Slot& slot, const PageRows& rows)
{
    has_read_ = true;
    const PageEntry& entry = plan_->part()->page_table(slot.column).entries[rows.page];
    read_bytes_ += entry.uncompressed_bytes * rows.size() / std::max<uint32_t>(entry.rows, 1);
}

ColumnPtr RowReader::read_prefix(size_t slot_number, const PageRows& rows, size_t bytes)
{
    // Sparse rows are cheaper to read whole than with all that lies between them.
    constexpr size_t kMostBetween = 4;
    const auto& slot = plan_->slots_[slot_number];
    if (!pages_ || slot.kind != SourcePlan::Slot::Kind::Stored || slot.stored_type ||
        rows.size() == 0)
        return read(slot_number, rows);
    const bool by_list = !rows.all && rows.dense.empty();
    const size_t begin = by_list ? rows.rows[0] : rows.begin;
    const size_t count = by_list ? rows.rows.back() + 1 - begin : rows.count;
    if (count > kMostBetween * rows.size())
        return read(slot_number, rows);
    const EncodedPagePtr& page = pages_->page(slot.column, rows.page);
    note_read(slot, rows);
    ColumnPtr column = page->decode_prefix(begin, count, bytes);
    if (rows.all)
        return column;
    if (!by_list)
        return column->filter(rows.dense, rows.dense_count);
    RowIndexes inside(rows.size());
    for (size_t i = 0; i < inside.size(); ++i)
        inside[i] = static_cast<uint32_t>(rows.rows[i] - begin);
    return column->take(inside);
}

ColumnPtr RowReader::read_stored(const SourcePlan::Slot& slot, const PageRows& rows)
{
    has_read_ = true;
    if (!pages_)
    {
        const ColumnPtr& column = plan_->block()[slot.column].column;
        const size_t start = rows.page * kPageRows;
        read_bytes_ += column->byte_size() * rows.size() / std::max<size_t>(column->size(), 1);
        if (rows.all)
            return start + rows.begin == 0 && rows.count == column->size()
                       ? column
                       : column->slice(start + rows.begin, rows.count);
        RowIndexes shifted(rows.rows.size());
        for (size_t i = 0; i < shifted.size(); ++i)
            shifted[i] = static_cast<uint32_t>(start + rows.rows[i]);
        return column->take(shifted);
    }
    const EncodedPagePtr& page = pages_->page(slot.column, rows.page);
    note_read(slot, rows);
    if (rows.all)
        return page->decode(rows.begin, rows.count);
    // Nearly all rows are wanted: all are decoded, the others dropped.
    return rows.dense.empty()
               ? page->decode_rows(rows.rows)
               : page->decode(rows.begin, rows.count)->filter(rows.dense, rows.dense_count);
}

ColumnPtr RowReader::read(size_t slot_number, const PageRows& rows)
{
    const auto& slot = plan_->slots_[slot_number];
    using Kind = SourcePlan::Slot::Kind;
    const bool by_list = slot.kind == Kind::Offset || (slot.kind == Kind::Stored && !pages_);
    if (by_list && !rows.dense.empty())
        return read(slot_number, rows.listed());
    switch (slot.kind)
    {
    case Kind::Constant:
        return std::make_shared<ConstantColumn>(slot.constant, rows.size());
    case Kind::Offset:
    {
        auto offsets = std::make_shared<VectorColumn<uint64_t>>(rows.size());
        const uint64_t start = rows.page * kPageRows;
        for (size_t i = 0; i < rows.size(); ++i)
            offsets->data()[i] = start + (rows.all ? rows.begin + i : rows.rows[i]);
        return offsets;
    }
    case Kind::Stored:
    {
        ColumnPtr column = read_stored(slot, rows);
        if (!slot.program)
            return column;
        Block block;
        block.add({std::move(column), slot.stored_type, "value"});
        return slot.program->run(block, context_)[0];
    }
    case Kind::Computed:
    {
        Block block;
        for (size_t i = 0; i < slot.inputs.size(); ++i)
            block.add({read(slot.inputs[i], rows), plan_->slots_[slot.inputs[i]].type,
                       slot.program->inputs()[i]});
        block.set_rows(rows.size());
        return slot.program->run(block, context_)[0];
    }
    }
    return nullptr;
}

ColumnPtr RowReader::read_compact(size_t slot_number, const PageRows& rows, CompactPages& pages)
{
    const auto& slot = plan_->slots_[slot_number];
    if (slot.kind != SourcePlan::Slot::Kind::Stored || slot.program || !pages_ || !rows.all)
        return read(slot_number, rows);
    has_read_ = true;
    const EncodedPagePtr& page = pages_->page(slot.column, rows.page);
    note_read(slot, rows);
    return pages.decode(*page, rows.begin, rows.count);
}

bool RowReader::evaluate(size_t slot, const PagePredicate& predicate, const PageRows& rows,
                         Mask& mask)
{
    // Sparse rows are cheaper to read than to decide with all that lie between them.
    constexpr size_t kMostBetween = 8;
    const auto& what = plan_->slots_[slot];
    if (!pages_ || what.kind != SourcePlan::Slot::Kind::Stored || what.stored_type ||
        rows.size() == 0)
        return false;
    const bool by_list = !rows.all && rows.dense.empty();
    const size_t begin = by_list ? rows.rows[0] : rows.begin;
    const size_t count = by_list ? rows.rows.back() + 1 - begin : rows.count;
    if (count > kMostBetween * rows.size())
        return false;
    Mask all(count);
    if (!pages_->page(what.column, rows.page)->evaluate(predicate, begin, count, all.data()))
        return false;
    has_read_ = true;
    context_.counters.add(ProfileEvent::PagesDecidedWithoutDecoding);
    if (rows.all)
    {
        mask = std::move(all);
        return true;
    }
    mask.resize(rows.size());
    size_t at = 0;
    if (by_list)
        for (const uint32_t row : rows.rows)
            mask[at++] = all[row - begin];
    else
        for (size_t i = 0; i < count; ++i)
            if (rows.dense[i])
                mask[at++] = all[i];
    return true;
}

std::optional<size_t> RowReader::count_matching(size_t slot, const PagePredicate& predicate,
                                                const PageRows& rows)
{
    const auto& what = plan_->slots_[slot];
    if (!pages_ || what.kind != SourcePlan::Slot::Kind::Stored || what.stored_type || !rows.all ||
        rows.count == 0)
        return std::nullopt;
    const auto found = pages_->page(what.column, rows.page)
                           ->count_matching(predicate, rows.begin, rows.count);
    if (!found)
        return std::nullopt;
    has_read_ = true;
    context_.counters.add(ProfileEvent::PagesDecidedWithoutDecoding);
    return found;
}

uint64_t RowReader::take_read_bytes()
{
    return std::exchange(read_bytes_, 0);
}

bool RowReader::take_has_read()
{
    return std::exchange(has_read_, false);
}

} // namespace basalt
