// Statements over HTTP.

#include "programs/remote.h"

#include "base/clock.h"
#include "net/http/client.h"
#include "programs/http_progress.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr uint16_t kHttpPort = 8123, kHttpsPort = 8443;

class HttpRunner : public RemoteRunner
{
public:
    HttpRunner(const RemoteOptions& client, ScriptOptions& script, bool interactive)
        : options_(client), script_(script), interactive_(interactive), client_(url_of(client)),
          line_(client.show_progress), progress_(url_of(client), line_)
    {
        database_ = client.database;
    }

    static HttpUrl url_of(const RemoteOptions& options)
    {
        HttpUrl url;
        url.host = options.host;
        url.secure = options.secure;
        url.tls = options.tls;
        url.port = options.port.value_or(options.secure ? kHttpsPort : kHttpPort);
        if (options.user != "default" || !options.password.empty())
        {
            url.user = options.user;
            url.password = options.password;
        }
        return url;
    }

    std::string query(const std::string& sql) override { return client_.query(sql); }
    std::string where() const override
    {
        return fmt::format("{}:{}, HTTP{}", client_.url().host, client_.url().port,
                           client_.url().secure ? " over TLS" : "");
    }
    bool is_running() const override { return running_; }
    bool interrupt() override
    {
        if (!running_.exchange(false))
            return false;
        interrupted_ = true;
        client_.abort();
        return true;
    }

    void run(const ScriptStatement& statement) override
    {
        std::vector<std::pair<std::string, std::string>> parameters = {
            {"session_id", session_id_}, {"session_timeout", "3600"}};
        std::string query_id = script_.query_id;
        if (query_id.empty())
            query_id = fmt::format("{}-{}", session_id_, ++serial_);
        parameters.emplace_back("query_id", query_id);
        if (!database_.empty())
            parameters.emplace_back("database", database_);
        std::string format = script_.format;
        std::string text(statement.text);
        if (take_vertical_mark(text) || options_.vertical)
            format = "Vertical";
        parameters.emplace_back("default_format", format);
        for (const auto& [name, value] : script_.settings.changes())
            parameters.emplace_back(name, value);
        for (const auto& [name, value] : script_.parameters)
            parameters.emplace_back("param_" + name, value);

        std::unique_ptr<InputBuffer> body;
        if (statement.needs_input && statement.input)
        {
            parameters.emplace_back("query", text);
            body = nullptr;
        }
        else
            body = std::make_unique<StringInputBuffer>(std::move(text));

        interrupted_ = false;
        running_ = true;
        line_.start();
        progress_.start(query_id);
        std::string error_text;
        bool failed = false;
        HttpReply reply;
        const auto started = system_clock().monotonic_ns();
        try
        {
            reply = client_.post(parameters, body ? body.get() : statement.input,
                                 [&](std::string_view piece)
                                 {
                                     line_.hide();
                                     if (error_text.size() + piece.size() < kKeptBytes)
                                         error_text.append(piece);
                                     else
                                         flush_kept(error_text, piece);
                                 });
            failed = reply.status != 200 || reply.headers.contains("x-clickhouse-exception-code");
        }
        catch (const Error&)
        {
            progress_.stop();
            line_.hide();
            running_ = false;
            if (interrupted_)
                throw Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled");
            throw;
        }
        running_ = false;
        progress_.stop();
        line_.hide();
        if (failed)
            throw error_of_reply(reply, error_text);
        std::fwrite(error_text.data(), 1, error_text.size(), stdout);
        std::fflush(stdout);
        const double elapsed = static_cast<double>(system_clock().monotonic_ns() - started) / 1e9;
        if (script_.print_time)
            std::fprintf(stderr, "%.3f\n", elapsed);
        if (interactive_)
        {
            note_use(statement.text);
            std::printf("%s", summary_of(counts_of(reply), elapsed).c_str());
            std::fflush(stdout);
        }
    }

private:
    static constexpr size_t kKeptBytes = 1 << 20;

    // The first MiB is kept back until the status is known to be good; it always is once more
    // than the server's own buffer has come.
    void flush_kept(std::string& kept, std::string_view piece)
    {
        std::fwrite(kept.data(), 1, kept.size(), stdout);
        kept.clear();
        std::fwrite(piece.data(), 1, piece.size(), stdout);
    }

    void note_use(std::string_view text)
    {
        while (!text.empty() && (text.back() == ';' || isspace(static_cast<unsigned char>(text.back()))))
            text.remove_suffix(1);
        if (text.size() > 4 && strncasecmp(text.data(), "use ", 4) == 0)
            database_ = std::string(text.substr(4));
    }

    RemoteOptions options_;
    ScriptOptions& script_;
    bool interactive_;
    HttpClient client_;
    std::atomic<bool> running_{false}, interrupted_{false};
    ProgressLine line_;
    HttpProgress progress_;
    std::string session_id_ =
        fmt::format("basalt-client-{}-{:x}", getpid(), system_random().next_u64());
    std::string database_;
    uint64_t serial_ = 0;
};

} // namespace

std::unique_ptr<RemoteRunner> make_http_runner(const RemoteOptions& options, ScriptOptions& script,
                                               bool interactive)
{
    return std::make_unique<HttpRunner>(options, script, interactive);
}

} // namespace basalt
