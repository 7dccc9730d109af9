#include "storage/mergetree/part_merger.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "storage/mergetree/part_writer.h"

#include <algorithm>
#include <set>

namespace basalt
{

// All rows of a part with the merge's keys behind the columns.
class PartMerger::Input final : public SortedInput
{
public:
    Input(PartMerger& merger, const PartPtr& part, size_t index, size_t rows_at_once)
        : merger_(merger),
          plan_(std::make_shared<SourcePlan>(*merger.metadata_, *merger.history_, part, index,
                                             TableName(), merger.slots_, merger.context_)),
          reader_(plan_, PageUse::Once, merger.context_), rows_at_once_(rows_at_once)
    {
    }

    Block next() override
    {
        const size_t rows = plan_->rows();
        if (at_ >= rows)
            return {};
        PageRows page;
        page.page = at_ / kPageRows;
        page.begin = at_ % kPageRows;
        page.count = std::min({rows_at_once_, kPageRows - page.begin, rows - at_});
        merger_.before_block_(page.count);
        Block block;
        for (size_t slot = 0; slot < merger_.width_; ++slot)
        {
            const auto& column = merger_.slots_.header()[slot];
            block.add({read(slot, page), column.type, column.name});
        }
        block.set_rows(page.count);
        if (merger_.key_program_)
        {
            const Columns keys = merger_.key_program_->run(block);
            for (size_t i = 0; i < keys.size(); ++i)
                block.add({keys[i], merger_.key_program_->roots()[i]->type(),
                           kKeyValuePrefix + std::to_string(i)});
        }
        at_ += page.count;
        return block;
    }

private:
    ColumnPtr read(size_t slot, const PageRows& page)
    {
        if (slot >= merger_.compact_.size() || !merger_.compact_[slot])
            return reader_.read(slot, page);
        pages_.resize(merger_.width_);
        if (!pages_[slot])
            pages_[slot] = std::make_unique<CompactPages>(merger_.template_lists_[slot]);
        return reader_.read_compact(slot, page, *pages_[slot]);
    }

