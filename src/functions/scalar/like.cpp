// like, ilike, notLike, notILike.

#include "base/like_pattern.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/regexp.h"

namespace basalt
{
namespace
{

bool all_ascii(std::string_view text)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80)
            return false;
    return true;
}

std::string like_to_regexp(std::string_view pattern)
{
    std::string result = "^";
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        char c = pattern[i];
        if (c == '%')
            result += ".*";
        else if (c == '_')
            result += '.';
        else
        {
            if (c == '\\' && i + 1 < pattern.size() &&
                (pattern[i + 1] == '%' || pattern[i + 1] == '_' || pattern[i + 1] == '\\'))
                c = pattern[++i];
            if (c & 0x80)
                result += c;
            else
                result += re2::RE2::QuoteMeta(re2::StringPiece(&c, 1));
        }
    }
    return result + "$";
}

template <bool kNegate, bool kFold> ColumnPtr run_like(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const StringRows patterns(call.column(1));
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows);
    uint8_t* hits = result->data().data();
    if (call.rows == 0)
        return result;
    const StringRows rows(source);
    if (patterns.constant())
    {
        const std::string_view pattern = patterns[0];
        if (kFold && !all_ascii(pattern))
        {
            const LikePattern checked(pattern);
            const Regexp regexp(like_to_regexp(pattern), true);
            for (size_t i = 0; i < call.rows; ++i)
                hits[i] = regexp.matches(rows[i]);
        }
        else
        {
            const LikePattern like(pattern, kFold);
            if (rows.offsets())
                like.mark_rows(rows.chars(), rows.offsets(), call.rows, hits);
            else
                for (size_t i = 0; i < call.rows; ++i)
                    hits[i] = like.matches(rows[i]);
        }
    }
    else
    {
        for (size_t i = 0; i < call.rows; ++i)
        {
            const std::string_view pattern = patterns[i];
            hits[i] = kFold && !all_ascii(pattern)
                          ? Regexp(like_to_regexp(pattern), true).matches(rows[i])
                          : LikePattern(pattern, kFold).matches(rows[i]);
        }
    }
    if (kNegate)
        for (size_t i = 0; i < call.rows; ++i)
            hits[i] ^= 1;
    return result;
}

constexpr auto kFlag = type_is<TypeId::UInt8>;
constexpr FunctionSpec kLike{"like", "se s", kFlag, run_like<false, false>};
constexpr FunctionSpec kNotLike{"notLike", "se s", kFlag, run_like<true, false>};
constexpr FunctionSpec kIlike{"ilike", "se s", kFlag, run_like<false, true>};
constexpr FunctionSpec kNotIlike{"notILike", "se s", kFlag, run_like<true, true>};

} // namespace

void register_like(ScalarRegistry& registry)
{
    add_all<kLike, kNotLike, kIlike, kNotIlike>(registry);
}

} // namespace basalt
