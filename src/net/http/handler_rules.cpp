#include "net/http/handler_rules.h"

#include "base/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace basalt
{

namespace
{

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty())
    {
        const size_t end = std::min(text.find(separator), text.size());
        if (end > 0)
            parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool is_capture(const std::string& part)
{
    return part.size() > 2 && part.front() == '{' && part.back() == '}';
}

// The next word; the rest stays.
std::string take_word(std::string_view& text)
{
    const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return word;
}

} // namespace

std::optional<std::vector<std::pair<std::string, std::string>>>
HandlerRule::match(const HttpRequest& request) const
{
    if (!methods.empty() &&
        std::find(methods.begin(), methods.end(), request.method) == methods.end())
        return std::nullopt;
    const auto asked = split(request.path, '/');
    if (asked.size() != path.size())
        return std::nullopt;
    std::vector<std::pair<std::string, std::string>> captures;
    for (size_t i = 0; i < path.size(); ++i)
    {
        if (is_capture(path[i]))
            captures.emplace_back(path[i].substr(1, path[i].size() - 2), asked[i]);
        else if (path[i] != asked[i])
            return std::nullopt;
    }
    return captures;
}

HandlerRule parse_handler_rule(std::string_view text)
{
    std::string_view rest = text;
    const auto fail = [&](const char* why)
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("HTTP handler '{}': {}", text, why));
    };
    HandlerRule rule;
    const std::string methods = take_word(rest);
    if (methods != "*")
        rule.methods = split(methods, ',');
    for (const auto& method : rule.methods)
        if (method != "GET" && method != "POST" && method != "PUT" && method != "HEAD")
            fail("methods are GET, POST, PUT, HEAD with commas between, or *");
    const std::string path = take_word(rest);
    if (!path.starts_with('/'))
        fail("the path must begin with /");
    rule.path = split(path, '/');
    const std::string kind = take_word(rest);
    if (kind == "query")
        rule.kind = HandlerRule::Kind::Query;
    else if (kind == "redirect")
        rule.kind = HandlerRule::Kind::Redirect;
    else if (kind == "dynamic")
        rule.kind = HandlerRule::Kind::Dynamic;
    else if (kind == "static")
    {
        rule.kind = HandlerRule::Kind::Static;
        const std::string status = take_word(rest);
        const auto [end, ec] =
            std::from_chars(status.data(), status.data() + status.size(), rule.status);
        if (ec != std::errc() || end != status.data() + status.size() || rule.status < 200 ||
            rule.status > 599)
            fail("a static answer begins with its status, 200 to 599");
        rule.content_type = take_word(rest);
        if (rule.content_type.find('/') == std::string::npos)
            fail("behind the status stands a content type, like text/plain");
    }
    else
        fail("its kind is query, static, redirect or dynamic");
    rule.text = rest;
    if (rule.text.empty() && rule.kind != HandlerRule::Kind::Static)
        fail("nothing stands behind its kind");
    return rule;
}

} // namespace basalt
