#include "functions/scalar/url.h"

#include "functions/scalar/column_rows.h"

namespace basalt
{
namespace
{

bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}
bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Where the part after "scheme://" or "//" begins; 0 when there is no scheme.
size_t after_scheme(std::string_view url)
{
    if (url.starts_with("//"))
        return 2;
    const std::string_view scheme = url_scheme(url);
    if (scheme.empty())
        return 0;
    return scheme.size() + 3;
}

// Characters that may not stand in a host name end or spoil it.
bool spoils_host(char c)
{
    return std::string_view(" \t<>%{}|\\^~[];&").find(c) != std::string_view::npos || c < 0x20;
}

} // namespace

std::string_view url_scheme(std::string_view url)
{
    if (url.empty() || !is_letter(url[0]))
        return {};
    for (size_t i = 1; i < url.size(); ++i)
    {
        const char c = url[i];
        if (is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.')
            continue;
        return url.substr(i).starts_with("://") ? url.substr(0, i) : std::string_view();
    }
    return {};
}

std::string_view url_host(std::string_view url)
{
    const size_t begin = after_scheme(url);
    size_t dot = std::string_view::npos;
    size_t host_begin = begin;
    size_t end = url.size();
    for (size_t i = begin; i < url.size(); ++i)
    {
        const char c = url[i];
        if (c == '.')
        {
            if (i == host_begin)
                return {};
            dot = i;
        }
        else if (c == ':' || c == '/' || c == '?' || c == '#')
        {
            end = i;
            break;
        }
        else if (c == '@')
        {
            host_begin = i + 1;
            dot = std::string_view::npos;
        }
        else if (spoils_host(c))
            return {};
    }
    // A name without a dot, or with its only dot last, is no host.
    if (dot == std::string_view::npos || dot + 1 >= end || host_begin >= end)
        return {};
    return url.substr(host_begin, end - host_begin);
}

std::string_view url_netloc(std::string_view url)
{
    const size_t begin = after_scheme(url);
    const size_t end = std::min(url.size(), url.find_first_of("/?#", begin));
    return url.substr(begin, end - begin);
}

std::string_view url_without_www(std::string_view host)
{
    return host.starts_with("www.") ? host.substr(4) : host;
}

std::string_view url_host_rfc(std::string_view url)
{
    const size_t begin = after_scheme(url);
    std::string_view host =
        url.substr(begin, std::min(url.size(), url.find_first_of("/?#", begin)) - begin);
    const size_t at = host.find('@');
    if (at != host.npos)
        host = host.substr(at + 1);
    if (host.starts_with("["))
    {
        const size_t end = host.find(']');
        return end == host.npos ? std::string_view() : host.substr(1, end - 1);
    }
    host = host.substr(0, host.find(':'));
    for (const char c : host)
        if (spoils_host(c) || c == '@')
            return {};
    return host.find('.') == host.npos ? std::string_view() : host;
}

std::string_view host_top_level(std::string_view host)
{
    if (host.empty() || host[0] == '.')
        return {};
    const size_t dot = host.rfind('.');
    if (dot == host.npos || (dot + 1 < host.size() && is_digit(host[dot + 1])))
        return {};
    return host.substr(dot + 1);
}

std::string_view url_top_level(std::string_view url)
{
    return host_top_level(url_host(url));
}

std::string_view url_path_full(std::string_view url)
{
    const size_t begin = after_scheme(url);
    const size_t slash = url.find('/', begin);
    return slash == url.npos ? std::string_view() : url.substr(slash);
}

std::string_view url_path(std::string_view url)
{
    const std::string_view full = url_path_full(url);
    return full.substr(0, full.find_first_of("?#"));
}

std::string_view url_query_and_fragment(std::string_view url)
{
    const size_t at = url.find_first_of("?#");
    return at == url.npos ? std::string_view() : url.substr(at + 1);
}

std::string_view url_query(std::string_view url)
{
    const size_t at = url.find('?');
    if (at == url.npos)
        return {};
    const std::string_view rest = url.substr(at + 1);
    return rest.substr(0, rest.find('#'));
}

std::string_view url_fragment(std::string_view url)
{
    const size_t at = url.find('#');
    return at == url.npos ? std::string_view() : url.substr(at + 1);
}

std::string_view url_first_significant(std::string_view url)
{
    const std::string_view host = url_host(url);
    const std::string_view cut = url_cut_to_first_significant(url, true);
    if (cut.empty())
        return host;
    return cut.substr(0, cut.find('.'));
}

std::string_view url_cut_to_first_significant(std::string_view url, bool keep_www)
{
    return host_cut_to_first_significant(url_host(url), keep_www);
}

std::string_view host_cut_to_first_significant(std::string_view host, bool keep_www)
{
    if (host.empty() || host[0] == '.')
        return {};
    const size_t last = host.rfind('.');
    if (last == host.npos || last == 0)
        return {};
    const size_t second = host.rfind('.', last - 1);
    if (second == host.npos)
        return !keep_www && host.starts_with("www.") ? host.substr(4) : host;
    // Short second levels under which names are sold.
    const std::string_view middle = host.substr(second + 1, last - second - 1);
    const bool generic = middle == "com" || middle == "org" || middle == "net" ||
                         middle == "co" || middle == "biz" || middle == "gov" ||
                         middle == "mil" || middle == "edu";
    if (!generic)
        return host.substr(second + 1);
    if (second == 0)
        return {};
    const size_t third = host.rfind('.', second - 1);
    if (third == host.npos)
        return !keep_www && host.starts_with("www.") ? host.substr(4) : host;
    return host.substr(third + 1);
}

int url_port(std::string_view url)
{
    return port_after(url, url_host(url));
}

int port_after(std::string_view url, std::string_view host)
{
    if (host.empty())
        return 0;
    const auto after = static_cast<size_t>(host.data() + host.size() - url.data());
    if (after >= url.size() || url[after] != ':')
        return 0;
    int port = 0;
    size_t i = after + 1;
    for (; i < url.size() && is_digit(url[i]); ++i)
    {
        port = port * 10 + (url[i] - '0');
        if (port > 65535)
            return 0;
    }
    if (i < url.size() && url[i] != '/' && url[i] != '?' && url[i] != '#')
        return 0;
    return port;
}

namespace
{

using UrlPart = std::string_view (*)(std::string_view);

template <UrlPart kPart> ColumnPtr run_part(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(kPart(rows[i]));
    return out.finish();
}

std::string_view host_without_www(std::string_view url)
{
    return url_without_www(url_host(url));
}
std::string_view cut_significant(std::string_view url)
{
    return url_cut_to_first_significant(url, false);
}
std::string_view cut_significant_www(std::string_view url)
{
    return url_cut_to_first_significant(url, true);
}

ColumnPtr run_port(const Call& call)
{
    const StringRows rows(call.column(0));
    const auto fallback = static_cast<uint16_t>(
        call.size() == 2 ? constant_integer(call.name, call.arguments, 1) : 0);
    return map_rows<uint16_t>(call.rows,
                              [&](size_t i)
                              {
                                  const int port = url_port(rows[i]);
                                  return port ? static_cast<uint16_t>(port) : fallback;
                              });
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kProtocol{"protocol", "s", kString, run_part<url_scheme>};
constexpr FunctionSpec kDomain{"domain", "s", kString, run_part<url_host>};
constexpr FunctionSpec kDomainWww{"domainWithoutWWW", "s", kString, run_part<host_without_www>};
constexpr FunctionSpec kTopLevel{"topLevelDomain", "s", kString, run_part<url_top_level>};
constexpr FunctionSpec kNetloc{"netloc", "s", kString, run_part<url_netloc>};
constexpr FunctionSpec kPath{"path", "s", kString, run_part<url_path>};
constexpr FunctionSpec kPathFull{"pathFull", "s", kString, run_part<url_path_full>};
constexpr FunctionSpec kQuery{"queryString", "s", kString, run_part<url_query>};
constexpr FunctionSpec kFragment{"fragment", "s", kString, run_part<url_fragment>};
constexpr FunctionSpec kQueryFragment{"queryStringAndFragment", "s", kString,
                                      run_part<url_query_and_fragment>};
constexpr FunctionSpec kSignificant{"firstSignificantSubdomain", "s", kString,
                                    run_part<url_first_significant>};
constexpr FunctionSpec kCut{"cutToFirstSignificantSubdomain", "s", kString,
                            run_part<cut_significant>};
constexpr FunctionSpec kCutWww{"cutToFirstSignificantSubdomainWithWWW", "s", kString,
                               run_part<cut_significant_www>};
constexpr FunctionSpec kPort{"port", "s [ i!", type_is<TypeId::UInt16>, run_port};

} // namespace

void register_url(ScalarRegistry& registry)
{
    add_all<kProtocol, kDomain, kDomainWww, kTopLevel, kNetloc, kPath, kPathFull, kQuery,
            kFragment, kQueryFragment, kSignificant, kCut, kCutWww, kPort>(registry);
}

} // namespace basalt
