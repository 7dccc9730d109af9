// ngrambf_v1(n, bytes, hash functions, seed): a filter of that many bytes of all n bytes in a row
// of each entry's texts.

#include "storage/skip_index/filter_arguments.h"
#include "storage/skip_index/text_filter.h"

#include "base/error.h"

namespace basalt
{

namespace
{

constexpr uint64_t kMaxNgram = 256;

Tokenizer ngrams_of(const IndexDescription& index)
{
    Tokenizer tokenizer;
    tokenizer.kind = Tokenizer::Kind::Ngrams;
    tokenizer.n = index.arguments[0].get<uint64_t>();
    return tokenizer;
}

class NgramFilter final : public SkipIndexKind
{
public:
    std::string name() const override { return "ngrambf_v1"; }
    void check(const IndexDescription& index) const override
    {
        if (index.arguments.size() != 4)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "`ngrambf` index must have exactly 4 arguments");
        check_filter_arguments(index);
        const uint64_t n = index.arguments[0].get<uint64_t>();
        if (n == 0 || n > kMaxNgram)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The length of n-grams must be between 1 and 256");
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        return std::make_unique<TextFilterBuilder>(ngrams_of(index), geometry_given(index, 1));
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<TextFilterReader>(ngrams_of(index), std::move(source));
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        return text_filter_useful(ngrams_of(index), question);
    }
};

} // namespace

void register_ngrambf_v1(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<NgramFilter>());
}

} // namespace basalt
