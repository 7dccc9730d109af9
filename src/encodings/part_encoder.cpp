#include "base/error.h"
#include "encodings/column_encoder.h"

#include <algorithm>

namespace basalt::inline encodings
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
        is_referred_to_.assign(header.size(), false);
    }

    std::vector<EncodedColumnPage> encode(const Block& block) override
    {
        BASALT_ASSERT(block.width() == columns_.size());
        BASALT_ASSERT(block.rows() > 0 && block.rows() <= kPageRows);
        std::vector<EncodedColumnPage> pages;
        for (size_t i = 0; i < columns_.size(); ++i)
        {
            SiblingColumns siblings(block, allowed_siblings(i));
            pages.push_back(columns_[i].encode(block[i].column, siblings));
            for (const uint32_t sibling : columns_[i].used_siblings())
                is_referred_to_[sibling] = true;
        }
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
    // A column that others refer to refers to none, so that reading never goes round.
    std::vector<uint32_t> allowed_siblings(size_t column) const
    {
        std::vector<uint32_t> allowed;
        if (!columns_[column].may_use_siblings() || is_referred_to_[column])
            return allowed;
        for (uint32_t other = 0; other < columns_.size(); ++other)
            if (other != column && columns_[other].used_siblings().empty())
                allowed.push_back(other);
        return allowed;
    }

    std::vector<ColumnEncoder> columns_;
    std::vector<bool> is_referred_to_;
};

} // namespace

} // namespace basalt::encodings

namespace basalt
{

std::unique_ptr<PartEncoder> make_part_encoder(Header header,
                                               std::vector<ColumnEncodingOptions> options,
                                               size_t granule_rows)
{
    return std::make_unique<PlainPartEncoder>(header, options, granule_rows);
}

} // namespace basalt
