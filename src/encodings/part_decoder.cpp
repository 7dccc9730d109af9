#include "base/error.h"
#include "encodings/page.h"
#include "encodings/dictionary_page.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"
#include "encodings/value_pages.h"
#include "encodings/value_predicate.h"

#include <algorithm>
#include <mutex>

namespace basalt
{

namespace
{

[[noreturn]] void throw_corrupted(const char* what)
{
    throw Error(error_codes::CORRUPTED_DATA, std::string("Damaged page: ") + what);
}

// A dictionary as write_dictionary and finish write it: the count, then one granule of pieces.
ColumnPtr read_dictionary(std::string_view bytes, const TypePtr& type)
{
    if (bytes.size() < 4)
        throw_corrupted("a dictionary is missing");
    const auto rows = load<uint32_t>(bytes.data());
    const Pieces pieces(bytes.substr(4), 1, plain_streams_of(type).size());
    auto column = type->create_column();
    pieces.read_rows(0, type, rows, *column);
    return column;
}

class PlainPage final : public EncodedPage
{
public:
    PlainPage(const PageHead& head, TypePtr type, size_t streams, PageBytes bytes)
        : head_(head), type_(std::move(type)), owner_(std::move(bytes.owner)),
          pieces_(bytes.bytes.substr(kPageHeadBytes), head.granules(), streams)
    {
    }

    size_t rows() const override { return head_.rows; }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        BASALT_ASSERT(begin + count <= head_.rows);
        auto column = type_->create_column();
        if (count == 0)
            return column;
        const size_t first = begin / head_.granule_rows;
        const size_t last = (begin + count - 1) / head_.granule_rows;
        column->reserve((last - first + 1) * head_.granule_rows);
        for (size_t granule = first; granule <= last; ++granule)
            pieces_.read_rows(granule, type_, rows_of(granule), *column);
        const size_t skip = begin - first * head_.granule_rows;
        if (skip == 0 && column->size() == count)
            return column;
        return column->slice(skip, count);
    }

    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        MutableColumnPtr result;
        for (size_t i = 0; i < rows.size();)
        {
            const size_t granule = rows[i] / head_.granule_rows;
            const auto start = static_cast<uint32_t>(granule * head_.granule_rows);
            BASALT_ASSERT(granule < head_.granules());
            RowIndexes inside;
            for (; i < rows.size() && rows[i] / head_.granule_rows == granule; ++i)
                inside.push_back(rows[i] - start);
            auto column = type_->create_column();
            pieces_.read_rows(granule, type_, rows_of(granule), *column);
            const ColumnPtr taken =
                inside.size() == column->size() ? column : column->take(inside);
            if (!result && i == rows.size())
                return taken;
            if (!result)
                result = type_->create_column();
            result->append_range(*taken, 0, taken->size());
        }
        return result ? result : type_->create_column();
    }

private:
    size_t rows_of(size_t granule) const
    {
        return std::min<size_t>(head_.granule_rows, head_.rows - granule * head_.granule_rows);
    }

    PageHead head_;
    TypePtr type_;
    std::shared_ptr<const void> owner_;
    Pieces pieces_;
};

class ConstantPage final : public EncodedPage
{
public:
    ConstantPage(const PageHead& head, const TypePtr& type, size_t streams, PageBytes bytes)
        : rows_(head.rows)
    {
        const Pieces pieces(bytes.bytes.substr(kPageHeadBytes), 1, streams);
        auto column = type->create_column();
        pieces.read_rows(0, type, 1, *column);
        value_ = std::move(column);
    }

    size_t rows() const override { return rows_; }
    ColumnPtr decode(size_t, size_t count) const override
    {
        return std::make_shared<ConstantColumn>(value_, count);
    }
    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        return std::make_shared<ConstantColumn>(value_, rows.size());
    }
    bool as_dictionary(size_t, size_t count, ColumnPtr& dictionary,
                       PodVector<uint32_t>& codes) const override
    {
        dictionary = value_;
        codes.assign(count, 0);
        return true;
    }
    bool evaluate(const PagePredicate& predicate, size_t, size_t count,
                  uint8_t* mask) const override
    {
        uint8_t one = 0;
        if (!evaluate_values(predicate, *value_, &one))
            return false;
        std::memset(mask, one, count);
        return true;
    }

private:
    size_t rows_;
    ColumnPtr value_;
};

