// domainRFC and its kind: parts of the host by RFC 3986. URLHash.

#include "codecs/hash.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/url.h"

namespace basalt
{
namespace
{

using UrlPart = std::string_view (*)(std::string_view);

std::string_view without_www(std::string_view url)
{
    return url_without_www(url_host_rfc(url));
}
std::string_view top_level(std::string_view url)
{
    return host_top_level(url_host_rfc(url));
}
template <bool kKeepWww> std::string_view cut(std::string_view url)
{
    return host_cut_to_first_significant(url_host_rfc(url), kKeepWww);
}
std::string_view first_significant(std::string_view url)
{
    const std::string_view rest = cut<true>(url);
    return rest.empty() ? url_host_rfc(url) : rest.substr(0, rest.find('.'));
}

template <UrlPart kPart> ColumnPtr run_part(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(kPart(rows[i]));
    return out.finish();
}

ColumnPtr run_port(const Call& call)
{
    const StringRows rows(call.column(0));
    const auto fallback = static_cast<uint16_t>(
        call.size() == 2 ? constant_integer(call.name, call.arguments, 1) : 0);
    return map_rows<uint16_t>(call.rows,
                              [&](size_t i)
                              {
                                  const int port = port_after(rows[i], url_host_rfc(rows[i]));
                                  return port ? static_cast<uint16_t>(port) : fallback;
                              });
}

// The first `level` steps of the path's hierarchy, of which step 0 is the host.
std::string_view at_level(std::string_view url, int64_t level)
{
    size_t begin = url.find("//");
    begin = begin == url.npos ? 0 : begin + 2;
    size_t at = url.find_first_of("/?#", begin);
    for (; level > 0 && at != url.npos; --level)
        at = url.find_first_of("/?#", at + 1);
    return at == url.npos ? url : url.substr(0, at + 1);
}

std::string_view without_end(std::string_view url)
{
    if (!url.empty() && std::string_view("/?#").find(url.back()) != std::string_view::npos)
        url.remove_suffix(1);
    return url;
}

ColumnPtr run_hash(const Call& call)
{
    const StringRows rows(call.column(0));
    const bool by_level = call.size() == 2;
    const int64_t level = by_level ? constant_integer(call.name, call.arguments, 1) : 0;
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              {
                                  const std::string_view url = without_end(
                                      by_level ? at_level(rows[i], level) : rows[i]);
                                  return city_hash64(url.data(), url.size());
                              });
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kDomain{"domainRFC", "s", kString, run_part<url_host_rfc>};
constexpr FunctionSpec kWww{"domainWithoutWWWRFC", "s", kString, run_part<without_www>};
constexpr FunctionSpec kTop{"topLevelDomainRFC", "s", kString, run_part<top_level>};
constexpr FunctionSpec kSignificant{"firstSignificantSubdomainRFC", "s", kString,
                                    run_part<first_significant>};
constexpr FunctionSpec kCut{"cutToFirstSignificantSubdomainRFC", "s", kString,
                            run_part<cut<false>>};
constexpr FunctionSpec kCutWww{"cutToFirstSignificantSubdomainWithWWWRFC", "s", kString,
                               run_part<cut<true>>};
constexpr FunctionSpec kPort{"portRFC", "s [ i!", type_is<TypeId::UInt16>, run_port};
constexpr FunctionSpec kHash{"URLHash", "s [ i!", type_is<TypeId::UInt64>, run_hash};

} // namespace

void register_url_rfc(ScalarRegistry& registry)
{
    add_all<kDomain, kWww, kTop, kSignificant, kCut, kCutWww, kPort, kHash>(registry);
}

} // namespace basalt
