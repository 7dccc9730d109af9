// basalt local: queries in this process, over tables in memory or a data folder.

#include "programs/programs.h"

#include "base/settings.h"
#include "engine/run_query.h"
#include "integrations/files/file_pattern.h"
#include "integrations/files/file_table.h"
#include "integrations/postgres/foreign_table.h"
#include "io/file_system.h"
#include "io/memory_file_system.h"
#include "programs/client_shell.h"
#include "programs/interrupt.h"
#include "programs/progress_line.h"
#include "programs/script.h"
#include "programs/statement_files.h"
#include "sql/formatter.h"
#include "system/system_tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <unistd.h>

namespace basalt
{

namespace
{

// Runs statements of a script against an engine in this process.
class LocalRunner : public RemoteRunner
{
public:
    // interactive: summaries behind results.
    LocalRunner(Engine& engine, const ScriptOptions& options, const std::string& database,
                bool interactive)
        : engine_(engine), options_(options), interactive_(interactive)
    {
        if (!database.empty())
            session_.current_database = database;
    }

    std::string where() const override { return "this process"; }

    std::string query(const std::string& sql) override
    {
        std::string text;
        StringOutputBuffer out(text);
        QueryRequest request;
        request.text = sql;
        run_query_to(engine_, session_, std::move(request), out);
        out.finish();
        return text;
    }

    bool is_running() const override
    {
        std::lock_guard lock(mutex_);
        return running_ != nullptr;
    }

    bool interrupt() override
    {
        std::lock_guard lock(mutex_);
        if (!running_ || running_->cancelled())
            return false;
        running_->cancel();
        return true;
    }

    void run(const ScriptStatement& statement) override
    {
        struct Ended
        {
            LocalRunner& runner;
            ~Ended() { runner.note_running(nullptr); }
        } ended{*this};
        QueryRequest request;
        request.text = std::string(statement.text);
        const bool vertical = interactive_ && take_vertical_mark(request.text);
        request.on_start = [this](const QueryContextPtr& context) { note_running(context); };
        request.more = statement.needs_input ? statement.input : nullptr;
        request.default_format = vertical ? "Vertical" : options_.format;
        std::unique_ptr<InsertFile> rows;
        std::unique_ptr<ResultFile> target;
        if (const auto* insert = statement.ast->as<AstInsert>(); insert && insert->infile)
        {
            rows = std::make_unique<InsertFile>(*insert);
            request.text = format_query(*rows->statement()) + "\n";
            request.more = &rows->bytes();
        }
        if (const auto* output = statement.ast->as<AstQuery>(); output && output->outfile)
        {
            target = std::make_unique<ResultFile>(*output, "TabSeparated");
            request.text = format_query(*without_outfile(*output, target->format()));
        }
        request.query_id = options_.query_id;
        request.parameters = options_.parameters;
        request.settings = options_.settings;
        auto query = start_query(engine_, session_, std::move(request));
        if (query->has_result())
        {
            const FormatEntry& entry = formats().get_output(query->format());
            if (target)
            {
                write_result(*query, entry, target->out());
                target->finish();
                return print_time(*query);
            }
            CallbackOutputBuffer out([](std::string_view bytes)
                                     { std::fwrite(bytes.data(), 1, bytes.size(), stdout); });
            write_result(*query, entry, out, isatty(STDOUT_FILENO));
            out.finish();
            std::fflush(stdout);
        }
        else
            query->finish();
        print_time(*query);
    }

private:
    void print_time(const RunningQuery& query) const
    {
        if (options_.print_time)
            std::fprintf(stderr, "%.3f\n", query.elapsed_s());
        if (!interactive_)
            return;
        ProgressCounts counts;
        counts.rows = static_cast<double>(query.context()->read_rows.load());
        counts.bytes = static_cast<double>(query.context()->read_bytes.load());
        counts.result_rows = static_cast<double>(query.context()->result_rows.load());
        std::printf("%s", summary_of(counts, query.elapsed_s()).c_str());
        std::fflush(stdout);
    }

