#include "columns/number_text.h"
#include "columns/serialization_kinds.h"

namespace basalt
{

namespace
{

template <class T> class DecimalSerialization final : public PlainSerialization
{
public:
    DecimalSerialization(uint32_t precision, uint32_t scale)
        : PlainSerialization(false), precision_(precision), scale_(scale)
    {
    }

    BASALT_FIXED_WIDTH_BINARY(T)

protected:
    bool json_quotes(const TextOptions& options) const override
    {
        return options.json_quote_decimals;
    }

    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions& options) const override
    {
        const T mantissa = column_as<VectorColumn<T>>(column).data()[row];
        if constexpr (sizeof(T) <= 8)
            write_decimal(out, int64_t{mantissa}, scale_, options.decimal_trailing_zeros);
        else
            write_decimal(out, Int256(mantissa), scale_, options.decimal_trailing_zeros);
    }

    bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const override
    {
        Int256 mantissa;
        const bool digits_optional = place != TextPlace::Whole;
        const char* const start = cursor.pos;
        if (!parse_decimal(cursor, precision_, scale_, mantissa, digits_optional))
            return false;
        if (!digits_optional && cursor.pos == start)
            return cursor.fail(error_codes::CANNOT_PARSE_TEXT,
                               cursor.quiet ? std::string()
                                            : "Cannot parse string " +
                                                  quoted_excerpt(cursor.rest()) +
                                                  " as a decimal: syntax error at begin of string");
        column_as<VectorColumn<T>>(column).data().push_back(static_cast<T>(mantissa));
        return true;
    }

private:
    uint32_t precision_;
    uint32_t scale_;
};

} // namespace

SerializationPtr make_decimal_serialization(const TypePtr& type)
{
    const auto& decimal = type_as<DecimalType>(type);
    const uint32_t precision = decimal.precision();
    const uint32_t scale = decimal.scale();
    switch (type->id())
    {
    case TypeId::Decimal32:
        return std::make_shared<DecimalSerialization<int32_t>>(precision, scale);
    case TypeId::Decimal64:
        return std::make_shared<DecimalSerialization<int64_t>>(precision, scale);
    case TypeId::Decimal128:
        return std::make_shared<DecimalSerialization<Int128>>(precision, scale);
    default:
        return std::make_shared<DecimalSerialization<Int256>>(precision, scale);
    }
}

} // namespace basalt
