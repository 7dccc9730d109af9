// match, extract*, regexpExtract, regexpPosition, countMatches, regexpQuoteMeta, multiMatch*.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/regexp.h"

#include <fmt/core.h>
#include <re2/set.h>

namespace basalt
{
namespace
{

using Groups = std::vector<re2::StringPiece>;

std::string_view view(const re2::StringPiece& piece)
{
    return {piece.data(), piece.size()};
}

ColumnPtr run_match(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const StringRows patterns(call.column(1));
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows);
    uint8_t* hits = result->data().data();
    if (call.rows == 0)
        return result;
    const StringRows rows(source);
    RegexpCache cache;
    if (patterns.constant() && rows.offsets())
        cache.get(patterns[0]).mark_rows(rows.chars(), rows.offsets(), call.rows, hits);
    else
        for (size_t i = 0; i < call.rows; ++i)
            hits[i] = cache.get(patterns[i]).matches(rows[i]);
    return result;
}

ColumnPtr run_extract(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows patterns(call.column(1));
    RegexpCache cache;
    StringWriter out(call.rows);
    Groups groups;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const Regexp& regexp = cache.get(patterns[i]);
        groups.resize(regexp.captures() ? 2 : 1);
        const std::string_view text = rows[i];
        if (!(regexp.required() && !regexp.required()->in(text)) && regexp.find(text, 0, groups))
            out.write(view(groups.back()));
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_regexp_extract(const Call& call)
{
    const StringRows rows(call.column(0));
    const std::string pattern = constant_text(call.name, call.arguments, 1);
    const Regexp regexp(pattern);
    std::optional<IntegerRows> indexes;
    if (call.size() == 3)
        indexes.emplace(call[2]);
    Groups groups(regexp.captures() + 1);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int64_t index = indexes ? (*indexes)[i] : groups.size() > 1 ? 1 : 0;
        if (index < 0 || static_cast<size_t>(index) >= groups.size())
            throw Error(error_codes::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE,
                        fmt::format("Index {} of the pattern '{}' in function {} is out of range, "
                                    "should be in [0, {})",
                                    index, pattern, call.name, groups.size()));
        if (regexp.find(rows[i], 0, groups))
            out.write(view(groups[static_cast<size_t>(index)]));
        out.end_row();
    }
    return out.finish();
}

// Calls f for every non-empty match from left to right; f returns false to stop.
template <class F>
void for_each_match(const Regexp& regexp, std::string_view text, Groups& groups, F&& f)
{
    size_t from = 0;
    while (from <= text.size() && regexp.find(text, from, groups))
    {
        if (groups[0].empty())
        {
            from = static_cast<size_t>(groups[0].data() - text.data()) + 1;
            continue;
        }
        if (!f())
            return;
        from = static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
    }
}

ColumnPtr run_extract_all(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows patterns(call.column(1));
    RegexpCache cache;
    StringWriter out(call.rows);
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    Groups groups;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const Regexp& regexp = cache.get(patterns[i]);
        groups.resize(regexp.captures() ? 2 : 1);
        for_each_match(regexp, rows[i], groups,
                       [&]
                       {
                           out.row(view(groups.back()));
                           return true;
                       });
        offsets->data()[i] = out.column().offsets().size();
    }
    return ArrayColumn::make(out.finish(), offsets);
}

void check_groups(const Regexp& regexp, const std::string& pattern)
{
    if (regexp.captures() == 0)
        throw Error(error_codes::BAD_ARGUMENTS, "There are no groups in regexp: " + pattern);
}