class PlainPartDecoder final : public PartDecoder
{
public:
    PlainPartDecoder(const Header& header, std::vector<std::string> shared)
    {
        BASALT_ASSERT(header.size() == shared.size());
        for (size_t i = 0; i < header.size(); ++i)
        {
            auto column = std::make_unique<ColumnState>();
            column->type = header[i].type->id() == TypeId::LowCardinality
                               ? type_as<LowCardinalityType>(header[i].type).nested()
                               : header[i].type;
            column->shared = std::move(shared[i]);
            columns_.push_back(std::move(column));
        }
    }

    EncodedPagePtr open_page(size_t column, PageBytes bytes,
                             const std::vector<EncodedPagePtr>& siblings) const override
    {
        const ColumnState& state = *columns_[column];
        return open(state, state.type, std::move(bytes), siblings);
    }

private:
    struct ColumnState
    {
        TypePtr type;
        std::string shared;
        std::once_flag once;
        ColumnPtr dictionary;
    };

    // type: the column's, or that of the values of a Nullable.
    EncodedPagePtr open(const ColumnState& state, const TypePtr& type, PageBytes bytes,
                        const std::vector<EncodedPagePtr>& siblings) const
    {
        const PageHead head = PageHead::read(bytes.bytes);
        switch (head.encoding)
        {
        case PageEncoding::Plain:
            return std::make_shared<PlainPage>(head, type, plain_streams_of(type).size(),
                                               std::move(bytes));
        case PageEncoding::Constant:
            return std::make_shared<ConstantPage>(head, type, plain_streams_of(type).size(),
                                                  std::move(bytes));
        case PageEncoding::SharedDictionary:
        case PageEncoding::PackedSharedDictionary:
            check_codes(head);
            return open_dictionary(head, dictionary(state), std::move(bytes), kPageHeadBytes);
        case PageEncoding::PageDictionary:
        case PageEncoding::PackedPageDictionary:
        {
            check_codes(head);
            if (bytes.bytes.size() - kPageHeadBytes < head.dictionary_bytes)
                throw_corrupted("it is shorter than its dictionary");
            ColumnPtr values = read_dictionary(
                bytes.bytes.substr(kPageHeadBytes, head.dictionary_bytes), type);
            return open_dictionary(head, std::move(values), std::move(bytes),
                                   kPageHeadBytes + head.dictionary_bytes);
        }
        case PageEncoding::PackedIntegers:
            return open_packed_integers(head, type, std::move(bytes));
        case PageEncoding::DecimalFloats:
            return open_decimal_floats(head, type, std::move(bytes));
        case PageEncoding::HexText:
            if (!type->is(TypeId::String))
                throw_corrupted("hexadecimal text in a column of another type");
            return open_hex_text(head, std::move(bytes));
        case PageEncoding::NullableValues:
        {
            if (!type->is_nullable())
                throw_corrupted("a null map in a column without NULL");
            const std::string_view nested = nested_page_of(bytes.bytes);
            EncodedPagePtr values = open(state, type_as<NullableType>(type).nested(),
                                         {nested, bytes.owner}, siblings);
            return open_nullable(head, type, std::move(bytes), std::move(values));
        }
        case PageEncoding::Templates:
            break;
        }
        throw Error(error_codes::CORRUPTED_DATA,
                    "Page of an unknown encoding: it was written by a newer program or is damaged");
    }

    static void check_codes(const PageHead& head)
    {
        const bool packed = head.encoding == PageEncoding::PackedSharedDictionary ||
                            head.encoding == PageEncoding::PackedPageDictionary;
        if (packed != (head.code_bytes == 0))
            throw_corrupted("its codes have another width");
        if (!packed && head.code_bytes != 1 && head.code_bytes != 2 && head.code_bytes != 4)
            throw_corrupted("its codes have no width");
    }

    const ColumnPtr& dictionary(const ColumnState& state) const
    {
        auto& mutable_state = const_cast<ColumnState&>(state);
        std::call_once(mutable_state.once, [&]
                       { mutable_state.dictionary = read_dictionary(state.shared, state.type); });
        return state.dictionary;
    }

    std::vector<std::unique_ptr<ColumnState>> columns_;
};

} // namespace

ColumnPtr EncodedPage::decode_rows(const RowIndexes& rows) const
{
    if (rows.empty())
        return decode(0, 0);
    const size_t begin = rows.front();
    RowIndexes inside(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        inside[i] = static_cast<uint32_t>(rows[i] - begin);
    return decode(begin, rows.back() - begin + 1)->take(inside);
}

std::shared_ptr<const PartDecoder> make_part_decoder(Header header, std::vector<std::string> shared,
                                                     size_t)
{
    return std::make_shared<PlainPartDecoder>(header, std::move(shared));
}

} // namespace basalt
