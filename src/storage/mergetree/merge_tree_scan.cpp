#include "storage/mergetree/merge_tree_scan.h"

#include "base/error.h"
#include "encodings/page_statistics.h"
#include "storage/mergetree/part_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

std::unique_ptr<Scan> MergeTreeTable::scan(const ScanRequest& request, QueryContextPtr context)
{
    check_is_there(error_codes::NO_SUCH_DATA_PART);
    if (request.sample != 0)
        throw Error(error_codes::NOT_IMPLEMENTED, "SAMPLE is not supported by MergeTree yet");
    return std::make_unique<MergeTreeScan>(
        std::static_pointer_cast<MergeTreeTable>(shared_from_this()), request,
        std::move(context));
}

namespace
{

bool names_part(const std::string& column)
{
    return column == "_part" || column == "_partition_id" || column == "_part_index" ||
           column == "_part_offset" || column == "_part_data_version";
}

// A query that names parts sees every row in one: the live buffer is written out first. Rows that
// come after that are not seen. When the buffer cannot be written (the disk is full), its rows have
// no part.
TableSnapshot snapshot_for(MergeTreeTable& table, const ScanRequest& request)
{
    std::vector<std::string> names = request.columns;
    for (const auto& condition : {request.prewhere, request.filter})
        if (condition)
            for (const auto& name : inputs_of({condition}))
                names.push_back(name);
    const auto metadata = table.metadata();
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name)
                     { return names_part(name) && !metadata->find_column(name); }))
        return table.snapshot();
    try
    {
        table.flush(nullptr);
    }
    catch (const Error&)
    {
        return table.snapshot();
    }
    TableSnapshot snapshot = table.snapshot();
    snapshot.live.clear();
    return snapshot;
}

} // namespace

MergeTreeScan::MergeTreeScan(std::shared_ptr<MergeTreeTable> table, const ScanRequest& request,
                             QueryContextPtr context)
    : MergeTreeScan(table, request, std::move(context), snapshot_for(*table, request))
{
}

MergeTreeScan::MergeTreeScan(std::shared_ptr<MergeTreeTable> table, const ScanRequest& request,
                             QueryContextPtr context, TableSnapshot snapshot)
    : table_(std::move(table)), context_(std::move(context)), snapshot_(std::move(snapshot)),
      prefix_bytes_(request.prefix_bytes), with_row_ids_(request.with_row_ids),
      block_rows_(std::max<size_t>(request.block_rows, 1)),
      top_bound_(request.top_bound), has_limit_(request.limit != 0),
      rows_left_(static_cast<int64_t>(std::min<uint64_t>(request.limit, INT64_MAX))),
      order_prefix_(request.order_prefix), order_descending_(request.order_descending),
      final_(request.final && snapshot_.metadata->merging.combines())
{
    plan(request);
}

MergeTreeScan::~MergeTreeScan() = default;

