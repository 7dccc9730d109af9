#pragma once

// Texts to the terms that filters hold: words, n-grams, pieces between separators, whole values.
// Terms are hashed in ASCII lower case, so that the same filter answers questions of either kind.

#include "storage/condition/value_claims.h"

#include <vector>

namespace basalt
{

struct Tokenizer
{
    enum class Kind : uint8_t
    {
        Words,  // runs of ASCII letters, digits and bytes over 127
        Ngrams, // each n bytes in a row
        Pieces, // between separators
        Whole,
    } kind = Kind::Words;
    size_t n = 3;
    std::vector<std::string> separators;

    // lower: a text in lower case. Appends hashes of its terms.
    void add_hashes(std::string_view lower, std::vector<uint64_t>& hashes) const;
    // Terms that stand in every text which holds the fragment (as it is written).
    std::vector<std::string> terms_of(const TextFragment& fragment) const;
};

// Of up to 8 bytes a mix of them and their number, of more XXH3-64.
uint64_t term_hash(std::string_view lower);

} // namespace basalt
