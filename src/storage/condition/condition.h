#pragma once

// A filter taken apart for pruning: AND, OR and NOT over atoms, each a predicate on one argument.
// Whoever knows something of an argument's values in some rows says what an atom can be there,
// and the tree says what the whole filter can be. Knowing nothing is always sound.

#include "functions/expression.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace basalt
{

// What a condition may come to in some set of rows.
struct Outcomes
{
    bool can_be_true = true;
    bool can_be_false = true;
    bool can_be_null = true;

    static Outcomes anything() { return {}; }
    bool certain() const { return !can_be_false && !can_be_null; } // true in every row
    // Both are true of the same rows.
    Outcomes narrowed_by(const Outcomes& other) const
    {
        return {can_be_true && other.can_be_true, can_be_false && other.can_be_false,
                can_be_null && other.can_be_null};
    }
    bool knows_nothing() const { return can_be_true && can_be_false && can_be_null; }
};

struct ConditionAtom
{
    enum class Kind : uint8_t
    {
        Equals,
        Less,
        LessOrEquals,
        Greater,
        GreaterOrEquals,
        InSet,  // of one column, or one element of a tuple in a set of tuples
        Prefix, // begins with `prefix`
        IsNull,
        Has,   // the argument is an array that holds the constant
        Other, // only the whole predicate is known
    } kind = Kind::Other;
    ExpressionPtr argument;  // not constant; null for Other
    ExpressionPtr source; // the predicate that it stands for
    bool negated = false; // it stands for the negation of `source`
    ExpressionPtr constant;  // of comparisons and Has
    std::shared_ptr<const ValueSet> set;
    size_t set_column = 0;
    std::string prefix;
    // The atom follows from the predicate but is weaker: it says nothing of falsehood.
    bool relaxed = false;
};

class Condition
{
public:
    // filter may be null: a condition that is always true.
    explicit Condition(const ExpressionPtr& filter);
    explicit Condition(ConditionAtom atom); // of one atom

    const std::vector<ConditionAtom>& atoms() const { return atoms_; }
    // What follows for the keys, for EXPLAIN: "and((a in [1, 5]), (b in 3-element set))". Nothing
    // follows: "true".
    std::string text(const Expressions& keys, const std::vector<std::string>& names,
                     const QueryContext& context) const;
    // of_atom(i): what atom i can be.
    Outcomes evaluate(const std::function<Outcomes(size_t)>& of_atom) const;

private:
    struct Node
    {
        enum class Kind : uint8_t
        {
            And,
            Or,
            Not,
            Atom,
            Constant,
        } kind = Kind::Constant;
        std::vector<Node> children;
        size_t atom = 0;
        Outcomes constant;
    };

    struct KeyTexts;

    std::string text(const Node& node, bool negated, const KeyTexts& keys) const;
    Node build(const ExpressionPtr& expression);
    Node atom_node(ConditionAtom atom, bool negated);
    bool comparison(const ExpressionPtr& expression, Node& node);
    bool membership(const ExpressionPtr& expression, Node& node);
    bool pattern(const ExpressionPtr& expression, Node& node);
    static Outcomes evaluate(const Node& node, const std::function<Outcomes(size_t)>& of_atom);

    std::vector<ConditionAtom> atoms_;
    Node root_;
};

} // namespace basalt
