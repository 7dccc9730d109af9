#include "storage/condition/value_claims.h"

#include "base/error.h"
#include "storage/condition/pattern_terms.h"

#include <algorithm>
#include <optional>

namespace basalt
{

namespace
{

using Edge = TextFragment::Edge;
using Alternatives = std::vector<std::vector<ValueTerm>>;

bool is_ascii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<Value> constant_of(const ExpressionPtr& expression)
{
    if (!expression->is_constant() || expression->type()->is(TypeId::Set))
        return std::nullopt;
    Value value = expression->constant_column()->value_at(0);
    if (value.is_null())
        return std::nullopt;
    return value;
}

std::optional<std::string> text_of(const ExpressionPtr& expression)
{
    const auto value = constant_of(expression);
    const auto* text = value ? value->get_if<std::string>() : nullptr;
    if (!text || !strip_wrappers(expression->type())->is(TypeId::String))
        return std::nullopt;
    return *text;
}

std::optional<std::vector<std::string>> texts_of(const ExpressionPtr& expression)
{
    const auto value = constant_of(expression);
    const auto* array = value ? value->get_if<ArrayValue>() : nullptr;
    if (!array)
        return std::nullopt;
    std::vector<std::string> texts;
    for (const Value& item : array->items)
    {
        const auto* text = item.get_if<std::string>();
        if (!text)
            return std::nullopt;
        texts.push_back(*text);
    }
    return texts;
}

ValueTerm equality_term(const ExpressionPtr& constant)
{
    ValueTerm term;
    term.constant = constant;
    if (auto text = text_of(constant))
        term.fragment = TextFragment{std::move(*text), Edge::Value, Edge::Value};
    return term;
}

void fold(Alternatives& any_of)
{
    for (auto& all : any_of)
        for (auto& term : all)
        {
            if (!term.fragment)
                continue;
            term.fragment->text = ascii_lower(term.fragment->text);
            if (term.constant)
                term.constant =
                    Expression::constant(simple_type(TypeId::String), term.fragment->text);
        }
}

bool all_texts(const Alternatives& any_of)
{
    return std::all_of(any_of.begin(), any_of.end(),
                       [](const auto& all)
                       {
                           return std::all_of(all.begin(), all.end(),
                                              [](const ValueTerm& term)
                                              { return term.fragment.has_value(); });
                       });
}

// Collects what one predicate claims.
class Claims
{
public:
    Claims(const ConditionAtom& atom, const QueryContext& context) : atom_(atom), context_(context)
    {
    }

    std::vector<ValueClaim> take()
    {
        const auto& source = atom_.source;
        if (!source || source->kind() != ExpressionKind::Call || source->arguments().empty())
            return {};
        if (atom_.kind == ConditionAtom::Kind::InSet)
            in_set();
        else
            call(*source);
        return std::move(claims_);
    }

private:
    void call(const Expression& source)
    {
        const std::string& name = source.name();
        const auto& arguments = source.arguments();
        if (arguments.size() < 2)
            return;
        if (name == "equals" || name == "notEquals")
        {
            if (atom_.constant && constant_of(atom_.constant))
                add(atom_.argument, {{equality_term(atom_.constant)}});
            return;
        }
        if (name == "has" && arguments[0]->is_constant() && !arguments[1]->is_constant())
            return one_of(arguments[1], arguments[0]);
        if (arguments[0]->is_constant() || !arguments[1]->is_constant())
            return;
        if (arguments[0]->type()->is(TypeId::Map))
            return map(name, arguments[0], arguments[1]);
        if (remove_low_cardinality(arguments[0]->type())->is(TypeId::Array))
            return array(name, arguments[0], arguments[1]);
        text(name, arguments[0], arguments[1]);
    }

    void one_of(const ExpressionPtr& argument, const ExpressionPtr& constant)
    {
        const auto value = constant_of(constant);
        const auto* array = value ? value->get_if<ArrayValue>() : nullptr;
        if (!array || array->items.size() > kMaxClaimAlternatives)
            return;
        const TypePtr item = type_as<ArrayType>(constant->type()).nested();
        Alternatives any_of;
        for (const Value& one : array->items)
        {
            if (one.is_null())
                return;
            any_of.push_back({equality_term(Expression::constant(item, one))});
        }
        add(argument, std::move(any_of));
    }

