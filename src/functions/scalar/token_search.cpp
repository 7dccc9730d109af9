// hasAnyTokens, hasAllTokens, hasPhrase: words of a text, a word being a run of ASCII letters,
// digits and bytes over 127.

#include "base/substring_search.h"
#include "functions/scalar/column_rows.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

bool is_separator(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 && !((u >= '0' && u <= '9') || ((u | 0x20) >= 'a' && (u | 0x20) <= 'z'));
}

std::vector<std::string> tokens_of(std::string_view text)
{
    std::vector<std::string> tokens;
    for (size_t at = 0; at < text.size();)
    {
        while (at < text.size() && is_separator(text[at]))
            ++at;
        const size_t begin = at;
        while (at < text.size() && !is_separator(text[at]))
            ++at;
        if (at > begin)
            tokens.emplace_back(text.substr(begin, at - begin));
    }
    return tokens;
}

// The needles: an array's texts as they are, or the words of a text.
std::vector<std::string> needles_of(std::string_view name, const Arguments& arguments)
{
    const Value value = constant_value(name, arguments, 1);
    if (const auto* text = value.get_if<std::string>())
        return tokens_of(*text);
    const auto* array = value.get_if<ArrayValue>();
    if (!array)
        throw_illegal_type(name, arguments, 1, "String or Array(String)");
    std::vector<std::string> needles;
    for (const Value& item : array->items)
    {
        const auto* text = item.get_if<std::string>();
        if (!text)
            throw_illegal_type(name, arguments, 1, "String or Array(String)");
        needles.push_back(*text);
    }
    return needles;
}

void check_tokenizer(const TypeCall& call)
{
    if (call.size() > 2 && constant_text(call.name, call.arguments, 2) != "splitByNonAlpha")
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Function {} knows only the tokenizer splitByNonAlpha", call.name));
}

TypePtr tokens_type(const TypeCall& call)
{
    check_tokenizer(call);
    if (call.type(0)->is(TypeId::Array) &&
        !type_as<ArrayType>(call.type(0)).nested()->is(TypeId::String))
        throw_illegal_type(call.name, call.arguments, 0, "String or Array(String)");
    needles_of(call.name, call.arguments);
    return simple_type(TypeId::UInt8);
}

bool stands_alone(std::string_view text, size_t begin, size_t size)
{
    return (begin == 0 || is_separator(text[begin - 1])) &&
           (begin + size == text.size() || is_separator(text[begin + size]));
}

// Marks the rows that hold the token as a word of its own.
void mark_token(const StringRows& rows, size_t count, const std::string& token, Mask& hits)
{
    std::memset(hits.data(), 0, count);
    if (token.empty())
        return;
    for (const char c : token)
        if (is_separator(c))
            return; // never one word
    const SubstringSearcher searcher(token);
    if (rows.offsets())
    {
        const uint64_t* offsets = rows.offsets();
        searcher.for_each(rows.chars(), offsets, count,
                          [&](size_t row, uint64_t position)
                          {
                              const uint64_t begin = row ? offsets[row - 1] : 0;
                              if (!stands_alone(rows[row], position - begin, token.size()))
                                  return position + 1;
                              hits[row] = 1;
                              return offsets[row];
                          });
        return;
    }
    for (size_t i = 0; i < count; ++i)
    {
        const std::string_view text = rows[i];
        for (size_t at = 0; at <= text.size() && (at = searcher.find(text, at)) != text.npos; ++at)
            if (stands_alone(text, at, token.size()))
            {
                hits[i] = 1;
                break;
            }
    }
}

template <bool kAll> ColumnPtr run_tokens(const Call& call)
{
    const std::vector<std::string> needles = needles_of(call.name, call.arguments);
    auto result =
        std::make_shared<VectorColumn<uint8_t>>(call.rows, kAll && !needles.empty() ? 1 : 0);
    Mask hits(call.rows);
    if (call.rows == 0)
        return result;
    uint8_t* out = result->data().data();
    if (call.type(0)->is(TypeId::Array))
    {
        // The items are the words.
        const ArrayRows arrays(call.column(0));
        const StringRows items(arrays.items());
        for (const std::string& needle : needles)
            for (size_t i = 0; i < call.rows; ++i)
            {
                uint8_t found = 0;
                for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
                    found |= items[j] == needle;
                out[i] = kAll ? out[i] & found : out[i] | found;
            }
        return result;
    }
    const StringRows rows(call.column(0));
    for (const std::string& needle : needles)
    {
        mark_token(rows, call.rows, needle, hits);
        for (size_t i = 0; i < call.rows; ++i)
            out[i] = kAll ? out[i] & hits[i] : out[i] | hits[i];
    }
    return result;
}

TypePtr phrase_type(const TypeCall& call)
{
    check_tokenizer(call);
    return simple_type(TypeId::UInt8);
}

// The words of the phrase one after another, whatever separates them.
bool has_phrase(std::string_view text, const std::vector<std::string>& phrase)
{
    if (phrase.empty())
        return false;
    size_t matched = 0;
    std::vector<std::string> words = tokens_of(text);
    for (size_t begin = 0; begin + phrase.size() <= words.size(); ++begin)
    {
        matched = 0;
        while (matched < phrase.size() && words[begin + matched] == phrase[matched])
            ++matched;
        if (matched == phrase.size())
            return true;
    }
    return false;
}

ColumnPtr run_phrase(const Call& call)
{
    const std::vector<std::string> phrase =
        tokens_of(constant_text(call.name, call.arguments, 1));
    const StringRows rows(call.column(0));
    Mask hits(call.rows);
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    if (phrase.empty() || call.rows == 0)
        return result;
    mark_token(rows, call.rows, phrase[0], hits);
    for (size_t i = 0; i < call.rows; ++i)
        result->data()[i] = hits[i] && has_phrase(rows[i], phrase);
    return result;
}

constexpr FunctionSpec kAny{"hasAnyTokens", "sa sa! [ s!", tokens_type, run_tokens<false>, 0,
                            "hasAnyToken"};
constexpr FunctionSpec kAll{"hasAllTokens", "sa sa! [ s!", tokens_type, run_tokens<true>, 0,
                            "hasAllToken"};
constexpr FunctionSpec kPhrase{"hasPhrase", "s s! [ s!", phrase_type, run_phrase, 0,
                               "matchPhrase"};

} // namespace

void register_token_search(ScalarRegistry& registry)
{
    add_all<kAny, kAll, kPhrase>(registry);
}

} // namespace basalt
