#include "programs/client_shell.h"

#include "base/error.h"
#include "programs/line_editor.h"
#include "programs/pager.h"
#include "programs/programs.h"
#include "programs/sql_colours.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <termios.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr const char* kHelp = R"(
  \l             databases
  \d, \dt        tables of the current database
  \d TABLE       columns of a table
  \c DATABASE    another current database
  \G             behind a query in place of ; shows each row on lines of its own
  \?             this
  \q             leaves; so do exit, quit and Ctrl-D

  Enter runs what is complete. Alt-Enter begins a new line, as does Enter within brackets and
  quotes or behind a \. With --multiline a statement ends with ; or \G.
  Tab completes, Ctrl-R searches what was typed before.
  Ctrl-C ends the query that runs; once more, the program.

)";

std::string trimmed(const std::string& text)
{
    const size_t begin = text.find_first_not_of(" \t\r\n");
    const size_t end = text.find_last_not_of(" \t\r\n;");
    return begin == std::string::npos || end == std::string::npos || end < begin
               ? ""
               : text.substr(begin, end - begin + 1);
}

bool leaves(const std::string& word)
{
    for (const char* one : {"exit", "quit", "logout", "q", ":q", "\\q", "й", "учше"})
        if (word == one)
            return true;
    return false;
}

std::vector<std::string> words_of(RemoteRunner& runner)
{
    std::vector<std::string> words(sql_keywords().begin(), sql_keywords().end());
    for (const char* sql :
         {"SELECT name FROM system.functions UNION ALL SELECT name FROM system.table_functions "
          "UNION ALL SELECT name FROM system.formats UNION ALL SELECT name FROM system.settings "
          "UNION ALL SELECT name FROM system.table_engines UNION ALL SELECT name FROM "
          "system.data_type_families",
          "SELECT name FROM system.databases UNION ALL SELECT DISTINCT name FROM system.tables "
          "LIMIT 50000",
          "SELECT DISTINCT name FROM system.columns LIMIT 50000"})
        try
        {
            const std::string names = runner.query(std::string(sql) + " FORMAT TSVRaw");
            for (size_t at = 0; at < names.size();)
            {
                const size_t end = std::min(names.find('\n', at), names.size());
                words.push_back(names.substr(at, end - at));
                at = end + 1;
            }
        }
        catch (const Error&)
        {
            // Without these names the others stay.
        }
    return words;
}

// Where there is no terminal that can do more, whole lines.
class Lines
{
public:
    Lines(LineEditorOptions options) : is_complete_(options.is_complete)
    {
        const char* terminal = std::getenv("TERM");
        if (isatty(STDOUT_FILENO) && terminal && *terminal && std::strcmp(terminal, "dumb") != 0)
            editor_ = std::make_unique<LineEditor>(std::move(options));
    }

    std::optional<std::string> read(const std::string& prompt)
    {
        if (editor_)
            return editor_->read(prompt);
        std::string text, line;
        std::printf("%s", prompt.c_str());
        std::fflush(stdout);
        while (std::getline(std::cin, line))
        {
            text += line;
            if (is_complete_(text))
                return text;
            text += '\n';
        }
        return text.empty() ? std::nullopt : std::optional<std::string>(text);
    }

    void remember(const std::string& statement)
    {
        if (editor_)
            editor_->remember(statement);
    }

private:
    std::function<bool(const std::string&)> is_complete_;
    std::unique_ptr<LineEditor> editor_;
};

// While queries run, Ctrl-C is not shown: it would stand in the line of progress.
class QuietControl
{
public:
    QuietControl()
    {
        if (tcgetattr(STDIN_FILENO, &before_) != 0)
            return;
        termios quiet = before_;
        quiet.c_lflag &= static_cast<tcflag_t>(~ECHOCTL);
        changed_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) == 0;
    }
    ~QuietControl()
    {
        if (changed_)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }

private:
    termios before_ = {};
    bool changed_ = false;
};

} // namespace

std::optional<std::string> expand_shortcut(const std::string& word)
{
    if (word == "\\l")
        return "SHOW DATABASES";
    if (word == "\\d" || word == "\\dt")
        return "SHOW TABLES";
    if (word.starts_with("\\d "))
        return "DESCRIBE TABLE " + word.substr(3);
    if (word.starts_with("\\c ") || word.starts_with("\\u "))
        return "USE " + word.substr(3);
    return std::nullopt;
}

int run_shell(RemoteRunner& runner, ScriptOptions& script, const RemoteOptions& options)
{
    const std::string version = runner.query("SELECT version() FORMAT TSVRaw");
    std::printf("Basalt client %s\nConnected to %s, server version %s. \\? is help.\n\n",
                kBasaltVersion, runner.where().c_str(), trimmed(version).c_str());
    LineEditorOptions editing;
    editing.history_path =
        options.history_path.empty() ? usual_history_path() : options.history_path;
    editing.words = [&runner] { return words_of(runner); };
    editing.is_complete = [&options](const std::string& text)
    {
        const std::string word = trimmed(text);
        if (word.empty() || word[0] == '\\' || leaves(word))
            return true;
        if (has_end_mark(text))
            return true;
        return !options.multiline && text.back() != '\\' && is_closed(text);
    };
    Lines lines(std::move(editing));
    const QuietControl quiet;
    for (;;)
    {
        const auto text = lines.read(options.host + " :) ");
        if (!text)
            break;
        const std::string word = trimmed(*text);
        if (word.empty())
            continue;
        if (leaves(word))
            break;
        lines.remember(*text);
        if (word == "\\?" || word == "\\h" || word == "help")
        {
            std::printf("%s", kHelp);
            continue;
        }
        const auto shortcut = expand_shortcut(word);
        if (word[0] == '\\' && !shortcut)
        {
            std::printf("There is no %s; \\? tells what there is.\n\n", word.c_str());
            continue;
        }
        std::printf("\n");
        const Pager pager(options.pager);
        run_script_text(shortcut ? *shortcut : *text, script, runner, nullptr);
        std::printf("\n");
    }
    std::printf("Bye.\n");
    return 0;
}

} // namespace basalt
