#include "storage/mergetree/column_reducer.h"
#include "storage/mergetree/group_combiner.h"
#include "storage/mergetree/key_runs.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

using Kind = MergingDescription::Kind;

void GroupCombiner::add(Block block, const Emit& emit)
{
    if (block.rows() == 0)
        return;
    const RowIndexes starts = key_run_starts(block, options_.keys);
    const bool is_open = open_key_.rows() != 0;
    const bool continues = is_open && compare_rows(open_key_, 0, block, 0, options_.keys) == 0;
    if (is_open && !continues)
        close(emit);
    add_groups(block, starts, continues, emit);
    Block key;
    for (const auto& column : block.columns())
        key.add({column.type->create_column(), column.type, column.name});
    for (const SortKey& sort_key : options_.keys)
    {
        const auto& column = block[sort_key.column];
        key[sort_key.column].column = to_flat(column.column->slice(block.rows() - 1, 1));
    }
    key.set_rows(1);
    open_key_ = std::move(key);
}

void GroupCombiner::finish(const Emit& emit)
{
    if (open_key_.rows())
        close(emit);
    open_key_ = Block();
}

void GroupCombiner::emit_rows(const Block& block, const RowIndexes& rows, const Emit& emit)
{
    if (rows.empty())
        return;
    const size_t span = rows[rows.size() - 1] - rows[0] + 1;
    emit(span == rows.size() ? block.slice(rows[0], span) : block.take(rows));
}

namespace
{

// The row of the greatest version, of equal ones the latest.
class Replacing final : public GroupCombiner
{
public:
    Replacing(int version, int is_deleted, CombinerOptions options)
        : GroupCombiner(std::move(options)), version_(version), is_deleted_(is_deleted)
    {
    }

private:
    void add_groups(const Block& block, const RowIndexes& starts, bool continues,
                    const Emit& emit) override
    {
        const size_t rows = block.rows();
        const ColumnPtr versions =
            version_ >= 0 ? to_flat(block[static_cast<size_t>(version_)].column) : nullptr;
        const uint8_t* deleted = check_deleted(block);
        RowIndexes kept;
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const size_t end = end_of(starts, group, rows);
            size_t best = end - 1;
            if (versions)
            {
                best = starts[group];
                for (size_t row = best + 1; row < end; ++row)
                    if (versions->compare_at(row, *versions, best, 1) >= 0)
                        best = row;
            }
            const bool is_last = group + 1 == starts.size();
            if (group == 0 && continues)
            {
                const bool open_wins = versions && open_version_->compare_at(0, *versions, best, 1) > 0;
                if (open_wins && is_last)
                    return;
                if (open_wins)
                {
                    close(emit);
                    continue;
                }
            }
            if (is_last)
            {
                emit_rows(block, kept, emit);
                open_row_ = block.slice(best, 1);
                if (versions)
                    open_version_ = versions->slice(best, 1);
                open_deleted_ = deleted && deleted[best];
            }
            else if (!(deleted && deleted[best] && drops_deleted()))
                kept.push_back(static_cast<uint32_t>(best));
        }
    }

    void close(const Emit& emit) override
    {
        if (!open_deleted_ || !drops_deleted())
            emit(std::move(open_row_));
        open_row_ = Block();
    }

    bool drops_deleted() const { return options().for_reading || options().drop_deleted; }

    // Null when the table has no such column.
    const uint8_t* check_deleted(const Block& block)
    {
        if (is_deleted_ < 0)
            return nullptr;
        deleted_ = block[static_cast<size_t>(is_deleted_)].column;
        const auto& values = flat_values<uint8_t>(deleted_);
        for (const uint8_t value : values)
            if (value > 1)
                throw Error(error_codes::INCORRECT_DATA,
                            fmt::format("Incorrect data: is_deleted = {} (must be 1 or 0).",
                                        value));
        return values.data();
    }

