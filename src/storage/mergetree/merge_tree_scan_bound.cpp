// ORDER BY … LIMIT n over a scan: what may hold the first n rows is read first, and nothing that
// lies behind the n-th best value so far.

#include "storage/mergetree/merge_tree_scan.h"

#include "encodings/page_statistics.h"

#include <algorithm>

namespace basalt
{

namespace
{

// Granules that are read before whole pages are. Pages are opened again for them, so they are few.
constexpr size_t kMostFirstGranules = 32;

// What a bound compares with: the best value that rows of a granule may have.
class GranuleBests
{
public:
    GranuleBests(const SourcePlan& source, const TableMetadata& metadata, size_t slot,
                 const TopBound& bound)
        : descending_(bound.descending)
    {
        const int column = source.stored_column(slot);
        if (column < 0)
            return;
        const Part& part = *source.part();
        table_ = &part.page_table(static_cast<size_t>(column));
        const auto& keys = metadata.primary_key.expressions;
        if (part.key_index().size() != keys.size())
            return;
        for (size_t k = 0; k < keys.size(); ++k)
            if (keys[k]->kind() == ExpressionKind::Input && keys[k]->name() == bound.column)
            {
                index_ = &part.key_index();
                key_ = k;
                const auto& directions = metadata.primary_key.descending;
                // Rows of a granule lie between its mark and the next one.
                at_next_mark_ = bound.descending != (k < directions.size() && directions[k]);
                return;
            }
    }

    bool from_marks() const { return index_ != nullptr; }

    // Nothing when it is not known.
    std::optional<Value> of_page(size_t page) const
    {
        if (!table_ || table_->entries[page].null_count)
            return std::nullopt;
        return descending_ ? table_->max[page] : table_->min[page];
    }
    std::optional<Value> of_granule(size_t granule, size_t page) const
    {
        if (!index_)
            return of_page(page);
        for (size_t k = 0; k < key_; ++k)
            if ((*index_)[k]->compare_at(granule, *(*index_)[k], granule + 1, 1) != 0)
                return of_page(page);
        return (*index_)[key_]->value_at(granule + (at_next_mark_ ? 1 : 0));
    }

private:
    const PageTable* table_ = nullptr;
    const Columns* index_ = nullptr; // null: marks say nothing of the column
    size_t key_ = 0;
    bool at_next_mark_ = false;
    bool descending_;
};

// Unknown values come first, then the better ones.
bool comes_before(const std::optional<Value>& a, const std::optional<Value>& b, bool descending)
{
    if (!a || !b)
        return !a && b;
    const int order = compare_values(*a, *b).value_or(0);
    return descending ? order > 0 : order < 0;
}

} // namespace

void MergeTreeScan::order_chunks_for_bound(size_t chunk_rows)
{
    const bool descending = top_bound_->descending;
    struct Ranked
    {
        Chunk chunk;
        std::optional<Value> best;
    };
    std::vector<Ranked> wholes, granules;
    std::vector<std::unique_ptr<GranuleBests>> bests(sources_.size());
    for (const auto& chunk : chunks_)
    {
        const auto& source = *sources_[chunk.source];
        auto& known = bests[chunk.source];
        if (!known)
            known = std::make_unique<GranuleBests>(source, *snapshot_.metadata,
                                                   static_cast<size_t>(bound_slot_), *top_bound_);
        if (!known->from_marks())
        {
            wholes.push_back({chunk, known->of_page(chunk.page)});
            continue;
        }
        const size_t granule_rows = granule_rows_of(source);
        const size_t end = chunk.begin + chunk.count;
        for (size_t row = chunk.begin; row < end;)
        {
            const size_t granule = (chunk.page * kPageRows + row) / granule_rows;
            const size_t next = std::min(end, (row / granule_rows + 1) * granule_rows);
            Chunk one = chunk;
            one.begin = static_cast<uint32_t>(row);
            one.count = static_cast<uint32_t>(next - row);
            granules.push_back({one, known->of_granule(granule, chunk.page)});
            row = next;
        }
    }
    const auto before = [descending](const Ranked& a, const Ranked& b)
    { return comes_before(a.best, b.best, descending); };
    // The granules that come first stand alone, the others are joined where they are neighbours.
    if (granules.size() > kMostFirstGranules)
    {
        std::vector<uint32_t> order(granules.size());
        for (size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<uint32_t>(i);
        std::nth_element(order.begin(), order.begin() + kMostFirstGranules, order.end(),
                         [&](uint32_t a, uint32_t b) { return before(granules[a], granules[b]); });
        std::vector<uint8_t> is_first(granules.size(), 0);
        for (size_t i = 0; i < kMostFirstGranules; ++i)
            is_first[order[i]] = 1;
        std::vector<Ranked> joined;
        bool join = false;
        for (size_t i = 0; i < granules.size(); ++i)
        {
            Ranked& one = granules[i];
            if (is_first[i])
            {
                wholes.push_back(std::move(one));
                join = false;
                continue;
            }
            Ranked* last = join ? &joined.back() : nullptr;
            if (last && last->chunk.source == one.chunk.source &&
                last->chunk.page == one.chunk.page && last->chunk.certain == one.chunk.certain &&
                last->chunk.begin + last->chunk.count == one.chunk.begin &&
                last->chunk.count + one.chunk.count <= chunk_rows)
            {
                last->chunk.count += one.chunk.count;
                if (before(one, *last))
                    last->best = std::move(one.best);
            }
            else
                joined.push_back(std::move(one));
            join = true;
        }
        granules = std::move(joined);
    }
    wholes.insert(wholes.end(), std::make_move_iterator(granules.begin()),
                  std::make_move_iterator(granules.end()));
    std::stable_sort(wholes.begin(), wholes.end(), before);
    chunks_.clear();
    chunk_bests_.clear();
    for (auto& one : wholes)
    {
        chunks_.push_back(one.chunk);
        chunk_bests_.push_back(std::move(one.best));
    }
}

bool MergeTreeScan::beyond_bound(size_t chunk) const
{
    if (bound_slot_ < 0 || !top_bound_->is_set.load(std::memory_order_acquire))
        return false;
    const auto& best = chunk_bests_[chunk];
    if (!best)
        return false;
    std::lock_guard lock(top_bound_->mutex);
    const auto order = compare_values(*best, top_bound_->value);
    return order && (top_bound_->descending ? *order < 0 : *order > 0);
}

// Rows behind the bound are dropped before anything else is asked of them.
void MergeTreeScan::apply_bound(ChunkRows& rows) const
{
    if (bound_slot_ < 0 || !top_bound_->is_set.load(std::memory_order_acquire))
        return;
    PagePredicate predicate;
    predicate.kind = top_bound_->descending ? PagePredicate::Kind::GreaterOrEquals
                                            : PagePredicate::Kind::LessOrEquals;
    {
        std::lock_guard lock(top_bound_->mutex);
        predicate.values.push_back(top_bound_->value);
    }
    Mask mask;
    if (rows.decide(static_cast<size_t>(bound_slot_), predicate, mask))
        rows.keep(mask, count_kept(mask));
}

} // namespace basalt
