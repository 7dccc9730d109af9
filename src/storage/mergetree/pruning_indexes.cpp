// The step of pruning that asks skip indexes.

#include "storage/mergetree/pruning.h"

#include "base/error.h"
#include "storage/skip_index/id_filter.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace basalt
{

namespace
{

// Names in a setting: "a, `b c`, 'd'".
std::set<std::string, std::less<>> names_in(std::string_view list)
{
    std::set<std::string, std::less<>> names;
    for (size_t at = 0; at < list.size();)
    {
        const char c = list[at];
        if (c == ' ' || c == ',' || c == '\t' || c == '\n')
        {
            ++at;
            continue;
        }
        std::string name;
        if (c == '`' || c == '"' || c == '\'')
        {
            for (++at; at < list.size() && list[at] != c; ++at)
                name += list[at];
            ++at;
        }
        else
            for (; at < list.size() && list[at] != ',' && list[at] != ' '; ++at)
                name += list[at];
        names.insert(std::move(name));
    }
    if (names.empty() && !list.empty())
        throw Error(error_codes::CANNOT_PARSE_TEXT,
                    fmt::format("Cannot parse string ('{}') into vector of identifiers.", list));
    return names;
}

} // namespace

// Whether the part's index was made of the columns as they are now.
bool Pruning::inputs_unchanged(const Part& part, const IndexDescription& index) const
{
    for (const auto& name : inputs_of({index.expression}))
    {
        const auto* column = snapshot_.metadata->find_column(name);
        const int at = part.manifest().find_column(name);
        if (!column || at < 0 ||
            snapshot_.history->stored_name(name, part.manifest().metadata_version) != name ||
            !same_type(part.header()[static_cast<size_t>(at)].type, column->type))
            return false;
    }
    return true;
}

// Filters that parts have without being asked for, of columns that the filter reads.
std::vector<IndexDescription> Pruning::id_filters(const ScanSelection& selection) const
{
    std::vector<IndexDescription> filters;
    for (const auto& name : inputs_of({all_}))
    {
        const auto* column = snapshot_.metadata->find_column(name);
        if (!column)
            continue;
        for (const auto& source : selection.sources)
        {
            const PartPtr& part = source.source->part();
            if (!part || source.ranges.empty())
                continue;
            const auto& stored = part->manifest().indexes;
            if (std::none_of(stored.begin(), stored.end(), [&](const IndexManifest& index)
                             { return index.type == kIdFilterType && index.expression == name; }))
                continue;
            filters.push_back(id_filter_of(name, column->type, part->manifest().granule_rows));
            break;
        }
    }
    return filters;
}

void Pruning::prune_by_indexes(ScanSelection& selection)
{
    const auto ignored = names_in(context_.settings.get("ignore_data_skipping_indices"));
    auto forced = names_in(context_.settings.get("force_data_skipping_indices"));
    if (all_)
    {
        std::vector<IndexDescription> indexes = snapshot_.metadata->indexes;
        for (auto& filter : id_filters(selection))
            indexes.push_back(std::move(filter));
        for (const auto& atom : whole_->atoms())
            claims_.push_back(indexes.empty() ? std::vector<ValueClaim>()
                                              : claims_of(atom, context_));
        known_.assign(selection.sources.size(),
                      std::vector<std::vector<Outcomes>>(whole_->atoms().size()));
        for (const auto& index : indexes)
            if (!ignored.contains(index.name))
                prune_by_index(selection, index);
        known_.clear();
    }
    for (const auto& use : selection.index_use)
        if (use.type == "Skip")
            forced.erase(use.name);
    if (!forced.empty())
        throw Error(error_codes::INDEX_NOT_USED,
                    fmt::format("Index `{}` is not used and setting "
                                "'force_data_skipping_indices' contains it",
                                *forced.begin()));
}

void Pruning::prune_by_index(ScanSelection& selection, const IndexDescription& index)
{
    const SkipIndexKind* kind = skip_index_kinds().find(index.type);
    if (!kind)
        return;
    const std::string& fingerprint = index.expression->fingerprint();
    std::vector<IndexQuestion> questions(whole_->atoms().size());
    bool useful = false;
    for (size_t a = 0; a < questions.size(); ++a)
    {
        IndexQuestion question;
        question.atom = &whole_->atoms()[a];
        question.direct =
            question.atom->argument && question.atom->argument->fingerprint() == fingerprint;
        for (const auto& claim : claims_[a])
            if (claim.argument == fingerprint)
                question.claims.push_back(&claim);
        if (!kind->useful_for(index, question))
            continue;
        questions[a] = std::move(question);
        useful = true;
    }
    if (!useful)
        return;
    const Counts before = count(selection);
    for (size_t i = 0; i < selection.sources.size(); ++i)
    {
        auto& source = selection.sources[i];
        auto& known = known_[i];
        if (!source.source->part() || source.ranges.empty() ||
            !ask_index(source, index, questions, known))
            continue;
        std::vector<GranuleRange> ranges;
        for (const auto& range : source.ranges)
            for (size_t granule = range.begin; granule < range.end; ++granule)
            {
                const Outcomes outcomes = whole_->evaluate(
                    [&](size_t a)
                    { return known[a].empty() ? Outcomes::anything() : known[a][granule]; });
                if (outcomes.can_be_true)
                    add_range(ranges, {granule, granule + 1, range.certain});
            }
        source.ranges = std::move(ranges);
    }
    IndexUse use;
    use.type = "Skip";
    use.name = index.name;
    use.description = fmt::format("{} GRANULARITY {}", index.type, index.granularity);
    use.condition = index.type == "minmax"
                        ? whole_->text({index.expression}, {index.expression_text}, context_)
                        : kind->condition(index, questions);
    report(selection, std::move(use), before);
}

// Adds what the part's index says of the atoms that have a question. False: it says nothing. The
// part's index and the table's must be the same thing.
bool Pruning::ask_index(const SourceSelection& source, const IndexDescription& index,
                        const std::vector<IndexQuestion>& questions,
                        std::vector<std::vector<Outcomes>>& known) const
{
    const Part& part = *source.source->part();
    const auto& stored = part.manifest().indexes;
    const std::string arguments = Value(TupleValue{index.arguments}).to_text();
    const auto found = std::find_if(stored.begin(), stored.end(),
                                    [&](const IndexManifest& one)
                                    {
                                        return one.name == index.name && one.type == index.type &&
                                               one.expression == index.expression_text &&
                                               one.arguments == arguments;
                                    });
    if (found == stored.end() || found->section.size == 0 || !inputs_unchanged(part, index))
        return false;
    SkipIndexSource from;
    from.file = part.file(found->section.file, false);
    from.offset = found->section.offset;
    from.size = found->section.size;
    const size_t granules = part.manifest().granules();
    const size_t granularity = std::max<size_t>(found->granularity, 1);
    from.entry_rows = granularity * part.manifest().granule_rows;
    from.entries = (granules + granularity - 1) / granularity;
    const size_t entries = from.entries;
    bool said = false;
    try
    {
        const auto reader =
            skip_index_kinds().get(index.type).open(index, std::move(from));
        for (size_t a = 0; a < questions.size(); ++a)
        {
            if (!questions[a].atom)
                continue;
            std::vector<Outcomes> outcomes(entries, Outcomes::anything());
            reader->narrow(questions[a], context_, outcomes);
            if (known[a].empty())
                known[a].assign(granules, Outcomes::anything());
            for (size_t granule = 0; granule < granules; ++granule)
                known[a][granule] =
                    known[a][granule].narrowed_by(outcomes[granule / granularity]);
            said = true;
        }
    }
    catch (Error& error)
    {
        // Nobody asked for a filter of ids, nor can drop it.
        if (index.type == kIdFilterType && (error.code() == error_codes::CORRUPTED_DATA ||
                                            error.code() == error_codes::CHECKSUM_DOESNT_MATCH))
            return false;
        error.add_context(
            fmt::format("While reading index {} of part {}", index.name, part.name_text()));
        throw;
    }
    return said;
}

} // namespace basalt
