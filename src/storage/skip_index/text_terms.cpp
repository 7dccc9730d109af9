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

constexpr size_t kShortTerm = 8;

uint64_t mixed(uint64_t bytes, size_t size)
{
    uint64_t x = bytes ^ (size * 0x9E3779B97F4A7C15ull);
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ull;
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ull;
    return x ^ (x >> 32);
}

// n (at most 8) bytes in a row.
void add_short_ngrams(std::string_view text, size_t n, std::vector<uint64_t>& hashes)
{
    if (text.size() < n)
        return;
    const uint64_t mask = n == kShortTerm ? ~uint64_t{0} : (uint64_t{1} << (n * 8)) - 1;
    const size_t count = text.size() - n + 1;
    const size_t before = hashes.size();
    hashes.resize(before + count);
    uint64_t* out = hashes.data() + before;
    size_t at = 0;
    for (; at + kShortTerm <= text.size() && at < count; ++at)
        out[at] = mixed(load<uint64_t>(text.data() + at) & mask, n);
    for (; at < count; ++at)
        out[at] = term_hash(text.substr(at, n));
}

template <class Term> void for_terms(const Tokenizer& tokenizer, std::string_view text, Term&& term)
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
    if (lower.size() <= kShortTerm)
    {
        uint64_t bytes = 0;
        std::memcpy(&bytes, lower.data(), lower.size());
        return mixed(bytes, lower.size());
    }
    return xxh3_64(lower.data(), lower.size());
}

void Tokenizer::add_hashes(std::string_view lower, std::vector<uint64_t>& hashes) const
{
    if (kind == Kind::Ngrams && n <= kShortTerm)
        return add_short_ngrams(lower, n, hashes);
    for_terms(*this, lower,
              [&](size_t begin, size_t end)
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