void MergeTreeScan::plan(const ScanRequest& request)
{
    const TableMetadata& metadata = *snapshot_.metadata;
    const Header virtual_columns = table_->virtual_columns();
    const auto type_of = [&](const std::string& name)
    {
        if (const auto* column = metadata.find_column(name))
            return column->type;
        for (const auto& column : virtual_columns)
            if (column.name == name)
                return column.type;
        throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                    fmt::format("There is no column {} in table {}", name,
                                table_->table_name().full()));
    };
    for (const auto& name : request.columns)
    {
        output_slots_.push_back(slots_.add(name, type_of(name)));
        header_.push_back({name, type_of(name)});
    }
    for (const auto& condition : {request.prewhere, request.filter})
        if (condition)
            for (const auto& name : inputs_of({condition}))
                slots_.add(name, type_of(name));
    if (final_)
        top_bound_ = nullptr; // a row beyond it may replace one within
    if (top_bound_)
        bound_slot_ = static_cast<int>(
            slots_.add(top_bound_->column, type_of(top_bound_->column)));
    inner_header_ = header_;
    ExpressionPtr prewhere = request.prewhere, filter = request.filter;
    if (final_)
        plan_final(prewhere, filter);
    else if (order_prefix_)
        plan_ordered();
    if (with_row_ids_)
        header_.push_back({kRowIdColumn, simple_type(TypeId::UInt64)});

    // The cost of a column is its size in all parts.
    const auto bytes_of = [&](const std::string& name) -> uint64_t
    {
        uint64_t bytes = 0;
        for (const auto& part : snapshot_.parts)
            if (const int at = part->manifest().find_column(name); at >= 0)
                bytes += part->manifest().columns[static_cast<size_t>(at)].compressed_bytes;
        return bytes;
    };
    steps_ = std::make_unique<FilterSteps>(prewhere, filter, bytes_of, slots_, *context_);
    const TableName table_name = table_->table_name();
    for (const auto& part : snapshot_.parts)
        sources_.push_back(std::make_shared<SourcePlan>(metadata, *snapshot_.history, part,
                                                        sources_.size(), table_name, slots_,
                                                        *context_));
    for (const auto& block : snapshot_.live)
        sources_.push_back(std::make_shared<SourcePlan>(metadata, *snapshot_.history, block,
                                                        sources_.size(), table_name, slots_,
                                                        *context_));
    selection_ = select_rows(snapshot_, sources_, *steps_, slots_.header(), *context_);
    page_use_ = PageUse::Cached;
    if (const uint64_t least = context_->settings.get_uint("min_bytes_to_use_direct_io"))
    {
        uint64_t bytes = 0;
        for (const auto& slot : slots_.header())
            bytes += bytes_of(slot.name);
        page_use_ = bytes >= least ? PageUse::Direct : PageUse::Cached;
    }
    auto& counters = context_->counters;
    counters.add(ProfileEvent::SelectedPartsTotal, selection_.total_parts);
    counters.add(ProfileEvent::SelectedMarksTotal, selection_.total_granules);
    const Estimate what = estimate();
    counters.add(ProfileEvent::SelectedParts, what.parts);
    counters.add(ProfileEvent::SelectedMarks, what.marks);
    context_->total_rows_to_read += what.rows;

    size_t chunk_rows = std::min(block_rows_, kPageRows);
    if (has_limit_ && steps_->size() == 0 && !final_)
        chunk_rows = std::min<size_t>(chunk_rows, std::max<size_t>(request.limit, 1024));
    // Whole pages are counted from what is known of them.
    if (inner_header_.empty() && !with_row_ids_ && steps_->size() && chunk_rows >= kPageRows / 2)
        chunk_rows = kPageRows;
    if (final_)
        chunk_rows = std::min(chunk_rows, std::max(granule_rows_of(metadata), kMergeRowsAtOnce));
    else if (order_prefix_)
        chunk_rows = std::min(chunk_rows, granule_rows_of(metadata));
    make_chunks(chunk_rows);
    // Another thread is worth waking for so many rows only.
    const uint64_t rows_each =
        context_->settings.get_uint("merge_tree_min_rows_for_concurrent_read");
    size_t wanted = std::max<size_t>(request.max_streams, 1);
    if (rows_each && !final_ && !order_prefix_)
        wanted = std::min<uint64_t>(wanted, (what.rows + rows_each - 1) / rows_each);
    const size_t useful = std::clamp<size_t>(chunks_.size(), 1, std::max<size_t>(wanted, 1));
    streams_.resize(useful);
    for (auto& stream : streams_)
        stream.memory = std::make_unique<StepMemory>(*steps_, slots_.header(), *context_);
    if (final_)
    {
        start_final();
        return;
    }
    if (order_prefix_)
    {
        start_ordered();
        return;
    }
    if (bound_slot_ >= 0)
        order_chunks_for_bound(chunk_rows);
    else
        run_ = std::clamp<size_t>(chunks_.size() / (useful * 8), 1, 16);
}

void MergeTreeScan::make_chunks(size_t chunk_rows)
{
    for (size_t i = 0; i < selection_.sources.size(); ++i)
    {
        const auto& selected = selection_.sources[i];
        const size_t granule = granule_rows_of(*selected.source);
        for (const auto& range : selected.ranges)
        {
            const size_t end = std::min(range.end * granule, selected.source->rows());
            for (size_t row = range.begin * granule; row < end;)
            {
                // What a page has left, in equal pieces: a piece of a few rows costs nearly as
                // much as a long one.
                const size_t left = std::min(kPageRows - row % kPageRows, end - row);
                const size_t pieces = (left + chunk_rows - 1) / chunk_rows;
                const size_t granules = (left + pieces * granule - 1) / (pieces * granule);
                const size_t count = std::min({left, granules * granule, chunk_rows});
                chunks_.push_back({static_cast<uint32_t>(i),
                                   static_cast<uint32_t>(row / kPageRows),
                                   static_cast<uint32_t>(row % kPageRows),
                                   static_cast<uint32_t>(count), range.certain});
                row += count;
            }
        }
    }
}

