#include "net/postgres/copy_statement.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Words, quoted strings and names, bracketed lists as one piece, other characters.
std::vector<std::string> tokens_of(const std::string& text)
{
    std::vector<std::string> tokens;
    size_t at = 0;
    const auto quoted_end = [&](size_t from)
    {
        const char quote = text[from];
        for (size_t i = from + 1; i < text.size(); ++i)
        {
            if (text[i] == '\\')
                ++i;
            else if (text[i] == quote)
                return i + 1;
        }
        return text.size();
    };
    while (at < text.size())
    {
        const char c = text[at];
        if (std::string_view(" \t\r\n").find(c) != std::string_view::npos)
        {
            ++at;
            continue;
        }
        size_t end = at + 1;
        if (c == '\'' || c == '`')
            end = quoted_end(at);
        else if (c == '(')
        {
            size_t depth = 1;
            while (end < text.size() && depth > 0)
            {
                if (text[end] == '\'' || text[end] == '`')
                {
                    end = quoted_end(end);
                    continue;
                }
                depth += text[end] == '(';
                depth -= text[end] == ')';
                ++end;
            }
        }
        else
            while (end < text.size() &&
                   std::string_view(" \t\r\n('`,=").find(text[end]) == std::string_view::npos)
                ++end;
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

[[noreturn]] void bad_copy(const std::string& what)
{
    throw Error(error_codes::SYNTAX_ERROR, fmt::format("COPY: {}", what));
}

// The bytes that a quoted literal of ours stands for.
std::string literal_value(const std::string& token)
{
    if (token.size() < 2 || token[0] != '\'')
        return token;
    std::string value;
    for (size_t i = 1; i + 1 < token.size(); ++i)
    {
        if (token[i] == '\\' && i + 2 < token.size())
            ++i;
        value += token[i];
    }
    return value;
}

struct Options
{
    bool csv = false, header = false;
    std::optional<std::string> delimiter, null;
};

// FORMAT csv, HEADER true …, with or without brackets.
Options parse_options(std::vector<std::string> tokens)
{
    if (!tokens.empty() && fold_name(tokens[0]) == "with")
        tokens.erase(tokens.begin());
    if (tokens.size() == 1 && tokens[0].starts_with('('))
        tokens = tokens_of(tokens[0].substr(1, tokens[0].size() - 2));
    Options options;
    for (size_t i = 0; i < tokens.size(); ++i)
    {
        const std::string name = fold_name(tokens[i]);
        const auto value = [&]
        {
            if (i + 1 < tokens.size() && fold_name(tokens[i + 1]) == "as")
                ++i;
            if (i + 1 >= tokens.size())
                bad_copy("an option without a value");
            return literal_value(tokens[++i]);
        };
        if (name == ",")
            continue;
        if (name == "format")
        {
            const std::string format = fold_name(value());
            if (format != "csv" && format != "text")
                throw Error(error_codes::NOT_IMPLEMENTED,
                            fmt::format("COPY in format {} is not implemented", format));
            options.csv = format == "csv";
        }
        else if (name == "csv")
            options.csv = true;
        else if (name == "header")
        {
            options.header = true;
            if (i + 1 < tokens.size())
            {
                const std::string next = fold_name(tokens[i + 1]);
                if (next == "false" || next == "off" || next == "0")
                    options.header = false;
                if (next == "false" || next == "off" || next == "0" || next == "true" ||
                    next == "on" || next == "1")
                    ++i;
            }
        }
        else if (name == "delimiter")
            options.delimiter = value();
        else if (name == "null")
            options.null = value();
        else if (name == "encoding")
        {
            std::string encoding = fold_name(value());
            encoding.erase(std::remove(encoding.begin(), encoding.end(), '-'), encoding.end());
            if (encoding != "utf8")
                throw Error(error_codes::NOT_IMPLEMENTED, "COPY is in UTF-8 only");
        }
        else if (name == "quote" && value() == "\"")
            continue;
        else
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Option {} of COPY is not implemented", name));
    }
    return options;
}

} // namespace

std::optional<CopyStatement> parse_copy(const PostgresStatement& statement)
{
    if (!statement.is("COPY"))
        return std::nullopt;
    std::vector<std::string> tokens = tokens_of(statement.text_without_parameters());
    size_t at = 1;
    std::string table, columns, query;
    if (at < tokens.size() && tokens[at].starts_with('('))
        query = tokens[at++];
    else
    {
        // A name may come in pieces: `a`.`b`.
        while (at < tokens.size() && !tokens[at].starts_with('(') &&
               fold_name(tokens[at]) != "from" && fold_name(tokens[at]) != "to")
            table += tokens[at++];
        if (at < tokens.size() && tokens[at].starts_with('('))
            columns = tokens[at++];
    }
    if ((table.empty() && query.empty()) || at + 1 >= tokens.size())
        bad_copy("a table or a query, FROM STDIN or TO STDOUT are wanted");
    CopyStatement copy;
    const std::string direction = fold_name(tokens[at]), place = fold_name(tokens[at + 1]);
    copy.from = direction == "from";
    if (direction != "from" && direction != "to")
        bad_copy("FROM or TO is wanted");
    if (place != (copy.from ? "stdin" : "stdout"))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "COPY goes FROM STDIN or TO STDOUT; the server opens no files");
    if (copy.from && !query.empty())
        bad_copy("rows cannot go into a query");
    const Options options = parse_options({tokens.begin() + static_cast<long>(at) + 2, tokens.end()});
    if (options.delimiter && options.delimiter->size() != 1)
        bad_copy("a delimiter is one character");
    if (options.csv)
    {
        copy.format = options.header ? "CSVWithNames" : "CSV";
        copy.settings.emplace_back("format_csv_delimiter", options.delimiter.value_or(","));
        copy.settings.emplace_back("format_csv_null_representation", options.null.value_or(""));
    }
    else
    {
        if (options.delimiter.value_or("\t") != "\t")
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Text COPY with another delimiter than a tab is not implemented");
        copy.format = options.header ? "TabSeparatedWithNames" : "TabSeparated";
        copy.settings.emplace_back("format_tsv_null_representation",
                                   options.null.value_or("\\N"));
    }
    if (copy.from && options.header)
        copy.settings.emplace_back("input_format_with_names_use_header", "0");
    if (copy.from)
        copy.text = fmt::format("INSERT INTO {} {} FORMAT {}\n", table, columns, copy.format);
    else if (!query.empty())
        copy.text = query.substr(1, query.size() - 2);
    else
        copy.text = fmt::format("SELECT {} FROM {}",
                                columns.empty() ? "*" : columns.substr(1, columns.size() - 2),
                                table);
    return copy;
}

} // namespace basalt
