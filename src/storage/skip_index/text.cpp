// text(tokenizer = …): a filter of the terms of each granule's texts, sized by how many distinct
// ones there are. GRANULARITY says nothing here: granules are told apart in any case.

#include "storage/skip_index/text_filter.h"

#include "base/error.h"

#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

constexpr double kFalsePositives = 0.005;
constexpr size_t kMaxSeparators = 100;

[[noreturn]] void throw_bad(const std::string& what)
{
    throw Error(error_codes::BAD_ARGUMENTS, what);
}

// 'text' at `at`, which goes behind it.
std::string quoted_at(std::string_view text, size_t& at)
{
    std::string out;
    for (++at; at < text.size() && text[at] != '\''; ++at)
    {
        if (text[at] != '\\' || at + 1 == text.size())
        {
            out += text[at];
            continue;
        }
        const char c = text[++at];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
    }
    ++at;
    return out;
}

size_t ngram_length(const std::string& arguments)
{
    if (arguments.empty())
        return 3;
    char* end = nullptr;
    const long long n = std::strtoll(arguments.c_str(), &end, 10);
    if (*end)
        throw_bad("Incorrect parameter of tokenizer 'ngrams': a number is expected");
    if (n < 1 || n > 256)
        throw_bad(fmt::format("Incorrect parameter of tokenizer 'ngrams': ngram length must be at "
                              "least 1, but got {}",
                              n));
    return static_cast<size_t>(n);
}

std::vector<std::string> separators_in(const std::string& arguments)
{
    std::vector<std::string> separators;
    for (size_t at = 0; at < arguments.size();)
        if (arguments[at] == '\'')
            separators.push_back(quoted_at(arguments, at));
        else
            ++at;
    if (arguments.empty())
        separators.emplace_back(" ");
    if (separators.empty() || separators.size() > kMaxSeparators)
        throw_bad("Incorrect parameter of tokenizer 'splitByString': separators are expected");
    for (const auto& separator : separators)
        if (separator.empty())
            throw_bad("Incorrect parameter of tokenizer 'splitByString': a separator is empty");
    return separators;
}

// "splitByNonAlpha", "'array'", "ngrams(4)", "splitByString([', ', ';'])".
Tokenizer tokenizer_from(const std::string& text)
{
    std::string name = text.substr(0, text.find('('));
    const std::string arguments = name.size() < text.size()
                                      ? text.substr(name.size() + 1, text.size() - name.size() - 2)
                                      : std::string();
    if (size_t at = 0; name.starts_with('\''))
        name = quoted_at(text, at);
    Tokenizer tokenizer;
    if (name == "splitByNonAlpha")
        return tokenizer;
    if (name == "array")
    {
        tokenizer.kind = Tokenizer::Kind::Whole;
        return tokenizer;
    }
    if (name == "ngrams" || name == "ngram")
    {
        tokenizer.kind = Tokenizer::Kind::Ngrams;
        tokenizer.n = ngram_length(arguments);
        return tokenizer;
    }
    if (name == "splitByString")
    {
        tokenizer.kind = Tokenizer::Kind::Pieces;
        // The index holds texts in lower case.
        for (auto& separator : separators_in(arguments))
            tokenizer.separators.push_back(ascii_lower(std::move(separator)));
        return tokenizer;
    }
    if (name == "sparseGrams" || name == "asciiCJK" || name == "unicodeWord")
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Tokenizer {} of text indexes is not implemented", name));
    throw_bad(fmt::format("Unknown tokenizer: '{}'", name));
}

Tokenizer tokenizer_of(const IndexDescription& index)
{
    constexpr std::string_view kTokenizer = "tokenizer = ";
    std::optional<Tokenizer> tokenizer;
    for (const Value& argument : index.arguments)
    {
        const auto* pair = argument.get_if<std::string>();
        const size_t equal = pair ? pair->find(" = ") : std::string::npos;
        if (equal == std::string::npos)
            throw_bad("Arguments of a text index must be of the form: name = value");
        const std::string name = pair->substr(0, equal);
        if (pair->starts_with(kTokenizer))
            tokenizer = tokenizer_from(pair->substr(kTokenizer.size()));
        else if (name == "preprocessor" || name == "postprocessor")
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Argument {} of text indexes is not implemented", name));
        else if (!name.starts_with("dictionary_") && !name.starts_with("posting_list_") &&
                 !name.starts_with("segment_digestion_") &&
                 name != "bloom_filter_false_positive_rate")
            throw_bad(fmt::format("Unexpected text index arguments: {}", name));
    }
    if (!tokenizer)
        throw_bad("Text index argument 'tokenizer' is required");
    return *tokenizer;
}

class Text final : public SkipIndexKind
{
public:
    std::string name() const override { return "text"; }
    void check(const IndexDescription& index) const override
    {
        tokenizer_of(index);
        if (!holds_texts(index.expression->type()))
            throw_bad(fmt::format("Text index must be created on columns of type with base type "
                                  "of String or FixedString, got: {}",
                                  index.expression->type()->name()));
    }
    size_t entry_granules(const IndexDescription&) const override { return 1; }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        return std::make_unique<TextFilterBuilder>(
            tokenizer_of(index),
            [](size_t terms) { return FilterGeometry::for_rate(terms, kFalsePositives); });
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<TextFilterReader>(tokenizer_of(index), std::move(source));
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        return text_filter_useful(tokenizer_of(index), question);
    }
    std::string condition(const IndexDescription& index,
                          const std::vector<IndexQuestion>& questions) const override
    {
        const Tokenizer tokenizer = tokenizer_of(index);
        std::set<std::string> tokens;
        bool all = true;
        for (const auto& question : questions)
            for (const ValueClaim* claim : question.claims)
            {
                if (claim->folded)
                    continue;
                const auto needed = needed_terms(tokenizer, *claim);
                all &= needed.size() <= 1;
                for (const auto& terms : needed)
                    tokens.insert(terms.begin(), terms.end());
            }
        std::string list;
        for (const auto& token : tokens)
            list += (list.empty() ? "\"" : ", \"") + token + "\"";
        return fmt::format("(mode: {}; tokens: [{}])", all ? "All" : "Any", list);
    }
};

} // namespace

void register_text(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<Text>());
}

} // namespace basalt
