#include "functions/choose_rows.h"

#include "functions/physical_dispatch.h"

namespace basalt
{

namespace
{

// Copies up to 16 bytes past `size`; both sides have kPodPadding bytes of slack.
inline void copy_loose(char* to, const char* from, size_t size)
{
    while (true)
    {
        std::memcpy(to, from, 16);
        if (size <= 16)
            return;
        to += 16;
        from += 16;
        size -= 16;
    }
}

template <class T>
ColumnPtr choose_vector(const std::vector<ChoiceSource>& sources, const PodVector<uint16_t>& which)
{
    struct Source
    {
        const T* data;
        size_t by_row;  // 1: index by row
        size_t by_rank; // 1: index by rank among its own rows
        size_t rank;
    };
    std::vector<Source> views;
    for (const auto& source : sources)
    {
        const VectorView<T> view(*source.column);
        views.push_back({view.data, view.constant() || source.compact ? size_t{0} : size_t{1},
                         !view.constant() && source.compact ? size_t{1} : size_t{0}, 0});
    }
    const size_t rows = which.size();
    auto result = std::make_shared<VectorColumn<T>>(rows);
    T* out = result->data().data();
    for (size_t i = 0; i < rows; ++i)
    {
        Source& source = views[which[i]];
        out[i] = source.data[i * source.by_row + source.rank];
        source.rank += source.by_rank;
    }
    return result;
}

ColumnPtr choose_strings(const std::vector<ChoiceSource>& sources,
                         const PodVector<uint16_t>& which)
{
    struct Source
    {
        const char* chars;
        const uint64_t* offsets;
        size_t by_row;
        size_t by_rank;
        size_t rank;
    };
    std::vector<Source> views;
    size_t bytes = 0;
    const size_t rows = which.size();
    for (const auto& source : sources)
    {
        const bool constant = is_constant(*source.column);
        const auto& strings = column_as<StringColumn>(
            constant ? *column_as<ConstantColumn>(source.column).nested() : *source.column);
        views.push_back({strings.chars().data(), strings.offsets().data(),
                         constant || source.compact ? size_t{0} : size_t{1},
                         !constant && source.compact ? size_t{1} : size_t{0}, 0});
        bytes += constant ? strings.chars().size() * rows : strings.chars().size();
    }
    auto result = std::make_shared<StringColumn>();
    auto& offsets = result->offsets();
    offsets.resize_exact(rows);
    auto& chars = result->chars();
    // An upper bound unless constants repeat; then measure.
    constexpr size_t kCheapBound = size_t{8} << 20;
    if (bytes > kCheapBound)
    {
        bytes = 0;
        for (size_t i = 0; i < rows; ++i)
        {
            Source& source = views[which[i]];
            const size_t at = i * source.by_row + source.rank;
            bytes += source.offsets[at] - (at == 0 ? 0 : source.offsets[at - 1]);
            source.rank += source.by_rank;
        }
        for (auto& view : views)
            view.rank = 0;
    }
    chars.resize_exact(bytes + 16);
    char* const begin = chars.data();
    size_t end = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        Source& source = views[which[i]];
        const size_t at = i * source.by_row + source.rank;
        source.rank += source.by_rank;
        const uint64_t from = at == 0 ? 0 : source.offsets[at - 1];
        const size_t size = source.offsets[at] - from;
        if (size != 0)
            copy_loose(begin + end, source.chars + from, size);
        end += size;
        offsets[i] = end;
    }
    chars.resize(end);
    return result;
}

ColumnPtr choose_generic(const TypePtr& type, const std::vector<ChoiceSource>& sources,
                         const PodVector<uint16_t>& which)
{
    auto result = type->create_column();
    const size_t rows = which.size();
    std::vector<size_t> ranks(sources.size(), 0);
    for (size_t begin = 0; begin < rows;)
    {
        const uint16_t chosen = which[begin];
        size_t end = begin + 1;
        while (end < rows && which[end] == chosen)
            ++end;
        const auto& source = sources[chosen];
        const size_t from = source.compact ? ranks[chosen] : begin;
        result->append_range(*source.column, from, end - begin);
        ranks[chosen] += end - begin;
        begin = end;
    }
    return result;
}

ColumnPtr choose_nullable(const TypePtr& type, const std::vector<ChoiceSource>& sources,
                          const PodVector<uint16_t>& which)
{
    std::vector<ChoiceSource> nested;
    std::vector<ChoiceSource> nulls;
    for (const auto& source : sources)
    {
        const bool constant = is_constant(*source.column);
        const size_t rows = source.column->size();
        const auto& column = column_as<NullableColumn>(
            constant ? *column_as<ConstantColumn>(source.column).nested() : *source.column);
        const auto wrap = [&](const ColumnPtr& part) -> ColumnPtr
        {
            if (constant)
                return std::make_shared<ConstantColumn>(part, rows);
            return part;
        };
        nested.push_back({wrap(column.nested()), source.compact});
        nulls.push_back({wrap(column.null_column()), source.compact});
    }
    // Few constant texts come as a dictionary, which cannot stand below NULLs.
    const ColumnPtr values =
        choose_rows(type_as<NullableType>(type).nested(), std::move(nested), which);
    return NullableColumn::make(to_flat(values), choose_vector<uint8_t>(nulls, which));
}

// Few constant texts: a dictionary of them.
ColumnPtr choose_constant_strings(const std::vector<ChoiceSource>& sources,
                                  const PodVector<uint16_t>& which)
{
    auto values = std::make_shared<StringColumn>();
    for (const auto& source : sources)
        values->append_from(*column_as<ConstantColumn>(source.column).nested(), 0);
    PodVector<uint32_t> codes(which.size());
    for (size_t i = 0; i < which.size(); ++i)
        codes[i] = which[i];
    return std::make_shared<DictionaryColumn>(std::move(values), std::move(codes));
}

} // namespace

ColumnPtr choose_rows(const TypePtr& wrapped_type, std::vector<ChoiceSource> sources,
                      const PodVector<uint16_t>& which)
{
    const TypePtr type = remove_low_cardinality(wrapped_type);
    for (auto& source : sources)
        if (source.column->form() == ColumnForm::Dictionary)
            source.column = source.column->to_flat();
    if (type->is_nullable())
        return choose_nullable(type, sources, which);
    ColumnPtr result;
    if (dispatch_vector(type->physical(), [&]<class Tag>(Tag)
                        { result = choose_vector<typename Tag::type>(sources, which); }))
        return result;
    if (type->physical() == PhysicalType::String)
    {
        bool constant = sources.size() <= which.size() / 4;
        for (const auto& source : sources)
            constant = constant && is_constant(*source.column);
        if (constant)
            return choose_constant_strings(sources, which);
        return choose_strings(sources, which);
    }
    return choose_generic(type, sources, which);
}

} // namespace basalt
