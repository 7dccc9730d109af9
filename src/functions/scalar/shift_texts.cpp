#include "functions/scalar/shift_texts.h"

#include "functions/scalar/column_rows.h"

namespace basalt
{

// Longest text that a shift to the left makes.
inline constexpr size_t kMaxShiftedBytes = size_t{1} << 30;

ColumnPtr shift_texts(bool to_left, const Argument& texts, const Argument& counts, size_t rows)
{
    const StringRows from(texts.column);
    const IntegerRows by(counts);
    const bool fixed = texts.type->is(TypeId::FixedString);
    StringWriter out(rows, from.chars_size());
    for (size_t i = 0; i < rows; ++i)
    {
        const std::string_view text = from[i];
        if (by[i] < 0)
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        "The number of shift positions needs to be a non-negative value");
        const auto shift = static_cast<uint64_t>(by[i]);
        if (shift >= text.size() * 8)
        {
            if (fixed)
                out.fill(text.size(), 0);
            out.end_row();
            continue;
        }
        const size_t bytes = shift / 8;
        const auto bits = static_cast<int>(shift % 8);
        const auto byte = [&](size_t at) -> unsigned
        { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
        if (to_left)
        {
            if (text.size() + bytes + 1 > kMaxShiftedBytes)
                throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                            "The result of a shift is too long");
            if (!fixed && bits != 0)
                out.write(static_cast<char>(byte(0) >> (8 - bits)));
            const size_t begin = fixed ? bytes : 0;
            const size_t end = text.size() + bytes;
            for (size_t at = begin; at < end; ++at)
                out.write(static_cast<char>((byte(at) << 8 | byte(at + 1)) >> (8 - bits)));
        }
        else
        {
            if (fixed)
                out.fill(bytes, 0);
            for (size_t at = 0; at + bytes < text.size(); ++at)
                out.write(static_cast<char>(
                    ((at == 0 ? 0u : byte(at - 1)) << 8 | byte(at)) >> bits));
        }
        out.end_row();
    }
    if (!fixed)
        return out.finish();
    auto result = std::make_shared<FixedStringColumn>(
        type_as<FixedStringType>(texts.type).width());
    result->chars().append(out.column().chars().data(), out.column().chars().size());
    return result;
}

} // namespace basalt
