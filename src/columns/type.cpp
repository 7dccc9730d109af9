#include "columns/type.h"

#include "columns/column.h"
#include "columns/value_text.h"

#include <algorithm>
#include <array>

namespace basalt
{

namespace
{

class SimpleType final : public DataType
{
public:
    SimpleType(TypeId id, PhysicalType physical, std::string name)
        : DataType(id, physical, std::move(name))
    {
    }
};

struct SimpleName
{
    TypeId id;
    PhysicalType physical;
    const char* name;
};

constexpr SimpleName kSimpleNames[] = {
    {TypeId::Nothing, PhysicalType::Nothing, "Nothing"},
    {TypeId::Bool, PhysicalType::UInt8, "Bool"},
    {TypeId::UInt8, PhysicalType::UInt8, "UInt8"},
    {TypeId::UInt16, PhysicalType::UInt16, "UInt16"},
    {TypeId::UInt32, PhysicalType::UInt32, "UInt32"},
    {TypeId::UInt64, PhysicalType::UInt64, "UInt64"},
    {TypeId::UInt128, PhysicalType::UInt128, "UInt128"},
    {TypeId::UInt256, PhysicalType::UInt256, "UInt256"},
    {TypeId::Int8, PhysicalType::Int8, "Int8"},
    {TypeId::Int16, PhysicalType::Int16, "Int16"},
    {TypeId::Int32, PhysicalType::Int32, "Int32"},
    {TypeId::Int64, PhysicalType::Int64, "Int64"},
    {TypeId::Int128, PhysicalType::Int128, "Int128"},
    {TypeId::Int256, PhysicalType::Int256, "Int256"},
    {TypeId::Float32, PhysicalType::Float32, "Float32"},
    {TypeId::Float64, PhysicalType::Float64, "Float64"},
    {TypeId::Date, PhysicalType::UInt16, "Date"},
    {TypeId::Date32, PhysicalType::Int32, "Date32"},
    {TypeId::Time, PhysicalType::Int32, "Time"},
    {TypeId::UUID, PhysicalType::UInt128, "UUID"},
    {TypeId::IPv4, PhysicalType::UInt32, "IPv4"},
    {TypeId::IPv6, PhysicalType::FixedString, "IPv6"},
    {TypeId::String, PhysicalType::String, "String"},
    {TypeId::Set, PhysicalType::Set, "Set"},
};

std::array<TypePtr, 64> make_simple_types()
{
    std::array<TypePtr, 64> types;
    for (const SimpleName& simple : kSimpleNames)
        types[static_cast<size_t>(simple.id)] =
            std::make_shared<SimpleType>(simple.id, simple.physical, simple.name);
    types[static_cast<size_t>(TypeId::DateTime)] = std::make_shared<DateTimeType>();
    return types;
}

TypeId decimal_id(uint32_t precision)
{
    if (precision < 1 || precision > 76)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "Wrong precision: it must be between 1 and 76, got " +
                        std::to_string(precision));
    if (precision <= 9)
        return TypeId::Decimal32;
    if (precision <= 18)
        return TypeId::Decimal64;
    return precision <= 38 ? TypeId::Decimal128 : TypeId::Decimal256;
}

PhysicalType decimal_physical(uint32_t precision)
{
    switch (decimal_id(precision))
    {
    case TypeId::Decimal32: return PhysicalType::Int32;
    case TypeId::Decimal64: return PhysicalType::Int64;
    case TypeId::Decimal128: return PhysicalType::Int128;
    default: return PhysicalType::Int256;
    }
}

std::string date_time64_name(const char* family, uint32_t scale, const std::string& timezone)
{
    if (scale > 9)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "Scale " + std::to_string(scale) + " is too large for " + family +
                        ". Maximum is up to nanoseconds (9)");
    std::string name = std::string(family) + "(" + std::to_string(scale);
    if (!timezone.empty())
        name += ", " + quoted_text(timezone, '\'');
    return name + ")";
}

constexpr const char* kIntervalNames[] = {
    "IntervalNanosecond", "IntervalMicrosecond", "IntervalMillisecond", "IntervalSecond",
    "IntervalMinute",     "IntervalHour",        "IntervalDay",         "IntervalWeek",
    "IntervalMonth",      "IntervalQuarter",     "IntervalYear",
};

