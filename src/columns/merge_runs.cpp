#include "columns/merge_runs.h"

#include "columns/compact_column.h"
#include "columns/forms.h"
#include "columns/sort_code.h"

#include <algorithm>

namespace basalt
{

namespace
{

template <class T>
void join_values(const std::vector<const T*>& sources, const std::vector<MergeRun>& runs, T* to)
{
    for (const MergeRun& run : runs)
    {
        const T* from = sources[run.source] + run.begin;
        if (run.count < 8)
            for (uint32_t i = 0; i < run.count; ++i)
                *to++ = from[i];
        else
        {
            std::memcpy(static_cast<void*>(to), from, run.count * sizeof(T));
            to += run.count;
        }
    }
}

// Short runs jump about in memory: what comes so many runs later is fetched ahead.
constexpr size_t kAhead = 16;
constexpr size_t kCacheLine = 64;
constexpr size_t kMostAheadBytes = 256;

ColumnPtr join_strings(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    struct Source
    {
        const char* chars = nullptr;
        const uint64_t* offsets = nullptr;
        uint64_t begin_of(uint32_t row) const { return row ? offsets[row - 1] : 0; }
    };
    std::vector<Source> from(sources.size());
    size_t source_bytes = 0;
    size_t source_rows = 1;
    for (size_t i = 0; i < sources.size(); ++i)
        if (sources[i])
        {
            const auto& strings = static_cast<const StringColumn&>(*sources[i]);
            from[i] = {strings.chars().data(), strings.offsets().data()};
            source_bytes += strings.chars().size();
            source_rows += strings.size();
        }
    const size_t ahead_bytes =
        std::min(source_bytes / source_rows + kCacheLine, kMostAheadBytes);
    auto result = std::make_shared<StringColumn>();
    if (rows == 0)
        return result;
    result->offsets().resize(rows);
    uint64_t* to_offset = result->offsets().data();
    uint64_t end = 0;
    PodVector<uint64_t> begins(runs.size()); // in the sources' chars
    for (size_t r = 0; r < runs.size(); ++r)
    {
        if (r + kAhead < runs.size())
            __builtin_prefetch(from[runs[r + kAhead].source].offsets + runs[r + kAhead].begin);
        const MergeRun& run = runs[r];
        const Source& source = from[run.source];
        begins[r] = source.begin_of(run.begin);
        const uint64_t shift = end - begins[r];
        const uint64_t* offsets = source.offsets + run.begin;
        for (uint32_t i = 0; i < run.count; ++i)
            *to_offset++ = offsets[i] + shift;
        end = to_offset[-1];
    }
    result->chars().resize(end);
    char* to = result->chars().data();
    const uint64_t* run_end = result->offsets().data() - 1;
    uint64_t written = 0;
    for (size_t r = 0; r < runs.size(); ++r)
    {
        if (r + kAhead < runs.size())
        {
            const char* later = from[runs[r + kAhead].source].chars + begins[r + kAhead];
            for (size_t i = 0; i < ahead_bytes; i += kCacheLine)
                __builtin_prefetch(later + i);
        }
        run_end += runs[r].count;
        const size_t size = *run_end - written;
        copy_with_padding(to + written, from[runs[r].source].chars + begins[r], size);
        written += size;
    }
    return result;
}

ColumnPtr join_dictionaries(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    std::vector<const Column*> seen;
    std::vector<uint32_t> bases(sources.size(), 0);
    std::vector<const uint32_t*> codes(sources.size(), nullptr);
    std::vector<size_t> base_of_seen;
    size_t entries = 0;
    for (size_t i = 0; i < sources.size(); ++i)
    {
        if (!sources[i])
            continue;
        const auto& dictionary = static_cast<const DictionaryColumn&>(*sources[i]);
        const Column* values = dictionary.dictionary().get();
        const auto at = std::find(seen.begin(), seen.end(), values);
        if (at == seen.end())
        {
            seen.push_back(values);
            base_of_seen.push_back(entries);
            bases[i] = static_cast<uint32_t>(entries);
            entries += values->size();
        }
        else
            bases[i] = static_cast<uint32_t>(base_of_seen[at - seen.begin()]);
        codes[i] = dictionary.codes().data();
    }
    const auto first = std::find_if(sources.begin(), sources.end(), [](auto& s) { return !!s; });
    ColumnPtr values = static_cast<const DictionaryColumn&>(**first).dictionary();
    if (seen.size() > 1)
    {
        if (entries > rows)
            return nullptr; // flat is smaller
        MutableColumnPtr joined = values->clone_empty();
        for (const Column* one : seen)
            joined->append_range(*one, 0, one->size());
        values = std::move(joined);
    }
    PodVector<uint32_t> joined_codes(rows);
    uint32_t* to = joined_codes.data();
    for (const MergeRun& run : runs)
    {
        const uint32_t* from = codes[run.source] + run.begin;
        const uint32_t base = bases[run.source];
        for (uint32_t i = 0; i < run.count; ++i)
            *to++ = from[i] + base;
    }
    return std::make_shared<DictionaryColumn>(std::move(values), std::move(joined_codes));
}

template <class Part> Columns parts_of(const Columns& sources, Part&& part)
{
    Columns parts;
    for (const ColumnPtr& source : sources)
        parts.push_back(source ? part(*source) : nullptr);
    return parts;
}

// The items of runs are runs of items.
ColumnPtr join_arrays(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(rows);
    uint64_t* to = offsets->data().data();
    std::vector<MergeRun> item_runs;
    uint64_t end = 0;
    for (const MergeRun& run : runs)
    {
        const auto& from = static_cast<const ArrayColumn&>(*sources[run.source]);
        const uint64_t* offsets_from = from.offsets().data() + run.begin;
        const uint64_t first = from.begin_of(run.begin);
        for (uint32_t i = 0; i < run.count; ++i)
            *to++ = offsets_from[i] - first + end;
        const uint64_t count = offsets_from[run.count - 1] - first;
        BASALT_ASSERT(first + count <= UINT32_MAX);
        if (count)
            item_runs.push_back({run.source, static_cast<uint32_t>(first),
                                 static_cast<uint32_t>(count)});
        end += count;
    }
    const Columns items = parts_of(sources, [](const Column& c)
                                   { return static_cast<const ArrayColumn&>(c).items(); });
    return ArrayColumn::make(join_runs(items, item_runs, end), offsets);
}

} // namespace

ColumnPtr join_runs(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    const Column* first = nullptr;
    bool same_form = true;
    bool any_compact = false;
    for (const ColumnPtr& source : sources)
        if (source)
        {
            first = first ? first : source.get();
            same_form = same_form && source->form() == first->form();
            any_compact = any_compact || is_compact(*source);
        }
    BASALT_ASSERT(first);
    if (any_compact)
    {
        Columns unified = sources;
        unify_compact(unified);
        for (const ColumnPtr& source : unified)
            if (source && is_compact(*source))
                return static_cast<const CompactColumn&>(*source).join(unified, runs, rows);
        return join_runs(unified, runs, rows);
    }
    if (same_form)
    {
        ColumnPtr result;
        switch (first->form())
        {
        case ColumnForm::Vector:
            with_vector_type(*first,
                             [&](const auto& typed)
                             {
                                 using Vector = std::decay_t<decltype(typed)>;
                                 using T = typename Vector::value_type;
                                 std::vector<const T*> data;
                                 for (const ColumnPtr& source : sources)
                                     data.push_back(source ? static_cast<const Vector&>(*source)
                                                                 .data()
                                                                 .data()
                                                           : nullptr);
                                 auto joined = std::make_shared<Vector>(rows);
                                 join_values(data, runs, joined->data().data());
                                 result = std::move(joined);
                             });
            return result;
        case ColumnForm::String: return join_strings(sources, runs, rows);
        case ColumnForm::Dictionary:
            if ((result = join_dictionaries(sources, runs, rows)))
                return result;
            break;
        case ColumnForm::Nullable:
            return NullableColumn::make(
                join_runs(parts_of(sources, [](const Column& c)
                                   { return static_cast<const NullableColumn&>(c).nested(); }),
                          runs, rows),
                join_runs(parts_of(sources, [](const Column& c)
                                   { return static_cast<const NullableColumn&>(c).null_column(); }),
                          runs, rows));
        case ColumnForm::Array: return join_arrays(sources, runs, rows);
        case ColumnForm::Tuple:
        {
            const size_t width = static_cast<const TupleColumn&>(*first).elements().size();
            Columns elements;
            for (size_t i = 0; i < width; ++i)
                elements.push_back(
                    join_runs(parts_of(sources, [i](const Column& c)
                                       { return static_cast<const TupleColumn&>(c).element(i); }),
                              runs, rows));
            return TupleColumn::make(std::move(elements), rows);
        }
        default: break;
        }
    }
    MutableColumnPtr joined = first->clone_empty();
    joined->reserve(rows);
    for (const MergeRun& run : runs)
        joined->append_range(*sources[run.source], run.begin, run.count);
    return joined;
}

} // namespace basalt
