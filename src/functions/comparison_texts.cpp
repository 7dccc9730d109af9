#include "base/unaligned.h"
#include "functions/comparison.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

namespace
{

std::string_view without_trailing_zeros(std::string_view text)
{
    size_t size = text.size();
    while (size > 0 && text[size - 1] == '\0')
        --size;
    return text.substr(0, size);
}

// Equality with one constant: lengths first, then the first eight bytes, then the rest.
void equals_constant(const StringColumn& column, std::string_view wanted, uint8_t flip,
                     uint8_t* out)
{
    const uint64_t* const offsets = column.offsets().data();
    const char* const chars = column.chars().data();
    const size_t rows = column.size();
    const size_t size = wanted.size();
    uint64_t begin = 0;
    if (size == 0)
    {
        for (size_t i = 0; i < rows; ++i)
        {
            out[i] = static_cast<uint8_t>(offsets[i] == begin) ^ flip;
            begin = offsets[i];
        }
        return;
    }
    uint64_t head = 0;
    std::memcpy(&head, wanted.data(), std::min<size_t>(size, 8));
    const uint64_t head_mask = size >= 8 ? ~uint64_t{0} : (uint64_t{1} << (size * 8)) - 1;
    for (size_t i = 0; i < rows; ++i)
    {
        const uint64_t end = offsets[i];
        bool equal = end - begin == size;
        if (equal)
        {
            // Columns have slack after their last byte, so eight bytes may always be read.
            equal = (load<uint64_t>(chars + begin) & head_mask) == head &&
                    (size <= 8 ||
                     std::memcmp(chars + begin + 8, wanted.data() + 8, size - 8) == 0);
        }
        out[i] = static_cast<uint8_t>(equal) ^ flip;
        begin = end;
    }
}

} // namespace

ColumnPtr compare_texts(ComparisonOp op, const Column& a, const Column& b, size_t rows)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
    uint8_t* const out = result->data().data();
    const TextView left(a);
    const TextView right(b);
    const bool equality = op == ComparisonOp::Equals || op == ComparisonOp::NotEquals;
    const bool padded = left.fixed() || right.fixed();
    const uint8_t flip = op == ComparisonOp::NotEquals;
    if (equality && !padded && left.constant() != right.constant())
    {
        const Column& column = left.constant() ? b : a;
        equals_constant(column_as<StringColumn>(column), left.constant() ? left[0] : right[0],
                        flip, out);
        return result;
    }
    if (padded)
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = comparison_holds(op, without_trailing_zeros(left[i])
                                              .compare(without_trailing_zeros(right[i])));
        return result;
    }
    if (equality)
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = static_cast<uint8_t>(left[i] == right[i]) ^ flip;
        return result;
    }
    for (size_t i = 0; i < rows; ++i)
        out[i] = comparison_holds(op, left[i].compare(right[i]));
    return result;
}

ColumnPtr compare_generic(ComparisonOp op, const ColumnPtr& a, const ColumnPtr& b, size_t rows)
{
    const ColumnPtr left = to_flat(a);
    const ColumnPtr right = to_flat(b);
    auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
        result->data()[i] = comparison_holds(op, left->compare_at(i, *right, i, 1));
    return result;
}

} // namespace basalt
