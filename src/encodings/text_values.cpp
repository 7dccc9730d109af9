#include "encodings/text_values.h"

#include "encodings/page_dictionary.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"
#include "encodings/plain_page.h"
#include "encodings/value_pages.h"

namespace basalt::inline encodings
{

namespace
{

// Numbers on disk.
enum Form : uint8_t
{
    kDictionary = 0,
    kPage = 1,
};

constexpr size_t kMaxTextDictionary = 65536;

const TypePtr& text_type()
{
    return simple_type(TypeId::String);
}

bool write_dictionary(const StringColumn& texts, std::string& out)
{
    const size_t rows = texts.size();
    DistinctValues distinct(text_type());
    PodVector<uint32_t> codes;
    codes.reserve(rows);
    if (!distinct.add(texts, 0, rows, rows / 2 + 1, codes))
        return false;
    const auto& values = column_as<StringColumn>(*distinct.values());
    out.push_back(static_cast<char>(kDictionary));
    append_varint(out, values.size());
    for (size_t i = 0; i < values.size(); ++i)
        append_varint(out, values.at(i).size());
    out.append(values.chars().data(), values.chars().size());
    write_codes(codes.data(), rows, values.size(), out);
    return true;
}

} // namespace

void write_text_values(const StringColumn& texts, int level, std::string& out)
{
    if (texts.size() > 0 && write_dictionary(texts, out))
        return;
    out.push_back(static_cast<char>(kPage));
    if (texts.size() > 0 && write_hex_text(texts, kIntegerBlock, out))
        return;
    PageHead head;
    head.encoding = PageEncoding::Plain;
    head.rows = static_cast<uint32_t>(texts.size());
    head.granule_rows = kIntegerBlock;
    head.append_to(out);
    write_pieces(texts, text_type(), 0, texts.size(), kIntegerBlock,
                 StreamCodecs::automatic(text_type(), level), out);
}

TextValues::TextValues(std::string_view bytes, size_t count) : count_(count)
{
    ByteReader reader(bytes);
    const uint8_t form = reader.byte();
    if (form == kPage)
    {
        const PageBytes page{reader.bytes(reader.left()), nullptr};
        const PageHead head = PageHead::read(page.bytes);
        if (head.rows != count)
            throw_damaged_page("texts of a slot have another number");
        if (head.encoding == PageEncoding::HexText)
            page_ = open_hex_text(head, page);
        else if (head.encoding == PageEncoding::Plain)
            page_ = open_plain(head, text_type(), page);
        else
            throw_damaged_page("texts of a slot are of an unknown encoding");
        return;
    }
    if (form != kDictionary)
        throw_damaged_page("texts of an unknown form");
    const size_t values = reader.count(
        std::min<size_t>(reader.left(), kMaxTextDictionary), "a dictionary of texts is too large");
    dictionary_ = std::make_shared<StringColumn>();
    auto& offsets = dictionary_->offsets();
    offsets.resize(values);
    size_t end = 0;
    for (auto& offset : offsets)
    {
        end += reader.count(reader.left(), "a dictionary of texts is cut");
        offset = end;
    }
    const std::string_view chars = reader.bytes(end);
    dictionary_->chars().append(chars.data(), chars.size());
    codes_ = IntegerReader(reader.bytes(reader.left()), count);
}

void TextValues::read_codes(size_t begin, size_t count, uint64_t* codes) const
{
    codes_.read(begin, count, codes);
    const size_t values = dictionary_->size();
    for (size_t i = 0; i < count; ++i)
        if (codes[i] >= values)
            throw_damaged_page("a code is outside of the dictionary");
}

ColumnPtr TextValues::read(size_t begin, size_t count) const
{
    return to_flat(page_->decode(begin, count));
}

} // namespace basalt::encodings
