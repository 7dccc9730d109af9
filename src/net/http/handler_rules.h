#pragma once

// Addresses that an administrator gives meaning to, as ClickHouse's http_handlers do: a query, a text, a
// redirection. One rule is one line of text:
//
//   GET,POST /errors/{pod} query SELECT count() FROM logs WHERE pod = {pod:String}
//   * /status static 200 text/plain It lives
//   GET /old redirect /new
//   POST /ask dynamic question        (the parameter `question` is the query)
//
// {name} stands for one part of the path and becomes the query's parameter of that name.
// Thread-safe once made.

#include "net/http/request.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxHandlerRules = 1000;

struct HandlerRule
{
    enum class Kind
    {
        Query,
        Static,
        Redirect,
        Dynamic,
    } kind = Kind::Query;
    std::vector<std::string> methods; // empty: any
    std::vector<std::string> path;    // parts; "{name}" captures
    int status = 200;                 // of Static
    std::string content_type;         // of Static
    std::string text; // SQL, the answer, where to, or the parameter's name

    // Names and values of what {…} stands for; nothing when the rule is not for this request.
    std::optional<std::vector<std::pair<std::string, std::string>>>
    match(const HttpRequest& request) const;
};

// BAD_ARGUMENTS with the rule's text.
HandlerRule parse_handler_rule(std::string_view text);

} // namespace basalt