// kVertical: one array per match; else one array per group.
template <bool kVertical> ColumnPtr run_extract_all_groups(const Call& call)
{
    const StringRows rows(call.column(0));
    const std::string pattern = constant_text(call.name, call.arguments, 1);
    const Regexp regexp(pattern);
    check_groups(regexp, pattern);
    const size_t captures = regexp.captures();
    Groups groups(captures + 1);
    StringWriter out(call.rows);
    auto inner = std::make_shared<VectorColumn<uint64_t>>();
    auto outer = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    std::vector<std::vector<re2::StringPiece>> by_group(captures);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for_each_match(regexp, rows[i], groups,
                       [&]
                       {
                           for (size_t g = 0; g < captures; ++g)
                               if (kVertical)
                                   out.row(view(groups[g + 1]));
                               else
                                   by_group[g].push_back(groups[g + 1]);
                           if (kVertical)
                               inner->data().push_back(out.column().offsets().size());
                           return true;
                       });
        if (!kVertical)
            for (auto& found : by_group)
            {
                for (const auto& piece : found)
                    out.row(view(piece));
                found.clear();
                inner->data().push_back(out.column().offsets().size());
            }
        outer->data()[i] = inner->size();
    }
    return ArrayColumn::make(ArrayColumn::make(out.finish(), inner), outer);
}

ColumnPtr run_extract_groups(const Call& call)
{
    const StringRows rows(call.column(0));
    const std::string pattern = constant_text(call.name, call.arguments, 1);
    const Regexp regexp(pattern);
    check_groups(regexp, pattern);
    Groups groups(regexp.captures() + 1);
    StringWriter out(call.rows);
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (regexp.find(rows[i], 0, groups))
            for (size_t g = 1; g < groups.size(); ++g)
                out.row(view(groups[g]));
        offsets->data()[i] = out.column().offsets().size();
    }
    return ArrayColumn::make(out.finish(), offsets);
}

// RE2's flags for those of regexpPosition: a newline is met by "." only when asked for.
std::string flags_prefix(const Call& call, std::string_view flags)
{
    bool fold = false;
    bool lines = false;
    bool dot = false;
    for (const char flag : flags)
        switch (flag)
        {
            case 'i': fold = true; break;
            case 'c': fold = false; break;
            case 'm': lines = true; break;
            case 's': dot = true; break;
            case 'n': dot = false; break;
            default:
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Unknown regex flag '{}' for function {}. Supported flags "
                                        "are 'i', 'c', 'm', 'n', 's'",
                                        flag, call.name));
        }
    std::string prefix = "(?";
    if (fold)
        prefix += 'i';
    if (lines)
        prefix += 'm';
    if (dot)
        prefix += 's';
    else
        prefix += "-s";
    return prefix + ")";
}

// haystack, pattern [, position, occurrence, return_option, flags, group]
ColumnPtr run_regexp_position(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows patterns(call.column(1));
    std::vector<IntegerRows> numbers;
    for (const size_t argument : {2, 3, 4, 6})
        if (call.size() > argument)
            numbers.emplace_back(call[argument]);
    const std::string prefix = flags_prefix(
        call, call.size() > 5 ? constant_text(call.name, call.arguments, 5) : std::string());
    const auto number = [&](size_t which, size_t row, int64_t otherwise)
    { return numbers.size() > which ? numbers[which][row] : otherwise; };
    const auto refuse = [&](const char* argument, const char* wanted, int64_t value)
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Argument '{}' for function {} must be {}, got {}", argument,
                                call.name, wanted, value));
    };
    RegexpCache cache;
    Groups groups;
    return map_rows<uint64_t>(
        call.rows,
        [&](size_t i) -> uint64_t
        {
            const std::string_view text = rows[i];
            const int64_t position = number(0, i, 1);
            int64_t occurrence = number(1, i, 1);
            const int64_t option = number(2, i, 0);
            const int64_t group = number(3, i, 0);
            if (position < 1)
                refuse("position", ">= 1", position);
            if (occurrence < 1)
                refuse("occurrence", ">= 1", occurrence);
            if (option != 0 && option != 1)
                refuse("return_option", "0 or 1", option);
            const Regexp& regexp = cache.get(prefix + std::string(patterns[i]));
            if (group < 0 || group > static_cast<int64_t>(regexp.captures()))
                throw Error(error_codes::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE,
                            fmt::format("Argument 'subexpression' value {} for regexp pattern `{}` "
                                        "in function {} is out-of-range, should be in [0, {}]",
                                        group, patterns[i], call.name, regexp.captures()));
            groups.resize(static_cast<size_t>(group) + 1);
            size_t from = static_cast<size_t>(position) - 1;
            if (from > text.size())
                return 0;
            while (regexp.find(text, from, groups))
            {
                const auto begin = static_cast<size_t>(groups[0].data() - text.data());
                if (--occurrence > 0)
                {
                    from = begin + std::max<size_t>(groups[0].size(), 1);
                    if (from > text.size())
                        return 0;
                    continue;
                }
                const auto& found = groups[static_cast<size_t>(group)];
                if (!found.data())
                    return 0;
                const auto at = static_cast<uint64_t>(found.data() - text.data()) + 1;
                return option == 0 ? at : at + found.size();
            }
            return 0;
        });
}

