#include "encodings/template_siblings.h"

#include "encodings/decimal_floats.h"
#include "encodings/hex_column.h"
#include "encodings/slot_text.h"
#include "encodings/vector_visit.h"

#include <algorithm>
#include <bit>
#include <emmintrin.h>

namespace basalt::inline encodings
{

namespace
{

template <class T> inline int64_t float_mantissa(T value, double power)
{
    const double scaled = static_cast<double>(value) * power;
    const int64_t rounded = _mm_cvtsd_si64(_mm_set_sd(scaled)); // to the nearest, or even
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const bool is_negative_zero = std::bit_cast<Bits>(value) == Bits{1} << (sizeof(T) * 8 - 1);
    const bool fits = std::abs(scaled) < 1e15;
    return fits && !is_negative_zero ? rounded : SiblingNumbers::kNone;
}

template <class T> int64_t integer_mantissa(T value)
{
    constexpr auto kLimit = static_cast<int64_t>(1e18);
    if constexpr (std::is_signed_v<T>)
        return value > -kLimit && value < kLimit ? value : SiblingNumbers::kNone;
    else
        return value < static_cast<uint64_t>(kLimit) ? static_cast<int64_t>(value)
                                                     : SiblingNumbers::kNone;
}

} // namespace

int64_t sibling_mantissa(float value, double power)
{
    return float_mantissa(value, power);
}

int64_t sibling_mantissa(double value, double power)
{
    return float_mantissa(value, power);
}

bool may_be_sibling(const TypePtr& type, bool& is_text)
{
    is_text = type->is(TypeId::String);
    switch (type->id())
    {
    case TypeId::String:
    case TypeId::UInt8:
    case TypeId::UInt16:
    case TypeId::UInt32:
    case TypeId::UInt64:
    case TypeId::Int8:
    case TypeId::Int16:
    case TypeId::Int32:
    case TypeId::Int64:
    case TypeId::Float32:
    case TypeId::Float64:
        return true;
    default:
        return false;
    }
}

void read_sibling_mantissas(const Column& column, size_t begin, size_t count, unsigned scale,
                            int64_t* mantissas)
{
    const double power = power_of_ten(scale);
    const auto read = [begin, count, power, mantissas](const auto& data)
    {
        using T = std::decay_t<decltype(data[0])>;
        const T* from = data.data() + begin;
        for (size_t i = 0; i < count; ++i)
        {
            if constexpr (std::is_floating_point_v<T>)
                mantissas[i] = float_mantissa(from[i], power);
            else
                mantissas[i] = integer_mantissa(from[i]);
        }
    };
    visit_narrow_vector(column, read);
}

namespace
{

class ColumnPage final : public EncodedPage
{
public:
    explicit ColumnPage(ColumnPtr column) : column_(std::move(column)) {}
    size_t rows() const override { return column_->size(); }
    ColumnPtr decode(size_t begin, size_t count) const override
    {
        const ColumnPtr part =
            begin == 0 && count == column_->size() ? column_ : column_->slice(begin, count);
        return to_values(part);
    }

private:
    ColumnPtr column_;
};

} // namespace

EncodedPagePtr SiblingColumns::page_of(uint32_t column) const
{
    return std::make_shared<ColumnPage>(block_[column].column);
}

std::string_view alphabet_bytes(TextAlphabet alphabet)
{
    switch (alphabet)
    {
    case TextAlphabet::HexLower:
        return "0123456789abcdef";
    case TextAlphabet::HexUpper:
        return "0123456789ABCDEF";
    case TextAlphabet::HexDashes:
        return "-0123456789abcdef";
    default:
        return {};
    }
}

TextFacts TextFacts::of(const StringColumn& texts)
{
    TextFacts facts;
    if (texts.size() == 0)
        return facts;
    const uint64_t length = texts.offsets()[0];
    uint64_t differences = length >> 32;
    for (size_t i = 0; i < texts.size(); ++i)
        differences |= texts.offsets()[i] ^ ((i + 1) * length);
    if (differences == 0)
        facts.length = static_cast<uint32_t>(length);
    const char* const chars = texts.chars().data();
    const size_t size = texts.chars().size();
    for (const HexCase letters : {HexCase::Lower, HexCase::Upper})
    {
        bool dashes = false;
        size_t at = hex_run(chars, size, letters);
        while (at < size && chars[at] == '-' && letters == HexCase::Lower)
        {
            dashes = true;
            ++at;
            at += hex_run(chars + at, size - at, letters);
        }
        if (at < size)
            continue;
        facts.alphabet = letters == HexCase::Upper ? TextAlphabet::HexUpper
                         : dashes                  ? TextAlphabet::HexDashes
                                                   : TextAlphabet::HexLower;
        break;
    }
    return facts;
}

void TextFacts::append_to(std::string& out) const
{
    out.push_back(static_cast<char>(alphabet));
    append_varint(out, length);
}

TextFacts TextFacts::read(ByteReader& reader)
{
    TextFacts facts;
    const uint8_t alphabet = reader.byte();
    if (alphabet > static_cast<uint8_t>(TextAlphabet::HexDashes))
        throw_damaged_page("texts of an unknown alphabet");
    facts.alphabet = static_cast<TextAlphabet>(alphabet);
    facts.length = static_cast<uint32_t>(reader.count(UINT32_MAX, "the length of a text"));
    return facts;
}

SiblingColumns::SiblingColumns(const Block& block, std::vector<uint32_t> allowed)
    : block_(block), allowed_(block.width()), numbers_(block.width()), flat_(block.width())
{
    for (const uint32_t column : allowed)
    {
        allowed_[column] = true;
        bool is_text = false;
        const ColumnForm form = block[column].column->form();
        if (!may_be_sibling(block[column].type, is_text))
            continue;
        if (is_text && (form == ColumnForm::String ||
                        hex(column)))
            texts_.push_back(column);
        else if (!is_text && form == ColumnForm::Vector)
            number_columns_.push_back(column);
    }
}

TextFacts SiblingColumns::facts(uint32_t column) const
{
    const Column& values = *block_[column].column;
    if (values.form() == ColumnForm::String)
        return TextFacts::of(column_as<StringColumn>(values));
    TextFacts facts;
    if (const HexColumn* hex = this->hex(column))
    {
        const HexForm& form = hex->hex_form();
        facts.length = static_cast<uint32_t>(form.length());
        if (form.letters == HexCase::Lower)
            facts.alphabet = form.dashes ? TextAlphabet::HexDashes : TextAlphabet::HexLower;
        else if (!form.dashes)
            facts.alphabet = TextAlphabet::HexUpper;
    }
    return facts;
}

const HexColumn* SiblingColumns::hex(uint32_t column) const
{
    return dynamic_cast<const HexColumn*>(block_[column].column.get());
}

const StringColumn& SiblingColumns::text(uint32_t column) const
{
    const ColumnPtr& values = block_[column].column;
    if (values->form() == ColumnForm::String)
        return column_as<StringColumn>(*values);
    if (!flat_[column])
        flat_[column] = to_values(values);
    return column_as<StringColumn>(*flat_[column]);
}

const SiblingNumbers& SiblingColumns::number(uint32_t column)
{
    auto& numbers = numbers_[column];
    if (numbers)
        return *numbers;
    numbers = std::make_unique<SiblingNumbers>();
    const ColumnPtr flat = to_flat(block_[column].column);
    const Column& values = *flat;
    const size_t rows = values.size();
    if (block_[column].type->is(TypeId::Float32))
        numbers->scale =
            decimal_scale_of(column_as<VectorColumn<float>>(values).data().data(), rows)
                .value_or(0);
    else if (block_[column].type->is(TypeId::Float64))
        numbers->scale =
            decimal_scale_of(column_as<VectorColumn<double>>(values).data().data(), rows)
                .value_or(0);
    numbers->scale = std::min(numbers->scale, kMaxSlotDecimals);
    numbers->power = integer_power_of_ten(numbers->scale);
    numbers->mantissas.resize(rows);
    read_sibling_mantissas(values, 0, rows, numbers->scale, numbers->mantissas.data());
    return *numbers;
}

} // namespace basalt::encodings