    void note_running(QueryContextPtr context)
    {
        std::lock_guard lock(mutex_);
        running_ = std::move(context);
    }

    Engine& engine_;
    const ScriptOptions& options_;
    const bool interactive_;
    Session session_;
    mutable std::mutex mutex_;
    QueryContextPtr running_;
};

// Data that queries name by a table: standard input, or a file.
struct InputTable
{
    std::string name = "table";
    FileDescription file{"-"};
    bool given = false; // by a flag
};

// Paths as tables: FROM 'logs/*.csv.gz'; and the input as a table.
void name_files(Catalog& catalog, const InputTable& input)
{
    auto access = std::make_shared<FileAccess>();
    const auto read = [](char* to, size_t size) { return read_standard_input(to, size); };
    access->standard_input = std::make_shared<CallbackInputBuffer<decltype(read)>>(read);
    FileSystem& files = real_file_system();
    register_file_function(catalog, files, access);
    // Standard input is read once, so its structure is found once.
    auto table = std::make_shared<TablePtr>();
    catalog.set_named_elsewhere(
        [access, input, table, &files](const std::string& name,
                                       const QueryContext& context) -> TablePtr
        {
            if (name == input.name && (input.given || !isatty(STDIN_FILENO)))
            {
                if (!*table)
                    *table = make_file_table(files, access, input.file, context);
                return *table;
            }
            if (!has_pattern(name) && !files.exists(name) && name != "-")
                return nullptr;
            return make_file_table(files, access, {name}, context);
        });
}

} // namespace

int local_main(int argc, char** argv)
{
    EngineOptions options;
    ScriptOptions script;
    std::vector<std::string> arguments = take_settings(argc, argv, script.settings);
    take_parameters(arguments, script.parameters);
    CLI::App app("Queries without a server", "basalt local");
    add_script_options(app, script);
    app.add_option("--path", options.path, "data folder; without it tables live in memory");
    app.add_option("--timezone", options.timezone)->capture_default_str();
    std::string database;
    app.add_option("-d,--database", database, "current database");
    InputTable input;
    std::string input_format;
    const auto* structure = app.add_option("-S,--structure", input.file.structure,
                                           "of the input: 'a UInt8, b String'");
    const auto* format =
        app.add_option("--input-format,--input_format", input_format, "default: by the name, or TSV");
    const auto* path = app.add_option("-F,--file", input.file.path,
                                      "the input; default: standard input");
    app.add_option("-N,--table", input.name, "the table that the input is")
        ->capture_default_str();
    std::reverse(arguments.begin(), arguments.end());
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }
    choose_format(script);
    input.given = structure->count() + format->count() + path->count() > 0;
    if (input.file.path == "stdin")
        input.file.path = "-";
    if (!input_format.empty())
        input.file.format = input_format;
    else if (input.file.path == "-")
        input.file.format = "TSV";
    std::signal(SIGPIPE, SIG_DFL);

    MemoryFileSystem memory;
    FileSystem* files = &memory;
    std::unique_ptr<FileLock> lock;
    if (!options.path.empty())
    {
        files = &real_file_system();
        files->create_directories(options.path);
        lock = files->lock_file(options.path + "/lock");
    }
    else
    {
        options.path = "/data";
        files->create_directories(options.path);
    }
    options.register_more = [&input](Engine& engine)
    {
        pg::register_foreign_tables(engine.catalog());
        name_files(engine.catalog(), input);
    };
    Engine engine(*files, options);
    engine.start();
    register_system_tables(engine);
    int result;
    {
        const bool interactive =
            script.queries.empty() && script.files.empty() && isatty(STDIN_FILENO);
        LocalRunner runner(engine, script, database, interactive);
        if (interactive)
        {
            RemoteOptions prompt;
            prompt.host = "local";
            const Breaker breaker(runner, true);
            result = run_shell(runner, script, prompt);
        }
        else
            result = run_script(script, runner);
    }
    engine.stop();
    return result;
}

} // namespace basalt
