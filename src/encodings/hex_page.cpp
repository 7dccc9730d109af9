#include "base/substring_search.h"
#include "encodings/byte_reader.h"
#include "encodings/hex_column.h"
#include "encodings/predicate_masks.h"
#include "encodings/value_pages.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = PagePredicate::Kind;

class HexPage final : public EncodedPage
{
public:
    HexPage(const HexForm& form, size_t rows, std::string_view binary, PageBytes bytes)
        : form_(form), rows_(rows), binary_(binary.data()), owner_(std::move(bytes.owner))
    {
    }

    size_t rows() const override { return rows_; }
    size_t width() const { return form_.width(); }
    std::string_view alphabet() const
    {
        const std::string_view all = form_.letters == HexCase::Lower ? "-0123456789abcdef"
                                                                     : "-0123456789ABCDEF";
        return form_.dashes ? all : all.substr(1);
    }

    ColumnPtr decode(size_t begin, size_t count) const override
    {
        BASALT_ASSERT(begin + count <= rows_);
        auto column = form_.new_texts(count);
        form_.to_texts(binary_ + begin * width(), count, column->chars().data());
        return column;
    }

    std::shared_ptr<const HexColumn> decode_binary(size_t begin, size_t count) const
    {
        BASALT_ASSERT(begin + count <= rows_);
        PodVector<char> binary;
        binary.append(binary_ + begin * width(), count * width());
        return std::make_shared<HexColumn>(form_, std::move(binary));
    }

    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        auto column = form_.new_texts(rows.size());
        char* out = column->chars().data();
        for (size_t i = 0; i < rows.size(); ++i, out += form_.length())
        {
            BASALT_ASSERT(rows[i] < rows_);
            form_.to_texts(binary_ + rows[i] * width(), 1, out);
        }
        return column;
    }

    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        BASALT_ASSERT(begin + count <= rows_);
        switch (predicate.kind)
        {
        case Kind::Equals:
        case Kind::NotEquals:
        case Kind::In:
        case Kind::NotIn:
            break;
        default:
            return false;
        }
        std::string wanted; // the constants that have the form, in binary
        for (const auto& value : predicate.values)
        {
            const auto* text = value.get_if<std::string>();
            if (!text)
                return false;
            char one[kMaxHexDigits / 2];
            if (text->size() == form_.length() && form_.to_binary(text->data(), 1, one))
                wanted.append(one, width());
        }
        find(wanted, begin, count, mask);
        if (is_negated(predicate.kind))
            for (size_t i = 0; i < count; ++i)
                mask[i] ^= 1;
        return true;
    }

    bool test(TextTest test, std::string_view text, size_t begin, size_t count,
              uint8_t* hits) const
    {
        BASALT_ASSERT(begin + count <= rows_);
        if (test == TextTest::Contains)
            return contains(text, begin, count, hits);
        if (text.size() > form_.length() ||
            (test == TextTest::Equals && text.size() != form_.length()))
        {
            std::memset(hits, 0, count);
            return true;
        }
        const size_t at = test == TextTest::EndsWith ? form_.length() - text.size() : 0;
        HexRun run;
        if (!take_run(text, at, run))
        {
            std::memset(hits, 0, count);
            return true;
        }
        stands_at(run, begin, count, hits);
        return true;
    }

