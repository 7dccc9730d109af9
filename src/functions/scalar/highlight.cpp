// highlight(text, words [, before, after]): marks where any of the words stands, in any case of
// ASCII letters; marks that touch become one.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{
namespace
{

std::string folded(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c | 0x20);
    return result;
}

TypePtr highlight_type(const TypeCall& call)
{
    if (call.size() == 3)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function {} requires 2 or 4 arguments, got 3", call.name));
    if (!call.type(1)->is(TypeId::Array) || !item_type(call.type(1))->is_string())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Illegal type {} of second argument of function {}, expected const "
                                "Array(String)",
                                call.type(1)->name(), call.name));
    return simple_type(TypeId::String);
}

ColumnPtr run_highlight(const Call& call)
{
    const StringRows rows(call.column(0));
    const Value words = constant_value(call.name, call.arguments, 1);
    const std::string before =
        call.size() > 2 ? constant_text(call.name, call.arguments, 2) : "<em>";
    const std::string after =
        call.size() > 2 ? constant_text(call.name, call.arguments, 3) : "</em>";
    std::vector<std::string> needles;
    for (const Value& word : words.get<ArrayValue>().items)
        if (const auto* text = word.get_if<std::string>(); text && !text->empty())
            needles.push_back(folded(*text));
    StringWriter out(call.rows, rows.chars_size());
    std::vector<std::pair<size_t, size_t>> marks;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        const std::string searched = folded(text);
        marks.clear();
        for (const std::string& needle : needles)
            for (size_t at = searched.find(needle); at != searched.npos;
                 at = searched.find(needle, at + 1))
                marks.emplace_back(at, at + needle.size());
        std::sort(marks.begin(), marks.end());
        size_t written = 0;
        for (size_t k = 0; k < marks.size();)
        {
            const size_t begin = marks[k].first;
            size_t end = marks[k].second;
            for (++k; k < marks.size() && marks[k].first <= end; ++k)
                end = std::max(end, marks[k].second);
            out.write(text.substr(written, begin - written));
            out.write(before);
            out.write(text.substr(begin, end - begin));
            out.write(after);
            written = end;
        }
        out.row(text.substr(written));
    }
    return out.finish();
}

constexpr FunctionSpec kHighlight{"highlight", "s a! [ s! s!", highlight_type, run_highlight};

} // namespace

void register_highlight(ScalarRegistry& registry)
{
    add<kHighlight>(registry);
}

} // namespace basalt
