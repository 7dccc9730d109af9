#include "tests/unit/functions/expression_text.h"

#include "columns/serialization.h"

#include <charconv>

namespace basalt
{
namespace
{

class TextParser
{
public:
    TextParser(std::string_view text, LiteralForm form, const QueryContext& context)
        : text_(text), form_(form), context_(context)
    {
    }

    ExpressionPtr parse()
    {
        ExpressionPtr result = parse_value(form_ == LiteralForm::Constant);
        skip_spaces();
        if (at_ != text_.size())
            fail("the end");
        return result;
    }
    std::vector<NamedColumn> inputs;

private:
    [[noreturn]] void fail(std::string_view expected)
    {
        throw Error(error_codes::SYNTAX_ERROR, "Expected " + std::string(expected) + " at " +
                                                   std::string(text_.substr(at_)));
    }
    void skip_spaces()
    {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool take(std::string_view token)
    {
        skip_spaces();
        if (text_.substr(at_, token.size()) != token)
            return false;
        at_ += token.size();
        return true;
    }
    void expect(std::string_view token)
    {
        if (!take(token))
            fail(token);
    }
    std::string take_word()
    {
        skip_spaces();
        const size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(text_[at_]) || text_[at_] == '_'))
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }
    std::string take_string()
    {
        std::string result;
        for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_)
        {
            if (text_[at_] != '\\')
            {
                result += text_[at_];
                continue;
            }
            const char c = text_[++at_];
            switch (c)
            {
                case 'n': result += '\n'; break;
                case 't': result += '\t'; break;
                case 'r': result += '\r'; break;
                case '0': result += '\0'; break;
                case 'x':
                    result += static_cast<char>(
                        std::stoi(std::string(text_.substr(at_ + 1, 2)), nullptr, 16));
                    at_ += 2;
                    break;
                case '\\':
                case '\'': result += c; break;
                default: result += '\\'; result += c;
            }
        }
        ++at_;
        return result;
    }
    ExpressionPtr literal(const TypePtr& type, const Value& value, bool constant)
    {
        if (constant)
            return Expression::constant(type, value);
        const std::string name = "literal" + std::to_string(inputs.size());
        auto column = type->create_column();
        for (size_t i = 0; i < kTextRows; ++i)
            column->append_value(value);
        inputs.push_back({column, type, name});
        return Expression::input(name, type);
    }
    ExpressionPtr parse_number(bool constant)
    {
        const size_t begin = at_;
        if (text_[at_] == '-')
            ++at_;
        while (at_ < text_.size() && (std::isdigit(text_[at_]) || text_[at_] == '.' ||
                                      ((text_[at_] == 'e' || text_[at_] == 'E')) ||
                                      (text_[at_] == '-' && text_[at_ - 1] == 'e')))
            ++at_;
        const std::string token(text_.substr(begin, at_ - begin));
        Value value;
        if (token.find_first_of(".e") != token.npos)
            value = std::stod(token);
        else if (token[0] == '-')
            value = static_cast<int64_t>(std::stoll(token));
        else
            value = static_cast<uint64_t>(std::stoull(token));
        return literal(type_of_value(value), value, constant);
    }
    ExpressionPtr call(const std::string& name, Expressions arguments)
    {
        return Expression::call(name, std::move(arguments), context_);
    }

    ExpressionPtr parse_value(bool constant)
    {
        ExpressionPtr value = parse_primary(constant);
        while (take("::"))
        {
            const size_t begin = at_;
            int depth = 0;
            while (at_ < text_.size() && (depth > 0 || (text_[at_] != ',' && text_[at_] != ')' &&
                                                        text_[at_] != ']' && text_[at_] != ':')))
            {
                depth += text_[at_] == '(';
                depth -= text_[at_] == ')';
                ++at_;
            }
            const Value name = std::string(text_.substr(begin, at_ - begin));
            value = call("CAST", {value, Expression::constant(simple_type(TypeId::String), name)});
        }
        return value;
    }

    ExpressionPtr parse_primary(bool constant)
    {
        skip_spaces();
        if (at_ == text_.size())
            fail("a value");
        const char c = text_[at_];
        if (c == '\'')
            return literal(simple_type(TypeId::String), take_string(), constant);
        if (std::isdigit(c) || c == '-')
            return parse_number(constant);
        if (take("["))
        {
            Expressions items = parse_list("]", constant);
            return call("array", std::move(items));
        }
        if (take("("))
        {
            Expressions items = parse_list(")", constant);
            return items.size() == 1 ? items[0] : call("tuple", std::move(items));
        }
        const std::string word = take_word();
        if (word.empty())
            fail("a value");
        if (word == "NULL")
            return literal(std::make_shared<NullableType>(simple_type(TypeId::Nothing)), Null{},
                           constant);
        if (word == "true" || word == "false")
            return literal(simple_type(TypeId::Bool), uint64_t{word == "true"}, constant);
        if (word == "nan" || word == "inf")
            return literal(simple_type(TypeId::Float64), std::stod(word), constant);
        if (!take("("))
        {
            for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
                for (const NamedType& parameter : *scope)
                    if (parameter.name == word)
                        return Expression::input(word, parameter.type);
            fail("a parameter or '('");
        }
        return parse_call(word, constant);
    }

