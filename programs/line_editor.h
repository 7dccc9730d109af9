#pragma once

// Statements from a terminal: several lines, cursor keys, history, completion, colours. Plain lines where
// the terminal can do no more. One thread.

#include "programs/history_file.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxStatementBytes = 16 << 20; // typed or pasted

struct LineEditorOptions
{
    std::string history_path;
    // Words for completion, asked for once, at the first Tab.
    std::function<std::vector<std::string>()> words;
    // Whether Enter behind this text ends it; otherwise it begins a new line.
    std::function<bool(const std::string& text)> is_complete;
};

class LineEditor
{
public:
    explicit LineEditor(LineEditorOptions options);
    ~LineEditor();

    // Nothing at the end of input. Ctrl-C drops what was typed and begins anew.
    std::optional<std::string> read(const std::string& prompt);
    // One entry of the history.
    void remember(const std::string& statement);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// ~/.basalt-client-history; empty without a home.
std::string usual_history_path();

} // namespace basalt