std::string enum_name(TypeId id, std::vector<EnumType::Item> items)
{
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string name = id == TypeId::Enum8 ? "Enum8(" : "Enum16(";
    for (size_t i = 0; i < items.size(); ++i)
    {
        if (i)
            name += ", ";
        name += quoted_text(items[i].first, '\'') + " = " + std::to_string(items[i].second);
    }
    return name + ")";
}

bool is_plain_identifier(const std::string& name)
{
    if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
        return false;
    return std::all_of(name.begin(), name.end(), [](char c)
                       { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                (c >= 'A' && c <= 'Z'); });
}

std::string tuple_name(const Types& elements, const std::vector<std::string>& names)
{
    std::string text = "Tuple(";
    for (size_t i = 0; i < elements.size(); ++i)
    {
        if (i)
            text += ", ";
        if (!names.empty())
            text += (is_plain_identifier(names[i]) ? names[i] : quoted_text(names[i], '`')) + " ";
        text += elements[i]->name();
    }
    return text + ")";
}

std::string function_type_name(const Types& arguments, const TypePtr& result)
{
    std::string name = "Function(";
    for (size_t i = 0; i < arguments.size(); ++i)
        name += (i ? ", " : "") + (arguments[i] ? arguments[i]->name() : std::string("?"));
    return name + " -> " + (result ? result->name() : std::string("?")) + ")";
}

} // namespace

MutableColumnPtr DataType::create_column() const
{
    switch (physical_)
    {
    case PhysicalType::UInt8: return std::make_shared<VectorColumn<uint8_t>>();
    case PhysicalType::UInt16: return std::make_shared<VectorColumn<uint16_t>>();
    case PhysicalType::UInt32: return std::make_shared<VectorColumn<uint32_t>>();
    case PhysicalType::UInt64: return std::make_shared<VectorColumn<uint64_t>>();
    case PhysicalType::UInt128: return std::make_shared<VectorColumn<UInt128>>();
    case PhysicalType::UInt256: return std::make_shared<VectorColumn<UInt256>>();
    case PhysicalType::Int8: return std::make_shared<VectorColumn<int8_t>>();
    case PhysicalType::Int16: return std::make_shared<VectorColumn<int16_t>>();
    case PhysicalType::Int32: return std::make_shared<VectorColumn<int32_t>>();
    case PhysicalType::Int64: return std::make_shared<VectorColumn<int64_t>>();
    case PhysicalType::Int128: return std::make_shared<VectorColumn<Int128>>();
    case PhysicalType::Int256: return std::make_shared<VectorColumn<Int256>>();
    case PhysicalType::Float32: return std::make_shared<VectorColumn<float>>();
    case PhysicalType::Float64: return std::make_shared<VectorColumn<double>>();
    case PhysicalType::String: return std::make_shared<StringColumn>();
    case PhysicalType::FixedString: return std::make_shared<FixedStringColumn>(16); // IPv6
    case PhysicalType::Nothing: return std::make_shared<NothingColumn>();
    case PhysicalType::Nullable:
    case PhysicalType::Array:
    case PhysicalType::Tuple:
    case PhysicalType::AggregateState:
    case PhysicalType::Function:
    case PhysicalType::Set: break;
    }
    throw Error(error_codes::NOT_IMPLEMENTED, "There are no columns of type " + name_);
}

Value DataType::default_value() const
{
    switch (physical_)
    {
    case PhysicalType::UInt8:
    case PhysicalType::UInt16:
    case PhysicalType::UInt32:
    case PhysicalType::UInt64: return uint64_t{0};
    case PhysicalType::UInt128: return UInt128{0};
    case PhysicalType::UInt256: return UInt256(0);
    case PhysicalType::Int8:
    case PhysicalType::Int16:
    case PhysicalType::Int32:
    case PhysicalType::Int64: return int64_t{0};
    case PhysicalType::Int128: return Int128{0};
    case PhysicalType::Int256: return Int256(0);
    case PhysicalType::Float32:
    case PhysicalType::Float64: return 0.0;
    case PhysicalType::String: return std::string();
    case PhysicalType::FixedString: return std::string(16, '\0'); // IPv6
    default: return Null{};
    }
}

const TypePtr& simple_type(TypeId id)
{
    static const std::array<TypePtr, 64> types = make_simple_types();
    const TypePtr& type = types[static_cast<size_t>(id)];
    BASALT_ASSERT(type);
    return type;
}

