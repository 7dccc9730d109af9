#pragma once

// Pages: up to kPageRows rows of one column as bytes, cut into granules that can be decoded alone.
// Encoding is exact: decode(encode(x)) == x byte for byte, checked on write.
//
// A part's columns are encoded together (PartEncoder), because a column may be stored as "same
// value as column X of this row", and because dictionaries and templates are kept once per part
// and column (the shared section). Reading: PartDecoder opens the shared sections, EncodedPage
// answers for one page of one column.

#include "columns/block.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

inline constexpr size_t kPageRows = 65536;

struct PageStatistics
{
    uint32_t rows = 0;
    uint32_t null_count = 0;
    // Of the values that are not NULL; absent when there are none or the type has no order.
    // Texts longer than kMaxStatisticBytes are cut: min to a lower, max to an upper bound.
    std::optional<Value> min, max;
};
inline constexpr size_t kMaxStatisticBytes = 64;

struct ColumnEncodingOptions
{
    // ClickHouse's codec text without CODEC(): "LZ4", "ZSTD(3)", "Delta(4), LZ4". Empty: Auto.
    std::string codec;
    // Work to spend: flushes of fresh rows use Fast, merges use Thorough.
    enum class Effort : uint8_t
    {
        Fast,
        Thorough
    } effort = Effort::Fast;
};

struct EncodedColumnPage
{
    std::string bytes;
    PageStatistics statistics;
    size_t uncompressed_bytes = 0; // what ClickHouse would count: values in their binary form
};

class PartEncoder
{
public:
    virtual ~PartEncoder() = default;
    // One page of every column; block: flat, constant or dictionary columns in the header's
    // order, 1 … kPageRows rows. Only the last page of a part may have fewer than kPageRows rows.
    virtual std::vector<EncodedColumnPage> encode(const Block& block) = 0;
    // The shared section of each column, after the last page; may be empty strings.
    virtual std::vector<std::string> finish() = 0;
};

// granule_rows divides kPageRows or is a multiple of it cut to it.
std::unique_ptr<PartEncoder> make_part_encoder(Header header,
                                               std::vector<ColumnEncodingOptions> options,
                                               size_t granule_rows);

// What a scan asks a page to decide on the encoded form.
struct PagePredicate
{
    enum class Kind : uint8_t
    {
        Equals,
        NotEquals,
        Less,
        LessOrEquals,
        Greater,
        GreaterOrEquals,
        In,
        NotIn,
        Like,    // pattern in values[0]; \ escapes
        NotLike,
        ILike,
        NotILike,
    } kind = Kind::Equals;
    Values values; // already converted to the column's type
};

class EncodedPage
{
public:
    virtual ~EncodedPage() = default;
    virtual size_t rows() const = 0;
    // Rows [begin, begin + count) in any column form. Cheapest when aligned to granules.
    virtual ColumnPtr decode(size_t begin, size_t count) const = 0;
    // The rows with these numbers (ascending), for late materialisation.
    virtual ColumnPtr decode_rows(const RowIndexes& rows) const;

    // Of texts: at least the first `bytes` bytes of each value (all of a shorter one), in any
    // column form. For GROUP BY substring(x, 1, n) and the like.
    virtual ColumnPtr decode_prefix(size_t begin, size_t count, size_t bytes) const;

    // The page as distinct values and a code per row, when it is stored so: any expression over
    // this one column may then be run on the dictionary alone. False when it is not.
    virtual bool as_dictionary(size_t begin, size_t count, ColumnPtr& dictionary,
                               PodVector<uint32_t>& codes) const
    {
        return false;
    }

    // Sets mask[i] = 1/0 for rows [begin, begin + count) without materialising values. False
    // when this page cannot decide it so; then mask is unspecified. NULL rows get 0.
    virtual bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                          uint8_t* mask) const
    {
        return false;
    }

    // How many of these rows satisfy it, where that is cheaper than a mask; nullopt where it is
    // not.
    virtual std::optional<size_t> count_matching(const PagePredicate& predicate, size_t begin,
                                                 size_t count) const
    {
        return std::nullopt;
    }

    // The page itself; others that stand for a page which is opened at its first use say which.
    virtual const EncodedPage& opened() const { return *this; }
};
using EncodedPagePtr = std::shared_ptr<const EncodedPage>;

// Bytes of a page stay valid while `owner` lives.
struct PageBytes
{
    std::string_view bytes;
    std::shared_ptr<const void> owner;
};

class PartDecoder
{
public:
    virtual ~PartDecoder() = default;
    // Columns whose page of the same number must be given to open_page (by position in the
    // part's header), because this one refers to their values.
    virtual std::vector<size_t> siblings(size_t column) const { return {}; }
    // Throws CORRUPTED_DATA. Thread-safe.
    virtual EncodedPagePtr open_page(size_t column, PageBytes bytes,
                                     const std::vector<EncodedPagePtr>& siblings) const = 0;
};
// shared: one string per column, as finish() gave them. options as at encoding.
std::shared_ptr<const PartDecoder> make_part_decoder(Header header,
                                                     std::vector<std::string> shared,
                                                     size_t granule_rows);

} // namespace basalt
