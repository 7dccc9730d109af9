#include "storage/skip_index/filter_arguments.h"

#include "storage/skip_index/text_filter.h"

#include "base/error.h"

namespace basalt
{

void check_filter_arguments(const IndexDescription& index)
{
    for (const Value& argument : index.arguments)
        if (!argument.get_if<uint64_t>())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "All parameters to *bf_v1 index must be unsigned integers");
    const size_t first = index.arguments.size() - 3;
    const uint64_t bytes = index.arguments[first].get<uint64_t>();
    const uint64_t hashes = index.arguments[first + 1].get<uint64_t>();
    if (bytes == 0 || bytes > kMaxGivenFilterBytes)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "The size of a bloom filter must be between 1 and 16777216 bytes");
    if (hashes == 0 || hashes > FilterGeometry::kMaxHashes)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "A bloom filter must have between 1 and 30 hash functions");
    if (!holds_texts(index.expression->type()))
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Ngram and token bloom filter indexes can only be used with column types "
                    "`String`, `FixedString`, `LowCardinality(String)`, "
                    "`LowCardinality(FixedString)`, `Array(String)` or `Array(FixedString)`");
}

FilterGeometry geometry_given(const IndexDescription& index, size_t first)
{
    return FilterGeometry::with_bits(index.arguments[first].get<uint64_t>() * 8,
                                     index.arguments[first + 1].get<uint64_t>());
}

} // namespace basalt
