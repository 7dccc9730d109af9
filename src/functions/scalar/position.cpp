// position*, locate, countSubstrings*, multiSearch*, hasToken*, hasSubsequence*.

#include "base/substring_search.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>
#include <unicode/uchar.h>

namespace basalt
{
namespace
{

enum class Case
{
    Exact,
    Ascii, // the 26 letters in any case
    Utf8,  // simple case folding of code points
};

// One needle, searched for under one of the rules.
class Finder
{
public:
    Finder(std::string_view needle, Case rule) : needle_(needle), searcher_(needle, rule != Case::Exact)
    {
        if (rule == Case::Utf8)
            for (const char c : needle)
                folded_ |= static_cast<unsigned char>(c) >= 0x80;
        if (folded_)
            for (size_t at = 0; at < needle.size();)
                points_.push_back(fold_point(needle, at));
    }

    // A match at or after `from`; npos when there is none. `size` is its bytes in the text.
    size_t find(std::string_view text, size_t from, size_t& size) const
    {
        if (!folded_)
        {
            size = needle_.size();
            return from > text.size() ? text.npos : searcher_.find(text, from);
        }
        for (size_t at = from; at < text.size();)
        {
            size_t end = at;
            size_t i = 0;
            while (i < points_.size() && end < text.size() && fold_point(text, end) == points_[i])
                ++i;
            if (i == points_.size())
            {
                size = end - at;
                return at;
            }
            at += std::min(utf8_sequence_length(text[at]), text.size() - at);
        }
        return text.npos;
    }
    const std::string& needle() const { return needle_; }

private:
    static uint32_t fold_point(std::string_view text, size_t& at)
    {
        size_t length;
        const uint32_t code = utf8_decode(text, at, length);
        at += length;
        return code == kUtf8Invalid ? code : static_cast<uint32_t>(u_tolower(static_cast<UChar32>(code)));
    }

    std::string needle_;
    SubstringSearcher searcher_;
    bool folded_ = false;
    std::vector<uint32_t> points_;
};

class FinderCache
{
public:
    explicit FinderCache(Case rule) : rule_(rule) {}
    const Finder& get(std::string_view needle)
    {
        if (!finder_ || finder_->needle() != needle)
            finder_.emplace(needle, rule_);
        return *finder_;
    }

private:
    Case rule_;
    std::optional<Finder> finder_;
};

constexpr bool kSwapped = true;

// Start positions count from 1; 0 means 1. npos past the end.
template <bool kUtf8> size_t start_byte(std::string_view text, int64_t start)
{
    if (start <= 1)
        return 0;
    const auto skip = static_cast<uint64_t>(start) - 1;
    if (!kUtf8)
        return skip > text.size() ? text.npos : skip;
    if (skip > utf8_length(text))
        return text.npos;
    return utf8_advance(text, 0, skip);
}

template <Case kRule, bool kUtf8, bool kSwap> ColumnPtr run_position(const Call& call)
{
    // locate() has the needle first unless it is told to follow the old order.
    const bool swap =
        kSwap && call.context.settings.get_bool("function_locate_has_mysql_compatible_argument_order");
    const ColumnPtr haystack = as_text(call[swap ? 1 : 0], call.context);
    const StringRows rows(haystack);
    const StringRows needles(call.column(swap ? 0 : 1));
    std::optional<IntegerRows> starts;
    if (call.size() == 3)
        starts.emplace(call[2]);
    if (kRule != Case::Utf8 && !kUtf8 && !starts && needles.constant() && rows.offsets() &&
        call.rows != 0 && !needles[0].empty())
    {
        auto result = std::make_shared<VectorColumn<uint64_t>>(call.rows, 0);
        const SubstringSearcher searcher(needles[0], kRule != Case::Exact);
        uint64_t* out = result->data().data();
        const uint64_t* offsets = rows.offsets();
        searcher.for_each(rows.chars(), offsets, call.rows,
                          [&](size_t row, uint64_t position)
                          {
                              out[row] = position - (row ? offsets[row - 1] : 0) + 1;
                              return offsets[row];
                          });
        return result;
    }
    FinderCache cache(kRule);
    return map_rows<uint64_t>(
        call.rows,
        [&](size_t i) -> uint64_t
        {
            const std::string_view text = rows[i];
            const size_t from = starts ? start_byte<kUtf8>(text, (*starts)[i]) : 0;
            if (from == text.npos)
                return 0;
            const std::string_view needle = needles[i];
            size_t hit = from;
            size_t size;
            if (!needle.empty())
                hit = cache.get(needle).find(text, from, size);
            if (hit == text.npos)
                return 0;
            return (kUtf8 ? utf8_length(text.substr(0, hit)) : hit) + 1;
        });
}

template <Case kRule, bool kUtf8> ColumnPtr run_count_substrings(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows needles(call.column(1));
    std::optional<IntegerRows> starts;
    if (call.size() == 3)
        starts.emplace(call[2]);
    FinderCache cache(kRule);
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i) -> uint64_t
                              {
                                  const std::string_view text = rows[i];
                                  if (needles[i].empty())
                                      return 0;
                                  size_t from =
                                      starts ? start_byte<kUtf8>(text, (*starts)[i]) : 0;
                                  if (from == text.npos)
                                      return 0;
                                  const Finder& finder = cache.get(needles[i]);
                                  uint64_t count = 0;
                                  size_t size = 0;
                                  while ((from = finder.find(text, from, size)) != text.npos)
                                  {
                                      ++count;
                                      from += size;
                                  }
                                  return count;
                              });
}

