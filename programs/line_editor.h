#pragma once

// Lines from a terminal with history, cursor keys and completion (libedit); plain lines where there
// is no terminal.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

class LineEditor
{
public:
    // query: runs SQL and returns its TSV answer; used to learn words for completion, once, at
    // the first press of Tab.
    explicit LineEditor(std::function<std::string(const std::string&)> query);
    ~LineEditor();

    std::optional<std::string> read(const std::string& prompt); // nothing at the end of input
    // One entry of the history, kept in ~/.basalt-client-history.
    void remember(const std::string& statement);
    // Whether the text ends with a ';' (or \G) outside quotes and comments.
    static bool is_complete(const std::string& text);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// psql's \d, \dt, \l, \d table; nothing for other words.
std::optional<std::string> expand_shortcut(const std::string& word);

} // namespace basalt
