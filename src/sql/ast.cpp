#include "sql/ast_expression.h"

#include <cmath>
#include <cstring>

namespace basalt
{

namespace
{

class ChildWalker : public FieldVisitor
{
public:
    explicit ChildWalker(const ChildCallback& callback) : callback_(callback) {}
    void child(const char*, AstPtr& child) override
    {
        if (child != nullptr)
            callback_(child);
    }

private:
    const ChildCallback& callback_;
};

// The fields of one node in one text, and its children.
class FieldCollector : public FieldVisitor
{
public:
    void child(const char*, AstPtr& child) override { children.push_back(child.get()); }
    void text(const char*, std::string& value) override
    {
        number("", static_cast<int64_t>(value.size()));
        fields += value;
    }
    void number(const char*, int64_t value) override
    {
        fields.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }

    std::vector<Ast*> children;
    std::string fields;
};

class Dumper : public FieldVisitor
{
public:
    Dumper(std::string& out, int indent) : out_(out), indent_(indent) {}
    void child(const char* name, AstPtr& child) override
    {
        if (child == nullptr)
            return;
        children_ += std::string(static_cast<size_t>(indent_), ' ') + name + ": ";
        dump(*child, children_, indent_);
    }
    void text(const char* name, std::string& value) override
    {
        if (!value.empty())
            out_ += std::string(" ") + name + "=" + value;
    }
    void number(const char* name, int64_t value) override
    {
        if (value != 0)
            out_ += std::string(" ") + name + "=" + std::to_string(value);
    }

    static void dump(Ast& ast, std::string& out, int indent)
    {
        out += ast_kind_name(ast.kind);
        if (!ast.alias.empty())
            out += " alias=" + ast.alias;
        Dumper dumper(out, indent + 1);
        ast.visit_fields(dumper);
        out += "\n" + dumper.children_;
    }

private:
    std::string& out_;
    std::string children_;
    int indent_;
};

} // namespace

std::string_view ast_kind_name(AstKind kind)
{
    static constexpr std::string_view names[] = {
        "Identifier",        "Literal",           "Function",
        "Lambda",            "Subquery",          "Asterisk",
        "ColumnsMatcher",    "ColumnsTransformer", "QueryParameter",
        "TypeName",          "NameTypePair",      "WindowDefinition",
        "WithElement",       "SelectQuery",       "SelectWithUnionQuery",
        "TableElement",      "OrderByElement",    "InterpolateElement",
        "ExpressionList",    "Query",             "SetQuery",
        "InsertQuery",       "ColumnDeclaration", "IndexDeclaration",
        "ConstraintDeclaration", "ProjectionDeclaration", "TTLElement",
        "Storage",           "RefreshStrategy",   "CreateQuery",
        "CreateDatabase",    "CreateFunction",    "CreateDictionary",
        "DictionaryAttribute", "AlterQuery",      "AlterCommand",
        "Assignment",        "Partition",         "DeleteQuery",
        "UpdateQuery",       "DropQuery",         "Rename",
        "ExistsQuery",       "ShowQuery",         "DescribeQuery",
        "Explain",           "UseQuery",          "SYSTEM query",
        "OptimizeQuery",     "KillQuery",         "CheckQuery",
        "BackupQuery",       "TransactionControl", "SetRoleQuery",
        "GrantQuery",        "CreateUserQuery",   "CreateRoleQuery",
        "CreateRowPolicyQuery", "CreateQuotaQuery", "CreateSettingsProfileQuery",
        "DropAccessEntityQuery", "ParallelWithQuery"};
    static_assert(std::size(names) == static_cast<size_t>(AstKind::ParallelWith) + 1);
    return names[static_cast<size_t>(kind)];
}

void Ast::for_each_child(ChildCallback callback)
{
    ChildWalker walker(callback);
    visit_fields(walker);
}

AstPtr Ast::clone() const
{
    AstPtr copy = shallow_copy();
    copy->for_each_child([](AstPtr& child) { child = child->clone(); });
    return copy;
}

bool same_tree(const Ast& left, const Ast& right)
{
    if (&left == &right)
        return true;
    if (left.kind != right.kind || left.alias != right.alias)
        return false;
    FieldCollector a;
    FieldCollector b;
    // Visiting reads only.
    const_cast<Ast&>(left).visit_fields(a);
    const_cast<Ast&>(right).visit_fields(b);
    if (a.fields != b.fields || a.children.size() != b.children.size())
        return false;
    for (size_t i = 0; i < a.children.size(); ++i)
    {
        if ((a.children[i] == nullptr) != (b.children[i] == nullptr))
            return false;
        if (a.children[i] != nullptr && !same_tree(*a.children[i], *b.children[i]))
            return false;
    }
    return true;
}

std::string dump_tree(const Ast& ast)
{
    std::string out;
    Dumper::dump(const_cast<Ast&>(ast), out, 0);
    return out;
}

std::string AstIdentifier::full_name() const
{
    std::string name = parts.front();
    for (size_t i = 1; i < parts.size(); ++i)
        name += "." + parts[i];
    return name;
}

void AstLiteral::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("kind", literal_kind);
    switch (literal_kind)
    {
    case LiteralKind::Null:
        break;
    case LiteralKind::String:
        visitor.text("value", text);
        break;
    case LiteralKind::Float64:
    {
        // One not-a-number for all.
        const double value = std::isnan(float_value) ? std::nan("") : float_value;
        int64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        visitor.number("value", bits);
        break;
    }
    default:
        visitor.number("value", signed_value);
    }
}

