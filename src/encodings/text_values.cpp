#include "encodings/text_values.h"

#include "codecs/codec.h"
#include "encodings/page_dictionary.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"
#include "encodings/plain_page.h"
#include "encodings/random_uuids.h"
#include "encodings/template_page.h"
#include "encodings/value_pages.h"

#include <fmt/format.h>

namespace basalt::inline encodings
{

namespace
{

// Numbers on disk.
enum Form : uint8_t
{
    kDictionary = 0,
    kPage = 1,
    kTemplates = 2,
    kPackedDictionary = 3,
    kRandomUuids = 4,
};

constexpr size_t kMaxTextDictionary = 65536;
constexpr size_t kMaxTextDictionaryBytes = 1u << 30;
constexpr size_t kLeastPackedBytes = 128; // of a dictionary

const TypePtr& text_type()
{
    return simple_type(TypeId::String);
}

bool write_dictionary(const StringColumn& texts, int level, std::string& out)
{
    const size_t rows = texts.size();
    DistinctValues distinct(text_type());
    PodVector<uint32_t> codes;
    codes.reserve(rows);
    if (!distinct.add(texts, 0, rows, rows / 2 + 1, codes))
        return false;
    const auto& values = column_as<StringColumn>(*distinct.values());
    std::string all;
    append_varint(all, values.size());
    for (size_t i = 0; i < values.size(); ++i)
        append_varint(all, values.at(i).size());
    all.append(values.chars().data(), values.chars().size());
    std::string packed;
    if (all.size() >= kLeastPackedBytes)
        codec_registry().make_from_text(fmt::format("ZSTD({})", level))->compress(all, packed);
    if (!packed.empty() && packed.size() + packed.size() / 8 < all.size())
    {
        out.push_back(static_cast<char>(kPackedDictionary));
        append_varint(out, all.size());
        append_varint(out, packed.size());
        out += packed;
    }
    else
    {
        out.push_back(static_cast<char>(kDictionary));
        out += all;
    }
    write_codes(codes.data(), rows, values.size(), out, ZstdShare::OneInTen);
    return true;
}

std::shared_ptr<StringColumn> read_dictionary(ByteReader& reader)
{
    auto dictionary = std::make_shared<StringColumn>();
    const size_t values = reader.count(
        std::min<size_t>(reader.left(), kMaxTextDictionary), "a dictionary of texts is too large");
    auto& offsets = dictionary->offsets();
    offsets.resize(values);
    size_t end = 0;
    for (auto& offset : offsets)
    {
        end += reader.count(reader.left(), "a dictionary of texts is cut");
        offset = end;
    }
    const std::string_view chars = reader.bytes(end);
    dictionary->chars().append(chars.data(), chars.size());
    return dictionary;
}

} // namespace

void write_text_values(const StringColumn& texts, int level, std::string& out)
{
    if (texts.size() > 0 && write_dictionary(texts, level, out))
        return;
    const size_t start = out.size();
    out.push_back(static_cast<char>(kPage));
    if (texts.size() > 0 && write_hex_text(texts, kIntegerBlock, out))
    {
        std::string uuids(1, static_cast<char>(kRandomUuids));
        if (write_random_uuids(std::string_view(out).substr(start + 1), uuids))
            out.replace(start, std::string::npos, uuids);
        return;
    }
    PageHead head;
    head.encoding = PageEncoding::Plain;
    head.rows = static_cast<uint32_t>(texts.size());
    head.granule_rows = kIntegerBlock;
    head.append_to(out);
    write_pieces(texts, text_type(), 0, texts.size(), kIntegerBlock,
                 StreamCodecs::automatic(text_type(), level), out);
}

void append_template_values(std::string_view shared, std::string_view page, std::string& out)
{
    out.push_back(static_cast<char>(kTemplates));
    append_varint(out, shared.size());
    out += shared;
    out += page;
}

TextValues::TextValues(std::string_view bytes, size_t count, size_t depth) : count_(count)
{
    ByteReader reader(bytes);
    const uint8_t form = reader.byte();
    switch (form)
    {
    case kPage:
    case kTemplates:
    {
        std::shared_ptr<const SharedTemplates> shared;
        if (form == kTemplates)
        {
            if (depth + 1 >= kMaxTextDepth)
                throw_damaged_page("its templates are nested too deeply");
            shared = std::make_shared<SharedTemplates>(
                reader.bytes(reader.count(reader.left(), "texts of a slot are cut")));
            if (!shared->siblings.empty())
                throw_damaged_page("texts of a slot refer to other columns");
        }
        const PageBytes page{reader.bytes(reader.left()), nullptr};
        const PageHead head = PageHead::read(page.bytes);
        if (head.rows != count)
            throw_damaged_page("texts of a slot have another number");
        if (form == kTemplates)
        {
            if (head.encoding != PageEncoding::Templates)
                throw_damaged_page("texts of a slot are of an unknown encoding");
            page_ = std::make_shared<TemplatePage>(head, std::move(shared), page,
                                                   std::vector<EncodedPagePtr>(), depth + 1);
        }
        else if (head.encoding == PageEncoding::HexText)
            page_ = open_hex_text(head, page);
        else if (head.encoding == PageEncoding::Plain)
            page_ = open_plain(head, text_type(), page);
        else
            throw_damaged_page("texts of a slot are of an unknown encoding");
        return;
    }
    case kRandomUuids:
    {
        const auto page = std::make_shared<const std::string>(read_random_uuids(reader, count));
        page_ = open_hex_text(PageHead::read(*page), {*page, page});
        return;
    }
    case kDictionary:
        dictionary_ = read_dictionary(reader);
        break;
    case kPackedDictionary:
    {
        const size_t raw = reader.count(kMaxTextDictionaryBytes, "a dictionary is too large");
        const std::string_view packed =
            reader.bytes(reader.count(reader.left(), "a dictionary of texts is cut"));
        // ZSTD makes at most some tens of thousands of bytes of one.
        if (raw / 65536 > packed.size())
            throw_damaged_page("a dictionary of texts is too large");
        std::string all(raw, '\0');
        codec_registry()
            .decoder(static_cast<uint8_t>(CodecMethod::Zstd))
            .decompress(packed, all.data(), raw);
        ByteReader values(all);
        dictionary_ = read_dictionary(values);
        break;
    }
    default:
        throw_damaged_page("texts of an unknown form");
    }
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
