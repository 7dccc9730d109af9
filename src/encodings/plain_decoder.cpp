#include "base/error.h"
#include "encodings/page.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"

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

private:
    size_t rows_;
    ColumnPtr value_;
};

class DictionaryPage final : public EncodedPage
{
public:
    DictionaryPage(const PageHead& head, ColumnPtr dictionary, PageBytes bytes, size_t codes_at)
        : head_(head), dictionary_(std::move(dictionary)), owner_(std::move(bytes.owner)),
          pieces_(bytes.bytes.substr(codes_at), head.granules(), 1)
    {
    }

    size_t rows() const override { return head_.rows; }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        PodVector<uint32_t> codes;
        read_codes(begin, count, codes);
        return std::make_shared<DictionaryColumn>(dictionary_, std::move(codes));
    }

    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        PodVector<uint32_t> codes(rows.size());
        PodVector<uint32_t> granule_codes;
        size_t known = SIZE_MAX;
        for (size_t i = 0; i < rows.size(); ++i)
        {
            const size_t granule = rows[i] / head_.granule_rows;
            const size_t start = granule * head_.granule_rows;
            if (granule != known)
            {
                BASALT_ASSERT(rows[i] < head_.rows);
                granule_codes.clear();
                read_codes(start, std::min<size_t>(head_.granule_rows, head_.rows - start),
                           granule_codes);
                known = granule;
            }
            codes[i] = granule_codes[rows[i] - start];
        }
        return std::make_shared<DictionaryColumn>(dictionary_, std::move(codes));
    }

    bool as_dictionary(size_t begin, size_t count, ColumnPtr& dictionary,
                       PodVector<uint32_t>& codes) const override
    {
        codes.clear();
        read_codes(begin, count, codes);
        dictionary = dictionary_;
        return true;
    }

private:
    template <class T> void widen(const char* from, size_t count, uint32_t* to) const
    {
        uint32_t largest = 0;
        for (size_t i = 0; i < count; ++i)
        {
            T code;
            std::memcpy(&code, from + i * sizeof(T), sizeof(T));
            to[i] = code;
            largest = std::max<uint32_t>(largest, code);
        }
        if (largest >= dictionary_->size())
            throw_corrupted("a code is outside of the dictionary");
    }

    void read_codes(size_t begin, size_t count, PodVector<uint32_t>& codes) const
    {
        BASALT_ASSERT(begin + count <= head_.rows);
        codes.resize(count);
        const size_t width = head_.code_bytes;
        PodVector<char> bytes;
        for (size_t done = 0; done < count;)
        {
            const size_t row = begin + done;
            const size_t granule = row / head_.granule_rows;
            const size_t start = granule * head_.granule_rows;
            const size_t rows = std::min<size_t>(head_.granule_rows, head_.rows - start);
            const size_t skip = row - start;
            const size_t take = std::min(count - done, rows - skip);
            if (pieces_.original_bytes(granule, 0) != rows * width)
                throw_corrupted("codes do not fit the number of rows");
            bytes.resize(rows * width);
            pieces_.read(granule, 0, bytes.data());
            const char* from = bytes.data() + skip * width;
            if (width == 1)
                widen<uint8_t>(from, take, codes.data() + done);
            else if (width == 2)
                widen<uint16_t>(from, take, codes.data() + done);
            else
                widen<uint32_t>(from, take, codes.data() + done);
            done += take;
        }
    }

    PageHead head_;
    ColumnPtr dictionary_;
    std::shared_ptr<const void> owner_;
    Pieces pieces_;
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
            column->streams = plain_streams_of(column->type).size();
            column->shared = std::move(shared[i]);
            columns_.push_back(std::move(column));
        }
    }

    EncodedPagePtr open_page(size_t column, PageBytes bytes,
                             const std::vector<EncodedPagePtr>&) const override
    {
        const ColumnState& state = *columns_[column];
        const PageHead head = PageHead::read(bytes.bytes);
        switch (head.encoding)
        {
        case PageEncoding::Plain:
            return std::make_shared<PlainPage>(head, state.type, state.streams, std::move(bytes));
        case PageEncoding::Constant:
            return std::make_shared<ConstantPage>(head, state.type, state.streams,
                                                  std::move(bytes));
        case PageEncoding::SharedDictionary:
            check_codes(head);
            return std::make_shared<DictionaryPage>(head, dictionary(state), std::move(bytes),
                                                    kPageHeadBytes);
        case PageEncoding::PageDictionary:
        {
            check_codes(head);
            if (bytes.bytes.size() - kPageHeadBytes < head.dictionary_bytes)
                throw_corrupted("it is shorter than its dictionary");
            ColumnPtr values = read_dictionary(
                bytes.bytes.substr(kPageHeadBytes, head.dictionary_bytes), state.type);
            return std::make_shared<DictionaryPage>(head, std::move(values), std::move(bytes),
                                                    kPageHeadBytes + head.dictionary_bytes);
        }
        }
        throw Error(error_codes::CORRUPTED_DATA,
                    "Page of an unknown encoding: it was written by a newer program or is damaged");
    }

private:
    struct ColumnState
    {
        TypePtr type;
        size_t streams = 0;
        std::string shared;
        std::once_flag once;
        ColumnPtr dictionary;
    };

    static void check_codes(const PageHead& head)
    {
        if (head.code_bytes != 1 && head.code_bytes != 2 && head.code_bytes != 4)
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