    void in_set()
    {
        if (!atom_.set || atom_.set->has_null() || atom_.set->size() > kMaxClaimAlternatives)
            return;
        const TypePtr type = strip_wrappers(atom_.set->key_types()[atom_.set_column]);
        const auto& members = atom_.set->members()[atom_.set_column];
        Alternatives any_of;
        for (size_t i = 0; i < members->size(); ++i)
            any_of.push_back({equality_term(Expression::constant(type, members->value_at(i)))});
        add(atom_.argument, std::move(any_of));
    }

    ExpressionPtr part_of_map(const char* part, const ExpressionPtr& map) const
    {
        return Expression::call(part, {map}, context_);
    }

    void map(const std::string& name, const ExpressionPtr& map, const ExpressionPtr& constant)
    {
        const bool key = name == "has" || name == "mapContains" || name == "mapContainsKey" ||
                         name == "mapContainsKeyLike";
        if (!key && name != "mapContainsValue" && name != "mapContainsValueLike")
            return;
        const auto part = part_of_map(key ? "mapKeys" : "mapValues", map);
        if (name.ends_with("Like"))
            return text("like", part, constant);
        if (constant_of(constant))
            add(part, {{equality_term(constant)}});
    }

    void array(const std::string& name, const ExpressionPtr& array, const ExpressionPtr& constant)
    {
        const bool words = name == "hasAllTokens" || name == "hasAnyTokens" ||
                           name == "hasAllToken" || name == "hasAnyToken";
        if (name == "has")
        {
            if (constant_of(constant))
                add(array, {{equality_term(constant)}});
            return;
        }
        if (name != "hasAny" && name != "hasAll" && !words)
            return;
        std::vector<ValueTerm> terms;
        if (const auto text = words ? text_of(constant) : std::nullopt)
        {
            for (auto& word : words_of(*text))
                terms.push_back(fragment_term(word, Edge::Value, Edge::Value));
        }
        else
        {
            const auto value = constant_of(constant);
            const auto* items = value ? value->get_if<ArrayValue>() : nullptr;
            if (!items || !remove_low_cardinality(constant->type())->is(TypeId::Array) ||
                items->items.size() > kMaxClaimAlternatives)
                return;
            const TypePtr item = type_as<ArrayType>(constant->type()).nested();
            for (const Value& one : items->items)
            {
                if (one.is_null())
                    return;
                terms.push_back(equality_term(Expression::constant(item, one)));
            }
        }
        add_terms(array, name.starts_with("hasAll"), std::move(terms));
    }

    void add_terms(const ExpressionPtr& argument, bool all, std::vector<ValueTerm> terms,
                   bool folded = false)
    {
        Alternatives any_of;
        if (all)
            any_of.push_back(std::move(terms));
        else
            for (auto& term : terms)
                any_of.push_back({std::move(term)});
        add(argument, std::move(any_of), folded);
    }

    // Searches in the argument's text, or in an array's texts.
    void text(const std::string& name, const ExpressionPtr& argument, const ExpressionPtr& constant)
    {
        if (const auto needle = text_of(constant))
            return one_text(name, argument, *needle);
        const auto needles = texts_of(constant);
        if (!needles || needles->size() > kMaxClaimAlternatives)
            return;
        const bool folded = name == "multiSearchAnyCaseInsensitive";
        Alternatives any_of;
        if (folded || name == "multiSearchAny" || name == "multiSearchAnyUTF8")
            for (const auto& needle : *needles)
                any_of.push_back({fragment_term(needle, Edge::Open, Edge::Open)});
        else if (name == "multiMatchAny")
        {
            for (const auto& pattern : *needles)
                if (!add_regexp(pattern, any_of))
                    return;
        }
        else if (name == "hasAllTokens" || name == "hasAllToken" || name == "hasAnyTokens" ||
                 name == "hasAnyToken")
        {
            // A needle that is no word is never found.
            std::vector<ValueTerm> terms;
            for (const auto& needle : *needles)
                if (is_word(needle))
                    terms.push_back(fragment_term(needle, Edge::Word, Edge::Word));
                else if (name.starts_with("hasAll"))
                    return;
            return add_terms(argument, name.starts_with("hasAll"), std::move(terms));
        }
        else
            return;
        add(argument, std::move(any_of), folded);
    }

