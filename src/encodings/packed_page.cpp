#include "encodings/integer_stream.h"
#include "encodings/predicate_masks.h"
#include "encodings/value_pages.h"
#include "encodings/vector_visit.h"

namespace basalt::inline encodings
{

namespace
{

template <class T> struct BitsOf
{
    using type = T;
};
template <> struct BitsOf<float>
{
    using type = uint32_t;
};
template <> struct BitsOf<double>
{
    using type = uint64_t;
};

// Calls f(T{}, column data) for vector columns of up to 64 bits; T is an integer.
template <class F> bool with_narrow_vector(const DataType& type, F&& f)
{
    bool narrow = false;
    with_vector_type(type.physical(),
                     [&](auto tag)
                     {
                         if constexpr (sizeof(tag) <= 8)
                         {
                             narrow = true;
                             f(tag);
                         }
                     });
    return narrow;
}

class PackedPage final : public EncodedPage
{
public:
    PackedPage(const PageHead& head, TypePtr type, PageBytes bytes)
        : type_(std::move(type)), owner_(std::move(bytes.owner)),
          reader_(bytes.bytes.substr(kPageHeadBytes), head.rows)
    {
    }

    size_t rows() const override { return reader_.size(); }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        BASALT_ASSERT(begin + count <= rows());
        MutableColumnPtr column = type_->create_column();
        with_narrow_vector(*type_,
                           [&](auto tag)
                           {
                               using T = decltype(tag);
                               using Bits = typename BitsOf<T>::type;
                               auto& data = column_as<VectorColumn<T>>(*column).data();
                               data.resize(count);
                               reader_.read_as(begin, count, reinterpret_cast<Bits*>(data.data()));
                           });
        return column;
    }

    bool as_dictionary(size_t begin, size_t count, ColumnPtr& dictionary,
                       PodVector<uint32_t>& codes) const override
    {
        if (reader_.is_constant())
        {
            dictionary = decode(0, 1);
            codes.assign(count, 0);
            return true;
        }
        if (reader_.dictionary().empty())
            return false;
        MutableColumnPtr values = type_->create_column();
        with_narrow_vector(*type_,
                           [&](auto tag)
                           {
                               using T = decltype(tag);
                               using Bits = typename BitsOf<T>::type;
                               auto& data = column_as<VectorColumn<T>>(*values).data();
                               for (const uint64_t value : reader_.dictionary())
                               {
                                   const Bits bits = static_cast<Bits>(value);
                                   data.push_back(load<T>(&bits));
                               }
                           });
        dictionary = std::move(values);
        codes.resize(count);
        PodVector<uint64_t> wide(count);
        reader_.read_codes(begin, count, wide.data());
        for (size_t i = 0; i < count; ++i)
            codes[i] = static_cast<uint32_t>(wide[i]);
        return true;
    }

    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        bool is_signed = false;
        bool is_integer = false;
        with_narrow_vector(*type_,
                           [&](auto tag)
                           {
                               is_integer = std::is_integral_v<decltype(tag)>;
                               is_signed = std::is_signed_v<decltype(tag)>;
                           });
        const auto test = is_integer ? IntegerPredicate::make(predicate, is_signed) : std::nullopt;
        if (!test)
            return false;
        uint64_t buffer[kIntegerBlock];
        while (count)
        {
            const size_t some = std::min(count, std::size(buffer) - begin % std::size(buffer));
            reader_.read(begin, some, buffer);
            test->apply(buffer, some, mask);
            begin += some;
            count -= some;
            mask += some;
        }
        return true;
    }

private:
    TypePtr type_;
    std::shared_ptr<const void> owner_;
    IntegerReader reader_;
};

class NullablePage final : public EncodedPage
{
public:
    NullablePage(const PageHead& head, TypePtr type, PageBytes bytes, std::string_view nulls,
                 EncodedPagePtr nested)
        : type_(std::move(type)), owner_(std::move(bytes.owner)), nulls_(nulls, head.rows),
          nested_(std::move(nested))
    {
        if (nested_->rows() != head.rows)
            throw_damaged_page("its null map has another length than its values");
    }

