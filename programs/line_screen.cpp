#include "programs/line_screen.h"

#include "columns/string_text.h"

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr size_t kUsualWidth = 80, kUsualHeight = 24;

std::pair<size_t, size_t> terminal_size()
{
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return {kUsualWidth, kUsualHeight};
    return {size.ws_col, std::max<size_t>(size.ws_row, 2)};
}

bool is_continuation_byte(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

size_t character_after(std::string_view text, size_t at)
{
    size_t size = at < text.size();
    while (at + size < text.size() && is_continuation_byte(text[at + size]))
        ++size;
    return size;
}

size_t character_before(std::string_view text, size_t at)
{
    size_t size = at > 0;
    while (size < at && is_continuation_byte(text[at - size]))
        ++size;
    return size;
}

ScreenRows lay_out(std::string_view prompt, std::string_view continuation, std::string_view text,
                   const std::vector<Colour>& colours, size_t cursor, size_t width)
{
    ScreenRows screen;
    std::string row(prompt);
    size_t column = text_width(prompt);
    Colour colour = Colour::Plain;
    const auto end_row = [&](std::string_view next)
    {
        if (colour != Colour::Plain)
            row += escape_of(Colour::Plain);
        screen.rows.push_back(std::move(row));
        row = next;
        column = text_width(next);
        if (colour != Colour::Plain)
            row += escape_of(colour);
    };
    for (size_t at = 0; at <= text.size();)
    {
        const size_t size = character_after(text, at);
        std::string_view shown = text.substr(at, size);
        if (shown == "\t")
            shown = " ";
        else if (size == 1 && static_cast<unsigned char>(shown[0]) < ' ' && shown != "\n")
            shown = "?";
        const size_t wide = shown == "\n" ? 0 : text_width(shown);
        if (column + wide > width || (column == width && shown != "\n"))
            end_row("");
        if (at == cursor)
        {
            screen.cursor_row = screen.rows.size();
            screen.cursor_column = column;
        }
        if (at == text.size())
            break;
        if (shown == "\n")
            end_row(continuation);
        else
        {
            if (colours[at] != colour)
            {
                // Bold and the like are added up otherwise.
                if (colour != Colour::Plain)
                    row += escape_of(Colour::Plain);
                colour = colours[at];
                if (colour != Colour::Plain)
                    row += escape_of(colour);
            }
            row += shown;
            column += wide;
        }
        at += size;
    }
    if (colour != Colour::Plain)
        row += escape_of(Colour::Plain);
    screen.rows.push_back(std::move(row));
    return screen;
}

void LineScreen::paint(std::string_view prompt, std::string_view continuation,
                       std::string_view text, const std::vector<Colour>& colours, size_t cursor)
{
    const auto [width, height] = terminal_size();
    ScreenRows screen = lay_out(prompt, continuation, text, colours, cursor, width);
    // Of more rows than there are on the terminal, those around the cursor.
    if (screen.rows.size() > height)
    {
        const size_t first = std::min(screen.cursor_row >= height ? screen.cursor_row - height + 1
                                                                  : size_t{0},
                                      screen.rows.size() - height);
        screen.rows.erase(screen.rows.begin(),
                          screen.rows.begin() + static_cast<std::ptrdiff_t>(first));
        screen.rows.resize(height);
        screen.cursor_row -= first;
    }
    std::string out = "\r";
    if (cursor_row_ > 0)
        out += "\033[" + std::to_string(cursor_row_) + "A";
    out += "\033[J";
    for (size_t i = 0; i < screen.rows.size(); ++i)
        out += (i ? "\r\n" : "") + screen.rows[i];
    if (const size_t up = screen.rows.size() - 1 - screen.cursor_row)
        out += "\033[" + std::to_string(up) + "A";
    out += "\r";
    if (screen.cursor_column > 0)
        out += "\033[" + std::to_string(screen.cursor_column) + "C";
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
    cursor_row_ = screen.cursor_row;
    rows_ = screen.rows.size();
}

void LineScreen::leave()
{
    std::string out;
    for (size_t i = cursor_row_; i < rows_; ++i)
        out += "\n";
    out += "\r";
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
    forget();
}

} // namespace basalt
