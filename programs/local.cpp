// basalt local: queries in this process, over tables in memory or a data folder.

#include "programs/programs.h"

#include "base/settings.h"
#include "engine/run_query.h"
#include "integrations/postgres/foreign_table.h"
#include "io/file_system.h"
#include "io/memory_file_system.h"
#include "programs/script.h"
#include "system/system_tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

// Runs statements of a script against an engine in this process.
class LocalRunner : public ScriptRunner
{
public:
    LocalRunner(Engine& engine, ScriptOptions options) : engine_(engine), options_(options) {}

    void run(const ScriptStatement& statement) override
    {
        QueryRequest request;
        request.text = std::string(statement.text);
        request.more = statement.needs_input ? statement.input : nullptr;
        request.default_format = options_.format;
        request.query_id = options_.query_id;
        request.parameters = options_.parameters;
        request.settings = options_.settings;
        auto query = start_query(engine_, session_, std::move(request));
        if (query->has_result())
        {
            const FormatEntry& entry = formats().get_output(query->format());
            CallbackOutputBuffer out([](std::string_view bytes)
                                     { std::fwrite(bytes.data(), 1, bytes.size(), stdout); });
            write_result(*query, entry, out, isatty(STDOUT_FILENO));
            out.finish();
            std::fflush(stdout);
        }
        else
            query->finish();
        if (options_.print_time)
            std::fprintf(stderr, "%.3f\n", query->elapsed_s());
    }

private:
    Engine& engine_;
    ScriptOptions options_;
    Session session_;
};

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
    options.register_more = [](Engine& engine) { pg::register_foreign_tables(engine.catalog()); };
    Engine engine(*files, options);
    engine.start();
    register_system_tables(engine);
    int result;
    {
        LocalRunner runner(engine, script);
        result = run_script(script, runner);
    }
    engine.stop();
    return result;
}

} // namespace basalt
