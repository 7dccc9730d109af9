#include "encodings/decimal_floats.h"
#include "encodings/integer_stream.h"
#include "encodings/predicate_masks.h"
#include "encodings/shared_decimals.h"
#include "encodings/value_pages.h"

#include <atomic>
#include <cmath>

namespace basalt::inline encodings
{

namespace
{

// Exceptions are patched one by one, so there must be few.
constexpr size_t kMaxExceptionShare = 20; // one in so many

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

constexpr size_t kLeastShared = 16384; // fewer rows are not worth a dictionary

template <class T> class DecimalFloatPage final : public EncodedPage
{
public:
    DecimalFloatPage(const PageHead& head, PageBytes bytes) : owner_(std::move(bytes.owner))
    {
        ByteReader reader(bytes.bytes.substr(kPageHeadBytes));
        scale_ = reader.count(kMaxDecimalScale, "a scale is too large");
        power_ = power_of_ten(static_cast<unsigned>(scale_));
        const size_t exceptions = reader.count(head.rows, "more exceptions than rows");
        if (exceptions)
        {
            const size_t position_bytes = reader.count(reader.left(), "exceptions are cut");
            const IntegerReader positions(reader.bytes(position_bytes), exceptions);
            const size_t bits_bytes = reader.count(reader.left(), "exceptions are cut");
            const IntegerReader bits(reader.bytes(bits_bytes), exceptions);
            positions_.resize(exceptions);
            positions.read_as(0, exceptions, positions_.data());
            bits_.resize(exceptions);
            bits.read_as(0, exceptions, bits_.data());
            for (size_t i = 0; i < exceptions; ++i)
                if (positions_[i] >= head.rows || (i && positions_[i] <= positions_[i - 1]))
                    throw_damaged_page("exceptions are out of order");
        }
        mantissas_ = IntegerReader(reader.bytes(reader.left()), head.rows);
    }

    size_t rows() const override { return mantissas_.size(); }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        if (count >= kLeastShared)
            if (ColumnPtr shared = decode_shared(begin, count))
                return shared;
        auto column = std::make_shared<VectorColumn<T>>(count);
        T* out = column->data().data();
        for_chunks(begin, count,
                   [&](const T* values, size_t some)
                   {
                       std::copy_n(values, some, out);
                       out += some;
                   });
        return column;
    }

    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        const auto test = FloatPredicate::make(predicate);
        if (!test)
            return false;
        for_chunks(begin, count,
                   [&](const T* values, size_t some)
                   {
                       double wide[kChunk];
                       std::copy_n(values, some, wide);
                       test->apply(wide, some, mask);
                       mask += some;
                   });
        return true;
    }

private:
    static constexpr size_t kChunk = 1024;

    template <class F> void for_chunks(size_t begin, size_t count, F&& f) const
    {
        BASALT_ASSERT(begin + count <= rows());
        uint64_t mantissas[kChunk];
        T values[kChunk];
        size_t exception = static_cast<size_t>(
            std::lower_bound(positions_.begin(), positions_.end(), begin) - positions_.begin());
        while (count)
        {
            const size_t some = std::min(count, kChunk - begin % kChunk);
            mantissas_.read(begin, some, mantissas);
            for (size_t i = 0; i < some; ++i)
                values[i] = static_cast<T>(
                    static_cast<double>(static_cast<int64_t>(mantissas[i])) / power_);
            for (; exception < positions_.size() && positions_[exception] < begin + some;
                 ++exception)
                values[positions_[exception] - begin] = load<T>(&bits_[exception]);
            f(values, some);
            begin += some;
            count -= some;
        }
    }

    // As codes into the dictionary that all pages of this type and scale share; null when not all
    // values are in it.
    ColumnPtr decode_shared(size_t begin, size_t count) const
    {
        BASALT_ASSERT(begin + count <= rows());
        if (scale_ > kMaxSharedScale || !positions_.empty() ||
            !all_shared_.load(std::memory_order_relaxed))
            return nullptr;
        PodVector<uint32_t> codes(count);
        if (!mantissas_.read_below(begin, count, kSharedDecimals, codes.data()))
        {
            all_shared_.store(false, std::memory_order_relaxed);
            return nullptr;
        }
        return std::make_shared<DictionaryColumn>(shared_decimals<T>(scale_), std::move(codes));
    }

    std::shared_ptr<const void> owner_;
    double power_ = 1;
    size_t scale_ = 0;
    mutable std::atomic<bool> all_shared_{true}; // as far as is known
    PodVector<uint32_t> positions_;
    PodVector<BitsOf<T>> bits_;
    IntegerReader mantissas_;
};

template <class T>
bool write(const VectorColumn<T>& column, size_t granule_rows, std::string& out)
{
    const size_t rows = column.size();
    const T* values = column.data().data();
    const auto scale = decimal_scale_of(values, rows);
    if (!scale)
        return false;
    const double power = power_of_ten(*scale);
    PodVector<uint64_t> mantissas(rows), positions, bits;
    uint64_t previous = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        int64_t mantissa;
        if (decimal_mantissa(values[i], power, mantissa)) [[likely]]
            previous = static_cast<uint64_t>(mantissa);
        else
        {
            positions.push_back(i);
            bits.push_back(load<BitsOf<T>>(values + i));
        }
        mantissas[i] = previous;
    }
    if (positions.size() > rows / kMaxExceptionShare)
        return false;
    PageHead head;
    head.encoding = PageEncoding::DecimalFloats;
    head.rows = static_cast<uint32_t>(rows);
    head.granule_rows = static_cast<uint32_t>(granule_rows);
    head.append_to(out);
    append_varint(out, *scale);
    append_varint(out, positions.size());
    if (!positions.empty())
    {
        for (const auto* stream : {&positions, &bits})
        {
            std::string bytes;
            write_integers(stream->data(), stream->size(), false, bytes);
            append_varint(out, bytes.size());
            out += bytes;
        }
    }
    write_integers(mantissas.data(), rows, true, out);
    return true;
}

} // namespace

bool write_decimal_floats(const Column& flat, const TypePtr& type, size_t granule_rows,
                          std::string& out)
{
    if (type->physical() == PhysicalType::Float32)
        return write(column_as<VectorColumn<float>>(flat), granule_rows, out);
    if (type->physical() == PhysicalType::Float64)
        return write(column_as<VectorColumn<double>>(flat), granule_rows, out);
    return false;
}

EncodedPagePtr open_decimal_floats(const PageHead& head, const TypePtr& type, PageBytes bytes)
{
    if (type->physical() == PhysicalType::Float32)
        return std::make_shared<DecimalFloatPage<float>>(head, std::move(bytes));
    if (type->physical() == PhysicalType::Float64)
        return std::make_shared<DecimalFloatPage<double>>(head, std::move(bytes));
    throw_damaged_page("decimal floats in a column of another type");
}

} // namespace basalt::encodings
