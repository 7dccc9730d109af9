// Cutting URLs, their parameters and hierarchies; URL escaping.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/url.h"

#include <algorithm>

namespace basalt
{
namespace
{

// Result = text without [begin, end).
struct Cut
{
    size_t begin = 0;
    size_t end = 0;
};

Cut find_www(std::string_view url)
{
    const std::string_view scheme = url_scheme(url);
    size_t at = scheme.empty() ? 0 : scheme.size() + 3;
    if (scheme.empty() && url.starts_with("//"))
        at = 2;
    if (at == 0 || !url.substr(at).starts_with("www."))
        return {};
    return {at, at + 4};
}
Cut find_query(std::string_view url)
{
    const size_t begin = url.find_first_of("?#");
    if (begin == url.npos || url[begin] == '#')
        return {};
    return {begin, std::min(url.size(), url.find('#', begin))};
}
Cut find_fragment(std::string_view url)
{
    const size_t begin = url.find('#');
    return begin == url.npos ? Cut{} : Cut{begin, url.size()};
}
Cut find_query_and_fragment(std::string_view url)
{
    const size_t begin = url.find_first_of("?#");
    return begin == url.npos ? Cut{} : Cut{begin, url.size()};
}

template <Cut (*kFind)(std::string_view)> ColumnPtr run_cut(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const Cut cut = kFind(rows[i]);
        out.write(rows[i].substr(0, cut.begin));
        out.row(rows[i].substr(cut.end));
    }
    return out.finish();
}

// The part "name=value" at or after `from` in query or fragment; begin == npos when there is none.
Cut find_parameter(std::string_view url, std::string_view name)
{
    const size_t query = url.find_first_of("?#");
    if (query == url.npos || name.empty())
        return {url.npos, url.npos};
    for (size_t at = query + 1; at < url.size();)
    {
        const size_t end = std::min(url.size(), url.find_first_of("&#", at));
        const std::string_view part = url.substr(at, end - at);
        if (part.starts_with(name) && part.size() > name.size() && part[name.size()] == '=')
            return {at, end};
        at = end + 1;
    }
    return {url.npos, url.npos};
}

ColumnPtr run_extract_parameter(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows names(call.column(1));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const Cut found = find_parameter(rows[i], names[i]);
        if (found.begin != std::string_view::npos)
        {
            const size_t value = found.begin + names[i].size() + 1;
            out.write(rows[i].substr(value, found.end - value));
        }
        out.end_row();
    }
    return out.finish();
}

// What goes with the parameter: the & after it, or the one before when it is the last.
Cut cut_of_parameter(std::string_view url, std::string_view name)
{
    Cut found = find_parameter(url, name);
    if (found.begin == url.npos)
        return found;
    if (found.end < url.size() && url[found.end] == '&')
        ++found.end;
    else if (url[found.begin - 1] == '&')
        --found.begin;
    return found;
}

// Writes the url without the cuts, which may overlap.
void write_without(std::string_view url, std::vector<Cut>& cuts, StringWriter& out)
{
    std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
    size_t at = 0;
    for (const Cut& cut : cuts)
    {
        if (cut.begin == url.npos || cut.end <= at)
            continue;
        if (cut.begin > at)
            out.write(url.substr(at, cut.begin - at));
        at = cut.end;
    }
    out.write(url.substr(at));
    out.end_row();
}

ColumnPtr run_cut_parameter(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    std::vector<Cut> cuts;
    if (call.type(1)->is(TypeId::Array))
    {
        if (!type_as<ArrayType>(call.type(1)).nested()->is_string())
            throw Error(error_codes::ILLEGAL_COLUMN,
                        "Second argument of function cutURLParameter must be constant array of "
                        "strings");
        const ArrayRows arrays(call.column(1));
        const StringRows names(arrays.items());
        for (size_t i = 0; i < call.rows; ++i)
        {
            cuts.clear();
            for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
                cuts.push_back(cut_of_parameter(rows[i], names[j]));
            write_without(rows[i], cuts, out);
        }
        return out.finish();
    }
    const StringRows names(call.column(1));
    for (size_t i = 0; i < call.rows; ++i)
    {
        cuts.assign(1, cut_of_parameter(rows[i], names[i]));
        write_without(rows[i], cuts, out);
    }
    return out.finish();
}

// Calls f(text) for each piece of every row; the result is an array of them.
template <class F> ColumnPtr pieces_of(const Call& call, F&& f)
{
    const StringRows rows(call.column(0));
    StringWriter pieces(call.rows);
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        f(rows[i], pieces);
        offsets->data()[i] = pieces.column().offsets().size();
    }
    return ArrayColumn::make(pieces.finish(), offsets);
}

template <bool kNames> ColumnPtr run_extract_parameters(const Call& call)
{
    return pieces_of(call,
                     [](std::string_view url, StringWriter& pieces)
                     {
                         const size_t query = url.find_first_of("?#");
                         if (query == url.npos)
                             return;
                         for (size_t at = query + 1; at < url.size();)
                         {
                             const size_t end = std::min(url.size(), url.find_first_of("&#?", at));
                             const std::string_view part = url.substr(at, end - at);
                             const size_t equals = part.find('=');
                             if (equals != part.npos)
                                 pieces.row(kNames ? part.substr(0, equals) : part);
                             at = end + 1;
                         }
                     });
}

