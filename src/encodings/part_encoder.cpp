#include "base/error.h"
#include "encodings/column_encoder.h"

#include <algorithm>

namespace basalt
{

namespace
{

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