// multiSearch*: for each row the finders of its needles.
template <Case kRule> class Needles
{
public:
    explicit Needles(const ColumnPtr& column) : arrays_(column), texts_(arrays_.items()) {}
    const std::vector<Finder>& at(size_t row)
    {
        if (ready_ && arrays_.constant())
            return finders_;
        finders_.clear();
        for (size_t j = arrays_.begin(row); j < arrays_.end(row); ++j)
            finders_.emplace_back(texts_[j], kRule);
        ready_ = true;
        return finders_;
    }

private:
    ArrayRows arrays_;
    StringRows texts_;
    std::vector<Finder> finders_;
    bool ready_ = false;
};

template <Case kRule> ColumnPtr run_multi_any(const Call& call)
{
    const StringRows rows(call.column(0));
    Needles<kRule> needles(call.column(1));
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i)
                             {
                                 size_t size;
                                 for (const Finder& finder : needles.at(i))
                                     if (finder.find(rows[i], 0, size) != std::string_view::npos)
                                         return 1;
                                 return 0;
                             });
}

template <Case kRule> ColumnPtr run_multi_first_index(const Call& call)
{
    const StringRows rows(call.column(0));
    Needles<kRule> needles(call.column(1));
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i) -> uint64_t
                              {
                                  size_t size;
                                  uint64_t index = 0;
                                  for (const Finder& finder : needles.at(i))
                                  {
                                      ++index;
                                      if (finder.find(rows[i], 0, size) != std::string_view::npos)
                                          return index;
                                  }
                                  return 0;
                              });
}

template <bool kUtf8> uint64_t position_of(std::string_view text, size_t hit)
{
    if (hit == text.npos)
        return 0;
    return (kUtf8 ? utf8_length(text.substr(0, hit)) : hit) + 1;
}

template <Case kRule, bool kUtf8> ColumnPtr run_multi_first_position(const Call& call)
{
    const StringRows rows(call.column(0));
    Needles<kRule> needles(call.column(1));
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              {
                                  size_t size;
                                  size_t best = std::string_view::npos;
                                  for (const Finder& finder : needles.at(i))
                                      best = std::min(best, finder.find(rows[i], 0, size));
                                  return position_of<kUtf8>(rows[i], best);
                              });
}

