#pragma once

// The syntax tree. A node is owned by its parent through AstPtr; trees may be shared for reading
// between threads, and are changed only by one that holds the sole copy (clone() first).
// Children are found through visit_fields(), which every node writes once; walking, cloning,
// comparing and printing are built on it.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace basalt
{

enum class AstKind : uint8_t
{
    // Expressions (ast_expression.h)
    Identifier,
    Literal,
    Function,
    Lambda,
    Subquery,
    Asterisk,
    ColumnsMatcher,
    ColumnsTransformer,
    QueryParameter,
    TypeName,
    NameTypePair,
    WindowDefinition,
    // Queries (ast_select.h)
    WithElement,
    Select,
    SelectUnion,
    TableElement,
    OrderByElement,
    InterpolateElement,
    ExpressionList,
    Query,
    // Statements (ast_statements.h, ast_create.h, ast_alter.h, ast_show.h, ast_access.h)
    SetQuery,
    Insert,
    ColumnDeclaration,
    IndexDeclaration,
    ConstraintDeclaration,
    ProjectionDeclaration,
    TtlElement,
    Storage,
    RefreshStrategy,
    CreateTable,
    CreateDatabase,
    CreateFunction,
    CreateDictionary,
    DictionaryAttribute,
    Alter,
    AlterCommand,
    Assignment,
    Partition,
    Delete,
    Update,
    Drop,
    Rename,
    Exists,
    Show,
    Describe,
    Explain,
    Use,
    System,
    Optimize,
    Kill,
    Check,
    Backup,
    Transaction,
    SetRole,
    Grant,
    CreateUser,
    CreateRole,
    CreateRowPolicy,
    CreateQuota,
    CreateSettingsProfile,
    DropAccess,
    ParallelWith,
};

std::string_view ast_kind_name(AstKind kind);

struct Ast;
using AstPtr = std::shared_ptr<Ast>;
using AstList = std::vector<AstPtr>;

// Sees the fields of one node in the order of their text. A null child means "not written".
class FieldVisitor
{
public:
    virtual ~FieldVisitor() = default;

    virtual void child(const char* name, AstPtr& child) = 0;
    virtual void text(const char* name, std::string& value) {}
    virtual void number(const char* name, int64_t value) {}

    void children(const char* name, AstList& list)
    {
        number(name, static_cast<int64_t>(list.size()));
        for (AstPtr& one : list)
            child(name, one);
    }
    void texts(const char* name, std::vector<std::string>& list)
    {
        number(name, static_cast<int64_t>(list.size()));
        for (std::string& one : list)
            text(name, one);
    }
    template <class Enum>
    void choice(const char* name, Enum value)
    {
        number(name, static_cast<int64_t>(value));
    }
};

// A callable taken by reference: it must outlive the call.
class ChildCallback
{
public:
    template <class F>
    ChildCallback(F&& f) // NOLINT: implicit on purpose
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, AstPtr& child)
                { (*static_cast<std::remove_reference_t<F>*>(object))(child); })
    {
    }
    void operator()(AstPtr& child) const { call_(object_, child); }

private:
    void* object_;
    void (*call_)(void*, AstPtr&);
};

struct Ast
{
    const AstKind kind;
    // Half-open byte range in the query text; 0,0 for a node made by a rewrite.
    uint32_t begin = 0;
    uint32_t end = 0;
    // Height of the tree below, at least 1; the parser keeps it to bound recursion.
    uint32_t height = 1;
    // An expression written in parentheses: keeps (a AND b) AND c apart from a AND b AND c, and
    // guides formatting; not part of the meaning.
    bool parenthesized = false;
    bool alias_in_parentheses = false; // (x AS a) rather than (x) AS a

    explicit Ast(AstKind kind_) : kind(kind_) {}
    Ast(const Ast&) = default;
    Ast& operator=(const Ast&) = delete;
    virtual ~Ast() = default;

    virtual void visit_fields(FieldVisitor& visitor) = 0;

    // Deep copy.
    AstPtr clone() const;

    // Calls callback(AstPtr&) for each child that is there; it may replace the child.
    void for_each_child(ChildCallback callback);

    // The node as a T, or nullptr when it is another kind.
    template <class T>
    T* as()
    {
        return kind == T::kKind ? static_cast<T*>(this) : nullptr;
    }
    template <class T>
    const T* as() const
    {
        return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
    }

    // Alias of an expression or table; empty for other nodes and where none was written.
    std::string alias;

protected:
    virtual AstPtr shallow_copy() const = 0;
};

// Base of every concrete node.
template <class T, AstKind K>
struct AstNode : Ast
{
    static constexpr AstKind kKind = K;
    AstNode() : Ast(K) {}

protected:
    AstPtr shallow_copy() const override
    {
        return std::make_shared<T>(static_cast<const T&>(*this));
    }
};

// Same kinds, fields and aliases all the way down; positions do not count. Numbers compare by
// value and kind, not by spelling.
bool same_tree(const Ast& left, const Ast& right);

// One node a line, indented: kind, alias, fields that differ from nothing. For tests and debugging.
std::string dump_tree(const Ast& ast);

// Text in the form of EXPLAIN AST.
std::string explain_tree(const Ast& ast);

} // namespace basalt
