#include "base/error.h"
#include "encodings/page.h"
#include "encodings/dictionary_page.h"
#include "encodings/byte_reader.h"
#include "encodings/page_format.h"
#include "encodings/plain_page.h"
#include "encodings/template_page.h"
#include "encodings/value_pages.h"

#include <algorithm>
#include <mutex>

namespace basalt::inline encodings
{

namespace
{

[[noreturn]] void throw_corrupted(const char* what)
{
    throw Error(error_codes::CORRUPTED_DATA, std::string("Damaged page: ") + what);
}

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

    std::vector<size_t> siblings(size_t column) const override
    {
        const auto& siblings = shared(*columns_[column]).siblings;
        for (const size_t sibling : siblings)
            if (sibling >= columns_.size() || !shared(*columns_[sibling]).siblings.empty())
                throw_corrupted("columns refer to each other");
        return siblings;
    }

    EncodedPagePtr open_page(size_t column, PageBytes bytes,
                             const std::vector<EncodedPagePtr>& siblings) const override
    {
        const ColumnState& state = *columns_[column];
        return open(state, state.type, std::move(bytes), siblings);
    }

private:
    struct Shared
    {
        ColumnPtr dictionary;
        std::shared_ptr<const SharedTemplates> templates;
        std::vector<size_t> siblings;
    };
    struct ColumnState
    {
        TypePtr type;
        std::string shared;
        std::once_flag once;
        Shared opened;
    };

    // type: the column's, or that of the values of a Nullable.
    EncodedPagePtr open(const ColumnState& state, const TypePtr& type, PageBytes bytes,
                        const std::vector<EncodedPagePtr>& siblings) const
    {
        const PageHead head = PageHead::read(bytes.bytes);
        switch (head.encoding)
        {
        case PageEncoding::Plain:
            return open_plain(head, type, std::move(bytes));
        case PageEncoding::Constant:
            return open_constant(head, type, std::move(bytes));
        case PageEncoding::SharedDictionary:
        case PageEncoding::PackedSharedDictionary:
            check_codes(head);
            return open_dictionary(head, dictionary_of(state), std::move(bytes), kPageHeadBytes);
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
        {
            if (!type->is(TypeId::String))
                throw_corrupted("templates in a column of another type");
            const auto& templates = shared(state).templates;
            if (!templates)
                throw_corrupted("its templates are missing");
            return std::make_shared<TemplatePage>(head, templates, std::move(bytes), siblings);
        }
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

    const Shared& shared(const ColumnState& state) const
    {
        auto& mutable_state = const_cast<ColumnState&>(state);
        std::call_once(mutable_state.once, [&] { open_shared(mutable_state); });
        return state.opened;
    }

    static void open_shared(ColumnState& state)
    {
        std::string_view bytes = state.shared;
        if (bytes.size() >= 4 && load<uint32_t>(bytes.data()) == kTemplatesFollow)
        {
            ByteReader reader(bytes.substr(4));
            bytes = reader.bytes(reader.count(reader.left(), "a dictionary is cut"));
            state.opened.templates =
                std::make_shared<SharedTemplates>(reader.bytes(reader.left()));
            for (const uint32_t column : state.opened.templates->siblings)
                state.opened.siblings.push_back(column);
        }
        if (!bytes.empty())
            state.opened.dictionary = read_dictionary(bytes, state.type);
    }

    const ColumnPtr& dictionary_of(const ColumnState& state) const
    {
        const Shared& opened = shared(state);
        if (!opened.dictionary)
            throw_corrupted("a dictionary is missing");
        return opened.dictionary;
    }

    std::vector<std::unique_ptr<ColumnState>> columns_;
};

} // namespace

} // namespace basalt::encodings

namespace basalt
{

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

ColumnPtr EncodedPage::decode_prefix(size_t begin, size_t count, size_t) const
{
    return decode(begin, count);
}

std::shared_ptr<const PartDecoder> make_part_decoder(Header header, std::vector<std::string> shared,
                                                     size_t)
{
    return std::make_shared<PlainPartDecoder>(header, std::move(shared));
}

} // namespace basalt
