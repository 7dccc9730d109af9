#include "encodings/plain_page.h"

#include "encodings/byte_reader.h"
#include "encodings/plain_frames.h"
#include "encodings/value_predicate.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

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

} // namespace

// A dictionary as write_dictionary and finish write it: the count, then one granule of pieces.
ColumnPtr read_dictionary(std::string_view bytes, const TypePtr& type)
{
    if (bytes.size() < 4)
        throw_damaged_page("a dictionary is missing");
    const auto rows = load<uint32_t>(bytes.data());
    const Pieces pieces(bytes.substr(4), 1, plain_streams_of(type).size());
    auto column = type->create_column();
    pieces.read_rows(0, type, rows, *column);
    return column;
}

EncodedPagePtr open_plain(const PageHead& head, const TypePtr& type, PageBytes bytes)
{
    return std::make_shared<PlainPage>(head, type, plain_streams_of(type).size(),
                                       std::move(bytes));
}

EncodedPagePtr open_constant(const PageHead& head, const TypePtr& type, PageBytes bytes)
{
    return std::make_shared<ConstantPage>(head, type, plain_streams_of(type).size(),
                                          std::move(bytes));
}

} // namespace basalt::encodings
