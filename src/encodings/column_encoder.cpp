#include "encodings/column_encoder.h"

#include "base/error.h"
#include "encodings/compact_facts.h"
#include "encodings/integer_stream.h"
#include "encodings/page_statistics.h"
#include "encodings/template_page.h"
#include "encodings/value_pages.h"
#include "encodings/vector_visit.h"

#include <algorithm>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

// A dictionary shared by the part's pages holds at most this; pages past it carry their own.
constexpr size_t kMaxSharedValues = 65536;
constexpr size_t kMaxSharedBytes = 4 << 20;

const TypePtr& value_type(const TypePtr& type)
{
    return type->id() == TypeId::LowCardinality ? type_as<LowCardinalityType>(type).nested()
                                                : type;
}

const TypePtr& nested_type(const TypePtr& type)
{
    return type->id() == TypeId::Nullable ? type_as<NullableType>(type).nested() : type;
}

bool may_hold_dictionary(const TypePtr& type, bool automatic)
{
    if (type->id() == TypeId::LowCardinality)
        return true;
    return automatic && nested_type(type)->is_string();
}

StreamCodecs codecs_of(const TypePtr& type, const ColumnEncodingOptions& options)
{
    if (!options.codec.empty())
        return StreamCodecs(type, options.codec);
    const bool thorough = options.effort == ColumnEncodingOptions::Effort::Thorough;
    if (nested_type(type)->is_string())
        return StreamCodecs::automatic(type, thorough ? kThoroughTextLevel : kFastTextLevel);
    return StreamCodecs::automatic(type, thorough ? 3 : 1);
}

template <class T>
void append_codes(const PodVector<uint32_t>& codes, size_t begin, size_t count, std::string& out)
{
    out.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i)
        store(out.data() + i * sizeof(T), static_cast<T>(codes[begin + i]));
}

uint8_t code_bytes_for(size_t values)
{
    return values <= 256 ? 1 : values <= 65536 ? 2 : 4;
}

// Fixed-width columns whose page holds one value.
bool is_constant_vector(const Column& flat)
{
    if (flat.form() != ColumnForm::Vector || flat.size() < 2)
        return false;
    const size_t width = binary_bytes(flat, 0, 1);
    const size_t rows = flat.size();
    if (flat.compare_at(0, flat, rows - 1, 1) != 0 || flat.compare_at(0, flat, rows / 2, 1))
        return false;
    const char* data = fixed_width_data(flat);
    return std::memcmp(data, data + width, width * (rows - 1)) == 0;
}

// Whether `part` is byte for byte rows [begin, …) of `flat`, for columns that open_… of
// value_pages.h give back.
bool same_values(const Column& flat, size_t begin, const Column& part)
{
    const size_t rows = part.size();
    if (flat.form() != part.form() || begin + rows > flat.size())
        return false;
    if (flat.form() == ColumnForm::String)
    {
        const auto& left = column_as<StringColumn>(flat);
        const auto& right = column_as<StringColumn>(part);
        const uint64_t start = left.offset_at(begin);
        const uint64_t* ends = left.offsets().data() + begin;
        const uint64_t* part_ends = right.offsets().data();
        uint64_t different = 0;
        for (size_t i = 0; i < rows; ++i)
            different |= (ends[i] - start) ^ part_ends[i];
        return different == 0 &&
               std::memcmp(left.chars().data() + start, right.chars().data(),
                           rows ? part_ends[rows - 1] : 0) == 0;
    }
    const size_t width = vector_width(flat);
    return vector_width(part) == width &&
           std::memcmp(fixed_width_data(flat) + begin * width, fixed_width_data(part),
                       width * rows) == 0;
}

// Piece by piece, so that what is decoded is compared while it is in the cache.
bool same_page(const Column& flat, const EncodedPage& page)
{
    if (page.rows() != flat.size())
        return false;
    for (size_t begin = 0; begin < flat.size(); begin += kIntegerBlock)
    {
        const size_t rows = std::min(kIntegerBlock, flat.size() - begin);
        if (!same_values(flat, begin, *to_flat(page.decode(begin, rows))))
            return false;
    }
    return true;
}

} // namespace

