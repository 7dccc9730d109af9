// tuple, tupleElement, tupleConcat, tupleNames, tupleToNameValuePairs, flattenTuple.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

TypePtr tuple_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
        types.push_back(argument.type);
    return std::make_shared<TupleType>(types);
}

ColumnPtr run_tuple(const Call& call)
{
    Columns elements;
    for (const Argument& argument : call.arguments)
        elements.push_back(to_flat(argument.column));
    return TupleColumn::make(elements, call.rows);
}

// The tuple type below any arrays, and how many arrays.
const TupleType& tuple_below(const TypeCall& call, size_t& depth)
{
    TypePtr type = call.type(0);
    depth = 0;
    while (type->is(TypeId::Array))
    {
        type = item_type(type);
        ++depth;
    }
    if (!type->is(TypeId::Tuple))
        throw_illegal_type(call.name, call.arguments, 0, "Tuple or Array of Tuple");
    return static_cast<const TupleType&>(*type);
}

// The element's number; -1 when there is none.
int find_element(const TupleType& tuple, const Value& wanted)
{
    const auto size = static_cast<int64_t>(tuple.elements().size());
    if (const auto* name = wanted.get_if<std::string>())
    {
        const int found = tuple.find(*name);
        if (found >= 0 || tuple.named())
            return found;
        // Elements of an unnamed tuple are called 1, 2, …
        int64_t number = 0;
        for (const char c : *name)
        {
            if (c < '0' || c > '9' || number > size)
                return -1;
            number = number * 10 + (c - '0');
        }
        return number >= 1 && number <= size ? static_cast<int>(number - 1) : -1;
    }
    const auto number = value_to_integer(wanted);
    if (!number)
        return -1;
    if (*number >= 1 && *number <= size)
        return static_cast<int>(*number - 1);
    if (*number < 0 && *number >= -size)
        return static_cast<int>(size + *number);
    return -1;
}

TypePtr element_type(const TypeCall& call)
{
    size_t depth;
    const TupleType& tuple = tuple_below(call, depth);
    const Value wanted = constant_value(call.name, call.arguments, 1);
    const bool by_name = wanted.get_if<std::string>() != nullptr;
    if (!by_name && !value_to_integer(wanted))
        throw_illegal_type(call.name, call.arguments, 1, "String or integer");
    const int element = find_element(tuple, wanted);
    if (element < 0)
    {
        if (call.size() == 3)
            return call.type(2);
        throw Error(by_name ? error_codes::BAD_ARGUMENTS : error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Tuple doesn't have element with {} '{}'",
                                by_name ? "name" : "index",
                                by_name ? wanted.get<std::string>() : wanted.to_text()));
    }
    TypePtr type = tuple.elements()[static_cast<size_t>(element)];
    for (; depth > 0; --depth)
        type = array_of(type);
    return type;
}

ColumnPtr element_of(const ColumnPtr& column, size_t depth, size_t element)
{
    if (column->form() == ColumnForm::Constant)
    {
        const auto& constant = column_as<ConstantColumn>(column);
        return std::make_shared<ConstantColumn>(element_of(constant.nested(), depth, element),
                                                column->size());
    }
    if (depth == 0)
        return column_as<TupleColumn>(column).element(element);
    const auto& array = column_as<ArrayColumn>(column);
    return ArrayColumn::make(element_of(array.items(), depth - 1, element),
                             array.offsets_column());
}

ColumnPtr run_element(const Call& call)
{
    size_t depth;
    const TupleType& tuple = tuple_below({call.name, call.arguments, call.context}, depth);
    const int element = find_element(tuple, constant_value(call.name, call.arguments, 1));
    if (element < 0)
        return call.column(2);
    return element_of(call.column(0), depth, static_cast<size_t>(element));
}

TypePtr concat_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
    {
        const auto& tuple = type_as<TupleType>(argument.type);
        types.insert(types.end(), tuple.elements().begin(), tuple.elements().end());
    }
    return std::make_shared<TupleType>(types);
}

ColumnPtr run_concat(const Call& call)
{
    Columns elements;
    for (const Argument& argument : call.arguments)
    {
        const ColumnPtr flat = to_flat(argument.column);
        for (const ColumnPtr& element : column_as<TupleColumn>(flat).elements())
            elements.push_back(element);
    }
    return TupleColumn::make(elements, call.rows);
}