template <bool kFold> ColumnPtr run_count_matches(const Call& call)
{
    const StringRows rows(call.column(0));
    const Regexp regexp(constant_text(call.name, call.arguments, 1), kFold);
    Groups groups(1);
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              {
                                  uint64_t count = 0;
                                  for_each_match(regexp, rows[i], groups,
                                                 [&]
                                                 {
                                                     ++count;
                                                     return true;
                                                 });
                                  return count;
                              });
}

ColumnPtr run_quote_meta(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(quote_regexp(rows[i]));
    return out.finish();
}

// multiMatch*: the patterns as one automaton.
class PatternSet
{
public:
    explicit PatternSet(std::vector<std::string> patterns)
        : set_(options(), re2::RE2::UNANCHORED), size_(patterns.size()),
          patterns_(std::move(patterns)), single_(size_)
    {
        for (const std::string& pattern : patterns_)
        {
            std::string error;
            if (set_.Add(pattern, &error) < 0)
                throw Error(error_codes::CANNOT_COMPILE_REGEXP,
                            "Cannot compile the regular expression '" + pattern + "': " + error);
        }
        if (size_ != 0 && !set_.Compile())
            throw Error(error_codes::CANNOT_COMPILE_REGEXP,
                        "The regular expressions need too much memory together");
    }
    // Numbers of the patterns that match, ascending.
    const std::vector<int>& find(std::string_view text)
    {
        found_.clear();
        if (size_ != 0)
            set_.Match({text.data(), text.size()}, &found_);
        std::sort(found_.begin(), found_.end());
        return found_;
    }

    // The same in the order in which matches end first, as one automaton reports them.
    const std::vector<int>& find_ordered(std::string_view text)
    {
        find(text);
        if (found_.size() < 2)
            return found_;
        ends_.clear();
        for (const int number : found_)
            ends_.emplace_back(first_end(number, text), number);
        std::sort(ends_.begin(), ends_.end());
        for (size_t i = 0; i < ends_.size(); ++i)
            found_[i] = ends_[i].second;
        return found_;
    }

private:
    // The shortest beginning of the text in which the pattern matches.
    size_t first_end(int number, std::string_view text)
    {
        auto& single = single_[static_cast<size_t>(number)];
        if (!single)
            single = std::make_unique<re2::RE2>(patterns_[static_cast<size_t>(number)], options());
        size_t low = 0;
        size_t high = text.size();
        while (low < high)
        {
            const size_t middle = low + (high - low) / 2;
            if (single->Match({text.data(), text.size()}, 0, middle, re2::RE2::UNANCHORED, nullptr,
                              0))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    static re2::RE2::Options options()
    {
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_dot_nl(true);
        options.set_max_mem(256 << 20);
        return options;
    }
    re2::RE2::Set set_;
    size_t size_;
    std::vector<std::string> patterns_;
    std::vector<std::unique_ptr<re2::RE2>> single_; // made when asked for
    std::vector<int> found_;
    std::vector<std::pair<size_t, int>> ends_;
};

std::vector<std::string> patterns_at(const ArrayRows& arrays, size_t row)
{
    std::vector<std::string> patterns;
    for (size_t j = arrays.begin(row); j < arrays.end(row); ++j)
        patterns.push_back(arrays.items()->value_at(j).get<std::string>());
    return patterns;
}

template <class F> void for_each_set(const Call& call, F&& f)
{
    const StringRows rows(call.column(0));
    const ArrayRows arrays(call.column(1));
    std::optional<PatternSet> set;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (!set || !arrays.constant())
            set.emplace(patterns_at(arrays, i));
        f(i, *set, rows[i]);
    }
}

ColumnPtr run_multi_match_any(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows);
    for_each_set(call, [&](size_t i, PatternSet& set, std::string_view text)
                 { result->data()[i] = !set.find(text).empty(); });
    return result;
}

