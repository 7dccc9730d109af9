#include "storage/mergetree/pruning.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

void add_range(std::vector<GranuleRange>& ranges, const GranuleRange& range)
{
    if (range.begin >= range.end)
        return;
    if (!ranges.empty() && ranges.back().end == range.begin &&
        ranges.back().certain == range.certain)
        ranges.back().end = range.end;
    else
        ranges.push_back(range);
}

Pruning::Pruning(const TableSnapshot& snapshot, const FilterSteps& steps, const Header& slots,
                 const QueryContext& context)
    : snapshot_(snapshot), steps_(steps), slots_(slots), context_(context)
{
    for (const auto& step : steps.steps())
    {
        each_.push_back(std::make_unique<Condition>(step.condition));
        all_ = all_ ? Expression::call("and", {all_, step.condition}, context) : step.condition;
    }
    whole_ = std::make_unique<Condition>(all_);
}

Pruning::Counts Pruning::count(const ScanSelection& selection)
{
    Counts counts;
    for (const auto& source : selection.sources)
    {
        if (!source.source->part() || source.ranges.empty())
            continue;
        ++counts.parts;
        for (const auto& range : source.ranges)
            counts.granules += range.end - range.begin;
    }
    return counts;
}

// Of an index that cannot say anything of the filter.
void Pruning::report_unused(ScanSelection& selection, const char* type) const
{
    IndexUse use;
    use.type = type;
    use.condition = "true";
    report(selection, std::move(use), count(selection));
}

void Pruning::report(ScanSelection& selection, IndexUse use, const Counts& before) const
{
    const Counts after = count(selection);
    use.parts_before = before.parts;
    use.granules_before = before.granules;
    use.parts_after = after.parts;
    use.granules_after = after.granules;
    selection.index_use.push_back(std::move(use));
}

void Pruning::run(ScanSelection& selection)
{
    const auto& settings = context_.settings;
    if (all_)
        prune_constants(selection);
    if (settings.get_bool("basalt_enable_key_pruning"))
    {
        if (settings.get_bool("use_partition_pruning"))
        {
            prune_by_minmax(selection);
            prune_by_partition(selection);
        }
        if (settings.get_bool("use_primary_key"))
            prune_by_key(selection);
    }
    if (settings.get_bool("use_skip_indexes"))
        prune_by_indexes(selection);
    if (all_ && settings.get_bool("basalt_enable_page_statistics"))
        prune_by_pages(selection);
    if (settings.get_bool("force_primary_key") && !key_used_ &&
        !snapshot_.metadata->primary_key.expressions.empty())
        throw Error(error_codes::INDEX_NOT_USED,
                    fmt::format("Primary key ({}) is not used and setting 'force_primary_key' "
                                "is set",
                                snapshot_.metadata->primary_key.text));
    if (settings.get_bool("force_index_by_date") && !minmax_used_ &&
        !snapshot_.metadata->partition_key.expressions.empty())
        throw Error(error_codes::INDEX_NOT_USED,
                    fmt::format("Neither MinMax index by columns ({}) nor partition expr is used "
                                "and setting 'force_index_by_date' is set",
                                snapshot_.metadata->partition_key.text));
}

// Steps over what is the same in all rows of a part (_part and the like) are decided here.
void Pruning::prune_constants(ScanSelection& selection)
{
    for (size_t s = 0; s < steps_.size() && s < kMaxCertainSteps; ++s)
    {
        const auto& step = steps_.steps()[s];
        if (!step.condition->deterministic())
            continue;
        for (auto& source : selection.sources)
        {
            Block row;
            row.set_rows(1);
            for (const size_t slot : step.slots)
                if (const ColumnPtr value = source.source->constant_of(slot))
                    row.add({value, slots_[slot].type, slots_[slot].name});
            if (row.width() != step.slots.size() || source.ranges.empty())
                continue;
            Mask mask;
            if (column_to_mask(step.program->run(row, context_)[0], step.condition->type(),
                               mask) == 0)
                source.ranges.clear();
            else
                for (auto& range : source.ranges)
                    range.certain |= uint64_t{1} << s;
        }
    }
}