std::string name_of(const TupleType& tuple, size_t element)
{
    return tuple.named() ? tuple.names()[element] : std::to_string(element + 1);
}

ColumnPtr run_names(const Call& call)
{
    const auto& tuple = type_as<TupleType>(call.type(0));
    ArrayValue names;
    for (size_t i = 0; i < tuple.elements().size(); ++i)
        names.items.emplace_back(name_of(tuple, i));
    return make_constant(call.result_type, names, call.rows);
}

TypePtr pairs_type(const TypeCall& call)
{
    const Types& elements = type_as<TupleType>(call.type(0)).elements();
    for (const TypePtr& type : elements)
        if (!same_type(type, elements[0]))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("The tuple of function {} must hold just one type", call.name));
    if (elements.empty())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("The tuple of function {} must not be empty", call.name));
    return array_of(
        std::make_shared<TupleType>(Types{simple_type(TypeId::String), elements[0]}));
}

ColumnPtr run_pairs(const Call& call)
{
    const auto& tuple = type_as<TupleType>(call.type(0));
    const ColumnPtr flat = to_flat(call.column(0));
    const size_t width = tuple.elements().size();
    StringWriter names(call.rows * width);
    ItemPool pool(tuple.elements()[0]);
    for (const ColumnPtr& element : column_as<TupleColumn>(flat).elements())
        pool.add(*element);
    RowIndexes picked;
    PodVector<uint64_t> offsets(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = 0; j < width; ++j)
        {
            names.row(name_of(tuple, j));
            picked.push_back(static_cast<uint32_t>(j * call.rows + i));
        }
        offsets[i] = picked.size();
    }
    return make_array(TupleColumn::make({names.finish(), pool.take(picked)}, picked.size()),
                      std::move(offsets));
}

void flatten(const TupleType& tuple, const std::string& prefix, Types& types,
             std::vector<std::string>& names)
{
    for (size_t i = 0; i < tuple.elements().size(); ++i)
    {
        const TypePtr& type = tuple.elements()[i];
        const std::string name = prefix + tuple.names()[i];
        if (type->is(TypeId::Tuple) && type_as<TupleType>(type).named())
            flatten(type_as<TupleType>(type), name + ".", types, names);
        else
        {
            types.push_back(type);
            names.push_back(name);
        }
    }
}

TypePtr flatten_type(const TypeCall& call)
{
    const auto& tuple = type_as<TupleType>(call.type(0));
    if (!tuple.named())
        throw_illegal_type(call.name, call.arguments, 0, "a named Tuple");
    Types types;
    std::vector<std::string> names;
    flatten(tuple, "", types, names);
    return std::make_shared<TupleType>(types, names);
}

void flatten_columns(const TupleType& tuple, const TupleColumn& column, Columns& out)
{
    for (size_t i = 0; i < tuple.elements().size(); ++i)
    {
        const TypePtr& type = tuple.elements()[i];
        if (type->is(TypeId::Tuple) && type_as<TupleType>(type).named())
            flatten_columns(type_as<TupleType>(type), column_as<TupleColumn>(column.element(i)),
                            out);
        else
            out.push_back(column.element(i));
    }
}

ColumnPtr run_flatten(const Call& call)
{
    const ColumnPtr flat = to_flat(call.column(0));
    Columns columns;
    flatten_columns(type_as<TupleType>(call.type(0)), column_as<TupleColumn>(flat), columns);
    return TupleColumn::make(columns, call.rows);
}

constexpr FunctionSpec kTuple{"tuple", "[ *...", tuple_type, run_tuple,
                              kKeepNulls | kCheap | kKeepLowCardinality | kInjective};
constexpr FunctionSpec kElement{"tupleElement", "ta si! [ *", element_type, run_element,
                                kKeepNulls | kCheap | kKeepLowCardinality};
constexpr FunctionSpec kConcat{"tupleConcat", "t...", concat_type, run_concat};
constexpr FunctionSpec kNames{"tupleNames", "t", type_is_array_of<TypeId::String>, run_names};
constexpr FunctionSpec kPairs{"tupleToNameValuePairs", "t", pairs_type, run_pairs};
constexpr FunctionSpec kFlatten{"flattenTuple", "t", flatten_type, run_flatten};

} // namespace

void register_tuple(ScalarRegistry& registry)
{
    add_all<kTuple, kElement, kConcat, kNames, kPairs, kFlatten>(registry);
}

} // namespace basalt