std::shared_ptr<AstLiteral> AstLiteral::null()
{
    return std::make_shared<AstLiteral>();
}

std::shared_ptr<AstLiteral> AstLiteral::boolean(bool value)
{
    auto literal = std::make_shared<AstLiteral>();
    literal->literal_kind = LiteralKind::Bool;
    literal->unsigned_value = value ? 1 : 0;
    return literal;
}

std::shared_ptr<AstLiteral> AstLiteral::unsigned_number(uint64_t value)
{
    auto literal = std::make_shared<AstLiteral>();
    literal->literal_kind = LiteralKind::UInt64;
    literal->unsigned_value = value;
    return literal;
}

std::shared_ptr<AstLiteral> AstLiteral::signed_number(int64_t value)
{
    auto literal = std::make_shared<AstLiteral>();
    literal->literal_kind = value < 0 ? LiteralKind::Int64 : LiteralKind::UInt64;
    literal->signed_value = value;
    return literal;
}

std::shared_ptr<AstLiteral> AstLiteral::floating(double value)
{
    auto literal = std::make_shared<AstLiteral>();
    literal->literal_kind = LiteralKind::Float64;
    literal->float_value = value;
    return literal;
}

std::shared_ptr<AstLiteral> AstLiteral::string(std::string value)
{
    auto literal = std::make_shared<AstLiteral>();
    literal->literal_kind = LiteralKind::String;
    literal->text = std::move(value);
    return literal;
}

void AstFunction::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.number("has_parameters", has_parameters);
    visitor.children("parameters", parameters);
    visitor.children("arguments", arguments);
    visitor.child("settings", settings);
    visitor.choice("nulls_action", nulls_action);
    visitor.number("is_window", is_window);
    visitor.child("window", window);
    visitor.text("window_name", window_name);
}

void AstColumnsMatcher::visit_fields(FieldVisitor& visitor)
{
    visitor.texts("qualifier", qualifier);
    visitor.number("is_regex", is_regex);
    visitor.text("regex", regex);
    visitor.children("columns", columns);
    visitor.children("transformers", transformers);
}

void AstColumnsTransformer::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("transformer", transformer);
    visitor.number("strict", strict);
    visitor.number("is_regex", is_regex);
    visitor.text("regex", regex);
    visitor.texts("names", names);
    visitor.children("expressions", expressions);
    visitor.child("function", function);
    visitor.text("column_name_prefix", column_name_prefix);
}

void AstTypeName::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.children("arguments", arguments);
    visitor.number("has_parentheses", has_parentheses);
}

void AstWindowDefinition::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.text("parent", parent);
    visitor.children("partition_by", partition_by);
    visitor.children("order_by", order_by);
    visitor.number("has_frame", has_frame);
    visitor.choice("frame", frame);
    visitor.choice("frame_begin", frame_begin);
    visitor.child("begin_offset", begin_offset);
    visitor.choice("frame_end", frame_end);
    visitor.child("end_offset", end_offset);
}

} // namespace basalt
