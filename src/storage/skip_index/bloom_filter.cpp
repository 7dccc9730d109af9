// bloom_filter(p): a Bloom filter of each entry's values with false positives at the rate p.

#include "storage/skip_index/value_filter.h"

#include "base/error.h"

namespace basalt
{

namespace
{

constexpr double kDefaultRate = 0.025;

double rate_of(const IndexDescription& index)
{
    if (index.arguments.empty())
        return kDefaultRate;
    if (const auto* rate = index.arguments[0].get_if<double>())
        return *rate;
    return 0;
}

class BloomFilter final : public SkipIndexKind
{
public:
    std::string name() const override { return "bloom_filter"; }
    void check(const IndexDescription& index) const override
    {
        if (index.arguments.size() > 1)
            throw Error(error_codes::INCORRECT_QUERY,
                        "BloomFilter index cannot have more than one parameter");
        const double rate = rate_of(index);
        if (!(rate > 0 && rate < 1))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The BloomFilter false positive must be a double number between 0 and 1");
        check_value_filter(index);
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        return std::make_unique<ValueFilterBuilder>(
            [rate = rate_of(index)](size_t keys) { return FilterGeometry::for_rate(keys, rate); });
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<ValueFilterReader>(index, std::move(source));
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        return value_filter_useful(index, question);
    }
};

} // namespace

void register_bloom_filter(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<BloomFilter>());
}

} // namespace basalt