template <Case kRule, bool kUtf8> ColumnPtr run_multi_all_positions(const Call& call)
{
    const StringRows rows(call.column(0));
    Needles<kRule> needles(call.column(1));
    auto items = std::make_shared<VectorColumn<uint64_t>>();
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        size_t size;
        for (const Finder& finder : needles.at(i))
            items->data().push_back(position_of<kUtf8>(rows[i], finder.find(rows[i], 0, size)));
        offsets->data()[i] = items->size();
    }
    return ArrayColumn::make(items, offsets);
}

template <TypeId kId> TypePtr multi_type(const TypeCall& call)
{
    if (!type_as<ArrayType>(call.type(1)).nested()->is(TypeId::String))
        throw_illegal_type(call.name, call.arguments, 1, "Array(String)");
    return simple_type(kId);
}
TypePtr multi_all_type(const TypeCall& call)
{
    return std::make_shared<ArrayType>(multi_type<TypeId::UInt64>(call));
}

bool is_separator(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 && !((u >= '0' && u <= '9') || ((u | 0x20) >= 'a' && (u | 0x20) <= 'z'));
}

bool is_token_at(std::string_view text, size_t begin, size_t size)
{
    return (begin == 0 || is_separator(text[begin - 1])) &&
           (begin + size == text.size() || is_separator(text[begin + size]));
}

bool has_separator(std::string_view token)
{
    for (const char c : token)
        if (is_separator(c))
            return true;
    return false;
}

// kOrNull: a token with separators gives NULL instead of an error.
template <bool kFold, bool kOrNull> ColumnPtr run_has_token(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows tokens(call.column(1));
    auto hits = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    std::optional<SubstringSearcher> searcher;
    uint8_t* out = hits->data().data();
    const auto bad = [&](std::string_view token)
    {
        if (!has_separator(token))
            return false;
        if (!kOrNull)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The needle must not contain whitespace or separator characters");
        return true;
    };
    if (tokens.constant() && rows.offsets() && call.rows != 0)
    {
        const std::string_view token = tokens[0];
        if (bad(token) || (kOrNull && token.empty()))
            std::memset(nulls->data().data(), 1, call.rows);
        else if (!token.empty())
        {
            const SubstringSearcher search(token, kFold);
            const char* chars = rows.chars();
            const uint64_t* offsets = rows.offsets();
            search.for_each(chars, offsets, call.rows,
                            [&](size_t row, uint64_t position)
                            {
                                const uint64_t begin = row ? offsets[row - 1] : 0;
                                const std::string_view text(chars + begin, offsets[row] - begin);
                                if (!is_token_at(text, position - begin, token.size()))
                                    return position + 1;
                                out[row] = 1;
                                return offsets[row];
                            });
        }
    }
    else
        for (size_t i = 0; i < call.rows; ++i)
        {
            const std::string_view token = tokens[i];
            if (bad(token) || (kOrNull && token.empty()))
            {
                nulls->data()[i] = 1;
                continue;
            }
            if (token.empty())
                continue;
            const SubstringSearcher search(token, kFold);
            const std::string_view text = rows[i];
            for (size_t at = 0; at <= text.size() && (at = search.find(text, at)) != text.npos; ++at)
                if (is_token_at(text, at, token.size()))
                {
                    out[i] = 1;
                    break;
                }
        }
    if (kOrNull)
        return NullableColumn::make(hits, nulls);
    return hits;
}

