#pragma once

// Encodes the pages of one column of a part.

#include "encodings/page.h"
#include "encodings/page_dictionary.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"

namespace basalt
{

class ColumnEncoder
{
public:
    ColumnEncoder(const TypePtr& type, const ColumnEncodingOptions& options, size_t granule_rows);

    // column: flat, constant or dictionary, 1 … kPageRows rows.
    EncodedColumnPage encode(const ColumnPtr& column);
    // The shared section.
    std::string finish();

private:
    PageHead head_of(PageEncoding encoding, size_t rows) const;
    void write_flat(const ColumnPtr& flat, EncodedColumnPage& page);
    // A page in one of Auto's forms, read back and compared; false when none fits.
    bool write_automatic(const Column& flat, const TypePtr& type, std::string& out);
    bool write_verified(const Column& flat, const TypePtr& type, std::string& out);
    void write_plain(const Column& flat, const TypePtr& type, std::string& out) const;
    void write_constant(const Column& value, const TypePtr& type, size_t rows,
                        std::string& out) const;
    bool write_dictionary(const Column& column, EncodedColumnPage& page);
    bool share(const Column& distinct, PodVector<uint32_t>& shared);
    size_t uncompressed_bytes(const Column& distinct, const PodVector<uint32_t>& codes) const;
    void write_code_pieces(const PodVector<uint32_t>& codes, size_t width, std::string& out) const;

    TypePtr type_; // without LowCardinality
    size_t granule_rows_;
    bool automatic_;
    bool low_cardinality_;
    StreamCodecs codecs_;
    StreamCodecs nested_codecs_; // of the values of a Nullable
    StreamCodecs code_codecs_;
    std::unique_ptr<DistinctValues> page_values_; // null: no dictionaries for this column
    std::unique_ptr<DistinctValues> shared_values_;
    bool shared_full_ = false;
    size_t pages_without_dictionary_ = 0; // in a row
};

} // namespace basalt