    size_t rows() const override { return nulls_.size(); }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(count);
        nulls_.read_as(begin, count, nulls->data().data());
        return NullableColumn::make(to_flat(nested_->decode(begin, count)), std::move(nulls));
    }

    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(nulls_.size());
        nulls_.read_as(0, nulls_.size(), nulls->data().data());
        return NullableColumn::make(to_flat(nested_->decode_rows(rows)), nulls->take(rows));
    }

    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        if (!nested_->evaluate(predicate, begin, count, mask))
            return false;
        if (nulls_.is_constant() && nulls_.constant() == 0)
            return true;
        PodVector<uint8_t> nulls(count);
        nulls_.read_as(begin, count, nulls.data());
        for (size_t i = 0; i < count; ++i)
            mask[i] &= nulls[i] == 0;
        return true;
    }

private:
    TypePtr type_;
    std::shared_ptr<const void> owner_;
    IntegerReader nulls_;
    EncodedPagePtr nested_;
};

} // namespace

bool write_packed_integers(const Column& flat, const TypePtr& type, size_t granule_rows,
                           std::string& out)
{
    const size_t rows = flat.size();
    PodVector<uint64_t> values;
    bool is_signed = false;
    const bool narrow = with_narrow_vector(
        *type,
        [&](auto tag)
        {
            using T = decltype(tag);
            using Bits = typename BitsOf<T>::type;
            is_signed = std::is_signed_v<Bits>;
            const T* from = column_as<VectorColumn<T>>(flat).data().data();
            values.resize(rows);
            for (size_t i = 0; i < rows; ++i)
                values[i] = static_cast<uint64_t>(load<Bits>(from + i));
        });
    if (!narrow)
        return false;
    PageHead head;
    head.encoding = PageEncoding::PackedIntegers;
    head.rows = static_cast<uint32_t>(rows);
    head.granule_rows = static_cast<uint32_t>(granule_rows);
    head.append_to(out);
    write_integers(values.data(), rows, is_signed, out);
    return true;
}

EncodedPagePtr open_packed_integers(const PageHead& head, const TypePtr& type, PageBytes bytes)
{
    if (!with_narrow_vector(*type, [](auto) {}))
        throw_damaged_page("packed integers in a column of another type");
    return std::make_shared<PackedPage>(head, type, std::move(bytes));
}

void write_nullable(const uint8_t* nulls, size_t rows, size_t granule_rows,
                    std::string_view nested, std::string& out)
{
    PodVector<uint64_t> values(rows);
    for (size_t i = 0; i < rows; ++i)
        values[i] = nulls[i] != 0;
    std::string map;
    write_integers(values.data(), rows, false, map);
    PageHead head;
    head.encoding = PageEncoding::NullableValues;
    head.rows = static_cast<uint32_t>(rows);
    head.granule_rows = static_cast<uint32_t>(granule_rows);
    head.append_to(out);
    append_varint(out, map.size());
    out += map;
    out += nested;
}

namespace
{

std::string_view null_map_of(std::string_view page)
{
    ByteReader reader(page.substr(kPageHeadBytes));
    const size_t size = reader.count(reader.left(), "its null map is longer than the page");
    return reader.bytes(size);
}

} // namespace

std::string_view nested_page_of(std::string_view page)
{
    const std::string_view map = null_map_of(page);
    return page.substr(static_cast<size_t>(map.data() + map.size() - page.data()));
}

EncodedPagePtr open_nullable(const PageHead& head, const TypePtr& type, PageBytes bytes,
                             EncodedPagePtr nested)
{
    const std::string_view map = null_map_of(bytes.bytes);
    return std::make_shared<NullablePage>(head, type, std::move(bytes), map, std::move(nested));
}

} // namespace basalt::encodings
