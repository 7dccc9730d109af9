// identity, materialize, ignore, isConstant, toTypeName, toColumnTypeName, throwIf, sleep,
// sleepEachRow, byteSize, defaultValueOfTypeName, defaultValueOfArgumentType, getSizeOfEnumType.

#include "base/error.h"
#include "columns/absent_value.h"
#include "functions/decimal_scale.h"
#include "functions/dictionary_results.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace basalt
{

namespace
{

// Takes columns as they are: NULL, dictionaries and constants mean nothing to it.
class TransparentFunction : public NamedFunction
{
public:
    using NamedFunction::NamedFunction;
    bool default_nulls() const override { return false; }
    bool default_constants() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    bool default_dictionary() const override { return false; }
    bool takes_dictionaries() const override { return true; }
    bool worth_short_circuit() const override { return false; }
};

class Identity final : public TransparentFunction
{
public:
    Identity() : TransparentFunction("identity") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return arguments[0].type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t,
                      const QueryContext&) const override
    {
        return arguments[0].column;
    }
    Monotonicity monotonicity(const Arguments&, size_t, const Value&, const Value&) const override
    {
        return Monotonicity::Increasing;
    }
};

class Materialize final : public TransparentFunction
{
public:
    Materialize() : TransparentFunction("materialize") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return arguments[0].type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t,
                      const QueryContext&) const override
    {
        return is_constant(*arguments[0].column) ? arguments[0].column->to_flat()
                                                 : arguments[0].column;
    }
    bool foldable() const override { return false; }
    Monotonicity monotonicity(const Arguments&, size_t, const Value&, const Value&) const override
    {
        return Monotonicity::Increasing;
    }
};

class Ignore final : public TransparentFunction
{
public:
    Ignore() : TransparentFunction("ignore") {}
    TypePtr return_type(const Arguments&) const override { return simple_type(TypeId::UInt8); }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, Value(uint64_t{0}), rows);
    }
    bool foldable() const override { return false; } // what it ignores is still computed
};

class IsConstant final : public TransparentFunction
{
public:
    IsConstant() : TransparentFunction("isConstant") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, Value(uint64_t{is_constant(*arguments[0].column)}), rows);
    }
};

// Named tuples over several lines, as DESCRIBE shows them.
std::string pretty_name(const TypePtr& type, size_t indent)
{
    switch (type->id())
    {
        case TypeId::Array:
            return "Array(" + pretty_name(type_as<ArrayType>(type).nested(), indent) + ")";
        case TypeId::Nullable:
            return "Nullable(" + pretty_name(type_as<NullableType>(type).nested(), indent) + ")";
        case TypeId::Map:
            return "Map(" + pretty_name(type_as<MapType>(type).key(), indent) + ", " +
                   pretty_name(type_as<MapType>(type).value(), indent) + ")";
        case TypeId::Tuple:
        {
            const auto& tuple = type_as<TupleType>(type);
            std::string text = "Tuple(";
            for (size_t i = 0; i < tuple.elements().size(); ++i)
            {
                if (i > 0)
                    text += tuple.named() ? "," : ", ";
                if (!tuple.named())
                {
                    text += pretty_name(tuple.elements()[i], indent);
                    continue;
                }
                // The names with their quoting, from the type's own text of one element.
                const TupleType one({simple_type(TypeId::UInt8)}, {tuple.names()[i]});
                constexpr size_t kAround = sizeof("Tuple(") - 1;
                constexpr size_t kType = sizeof(" UInt8)") - 1;
                text += "\n" + std::string(4 * (indent + 1), ' ') +
                        one.name().substr(kAround, one.name().size() - kAround - kType) + " " +
                        pretty_name(tuple.elements()[i], indent + 1);
            }
            return text + ")";
        }
        default: return type->name();
    }
}

class ToTypeName final : public TransparentFunction
{
public:
    ToTypeName() : TransparentFunction("toTypeName") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, Value(pretty_name(arguments[0].type, 0)), rows);
    }
    ColumnPtr constant_result(const Arguments& arguments, const TypePtr& type,
                              const QueryContext& context) const override
    {
        return execute(arguments, type, 1, context)->to_flat();
    }
};

