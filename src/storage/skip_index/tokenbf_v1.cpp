// tokenbf_v1(bytes, hash functions, seed): a filter of that many bytes of each entry's words.

#include "storage/skip_index/filter_arguments.h"
#include "storage/skip_index/text_filter.h"

#include "base/error.h"

namespace basalt
{

namespace
{

class TokenFilter final : public SkipIndexKind
{
public:
    std::string name() const override { return "tokenbf_v1"; }
    void check(const IndexDescription& index) const override
    {
        if (index.arguments.size() != 3)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "`tokenbf` index must have exactly 3 arguments");
        check_filter_arguments(index);
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        return std::make_unique<TextFilterBuilder>(Tokenizer{}, geometry_given(index, 0));
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription&,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<TextFilterReader>(Tokenizer{}, std::move(source));
    }
    bool useful_for(const IndexDescription&, const IndexQuestion& question) const override
    {
        return text_filter_useful(Tokenizer{}, question);
    }
};

} // namespace

void register_tokenbf_v1(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<TokenFilter>());
}

} // namespace basalt