    PartMerger& merger_;
    std::shared_ptr<const SourcePlan> plan_;
    RowReader reader_;
    std::vector<std::unique_ptr<CompactPages>> pages_; // by slot
    size_t rows_at_once_;
    size_t at_ = 0;
};

struct PartMerger::Seen
{
    struct Less
    {
        bool operator()(const Hash128& a, const Hash128& b) const
        {
            return a.high != b.high ? a.high < b.high : a.low < b.low;
        }
    };
    std::set<Hash128, Less> rows;
    Block last; // one row
};

PartMerger::PartMerger(const std::vector<PartPtr>& parts, TableMetadataPtr metadata,
                       std::shared_ptr<const ColumnHistory> history, MergeOptions options,
                       std::function<void(uint64_t)> before_block, const QueryContext& context)
    : parts_(parts), metadata_(std::move(metadata)), history_(std::move(history)), options_(std::move(options)),
      before_block_(std::move(before_block)), context_(context)
{
    for (const auto& column : metadata_->physical_header())
        slots_.add(column.name, column.type);
    width_ = slots_.size();
    const KeyDescription& key = metadata_->sorting_key;
    if (!key.expressions.empty())
    {
        key_program_ = std::make_unique<ExpressionProgram>(key.expressions, context_);
        for (size_t i = 0; i < key.expressions.size(); ++i)
        {
            SortKey sort_key;
            sort_key.column = width_ + i;
            sort_key.descending = i < key.descending.size() && key.descending[i];
            sort_keys_.push_back(sort_key);
        }
    }
    // Whole granules: enough that opening pages does not show, few enough to stay in the cache.
    const size_t granule = parts[0]->manifest().granule_rows;
    const size_t rows_at_once =
        key_program_ ? std::max(granule, kMergeRowsAtOnce / granule * granule) : kPageRows;
    std::vector<std::unique_ptr<SortedInput>> sorted;
    for (size_t i = 0; i < parts.size(); ++i)
    {
        auto input = std::make_unique<Input>(*this, parts[i], i, rows_at_once);
        if (key_program_)
            sorted.push_back(std::move(input));
        else
            inputs_.push_back(std::move(input));
    }
    if (key_program_)
        merge_ = std::make_unique<SortedMerge>(std::move(sorted), sort_keys_, kPageRows, true);
    if (options_.combine)
    {
        Header header = slots_.header();
        for (size_t i = 0; i < key.expressions.size(); ++i)
            header.push_back({kKeyValuePrefix + std::to_string(i), key.expressions[i]->type()});
        CombinerOptions combining;
        combining.keys = sort_keys_;
        combining.drop_deleted = options_.cleanup;
        combiner_ = make_row_combiner(*metadata_, header, std::move(combining), context_);
    }
    if (options_.deduplicate)
    {
        seen_ = std::make_unique<Seen>();
        const auto& by = options_.deduplicate_by;
        for (size_t i = 0; i < width_; ++i)
            if (by.empty() ||
                std::find(by.begin(), by.end(), slots_.header()[i].name) != by.end())
                seen_by_.push_back(i);
    }
}

PartMerger::~PartMerger() = default;

// Merged rows, not combined yet.
Block PartMerger::read()
{
    if (merge_)
        return merge_->next();
    for (; input_at_ < inputs_.size(); ++input_at_)
        if (Block block = inputs_[input_at_]->next(); block.rows())
            return block;
    return {};
}

void PartMerger::pass_compact()
{
    if (options_.deduplicate || combiner_)
        return;
    const auto wanted_as_values = values_wanted_by_writer(*metadata_);
    const bool templates = templates_agree();
    compact_.assign(width_, false);
    template_lists_.assign(width_, nullptr);
    for (size_t i = 0; i < width_; ++i)
    {
        const auto& column = slots_.header()[i];
        if (!column.type->is(TypeId::String) || wanted_as_values.contains(column.name))
            continue;
        compact_[i] = true;
        if (templates)
            template_lists_[i] = make_template_list();
    }
}

// Templates name the columns that they refer to by number: all parts must have the columns of the
// part that is made. And a column that others refer to refers to none.
bool PartMerger::templates_agree() const
{
    std::vector<bool> refers(width_, false), is_referred_to(width_, false);
    for (const auto& part : parts_)
    {
        const auto& columns = part->manifest().columns;
        if (columns.size() != width_)
            return false;
        for (size_t i = 0; i < width_; ++i)
        {
            const auto& column = slots_.header()[i];
            if (columns[i].name != column.name || columns[i].type != column.type->name())
                return false;
            for (const size_t sibling : part->decoder().siblings(i))
            {
                refers[i] = true;
                is_referred_to[sibling] = true;
            }
        }
    }
    for (size_t i = 0; i < width_; ++i)
        if (refers[i] && is_referred_to[i])
            return false;
    return true;
}

Block PartMerger::next()
{
    const auto emit = [&](Block rows) { combined_.push_back(std::move(rows)); };
    for (;;)
    {
        Block block;
        if (!combined_.empty())
        {
            block = std::move(combined_.front());
            combined_.pop_front();
        }
        else
        {
            block = read();
            if (combiner_ && block.rows())
            {
                combiner_->add(std::move(block), emit);
                continue;
            }
            if (combiner_ && block.rows() == 0)
            {
                combiner_->finish(emit);
                combiner_ = nullptr;
                continue;
            }
        }
        if (block.rows() == 0)
            return {};
        if (options_.deduplicate)
            drop_repeated(block);
        if (block.rows() == 0)
            continue;
        Block result;
        for (size_t i = 0; i < width_; ++i)
            result.add(block[i]);
        return result;
    }
}

// Repeated rows have the same key, so only the rows of one key need to be remembered.
void PartMerger::drop_repeated(Block& block)
{
    block = block.flattened();
    Mask mask(block.rows());
    size_t kept = 0;
    PodVector<char> bytes;
    for (size_t row = 0; row < block.rows(); ++row)
    {
        const bool new_key =
            row ? compare_rows(block, row, block, row - 1, sort_keys_) != 0
                : seen_->last.rows() && compare_rows(block, 0, seen_->last, 0, sort_keys_) != 0;
        if (new_key)
            seen_->rows.clear();
        bytes.clear();
        for (const size_t i : seen_by_)
            block[i].column->append_key(row, bytes);
        mask[row] = seen_->rows.insert(xxh3_128(bytes.data(), bytes.size())).second;
        kept += mask[row];
    }
    seen_->last = block.slice(block.rows() - 1, 1);
    if (kept < block.rows())
        block = block.filter(mask, kept);
}

} // namespace basalt
