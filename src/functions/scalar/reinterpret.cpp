// reinterpret and reinterpretAs…: the bytes of a value as another type.

#include "base/error.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

// UUIDs lie in memory with their halves in text order, for ClickHouse's bytes.
UInt128 swapped_halves(UInt128 value)
{
    return (value << 64) | (value >> 64);
}

class Reinterpret final : public NamedFunction
{
public:
    // type: null for `reinterpret`, whose second argument names it; FixedString of width 1 stands
    // for "as wide as the argument".
    Reinterpret(std::string name, TypePtr type)
        : NamedFunction(std::move(name)), type_(std::move(type))
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), type_ ? 1 : 2);
        const TypePtr& from = arguments[0].type;
        TypePtr to = type_ ? type_ : type_from_name(constant_string(*this, arguments, 1));
        if (type_ && type_->is(TypeId::FixedString))
        {
            if (from->is(TypeId::FixedString))
                return from;
            to = std::make_shared<FixedStringType>(std::max<size_t>(width_of(*from), 1));
        }
        const bool from_text = from->is_string();
        const bool to_text = to->is_string();
        const bool fits = (from_text || width_of(*from) > 0) && (to_text || width_of(*to) > 0);
        const bool text_to_fixed = from->is(TypeId::String) && to->is(TypeId::FixedString);
        if (!fits || text_to_fixed)
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Cannot reinterpret {} as {}", from->name(), to->name()));
        return to;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& to, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr from = to_flat(arguments[0].column);
        const TypePtr& from_type = arguments[0].type;
        // The bytes of each row, `width` apart, or texts of any length.
        PodVector<char> bytes;
        const size_t width = width_of(*from_type);
        if (width > 0)
            bytes = bytes_of(*from, *from_type, rows, width);
        const auto row_bytes = [&](size_t i) -> std::string_view
        {
            if (width > 0)
                return {bytes.data() + i * width, width};
            return column_as<StringColumn>(from).at(i);
        };
        if (to->is(TypeId::String))
        {
            auto result = std::make_shared<StringColumn>();
            for (size_t i = 0; i < rows; ++i)
            {
                std::string_view text = row_bytes(i);
                if (!from_type->is_string())
                    while (text.size() > 0 && text.back() == '\0')
                        text.remove_suffix(1);
                result->append(text);
            }
            return result;
        }
        const size_t wanted = width_of(*to);
        PodVector<char> out(wanted * rows, '\0');
        for (size_t i = 0; i < rows; ++i)
        {
            const std::string_view text = row_bytes(i);
            std::memcpy(out.data() + i * wanted, text.data(), std::min(wanted, text.size()));
        }
        return column_of(*to, std::move(out), rows, wanted);
    }

    std::vector<size_t> constant_arguments() const override { return {1}; }
    bool worth_short_circuit() const override { return false; }

private:
    // Bytes of a fixed-width value; 0 for what has none.
    static size_t width_of(const DataType& type)
    {
        if (type.is(TypeId::FixedString))
            return static_cast<const FixedStringType&>(type).width();
        if (type.is(TypeId::IPv6))
            return 16;
        size_t width = 0;
        dispatch_vector(type.physical(), [&]<class Tag>(Tag)
                        { width = sizeof(typename Tag::type); });
        return width;
    }

    static PodVector<char> bytes_of(const Column& column, const DataType& type, size_t rows,
                                    size_t width)
    {
        PodVector<char> bytes(width * rows);
        if (column.form() == ColumnForm::FixedString)
        {
            bytes = column_as<FixedStringColumn>(column).chars();
            return bytes;
        }
        dispatch_vector(type.physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            const auto& data = column_as<VectorColumn<T>>(column).data();
                            std::memcpy(bytes.data(), data.data(), width * rows);
                            if constexpr (std::is_same_v<T, UInt128>)
                                if (type.is(TypeId::UUID))
                                    for (size_t i = 0; i < rows; ++i)
                                    {
                                        const UInt128 value = swapped_halves(data[i]);
                                        std::memcpy(bytes.data() + i * width, &value, width);
                                    }
                        });
        return bytes;
    }

    static ColumnPtr column_of(const DataType& type, PodVector<char> bytes, size_t rows,
                               size_t width)
    {
        if (type.physical() == PhysicalType::FixedString)
        {
            auto result = std::make_shared<FixedStringColumn>(width);
            result->chars() = std::move(bytes);
            return result;
        }
        ColumnPtr result;
        dispatch_vector(type.physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            auto column = std::make_shared<VectorColumn<T>>(rows);
                            std::memcpy(static_cast<void*>(column->data().data()), bytes.data(),
                                        width * rows);
                            if constexpr (std::is_same_v<T, UInt128>)
                                if (type.is(TypeId::UUID))
                                    for (auto& value : column->data())
                                        value = swapped_halves(value);
                            result = column;
                        });
        return result;
    }

    TypePtr type_;
};

} // namespace

#define BASALT_REINTERPRET(NAME, TYPE)                                                             \
    registry.add("reinterpretAs" NAME, [](const QueryContext&) -> ScalarFunctionPtr                \
                 {                                                                                 \
                     return std::make_shared<Reinterpret>("reinterpretAs" NAME,                    \
                                                          simple_type(TypeId::TYPE));              \
                 });

void register_reinterpret(ScalarRegistry& registry)
{
    registry.add("reinterpret", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Reinterpret>("reinterpret", nullptr); });
    BASALT_REINTERPRET("UInt8", UInt8)
    BASALT_REINTERPRET("UInt16", UInt16)
    BASALT_REINTERPRET("UInt32", UInt32)
    BASALT_REINTERPRET("UInt64", UInt64)
    BASALT_REINTERPRET("UInt128", UInt128)
    BASALT_REINTERPRET("UInt256", UInt256)
    BASALT_REINTERPRET("Int8", Int8)
    BASALT_REINTERPRET("Int16", Int16)
    BASALT_REINTERPRET("Int32", Int32)
    BASALT_REINTERPRET("Int64", Int64)
    BASALT_REINTERPRET("Int128", Int128)
    BASALT_REINTERPRET("Int256", Int256)
    BASALT_REINTERPRET("Float32", Float32)
    BASALT_REINTERPRET("Float64", Float64)
    BASALT_REINTERPRET("Date", Date)
    BASALT_REINTERPRET("DateTime", DateTime)
    BASALT_REINTERPRET("UUID", UUID)
    BASALT_REINTERPRET("String", String)
    registry.add("reinterpretAsFixedString", [](const QueryContext&) -> ScalarFunctionPtr
                 {
                     return std::make_shared<Reinterpret>("reinterpretAsFixedString",
                                                          std::make_shared<FixedStringType>(1));
                 });
}

#undef BASALT_REINTERPRET

} // namespace basalt
