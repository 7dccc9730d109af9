#include "tests/unit/functions/evaluate.h"

#include "base/error.h"
#include "columns/serialization.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>

namespace basalt::test
{

namespace
{

class Reader
{
public:
    Reader(std::string_view text, const QueryContext& context, const Block* block)
        : text_(text), context_(context), block_(block)
    {
    }

    ExpressionPtr read_all()
    {
        auto result = read();
        skip_spaces();
        if (at_ != text_.size())
            fail("end of expression");
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& wanted) const
    {
        throw Error(error_codes::SYNTAX_ERROR, fmt::format("expected {} at {} of {}", wanted, at_,
                                                           text_));
    }
    void skip_spaces()
    {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool skip(char c)
    {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    Expressions read_list(char end)
    {
        Expressions items;
        if (skip(end))
            return items;
        do
            items.push_back(read());
        while (skip(','));
        if (!skip(end))
            fail(std::string(1, end));
        return items;
    }
    static bool name_char(char c)
    {
        return isalnum(static_cast<unsigned char>(c)) || c == '_';
    }
    ExpressionPtr literal(const Value& value)
    {
        return Expression::constant(type_of_value(value), value);
    }
    ExpressionPtr read()
    {
        skip_spaces();
        if (at_ >= text_.size())
            fail("an expression");
        const char c = text_[at_];
        if (c == '\'')
            return read_text();
        if (c == '-' || isdigit(static_cast<unsigned char>(c)))
            return read_number();
        if (skip('['))
            return Expression::call("array", read_list(']'), context_);
        if (skip('('))
            return Expression::call("tuple", read_list(')'), context_);
        const size_t begin = at_;
        while (at_ < text_.size() && name_char(text_[at_]))
            ++at_;
        const std::string name(text_.substr(begin, at_ - begin));
        if (name.empty())
            fail("a name");
        if (skip('('))
            return Expression::call(name, read_list(')'), context_);
        if (name == "NULL")
            return literal(Null{});
        if (name == "true" || name == "false")
            return Expression::constant(simple_type(TypeId::Bool), Value(uint64_t{name == "true"}));
        if (name == "nan" || name == "inf")
            return literal(Value(strtod(name.c_str(), nullptr)));
        if (block_)
        {
            const int at = block_->find(name);
            if (at >= 0)
                return Expression::input(name, (*block_)[static_cast<size_t>(at)].type);
        }
        fail("a known name instead of " + name);
    }
    ExpressionPtr read_text()
    {
        std::string value;
        for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_)
        {
            if (text_[at_] == '\\' && at_ + 1 < text_.size())
                ++at_;
            value += text_[at_];
        }
        ++at_;
        return literal(Value(std::move(value)));
    }
    ExpressionPtr read_number()
    {
        const size_t begin = at_;
        bool real = false;
        for (++at_; at_ < text_.size(); ++at_)
        {
            const char c = text_[at_];
            const bool exponent_sign =
                (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
            if (c == '.' || c == 'e' || c == 'E' || exponent_sign)
                real = true;
            else if (!isdigit(static_cast<unsigned char>(c)))
                break;
        }
        const std::string digits(text_.substr(begin, at_ - begin));
        if (real)
            return literal(Value(strtod(digits.c_str(), nullptr)));
        if (digits[0] == '-')
            return literal(Value(int64_t{strtoll(digits.c_str(), nullptr, 10)}));
        return literal(Value(uint64_t{strtoull(digits.c_str(), nullptr, 10)}));
    }

    std::string_view text_;
    const QueryContext& context_;
    const Block* block_;
    size_t at_ = 0;
};

std::string shown(const Column& column, size_t row, const TypePtr& type)
{
    return column.is_null_at(row) ? "NULL" : value_text(column, row, type);
}

} // namespace

ExpressionPtr parse_expression(std::string_view text, const QueryContext& context,
                               const Block* block)
{
    return Reader(text, context, block).read_all();
}

std::string evaluate(std::string_view text)
{
    QueryContext context;
    try
    {
        const auto expression = parse_expression(text, context);
        const ExpressionProgram program({expression}, context);
        const Block block({}, 1);
        return shown(*program.run(block)[0], 0, expression->type());
    }
    catch (const Error& error)
    {
        return fmt::format("Code: {}", error.code());
    }
}

std::string type_of(std::string_view text)
{
    QueryContext context;
    try
    {
        return parse_expression(text, context)->type()->name();
    }
    catch (const Error& error)
    {
        return fmt::format("Code: {}", error.code());
    }
}

void expect_answers(std::string_view lines)
{
    size_t begin = 0;
    while (begin < lines.size())
    {
        size_t end = lines.find('\n', begin);
        if (end == std::string_view::npos)
            end = lines.size();
        const std::string_view line = lines.substr(begin, end - begin);
        begin = end + 1;
        const size_t arrow = line.find(" => ");
        if (arrow == std::string_view::npos)
            continue;
        const std::string_view expression = line.substr(0, arrow);
        EXPECT_EQ(evaluate(expression), line.substr(arrow + 4)) << expression;
    }
}

} // namespace basalt::test
