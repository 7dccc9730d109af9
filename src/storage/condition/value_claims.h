#pragma once

// What a predicate that is true says of values: texts that they must hold, values that they must
// be. Filters of words, n-grams and whole values ask these instead of each spelling, so that all
// spellings of a condition choose the same granules.

#include "storage/condition/condition.h"

#include <optional>

namespace basalt
{

// A text that stands somewhere in a value.
struct TextFragment
{
    enum class Edge : uint8_t
    {
        Open,  // anything may stand beside it
        Word,  // the end of the value, or a byte that is no ASCII letter or digit and below 128
        Value, // the end of the value
    };
    std::string text;
    Edge left = Edge::Open;
    Edge right = Edge::Open;

    bool whole() const { return left == Edge::Value && right == Edge::Value; }
};

struct ValueTerm
{
    // Of what the value equals; then, if it is a text, the fragment says the same.
    ExpressionPtr constant;
    std::optional<TextFragment> fragment;
};

// One of the alternatives holds, and of it each term. About an array: of some element each.
struct ValueClaim
{
    std::string argument; // fingerprint of the expression
    // Texts are in lower case and say something of the value in (ASCII) lower case only.
    bool folded = false;
    std::vector<std::vector<ValueTerm>> any_of;
};

inline constexpr size_t kMaxClaimAlternatives = 1000;

// Sound, not complete: nothing is claimed of what is not understood.
std::vector<ValueClaim> claims_of(const ConditionAtom& atom, const QueryContext& context);

// As lower() does: ASCII letters only.
std::string ascii_lower(std::string text);
void make_ascii_lower(std::string& text);

} // namespace basalt
