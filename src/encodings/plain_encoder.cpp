#include "base/error.h"
#include "encodings/page.h"
#include "encodings/page_dictionary.h"
#include "encodings/page_format.h"
#include "encodings/page_statistics.h"
#include "encodings/plain_frames.h"
#include "encodings/vector_visit.h"

#include <algorithm>

namespace basalt
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

bool may_hold_dictionary(const TypePtr& type, bool automatic)
{
    if (type->id() == TypeId::LowCardinality)
        return true;
    if (!automatic)
        return false;
    return (type->id() == TypeId::Nullable ? type_as<NullableType>(type).nested() : type)
        ->is_string();
}

template <class T>
void append_codes(const PodVector<uint32_t>& codes, size_t begin, size_t count, std::string& out)
{
    out.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i)
    {
        const T code = static_cast<T>(codes[begin + i]);
        std::memcpy(out.data() + i * sizeof(T), &code, sizeof(T));
    }
}

class ColumnEncoder
{
public:
    ColumnEncoder(TypePtr type, const ColumnEncodingOptions& options, size_t granule_rows)
        : type_(value_type(type)), granule_rows_(granule_rows), automatic_(options.codec.empty()),
          low_cardinality_(type->id() == TypeId::LowCardinality), codecs_(type_, options.codec),
          code_codecs_(StreamCodecs::of_codes(options.codec))
    {
        if (may_hold_dictionary(type, automatic_))
        {
            page_values_ = std::make_unique<DistinctValues>(type_);
            shared_values_ = std::make_unique<DistinctValues>(type_);
        }
    }

    EncodedColumnPage encode(const ColumnPtr& column)
    {
        EncodedColumnPage page;
        const size_t rows = column->size();
        if (column->form() == ColumnForm::Constant)
        {
            if (automatic_ || low_cardinality_)
                write_constant(*column_as<ConstantColumn>(column).nested(), rows, page);
            else
                write_plain(*column->to_flat(), page);
            page.statistics = statistics_of(*column, type_, 0, rows);
            page.uncompressed_bytes = binary_bytes(*column, 0, rows);
            return page;
        }
        if (!page_values_ || !write_dictionary(*column, page))
        {
            const ColumnPtr flat = to_flat(column);
            if (automatic_ && is_constant_vector(*flat))
                write_constant(*flat->slice(0, 1), rows, page);
            else
                write_plain(*flat, page);
            page.statistics = statistics_of(*flat, type_, 0, rows);
            page.uncompressed_bytes = binary_bytes(*flat, 0, rows);
        }
        return page;
    }

    std::string finish()
    {
        std::string out;
        if (!shared_values_ || shared_values_->size() == 0)
            return out;
        const auto rows = static_cast<uint32_t>(shared_values_->size());
        out.append(reinterpret_cast<const char*>(&rows), sizeof rows);
        write_pieces(*shared_values_->values(), type_, 0, rows, rows, codecs_, out);
        return out;
    }

private:
    PageHead head_of(PageEncoding encoding, size_t rows) const
    {
        PageHead head;
        head.encoding = encoding;
        head.rows = static_cast<uint32_t>(rows);
        head.granule_rows = static_cast<uint32_t>(granule_rows_);
        return head;
    }

    void write_plain(const Column& flat, EncodedColumnPage& page) const
    {
        head_of(PageEncoding::Plain, flat.size()).append_to(page.bytes);
        write_pieces(flat, type_, 0, flat.size(), granule_rows_, codecs_, page.bytes);
    }

    void write_constant(const Column& value, size_t rows, EncodedColumnPage& page) const
    {
        head_of(PageEncoding::Constant, rows).append_to(page.bytes);
        write_pieces(value, type_, 0, 1, 1, codecs_, page.bytes);
    }

    // Fixed-width columns whose page holds one value.
    static bool is_constant_vector(const Column& flat)
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

