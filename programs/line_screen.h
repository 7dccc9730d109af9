#pragma once

// The text being edited, on the rows of a terminal: wrapped, coloured, painted over what was there.

#include "programs/sql_colours.h"

#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

struct ScreenRows
{
    std::vector<std::string> rows; // with escape sequences
    size_t cursor_row = 0, cursor_column = 0;
};

// prompt: before the first line; continuation: before the others. colours: one for each byte.
ScreenRows lay_out(std::string_view prompt, std::string_view continuation, std::string_view text,
                   const std::vector<Colour>& colours, size_t cursor, size_t width);

class LineScreen
{
public:
    void paint(std::string_view prompt, std::string_view continuation, std::string_view text,
               const std::vector<Colour>& colours, size_t cursor);
    // Leaves what is painted and goes below it.
    void leave();
    void forget() { cursor_row_ = rows_ = 0; } // the next paint() begins where the cursor is

private:
    size_t cursor_row_ = 0, rows_ = 0;
};

// Bytes of the character that begins at `at`, of the one that ends there.
size_t character_after(std::string_view text, size_t at);
size_t character_before(std::string_view text, size_t at);

} // namespace basalt
