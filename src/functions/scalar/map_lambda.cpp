// mapApply, mapFilter, mapExists, mapAll, mapSort, mapReverseSort, mapPartialSort…: each is its
// array function over the map's keys and values.

#include "functions/expression.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

struct MapLambdaSpec
{
    std::string_view name;
    std::string_view array_function;
    bool needs_lambda = true;
    size_t fixed_arguments = 0;
    // What the array function gives: pairs (mapApply), entries or a flag.
    enum class Result : uint8_t
    {
        Pairs,
        Entries,
        Flag,
    } result = Result::Entries;
};

class MapLambdaFunction final : public ScalarFunction
{
public:
    using Result = MapLambdaSpec::Result;

    MapLambdaFunction(const MapLambdaSpec& spec, const QueryContext& context)
        : spec_(spec), name_(spec.name),
          array_function_(scalar_functions().get(spec.array_function, context))
    {
    }

    const std::string& name() const override { return name_; }
    bool takes_lambda() const override { return true; }

    std::vector<Types> lambda_argument_types(const Arguments& arguments) const override
    {
        const auto& map = map_of(arguments);
        return {{map.key(), map.value()}};
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        const auto& map = map_of(arguments);
        const TypePtr result = array_function_->return_type(array_arguments(arguments, false));
        switch (spec_.result)
        {
            case Result::Flag: return result;
            case Result::Entries: return std::make_shared<MapType>(map.key(), map.value());
            case Result::Pairs: break;
        }
        const TypePtr& pair = item_type(result);
        if (!pair->is(TypeId::Tuple) || type_as<TupleType>(pair).elements().size() != 2)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The lambda of function {} must give a tuple of two", name_));
        const Types& parts = type_as<TupleType>(pair).elements();
        return std::make_shared<MapType>(parts[0], parts[1]);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Arguments inner = array_arguments(arguments, true);
        const TypePtr type = array_function_->return_type(array_arguments(arguments, false));
        return array_function_->execute(inner, type, rows, context);
    }

private:
    bool has_lambda(const Arguments& arguments) const
    {
        return !arguments.empty() && arguments[0].type->is(TypeId::Function);
    }
    const MapType& map_of(const Arguments& arguments) const
    {
        const size_t at = (has_lambda(arguments) ? 1 : 0) + spec_.fixed_arguments;
        if (arguments.size() != at + 1 || (spec_.needs_lambda && !has_lambda(arguments)))
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        fmt::format("Function {} takes {} and a map, passed {} arguments", name_,
                                    spec_.needs_lambda ? "a lambda" : "an optional lambda",
                                    arguments.size()));
        if (!arguments[at].type->is(TypeId::Map))
            throw_illegal_type(name_, arguments, at, "Map");
        return type_as<MapType>(arguments[at].type);
    }

    // Entries as one array of tuples: the array functions take its tuples apart for the lambda
    // and give the entries themselves back.
    Arguments array_arguments(const Arguments& arguments, bool executing) const
    {
        Arguments inner = arguments;
        Argument& map = inner.back();
        const TypePtr entries = type_as<MapType>(map.type).entries();
        map.type = entries;
        if (executing)
            map.column = to_flat(map.column);
        return inner;
    }

    const MapLambdaSpec& spec_;
    std::string name_;
    ScalarFunctionPtr array_function_;
};

using Result = MapLambdaSpec::Result;
constexpr MapLambdaSpec kApply{"mapApply", "arrayMap", true, 0, Result::Pairs};
constexpr MapLambdaSpec kFilter{"mapFilter", "arrayFilter"};
constexpr MapLambdaSpec kExists{"mapExists", "arrayExists", true, 0, Result::Flag};
constexpr MapLambdaSpec kAll{"mapAll", "arrayAll", true, 0, Result::Flag};
constexpr MapLambdaSpec kSort{"mapSort", "arraySort", false};
constexpr MapLambdaSpec kReverseSort{"mapReverseSort", "arrayReverseSort", false};
constexpr MapLambdaSpec kPartialSort{"mapPartialSort", "arrayPartialSort", false, 1};
constexpr MapLambdaSpec kPartialReverse{"mapPartialReverseSort", "arrayPartialReverseSort", false,
                                        1};

template <const MapLambdaSpec& kSpec> void add_map(ScalarRegistry& registry)
{
    registry.add(std::string(kSpec.name), [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<MapLambdaFunction>(kSpec, context); });
}

} // namespace

void register_map_lambda(ScalarRegistry& registry)
{
    add_map<kApply>(registry);
    add_map<kFilter>(registry);
    add_map<kExists>(registry);
    add_map<kAll>(registry);
    add_map<kSort>(registry);
    add_map<kReverseSort>(registry);
    add_map<kPartialSort>(registry);
    add_map<kPartialReverse>(registry);
}

} // namespace basalt
