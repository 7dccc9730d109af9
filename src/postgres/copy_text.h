#pragma once

// The text format of COPY: rows of fields with tabs between them, \N for NULL and backslashes
// before what would be taken for something else. Pure. Threads: one.

#include <string>
#include <string_view>
#include <vector>

namespace basalt::pg
{

struct CopyField
{
    std::string_view text; // lives until the next line
    bool is_null = false;
};

class CopyLine
{
public:
    // Takes one line apart, with or without its line end.
    const std::vector<CopyField>& split(std::string_view line);

private:
    std::string buffer_;
    std::vector<CopyField> fields_;
};

// Appends a field as COPY FROM reads it.
void append_copy_field(std::string& out, std::string_view text);

} // namespace basalt::pg