template <Case kRule> bool has_subsequence(std::string_view text, std::string_view part)
{
    size_t at = 0;
    for (size_t j = 0; j < part.size();)
    {
        size_t length = 1;
        uint32_t wanted;
        if (kRule == Case::Utf8)
        {
            wanted = static_cast<uint32_t>(
                u_tolower(static_cast<UChar32>(utf8_decode(part, j, length))));
        }
        else
            wanted = static_cast<unsigned char>(
                kRule == Case::Ascii && part[j] >= 'A' && part[j] <= 'Z' ? part[j] | 32 : part[j]);
        j += length;
        bool found = false;
        while (at < text.size() && !found)
        {
            uint32_t here;
            size_t step = 1;
            if (kRule == Case::Utf8)
                here = static_cast<uint32_t>(
                    u_tolower(static_cast<UChar32>(utf8_decode(text, at, step))));
            else
                here = static_cast<unsigned char>(
                    kRule == Case::Ascii && text[at] >= 'A' && text[at] <= 'Z' ? text[at] | 32
                                                                               : text[at]);
            at += step;
            found = here == wanted;
        }
        if (!found)
            return false;
    }
    return true;
}

template <Case kRule> ColumnPtr run_has_subsequence(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows parts(call.column(1));
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i) { return has_subsequence<kRule>(rows[i], parts[i]); });
}

TypePtr nullable_flag(const TypeCall&)
{
    return make_nullable(simple_type(TypeId::UInt8));
}

constexpr auto kNumber = type_is<TypeId::UInt64>;
constexpr auto kFlag = type_is<TypeId::UInt8>;
constexpr FunctionSpec kPosition{"position", "se s [ i", kNumber,
                                 run_position<Case::Exact, false, false>, kCaseInsensitive};
constexpr FunctionSpec kPositionFold{"positionCaseInsensitive", "se s [ i", kNumber,
                                     run_position<Case::Ascii, false, false>, 0, "instr*"};
constexpr FunctionSpec kPositionUtf8{"positionUTF8", "se s [ i", kNumber,
                                     run_position<Case::Exact, true, false>};
constexpr FunctionSpec kPositionFoldUtf8{"positionCaseInsensitiveUTF8", "se s [ i", kNumber,
                                         run_position<Case::Utf8, true, false>};
constexpr FunctionSpec kLocate{"locate", "se se [ i", kNumber,
                               run_position<Case::Exact, false, kSwapped>, kCaseInsensitive};
constexpr FunctionSpec kCount{"countSubstrings", "s s [ i", kNumber,
                              run_count_substrings<Case::Exact, false>, kCaseInsensitive};
constexpr FunctionSpec kCountFold{"countSubstringsCaseInsensitive", "s s [ i", kNumber,
                                  run_count_substrings<Case::Ascii, false>};
constexpr FunctionSpec kCountFoldUtf8{"countSubstringsCaseInsensitiveUTF8", "s s [ i", kNumber,
                                      run_count_substrings<Case::Utf8, true>};

constexpr auto kMultiFlag = multi_type<TypeId::UInt8>;
constexpr auto kMultiNumber = multi_type<TypeId::UInt64>;
constexpr FunctionSpec kAny{"multiSearchAny", "s a", kMultiFlag, run_multi_any<Case::Exact>};
constexpr FunctionSpec kAnyFold{"multiSearchAnyCaseInsensitive", "s a", kMultiFlag,
                                run_multi_any<Case::Ascii>};
constexpr FunctionSpec kAnyUtf8{"multiSearchAnyUTF8", "s a", kMultiFlag,
                                run_multi_any<Case::Exact>};
constexpr FunctionSpec kAnyFoldUtf8{"multiSearchAnyCaseInsensitiveUTF8", "s a", kMultiFlag,
                                    run_multi_any<Case::Utf8>};
constexpr FunctionSpec kIndex{"multiSearchFirstIndex", "s a", kMultiNumber,
                              run_multi_first_index<Case::Exact>};
constexpr FunctionSpec kIndexFold{"multiSearchFirstIndexCaseInsensitive", "s a", kMultiNumber,
                                  run_multi_first_index<Case::Ascii>};
constexpr FunctionSpec kIndexUtf8{"multiSearchFirstIndexUTF8", "s a", kMultiNumber,
                                  run_multi_first_index<Case::Exact>};