// What holds the values: dates and enums as their numbers, decimals by their width.
std::string column_type_name(const TypePtr& type)
{
    switch (type->id())
    {
        case TypeId::Array: return "Array(" + column_type_name(type_as<ArrayType>(type).nested()) + ")";
        case TypeId::Nullable:
            return "Nullable(" + column_type_name(type_as<NullableType>(type).nested()) + ")";
        case TypeId::LowCardinality:
            return "LowCardinality(" + column_type_name(type_as<LowCardinalityType>(type).nested()) +
                   ")";
        case TypeId::Map:
            return "Map(" + column_type_name(type_as<MapType>(type).key()) + ", " +
                   column_type_name(type_as<MapType>(type).value()) + ")";
        case TypeId::Tuple:
        {
            std::string name = "Tuple(";
            for (const TypePtr& element : type_as<TupleType>(type).elements())
                name += (name.back() == '(' ? "" : ", ") + column_type_name(element);
            return name + ")";
        }
        case TypeId::Bool: return "UInt8";
        case TypeId::Date: return "UInt16";
        case TypeId::Date32:
        case TypeId::Time: return "Int32";
        case TypeId::DateTime: return "UInt32";
        case TypeId::DateTime64: return "DateTime64";
        case TypeId::Time64: return "Time64";
        case TypeId::Enum8: return "Int8";
        case TypeId::Enum16: return "Int16";
        case TypeId::Interval: return "Int64";
        case TypeId::Decimal32: return "Decimal32";
        case TypeId::Decimal64: return "Decimal64";
        case TypeId::Decimal128: return "Decimal128";
        case TypeId::Decimal256: return "Decimal256";
        default: return type->name();
    }
}

class ToColumnTypeName final : public TransparentFunction
{
public:
    ToColumnTypeName() : TransparentFunction("toColumnTypeName") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        const std::string name = column_type_name(arguments[0].type);
        const bool constant = is_constant(*arguments[0].column);
        return make_constant(type, Value(constant ? "Const(" + name + ")" : name), rows);
    }
};

class ThrowIf final : public NamedFunction
{
public:
    ThrowIf() : NamedFunction("throwIf") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        if (arguments.empty() || arguments.size() > 2)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        fmt::format("Number of arguments for function throwIf doesn't match: "
                                    "passed {}, should be 1 or 2",
                                    arguments.size()));
        if (!arguments[0].type->is_integer() && !arguments[0].type->is_float())
            throw_illegal_type(*this, arguments[0].type);
        if (arguments.size() == 2 && !arguments[1].type->is(TypeId::String))
            throw_illegal_argument(*this, 1, arguments[1].type);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr floats = decimal_as_float(arguments[0]);
        const VectorView<double> view(*floats);
        for (size_t i = 0; i < (view.constant() ? 1 : rows); ++i)
            if (view[i] != 0)
                throw Error(error_codes::FUNCTION_THROW_IF_VALUE_IS_NON_ZERO,
                            arguments.size() == 2
                                ? constant_string(*this, arguments, 1)
                                : "Value passed to 'throwIf' function is non-zero");
        return make_constant(type, Value(uint64_t{0}), rows);
    }
    bool default_nulls() const override { return true; }
    bool default_constants() const override { return false; }
    bool foldable() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {1}; }
};

class Sleep final : public NamedFunction
{
public:
    Sleep(std::string name, bool each_row) : NamedFunction(std::move(name)), each_row_(each_row) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_unsigned() && !arguments[0].type->is_float())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("A value of illegal type was provided as 1st argument "
                                    "'seconds' to function '{}'. Expected: UInt* or Float*, got: {}",
                                    name(), arguments[0].type->name()));
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        if (!is_constant(*arguments[0].column))
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("The argument of function {} must be constant", name()));
        const ColumnPtr floats = decimal_as_float(arguments[0]);
        const double seconds = VectorView<double>(*floats)[0];
        if (!std::isfinite(seconds) || seconds < 0)
            throw Error(error_codes::BAD_ARGUMENTS, "Cannot sleep infinite or NaN time");
        const double wanted = seconds * 1e6 * static_cast<double>(each_row_ ? rows : 1);
        const uint64_t limit_us =
            context.settings.get_uint("function_sleep_max_microseconds_per_block");
        if (limit_us != 0 && wanted > static_cast<double>(limit_us))
            throw Error(error_codes::TOO_SLOW,
                        fmt::format("The maximum sleep time is {} microseconds. Requested: {} "
                                    "microseconds",
                                    limit_us, static_cast<uint64_t>(wanted)));
        auto left_us = static_cast<uint64_t>(wanted);
        constexpr uint64_t kStep_us = 20000; // between looks at the cancel flag
        while (left_us > 0)
        {
            const uint64_t step = std::min(left_us, kStep_us);
            std::this_thread::sleep_for(std::chrono::microseconds(step));
            left_us -= step;
            context.check_alive();
        }
        return make_constant(type, Value(uint64_t{0}), rows);
    }
    bool default_constants() const override { return false; }
    bool deterministic() const override { return false; }
    bool deterministic_in_query() const override { return false; }
    bool foldable() const override { return false; }

private:
    bool each_row_;
};

