#include "programs/script.h"

#include "base/error.h"
#include "io/file_system.h"
#include "programs/programs.h"
#include "sql/ast_statements.h"
#include "sql/parser.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

void add_script_options(CLI::App& app, ScriptOptions& options)
{
    app.add_option("-q,--query", options.queries, "query or script; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--queries-file", options.files, "file with a script; may be repeated")
        ->allow_extra_args(false);
    app.add_option("-f,--format,--output-format", options.format, "of results");
    app.add_option("--query_id,--query-id", options.query_id);
    app.add_flag("-t,--time", options.print_time, "print seconds of each query to stderr");
    app.add_flag("-n,--multiquery", options.multiquery, "accepted: scripts are always split");
    app.add_flag("--ignore-error", options.ignore_error, "go on after a failed query");
    app.add_flag("--echo", options.echo, "print each query before it runs");
}

void take_parameters(std::vector<std::string>& arguments,
                     std::map<std::string, std::string>& parameters)
{
    std::vector<std::string> rest;
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        const std::string& argument = arguments[i];
        if (!argument.starts_with("--param_"))
        {
            rest.push_back(argument);
            continue;
        }
        const size_t equals = argument.find('=');
        if (equals != std::string::npos)
            parameters[argument.substr(8, equals - 8)] = argument.substr(equals + 1);
        else if (i + 1 < arguments.size())
        {
            parameters[argument.substr(8)] = arguments[i + 1];
            ++i;
        }
        else
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Parameter {} has no value", argument));
    }
    arguments = std::move(rest);
}

std::string read_descriptor(int fd)
{
    std::string text;
    char bytes[65536];
    for (;;)
    {
        const ssize_t n = ::read(fd, bytes, sizeof(bytes));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return text;
        text.append(bytes, static_cast<size_t>(n));
    }
}

size_t read_standard_input(char* to, size_t size)
{
    for (;;)
    {
        const ssize_t n = ::read(STDIN_FILENO, to, size);
        if (n < 0 && errno == EINTR)
            continue;
        return n > 0 ? static_cast<size_t>(n) : 0;
    }
}

void choose_format(ScriptOptions& options)
{
    if (options.format.empty())
        options.format = isatty(STDOUT_FILENO) ? "PrettyCompact" : "TabSeparated";
}

namespace
{

int report(const Error& error)
{
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error.full_text().c_str());
    return exit_code_of(error);
}

} // namespace

int run_script_text(const std::string& text, const ScriptOptions& options, ScriptRunner& runner,
                    InputBuffer* input)
{
    size_t at = 0;
    int result = 0;
    while (at < text.size())
    {
        size_t next = text.size();
        try
        {
            const ParsedStatement parsed = parse_statement(text, at);
            if (!parsed.ast)
                break;
            next = parsed.next;
            ScriptStatement statement;
            statement.text = std::string_view(text).substr(at, next - at);
            const auto* insert = parsed.ast->as<AstInsert>();
            statement.needs_input =
                insert && !insert->select && !insert->infile && parsed.data_begin >= parsed.data_end;
            statement.input = input;
            statement.ast = parsed.ast;
            if (options.echo)
                std::printf("%.*s\n", static_cast<int>(statement.text.size()),
                            statement.text.data());
            runner.run(statement);
        }
        catch (const Error& error)
        {
            result = report(error);
            if (!options.ignore_error || next >= text.size())
                return result;
        }
        at = next;
    }
    return result;
}

int run_script(const ScriptOptions& options, ScriptRunner& runner)
{
    CallbackInputBuffer standard_input([](char* to, size_t size)
                                       { return read_standard_input(to, size); });
    int result = 0;
    if (options.queries.empty() && options.files.empty())
        return run_script_text(read_descriptor(STDIN_FILENO), options, runner, nullptr);
    for (const auto& query : options.queries)
        if ((result = run_script_text(query, options, runner, &standard_input)) &&
            !options.ignore_error)
            return result;
    for (const auto& file : options.files)
        if ((result = run_script_text(real_file_system().read_whole(file), options, runner,
                                      nullptr)) &&
            !options.ignore_error)
            return result;
    return result;
}

} // namespace basalt
