// array, range, arrayWithConstant, emptyArray*, arrayElement, arrayZip, arrayFlatten.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

TypePtr array_type(const TypeCall& call)
{
    if (call.size() == 0)
        return array_of(simple_type(TypeId::Nothing));
    Types types;
    for (const Argument& argument : call.arguments)
        types.push_back(argument.type);
    return array_of(common_type(types));
}

ColumnPtr run_array(const Call& call)
{
    const size_t width = call.size();
    PodVector<uint64_t> offsets(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        offsets[i] = (i + 1) * width;
    const TypePtr& type = item_type(call.result_type);
    if (width == 1)
        return make_array(flat_as(call[0], type, call.context), std::move(offsets));
    ItemPool pool(type);
    for (const Argument& argument : call.arguments)
        pool.add(*flat_as(argument, type, call.context));
    RowIndexes picked(call.rows * width);
    for (size_t i = 0; i < call.rows; ++i)
        for (size_t a = 0; a < width; ++a)
            picked[i * width + a] = static_cast<uint32_t>(a * call.rows + i);
    return make_array(pool.take(picked), std::move(offsets));
}

TypePtr range_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
    {
        if (is_null_type(argument.type))
            return argument.type;
        types.push_back(remove_nullable(argument.type));
    }
    return array_of(common_type(types));
}

[[noreturn]] void range_error(const std::string& what)
{
    throw Error(error_codes::ARGUMENT_OUT_OF_BOUND, "A call to function range " + what);
}

ColumnPtr run_range(const Call& call)
{
    if (is_null_type(call.result_type))
        return make_constant(call.result_type, Null{}, call.rows);
    for (const Argument& argument : call.arguments)
        if (is_constant_argument(argument) && argument.column->is_null_at(0))
        {
            auto empty = std::make_shared<VectorColumn<uint64_t>>(call.rows, 0);
            return ArrayColumn::make(item_type(call.result_type)->create_column(), empty);
        }
    std::vector<IntegerRows> numbers;
    for (Argument argument : call.arguments)
    {
        argument.column = to_flat(argument.column);
        if (argument.type->is_nullable())
        {
            if (column_as<NullableColumn>(argument.column).has_nulls())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Illegal (null) value column {} of argument of function "
                                        "range",
                                        argument.type->name()));
            argument.column = column_as<NullableColumn>(argument.column).nested();
            argument.type = remove_nullable(argument.type);
        }
        numbers.emplace_back(argument);
    }
    const int64_t limit = call.context.settings.get_int("function_range_max_elements_in_block");
    ColumnPtr result;
    visit_vector(item_type(call.result_type)->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     auto items = std::make_shared<VectorColumn<T>>();
                     PodVector<uint64_t> offsets(call.rows);
                     for (size_t i = 0; i < call.rows; ++i)
                     {
                         int64_t begin = numbers.size() > 1 ? numbers[0][i] : 0;
                         const int64_t end = numbers.size() > 1 ? numbers[1][i] : numbers[0][i];
                         const int64_t step = numbers.size() > 2 ? numbers[2][i] : 1;
                         if (numbers.size() == 1 && end < 0)
                             range_error("overflows, only support positive values when only end "
                                         "is provided");
                         if (step == 0)
                             range_error("underflows, the 3rd argument step can't be less or "
                                         "equal to zero");
                         const Int128 distance = Int128(end) - begin;
                         Int128 count = 0;
                         if (step > 0 && distance > 0)
                             count = (distance + step - 1) / step;
                         else if (step < 0 && distance < 0)
                             count = (-distance - Int128(step) - 1) / -Int128(step);
                         if (count + static_cast<Int128>(items->size()) > limit)
                             range_error(fmt::format(
                                 "would produce too many array elements, the limit is {} elements "
                                 "(function_range_max_elements_in_block)",
                                 limit));
                         PodVector<T>& data = items->data();
                         const size_t from = data.size();
                         data.resize(from + static_cast<size_t>(count));
                         for (size_t j = from; j < data.size(); ++j)
                         {
                             data[j] = static_cast<T>(begin);
                             begin = static_cast<int64_t>(static_cast<uint64_t>(begin) +
                                                          static_cast<uint64_t>(step));
                         }
                         offsets[i] = data.size();
                     }
                     result = make_array(items, std::move(offsets));
                 });
    return result;
}

ColumnPtr run_with_constant(const Call& call)
{
    const IntegerRows counts(call[0]);
    const ColumnPtr values = to_flat(call.column(1));
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (counts[i] < 0)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("Array size {} cannot be negative: while executing function {}",
                                    counts[i], call.name));
        out.pick_times(i, static_cast<size_t>(counts[i]));
        out.end_row();
    }
    return out.finish(*values);
}

TypePtr with_constant_type(const TypeCall& call)
{
    if (call.type(0)->is_nullable())
        throw_illegal_type(call.name, call.arguments, 0, "integer");
    return array_of(call.type(1));
}

template <TypeId kId> ColumnPtr run_empty_array(const Call& call)
{
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows, 0);
    return ArrayColumn::make(simple_type(kId)->create_column(), offsets);
}

ColumnPtr run_empty_to_single(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    ItemPool pool(item_type(call.result_type));
    pool.add(*arrays.items());
    const size_t none = pool.add_default();
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (arrays.length(i) == 0)
            out.pick(none);
        else
            out.pick_range(arrays.begin(i), arrays.end(i));
        out.end_row();
    }
    return out.finish(pool);
}

template <bool kUnaligned> TypePtr zip_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
    {
        const TypePtr& type = item_type(argument.type);
        types.push_back(kUnaligned && can_be_inside_nullable(type) ? make_nullable(type) : type);
    }
    return array_of(std::make_shared<TupleType>(types));
}

