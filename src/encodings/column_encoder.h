#pragma once

// Encodes the pages of one column of a part.

#include "encodings/page.h"
#include "encodings/page_dictionary.h"
#include "encodings/page_format.h"
#include "encodings/plain_frames.h"
#include "encodings/template_encoder.h"

namespace basalt::inline encodings
{

class ColumnEncoder
{
public:
    ColumnEncoder(const TypePtr& type, const ColumnEncodingOptions& options, size_t granule_rows);

    // column: flat, constant or dictionary, 1 … kPageRows rows. siblings: what texts may refer to.
    EncodedColumnPage encode(const ColumnPtr& column, SiblingColumns& siblings);
    // Whether encode() looks at siblings, and which columns its pages refer to so far.
    bool may_use_siblings() const { return templates_ != nullptr; }
    const std::vector<uint32_t>& used_siblings() const;
    // The shared section.
    std::string finish();

private:
    PageHead head_of(PageEncoding encoding, size_t rows) const;
    EncodedColumnPage encode_compact(const ColumnPtr& column, SiblingColumns& siblings);
    void write_flat(const ColumnPtr& flat, SiblingColumns& siblings, EncodedColumnPage& page);
    // A page in one of Auto's forms, read back and compared; false when none fits.
    bool write_automatic(const Column& flat, const TypePtr& type, SiblingColumns& siblings,
                         std::string& out);
    bool write_best(const Column& flat, const TypePtr& type, SiblingColumns& siblings,
                    std::string& out);
    bool reads_back(const Column& flat, const TypePtr& type, SiblingColumns& siblings,
                    std::string_view page) const;
    void write_plain(const Column& flat, const TypePtr& type, std::string& out) const;
    void write_constant(const Column& value, const TypePtr& type, size_t rows,
                        std::string& out) const;
    bool write_dictionary(const Column& column, EncodedColumnPage& page);
    bool share(const Column& distinct, PodVector<uint32_t>& shared);
    size_t uncompressed_bytes(const Column& distinct, const PodVector<uint32_t>& uses,
                              size_t rows) const;
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
    std::unique_ptr<TemplateEncoder> templates_; // of texts
};

} // namespace basalt::encodings