FixedStringType::FixedStringType(size_t width)
    : DataType(TypeId::FixedString, PhysicalType::FixedString,
               "FixedString(" + std::to_string(width) + ")"),
      width_(width)
{
    if (width == 0)
        throw Error(error_codes::UNEXPECTED_AST_STRUCTURE,
                    "FixedString data type family must have a number (positive integer) as its "
                    "argument");
    if (width > kMaxFixedStringWidth)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "FixedString size is too large: " + std::to_string(width));
}

MutableColumnPtr FixedStringType::create_column() const
{
    return std::make_shared<FixedStringColumn>(width_);
}

Value FixedStringType::default_value() const
{
    return std::string(width_, '\0');
}

DateTimeType::DateTimeType(std::string timezone)
    : DataType(TypeId::DateTime, PhysicalType::UInt32,
               timezone.empty() ? "DateTime" : "DateTime(" + quoted_text(timezone, '\'') + ")"),
      timezone_(std::move(timezone))
{
}

DateTime64Type::DateTime64Type(uint32_t scale, std::string timezone)
    : DataType(TypeId::DateTime64, PhysicalType::Int64,
               date_time64_name("DateTime64", scale, timezone)),
      scale_(scale), timezone_(std::move(timezone))
{
}

Time64Type::Time64Type(uint32_t scale)
    : DataType(TypeId::Time64, PhysicalType::Int64, date_time64_name("Time64", scale, "")),
      scale_(scale)
{
}

DecimalType::DecimalType(uint32_t precision, uint32_t scale)
    : DataType(decimal_id(precision), decimal_physical(precision),
               "Decimal(" + std::to_string(precision) + ", " + std::to_string(scale) + ")"),
      precision_(precision), scale_(scale)
{
    if (scale > precision)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "Negative scales and scales larger than precision are not supported");
}

Value DecimalType::default_value() const
{
    return DecimalValue{Int256(0), scale_};
}

IntervalType::IntervalType(IntervalKind kind)
    : DataType(TypeId::Interval, PhysicalType::Int64, kIntervalNames[static_cast<size_t>(kind)]),
      kind_(kind)
{
}

EnumType::EnumType(TypeId id, std::vector<Item> items)
    : DataType(id, id == TypeId::Enum8 ? PhysicalType::Int8 : PhysicalType::Int16,
               enum_name(id, items)),
      items_(std::move(items))
{
    BASALT_ASSERT(id == TypeId::Enum8 || id == TypeId::Enum16);
    if (items_.empty())
        throw Error(error_codes::EMPTY_DATA_PASSED, "DataTypeEnum enumeration cannot be empty");
    std::stable_sort(items_.begin(), items_.end(),
                     [](const Item& a, const Item& b) { return a.second < b.second; });
    for (size_t i = 0; i < items_.size(); ++i)
    {
        const Item& item = items_[i];
        if (id == TypeId::Enum8 && (item.second < -128 || item.second > 127))
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        "Value " + std::to_string(item.second) + " for element '" + item.first +
                            "' exceeds range of Enum8");
        if (i && items_[i - 1].second == item.second)
            throw Error(error_codes::SYNTAX_ERROR, "Duplicate values in enum: '" +
                                                       items_[i - 1].first + "' and '" +
                                                       item.first + "' = " +
                                                       std::to_string(item.second));
        order_by_name_.push_back(static_cast<uint16_t>(i));
    }
    std::sort(order_by_name_.begin(), order_by_name_.end(),
              [&](uint16_t a, uint16_t b) { return items_[a].first < items_[b].first; });
    for (size_t i = 1; i < order_by_name_.size(); ++i)
    {
        const Item& a = items_[order_by_name_[i - 1]];
        const Item& b = items_[order_by_name_[i]];
        if (a.first == b.first)
            throw Error(error_codes::SYNTAX_ERROR,
                        "Duplicate names in enum: '" + a.first + "' = " +
                            std::to_string(a.second) + " and " + std::to_string(b.second));
    }
}

const std::string* EnumType::find_name(int16_t value) const
{
    const auto at = std::lower_bound(items_.begin(), items_.end(), value,
                                     [](const Item& item, int16_t v) { return item.second < v; });
    return at != items_.end() && at->second == value ? &at->first : nullptr;
}

const int16_t* EnumType::find_value(std::string_view name) const
{
    const auto at =
        std::lower_bound(order_by_name_.begin(), order_by_name_.end(), name,
                         [&](uint16_t i, std::string_view text) { return items_[i].first < text; });
    return at != order_by_name_.end() && items_[*at].first == name ? &items_[*at].second : nullptr;
}