Scan::Estimate MergeTreeScan::estimate() const
{
    Estimate estimate;
    for (const auto& selected : selection_.sources)
    {
        if (selected.ranges.empty())
            continue;
        estimate.rows += selected.rows();
        if (!selected.source->part())
            continue;
        ++estimate.parts;
        for (const auto& range : selected.ranges)
            estimate.marks += range.end - range.begin;
    }
    return estimate;
}

bool MergeTreeScan::take_chunks(Stream& stream)
{
    if (has_limit_ && rows_left_.load(std::memory_order_relaxed) <= 0)
        return false;
    stream.at = next_chunk_.fetch_add(run_);
    stream.end = std::min(stream.at + run_, chunks_.size());
    return stream.at < stream.end;
}

RowReader& MergeTreeScan::reader_for(Stream& stream, size_t source)
{
    if (stream.reader_source != source)
    {
        stream.reader = std::make_unique<RowReader>(sources_[source], page_use_, *context_);
        stream.reader_source = source;
    }
    return *stream.reader;
}

namespace
{

constexpr size_t kMostEntriesPerRow = 8;

// Numbers are cheap to copy: work on a dictionary much larger than the block does not pay.
ColumnPtr without_large_dictionary(const ColumnPtr& column)
{
    if (column->form() != ColumnForm::Dictionary)
        return column;
    const ColumnPtr& values = column_as<DictionaryColumn>(column).dictionary();
    return values->form() == ColumnForm::Vector && values->size() > kMostEntriesPerRow * column->size()
               ? to_flat(column)
               : column;
}

} // namespace

bool MergeTreeScan::is_last_step(size_t step, const Chunk& chunk) const
{
    for (++step; step < steps_->size(); ++step)
        if (step >= kMaxCertainSteps || !(chunk.certain >> step & 1))
            return false;
    return true;
}

Block MergeTreeScan::read_chunk(const Chunk& chunk, RowReader& reader, StepMemory& memory)
{
    context_->check_alive();
    PageRows page_rows;
    page_rows.page = chunk.page;
    page_rows.begin = chunk.begin;
    page_rows.count = chunk.count;
    ChunkRows rows(reader, slots_.size(), std::move(page_rows));
    std::optional<size_t> counted;
    apply_bound(rows);
    for (size_t step = 0; step < steps_->size() && rows.size() && !counted; ++step)
    {
        if (step < kMaxCertainSteps && (chunk.certain >> step & 1))
            continue;
        if (is_last_step(step, chunk) && inner_header_.empty() && !with_row_ids_)
            counted = memory.count(step, rows);
        if (!counted)
            memory.apply(step, rows);
    }
    Block block;
    block.set_rows(counted.value_or(rows.size()));
    if (rows.size() && !counted)
    {
        for (size_t i = 0; i < inner_header_.size(); ++i)
            block.add({without_large_dictionary(rows.column_prefix(
                           output_slots_[i], i < prefix_bytes_.size() ? prefix_bytes_[i] : 0)),
                       inner_header_[i].type, inner_header_[i].name});
        if (with_row_ids_)
        {
            auto ids = std::make_shared<VectorColumn<uint64_t>>(rows.size());
            const PageRows at = rows.rows().listed();
            const uint64_t start =
                (static_cast<uint64_t>(chunk.source) << kRowIdRowBits) + chunk.page * kPageRows;
            for (size_t i = 0; i < rows.size(); ++i)
                ids->data()[i] = start + (at.all ? at.begin + i : at.rows[i]);
            block.add({std::move(ids), simple_type(TypeId::UInt64), kRowIdColumn});
        }
    }
    const uint64_t bytes = reader.take_read_bytes();
    if (reader.take_has_read())
        context_->add_read(chunk.count, bytes);
    else if (!counted_certain_.exchange(true))
        context_->add_read(1, 8); // answered from the key index alone: counted as one row
    return block;
}