    Expressions parse_list(std::string_view close, bool constant)
    {
        Expressions items;
        if (take(close))
            return items;
        do
            items.push_back(parse_value(constant));
        while (take(","));
        expect(close);
        return items;
    }

    // Names before "->" when a lambda stands here.
    bool peek_lambda(std::vector<std::string>& names)
    {
        const size_t saved = at_;
        names.clear();
        if (take("("))
        {
            do
                names.push_back(take_word());
            while (take(","));
            if (take(")") && take("->"))
                return true;
        }
        else
        {
            names.push_back(take_word());
            if (!names[0].empty() && take("->"))
                return true;
        }
        at_ = saved;
        return false;
    }

    struct LambdaPlace
    {
        size_t argument;
        std::vector<std::string> names;
        size_t body_at;
    };

    void skip_value()
    {
        int depth = 0;
        bool quoted = false;
        for (; at_ < text_.size(); ++at_)
        {
            const char c = text_[at_];
            if (quoted)
            {
                if (c == '\\')
                    ++at_;
                else if (c == '\'')
                    quoted = false;
                continue;
            }
            if (c == '\'')
                quoted = true;
            if (depth == 0 && (c == ',' || c == ')'))
                return;
            depth += c == '(' || c == '[';
            depth -= c == ')' || c == ']';
        }
    }

    ExpressionPtr parse_call(const std::string& name, bool constant)
    {
        const ScalarFunctionPtr function = scalar_functions().get(name, context_);
        const std::vector<size_t> constants = function->constant_arguments();
        Expressions arguments;
        std::vector<LambdaPlace> lambdas;
        if (!take(")"))
        {
            do
            {
                LambdaPlace place{arguments.size(), {}, 0};
                if (peek_lambda(place.names))
                {
                    place.body_at = at_;
                    lambdas.push_back(place);
                    arguments.push_back(nullptr);
                    skip_value();
                    continue;
                }
                // JSONExtract's type comes last, wherever that is.
                const bool wanted = std::find(constants.begin(), constants.end(),
                                              arguments.size()) != constants.end() ||
                                    (name.starts_with("JSONExtract") && !arguments.empty());
                arguments.push_back(parse_value(constant || wanted));
            } while (take(","));
            expect(")");
        }
        if (!lambdas.empty())
            bind_lambdas(*function, arguments, lambdas, constant);
        return Expression::call(function, std::move(arguments), context_);
    }

    void bind_lambdas(const ScalarFunction& function, Expressions& arguments,
                      const std::vector<LambdaPlace>& lambdas, bool constant)
    {
        Arguments types;
        for (size_t i = 0; i < arguments.size(); ++i)
        {
            if (arguments[i])
            {
                types.push_back({arguments[i]->is_constant() ? arguments[i]->constant_column()
                                                             : nullptr,
                                 arguments[i]->type()});
                continue;
            }
            for (const LambdaPlace& place : lambdas)
                if (place.argument == i)
                    types.push_back({nullptr, std::make_shared<FunctionType>(
                                                  Types(place.names.size()), nullptr)});
        }
        const std::vector<Types> wanted = function.lambda_argument_types(types);
        const size_t saved = at_;
        for (size_t i = 0; i < lambdas.size(); ++i)
        {
            std::vector<NamedType> parameters;
            for (size_t j = 0; j < lambdas[i].names.size(); ++j)
                parameters.push_back({lambdas[i].names[j], wanted.at(i).at(j)});
            scopes_.push_back(parameters);
            at_ = lambdas[i].body_at;
            ExpressionPtr body = parse_value(constant);
            scopes_.pop_back();
            arguments[lambdas[i].argument] = Expression::lambda(parameters, body);
        }
        at_ = saved;
    }

    std::string_view text_;
    LiteralForm form_;
    const QueryContext& context_;
    size_t at_ = 0;
    std::vector<std::vector<NamedType>> scopes_;
};

} // namespace

TextResult run_expression_text(std::string_view text, LiteralForm form,
                               const QueryContext& context)
{
    TextParser parser(text, form, context);
    const ExpressionPtr expression = parser.parse();
    Block block(std::move(parser.inputs), kTextRows);
    const Columns columns = ExpressionProgram({expression}, context).run(block);
    TextResult result;
    result.type = expression->type()->name();
    const SerializationPtr serialization = serialization_of(expression->type());
    TextOptions options;
    options.session_timezone = context.timezone();
    for (size_t i = 0; i < kTextRows; ++i)
    {
        std::string bytes;
        StringOutputBuffer out(bytes);
        serialization->write_text(*columns[0], i, out, TextPlace::Escaped, options);
        out.flush();
        result.rows.push_back(bytes);
    }
    return result;
}

} // namespace basalt
