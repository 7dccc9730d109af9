#include "columns/merge_runs.h"

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

ColumnPtr join_strings(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    auto result = std::make_shared<StringColumn>();
    result->offsets().resize(rows);
    uint64_t* to_offset = result->offsets().data();
    uint64_t end = 0;
    for (const MergeRun& run : runs)
    {
        const auto& from = static_cast<const StringColumn&>(*sources[run.source]);
        const uint64_t shift = end - from.offset_at(run.begin);
        const uint64_t* offsets = from.offsets().data() + run.begin;
        for (uint32_t i = 0; i < run.count; ++i)
            *to_offset++ = offsets[i] + shift;
        end = to_offset[-1];
    }
    result->chars().resize(end);
    char* to = result->chars().data();
    for (const MergeRun& run : runs)
    {
        const auto& from = static_cast<const StringColumn&>(*sources[run.source]);
        const size_t begin = from.offset_at(run.begin);
        const size_t size = from.offsets()[run.begin + run.count - 1] - begin;
        copy_with_padding(to, from.chars().data() + begin, size);
        to += size;
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

} // namespace

ColumnPtr join_runs(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows)
{
    const Column* first = nullptr;
    bool same_form = true;
    for (const ColumnPtr& source : sources)
        if (source)
        {
            first = first ? first : source.get();
            same_form = same_form && source->form() == first->form();
        }
    BASALT_ASSERT(first);
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
