// concat, concatWithSeparator, format, arrayStringConcat.

#include "functions/scalar/column_rows.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

// Rows made of texts in turn, each a constant text or an argument: sizes first, then one copy.
struct Part
{
    std::string text;  // when argument < 0
    int argument = -1;
};

// Where a part's text of a row is; 16 bytes behind it may be read.
struct PartView
{
    const char* chars;
    const uint64_t* offsets; // null: `width` bytes, `stride` apart
    size_t width;
    size_t stride;
};

// Copies whole 16 bytes: both sides have room behind.
inline void copy_loose(char* to, const char* from, size_t size)
{
    if (size > 256)
    {
        std::memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += 16)
        std::memcpy(to + i, from + i, 16);
}

ColumnPtr join_parts(const std::vector<Part>& parts, const std::vector<StringRows>& arguments,
                     size_t rows)
{
    auto result = std::make_shared<StringColumn>();
    PodVector<uint64_t>& offsets = result->offsets();
    offsets.resize_exact(rows);
    // Ends of texts add up column by column: the sum of the parts' own offsets.
    size_t fixed_bytes = 0;
    PodVector<char> literals;
    for (const Part& part : parts)
        literals.append(part.text.data(), part.text.size());
    const char* literal = literals.data();
    std::vector<PartView> views;
    std::vector<const uint64_t*> ends;
    for (const Part& part : parts)
    {
        if (part.argument < 0)
        {
            fixed_bytes += part.text.size();
            views.push_back({literal, nullptr, part.text.size(), 0});
            literal += part.text.size();
            continue;
        }
        const StringRows& texts = arguments[static_cast<size_t>(part.argument)];
        const size_t width = texts.offsets() ? 0 : texts[0].size();
        views.push_back({texts.chars(), texts.offsets(), width, texts.fixed() ? width : 0});
        if (texts.offsets())
            ends.push_back(texts.offsets());
        else
            fixed_bytes += width;
    }
    for (size_t i = 0; i < rows; ++i)
        offsets[i] = (i + 1) * fixed_bytes;
    for (const uint64_t* more : ends)
        for (size_t i = 0; i < rows; ++i)
            offsets[i] += more[i];
    PodVector<char>& chars = result->chars();
    chars.resize_exact(rows ? offsets[rows - 1] : 0);
    char* to = chars.data();
    for (size_t i = 0; i < rows; ++i)
        for (const PartView& view : views)
        {
            const char* from = view.chars + i * view.stride;
            size_t size = view.width;
            if (view.offsets)
            {
                const uint64_t begin = i == 0 ? 0 : view.offsets[i - 1];
                from = view.chars + begin;
                size = view.offsets[i] - begin;
            }
            copy_loose(to, from, size);
            to += size;
        }
    return result;
}

// Every argument as text; the columns are kept alive in `owners`.
std::vector<StringRows> text_arguments(const Call& call, size_t from, Columns& owners)
{
    std::vector<StringRows> texts;
    for (size_t i = from; i < call.size(); ++i)
    {
        owners.push_back(call.type(i)->is_string() ? call.column(i)
                                                   : as_text(call[i], call.context));
        texts.emplace_back(owners.back());
    }
    return texts;
}

// concat of arrays, tuples and maps is another function's work.
std::string_view delegate_of(const Types& types)
{
    const auto all = [&](TypeId id)
    {
        for (const TypePtr& type : types)
            if (!type->is(id))
                return false;
        return true;
    };
    return all(TypeId::Array)   ? "arrayConcat"
           : all(TypeId::Map)   ? "mapConcat"
           : all(TypeId::Tuple) ? "tupleConcat"
                                : "";
}

Types types_of(const Arguments& arguments)
{
    Types types;
    for (const Argument& argument : arguments)
        types.push_back(argument.type);
    return types;
}

TypePtr concat_type(const TypeCall& call)
{
    const std::string_view delegate = delegate_of(types_of(call.arguments));
    if (!delegate.empty())
        return scalar_functions().get(delegate, call.context)->return_type(call.arguments);
    return simple_type(TypeId::String);
}

ColumnPtr run_concat(const Call& call)
{
    const std::string_view delegate = delegate_of(types_of(call.arguments));
    if (!delegate.empty())
        return call_function(*scalar_functions().get(delegate, call.context), call.arguments,
                             call.result_type, call.rows, call.context);
    Columns owners;
    const std::vector<StringRows> texts = text_arguments(call, 0, owners);
    std::vector<Part> parts;
    for (size_t i = 0; i < texts.size(); ++i)
        parts.push_back({"", static_cast<int>(i)});
    return join_parts(parts, texts, call.rows);
}

