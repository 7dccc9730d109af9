#pragma once

// What client and local share: flags for queries, splitting a script into statements, running them
// one after another.

#include "base/settings.h"
#include "io/buffer.h"
#include "sql/ast.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace basalt
{

struct ScriptOptions
{
    std::vector<std::string> queries; // -q, may be given several times
    std::vector<std::string> files;   // --queries-file
    std::string format;               // --format; empty: a default by terminal
    std::string query_id;
    bool print_time = false;
    bool ignore_error = false;
    bool multiquery = false; // accepted; scripts are always split
    bool echo = false;
    Settings settings;
    std::map<std::string, std::string> parameters;
};

struct ScriptStatement
{
    std::string_view text;      // with inline data, when it has some
    bool needs_input = false;   // INSERT without inline data: rows come from `input`
    InputBuffer* input = nullptr;
    AstPtr ast;
};

class ScriptRunner
{
public:
    virtual ~ScriptRunner() = default;
    virtual void run(const ScriptStatement& statement) = 0;
};

void add_script_options(CLI::App& app, ScriptOptions& options);
// --param_x=1 and --param_x 1.
void take_parameters(std::vector<std::string>& arguments,
                     std::map<std::string, std::string>& parameters);

// Sets a format by where the output goes, when none was given.
void choose_format(ScriptOptions& options);

// Runs what -q and --queries-file give, else standard input. Errors go to stderr; returns the exit
// code.
int run_script(const ScriptOptions& options, ScriptRunner& runner);
int run_script_text(const std::string& text, const ScriptOptions& options, ScriptRunner& runner,
                    InputBuffer* input);

// Everything from a file descriptor.
std::string read_descriptor(int fd);
// Up to `size` bytes of standard input; 0 at its end.
size_t read_standard_input(char* to, size_t size);

} // namespace basalt
