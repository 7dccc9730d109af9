// arrayShingles, arrayTranspose, flipCoordinates, nested, replicate: other arrangements of the
// same items.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

TypePtr shingles_type(const TypeCall& call)
{
    return array_of(call.type(0));
}

ColumnPtr run_shingles(const Call& call)
{
    const ColumnPtr column = to_flat(call.column(0));
    const ArrayRows arrays(column);
    const IntegerRows lengths(call[1]);
    RowIndexes picked;
    PodVector<uint64_t> inner;
    PodVector<uint64_t> outer;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (lengths[i] <= 0)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Shingle argument of function arrayShingles must be a positive integer");
        const auto length = static_cast<size_t>(lengths[i]);
        if (length > arrays.length(i))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Shingle argument of function arrayShingles must less or equal than the "
                        "array length");
        const size_t count = arrays.length(i) - length + 1;
        if (count * length > kMaxArrayItems - picked.size())
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("Too large array size, maximum: {}", kMaxArrayItems));
        for (size_t begin = arrays.begin(i); begin < arrays.begin(i) + count; ++begin)
        {
            for (size_t j = begin; j < begin + length; ++j)
                picked.push_back(static_cast<uint32_t>(j));
            inner.push_back(picked.size());
        }
        outer.push_back(inner.size());
    }
    return make_array(make_array(arrays.items()->take(picked), std::move(inner)),
                      std::move(outer));
}

TypePtr transpose_type(const TypeCall& call)
{
    if (!item_type(call.type(0))->is(TypeId::Array))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Argument of function {} must be Array(Array(T)), got {}",
                                call.name, call.type(0)->name()));
    return call.type(0);
}

ColumnPtr run_transpose(const Call& call)
{
    const ColumnPtr column = to_flat(call.column(0));
    const auto& rows = column_as<ArrayColumn>(column);
    const auto& lines = column_as<ArrayColumn>(rows.items());
    RowIndexes picked;
    PodVector<uint64_t> inner;
    PodVector<uint64_t> outer;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t begin = rows.begin_of(i);
        const size_t height = rows.length_of(i);
        const size_t width = height ? lines.length_of(begin) : 0;
        for (size_t k = 0; k < height; ++k)
            if (lines.length_of(begin + k) != width)
                throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                            fmt::format("All inner arrays in argument of function {} must have "
                                        "equal sizes, but row {} has inner arrays of size {} and "
                                        "{}",
                                        call.name, i, width, lines.length_of(begin + k)));
        for (size_t j = 0; j < width; ++j)
        {
            for (size_t k = 0; k < height; ++k)
                picked.push_back(static_cast<uint32_t>(lines.begin_of(begin + k) + j));
            inner.push_back(picked.size());
        }
        outer.push_back(inner.size());
    }
    return make_array(make_array(lines.items()->take(picked), std::move(inner)),
                      std::move(outer));
}

TypePtr flip_type(const TypeCall& call)
{
    TypePtr type = call.type(0);
    while (type->is(TypeId::Array))
        type = item_type(type);
    if (!type->is(TypeId::Tuple) || type_as<TupleType>(type).elements().size() != 2)
        throw_illegal_type(call.name, call.arguments, 0, "points or arrays of points");
    const Types& elements = type_as<TupleType>(type).elements();
    for (size_t i = 0; i < 2; ++i)
        if (!elements[i]->is(TypeId::Float64))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Function {} expects tuple elements to be Float64, but element "
                                    "{} has type {}",
                                    call.name, i + 1, elements[i]->name()));
    return call.type(0);
}

ColumnPtr flip(const ColumnPtr& column)
{
    if (column->form() == ColumnForm::Array)
    {
        const auto& array = column_as<ArrayColumn>(column);
        return ArrayColumn::make(flip(array.items()), array.offsets_column());
    }
    const auto& tuple = column_as<TupleColumn>(column);
    return TupleColumn::make({tuple.element(1), tuple.element(0)}, tuple.size());
}

ColumnPtr run_flip(const Call& call)
{
    return flip(to_flat(call.column(0)));
}

// The first argument once for every item of the array beside it.
TypePtr replicate_type(const TypeCall& call)
{
    return array_of(call.type(0));
}

ColumnPtr run_replicate(const Call& call)
{
    std::vector<ArrayRows> arrays;
    Columns owners;
    for (size_t i = 1; i < call.size(); ++i)
    {
        owners.push_back(to_flat(call.column(i)));
        arrays.emplace_back(owners.back());
    }
    check_equal_lengths(call.name, arrays, call.rows);
    const auto& array = arrays[0].array();
    return ArrayColumn::make(to_flat(to_flat(call.column(0))->replicate(array.offsets())),
                             array.offsets_column());
}

// Arrays side by side as one array of named tuples.
TypePtr nested_type(const TypeCall& call)
{
    const Value names = constant_value(call.name, call.arguments, 0);
    const auto* items = names.get_if<ArrayValue>();
    Types types;
    for (size_t i = 1; i < call.size(); ++i)
        types.push_back(item_type(call.type(i)));
    std::vector<std::string> texts;
    if (items)
        for (const Value& item : items->items)
            if (const auto* text = item.get_if<std::string>())
                texts.push_back(*text);
    if (texts.size() != types.size())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("First argument of function {} must be a constant array with a "
                                "name for each of the other arguments",
                                call.name));
    return array_of(std::make_shared<TupleType>(std::move(types), std::move(texts)));
}

ColumnPtr run_nested(const Call& call)
{
    std::vector<ArrayRows> arrays;
    Columns elements;
    Columns owners;
    for (size_t i = 1; i < call.size(); ++i)
    {
        owners.push_back(to_flat(call.column(i)));
        arrays.emplace_back(owners.back());
        elements.push_back(arrays.back().items());
    }
    check_equal_lengths(call.name, arrays, call.rows);
    const size_t items = elements[0]->size();
    return ArrayColumn::make(TupleColumn::make(std::move(elements), items),
                             arrays[0].array().offsets_column());
}

constexpr FunctionSpec kShingles{"arrayShingles", "a i", shingles_type, run_shingles};
constexpr FunctionSpec kTranspose{"arrayTranspose", "a", transpose_type, run_transpose};
constexpr FunctionSpec kFlip{"flipCoordinates", "at", flip_type, run_flip};
constexpr FunctionSpec kReplicate{"replicate", "* a...", replicate_type, run_replicate,
                                  kKeepNulls};
constexpr FunctionSpec kNested{"nested", "a! a...", nested_type, run_nested};

} // namespace

void register_array_shapes(ScalarRegistry& registry)
{
    add_all<kShingles, kTranspose, kFlip, kReplicate, kNested>(registry);
}

} // namespace basalt
