// replaceOne, replaceAll, replaceRegexpOne, replaceRegexpAll, translate.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/regexp.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>

#include <array>

namespace basalt
{
namespace
{

template <bool kAll> ColumnPtr run_replace(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows needles(call.column(1));
    const StringRows replacements(call.column(2));
    StringWriter out(call.rows, rows.chars_size());
    std::optional<SubstringSearcher> searcher;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (!searcher || (!needles.constant() && searcher->needle() != needles[i]))
            searcher.emplace(needles[i]);
        const std::string_view text = rows[i];
        const size_t needle_size = searcher->needle().size();
        size_t from = 0;
        if (needle_size != 0)
            for (size_t hit; (hit = searcher->find(text, from)) != text.npos;)
            {
                out.write(text.substr(from, hit - from));
                out.write(replacements[i]);
                from = hit + needle_size;
                if (!kAll)
                    break;
            }
        out.row(text.substr(from));
    }
    return out.finish();
}

// A replacement split at \0 … \9: texts and group numbers in turn.
struct Instruction
{
    std::string text;
    int group = -1;
};

std::vector<Instruction> parse_replacement(std::string_view text, size_t captures)
{
    std::vector<Instruction> result;
    std::string literal;
    for (size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] == '\\' && i + 1 < text.size())
        {
            const char next = text[i + 1];
            if (next >= '0' && next <= '9')
            {
                if (static_cast<size_t>(next - '0') > captures)
                    throw Error(error_codes::BAD_ARGUMENTS,
                                fmt::format("Substitution '\\{}' in the replacement is invalid, "
                                            "the regexp has only {} capturing groups",
                                            next, captures));
                if (!literal.empty())
                    result.push_back({std::move(literal), -1});
                literal.clear();
                result.push_back({"", next - '0'});
                ++i;
                continue;
            }
            if (next == '\\')
            {
                literal += '\\';
                ++i;
                continue;
            }
        }
        literal += text[i];
    }
    if (!literal.empty())
        result.push_back({std::move(literal), -1});
    return result;
}

template <bool kAll>
void replace_matches(StringWriter& out, std::string_view text, const Regexp& regexp,
                     const std::vector<Instruction>& instructions, bool anchored,
                     std::vector<re2::StringPiece>& groups)
{
    size_t copied = 0;
    size_t from = 0;
    while (from <= text.size() && regexp.find(text, from, groups))
    {
        const auto begin = static_cast<size_t>(groups[0].data() - text.data());
        out.write(text.substr(copied, begin - copied));
        for (const Instruction& instruction : instructions)
        {
            if (instruction.group < 0)
                out.write(instruction.text);
            else if (const auto& group = groups[static_cast<size_t>(instruction.group)];
                     group.data())
                out.write(std::string_view(group.data(), group.size()));
        }
        copied = begin + groups[0].size();
        if (!kAll || anchored)
            break;
        from = copied;
        if (groups[0].empty())
        {
            // After an empty match one byte is passed over.
            if (copied >= text.size())
                break;
            out.write(text[copied]);
            from = ++copied;
        }
    }
    out.write(text.substr(std::min(copied, text.size())));
    out.end_row();
}

template <bool kAll> ColumnPtr run_replace_regexp(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows patterns(call.column(1));
    const StringRows replacements(call.column(2));
    StringWriter out(call.rows, rows.chars_size());
    RegexpCache cache;
    std::vector<Instruction> instructions;
    std::string_view last_pattern;
    std::string_view last_replacement;
    std::vector<re2::StringPiece> groups;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view pattern = patterns[i];
        if (pattern.empty())
        {
            out.row(rows[i]);
            continue;
        }
        const Regexp& regexp = cache.get(pattern);
        if (i == 0 || pattern != last_pattern || replacements[i] != last_replacement)
        {
            instructions = parse_replacement(replacements[i], regexp.captures());
            groups.resize(regexp.captures() + 1);
            last_pattern = pattern;
            last_replacement = replacements[i];
        }
        if (regexp.required() && !regexp.required()->in(rows[i]))
            out.row(rows[i]);
        else
            replace_matches<kAll>(out, rows[i], regexp, instructions, pattern[0] == '^', groups);
    }
    return out.finish();
}

[[noreturn]] void throw_shorter(std::string_view name, size_t from, size_t to)
{
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Second argument of function {} must not be shorter than the third, "
                            "their sizes are {} and {}",
                            name, from, to));
}

ColumnPtr run_translate(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows froms(call.column(1));
    const StringRows tos(call.column(2));
    constexpr int kDrop = 256;
    std::array<int, 256> map{};
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (i == 0 || !froms.constant() || !tos.constant())
        {
            const std::string_view from = froms[i];
            const std::string_view to = tos[i];
            if (from.size() < to.size())
                throw_shorter(call.name, from.size(), to.size());
            for (int c = 0; c < 256; ++c)
                map[static_cast<size_t>(c)] = c;
            for (size_t j = 0; j < from.size(); ++j)
                map[static_cast<unsigned char>(from[j])] =
                    j < to.size() ? static_cast<unsigned char>(to[j]) : kDrop;
        }
        const std::string_view text = rows[i];
        char* const begin = out.room(text.size());
        char* at = begin;
        for (const char c : text)
        {
            const int mapped = map[static_cast<unsigned char>(c)];
            *at = static_cast<char>(mapped);
            at += mapped != kDrop;
        }
        out.advance(static_cast<size_t>(at - begin));
        out.end_row();
    }
    return out.finish();
}

std::vector<std::string_view> split_points(std::string_view text)
{
    std::vector<std::string_view> points;
    for (size_t at = 0; at < text.size();)
    {
        const size_t n = std::min(utf8_sequence_length(text[at]), text.size() - at);
        points.push_back(text.substr(at, n));
        at += n;
    }
    return points;
}

ColumnPtr run_translate_utf8(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows froms(call.column(1));
    const StringRows tos(call.column(2));
    std::map<std::string_view, std::string_view> map;
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (i == 0 || !froms.constant() || !tos.constant())
        {
            map.clear();
            const auto from = split_points(froms[i]);
            const auto to = split_points(tos[i]);
            if (from.size() < to.size())
                throw_shorter(call.name, from.size(), to.size());
            for (size_t j = 0; j < from.size(); ++j)
                map[from[j]] = j < to.size() ? to[j] : std::string_view();
        }
        for (const std::string_view point : split_points(rows[i]))
        {
            const auto found = map.find(point);
            out.write(found == map.end() ? point : found->second);
        }
        out.end_row();
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kReplaceOne{"replaceOne", "s s s", kString, run_replace<false>};
constexpr FunctionSpec kReplaceAll{"replaceAll", "s s s", kString, run_replace<true>, 0,
                                   "replace*"};
constexpr FunctionSpec kRegexpOne{"replaceRegexpOne", "s s s", kString,
                                  run_replace_regexp<false>};
constexpr FunctionSpec kRegexpAll{"replaceRegexpAll", "s s s", kString, run_replace_regexp<true>,
                                  0, "REGEXP_REPLACE*"};
constexpr FunctionSpec kTranslate{"translate", "s s s", kString, run_translate};
constexpr FunctionSpec kTranslateUtf8{"translateUTF8", "s s s", kString, run_translate_utf8};

} // namespace

void register_replace(ScalarRegistry& registry)
{
    add_all<kReplaceOne, kReplaceAll, kRegexpOne, kRegexpAll, kTranslate, kTranslateUtf8>(
        registry);
}

} // namespace basalt
