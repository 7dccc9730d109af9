// extractKeyValuePairs, extractKeyValuePairsWithEscaping.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <array>

namespace basalt
{
namespace
{

struct PairRules
{
    char delimiter = ':';
    bool quoting = true;
    char quote = '"';
    std::array<bool, 256> ends_pair{};
    bool escaping = false;
};

bool ends(const PairRules& rules, char c)
{
    return rules.ends_pair[static_cast<unsigned char>(c)];
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The character that the escape at `at` (after the backslash) means; moves past it.
char unescape(std::string_view text, size_t& at)
{
    const char c = text[at++];
    switch (c)
    {
        case 'n': return '\n';
        case 't': return '\t';
        case 'r': return '\r';
        case '0': return '\0';
        case 'a': return '\a';
        case 'b': return '\b';
        case 'e': return '\x1B';
        case 'f': return '\f';
        case 'v': return '\v';
        case 'x':
            if (at + 1 < text.size() && hex_digit(text[at]) >= 0 && hex_digit(text[at + 1]) >= 0)
            {
                const int value = hex_digit(text[at]) * 16 + hex_digit(text[at + 1]);
                at += 2;
                return static_cast<char>(value);
            }
            return c;
        default: return c;
    }
}

// Walks over one text: keys and values by turns, bare or quoted.
class PairScanner
{
public:
    PairScanner(std::string_view text, const PairRules& rules) : text_(text), rules_(rules) {}

    // False at the end.
    bool next(std::string& key, std::string& value)
    {
        while (at_ < text_.size())
        {
            if (ends(rules_, text_[at_]) || text_[at_] == rules_.delimiter)
            {
                ++at_;
                continue;
            }
            if (read_key(key) && read_value(value))
                return true;
        }
        return false;
    }

private:
    bool is_quote(char c) const { return rules_.quoting && c == rules_.quote; }
    bool take_escape(std::string& out)
    {
        if (!rules_.escaping || text_[at_] != '\\')
            return false;
        if (++at_ < text_.size())
            out += unescape(text_, at_);
        return true;
    }
    // After the opening quote; false when it is not closed.
    bool read_quoted(std::string& out)
    {
        out.clear();
        for (++at_; at_ < text_.size();)
        {
            if (is_quote(text_[at_]))
            {
                ++at_;
                return true;
            }
            if (!take_escape(out))
                out += text_[at_++];
        }
        return false;
    }
    bool read_key(std::string& key)
    {
        key.clear();
        while (at_ < text_.size())
        {
            const char c = text_[at_];
            if (is_quote(c))
            {
                if (!read_quoted(key) || key.empty() || at_ >= text_.size() ||
                    text_[at_] != rules_.delimiter)
                    return false;
                ++at_;
                return true;
            }
            if (c == rules_.delimiter)
            {
                ++at_;
                return !key.empty();
            }
            if (ends(rules_, c))
                return false; // a key without value
            if (!take_escape(key))
                key += text_[at_++];
        }
        return false;
    }
    bool read_value(std::string& value)
    {
        value.clear();
        while (at_ < text_.size() && !ends(rules_, text_[at_]))
        {
            // A quote begins the value anew.
            if (is_quote(text_[at_]))
                return read_quoted(value);
            if (!take_escape(value))
                value += text_[at_++];
        }
        return true;
    }

    std::string_view text_;
    const PairRules& rules_;
    size_t at_ = 0;
};

PairRules rules_of(std::string_view name, const Arguments& arguments)
{
    PairRules rules;
    rules.escaping = name.ends_with("WithEscaping");
    const auto control = [&](size_t argument, char fallback) -> std::optional<char>
    {
        if (arguments.size() <= argument)
            return fallback;
        const std::string text = constant_text(name, arguments, argument);
        if (text.size() > 1)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "A control character argument must either be empty or contain exactly 1 "
                        "character");
        return text.empty() ? std::nullopt : std::optional(text[0]);
    };
    rules.delimiter = control(1, ':').value_or(':');
    const std::string ends_pair =
        arguments.size() > 2 ? constant_text(name, arguments, 2) : " ,;";
    for (const char c : ends_pair)
        rules.ends_pair[static_cast<unsigned char>(c)] = true;
    const auto quote = control(3, '"');
    rules.quoting = quote.has_value();
    rules.quote = quote.value_or(0);
    if (arguments.size() > 4 && constant_text(name, arguments, 4) != "promote")
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Function {} knows only the strategy 'promote' for unexpected "
                                "quotes",
                                name));
    return rules;
}

TypePtr pairs_type(const TypeCall& call)
{
    rules_of(call.name, call.arguments);
    return std::make_shared<MapType>(simple_type(TypeId::String), simple_type(TypeId::String));
}

ColumnPtr run_pairs(const Call& call)
{
    const PairRules rules = rules_of(call.name, call.arguments);
    const uint64_t most =
        call.context.settings.get_uint("extract_key_value_pairs_max_pairs_per_row");
    const StringRows rows(call.column(0));
    StringWriter keys(call.rows);
    StringWriter values(call.rows);
    PodVector<uint64_t> offsets(call.rows);
    std::string key, value;
    for (size_t i = 0; i < call.rows; ++i)
    {
        PairScanner scanner(rows[i], rules);
        uint64_t pairs = 0;
        while (scanner.next(key, value))
        {
            if (++pairs > most && most != 0)
                throw Error(error_codes::LIMIT_EXCEEDED,
                            fmt::format("More than {} key-value pairs in a row "
                                        "(extract_key_value_pairs_max_pairs_per_row)",
                                        most));
            keys.row(key);
            values.row(value);
        }
        offsets[i] = keys.column().offsets().size();
    }
    const size_t size = keys.column().size();
    return make_array(TupleColumn::make({keys.finish(), values.finish()}, size),
                      std::move(offsets));
}

constexpr FunctionSpec kPairs{"extractKeyValuePairs", "s [ s! s! s! s!", pairs_type, run_pairs, 0,
                              "str_to_map* mapFromString"};
constexpr FunctionSpec kEscaped{"extractKeyValuePairsWithEscaping", "s [ s! s! s! s!", pairs_type,
                                run_pairs};

} // namespace

void register_key_value_pairs(ScalarRegistry& registry)
{
    add_all<kPairs, kEscaped>(registry);
}

} // namespace basalt
