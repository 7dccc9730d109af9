#include "storage/skip_index/text_terms.h"

#include "base/unaligned.h"
#include "codecs/hash.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Edge = TextFragment::Edge;

bool is_word_byte(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || static_cast<unsigned char>((u | 0x20) - 'a') < 26 ||
           static_cast<unsigned char>(u - '0') < 10;
}

// Bytes that a separator stands for at `at`, the first that fits; 0: none does.
size_t separator_at(const std::vector<std::string>& separators, std::string_view text, size_t at)
{
    for (const auto& separator : separators)
        if (text.substr(at, separator.size()) == separator)
            return separator.size();
    return 0;
}

// Calls term(begin, end).
template <class Term> void for_words(std::string_view text, Term&& term)
{
    for (size_t at = 0; at < text.size(); ++at)
    {
        if (!is_word_byte(text[at]))
            continue;
        const size_t begin = at;
        while (at < text.size() && is_word_byte(text[at]))
            ++at;
        term(begin, at);
    }
}

template <class Term>
void for_pieces(const std::vector<std::string>& separators, std::string_view text, Term&& term)
{
    size_t begin = 0;
    for (size_t at = 0; at < text.size();)
    {
        const size_t size = separator_at(separators, text, at);
        if (size && at > begin)
            term(begin, at);
        at += size ? size : 1;
        if (size)
            begin = at;
    }
    if (begin < text.size())
        term(begin, text.size());
}

template <class Term>
void for_terms(const Tokenizer& tokenizer, std::string_view text, Term&& term)
{
    switch (tokenizer.kind)
    {
    case Tokenizer::Kind::Words:
        return for_words(text, term);
    case Tokenizer::Kind::Ngrams:
        for (size_t at = 0; at + tokenizer.n <= text.size(); ++at)
            term(at, at + tokenizer.n);
        return;
    case Tokenizer::Kind::Pieces:
        return for_pieces(tokenizer.separators, text, term);
    case Tokenizer::Kind::Whole:
        return term(0, text.size());
    }
}

} // namespace

uint64_t term_hash(std::string_view lower)
{
    return xxh3_64(lower.data(), lower.size());
}

void Tokenizer::add_hashes(std::string_view lower, std::vector<uint64_t>& hashes) const
{
    for_terms(*this, lower, [&](size_t begin, size_t end)
              { hashes.push_back(term_hash(lower.substr(begin, end - begin))); });
}

std::vector<std::string> Tokenizer::terms_of(const TextFragment& fragment) const
{
    const std::string& text = fragment.text;
    std::vector<std::string> terms;
    // A longer separator may begin before the fragment and cut it elsewhere.
    const bool short_separators =
        std::all_of(separators.begin(), separators.end(),
                    [](const std::string& separator) { return separator.size() == 1; });
    if ((kind == Kind::Whole || (kind == Kind::Pieces && !short_separators)) && !fragment.whole())
        return terms;
    const auto closes = [&](Edge edge)
    {
        return kind == Kind::Ngrams || edge == Edge::Value ||
               (edge == Edge::Word && kind == Kind::Words);
    };
    for_terms(*this, text,
              [&](size_t begin, size_t end)
              {
                  if ((begin > 0 || closes(fragment.left)) &&
                      (end < text.size() || closes(fragment.right)))
                      terms.push_back(text.substr(begin, end - begin));
              });
    return terms;
}

} // namespace basalt