Value EnumType::default_value() const
{
    return int64_t{items_.front().second};
}

NullableType::NullableType(TypePtr nested)
    : DataType(TypeId::Nullable, PhysicalType::Nullable, "Nullable(" + nested->name() + ")"),
      nested_(std::move(nested))
{
    if (!can_be_inside_nullable(nested_))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Nested type " + nested_->name() + " cannot be inside Nullable type");
}

MutableColumnPtr NullableType::create_column() const
{
    return std::make_shared<NullableColumn>(nested_->create_column(),
                                            std::make_shared<VectorColumn<uint8_t>>());
}

LowCardinalityType::LowCardinalityType(TypePtr nested)
    : DataType(TypeId::LowCardinality, nested->physical(),
               "LowCardinality(" + nested->name() + ")"),
      nested_(std::move(nested))
{
    if (!can_be_inside_low_cardinality(nested_))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "DataTypeLowCardinality is supported only for numbers, strings, Date or "
                    "DateTime, but got " +
                        nested_->name());
}

MutableColumnPtr LowCardinalityType::create_column() const
{
    return nested_->create_column();
}

Value LowCardinalityType::default_value() const
{
    return nested_->default_value();
}

ArrayType::ArrayType(TypePtr nested) : ArrayType(nested, "Array(" + nested->name() + ")") {}

ArrayType::ArrayType(TypePtr nested, std::string name)
    : DataType(TypeId::Array, PhysicalType::Array, std::move(name)), nested_(std::move(nested))
{
}

MutableColumnPtr ArrayType::create_column() const
{
    return std::make_shared<ArrayColumn>(nested_->create_column());
}

TupleType::TupleType(Types elements, std::vector<std::string> names)
    : DataType(TypeId::Tuple, PhysicalType::Tuple, tuple_name(elements, names)),
      elements_(std::move(elements)), names_(std::move(names))
{
    BASALT_ASSERT(names_.empty() || names_.size() == elements_.size());
}

int TupleType::find(std::string_view name) const
{
    for (size_t i = 0; i < names_.size(); ++i)
        if (names_[i] == name)
            return static_cast<int>(i);
    return -1;
}

MutableColumnPtr TupleType::create_column() const
{
    std::vector<MutableColumnPtr> columns;
    for (const TypePtr& element : elements_)
        columns.push_back(element->create_column());
    return std::make_shared<TupleColumn>(std::move(columns));
}

Value TupleType::default_value() const
{
    TupleValue value;
    for (const TypePtr& element : elements_)
        value.items.push_back(element->default_value());
    return value;
}

MapType::MapType(TypePtr key, TypePtr value)
    : DataType(TypeId::Map, PhysicalType::Array,
               "Map(" + key->name() + ", " + value->name() + ")"),
      key_(std::move(key)), value_(std::move(value)),
      entries_(std::make_shared<ArrayType>(std::make_shared<TupleType>(
          Types{key_, value_}, std::vector<std::string>{"keys", "values"})))
{
    if (is_nullable_or_lc_nullable(key_))
        throw Error(error_codes::BAD_ARGUMENTS, "Map cannot have a key of type " + key_->name());
}

MutableColumnPtr MapType::create_column() const
{
    return entries_->create_column();
}

AggregateFunctionType::AggregateFunctionType(std::shared_ptr<const AggregateStateOps> ops,
                                             std::string name, Types arguments)
    : DataType(TypeId::AggregateFunction, PhysicalType::AggregateState, std::move(name)),
      ops_(std::move(ops)), arguments_(std::move(arguments))
{
}

MutableColumnPtr AggregateFunctionType::create_column() const
{
    return std::make_shared<AggregateStateColumn>(ops_);
}

SimpleAggregateFunctionType::SimpleAggregateFunctionType(std::string function_text,
                                                         TypePtr nested)
    : DataType(TypeId::SimpleAggregateFunction, nested->physical(),
               "SimpleAggregateFunction(" + function_text + ", " + nested->name() + ")"),
      function_text_(std::move(function_text)), nested_(std::move(nested))
{
}

MutableColumnPtr SimpleAggregateFunctionType::create_column() const
{
    return nested_->create_column();
}

Value SimpleAggregateFunctionType::default_value() const
{
    return nested_->default_value();
}

