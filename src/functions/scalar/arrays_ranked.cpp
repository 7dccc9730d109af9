// arrayEnumerateUniqRanked and arrayEnumerateDenseRanked: numbering the values at a depth of a
// nested array, starting anew at a lesser depth.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <unordered_map>

namespace basalt
{
namespace
{

struct RankedArguments
{
    size_t array = 0;   // number of the array argument
    int64_t clear = 1;  // numbers start anew with each array of this depth
    int64_t depth = 0;  // whose items are numbered
};

int64_t depth_of(TypePtr type)
{
    int64_t depth = 0;
    for (; type->is(TypeId::Array); type = type_as<ArrayType>(type).nested())
        ++depth;
    return depth;
}

int64_t depth_argument(std::string_view name, const Argument& argument)
{
    const auto depth = argument.column && argument.column->size() != 0
                           ? value_to_integer(argument.column->value_at(0))
                           : std::nullopt;
    if (!depth)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Depths of function {} must be constant integers", name));
    return *depth;
}

// [clear_depth,] array [, depth]
RankedArguments read_arguments(std::string_view name, const Arguments& arguments)
{
    RankedArguments result;
    if (arguments[0].type->is(TypeId::Array) == false)
    {
        result.clear = depth_argument(name, arguments[0]);
        result.array = 1;
    }
    if (arguments.size() <= result.array || !arguments[result.array].type->is(TypeId::Array))
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("There is no array among the arguments of function {}", name));
    const int64_t whole = depth_of(arguments[result.array].type);
    result.depth = whole;
    size_t used = result.array + 1;
    if (used < arguments.size() && !arguments[used].type->is(TypeId::Array))
        result.depth = depth_argument(name, arguments[used++]);
    if (used < arguments.size())
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Function {} of several arrays is not implemented", name));
    if (result.clear < 1 || result.depth < 1 || result.depth > whole ||
        result.clear > result.depth)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Arguments of function {} must satisfy 1 <= clear_depth <= depth "
                                "<= {}",
                                name, whole));
    return result;
}

TypePtr ranked_type(const TypeCall& call)
{
    const RankedArguments arguments = read_arguments(call.name, call.arguments);
    TypePtr type = simple_type(TypeId::UInt32);
    for (int64_t i = 0; i < arguments.depth; ++i)
        type = array_of(type);
    return type;
}

template <bool kDense> ColumnPtr run_ranked(const Call& call)
{
    if (call.rows == 0)
        return call.result_type->create_column();
    const RankedArguments arguments = read_arguments(call.name, call.arguments);
    std::vector<ColumnPtr> levels{to_flat(call.column(arguments.array))};
    for (int64_t i = 1; i < arguments.depth; ++i)
        levels.push_back(column_as<ArrayColumn>(levels.back()).items());
    const ColumnPtr& values = column_as<ArrayColumn>(levels.back()).items();
    EqualityIds numbers;
    const PodVector<uint64_t> ids = numbers.add(*values);
    auto ranks = std::make_shared<VectorColumn<uint32_t>>(ids.size());
    std::unordered_map<uint64_t, uint32_t> seen;
    const auto& clearing =
        column_as<ArrayColumn>(levels[static_cast<size_t>(arguments.clear) - 1]);
    size_t at = 0;
    for (size_t i = 0; i < clearing.size(); ++i)
    {
        seen.clear();
        // The end of this array in the values of the lowest level.
        uint64_t end = clearing.offsets()[i];
        for (auto level = static_cast<size_t>(arguments.clear); level < levels.size(); ++level)
            end = end == 0 ? 0 : column_as<ArrayColumn>(levels[level]).offsets()[end - 1];
        for (; at < end; ++at)
            ranks->data()[at] =
                kDense ? seen.try_emplace(ids[at], static_cast<uint32_t>(seen.size() + 1))
                             .first->second
                       : ++seen[ids[at]];
    }
    ColumnPtr result = ranks;
    for (size_t level = levels.size(); level > 0; --level)
        result = ArrayColumn::make(result,
                                   column_as<ArrayColumn>(levels[level - 1]).offsets_column());
    return result;
}

constexpr FunctionSpec kUniq{"arrayEnumerateUniqRanked", "* [ *...", ranked_type,
                             run_ranked<false>, kKeepNulls};
constexpr FunctionSpec kDense{"arrayEnumerateDenseRanked", "* [ *...", ranked_type,
                              run_ranked<true>, kKeepNulls};

} // namespace

void register_arrays_ranked(ScalarRegistry& registry)
{
    add_all<kUniq, kDense>(registry);
}

} // namespace basalt
