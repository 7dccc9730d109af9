#include "binder/binder.h"

#include "columns/serialization.h"
#include "sql/formatter.h"

#include <fmt/format.h>
#include <functional>
#include <optional>

namespace basalt
{

namespace
{

// One member of a list: its value, and its type unless it was written as a literal.
struct Member
{
    Value value;
    TypePtr type;
};

bool is_plain(const TypePtr& type)
{
    const TypePtr bare = strip_wrappers(type);
    if (bare->is(TypeId::Array))
        return is_plain(type_as<ArrayType>(bare).nested());
    return bare->is_integer() || bare->is_float() || bare->is(TypeId::String) ||
           bare->is(TypeId::Nothing);
}

const AstFunction* list_call(const Ast& ast)
{
    const auto* call = ast.as<AstFunction>();
    if (call && !call->is_window && (call->name == "tuple" || call->name == "array"))
        return call;
    return nullptr;
}

std::string set_text(const std::string& content, const Types& key_types)
{
    constexpr size_t kMaxPlainText = 1024;
    std::string text = "__set(";
    for (const TypePtr& type : key_types)
        text += type->name() + ";";
    if (content.size() <= kMaxPlainText)
        return text + content + ")";
    return text + fmt::format("{}:{:x})", content.size(), std::hash<std::string>()(content));
}

// memory: null for sets that may outlive the query.
ExpressionPtr set_constant(const Types& key_types, const Columns& members,
                           const std::string& content, MemoryTracker* memory)
{
    auto set = make_value_set(key_types, members, memory);
    return Expression::constant_column(std::make_shared<SetColumn>(std::move(set)),
                                       simple_type(TypeId::Set), set_text(content, key_types));
}

std::optional<Value> convert_member(const Member& member, const TypePtr& key,
                                    const QueryContext& context)
{
    const TypePtr bare_key = strip_wrappers(key);
    if (member.type && same_type(strip_wrappers(member.type), bare_key))
        return member.value;
    if (!member.type || is_plain(member.type))
    {
        TextOptions options;
        options.session_timezone = context.timezone();
        // Among texts a number stands for its text.
        const bool number_as_text =
            bare_key->is_string() &&
            (member.value.get_if<uint64_t>() || member.value.get_if<int64_t>() ||
             member.value.get_if<double>());
        auto converted = convert_value(
            number_as_text ? Value(member.value.to_text()) : member.value, bare_key, options);
        // A text that spells no value of the type is a mistake; CAST says which.
        if (!converted && member.value.get_if<std::string>() && !bare_key->is_string() &&
            !bare_key->is_enum())
            return cast_to(Expression::constant(simple_type(TypeId::String), member.value),
                           bare_key, context)
                ->constant_column()
                ->value_at(0);
        return converted;
    }
    auto cast = Expression::call(
        "accurateCastOrNull",
        {Expression::constant(member.type, member.value),
         Expression::constant(simple_type(TypeId::String), Value(bare_key->name()))},
        context);
    BASALT_ASSERT(cast->is_constant());
    Value value = cast->constant_column()->value_at(0);
    if (value.is_null())
        return std::nullopt;
    return value;
}

const Values* items_of(const Value& value)
{
    if (const auto* tuple = value.get_if<TupleValue>())
        return &tuple->items;
    if (const auto* array = value.get_if<ArrayValue>())
        return &array->items;
    return nullptr;
}

TypePtr item_type(const TypePtr& type, size_t i)
{
    if (!type)
        return nullptr;
    const TypePtr bare = strip_wrappers(type);
    if (bare->is(TypeId::Tuple))
        return type_as<TupleType>(bare).elements()[i];
    if (bare->is(TypeId::Array))
        return type_as<ArrayType>(bare).nested();
    return nullptr;
}

} // namespace

Types set_key_types(const TypePtr& left)
{
    const TypePtr bare = strip_wrappers(left);
    if (!bare->is(TypeId::Tuple))
        return {bare->is(TypeId::Nothing) ? left : bare};
    Types keys;
    for (const TypePtr& element : type_as<TupleType>(bare).elements())
        keys.push_back(strip_wrappers(element));
    return keys;
}

ExpressionPtr ExpressionBinder::bind_in(const AstFunction& call)
{
    if (call.arguments.size() != 2)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function '{}' expects 2 arguments, but {} are given.{}",
                                call.name, call.arguments.size(), scope_text()));
    if (context_.settings.get_bool("transform_null_in"))
        throw Error(error_codes::NOT_IMPLEMENTED, "transform_null_in = 1 is not implemented");
    // nullIn and its kind give 0 or 1 where in gives NULL; sets hold no NULL, so it is never found.
    if (call.name.find("ullIn") != std::string::npos)
    {
        AstFunction plain = call;
        plain.name = "in";
        ExpressionPtr found = bind_in(plain);
        if (found->type()->is_nullable())
            found = Expression::call(
                "assumeNotNull",
                {Expression::call("ifNull",
                                  {found, Expression::constant(simple_type(TypeId::UInt8),
                                                               Value(uint64_t{0}))},
                                  context_)},
                context_);
        const bool not_in = call.name == "notNullIn" || call.name == "globalNotNullIn";
        return not_in ? Expression::call("not", {found}, context_) : found;
    }
    const bool negative = call.name == "notIn" || call.name == "globalNotIn";
    const ExpressionPtr left = bind(*call.arguments[0]);
    const Ast& right = *call.arguments[1];
    ExpressionPtr set;
    if (right.kind == AstKind::Subquery)
        set = bind_query_set(left, right);
    else if (const auto* identifier = right.as<AstIdentifier>())
    {
        if (!resolve_identifier(*identifier))
            set = bind_query_set(left, right);
    }
    if (set)
        return Expression::call(negative ? "notIn" : "in", {left, set}, context_);
    ExpressionPtr result = bind_literal_set(left, right);
    if (result->type()->is(TypeId::Set))
        return Expression::call(negative ? "notIn" : "in", {left, result}, context_);
    return negative ? Expression::call("not", {result}, context_) : result;
}