    int version_, is_deleted_; // positions, -1: none
    ColumnPtr deleted_;        // of the block at hand
    Block open_row_;
    ColumnPtr open_version_;
    bool open_deleted_ = false;
};

} // namespace

bool is_combined(const Part& part, const TableMetadata& metadata)
{
    return part.name().level > 0 && part.manifest().sorting_key == metadata.sorting_key.text;
}

std::vector<std::string> deciding_columns(const TableMetadata& metadata)
{
    const MergingDescription& merging = metadata.merging;
    std::vector<std::string> names;
    for (const auto* name : {&merging.sign, &merging.version, &merging.is_deleted})
        if (!name->empty())
            names.push_back(*name);
    if (merging.kind != Kind::Summing)
        return names;
    // Rows whose sums are all zero are dropped; the columns of a map are summed together.
    const Header header = metadata.physical_header();
    const bool has_measures =
        std::any_of(header.begin(), header.end(),
                    [](const NamedType& column)
                    {
                        return column.type->is(TypeId::AggregateFunction) ||
                               column.type->is(TypeId::SimpleAggregateFunction);
                    });
    for (const auto& column : header)
        if ((!has_measures && sum_of_group(column.type)) ||
            column.name.find("Map.") != std::string::npos)
            names.push_back(column.name);
    return names;
}

std::unique_ptr<RowCombiner> make_row_combiner(const TableMetadata& metadata, const Header& header,
                                               CombinerOptions options, const QueryContext&)
{
    const MergingDescription& merging = metadata.merging;
    const auto find = [&](const std::string& name)
    {
        if (name.empty())
            return -1;
        const auto found = std::find_if(header.begin(), header.end(), [&](const NamedType& column)
                                        { return column.name == name; });
        BASALT_ASSERT(found != header.end());
        return static_cast<int>(found - header.begin());
    };
    switch (merging.kind)
    {
    case Kind::Ordinary:
        return nullptr;
    case Kind::Replacing:
        return std::make_unique<Replacing>(find(merging.version), find(merging.is_deleted),
                                           std::move(options));
    case Kind::Collapsing:
        return make_collapsing(static_cast<size_t>(find(merging.sign)), std::move(options));
    case Kind::VersionedCollapsing:
        return make_versioned_collapsing(static_cast<size_t>(find(merging.sign)),
                                         std::move(options));
    case Kind::Summing:
    case Kind::Aggregating:
    case Kind::Coalescing:
        return make_reducing(metadata, header, std::move(options));
    }
    return nullptr;
}

KeyedCombiner::KeyedCombiner(const TableMetadata& metadata, const QueryContext& context)
    : header_(metadata.physical_header())
{
    Header header = header_;
    CombinerOptions options;
    const Expressions& key = metadata.sorting_key.expressions;
    for (const auto& part : key)
    {
        SortKey sort_key;
        sort_key.column = header.size();
        options.keys.push_back(sort_key);
        header.push_back({kKeyValuePrefix + std::to_string(header.size()), part->type()});
    }
    if (!key.empty())
        program_ = std::make_unique<ExpressionProgram>(key, context);
    combiner_ = make_row_combiner(metadata, header, std::move(options), context);
    BASALT_ASSERT(combiner_);
}

void KeyedCombiner::add(Block block, const RowCombiner::Emit& emit)
{
    if (program_)
    {
        const Columns values = program_->run(block);
        for (size_t i = 0; i < values.size(); ++i)
            block.add({values[i], program_->roots()[i]->type(),
                       kKeyValuePrefix + std::to_string(block.width())});
    }
    combiner_->add(std::move(block), [&](Block rows) { emit(without_keys(rows)); });
}

void KeyedCombiner::finish(const RowCombiner::Emit& emit)
{
    combiner_->finish([&](Block rows) { emit(without_keys(rows)); });
}

Block KeyedCombiner::without_keys(const Block& block) const
{
    Block result;
    for (size_t i = 0; i < header_.size(); ++i)
        result.add(block[i]);
    return result;
}

} // namespace basalt