FunctionType::FunctionType(Types arguments, TypePtr result)
    : DataType(TypeId::Function, PhysicalType::Function, function_type_name(arguments, result)),
      arguments_(std::move(arguments)), result_(std::move(result))
{
}

bool can_be_inside_nullable(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::Nullable:
    case TypeId::LowCardinality:
    case TypeId::Array:
    case TypeId::Map:
    case TypeId::AggregateFunction:
    case TypeId::Function:
    case TypeId::Set: return false;
    case TypeId::SimpleAggregateFunction:
        return can_be_inside_nullable(type_as<SimpleAggregateFunctionType>(type).nested());
    default: return true;
    }
}

bool can_be_inside_low_cardinality(const TypePtr& type)
{
    if (type->is_nullable())
    {
        const TypePtr& nested = type_as<NullableType>(type).nested();
        return !nested->is_nullable() && can_be_inside_low_cardinality(nested);
    }
    switch (type->id())
    {
    case TypeId::Date:
    case TypeId::Date32:
    case TypeId::DateTime:
    case TypeId::Time:
    case TypeId::Interval:
    case TypeId::UUID:
    case TypeId::IPv4:
    case TypeId::IPv6:
    case TypeId::String:
    case TypeId::FixedString: return true;
    default: return type->is_integer() || type->is_float();
    }
}

bool is_nullable_or_lc_nullable(const TypePtr& type)
{
    if (type->is(TypeId::SimpleAggregateFunction))
        return is_nullable_or_lc_nullable(type_as<SimpleAggregateFunctionType>(type).nested());
    if (type->is_low_cardinality())
        return type_as<LowCardinalityType>(type).nested()->is_nullable();
    return type->is_nullable();
}

TypePtr make_nullable(const TypePtr& type)
{
    if (is_nullable_or_lc_nullable(type))
        return type;
    // With NULLs of another origin it is no state any more.
    if (type->is(TypeId::SimpleAggregateFunction))
        return make_nullable(type_as<SimpleAggregateFunctionType>(type).nested());
    if (type->is_low_cardinality())
        return std::make_shared<LowCardinalityType>(
            make_nullable(type_as<LowCardinalityType>(type).nested()));
    return std::make_shared<NullableType>(type);
}

TypePtr remove_nullable(const TypePtr& type)
{
    if (type->is(TypeId::SimpleAggregateFunction) && is_nullable_or_lc_nullable(type))
        return remove_nullable(type_as<SimpleAggregateFunctionType>(type).nested());
    if (type->is_nullable())
        return type_as<NullableType>(type).nested();
    if (is_nullable_or_lc_nullable(type))
        return std::make_shared<LowCardinalityType>(
            remove_nullable(type_as<LowCardinalityType>(type).nested()));
    return type;
}

TypePtr remove_low_cardinality(const TypePtr& type)
{
    return type->is_low_cardinality() ? type_as<LowCardinalityType>(type).nested() : type;
}

TypePtr remove_low_cardinality_deep(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::LowCardinality: return type_as<LowCardinalityType>(type).nested();
    case TypeId::Array:
    {
        const TypePtr& nested = type_as<ArrayType>(type).nested();
        const TypePtr plain = remove_low_cardinality_deep(nested);
        return plain == nested ? type : std::make_shared<ArrayType>(plain);
    }
    case TypeId::Tuple:
    {
        const auto& tuple = type_as<TupleType>(type);
        Types elements;
        bool changed = false;
        for (const TypePtr& element : tuple.elements())
        {
            elements.push_back(remove_low_cardinality_deep(element));
            changed |= elements.back() != element;
        }
        return changed ? std::make_shared<TupleType>(std::move(elements), tuple.names()) : type;
    }
    case TypeId::Map:
    {
        const auto& map = type_as<MapType>(type);
        const TypePtr key = remove_low_cardinality_deep(map.key());
        const TypePtr value = remove_low_cardinality_deep(map.value());
        if (key == map.key() && value == map.value())
            return type;
        return std::make_shared<MapType>(key, value);
    }
    default: return type;
    }
}

TypePtr strip_wrappers(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::LowCardinality:
        return strip_wrappers(type_as<LowCardinalityType>(type).nested());
    case TypeId::Nullable: return strip_wrappers(type_as<NullableType>(type).nested());
    case TypeId::SimpleAggregateFunction:
        return strip_wrappers(type_as<SimpleAggregateFunctionType>(type).nested());
    default: return type;
    }
}

} // namespace basalt
