#pragma once

#include "storage/mergetree/row_combiner.h"
#include "storage/mergetree/scan_plan.h"

#include <atomic>
#include <deque>
#include <map>

namespace basalt
{

// Row ids: the source's number in the scan, then the row's number in it.
inline constexpr uint64_t kRowIdRowBits = 40;

// FINAL: what the key decides is decided while reading, everything else about combined rows.
class MergeTreeScan final : public Scan
{
public:
    MergeTreeScan(std::shared_ptr<MergeTreeTable> table, const ScanRequest& request,
                  QueryContextPtr context);
    // Of parts chosen by the caller.
    MergeTreeScan(std::shared_ptr<MergeTreeTable> table, const ScanRequest& request,
                  QueryContextPtr context, TableSnapshot snapshot);
    ~MergeTreeScan() override;

    const Header& header() const override { return header_; }
    size_t stream_count() const override { return streams_.size(); }
    Block next(size_t stream) override;
    Block fetch(const PodVector<uint64_t>& row_ids,
                const std::vector<std::string>& columns) override;
    std::vector<IndexUse> index_use() const override { return selection_.index_use; }
    Estimate estimate() const override;

private:
    struct Chunk // rows of one page
    {
        uint32_t source = 0;
        uint32_t page = 0;
        uint32_t begin = 0;
        uint32_t count = 0;
        uint64_t certain = 0;
    };
    class OrderedInput;
    // A range of the primary key, from the first to before the second. One row each; empty: open.
    struct FinalLayer
    {
        Block from, before;
        bool is_open() const { return from.rows() == 0 && before.rows() == 0; }
    };
    // Under FINAL: sources whose rows are to be combined with each other.
    struct FinalGroup
    {
        std::vector<std::pair<size_t, size_t>> runs; // of chunks, each of one source, oldest first
        FinalLayer layer;
    };
    struct FinalMerge
    {
        std::unique_ptr<SortedMerge> merge;
        std::unique_ptr<RowCombiner> combiner;
        std::deque<Block> ready;
    };
    struct Stream
    {
        std::unique_ptr<StepMemory> memory;
        std::unique_ptr<RowReader> reader;
        size_t reader_source = SIZE_MAX;
        size_t at = 0, end = 0; // of chunks taken
        std::unique_ptr<SortedMerge> merge; // of an ordered scan
        std::unique_ptr<FinalMerge> final;
    };

    void plan(const ScanRequest& request);
    void make_chunks(size_t chunk_rows);
    void order_chunks_for_bound(size_t chunk_rows);
    void add_inner_column(const std::string& name, const TypePtr& type);
    void add_order_keys(size_t prefix);
    void sort_live();
    void plan_ordered();
    void start_ordered();
    void plan_final(ExpressionPtr& prewhere, ExpressionPtr& filter);
    bool decided_by_key(const ExpressionPtr& conjunct) const;
    bool keys_stay_in_partitions() const;
    void split_live();
    Block key_range(uint32_t source) const;
    std::vector<std::vector<uint32_t>> disjoint(std::vector<uint32_t> sources) const;
    SortKeys primary_order() const;
    Block key_at(const Chunk& chunk, bool behind = false) const;
    std::vector<Block> layer_bounds(const std::vector<uint32_t>& sources,
                                    const std::map<uint32_t, std::pair<size_t, size_t>>& runs) const;
    bool may_hold(const Chunk& chunk, const FinalLayer& layer) const;
    Block within_layer(const Block& block, const FinalLayer& layer) const;
    void start_final();
    bool needs_no_combining(const std::vector<uint32_t>& sources) const;
    std::unique_ptr<FinalMerge> begin_merge(Stream& stream, const FinalGroup& group);
    Block next_combined(FinalMerge& merge);
    Block finish_final(const Block& block);
    Block next_final(Stream& stream);
    bool take_chunks(Stream& stream);
    bool is_last_step(size_t step, const Chunk& chunk) const;
    Block read_chunk(const Chunk& chunk, RowReader& reader, StepMemory& memory);
    bool beyond_bound(size_t chunk) const;
    void apply_bound(ChunkRows& rows) const;
    RowReader& reader_for(Stream& stream, size_t source);
    Block cut_to_limit(Block block);
    Block next_ordered(Stream& stream);

    std::shared_ptr<MergeTreeTable> table_;
    QueryContextPtr context_;
    TableSnapshot snapshot_;
    ColumnSlots slots_;
    std::vector<size_t> output_slots_;
    std::vector<size_t> prefix_bytes_; // as requested
    Header header_; // what next() returns
    Header inner_header_; // with columns that only the order or FINAL needs
    bool with_row_ids_ = false;
    PageUse page_use_ = PageUse::Cached;
    size_t block_rows_ = 0;
    std::shared_ptr<TopBound> top_bound_;
    int bound_slot_ = -1; // -1: no bound
    std::vector<std::optional<Value>> chunk_bests_; // with a bound: what chunks may hold
    std::unique_ptr<FilterSteps> steps_;
    std::vector<std::shared_ptr<const SourcePlan>> sources_;
    ScanSelection selection_;
    std::vector<Chunk> chunks_;
    std::atomic<size_t> next_chunk_{0};
    size_t run_ = 1; // chunks taken at a time
    bool has_limit_ = false;
    std::atomic<int64_t> rows_left_{0};
    std::atomic<bool> counted_certain_{false};
    std::vector<Stream> streams_;
    // Ordered scans.
    size_t order_prefix_ = 0;
    bool order_descending_ = false;
    std::unique_ptr<ExpressionProgram> order_program_;
    SortKeys order_keys_; // positions in blocks of OrderedInput
    // FINAL.
    bool final_ = false;
    bool final_by_partition_ = false;
    std::vector<std::string> live_partitions_; // of snapshot_.live, when by partition
    ExpressionPtr after_final_;                // what is decided about combined rows; may be null
    std::unique_ptr<ExpressionProgram> after_program_;
    std::vector<FinalGroup> final_groups_;
    std::atomic<size_t> next_group_{0};
};

} // namespace basalt
