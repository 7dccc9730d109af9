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

ColumnPtr run_regexp_position(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows patterns(call.column(1));
    RegexpCache cache;
    Groups groups(1);
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i) -> uint64_t
                              {
                                  const std::string_view text = rows[i];
                                  if (!cache.get(patterns[i]).find(text, 0, groups))
                                      return 0;
                                  return static_cast<uint64_t>(groups[0].data() - text.data()) + 1;
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
    explicit PatternSet(const std::vector<std::string>& patterns)
        : set_(options(), re2::RE2::UNANCHORED), size_(patterns.size())
    {
        for (const std::string& pattern : patterns)
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

private:
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
    std::vector<int> found_;
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
        f(i, set->find(rows[i]));
    }
}

ColumnPtr run_multi_match_any(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows);
    for_each_set(call, [&](size_t i, const std::vector<int>& found)
                 { result->data()[i] = !found.empty(); });
    return result;
}

ColumnPtr run_multi_match_index(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for_each_set(call,
                 [&](size_t i, const std::vector<int>& found) {
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
                 [&](size_t i, const std::vector<int>& found)
                 {
                     for (const int number : found)
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
constexpr FunctionSpec kPosition{"regexpPosition", "s s", kNumber, run_regexp_position, 0,
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