private:
    // Digits at a known place of a value, as bytes and masks of what matters in each.
    struct HexRun
    {
        size_t byte = 0; // of the value where they begin
        size_t size = 0; // bytes
        char bytes[kMaxHexDigits / 2 + 8] = {};
        char masks[kMaxHexDigits / 2 + 8] = {};
    };

    // The text from character `at` of a value on; false when no value has it there. It fits.
    bool take_run(std::string_view text, size_t at, HexRun& run) const
    {
        size_t digit = 0; // of the value
        for (size_t i = 0; i < at; ++i)
            digit += !is_dash(i);
        run.byte = digit / 2;
        for (size_t i = 0; i < text.size(); ++i)
        {
            if (is_dash(at + i))
            {
                if (text[i] != '-')
                    return false;
                continue;
            }
            const int value = hex_digit(text[i], form_.letters);
            if (value < 0)
                return false;
            const size_t byte = digit / 2 - run.byte;
            const unsigned shift = digit % 2 ? 0 : 4;
            run.bytes[byte] = static_cast<char>(run.bytes[byte] | value << shift);
            run.masks[byte] = static_cast<char>(run.masks[byte] | 15 << shift);
            run.size = byte + 1;
            ++digit;
        }
        return true;
    }

    bool is_dash(size_t character) const
    {
        return form_.dashes && std::find(std::begin(kUuidDashes), std::end(kUuidDashes),
                                     character) != std::end(kUuidDashes);
    }

    void stands_at(const HexRun& run, size_t begin, size_t count, uint8_t* hits) const
    {
        const size_t width = this->width();
        const char* from = binary_ + begin * width + run.byte;
        if (run.size <= 8 && count > 8)
        {
            // The last values may have fewer than 8 bytes behind them.
            const auto word = load<uint64_t>(run.bytes);
            const auto mask = load<uint64_t>(run.masks);
            const size_t wide = count - 8;
            for (size_t i = 0; i < wide; ++i)
                hits[i] = (load<uint64_t>(from + i * width) & mask) == word;
            return stands_at_slowly(run, from + wide * width, count - wide, hits + wide);
        }
        stands_at_slowly(run, from, count, hits);
    }

    void stands_at_slowly(const HexRun& run, const char* from, size_t count, uint8_t* hits) const
    {
        const size_t width = this->width();
        for (size_t i = 0; i < count; ++i, from += width)
        {
            uint8_t differences = 0;
            for (size_t b = 0; b < run.size && !differences; ++b)
                differences |= static_cast<uint8_t>((from[b] & run.masks[b]) ^ run.bytes[b]);
            hits[i] = differences == 0;
        }
    }

    // Searches the bytes of all values at once for the whole bytes of the text at an even and at
    // an odd place, then looks at what stands around. False for short texts.
    bool contains(std::string_view text, size_t begin, size_t count, uint8_t* hits) const
    {
        constexpr size_t kLeastDigits = 7;
        if (form_.dashes || text.size() < kLeastDigits)
            return false;
        std::memset(hits, 0, count);
        if (text.size() > form_.digits ||
            hex_run(text.data(), text.size(), form_.letters) < text.size())
            return true;
        const size_t width = this->width();
        const char* const from = binary_ + begin * width;
        const char* const end = from + count * width;
        for (size_t odd = 0; odd < 2; ++odd)
        {
            const size_t whole = (text.size() - odd) / 2;
            std::string wanted(whole, 0);
            parse_hex_plain(text.data() + odd, 2 * whole, form_.letters, wanted.data());
            const int before = odd ? hex_digit(text[0], form_.letters) : -1;
            const int after =
                odd + 2 * whole < text.size() ? hex_digit(text.back(), form_.letters) : -1;
            const SubstringSearcher searcher(wanted);
            for (const char* at = from; (at = searcher.find(at, end)) != end; ++at)
            {
                const auto offset = static_cast<size_t>(at - from);
                const size_t in_value = offset % width;
                if (in_value + whole + (after >= 0) > width || (before >= 0 && in_value == 0))
                    continue;
                if ((before >= 0 && (at[-1] & 15) != before) ||
                    (after >= 0 && static_cast<uint8_t>(at[whole]) >> 4 != after))
                    continue;
                hits[offset / width] = 1;
            }
        }
        return true;
    }

    // mask[i] = whether the value is one of those in `wanted`.
    void find(const std::string& wanted, size_t begin, size_t count, uint8_t* mask) const
    {
        const size_t width = this->width();
        const char* from = binary_ + begin * width;
        std::memset(mask, 0, count);
        if (wanted.size() > 4 * width)
            return find_in_set(wanted, begin, count, mask);
        for (size_t at = 0; at < wanted.size(); at += width)
        {
            const char* one = wanted.data() + at;
            if (width == 16)
            {
                const auto low = load<uint64_t>(one);
                const auto high = load<uint64_t>(one + 8);
                for (size_t i = 0; i < count; ++i)
                    mask[i] |= ((load<uint64_t>(from + i * 16) ^ low) |
                                (load<uint64_t>(from + i * 16 + 8) ^ high)) == 0;
            }
            else if (width == 8)
            {
                const auto word = load<uint64_t>(one);
                for (size_t i = 0; i < count; ++i)
                    mask[i] |= load<uint64_t>(from + i * 8) == word;
            }
            else
                for (size_t i = 0; i < count; ++i)
                    mask[i] |= std::memcmp(from + i * width, one, width) == 0;
        }
    }

    void find_in_set(const std::string& wanted, size_t begin, size_t count, uint8_t* mask) const
    {
        const size_t width = this->width();
        std::vector<std::string_view> set;
        for (size_t at = 0; at < wanted.size(); at += width)
            set.push_back(std::string_view(wanted).substr(at, width));
        std::sort(set.begin(), set.end());
        for (size_t i = 0; i < count; ++i)
            mask[i] = std::binary_search(
                set.begin(), set.end(), std::string_view(binary_ + (begin + i) * width, width));
    }

    HexForm form_;
    size_t rows_;
    const char* binary_;
    std::shared_ptr<const void> owner_;
};

} // namespace