ColumnPtr run_zip(const Call& call)
{
    std::vector<ArrayRows> arrays;
    Columns owners;
    for (const Argument& argument : call.arguments)
    {
        owners.push_back(to_flat(argument.column));
        arrays.emplace_back(owners.back());
    }
    check_equal_lengths(call.name, arrays, call.rows);
    Columns elements;
    for (const ArrayRows& array : arrays)
        elements.push_back(array.items());
    return ArrayColumn::make(TupleColumn::make(elements, elements[0]->size()),
                             arrays[0].array().offsets_column());
}

ColumnPtr run_zip_unaligned(const Call& call)
{
    const auto& types = type_as<TupleType>(item_type(call.result_type)).elements();
    std::vector<ArrayRows> arrays;
    for (const Argument& argument : call.arguments)
        arrays.emplace_back(argument.column);
    PodVector<uint64_t> offsets(call.rows);
    uint64_t total = 0;
    for (size_t i = 0; i < call.rows; ++i)
    {
        size_t longest = 0;
        for (const ArrayRows& array : arrays)
            longest = std::max(longest, array.length(i));
        offsets[i] = total += longest;
    }
    Columns elements;
    for (size_t a = 0; a < arrays.size(); ++a)
    {
        RowIndexes picked;
        for (size_t i = 0; i < call.rows; ++i)
        {
            const size_t length = offsets[i] - (i ? offsets[i - 1] : 0);
            for (size_t j = 0; j < length; ++j)
                picked.push_back(j < arrays[a].length(i)
                                     ? static_cast<uint32_t>(arrays[a].begin(i) + j)
                                     : kNoItem);
        }
        const ColumnPtr items = to_flat(
            cast_to(arrays[a].items(), item_type(call.type(a)), types[a], call.context));
        elements.push_back(take_or_default(items, types[a], std::move(picked)));
    }
    return make_array(TupleColumn::make(elements, total), std::move(offsets));
}

TypePtr flatten_type(const TypeCall& call)
{
    TypePtr type = call.type(0);
    while (item_type(type)->is(TypeId::Array))
        type = item_type(type);
    return type;
}

ColumnPtr run_flatten(const Call& call)
{
    const ColumnPtr column = to_flat(call.column(0));
    const ArrayColumn* array = &column_as<ArrayColumn>(column);
    PodVector<uint64_t> offsets = array->offsets();
    TypePtr type = call.type(0);
    while (item_type(type)->is(TypeId::Array))
    {
        type = item_type(type);
        array = &column_as<ArrayColumn>(array->items());
        for (uint64_t& offset : offsets)
            offset = offset == 0 ? 0 : array->offsets()[offset - 1];
    }
    return make_array(array->items(), std::move(offsets));
}

constexpr FunctionSpec kArray{"array", "[ *...", array_type, run_array, kKeepNulls | kCheap};
constexpr FunctionSpec kRange{"range", "i [ i i", range_type, run_range, kKeepNulls};
constexpr FunctionSpec kWithConstant{"arrayWithConstant", "i *", with_constant_type,
                                     run_with_constant, kKeepNulls};
constexpr FunctionSpec kToSingle{"emptyArrayToSingle", "a", type_of_first, run_empty_to_single};
constexpr FunctionSpec kZip{"arrayZip", "a...", zip_type<false>, run_zip};
constexpr FunctionSpec kZipUnaligned{"arrayZipUnaligned", "a...", zip_type<true>,
                                     run_zip_unaligned};
constexpr FunctionSpec kFlatten{"arrayFlatten", "a", flatten_type, run_flatten, 0, "flatten*"};

template <TypeId kId> constexpr FunctionSpec empty_array(std::string_view name)
{
    return {name, "", type_is_array_of<kId>, run_empty_array<kId>};
}
constexpr auto kEmpty8 = empty_array<TypeId::UInt8>("emptyArrayUInt8");
constexpr auto kEmpty16 = empty_array<TypeId::UInt16>("emptyArrayUInt16");
constexpr auto kEmpty32 = empty_array<TypeId::UInt32>("emptyArrayUInt32");
constexpr auto kEmpty64 = empty_array<TypeId::UInt64>("emptyArrayUInt64");
constexpr auto kEmptyI8 = empty_array<TypeId::Int8>("emptyArrayInt8");
constexpr auto kEmptyI16 = empty_array<TypeId::Int16>("emptyArrayInt16");
constexpr auto kEmptyI32 = empty_array<TypeId::Int32>("emptyArrayInt32");
constexpr auto kEmptyI64 = empty_array<TypeId::Int64>("emptyArrayInt64");
constexpr auto kEmptyF32 = empty_array<TypeId::Float32>("emptyArrayFloat32");
constexpr auto kEmptyF64 = empty_array<TypeId::Float64>("emptyArrayFloat64");
constexpr auto kEmptyDate = empty_array<TypeId::Date>("emptyArrayDate");
constexpr auto kEmptyDateTime = empty_array<TypeId::DateTime>("emptyArrayDateTime");
constexpr auto kEmptyString = empty_array<TypeId::String>("emptyArrayString");

} // namespace

void register_array_make(ScalarRegistry& registry)
{
    add_all<kArray, kRange, kWithConstant, kToSingle, kZip, kZipUnaligned, kFlatten>(registry);
    add_all<kEmpty8, kEmpty16, kEmpty32, kEmpty64, kEmptyI8, kEmptyI16, kEmptyI32, kEmptyI64,
            kEmptyF32, kEmptyF64, kEmptyDate, kEmptyDateTime, kEmptyString>(registry);
}

} // namespace basalt