ColumnEncoder::ColumnEncoder(const TypePtr& type, const ColumnEncodingOptions& options,
                             size_t granule_rows)
    : type_(value_type(type)), granule_rows_(granule_rows), automatic_(options.codec.empty()),
      low_cardinality_(type->id() == TypeId::LowCardinality), codecs_(codecs_of(type_, options)),
      nested_codecs_(codecs_of(nested_type(type_), options)),
      code_codecs_(StreamCodecs::of_codes(options.codec))
{
    if (may_hold_dictionary(type, automatic_))
    {
        page_values_ = std::make_unique<DistinctValues>(type_);
        shared_values_ = std::make_unique<DistinctValues>(type_);
    }
    if (automatic_ && nested_type(type_)->is(TypeId::String) && !low_cardinality_)
        templates_ = std::make_unique<TemplateEncoder>(
            options.effort == ColumnEncodingOptions::Effort::Thorough);
}

EncodedColumnPage ColumnEncoder::encode(const ColumnPtr& column, SiblingColumns& siblings)
{
    if (is_compact(*column))
        return encode_compact(column, siblings);
    EncodedColumnPage page;
    const size_t rows = column->size();
    if (column->form() == ColumnForm::Constant)
    {
        if (automatic_ || low_cardinality_)
            write_constant(*column_as<ConstantColumn>(column).nested(), type_, rows, page.bytes);
        else
            write_plain(*column->to_flat(), type_, page.bytes);
        page.statistics = statistics_of(*column, type_, 0, rows);
        page.uncompressed_bytes = binary_bytes(*column, 0, rows);
        return page;
    }
    if (page_values_ && write_dictionary(*column, page))
        return page;
    const ColumnPtr flat = to_flat(column);
    write_flat(flat, siblings, page);
    page.statistics = statistics_of(*flat, type_, 0, rows);
    page.uncompressed_bytes = binary_bytes(*flat, 0, rows);
    return page;
}