void Pruning::prune_by_minmax(ScanSelection& selection)
{
    const auto columns = inputs_of(snapshot_.metadata->partition_key.expressions);
    if (columns.empty())
        return;
    Expressions inputs;
    std::vector<KeyBounds> keys;
    for (const auto& name : columns)
    {
        const TypePtr type = snapshot_.metadata->find_column(name)->type;
        KeyBounds key;
        key.key = Expression::input(name, type);
        inputs.push_back(key.key);
        std::vector<std::optional<Value>> min, max;
        for (const auto& source : selection.sources)
        {
            const Part* part = source.source->part().get();
            const int at = part ? part->manifest().find_column(name) : -1;
            const bool usable =
                at >= 0 && same_type(part->header()[static_cast<size_t>(at)].type, type);
            const ColumnManifest* column =
                usable ? &part->manifest().columns[static_cast<size_t>(at)] : nullptr;
            min.push_back(column ? column->statistics.min : std::nullopt);
            max.push_back(column ? column->statistics.max : std::nullopt);
            key.has_null.push_back(!column || column->has_nulls);
            key.only_null.push_back(0);
        }
        key.min = bound_column(type, min);
        key.max = bound_column(type, max);
        keys.push_back(std::move(key));
    }
    const BoundedCondition condition(*whole_, keys, context_);
    if (!condition.useful())
        return report_unused(selection, "Min-Max");
    minmax_used_ = true;
    const Counts before = count(selection);
    for (size_t i = 0; i < selection.sources.size(); ++i)
        if (selection.sources[i].source->part() && !condition.decide(i).can_be_true)
            selection.sources[i].ranges.clear();
    IndexUse use;
    use.type = "Min-Max";
    use.condition = whole_->text(inputs, columns, context_);
    for (const size_t key : condition.used_keys())
        use.keys.push_back(columns[key]);
    report(selection, std::move(use), before);
}

void Pruning::prune_by_partition(ScanSelection& selection)
{
    const auto& key = snapshot_.metadata->partition_key;
    if (key.expressions.empty())
        return;
    // The key's values were computed in the server's time zone.
    if (context_.timezone() != context_.server_timezone)
        return report_unused(selection, "Partition");
    std::vector<KeyBounds> keys;
    for (size_t k = 0; k < key.expressions.size(); ++k)
    {
        KeyBounds bounds;
        bounds.key = key.expressions[k];
        std::vector<std::optional<Value>> values;
        for (const auto& source : selection.sources)
        {
            const Part* part = source.source->part().get();
            const bool known = part && k < part->manifest().partition.size();
            values.push_back(known ? std::optional(part->manifest().partition[k])
                                   : std::nullopt);
            const bool null = known && values.back()->is_null();
            bounds.has_null.push_back(!known || null);
            bounds.only_null.push_back(null);
        }
        bounds.min = bound_column(bounds.key->type(), values);
        bounds.max = bounds.min;
        keys.push_back(std::move(bounds));
    }
    const BoundedCondition condition(*whole_, keys, context_);
    if (!condition.useful())
        return report_unused(selection, "Partition");
    minmax_used_ = true;
    const Counts before = count(selection);
    for (size_t i = 0; i < selection.sources.size(); ++i)
        if (selection.sources[i].source->part() && !condition.decide(i).can_be_true)
            selection.sources[i].ranges.clear();
    IndexUse use;
    use.type = "Partition";
    std::vector<std::string> names;
    for (const auto& expression : key.expressions)
        names.push_back(key.expressions.size() == 1 ? key.text : expression->fingerprint());
    use.condition = whole_->text(key.expressions, names, context_);
    for (const size_t k : condition.used_keys())
        use.keys.push_back(names[k]);
    report(selection, std::move(use), before);
}

// `whole` decides what is read: conjuncts that are possible each may not be so together.
void Pruning::select_marks(const MarkCondition& whole,
                           const std::vector<std::unique_ptr<MarkCondition>>& conditions,
                           size_t begin, size_t end, std::vector<GranuleRange>& ranges) const
{
    if (begin >= end || !whole.decide(begin, end).can_be_true)
        return;
    uint64_t certain = 0;
    bool decided = true;
    for (size_t s = 0; s < conditions.size(); ++s)
    {
        if (!conditions[s]->useful())
            continue;
        if (!conditions[s]->decide(begin, end).certain())
            decided = false;
        else if (s < kMaxCertainSteps)
            certain |= uint64_t{1} << s;
    }
    if (decided || end - begin == 1)
    {
        add_range(ranges, {begin, end, certain});
        return;
    }
    const size_t middle = begin + (end - begin) / 2;
    select_marks(whole, conditions, begin, middle, ranges);
    select_marks(whole, conditions, middle, end, ranges);
}