constexpr FunctionSpec kIndexFoldUtf8{"multiSearchFirstIndexCaseInsensitiveUTF8", "s a",
                                      kMultiNumber, run_multi_first_index<Case::Utf8>};
constexpr FunctionSpec kFirst{"multiSearchFirstPosition", "s a", kMultiNumber,
                              run_multi_first_position<Case::Exact, false>};
constexpr FunctionSpec kFirstFold{"multiSearchFirstPositionCaseInsensitive", "s a", kMultiNumber,
                                  run_multi_first_position<Case::Ascii, false>};
constexpr FunctionSpec kFirstUtf8{"multiSearchFirstPositionUTF8", "s a", kMultiNumber,
                                  run_multi_first_position<Case::Exact, true>};
constexpr FunctionSpec kFirstFoldUtf8{"multiSearchFirstPositionCaseInsensitiveUTF8", "s a",
                                      kMultiNumber, run_multi_first_position<Case::Utf8, true>};
constexpr FunctionSpec kAll{"multiSearchAllPositions", "s a", multi_all_type,
                            run_multi_all_positions<Case::Exact, false>};
constexpr FunctionSpec kAllFold{"multiSearchAllPositionsCaseInsensitive", "s a", multi_all_type,
                                run_multi_all_positions<Case::Ascii, false>};
constexpr FunctionSpec kAllUtf8{"multiSearchAllPositionsUTF8", "s a", multi_all_type,
                                run_multi_all_positions<Case::Exact, true>};
constexpr FunctionSpec kAllFoldUtf8{"multiSearchAllPositionsCaseInsensitiveUTF8", "s a",
                                    multi_all_type, run_multi_all_positions<Case::Utf8, true>};

constexpr FunctionSpec kToken{"hasToken", "s s", kFlag, run_has_token<false, false>};
constexpr FunctionSpec kTokenNull{"hasTokenOrNull", "s s", nullable_flag,
                                  run_has_token<false, true>};
constexpr FunctionSpec kTokenFold{"hasTokenCaseInsensitive", "s s", kFlag,
                                  run_has_token<true, false>, kCaseInsensitive};
constexpr FunctionSpec kTokenFoldNull{"hasTokenCaseInsensitiveOrNull", "s s", nullable_flag,
                                      run_has_token<true, true>, kCaseInsensitive};
constexpr FunctionSpec kSub{"hasSubsequence", "s s", kFlag, run_has_subsequence<Case::Exact>,
                            kCaseInsensitive};
constexpr FunctionSpec kSubFold{"hasSubsequenceCaseInsensitive", "s s", kFlag,
                                run_has_subsequence<Case::Ascii>, kCaseInsensitive};
constexpr FunctionSpec kSubUtf8{"hasSubsequenceUTF8", "s s", kFlag,
                                run_has_subsequence<Case::Exact>, kCaseInsensitive};
constexpr FunctionSpec kSubFoldUtf8{"hasSubsequenceCaseInsensitiveUTF8", "s s", kFlag,
                                    run_has_subsequence<Case::Utf8>, kCaseInsensitive};

} // namespace

void register_position(ScalarRegistry& registry)
{
    add_all<kPosition, kPositionFold, kPositionUtf8, kPositionFoldUtf8, kLocate, kCount,
            kCountFold, kCountFoldUtf8>(registry);
    add_all<kAny, kAnyFold, kAnyUtf8, kAnyFoldUtf8, kIndex, kIndexFold, kIndexUtf8,
            kIndexFoldUtf8, kFirst, kFirstFold, kFirstUtf8, kFirstFoldUtf8, kAll, kAllFold,
            kAllUtf8, kAllFoldUtf8>(registry);
    add_all<kToken, kTokenNull, kTokenFold, kTokenFoldNull, kSub, kSubFold, kSubUtf8,
            kSubFoldUtf8>(registry);
}

} // namespace basalt
