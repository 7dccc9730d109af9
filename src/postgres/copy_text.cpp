#include "postgres/copy_text.h"

#include <cstring>

namespace basalt::pg
{

namespace
{

char unescaped(char c)
{
    switch (c)
    {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return c; // PostgreSQL writes neither octal nor hexadecimal forms
    }
}

} // namespace

const std::vector<CopyField>& CopyLine::split(std::string_view line)
{
    if (!line.empty() && line.back() == '\n')
        line.remove_suffix(1);
    fields_.clear();
    buffer_.clear();
    buffer_.reserve(line.size()); // views into it stay valid
    size_t at = 0;
    for (;;)
    {
        const void* found = std::memchr(line.data() + at, '\t', line.size() - at);
        const size_t end =
            found ? static_cast<size_t>(static_cast<const char*>(found) - line.data()) : line.size();
        const std::string_view field = line.substr(at, end - at);
        if (field == "\\N")
            fields_.push_back({{}, true});
        else if (field.find('\\') == std::string_view::npos)
            fields_.push_back({field, false});
        else
        {
            const size_t begin = buffer_.size();
            for (size_t i = 0; i < field.size(); ++i)
                if (field[i] == '\\' && i + 1 < field.size())
                    buffer_.push_back(unescaped(field[++i]));
                else
                    buffer_.push_back(field[i]);
            fields_.push_back(
                {std::string_view(buffer_).substr(begin, buffer_.size() - begin), false});
        }
        if (!found)
            return fields_;
        at = end + 1;
    }
}

void append_copy_field(std::string& out, std::string_view text)
{
    for (const char c : text)
        switch (c)
        {
        case '\\':
            out += "\\\\";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        default:
            out.push_back(c);
        }
}

} // namespace basalt::pg