bool write_hex_text(const Column& flat, size_t granule_rows, std::string& out)
{
    const auto binary = HexColumn::of(column_as<StringColumn>(flat));
    if (!binary)
        return false;
    write_hex_column(*binary, granule_rows, out);
    return true;
}

void write_hex_column(const HexColumn& column, size_t granule_rows, std::string& out)
{
    const HexForm& form = column.hex_form();
    PageHead head;
    head.encoding = PageEncoding::HexText;
    head.rows = static_cast<uint32_t>(column.size());
    head.granule_rows = static_cast<uint32_t>(granule_rows);
    head.append_to(out);
    out.push_back(static_cast<char>(form.letters));
    out.push_back(static_cast<char>(form.dashes));
    append_varint(out, form.digits);
    out.append(column.binary().data(), column.binary().size());
}

EncodedPagePtr open_hex_text(const PageHead& head, PageBytes bytes)
{
    ByteReader reader(bytes.bytes.substr(kPageHeadBytes));
    HexForm form;
    const uint8_t letters = reader.byte();
    const uint8_t dashes = reader.byte();
    form.letters = static_cast<HexCase>(letters);
    form.dashes = dashes != 0;
    form.digits = static_cast<uint32_t>(reader.count(kMaxHexDigits, "too many digits"));
    if (letters > 1 || dashes > 1 || form.digits % 2 || form.digits == 0 ||
        (form.dashes && form.digits != kUuidDigits))
        throw_damaged_page("digits of an unknown form");
    const std::string_view binary = reader.bytes(head.rows * form.width());
    return std::make_shared<HexPage>(form, head.rows, binary, std::move(bytes));
}

std::shared_ptr<const HexColumn> decode_hex(const EncodedPage& page, size_t begin, size_t count)
{
    const auto* hex = dynamic_cast<const HexPage*>(&page);
    return hex ? hex->decode_binary(begin, count) : nullptr;
}

std::string_view hex_alphabet_of(const EncodedPage& page)
{
    const auto* hex = dynamic_cast<const HexPage*>(&page);
    return hex ? hex->alphabet() : std::string_view();
}

bool test_hex_texts(const EncodedPage& page, TextTest test, std::string_view text, size_t begin,
                    size_t count, uint8_t* hits)
{
    const auto* hex = dynamic_cast<const HexPage*>(&page);
    return hex && hex->test(test, text, begin, count, hits);
}

} // namespace basalt::encodings