    void one_text(const std::string& name, const ExpressionPtr& argument, const std::string& needle)
    {
        if (name == "like" || name == "notLike")
            return add(argument, {like_terms(needle)});
        if ((name == "ilike" || name == "notILike") && is_ascii(needle))
            return add(argument, {like_terms(needle)}, true);
        if (name == "startsWith" || name == "startsWithUTF8")
            return add(argument, {{fragment_term(needle, Edge::Value, Edge::Open)}});
        if (name == "endsWith" || name == "endsWithUTF8")
            return add(argument, {{fragment_term(needle, Edge::Open, Edge::Value)}});
        if (name == "match")
        {
            Alternatives any_of;
            if (add_regexp(needle, any_of))
                add(argument, std::move(any_of));
            return;
        }
        const bool folded = name.starts_with("hasTokenCaseInsensitive");
        if (folded || name == "hasToken" || name == "hasTokenOrNull")
        {
            if (is_word(needle) && (!folded || is_ascii(needle)))
                add(argument, {{fragment_term(needle, Edge::Word, Edge::Word)}}, folded);
            return;
        }
        const bool all = name == "hasAllTokens" || name == "hasAllToken" || name == "hasPhrase" ||
                         name == "matchPhrase";
        if (all || name == "hasAnyTokens" || name == "hasAnyToken")
        {
            std::vector<ValueTerm> terms;
            for (auto& word : words_of(needle))
                terms.push_back(fragment_term(word, Edge::Word, Edge::Word));
            add_terms(argument, all, std::move(terms));
        }
    }

    void push(const std::string& argument, Alternatives any_of, bool folded)
    {
        claims_.push_back({argument, folded, std::move(any_of)});
    }

    // A claim about an expression, and those that follow about what it is made of.
    void add(const ExpressionPtr& argument, Alternatives any_of, bool folded = false)
    {
        if (argument->is_constant())
            return;
        Alternatives lower = any_of;
        const bool texts = all_texts(any_of);
        if (texts)
            fold(lower);
        const bool is_text = strip_wrappers(argument->type())->is(TypeId::String);
        if (argument->is_call("arrayElement") && argument->arguments()[0]->type()->is(TypeId::Map))
            add_subscript(argument, any_of, folded);
        if ((argument->is_call("lower") || argument->is_call("upper")) && texts)
            push(argument->arguments()[0]->fingerprint(), lower, true);
        if (texts && is_text)
        {
            push(Expression::call("lower", {argument}, context_)->fingerprint(), lower, false);
            if (!folded)
                push(argument->fingerprint(), lower, true);
        }
        push(argument->fingerprint(), folded ? std::move(lower) : std::move(any_of), folded);
    }

    // m['k'] is a value of the map, unless it is the default of a key that is not there.
    void add_subscript(const ExpressionPtr& argument, const Alternatives& any_of, bool folded)
    {
        const auto& map = argument->arguments()[0];
        const auto& key = argument->arguments()[1];
        if (!key->is_constant() || !constant_of(key) || holds_for_default(argument))
            return;
        push(part_of_map("mapKeys", map)->fingerprint(), {{equality_term(key)}}, false);
        push(part_of_map("mapValues", map)->fingerprint(), any_of, folded);
    }

    // Whether the predicate, or its negation where that is what stands there, may be true of the
    // default of the argument's type.
    bool holds_for_default(const ExpressionPtr& argument) const
    {
        auto column = argument->type()->create_column();
        column->append_default();
        const auto absent = Expression::constant_column(
            std::make_shared<ConstantColumn>(std::move(column), 1), argument->type());
        Expressions arguments = atom_.source->arguments();
        bool replaced = false;
        for (auto& one : arguments)
            if (one->fingerprint() == argument->fingerprint())
            {
                one = absent;
                replaced = true;
            }
        if (!replaced)
            return true;
        const auto result = Expression::call(atom_.source->name(), std::move(arguments), context_);
        Mask mask;
        if (!result->is_constant())
            return true;
        return (column_to_mask(result->constant_column(), result->type(), mask) != 0) !=
               atom_.negated;
    }

    const ConditionAtom& atom_;
    const QueryContext& context_;
    std::vector<ValueClaim> claims_;
};

} // namespace

void make_ascii_lower(std::string& text)
{
    for (char& c : text)
        c = static_cast<char>(c + (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
}

std::string ascii_lower(std::string text)
{
    make_ascii_lower(text);
    return text;
}

std::vector<ValueClaim> claims_of(const ConditionAtom& atom, const QueryContext& context)
{
    try
    {
        return Claims(atom, context).take();
    }
    catch (const Error&)
    {
        // What cannot be computed here will fail, or not, where rows are read.
        return {};
    }
}

} // namespace basalt