template <bool kPathOnly> ColumnPtr run_hierarchy(const Call& call)
{
    return pieces_of(call,
                     [](std::string_view url, StringWriter& pieces)
                     {
                         size_t at = 0;
                         const std::string_view scheme = url_scheme(url);
                         if (!scheme.empty())
                             at = scheme.size() + 3;
                         size_t begin = 0;
                         if (!scheme.empty() || kPathOnly)
                         {
                             const size_t slash = scheme.empty() ? 0 : url.find('/', at);
                             if (slash == url.npos)
                             {
                                 if (!kPathOnly)
                                     pieces.row(url);
                                 return;
                             }
                             at = slash + 1;
                             if (kPathOnly)
                                 begin = slash;
                             else
                                 pieces.row(url.substr(0, at));
                         }
                         while (at < url.size())
                         {
                             size_t end = url.find_first_of("/?#", at);
                             end = end == url.npos ? url.size() : end + 1;
                             pieces.row(url.substr(begin, end - begin));
                             at = end;
                         }
                     });
}

constexpr char kHexDigits[] = "0123456789ABCDEF";

template <bool kForm> ColumnPtr run_encode(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (const char c : rows[i])
        {
            const auto u = static_cast<unsigned char>(c);
            if ((u >= '0' && u <= '9') || ((u | 0x20) >= 'a' && (u | 0x20) <= 'z') || u == '-' ||
                u == '_' || u == '.' || u == '~')
                out.write(c);
            else if (kForm && c == ' ')
                out.write('+');
            else
            {
                const char escaped[3] = {'%', kHexDigits[u >> 4], kHexDigits[u & 15]};
                out.write({escaped, 3});
            }
        }
        out.end_row();
    }
    return out.finish();
}

int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

template <bool kForm> ColumnPtr run_decode(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        for (size_t j = 0; j < text.size(); ++j)
        {
            if (text[j] == '%' && j + 2 < text.size() && digit_of(text[j + 1]) >= 0 &&
                digit_of(text[j + 2]) >= 0)
            {
                out.write(static_cast<char>(digit_of(text[j + 1]) * 16 + digit_of(text[j + 2])));
                j += 2;
            }
            else
                out.write(kForm && text[j] == '+' ? ' ' : text[j]);
        }
        out.end_row();
    }
    return out.finish();
}

std::string_view file_name(std::string_view path)
{
    const size_t slash = path.find_last_of("/\\");
    return slash == path.npos ? path : path.substr(slash + 1);
}

ColumnPtr run_basename(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(file_name(rows[i]));
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kStrings = type_is_array_of<TypeId::String>;
constexpr FunctionSpec kCutWww{"cutWWW", "s", kString, run_cut<find_www>};
constexpr FunctionSpec kCutQuery{"cutQueryString", "s", kString, run_cut<find_query>};
constexpr FunctionSpec kCutFragment{"cutFragment", "s", kString, run_cut<find_fragment>};
constexpr FunctionSpec kCutBoth{"cutQueryStringAndFragment", "s", kString,
                                run_cut<find_query_and_fragment>};
constexpr FunctionSpec kExtractParameter{"extractURLParameter", "s s", kString,
                                         run_extract_parameter};
constexpr FunctionSpec kCutParameter{"cutURLParameter", "s sa", kString, run_cut_parameter};
constexpr FunctionSpec kParameters{"extractURLParameters", "s", kStrings,
                                   run_extract_parameters<false>};
constexpr FunctionSpec kNames{"extractURLParameterNames", "s", kStrings,
                              run_extract_parameters<true>};
constexpr FunctionSpec kHierarchy{"URLHierarchy", "s", kStrings, run_hierarchy<false>};
constexpr FunctionSpec kPathHierarchy{"URLPathHierarchy", "s", kStrings, run_hierarchy<true>};
constexpr FunctionSpec kEncode{"encodeURLComponent", "s", kString, run_encode<false>};
constexpr FunctionSpec kEncodeForm{"encodeURLFormComponent", "s", kString, run_encode<true>};
constexpr FunctionSpec kDecode{"decodeURLComponent", "s", kString, run_decode<false>};
constexpr FunctionSpec kDecodeForm{"decodeURLFormComponent", "s", kString, run_decode<true>};
constexpr FunctionSpec kBasename{"basename", "s", kString, run_basename};

} // namespace

void register_url_parameters(ScalarRegistry& registry)
{
    add_all<kCutWww, kCutQuery, kCutFragment, kCutBoth, kExtractParameter, kCutParameter,
            kParameters, kNames, kHierarchy, kPathHierarchy, kEncode, kEncodeForm, kDecode,
            kDecodeForm, kBasename>(registry);
}

} // namespace basalt
