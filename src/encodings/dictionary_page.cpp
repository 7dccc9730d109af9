#include "encodings/dictionary_page.h"

#include "encodings/code_answers.h"
#include "encodings/integer_stream.h"
#include "encodings/plain_frames.h"
#include "encodings/predicate_masks.h"
#include "encodings/value_predicate.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

class DictionaryPage final : public EncodedPage
{
public:
    DictionaryPage(const PageHead& head, ColumnPtr dictionary, PageBytes bytes, size_t codes_at)
        : head_(head), dictionary_(std::move(dictionary)), owner_(std::move(bytes.owner))
    {
        if (head.code_bytes == 0)
            packed_ = IntegerReader(bytes.bytes.substr(codes_at), head.rows);
        else
            pieces_ = Pieces(bytes.bytes.substr(codes_at), head.granules(), 1);
    }

    size_t rows() const override { return head_.rows; }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        if (head_.code_bytes == 0 && packed_.is_constant() && count)
        {
            BASALT_ASSERT(begin + count <= head_.rows);
            return std::make_shared<ConstantColumn>(value_of_all(), count);
        }
        PodVector<uint32_t> codes;
        read_codes(begin, count, codes);
        return std::make_shared<DictionaryColumn>(dictionary_, std::move(codes));
    }

    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        if (head_.code_bytes == 0 && packed_.is_constant() && !rows.empty())
            return std::make_shared<ConstantColumn>(value_of_all(), rows.size());
        PodVector<uint32_t> codes(rows.size());
        PodVector<uint32_t> granule_codes;
        for (size_t i = 0; i < rows.size();)
        {
            BASALT_ASSERT(rows[i] < head_.rows);
            const size_t start = rows[i] / head_.granule_rows * head_.granule_rows;
            const size_t count = std::min<size_t>(head_.granule_rows, head_.rows - start);
            read_codes(start, count, granule_codes);
            for (; i < rows.size() && rows[i] - start < count; ++i)
                codes[i] = granule_codes[rows[i] - start];
        }
        return std::make_shared<DictionaryColumn>(dictionary_, std::move(codes));
    }

    bool as_dictionary(size_t begin, size_t count, ColumnPtr& dictionary,
                       PodVector<uint32_t>& codes) const override
    {
        read_codes(begin, count, codes);
        dictionary = dictionary_;
        return true;
    }

    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        PodVector<uint8_t> per_value(dictionary_->size());
        if (!evaluate_values(predicate, *dictionary_, per_value.data()))
            return false;
        if (head_.code_bytes == 0 && !packed_.dictionary().empty())
        {
            packed_.look_up(begin, count, check_values(per_value), mask);
            return true;
        }
        PodVector<uint32_t> codes;
        read_codes(begin, count, codes);
        CodeAnswers({per_value.data(), per_value.size()}).apply(codes.data(), count, mask);
        return true;
    }

private:
    // One row: the value of a page whose codes are all the same.
    ColumnPtr value_of_all() const
    {
        if (packed_.constant() >= dictionary_->size())
            throw_damaged_page("a code is outside of the dictionary");
        return dictionary_->slice(packed_.constant(), 1);
    }

    // The answer for each of the values that the packed codes stand for.
    PodVector<uint8_t> check_values(const PodVector<uint8_t>& per_value) const
    {
        PodVector<uint8_t> answers;
        for (const uint64_t code : packed_.dictionary())
        {
            if (code >= per_value.size())
                throw_damaged_page("a code is outside of the dictionary");
            answers.push_back(per_value[code]);
        }
        return answers;
    }

    void check(const uint32_t* codes, size_t count) const
    {
        uint32_t largest = 0;
        for (size_t i = 0; i < count; ++i)
            largest = std::max(largest, codes[i]);
        if (count && largest >= dictionary_->size())
            throw_damaged_page("a code is outside of the dictionary");
    }

    template <class T> static void widen(const char* from, size_t count, uint32_t* to)
    {
        for (size_t i = 0; i < count; ++i)
            to[i] = load<T>(from + i * sizeof(T));
    }

    void read_codes(size_t begin, size_t count, PodVector<uint32_t>& codes) const
    {
        BASALT_ASSERT(begin + count <= head_.rows);
        codes.resize(count);
        if (head_.code_bytes == 0 && dictionary_->size() <= uint32_t{1} << 31)
        {
            if (!packed_.read_below(begin, count, static_cast<uint32_t>(dictionary_->size()),
                                    codes.data()))
                throw_damaged_page("a code is outside of the dictionary");
            return;
        }
        if (head_.code_bytes == 0)
            packed_.read_as(begin, count, codes.data());
        else
            read_plain_codes(begin, count, codes.data());
        check(codes.data(), count);
    }

    void read_plain_codes(size_t begin, size_t count, uint32_t* codes) const
    {
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
                throw_damaged_page("codes do not fit the number of rows");
            bytes.resize(rows * width);
            pieces_.read(granule, 0, bytes.data());
            const char* from = bytes.data() + skip * width;
            if (width == 1)
                widen<uint8_t>(from, take, codes + done);
            else if (width == 2)
                widen<uint16_t>(from, take, codes + done);
            else
                widen<uint32_t>(from, take, codes + done);
            done += take;
        }
    }

    PageHead head_;
    ColumnPtr dictionary_;
    std::shared_ptr<const void> owner_;
    Pieces pieces_;         // code_bytes 1, 2 or 4
    IntegerReader packed_; // code_bytes 0
};

} // namespace

EncodedPagePtr open_dictionary(const PageHead& head, ColumnPtr dictionary, PageBytes bytes,
                               size_t codes_at)
{
    return std::make_shared<DictionaryPage>(head, std::move(dictionary), std::move(bytes),
                                            codes_at);
}

} // namespace basalt::encodings
