// Statements over the native protocol: results are formatted and rows of INSERT parsed here.

#include "programs/remote.h"

#include "base/clock.h"
#include "engine/insert_rows.h"
#include "engine/statement.h"
#include "formats/format.h"
#include "net/native/client.h"
#include "programs/progress_line.h"
#include "programs/statement_files.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <atomic>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr uint16_t kNativePort = 9000, kSecureNativePort = 9440;
// How long the first answer may take before another protocol is tried.
constexpr int64_t kConnectTimeoutMs = 5000;

// Bytes behind the head of an INSERT in its text, then those of a stream.
class TextThenStream : public InputBuffer
{
public:
    TextThenStream(std::string text, InputBuffer* rest) : text_(std::move(text)), rest_(rest) {}

protected:
    size_t read_some(char* to, size_t size) override
    {
        if (at_ < text_.size())
        {
            const size_t count = std::min(size, text_.size() - at_);
            std::memcpy(to, text_.data() + at_, count);
            at_ += count;
            return count;
        }
        if (!rest_ || rest_->eof())
            return 0;
        const size_t count = std::min(size, rest_->available().size());
        std::memcpy(to, rest_->position(), count);
        rest_->consume(count);
        return count;
    }

private:
    std::string text_;
    size_t at_ = 0;
    InputBuffer* rest_;
};

class NativeRunner : public RemoteRunner
{
public:
    NativeRunner(const RemoteOptions& options, ScriptOptions& script, bool interactive)
        : options_(options), script_(script), interactive_(interactive),
          client_(client_options(options)), line_(options.show_progress)
    {
        client_.connect();
    }

    std::string where() const override
    {
        return fmt::format("{}:{}, native protocol", options_.host,
                           port_of(options_));
    }

    bool is_running() const override { return running_; }

    bool interrupt() override
    {
        if (!running_ || asked_.exchange(true))
            return false;
        client_.cancel();
        return true;
    }

    std::string query(const std::string& sql) override
    {
        std::string text;
        StringOutputBuffer out(text);
        const AstPtr ast = parse_query(sql);
        NativeQuery query;
        query.text = sql;
        run_select(std::move(query), *ast, "TSV", out, {});
        out.finish();
        return text;
    }

    void run(const ScriptStatement& statement) override
    {
        counts_ = {};
        std::string text(statement.text);
        std::string format = script_.format;
        if (take_vertical_mark(text) || options_.vertical)
            format = "Vertical";
        const AstPtr ast = parse_query(text);
        NativeQuery query;
        query.query_id = script_.query_id;
        // SET goes over flags, and holds also when the connection was made anew.
        Settings settings = script_.settings;
        settings.apply(session_settings_);
        for (const auto& [name, value] : settings.changes())
            query.settings.push_back({name, value, true, false});
        for (const auto& parameter : script_.parameters)
            query.parameters.push_back(parameter);

        line_.start();
        asked_ = false;
        running_ = true;
        struct Ended
        {
            NativeRunner& runner;
            ~Ended()
            {
                runner.running_ = false;
                runner.line_.hide();
            }
        } ended{*this};
        const AstPtr inner = ast->as<AstQuery>() ? ast->as<AstQuery>()->statement : ast;
        const auto* insert = inner->as<AstInsert>();
        if (insert && insert->infile)
        {
            InsertFile rows(*insert);
            run_insert(std::move(query), *rows.statement()->as<AstInsert>(),
                       format_query(*rows.statement()), &rows.bytes());
        }
        else if (insert && !insert->select)
            run_insert(std::move(query), *insert, text, statement.input);
        else
        {
            CallbackOutputBuffer out(
                [this](std::string_view bytes)
                {
                    line_.hide();
                    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
                });
            query.text = text;
            if (const auto* output = ast->as<AstQuery>(); output && output->outfile)
            {
                // The server is not told of the file.
                ResultFile file(*output, "TabSeparated");
                const AstPtr plain = without_outfile(*output, file.format());
                query.text = format_query(*plain);
                run_select(std::move(query), *plain, file.format(), file.out(), false);
                file.finish();
            }
            else
                print_select(std::move(query), *ast, format, out);
        }
        if (const auto* set = inner->as<AstSetQuery>())
            apply_settings(*set, session_settings_, nullptr);
        if (const auto* use = inner->as<AstUse>(); use && !use->database_parameter)
            client_.use_database(use->database);
        const double elapsed_s = line_.elapsed_s();
        line_.hide();
        if (script_.print_time)
            std::fprintf(stderr, "%.3f\n", elapsed_s);
        if (interactive_)
        {
            std::printf("%s", summary_of(counts_, elapsed_s).c_str());
            std::fflush(stdout);
        }
    }

private:
    static uint16_t port_of(const RemoteOptions& options)
    {
        return options.port.value_or(options.secure ? kSecureNativePort : kNativePort);
    }

    static NativeClientOptions client_options(const RemoteOptions& options)
    {
        NativeClientOptions native;
        native.host = options.host;
        native.port = port_of(options);
        native.user = options.user;
        native.password = options.password;
        native.database = options.database;
        native.compressed = options.compressed;
        native.secure = options.secure;
        native.tls = options.tls;
        native.connect_timeout_ms = kConnectTimeoutMs;
        return native;
    }