ColumnPtr run_concat_with_separator(const Call& call)
{
    Columns owners;
    const std::vector<StringRows> texts = text_arguments(call, 1, owners);
    const std::string separator = constant_text(call.name, call.arguments, 0);
    std::vector<Part> parts;
    for (size_t i = 0; i < texts.size(); ++i)
    {
        if (i != 0)
            parts.push_back({separator, -1});
        parts.push_back({"", static_cast<int>(i)});
    }
    return join_parts(parts, texts, call.rows);
}

[[noreturn]] void bad_format(const std::string& what)
{
    throw Error(error_codes::BAD_ARGUMENTS, what);
}

// "{}" and "{0}" placeholders, "{{" and "}}" for braces.
std::vector<Part> parse_format(std::string_view pattern, size_t arguments)
{
    std::vector<Part> parts;
    std::string literal;
    size_t next = 0;
    bool manual = false;
    bool automatic = false;
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        const char c = pattern[i];
        const bool doubled = i + 1 < pattern.size() && pattern[i + 1] == c;
        if (c == '{' && doubled)
        {
            literal += '{';
            ++i;
        }
        else if (c == '}')
        {
            if (!doubled)
                bad_format("Closed curly brace without an open one");
            literal += '}';
            ++i;
        }
        else if (c == '{')
        {
            // A doubled brace does not close, even here.
            size_t close = pattern.find('}', i);
            while (close != pattern.npos && pattern.substr(close).starts_with("}}"))
                close = pattern.find('}', close + 2);
            if (close == pattern.npos)
                bad_format("Last open curly brace is not closed");
            const std::string_view index = pattern.substr(i + 1, close - i - 1);
            size_t number = 0;
            if (index.empty())
            {
                if (manual)
                    bad_format("Cannot switch from manual field specification to automatic field "
                               "numbering");
                automatic = true;
                number = next++;
            }
            else
            {
                for (const char digit : index)
                {
                    if (digit < '0' || digit > '9' || number > 1'000'000)
                        bad_format(fmt::format("Not a number in curly braces at position {}",
                                               i + 1));
                    number = number * 10 + static_cast<size_t>(digit - '0');
                }
                if (automatic)
                    bad_format("Cannot switch from automatic field numbering to manual field "
                               "specification");
                manual = true;
            }
            if (number >= arguments)
                bad_format(fmt::format("Argument is too big for formatting: {}", number));
            if (!literal.empty())
                parts.push_back({std::move(literal), -1});
            literal.clear();
            parts.push_back({"", static_cast<int>(number)});
            i = close;
        }
        else
            literal += c;
    }
    if (!literal.empty())
        parts.push_back({std::move(literal), -1});
    return parts;
}

ColumnPtr run_format(const Call& call)
{
    Columns owners;
    const std::vector<StringRows> texts = text_arguments(call, 1, owners);
    const std::string pattern = constant_text(call.name, call.arguments, 0);
    return join_parts(parse_format(pattern, texts.size()), texts, call.rows);
}

ColumnPtr run_array_string_concat(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    const TypePtr nested = type_as<ArrayType>(call.type(0)).nested();
    const std::string separator =
        call.size() == 2 ? constant_text(call.name, call.arguments, 1) : "";
    ColumnPtr items = arrays.items();
    const uint8_t* nulls = nullptr;
    TypePtr item_type = remove_low_cardinality(nested);
    if (items->form() == ColumnForm::Nullable)
    {
        const auto& nullable = column_as<NullableColumn>(items);
        nulls = nullable.null_map().data();
        items = nullable.nested();
        item_type = remove_nullable(item_type);
    }
    if (item_type->is(TypeId::Nothing))
    {
        StringWriter out(call.rows);
        for (size_t i = 0; i < call.rows; ++i)
            out.end_row();
        return out.finish();
    }
    const ColumnPtr text = as_text({items, item_type}, call.context);
    const StringRows texts(text);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        bool first = true;
        for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
        {
            if (nulls && nulls[j])
                continue;
            if (!first)
                out.write(separator);
            first = false;
            out.write(texts[j]);
        }
        out.end_row();
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kConcat{"concat", "*...", concat_type, run_concat, kCaseInsensitive};
constexpr FunctionSpec kConcatInjective{"concatAssumeInjective", "*...", concat_type, run_concat,
                                        kInjective};
constexpr FunctionSpec kSeparator{"concatWithSeparator", "s! [ *...", kString,
                                  run_concat_with_separator, 0, "concat_ws*"};
constexpr FunctionSpec kSeparatorInjective{"concatWithSeparatorAssumeInjective", "s! [ *...",
                                           kString, run_concat_with_separator, kInjective};
constexpr FunctionSpec kFormat{"format", "s! *...", kString, run_format};
constexpr FunctionSpec kArrayConcat{"arrayStringConcat", "a [ s!", kString,
                                    run_array_string_concat, 0, "array_to_string*"};

} // namespace

void register_concat(ScalarRegistry& registry)
{
    add_all<kConcat, kConcatInjective, kSeparator, kSeparatorInjective, kFormat, kArrayConcat>(
        registry);
}

} // namespace basalt
