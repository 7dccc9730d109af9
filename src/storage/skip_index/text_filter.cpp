#include "storage/skip_index/text_filter.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kRecentTerms = 16384;
constexpr size_t kMostTerms = 32; // of one alternative that are looked up

// Zeros at the end are not compared when a FixedString is: whole values and their last pieces are
// kept and asked for without them.
std::string_view without_zeros(std::string_view text)
{
    while (!text.empty() && text.back() == '\0')
        text.remove_suffix(1);
    return text;
}

} // namespace

bool holds_texts(const TypePtr& type)
{
    TypePtr plain = remove_low_cardinality(type);
    if (plain->is(TypeId::Array))
        plain = type_as<ArrayType>(plain).nested();
    plain = strip_wrappers(plain);
    return plain->is(TypeId::String) || plain->is(TypeId::FixedString);
}

TextFilterBuilder::TextFilterBuilder(Tokenizer tokenizer, FilterGeometry geometry)
    : tokenizer_(std::move(tokenizer)), geometry_(geometry), recent_(kRecentTerms)
{
    given_.emplace();
}

TextFilterBuilder::TextFilterBuilder(Tokenizer tokenizer,
                                     std::function<FilterGeometry(size_t terms)> geometry_for)
    : tokenizer_(std::move(tokenizer)), recent_(kRecentTerms)
{
    sized_.emplace(std::move(geometry_for));
}

std::string TextFilterBuilder::take_bytes()
{
    return given_ ? given_->take_bytes() : sized_->take_bytes();
}

std::string TextFilterBuilder::finish()
{
    return given_ ? given_->finish() : sized_->finish();
}

void TextFilterBuilder::add_text(std::string_view text)
{
    if (tokenizer_.kind == Tokenizer::Kind::Whole || tokenizer_.kind == Tokenizer::Kind::Pieces)
        text = without_zeros(text);
    lower_.assign(text);
    make_ascii_lower(lower_);
    terms_.clear();
    tokenizer_.add_hashes(lower_, terms_);
    for (const uint64_t hash : terms_)
    {
        uint64_t& recent = recent_[hash % kRecentTerms];
        if (recent == hash)
            continue;
        recent = hash;
        if (given_)
            given_->add(hash);
        else
            hashes_.push_back(hash);
    }
}

void TextFilterBuilder::add_rows(const Column& flat, size_t begin, size_t count)
{
    switch (flat.form())
    {
    case ColumnForm::Nullable:
        // What a NULL stands on is some text more.
        return add_rows(*column_as<NullableColumn>(flat).nested(), begin, count);
    case ColumnForm::Array:
    {
        const auto& array = column_as<ArrayColumn>(flat);
        const size_t first = array.begin_of(begin);
        return add_rows(*array.items(), first, array.begin_of(begin + count) - first);
    }
    case ColumnForm::FixedString:
        for (size_t i = begin; i < begin + count; ++i)
            add_text(column_as<FixedStringColumn>(flat).at(i));
        return;
    default:
        for (size_t i = begin; i < begin + count; ++i)
            add_text(column_as<StringColumn>(flat).at(i));
    }
}

void TextFilterBuilder::add_entry(const Column& flat, size_t begin, size_t count)
{
    hashes_.clear();
    for (size_t i = 0; i < recent_.size(); ++i)
        recent_[i] = i + 1; // no hash that would stand there
    if (given_)
        given_->begin_entry(geometry_);
    add_rows(flat, begin, count);
    if (sized_)
        sized_->add_entry(hashes_);
}

std::vector<std::vector<std::string>> needed_terms(const Tokenizer& tokenizer,
                                                   const ValueClaim& claim)
{
    std::vector<std::vector<std::string>> needed;
    for (const auto& all : claim.any_of)
    {
        std::vector<std::string> terms;
        for (const auto& term : all)
        {
            if (!term.fragment)
                continue;
            TextFragment fragment = *term.fragment;
            if (fragment.right == TextFragment::Edge::Value)
                fragment.text = without_zeros(fragment.text);
            if (tokenizer.kind == Tokenizer::Kind::Pieces) // separators are in lower case
                fragment.text = ascii_lower(fragment.text);
            for (auto& one : tokenizer.terms_of(fragment))
                terms.push_back(std::move(one));
        }
        if (terms.empty())
            return {};
        std::sort(terms.begin(), terms.end());
        terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
        needed.push_back(std::move(terms));
    }
    return needed;
}

bool text_filter_useful(const Tokenizer& tokenizer, const IndexQuestion& question)
{
    return std::any_of(question.claims.begin(), question.claims.end(),
                       [&](const ValueClaim* claim)
                       { return !needed_terms(tokenizer, *claim).empty(); });
}

bool TextFilterReader::find_claim(const ValueClaim& claim, std::vector<uint8_t>& possible) const
{
    if (claim.any_of.empty())
        return true;
    const auto needed = needed_terms(tokenizer_, claim);
    for (const auto& terms : needed)
    {
        // Of many, some that stand far apart.
        const size_t step = (terms.size() + kMostTerms - 1) / kMostTerms;
        std::vector<uint64_t> hashes;
        for (size_t i = 0; i < terms.size(); i += step)
            hashes.push_back(term_hash(ascii_lower(terms[i])));
        filter_.find_all(hashes, possible);
    }
    return !needed.empty();
}

void TextFilterReader::narrow(const IndexQuestion& question, const QueryContext&,
                              std::vector<Outcomes>& outcomes) const
{
    if (!filter_.readable())
        return;
    // The same claim is there once more in lower case.
    const bool exact = std::any_of(question.claims.begin(), question.claims.end(),
                                   [](const ValueClaim* claim) { return !claim->folded; });
    for (const ValueClaim* claim : question.claims)
    {
        if (exact && claim->folded)
            continue;
        std::vector<uint8_t> possible(outcomes.size(), 0);
        if (!find_claim(*claim, possible))
            continue;
        for (size_t i = 0; i < outcomes.size(); ++i)
            if (!possible[i])
                outcomes[i].can_be_true = false;
    }
}

} // namespace basalt