class ByteSize final : public NamedFunction
{
public:
    ByteSize() : NamedFunction("byteSize") {}
    TypePtr return_type(const Arguments&) const override { return simple_type(TypeId::UInt64); }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        auto result = std::make_shared<VectorColumn<uint64_t>>(rows, uint64_t{0});
        for (const auto& argument : arguments)
            add_sizes(*to_flat(argument.column), result->data());
        return result;
    }
    bool default_nulls() const override { return false; }

private:
    static void add_sizes(const Column& column, PodVector<uint64_t>& sizes)
    {
        const size_t rows = sizes.size();
        switch (column.form())
        {
            case ColumnForm::String:
            {
                const auto& strings = column_as<StringColumn>(column);
                for (size_t i = 0; i < rows; ++i)
                    sizes[i] += sizeof(uint64_t) + strings.at(i).size();
                break;
            }
            case ColumnForm::FixedString:
                for (auto& size : sizes)
                    size += column_as<FixedStringColumn>(column).width();
                break;
            case ColumnForm::Nullable:
            {
                const auto& nullable = column_as<NullableColumn>(column);
                if (nullable.nested()->form() != ColumnForm::Nothing)
                    add_sizes(*nullable.nested(), sizes);
                for (auto& size : sizes)
                    ++size;
                break;
            }
            case ColumnForm::Tuple:
                for (const auto& element : column_as<TupleColumn>(column).elements())
                    add_sizes(*element, sizes);
                break;
            case ColumnForm::Array:
            {
                const auto& array = column_as<ArrayColumn>(column);
                PodVector<uint64_t> items(array.items()->size(), uint64_t{0});
                add_sizes(*array.items(), items);
                for (size_t i = 0; i < rows; ++i)
                {
                    sizes[i] += sizeof(uint64_t);
                    for (size_t j = array.begin_of(i); j < array.offsets()[i]; ++j)
                        sizes[i] += items[j];
                }
                break;
            }
            case ColumnForm::Vector:
            {
                // All values are equally wide.
                const size_t width = column.size() == 0 ? 0 : width_of(column);
                for (auto& size : sizes)
                    size += width;
                break;
            }
            default: break;
        }
    }

    static size_t width_of(const Column& column)
    {
        size_t width = 0;
        for (int i = 0; i <= static_cast<int>(PhysicalType::Float64); ++i)
            dispatch_vector(static_cast<PhysicalType>(i),
                            [&]<class Tag>(Tag)
                            {
                                using T = typename Tag::type;
                                if (dynamic_cast<const VectorColumn<T>*>(&column))
                                    width = sizeof(T);
                            });
        return width;
    }
};

class DefaultOfTypeName final : public NamedFunction
{
public:
    DefaultOfTypeName() : NamedFunction("defaultValueOfTypeName") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return type_from_name(constant_string(*this, arguments, 0));
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, absent_value(*type), rows);
    }
    bool default_nulls() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {0}; }
};

class DefaultOfArgumentType final : public TransparentFunction
{
public:
    DefaultOfArgumentType() : TransparentFunction("defaultValueOfArgumentType") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return arguments[0].type;
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, absent_value(*type), rows);
    }
};

class SizeOfEnumType final : public TransparentFunction
{
public:
    SizeOfEnumType() : TransparentFunction("getSizeOfEnumType") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        if (!type->is_enum())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "The argument for function getSizeOfEnumType must be Enum");
        return simple_type(type->is(TypeId::Enum8) ? TypeId::UInt8 : TypeId::UInt16);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        const size_t size = type_as<EnumType>(arguments[0].type).items().size();
        return make_constant(type, Value(uint64_t{size}), rows);
    }
};

template <class F> ScalarFunctionPtr make(const QueryContext&)
{
    return std::make_shared<F>();
}

} // namespace

void register_miscellaneous(ScalarRegistry& registry)
{
    registry.add("identity", make<Identity>);
    registry.add("materialize", make<Materialize>);
    registry.add("ignore", make<Ignore>);
    registry.add("isConstant", make<IsConstant>);
    registry.add("toTypeName", make<ToTypeName>);
    registry.add("toColumnTypeName", make<ToColumnTypeName>);
    registry.add("throwIf", make<ThrowIf>);
    registry.add("sleep", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Sleep>("sleep", false); });
    registry.add("sleepEachRow", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Sleep>("sleepEachRow", true); });
    registry.add("byteSize", make<ByteSize>);
    registry.add("defaultValueOfTypeName", make<DefaultOfTypeName>);
    registry.add("defaultValueOfArgumentType", make<DefaultOfArgumentType>);
    registry.add("getSizeOfEnumType", make<SizeOfEnumType>);
}

} // namespace basalt