ColumnPtr run_multi_match_index(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for_each_set(call,
                 [&](size_t i, PatternSet& set, std::string_view text)
                 {
                     const std::vector<int>& found = set.find_ordered(text);
                     result->data()[i] =
                         found.empty() ? 0 : static_cast<uint64_t>(found.front()) + 1;
                 });
    return result;
}

ColumnPtr run_multi_match_all(const Call& call)
{
    auto items = std::make_shared<VectorColumn<uint64_t>>();
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for_each_set(call,
                 [&](size_t i, PatternSet& set, std::string_view text)
                 {
                     for (const int number : set.find_ordered(text))
                         items->data().push_back(static_cast<uint64_t>(number) + 1);
                     offsets->data()[i] = items->size();
                 });
    return ArrayColumn::make(items, offsets);
}

template <TypeId kId> TypePtr multi_match_type(const TypeCall& call)
{
    if (!type_as<ArrayType>(call.type(1)).nested()->is(TypeId::String))
        throw_illegal_type(call.name, call.arguments, 1, "Array(String)");
    return simple_type(kId);
}
TypePtr multi_match_all_type(const TypeCall& call)
{
    return std::make_shared<ArrayType>(multi_match_type<TypeId::UInt64>(call));
}
TypePtr nested_strings(const TypeCall&)
{
    return std::make_shared<ArrayType>(std::make_shared<ArrayType>(simple_type(TypeId::String)));
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kNumber = type_is<TypeId::UInt64>;
constexpr FunctionSpec kMatch{"match", "se s", type_is<TypeId::UInt8>, run_match, 0,
                              "REGEXP_MATCHES*"};
constexpr FunctionSpec kExtract{"extract", "s s", kString, run_extract};
constexpr FunctionSpec kRegexpExtract{"regexpExtract", "s s! [ i", kString, run_regexp_extract, 0,
                                      "REGEXP_EXTRACT* REGEXP_SUBSTR*"};
constexpr FunctionSpec kExtractAll{"extractAll", "s s", type_is_array_of<TypeId::String>,
                                   run_extract_all};
constexpr FunctionSpec kVertical{"extractAllGroupsVertical", "s s!", nested_strings,
                                 run_extract_all_groups<true>, 0, "extractAllGroups"};
constexpr FunctionSpec kHorizontal{"extractAllGroupsHorizontal", "s s!", nested_strings,
                                   run_extract_all_groups<false>};
constexpr FunctionSpec kGroups{"extractGroups", "s s!", type_is_array_of<TypeId::String>,
                               run_extract_groups};
constexpr FunctionSpec kPosition{"regexpPosition", "s s [ i i i s! i", kNumber, run_regexp_position, 0,
                                 "regexpInstr* regexp_instr*"};
constexpr FunctionSpec kCount{"countMatches", "s s!", kNumber, run_count_matches<false>};
constexpr FunctionSpec kCountFold{"countMatchesCaseInsensitive", "s s!", kNumber,
                                  run_count_matches<true>};
constexpr FunctionSpec kQuoteMeta{"regexpQuoteMeta", "s", kString, run_quote_meta};
constexpr FunctionSpec kAny{"multiMatchAny", "s a", multi_match_type<TypeId::UInt8>,
                            run_multi_match_any};
constexpr FunctionSpec kAnyIndex{"multiMatchAnyIndex", "s a", multi_match_type<TypeId::UInt64>,
                                 run_multi_match_index};
constexpr FunctionSpec kAll{"multiMatchAllIndices", "s a", multi_match_all_type,
                            run_multi_match_all};

} // namespace

void register_regexp_match(ScalarRegistry& registry)
{
    add_all<kMatch, kExtract, kRegexpExtract, kExtractAll, kVertical, kHorizontal, kGroups,
            kPosition, kCount, kCountFold, kQuoteMeta, kAny, kAnyIndex, kAll>(registry);
}

} // namespace basalt
