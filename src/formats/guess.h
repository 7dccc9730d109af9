#pragma once

// What a value may be, and what two values may both be. Used by infer_header().

#include "columns/text_cursor.h"
#include "columns/type.h"
#include "formats/format.h"

#include <string>
#include <vector>

namespace basalt
{

struct Guess
{
    enum class Kind : uint8_t
    {
        Nothing, // NULL
        Bool,
        Int,
        UInt, // beyond Int64
        Float,
        Date,
        DateTime,
        DateTime64,
        String,
        Array, // of parts[0]
        Tuple, // of parts
        Named, // of parts with names: a JSON object
        Map,   // of parts[0] to parts[1]
    } kind = Kind::Nothing;
    std::vector<Guess> parts = {};
    std::vector<std::string> names = {};

    bool operator==(const Guess&) const = default;
};

struct GuessRules
{
    bool integers = true, dates = true, datetimes = true, exponents = false;

    static GuessRules from(const Settings& settings);
};

// Deeper values are not guessed.
inline constexpr size_t kMaxGuessDepth = 64;

// The type of text that stands alone in a field: tab_separated: a field of TSV, otherwise of CSV.
Guess guess_field(std::string_view text, const GuessRules& rules, bool tab_separated);
// Of text in quotes: a date, a time or String.
Guess guess_text(std::string_view text, const GuessRules& rules);
// Of a JSON value at the cursor. False after cursor.fail().
bool guess_json(TextCursor& cursor, const GuessRules& rules, Guess& guess, size_t depth = 0);

// Makes `into` what both may be; false when there is nothing.
bool unite_fields(Guess& into, const Guess& other);
// texts_take_scalars: numbers and Bools may be read as String.
bool unite_json(Guess& into, const Guess& other, bool texts_take_scalars);

// The column type: Nullable where it may be, String for what was never seen.
TypePtr type_of_guess(const Guess& guess);

} // namespace basalt
