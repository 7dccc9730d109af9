#include "programs/line_editor.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <editline/readline.h>

namespace basalt
{

namespace
{

// libedit's completion takes plain functions: the words live here.
std::vector<std::string>* g_words = nullptr;
std::function<void()>* g_learn = nullptr;

char* next_word(const char* prefix, int state)
{
    static size_t at;
    if (state == 0)
    {
        at = 0;
        if (g_learn)
            (*g_learn)();
    }
    const size_t length = std::strlen(prefix);
    while (g_words && at < g_words->size())
    {
        const std::string& word = (*g_words)[at++];
        if (strncasecmp(word.c_str(), prefix, length) == 0)
            return strdup(word.c_str());
    }
    return nullptr;
}

char** complete(const char* text, int, int)
{
    return rl_completion_matches(text, next_word);
}

const char* const kKeywords[] = {
    "SELECT", "FROM",   "WHERE",  "GROUP BY", "ORDER BY", "LIMIT",  "INSERT INTO", "VALUES",
    "CREATE", "TABLE",  "ENGINE", "MergeTree", "PARTITION BY", "DROP", "ALTER", "FORMAT",
    "SETTINGS", "SHOW", "TABLES", "DATABASES", "DESCRIBE", "EXPLAIN", "HAVING", "JOIN",
    "LEFT",   "INNER",  "UNION ALL", "DISTINCT", "PREWHERE", "WITH", "OPTIMIZE", "SYSTEM"};

} // namespace

struct LineEditor::Impl
{
    std::function<std::string(const std::string&)> query;
    std::vector<std::string> words;
    std::function<void()> learn;
    std::string history_path;
    bool learnt = false;
};

LineEditor::LineEditor(std::function<std::string(const std::string&)> query)
    : impl_(std::make_unique<Impl>())
{
    impl_->query = std::move(query);
    if (const char* home = std::getenv("HOME"))
        impl_->history_path = std::string(home) + "/.basalt-client-history";
    using_history();
    if (!impl_->history_path.empty())
        read_history(impl_->history_path.c_str());
    impl_->words.assign(std::begin(kKeywords), std::end(kKeywords));
    impl_->learn = [this]
    {
        if (impl_->learnt)
            return;
        impl_->learnt = true;
        try
        {
            const std::string names = impl_->query(
                "SELECT name FROM system.functions UNION ALL SELECT name FROM system.tables UNION "
                "ALL SELECT DISTINCT name FROM system.columns WHERE database != 'system' UNION ALL "
                "SELECT name FROM system.databases UNION ALL SELECT name FROM system.formats "
                "UNION ALL SELECT name FROM system.settings FORMAT TSVRaw");
            size_t begin = 0;
            while (begin < names.size())
            {
                size_t end = std::min(names.find('\n', begin), names.size());
                impl_->words.push_back(names.substr(begin, end - begin));
                begin = end + 1;
            }
            std::sort(impl_->words.begin(), impl_->words.end());
            impl_->words.erase(std::unique(impl_->words.begin(), impl_->words.end()),
                               impl_->words.end());
        }
        catch (const Error&)
        {
            // Without a server's names the keywords stay.
        }
    };
    g_words = &impl_->words;
    g_learn = &impl_->learn;
    rl_attempted_completion_function = complete;
}

LineEditor::~LineEditor()
{
    g_words = nullptr;
    g_learn = nullptr;
}

std::optional<std::string> LineEditor::read(const std::string& prompt)
{
    char* line = readline(prompt.c_str());
    if (!line)
        return std::nullopt;
    std::string text(line);
    ::free(line);
    return text;
}

void LineEditor::remember(const std::string& statement)
{
    std::string line = statement;
    while (!line.empty() && line.back() == '\n')
        line.pop_back();
    std::replace(line.begin(), line.end(), '\n', ' ');
    add_history(line.c_str());
    if (!impl_->history_path.empty())
        write_history(impl_->history_path.c_str());
}

bool LineEditor::is_complete(const std::string& text)
{
    char quote = 0;
    bool ends = false;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        if (quote)
        {
            if (c == '\\')
                ++i;
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '\'' || c == '"' || c == '`')
        {
            quote = c;
            ends = false;
        }
        else if (c == '-' && i + 1 < text.size() && text[i + 1] == '-')
            i = std::min(text.find('\n', i), text.size());
        else if (c == ';' || (c == 'G' && i > 0 && text[i - 1] == '\\'))
            ends = true;
        else if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            ends = false;
    }
    return ends && !quote;
}

std::optional<std::string> expand_shortcut(const std::string& word)
{
    if (word == "\\l")
        return "SHOW DATABASES;";
    if (word == "\\d" || word == "\\dt")
        return "SHOW TABLES;";
    if (word.starts_with("\\d "))
        return "DESCRIBE TABLE " + word.substr(3) + ";";
    return std::nullopt;
}

} // namespace basalt