    static bool terminal() { return isatty(STDOUT_FILENO) != 0; }

    // Settings that formats look at: of the command line, of SET, of the statement.
    Settings settings_for(const Ast& ast) const
    {
        Settings settings = script_.settings;
        settings.apply(session_settings_);
        for (const auto* set : settings_of(ast))
            apply_settings(*set, settings, nullptr);
        return settings;
    }

    std::string timezone_for(const Settings& settings) const
    {
        const std::string_view own = settings.get("session_timezone");
        return own.empty() ? client_.server().timezone : std::string(own);
    }

    NativeHandlers progress_handlers()
    {
        NativeHandlers handlers;
        handlers.on_progress = [this](const NativeProgress& step)
        {
            counts_.rows += static_cast<double>(step.read_rows + step.written_rows);
            counts_.bytes += static_cast<double>(step.read_bytes + step.written_bytes);
            counts_.total_rows += static_cast<double>(step.total_rows);
            line_.show(counts_);
        };
        handlers.on_memory = [this](int64_t bytes)
        { counts_.memory_bytes = static_cast<double>(bytes); };
        return handlers;
    }

    void print_select(NativeQuery query, const Ast& ast, const std::string& format,
                      OutputBuffer& out)
    {
        try
        {
            run_select(std::move(query), ast, format, out, terminal());
        }
        catch (const Error&)
        {
            out.flush();
            std::fflush(stdout);
            throw;
        }
        out.finish();
        std::fflush(stdout);
    }

    void run_select(NativeQuery query, const Ast& ast, std::string format_name, OutputBuffer& out,
                    bool is_terminal)
    {
        const Settings settings = settings_for(ast);
        if (const auto* output = ast.as<AstQuery>())
        {
            if (!output->format.empty())
                format_name = output->format;
        }
        client_.connect();
        FormatOptions format_options = FormatOptions::from(settings, timezone_for(settings));
        format_options.is_terminal = is_terminal;
        std::unique_ptr<OutputFormat> format;
        NativeProfileInfo profile;
        NativeHandlers handlers = progress_handlers();
        handlers.on_header = [&](const Block& header)
        {
            format = formats().get_output(format_name).output(out, format_options);
            format->begin(header.header());
        };
        handlers.on_rows = [&](const Block& block)
        {
            format->write(block);
            counts_.result_rows += static_cast<double>(block.rows());
            if (is_terminal)
                out.flush();
        };
        handlers.on_totals = [&](const Block& block) { format->totals(block); };
        handlers.on_extremes = [&](const Block& block) { format->extremes(block); };
        handlers.on_profile_info = [&](const NativeProfileInfo& info) { profile = info; };
        try
        {
            client_.run(std::move(query), handlers);
        }
        catch (const Error& error)
        {
            if (format)
                format->fail(error.full_text());
            throw;
        }
        if (!format)
            return;
        ResultStatistics statistics;
        statistics.elapsed_s = line_.elapsed_s();
        statistics.rows_read = static_cast<uint64_t>(counts_.rows);
        statistics.bytes_read = static_cast<uint64_t>(counts_.bytes);
        statistics.rows_before_limit = profile.rows_before_limit;
        format->finish(statistics);
    }

    void run_insert(NativeQuery query, const AstInsert& insert, const std::string& text,
                    InputBuffer* stream)
    {
        std::string data;
        query.text = text;
        if (insert.has_inline_data && insert.data_offset <= text.size())
        {
            query.text = text.substr(0, insert.data_offset);
            data = text.substr(insert.data_offset);
        }
        auto context = std::make_shared<QueryContext>();
        context->settings = settings_for(insert);
        context->server_timezone = client_.connected() ? client_.server().timezone : "UTC";
        context->start();
        const bool takes_stream = takes_blocks_of(insert, text);
        TextThenStream source(std::move(data), takes_stream ? stream : nullptr);
        std::unique_ptr<InsertRows> rows;
        std::unique_ptr<DescribedDefaults> defaults;
        NativeHandlers handlers = progress_handlers();
        handlers.on_insert = [&](const Block& header, const std::string& description)
        {
            rows = std::make_unique<InsertRows>(insert.format, source, header.header(), context);
            if (!description.empty())
                defaults =
                    std::make_unique<DescribedDefaults>(description, header.header(), context);
            return [&]
            {
                InputBlock block = rows->next();
                counts_.rows += static_cast<double>(block.block.rows());
                counts_.bytes += static_cast<double>(block.block.byte_size());
                line_.show(counts_);
                if (defaults && block.block.rows() > 0)
                    return defaults->fill(std::move(block));
                return std::move(block.block);
            };
        };
        handlers.on_progress = {}; // what was sent is counted
        client_.run(std::move(query), handlers);
    }

    RemoteOptions options_;
    ScriptOptions& script_;
    bool interactive_;
    NativeClient client_;
    ProgressLine line_;
    ProgressCounts counts_;
    Settings session_settings_; // of SET statements
    std::atomic<bool> running_{false}, asked_{false};
};

} // namespace

std::unique_ptr<RemoteRunner> make_native_runner(const RemoteOptions& options,
                                                 ScriptOptions& script, bool interactive)
{
    return std::make_unique<NativeRunner>(options, script, interactive);
}

} // namespace basalt
