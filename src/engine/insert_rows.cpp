#include "engine/insert_rows.h"

#include "base/error.h"
#include "binder/binder.h"
#include "sql/ast_create.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Most rows parsed into one block of an INSERT with data.
constexpr size_t kInsertBlockRows = 65536;

// Parses and evaluates an expression of VALUES; 0 where no end of it is seen, since the rest may
// not be read yet.
size_t value_expression(std::string_view text, const TypePtr& type, Column& into,
                        const QueryContext& context)
{
    // The expression ends at a comma or parenthesis outside quotes and brackets.
    size_t depth = 0, end = 0;
    char quote = 0;
    for (; end < text.size(); ++end)
    {
        const char c = text[end];
        if (quote)
        {
            if (c == '\\')
                ++end;
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '\'' || c == '"' || c == '`')
            quote = c;
        else if (c == '(' || c == '[' || c == '{')
            ++depth;
        else if (c == ')' || c == ']' || c == '}')
        {
            if (depth == 0)
                break;
            --depth;
        }
        else if (c == ',' && depth == 0)
            break;
    }
    if (end >= text.size())
        return 0;
    const AstPtr ast = parse_expression(text.substr(0, end));
    const auto bound = cast_to(bind_expression(*ast, {}, context), type, context);
    Block one;
    one.set_rows(1);
    const ColumnPtr column = to_flat(ExpressionProgram({bound}, context).run(one)[0]);
    into.append_from(*column, 0);
    return end;
}

} // namespace

InsertRows::InsertRows(const std::string& format, InputBuffer& source, Header header,
                       QueryContextPtr context)
    : context_(std::move(context))
{
    const auto& entry = formats().get_input(format.empty() ? "Values" : format);
    InputFormatContext format_context;
    format_context.header = std::move(header);
    format_context.options = FormatOptions::from(context_->settings, context_->timezone());
    const QueryContext* for_values = context_.get();
    format_context.expression =
        [for_values](std::string_view text, const TypePtr& type, Column& into)
    { return value_expression(text, type, into, *for_values); };
    format_ = entry.input(source, std::move(format_context));
}

InsertRows::~InsertRows() = default;

InputBlock InsertRows::next()
{
    return format_->read(kInsertBlockRows);
}

struct DescribedDefaults::Entry
{
    std::unique_ptr<ExpressionProgram> program;
};

namespace
{

// A line of the description as a column's declaration in SQL: fields are escaped as in
// TabSeparated, and tabs stand between them.
std::string declaration_of(std::string_view line)
{
    std::string text;
    for (size_t i = 0; i < line.size(); ++i)
    {
        char c = line[i];
        if (c == '\t')
            c = ' ';
        else if (c == '\\' && i + 1 < line.size() && text.find(' ') != std::string::npos)
        {
            c = line[++i];
            constexpr std::string_view kEscapes = "tnrbf0", kMeant("\t\n\r\b\f\0", 6);
            if (const size_t at = kEscapes.find(c); at != std::string_view::npos)
                c = kMeant[at];
        }
        text += c;
    }
    return text;
}

} // namespace

DescribedDefaults::DescribedDefaults(const std::string& description, const Header& header,
                                     QueryContextPtr context)
    : context_(std::move(context)), entries_(header.size())
{
    size_t at = 0, number = 0;
    while (at < description.size())
    {
        size_t end = description.find('\n', at);
        if (end == std::string::npos)
            end = description.size();
        const std::string_view line = std::string_view(description).substr(at, end - at);
        at = end + 1;
        if (number == 0 && line != "columns format version: 1")
            throw Error(error_codes::INCORRECT_DATA, "An unknown description of columns");
        // The first line is the version, the second the number of columns.
        if (number++ < 2 || line.find("\tDEFAULT\t") == std::string_view::npos)
            continue;
        const AstList declarations = parse_column_declarations(declaration_of(line));
        const auto* column = declarations.at(0)->as<AstColumnDeclaration>();
        if (!column || !column->default_expression)
            continue;
        for (size_t i = 0; i < header.size(); ++i)
        {
            if (header[i].name != column->name)
                continue;
            entries_[i] = std::make_unique<Entry>();
            const auto bound = cast_to(
                bind_expression(*column->default_expression, header, *context_), header[i].type,
                *context_);
            entries_[i]->program =
                std::make_unique<ExpressionProgram>(Expressions{bound}, *context_);
        }
    }
}

DescribedDefaults::~DescribedDefaults() = default;

Block DescribedDefaults::fill(InputBlock rows) const
{
    for (size_t i = 0; i < rows.omitted.size() && i < entries_.size(); ++i)
    {
        const Mask& omitted = rows.omitted[i];
        if (omitted.empty() || !entries_[i])
            continue;
        const ColumnPtr defaults = to_flat(entries_[i]->program->run(rows.block)[0]);
        const ColumnPtr given = to_flat(rows.block[i].column);
        auto merged = rows.block[i].type->create_column();
        for (size_t row = 0; row < rows.block.rows(); ++row)
            merged->append_from(omitted[row] ? *defaults : *given, row);
        rows.block[i].column = merged;
    }
    return std::move(rows.block);
}

} // namespace basalt