void Pruning::prune_by_key(ScanSelection& selection)
{
    const auto& key = snapshot_.metadata->primary_key;
    if (key.expressions.empty())
        return;
    if (!all_)
        return report_unused(selection, "PrimaryKey");
    const Counts before = count(selection);
    std::vector<uint8_t> used(key.expressions.size(), 0);
    // Keys that are computed were computed in the server's time zone.
    const bool same_zone = context_.timezone() == context_.server_timezone;
    for (const auto& expression : key.expressions)
        if (expression->kind() != ExpressionKind::Input && !same_zone)
            return report_unused(selection, "PrimaryKey");
    for (auto& source : selection.sources)
    {
        const PartPtr& part = source.source->part();
        if (!part || source.ranges.empty())
            continue;
        const auto bounds_of = [&](const std::string& name) -> std::pair<Value, Value>
        {
            const int at = part->manifest().find_column(name);
            if (at < 0)
                return {};
            const auto& statistics =
                part->manifest().columns[static_cast<size_t>(at)].statistics;
            return {statistics.min.value_or(Value()), statistics.max.value_or(Value())};
        };
        const Columns& index = part->key_index();
        if (index.size() != key.expressions.size())
            continue;
        std::vector<std::unique_ptr<MarkCondition>> conditions;
        bool useful = false;
        for (const auto& condition : each_)
        {
            conditions.push_back(
                std::make_unique<MarkCondition>(*condition, key, index, bounds_of, context_));
            useful |= conditions.back()->useful();
            for (const size_t k : conditions.back()->used_keys())
                used[k] = 1;
        }
        if (!useful)
            continue;
        const MarkCondition whole(*whole_, key, index, bounds_of, context_);
        std::vector<GranuleRange> ranges;
        for (const auto& range : source.ranges)
        {
            std::vector<GranuleRange> inside;
            select_marks(whole, conditions, range.begin, range.end, inside);
            for (auto& one : inside)
            {
                one.certain |= range.certain;
                add_range(ranges, one);
            }
        }
        source.ranges = std::move(ranges);
        key_used_ = true;
    }
    if (!key_used_)
    {
        // Without any part left the key may still be one that could be used.
        for (const auto& atom : whole_->atoms())
            for (const auto& expression : key.expressions)
                key_used_ |= atom.argument &&
                             atom.argument->fingerprint() == expression->fingerprint();
        if (!key_used_)
            return report_unused(selection, "PrimaryKey");
    }
    IndexUse use;
    use.type = "PrimaryKey";
    std::vector<std::string> names;
    for (const auto& expression : key.expressions)
        names.push_back(expression->kind() == ExpressionKind::Input ? expression->name()
                                                                    : expression->fingerprint());
    use.condition = whole_->text(key.expressions, names, context_);
    for (size_t k = 0; k < used.size(); ++k)
        if (used[k])
            use.keys.push_back(names[k]);
    report(selection, std::move(use), before);
}

// By the least and greatest values of each page, of any column.
void Pruning::prune_by_pages(ScanSelection& selection)
{
    for (auto& source : selection.sources)
    {
        const PartPtr& part = source.source->part();
        if (!part || source.ranges.empty())
            continue;
        // Bounds only of pages that are left: their positions in `pages`.
        const size_t page_granules = kPageRows / part->manifest().granule_rows;
        std::vector<size_t> pages;
        for (const auto& range : source.ranges)
            for (size_t page = range.begin / page_granules; page * page_granules < range.end; ++page)
                if (pages.empty() || pages.back() != page)
                    pages.push_back(page);
        std::vector<KeyBounds> keys;
        for (size_t slot = 0; slot < slots_.size(); ++slot)
        {
            const bool wanted =
                std::any_of(steps_.steps().begin(), steps_.steps().end(),
                            [&](const FilterStep& step)
                            {
                                return std::find(step.slots.begin(), step.slots.end(), slot) !=
                                       step.slots.end();
                            });
            const int column = wanted ? source.source->stored_column(slot) : -1;
            if (column < 0)
                continue;
            const PageTable& table = part->page_table(static_cast<size_t>(column));
            KeyBounds key;
            key.key = Expression::input(slots_[slot].name, slots_[slot].type);
            std::vector<std::optional<Value>> min, max;
            for (const size_t page : pages)
            {
                const PageEntry& entry = table.entries[page];
                min.push_back(table.min[page]);
                max.push_back(table.max[page]);
                key.has_null.push_back(entry.null_count != 0);
                key.only_null.push_back(entry.null_count == entry.rows);
            }
            key.min = bound_column(slots_[slot].type, min);
            key.max = bound_column(slots_[slot].type, max);
            keys.push_back(std::move(key));
        }
        if (keys.empty())
            continue;
        std::vector<std::unique_ptr<BoundedCondition>> conditions;
        bool useful = false;
        for (const auto& condition : each_)
        {
            conditions.push_back(std::make_unique<BoundedCondition>(*condition, keys, context_));
            useful |= conditions.back()->useful();
        }
        if (!useful)
            continue;
        std::vector<GranuleRange> ranges;
        size_t known_page = SIZE_MAX, at = SIZE_MAX;
        uint64_t certain = 0;
        bool possible = true;
        for (const auto& range : source.ranges)
            for (size_t begin = range.begin; begin < range.end;)
            {
                const size_t page = begin / page_granules;
                const size_t end = std::min(range.end, (page + 1) * page_granules);
                if (page != known_page)
                {
                    known_page = page;
                    ++at;
                    certain = 0;
                    possible = true;
                    for (size_t s = 0; possible && s < conditions.size(); ++s)
                    {
                        if (!conditions[s]->useful())
                            continue;
                        const Outcomes outcomes = conditions[s]->decide(at);
                        possible = outcomes.can_be_true;
                        if (s < kMaxCertainSteps && outcomes.certain())
                            certain |= uint64_t{1} << s;
                    }
                }
                if (possible)
                    add_range(ranges, {begin, end, range.certain | certain});
                begin = end;
            }
        source.ranges = std::move(ranges);
    }
}

} // namespace basalt