// The set, or the whole condition when the right side is not constant.
ExpressionPtr ExpressionBinder::bind_literal_set(const ExpressionPtr& left, const Ast& right)
{
    const TypePtr bare_left = strip_wrappers(left->type());
    std::vector<Member> members;
    bool whole_is_one_member = false;

    if (const AstFunction* list = list_call(right))
    {
        Expressions not_constant;
        for (const AstPtr& item : list->arguments)
        {
            Member member;
            if (!literal_value(*item, member.value))
            {
                auto bound = bind(*item);
                not_constant.push_back(bound);
                if (!bound->is_constant())
                    continue;
                member.value = bound->constant_column()->value_at(0);
                member.type = bound->type();
            }
            else
                not_constant.push_back(nullptr);
            members.push_back(std::move(member));
        }
        if (members.size() != list->arguments.size())
        {
            for (size_t i = 0; i < not_constant.size(); ++i)
                if (!not_constant[i])
                    not_constant[i] = bind(*list->arguments[i]);
            auto array = Expression::call("array", std::move(not_constant), context_);
            return Expression::call("has", {array, left}, context_);
        }
        // (1, 2) IN (1, 2): one member; [1] IN [1] too.
        const bool left_is_list = bare_left->is(TypeId::Tuple) || bare_left->is(TypeId::Array);
        if (left_is_list && !members.empty() && list->name == "tuple" &&
            bare_left->is(TypeId::Tuple))
            whole_is_one_member = !items_of(members[0].value);
        else if (left_is_list && !members.empty() && list->name == "array" &&
                 bare_left->is(TypeId::Array))
            whole_is_one_member = !members[0].value.get_if<ArrayValue>();
    }
    else
    {
        auto bound = bind(right);
        const TypePtr type = strip_wrappers(bound->type());
        if (!bound->is_constant())
        {
            if (type->is(TypeId::Array))
                return Expression::call("has", {bound, left}, context_);
            if (type->is(TypeId::Map))
                return Expression::call("has", {Expression::call("mapKeys", {bound}, context_),
                                                left},
                                        context_);
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Function 'in' is supported only if its second argument is "
                                    "a constant, an array or a table expression, not {}.{}",
                                    format_query(right), scope_text()));
        }
        Member whole{bound->constant_column()->value_at(0), bound->type()};
        const Values* items = type->is(TypeId::Tuple) || type->is(TypeId::Array)
                                  ? items_of(whole.value)
                                  : nullptr;
        const bool same_shape =
            bare_left->id() == type->id() && items &&
            (items->empty() || bool(items_of((*items)[0])) ==
                                   (item_type(bare_left, 0) &&
                                    (strip_wrappers(item_type(bare_left, 0))->is(TypeId::Tuple) ||
                                     strip_wrappers(item_type(bare_left, 0))->is(TypeId::Array))));
        if (items && !same_shape)
            for (size_t i = 0; i < items->size(); ++i)
                members.push_back({(*items)[i], item_type(whole.type, i)});
        else
            members.push_back(std::move(whole));
    }
    if (whole_is_one_member)
    {
        Member one;
        if (bare_left->is(TypeId::Tuple))
        {
            TupleValue tuple;
            Types types;
            for (Member& member : members)
            {
                types.push_back(member.type ? member.type : type_of_value(member.value));
                tuple.items.push_back(std::move(member.value));
            }
            one.value = std::move(tuple);
            one.type = std::make_shared<TupleType>(std::move(types));
        }
        else
        {
            ArrayValue array;
            for (Member& member : members)
                array.items.push_back(std::move(member.value));
            one.value = std::move(array);
        }
        members.clear();
        members.push_back(std::move(one));
    }

    const Types key_types = set_key_types(left->type());
    std::vector<MutableColumnPtr> columns;
    for (const TypePtr& type : key_types)
        columns.push_back(type->create_column());
    std::string content;
    Values row;
    for (const Member& member : members)
    {
        row.clear();
        const bool is_tuple = bare_left->is(TypeId::Tuple);
        if (is_tuple)
        {
            const Values* items = items_of(member.value);
            if (!items || items->size() != key_types.size())
                throw Error(error_codes::INCORRECT_ELEMENT_OF_SET,
                            fmt::format("Incorrect size of tuple in set: {} instead of {}.{}",
                                        items ? items->size() : 1, key_types.size(),
                                        scope_text()));
        }
        bool fits = true;
        for (size_t k = 0; k < key_types.size() && fits; ++k)
        {
            const Member part = is_tuple ? Member{(*items_of(member.value))[k],
                                                  item_type(member.type, k)}
                                         : member;
            if (part.value.is_null())
            {
                fits = false;
                break;
            }
            auto converted = convert_member(part, key_types[k], context_);
            fits = converted.has_value();
            if (fits)
                row.push_back(std::move(*converted));
        }
        if (!fits)
            continue;
        for (size_t k = 0; k < key_types.size(); ++k)
        {
            content += row[k].to_text() + (k + 1 < key_types.size() ? "," : ";");
            columns[k]->append_value(row[k]);
        }
    }
    // Not charged: a default, a constraint or a mutation keeps the expression when the query is
    // over, and the text of the query bounds it.
    return set_constant(key_types, Columns(columns.begin(), columns.end()), content, nullptr);
}