    bool write_dictionary(const Column& column, EncodedColumnPage& page)
    {
        const size_t rows = column.size();
        PodVector<uint32_t> codes;
        codes.reserve(rows);
        page_values_->clear();
        const size_t limit = low_cardinality_ ? rows / 2 + 1024 : rows / 8 + 64;
        if (!page_values_->add(column, 0, rows, limit, codes))
            return false;
        const Column& distinct = *page_values_->values();
        page.statistics = statistics_of(
            DictionaryColumn(page_values_->values(), codes), type_, 0, rows);
        page.uncompressed_bytes = uncompressed_bytes(distinct, codes);
        if (distinct.size() == 1 && (automatic_ || low_cardinality_))
        {
            write_constant(distinct, rows, page);
            return true;
        }
        PodVector<uint32_t> shared;
        if (share(distinct, shared))
        {
            for (auto& code : codes)
                code = shared[code];
            PageHead head = head_of(PageEncoding::SharedDictionary, rows);
            head.code_bytes = code_bytes(shared_values_->size());
            head.append_to(page.bytes);
            write_codes(codes, head.code_bytes, page.bytes);
            return true;
        }
        std::string dictionary;
        const auto count = static_cast<uint32_t>(distinct.size());
        dictionary.append(reinterpret_cast<const char*>(&count), sizeof count);
        write_pieces(distinct, type_, 0, count, count, codecs_, dictionary);
        PageHead head = head_of(PageEncoding::PageDictionary, rows);
        head.code_bytes = code_bytes(count);
        head.dictionary_bytes = static_cast<uint32_t>(dictionary.size());
        head.append_to(page.bytes);
        page.bytes += dictionary;
        write_codes(codes, head.code_bytes, page.bytes);
        return true;
    }

    // Numbers of the page's values in the part's dictionary; false when they do not fit in it.
    bool share(const Column& distinct, PodVector<uint32_t>& shared)
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

    size_t uncompressed_bytes(const Column& distinct, const PodVector<uint32_t>& codes) const
    {
        if (low_cardinality_)
            return codes.size() * code_bytes(distinct.size()) +
                   binary_bytes(distinct, 0, distinct.size());
        PodVector<uint64_t> bytes(distinct.size());
        for (size_t i = 0; i < distinct.size(); ++i)
            bytes[i] = binary_bytes(distinct, i, 1);
        size_t sum = 0;
        for (const uint32_t code : codes)
            sum += bytes[code];
        return sum;
    }

    static uint8_t code_bytes(size_t values)
    {
        return values <= 256 ? 1 : values <= 65536 ? 2 : 4;
    }

    void write_codes(const PodVector<uint32_t>& codes, size_t width, std::string& out) const
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

    TypePtr type_; // without LowCardinality
    size_t granule_rows_;
    bool automatic_;
    bool low_cardinality_;
    StreamCodecs codecs_;
    StreamCodecs code_codecs_;
    std::unique_ptr<DistinctValues> page_values_; // null: no dictionaries for this column
    std::unique_ptr<DistinctValues> shared_values_;
    bool shared_full_ = false;
};

class PlainPartEncoder final : public PartEncoder
{
public:
    PlainPartEncoder(const Header& header, const std::vector<ColumnEncodingOptions>& options,
                     size_t granule_rows)
    {
        BASALT_ASSERT(granule_rows > 0 && options.size() == header.size());
        for (size_t i = 0; i < header.size(); ++i)
            columns_.emplace_back(header[i].type, options[i], std::min(granule_rows, kPageRows));
    }

    std::vector<EncodedColumnPage> encode(const Block& block) override
    {
        BASALT_ASSERT(block.width() == columns_.size());
        BASALT_ASSERT(block.rows() > 0 && block.rows() <= kPageRows);
        std::vector<EncodedColumnPage> pages;
        for (size_t i = 0; i < columns_.size(); ++i)
            pages.push_back(columns_[i].encode(block[i].column));
        return pages;
    }

    std::vector<std::string> finish() override
    {
        std::vector<std::string> shared;
        for (auto& column : columns_)
            shared.push_back(column.finish());
        return shared;
    }

private:
    std::vector<ColumnEncoder> columns_;
};

} // namespace

std::unique_ptr<PartEncoder> make_part_encoder(Header header,
                                               std::vector<ColumnEncodingOptions> options,
                                               size_t granule_rows)
{
    return std::make_unique<PlainPartEncoder>(header, options, granule_rows);
}

} // namespace basalt
