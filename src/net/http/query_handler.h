#pragma once

// A query over HTTP: parameters, sessions, settings, compression, headers. Thread-safe.

#include "engine/run_query.h"
#include "net/http/request.h"
#include "net/http/response.h"

#include <functional>
#include <map>
#include <mutex>

namespace basalt
{

// {"read_rows":"1",…}: the form that drivers parse, of the headers Summary and Progress.
std::string summary_of(const QueryContext& context);

// Sessions that one server keeps at a time; the one longest unused goes first.
inline constexpr size_t kMaxHttpSessions = 10000;

class HttpQueryHandler
{
public:
    HttpQueryHandler(Engine& engine, std::string display_name);

    // Answers, errors included. on_start: called with the context when the query runs.
    using StartHandler = std::function<void(QueryContextPtr)>;
    void handle(const HttpRequest& request, InputBuffer& body, const SocketAddress& peer,
                HttpResponse& response, const StartHandler& on_start);

    std::string metrics_text() const; // Prometheus' text format

private:
    struct NamedSession
    {
        SessionPtr session;
        int64_t timeout_s = 60;
        int64_t last_use_s = 0;
    };

    EffectiveAccessPtr authenticate(const HttpRequest& request, const SocketAddress& peer) const;
    SessionPtr find_session(const HttpRequest& request, const EffectiveAccessPtr& access);
    void run(HttpRequest request, InputBuffer& body, const SocketAddress& peer,
             HttpResponse& response, const std::string& tag, const StartHandler& on_start);
    static void answer_error(HttpResponse& response, const Error& error);
    static void allow_other_origins(HttpResponse& response); // CORS

    Engine& engine_;
    std::string display_name_;
    std::mutex mutex_;
    std::map<std::string, NamedSession> sessions_; // by user and id
};

} // namespace basalt