EncodedColumnPage ColumnEncoder::encode_compact(const ColumnPtr& column, SiblingColumns& siblings)
{
    BASALT_ASSERT(type_->is(TypeId::String));
    EncodedColumnPage page;
    if (const auto* hex = dynamic_cast<const HexColumn*>(column.get()))
    {
        if (!automatic_ || low_cardinality_)
            return encode(hex->to_flat(), siblings);
        write_hex_column(*hex, granule_rows_, page.bytes);
        const auto read = open_hex_text(PageHead::read(page.bytes), {page.bytes, nullptr});
        const auto binary = decode_hex(*read, 0, read->rows());
        BASALT_ASSERT(binary->joins_with(*hex) && binary->size() == hex->size() &&
                      std::memcmp(binary->binary().data(), hex->binary().data(),
                                  hex->binary().size()) == 0);
        page.statistics = statistics_of(*hex);
        page.uncompressed_bytes = totals_of(*hex).binary_bytes;
        return page;
    }
    const auto& lines = static_cast<const TemplateColumn&>(*column);
    const TextTotals totals = totals_of(lines, siblings);
    if (templates_ && templates_->write_compact(lines, siblings, granule_rows_, totals.bytes,
                                                page.bytes))
    {
        page.statistics = statistics_of(lines);
        page.uncompressed_bytes = totals.binary_bytes;
        return page;
    }
    RowIndexes all(lines.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<const StringColumn*> texts;
    for (const uint32_t sibling : lines.text_siblings())
    {
        texts.resize(std::max<size_t>(texts.size(), sibling + 1), nullptr);
        texts[sibling] = &siblings.text(sibling);
    }
    return encode(lines.render(all, texts), siblings);
}

std::string ColumnEncoder::finish()
{
    std::string dictionary;
    if (shared_values_ && shared_values_->size() > 0)
    {
        const auto rows = static_cast<uint32_t>(shared_values_->size());
        dictionary.append(reinterpret_cast<const char*>(&rows), sizeof rows);
        write_pieces(*shared_values_->values(), type_, 0, rows, rows, codecs_, dictionary);
    }
    if (!templates_ || templates_->empty())
        return dictionary;
    std::string out;
    out.append(reinterpret_cast<const char*>(&kTemplatesFollow), sizeof kTemplatesFollow);
    append_varint(out, dictionary.size());
    out += dictionary;
    templates_->append_shared(3, out);
    return out;
}

PageHead ColumnEncoder::head_of(PageEncoding encoding, size_t rows) const
{
    PageHead head;
    head.encoding = encoding;
    head.rows = static_cast<uint32_t>(rows);
    head.granule_rows = static_cast<uint32_t>(granule_rows_);
    return head;
}

void ColumnEncoder::write_flat(const ColumnPtr& flat, SiblingColumns& siblings,
                               EncodedColumnPage& page)
{
    if (!automatic_)
        return write_plain(*flat, type_, page.bytes);
    if (type_->id() != TypeId::Nullable)
    {
        if (!write_automatic(*flat, type_, siblings, page.bytes))
            write_plain(*flat, type_, page.bytes);
        return;
    }
    const auto& nullable = column_as<NullableColumn>(*flat);
    std::string nested;
    if (!write_automatic(*nullable.nested(), nested_type(type_), siblings, nested))
        return write_plain(*flat, type_, page.bytes);
    write_nullable(nullable.null_map().data(), flat->size(), granule_rows_, nested, page.bytes);
}

bool ColumnEncoder::write_automatic(const Column& flat, const TypePtr& type,
                                    SiblingColumns& siblings, std::string& out)
{
    if (is_constant_vector(flat))
    {
        write_constant(flat, type, flat.size(), out);
        return true;
    }
    const size_t start = out.size();
    if (write_best(flat, type, siblings, out))
    {
        const bool same =
            reads_back(flat, type, siblings, std::string_view(out).substr(start));
        BASALT_DCHECK(same);
        if (same)
            return true;
    }
    out.resize(start);
    return false;
}

bool ColumnEncoder::write_best(const Column& flat, const TypePtr& type, SiblingColumns& siblings,
                               std::string& out)
{
    if (type->physical() == PhysicalType::String)
        return write_hex_text(flat, granule_rows_, out) ||
               (templates_ && templates_->write_page(column_as<StringColumn>(flat), siblings,
                                                     granule_rows_, out));
    if (!type->is_float())
        return write_packed_integers(flat, type, granule_rows_, out);
    if (write_decimal_floats(flat, type, granule_rows_, out))
        return true;
    const size_t start = out.size();
    write_packed_integers(flat, type, granule_rows_, out);
    std::string plain;
    write_plain(flat, type, plain);
    if (plain.size() <= out.size() - start)
    {
        out.resize(start);
        out += plain;
    }
    return true;
}

bool ColumnEncoder::reads_back(const Column& flat, const TypePtr& type, SiblingColumns& siblings,
                               std::string_view bytes) const
{
    const PageBytes page{bytes, nullptr};
    const PageHead head = PageHead::read(bytes);
    switch (head.encoding)
    {
    case PageEncoding::PackedIntegers:
        return same_page(flat, *open_packed_integers(head, type, page));
    case PageEncoding::DecimalFloats:
        return same_page(flat, *open_decimal_floats(head, type, page));
    case PageEncoding::HexText:
        return same_page(flat, *open_hex_text(head, page));
    case PageEncoding::Templates:
    {
        std::string shared;
        templates_->append_shared(1, shared);
        std::vector<EncodedPagePtr> pages;
        for (const uint32_t column : templates_->used_siblings())
            pages.push_back(siblings.page_of(column));
        return same_page(flat, TemplatePage(head, std::make_shared<SharedTemplates>(shared), page,
                                            pages));
    }
    default:
        return true; // plain
    }
}

const std::vector<uint32_t>& ColumnEncoder::used_siblings() const
{
    static const std::vector<uint32_t> kNone;
    return templates_ ? templates_->used_siblings() : kNone;
}

void ColumnEncoder::write_plain(const Column& flat, const TypePtr& type, std::string& out) const
{
    head_of(PageEncoding::Plain, flat.size()).append_to(out);
    write_pieces(flat, type, 0, flat.size(), granule_rows_,
                 type == type_ ? codecs_ : nested_codecs_, out);
}

void ColumnEncoder::write_constant(const Column& value, const TypePtr& type, size_t rows,
                                   std::string& out) const
{
    head_of(PageEncoding::Constant, rows).append_to(out);
    write_pieces(value, type, 0, 1, 1, type == type_ ? codecs_ : nested_codecs_, out);
}

bool ColumnEncoder::write_dictionary(const Column& column, EncodedColumnPage& page)
{
    const size_t rows = column.size();
    PodVector<uint32_t> codes;
    codes.reserve(rows);
    page_values_->clear();
    const size_t limit = low_cardinality_ ? rows / 2 + 1024 : rows / 8 + 64;
    if (!page_values_->add(column, 0, rows, limit, codes))
        return false;
    const Column& distinct = *page_values_->values();
    PodVector<uint32_t> uses(distinct.size(), 0);
    for (const uint32_t code : codes)
        ++uses[code];
    // All of the distinct values are in the page.
    page.statistics = statistics_of(distinct, type_, 0, distinct.size());
    page.statistics.rows = static_cast<uint32_t>(rows);
    if (page.statistics.null_count)
    {
        page.statistics.null_count = 0;
        for (size_t code = 0; code < uses.size(); ++code)
            if (distinct.is_null_at(code))
                page.statistics.null_count += uses[code];
    }
    page.uncompressed_bytes = uncompressed_bytes(distinct, uses, rows);
    if (distinct.size() == 1 && (automatic_ || low_cardinality_))
    {
        write_constant(distinct, type_, rows, page.bytes);
        return true;
    }
    PodVector<uint32_t> shared;
    const bool is_shared = share(distinct, shared);
    size_t values = distinct.size();
    std::string dictionary;
    if (is_shared)
        values = shared_values_->size();
    else
    {
        shared.resize(values);
        std::iota(shared.begin(), shared.end(), 0u);
        const auto count = static_cast<uint32_t>(values);
        dictionary.append(reinterpret_cast<const char*>(&count), sizeof count);
        write_pieces(distinct, type_, 0, count, count, codecs_, dictionary);
    }
    PageHead head = head_of(is_shared ? automatic_ ? PageEncoding::PackedSharedDictionary
                                                   : PageEncoding::SharedDictionary
                            : automatic_ ? PageEncoding::PackedPageDictionary
                                         : PageEncoding::PageDictionary,
                            rows);
    head.code_bytes = automatic_ ? 0 : code_bytes_for(values);
    head.dictionary_bytes = static_cast<uint32_t>(dictionary.size());
    head.append_to(page.bytes);
    page.bytes += dictionary;
    if (automatic_)
        write_numbered_codes(codes.data(), rows, shared, uses, values, page.bytes);
    else
    {
        for (auto& code : codes)
            code = shared[code];
        write_code_pieces(codes, head.code_bytes, page.bytes);
    }
    return true;
}

// Numbers of the page's values in the part's dictionary; false when they do not fit in it.
bool ColumnEncoder::share(const Column& distinct, PodVector<uint32_t>& shared)
{
    if (shared_full_ || page_values_->bytes() > kMaxSharedBytes ||
        shared_values_->bytes() > kMaxSharedBytes)
        return false;
    if (shared_values_->size() + distinct.size() > kMaxSharedValues)
    {
        shared_full_ = true;
        return false;
    }
    return shared_values_->add(distinct, 0, distinct.size(), SIZE_MAX, shared);
}

size_t ColumnEncoder::uncompressed_bytes(const Column& distinct, const PodVector<uint32_t>& uses,
                                         size_t rows) const
{
    if (low_cardinality_)
        return rows * code_bytes_for(distinct.size()) +
               binary_bytes(distinct, 0, distinct.size());
    size_t sum = 0;
    for (size_t i = 0; i < distinct.size(); ++i)
        sum += uses[i] * binary_bytes(distinct, i, 1);
    return sum;
}

void ColumnEncoder::write_code_pieces(const PodVector<uint32_t>& codes, size_t width,
                                      std::string& out) const
{
    const size_t granules = (codes.size() + granule_rows_ - 1) / granule_rows_;
    const size_t table = out.size();
    out.resize(table + granules * 8);
    std::string piece;
    for (size_t granule = 0; granule < granules; ++granule)
    {
        const size_t begin = granule * granule_rows_;
        const size_t count = std::min(granule_rows_, codes.size() - begin);
        if (width == 1)
            append_codes<uint8_t>(codes, begin, count, piece);
        else if (width == 2)
            append_codes<uint16_t>(codes, begin, count, piece);
        else
            append_codes<uint32_t>(codes, begin, count, piece);
        const size_t start = out.size();
        code_codecs_.write_frame(0, piece, out);
        store(out.data() + table + granule * 8, static_cast<uint32_t>(out.size() - start));
        store(out.data() + table + granule * 8 + 4, static_cast<uint32_t>(piece.size()));
    }
}

} // namespace basalt::encodings