ExpressionPtr make_set_expression(const ExpressionPtr& left, const Columns& members,
                                  const Types& member_types, const QueryContext& context,
                                  const std::string& text, bool outlives_query)
{
    const Types key_types = set_key_types(left->type());
    Columns parts = members;
    Types types = member_types;
    if (parts.size() == 1 && strip_wrappers(left->type())->is(TypeId::Tuple) &&
        strip_wrappers(types[0])->is(TypeId::Tuple) && types[0]->is(TypeId::Tuple))
    {
        const ColumnPtr flat = to_flat(parts[0]);
        types = type_as<TupleType>(types[0]).elements();
        parts = column_as<TupleColumn>(flat).elements();
    }
    if (parts.size() != key_types.size())
        throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                    fmt::format("Number of columns in section IN doesn't match. {} at left, {} "
                                "at right.",
                                key_types.size(), parts.size()));
    const size_t rows = parts.empty() ? 0 : parts[0]->size();
    Mask keep(rows, 1);
    bool any_dropped = false;
    for (size_t k = 0; k < parts.size(); ++k)
    {
        ColumnPtr column = to_flat(parts[k]);
        TypePtr type = remove_low_cardinality(types[k]);
        if (!same_type(strip_wrappers(type), key_types[k]))
        {
            const auto cast = scalar_functions().get("accurateCastOrNull", context);
            const ColumnPtr target =
                make_constant(simple_type(TypeId::String), Value(key_types[k]->name()), rows);
            Arguments arguments{{nullptr, type}, {target, simple_type(TypeId::String)}};
            const TypePtr result = resolve_type(*cast, arguments);
            arguments[0].column = column;
            column = to_flat(call_function(*cast, arguments, result, rows, context));
            type = result;
        }
        if (column->form() == ColumnForm::Nullable)
        {
            const auto& nullable = column_as<NullableColumn>(column);
            for (size_t i = 0; i < rows; ++i)
                if (nullable.null_map()[i])
                {
                    keep[i] = 0;
                    any_dropped = true;
                }
            column = nullable.nested();
        }
        parts[k] = std::move(column);
    }
    if (any_dropped)
    {
        const size_t kept = count_kept(keep);
        for (ColumnPtr& column : parts)
            column = column->filter(keep, kept);
    }
    return set_constant(key_types, parts, text, outlives_query ? nullptr : &context.memory);
}

} // namespace basalt
