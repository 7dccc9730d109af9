#pragma once

// Small text files of "name = value" lines, in the order they were set: an instance's description,
// its state, the figures of its machine, and the settings a user gave (PostgreSQL reads those too).
//
// A value is bare, or stands in single quotes with '' for a quote; '#' starts a comment. Names are
// letters, digits, '_' and '.'. INCORRECT_DATA names the line that is neither.

#include "base/int_types.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt::pg
{

inline constexpr size_t kMaxKeyValueFileBytes = 1 << 20;

class KeyValues
{
public:
    static KeyValues parse(std::string_view text, std::string_view what);

    // Replaces an earlier value. BAD_ARGUMENTS if the value holds a line break or a NUL.
    void set(const std::string& name, const std::string& value);
    void set(const std::string& name, int64_t value) { set(name, std::to_string(value)); }
    // False if there was none.
    bool remove(const std::string& name);

    std::optional<std::string> get(std::string_view name) const;
    std::string text(std::string_view name, std::string_view otherwise = {}) const;
    // `otherwise` if absent or no number.
    int64_t number(std::string_view name, int64_t otherwise = 0) const;
    double real(std::string_view name, double otherwise = 0) const;

    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

    // Every value in quotes.
    std::string to_text() const;

private:
    std::vector<std::pair<std::string, std::string>> entries_;
};

// 'it''s': as PostgreSQL's configuration files and SQL write it.
std::string quoted(std::string_view text);
// "Odd ""name""".
std::string quoted_identifier(std::string_view name);
// One word for /bin/sh.
std::string shell_quoted(std::string_view text);

} // namespace basalt::pg