Block MergeTreeScan::cut_to_limit(Block block)
{
    if (!has_limit_ || block.rows() == 0)
        return block;
    const auto rows = static_cast<int64_t>(block.rows());
    const int64_t before = rows_left_.fetch_sub(rows);
    if (before >= rows)
        return block;
    return block.slice(0, static_cast<size_t>(std::max<int64_t>(before, 0)));
}

Block MergeTreeScan::next(size_t number)
{
    Stream& stream = streams_[number];
    if (final_)
        return next_final(stream);
    if (order_prefix_)
        return next_ordered(stream);
    for (;;)
    {
        if (stream.at == stream.end && !take_chunks(stream))
        {
            stream.at = stream.end = 0;
            return Block::empty_of(header());
        }
        const Chunk& chunk = chunks_[stream.at];
        if (beyond_bound(stream.at++))
            continue;
        Block block = cut_to_limit(
            read_chunk(chunk, reader_for(stream, chunk.source), *stream.memory));
        if (block.rows())
            return block;
        if (has_limit_ && rows_left_.load() <= 0)
            stream.at = stream.end;
    }
}

Block MergeTreeScan::fetch(const PodVector<uint64_t>& row_ids,
                           const std::vector<std::string>& columns)
{
    const TableMetadata& metadata = *snapshot_.metadata;
    ColumnSlots slots;
    Header header;
    for (const auto& name : columns)
    {
        TypePtr type;
        if (const auto* column = metadata.find_column(name))
            type = column->type;
        for (const auto& column : table_->virtual_columns())
            if (!type && column.name == name)
                type = column.type;
        if (!type)
            throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK, "There is no column " + name);
        slots.add(name, type);
        header.push_back({name, type});
    }
    // Rows in the order of where they stand, then back into the order asked for.
    std::vector<uint32_t> order(row_ids.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<uint32_t>(i);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return row_ids[a] < row_ids[b]; });
    constexpr uint64_t kRowMask = (uint64_t{1} << kRowIdRowBits) - 1;
    RowIndexes back(order.size()); // where the wanted row stands among those read
    uint32_t read_rows = 0;
    std::vector<MutableColumnPtr> gathered;
    for (const auto& column : header)
        gathered.push_back(remove_low_cardinality(column.type)->create_column());
    std::unique_ptr<RowReader> reader;
    size_t reader_source = SIZE_MAX;
    const TableName table_name = table_->table_name();
    for (size_t i = 0; i < order.size();)
    {
        const uint64_t first = row_ids[order[i]];
        const auto source = static_cast<size_t>(first >> kRowIdRowBits);
        PageRows rows;
        rows.page = static_cast<size_t>((first & kRowMask) / kPageRows);
        rows.all = false;
        for (; i < order.size(); ++i)
        {
            const uint64_t id = row_ids[order[i]];
            if (id >> kRowIdRowBits != source || (id & kRowMask) / kPageRows != rows.page)
                break;
            const auto row = static_cast<uint32_t>((id & kRowMask) % kPageRows);
            if (rows.rows.empty() || rows.rows.back() != row)
            {
                rows.rows.push_back(row);
                ++read_rows;
            }
            back[order[i]] = read_rows - 1;
        }
        if (source != reader_source)
        {
            BASALT_ASSERT(source < sources_.size());
            const auto& known = *sources_[source];
            std::shared_ptr<const SourcePlan> plan;
            if (known.part())
                plan = std::make_shared<SourcePlan>(metadata, *snapshot_.history, known.part(),
                                                    source, table_name, slots, *context_);
            else
                plan = std::make_shared<SourcePlan>(metadata, *snapshot_.history,
                                                    known.live_block(), source, table_name, slots,
                                                    *context_);
            reader = std::make_unique<RowReader>(std::move(plan), page_use_, *context_);
            reader_source = source;
        }
        for (size_t c = 0; c < header.size(); ++c)
        {
            const ColumnPtr column = reader->read(c, rows);
            gathered[c]->append_range(*column, 0, column->size());
        }
        context_->add_read(rows.rows.size(), reader->take_read_bytes());
    }
    Block block;
    block.set_rows(order.size());
    for (size_t c = 0; c < header.size(); ++c)
        block.add({gathered[c]->take(back), header[c].type, header[c].name});
    return block;
}

} // namespace basalt
