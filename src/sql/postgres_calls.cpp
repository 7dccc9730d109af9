#include "sql/postgres_calls.h"

#include "base/error.h"
#include "sql/parser.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace basalt
{

namespace
{

struct Template
{
    std::string_view name;
    size_t arguments;
    // Over _1, _2 …; arguments stand outside subqueries, whose names would hide theirs.
    const char* text;
};

// Maps of the catalog that a number or a name is looked up in.
#define BASALT_MAP(KEY, VALUE, TABLE)                                                              \
    "(SELECT mapFromArrays(groupArray(" KEY "), groupArray(" VALUE ")) FROM pg_catalog." TABLE ")"
#define BASALT_OID(X) "ifNull(toUInt32(" X "), toUInt32(0))"
#define BASALT_TRUE "CAST(1, 'Bool')"
#define BASALT_FALSE "CAST(0, 'Bool')"
#define BASALT_NO_TEXT "CAST(NULL, 'Nullable(String)')"
#define BASALT_DEFINITION                                                                          \
    "nullIf(" BASALT_MAP("oid", "definition", "basalt_objects") "[" BASALT_OID("_1") "], '')"
#define BASALT_BYTES BASALT_MAP("oid", "bytes", "basalt_objects") "[" BASALT_OID("_1") "]"

constexpr Template kTemplates[] = {
    {"pg_get_userbyid", 1, BASALT_MAP("oid", "rolname", "pg_roles") "[" BASALT_OID("_1") "]"},
    {"pg_table_is_visible", 1,
     "CAST(" BASALT_OID("_1") " IN (SELECT oid FROM pg_catalog.basalt_objects WHERE visible), "
                              "'Bool')"},
    {"pg_type_is_visible", 1, BASALT_TRUE},
    {"pg_function_is_visible", 1, BASALT_TRUE},
    {"pg_operator_is_visible", 1, BASALT_TRUE},
    {"pg_collation_is_visible", 1, BASALT_TRUE},
    {"pg_conversion_is_visible", 1, BASALT_TRUE},
    {"pg_opclass_is_visible", 1, BASALT_TRUE},
    {"pg_ts_config_is_visible", 1, BASALT_TRUE},
    {"getdatabaseencoding", 0, "'UTF8'"},
    {"pg_statistics_obj_is_visible", 1, BASALT_TRUE},
    {"pg_get_expr", 2, "_1"},
    {"pg_get_expr", 3, "_1"},
    {"pg_get_indexdef", 1, BASALT_DEFINITION},
    {"pg_get_indexdef", 3,
     "if(toInt64(_2) = 0, " BASALT_DEFINITION ", nullIf("
     "(SELECT mapFromArrays(groupArray(concat(toString(attrelid), '.', toString(attnum))), "
     "groupArray(attname)) FROM pg_catalog.pg_attribute)"
     "[concat(toString(" BASALT_OID("_1") "), '.', toString(_2))], ''))"},
    {"pg_get_constraintdef", 1, BASALT_DEFINITION},
    {"pg_get_constraintdef", 2, BASALT_DEFINITION},
    {"pg_get_viewdef", 1, BASALT_DEFINITION},
    {"pg_get_viewdef", 2, BASALT_DEFINITION},
    {"pg_get_partkeydef", 1, BASALT_NO_TEXT},
    {"pg_get_ruledef", 1, BASALT_NO_TEXT},
    {"pg_get_ruledef", 2, BASALT_NO_TEXT},
    {"pg_get_triggerdef", 1, BASALT_NO_TEXT},
    {"pg_get_triggerdef", 2, BASALT_NO_TEXT},
    {"pg_get_functiondef", 1, BASALT_NO_TEXT},
    {"pg_get_statisticsobjdef_columns", 1, BASALT_NO_TEXT},
    {"pg_get_serial_sequence", 2, BASALT_NO_TEXT},
    {"pg_get_function_result", 1, "''"},
    {"pg_get_function_arguments", 1, "''"},
    {"pg_get_function_identity_arguments", 1, "''"},
    {"pg_get_replica_identity_index", 1, "toUInt32(0)"},
    {"pg_relation_is_publishable", 1, BASALT_FALSE},
    {"pg_is_other_temp_schema", 1, BASALT_FALSE},
    {"pg_my_temp_schema", 0, "toUInt32(0)"},
    {"pg_is_in_recovery", 0, BASALT_FALSE},
    {"pg_backend_pid", 0, "toInt32(0)"},
    {"pg_postmaster_start_time", 0, "now() - toIntervalSecond(uptime())"},
    {"obj_description", 1,
     "nullIf((SELECT mapFromArrays(groupArray(objoid), groupArray(description)) FROM "
     "pg_catalog.pg_description WHERE objsubid = 0)[" BASALT_OID("_1") "], '')"},
    {"obj_description", 2,
     "nullIf((SELECT mapFromArrays(groupArray(objoid), groupArray(description)) FROM "
     "pg_catalog.pg_description WHERE objsubid = 0)[" BASALT_OID("_1") "], '')"},
    {"col_description", 2,
     "nullIf((SELECT mapFromArrays(groupArray(concat(toString(objoid), '.', toString(objsubid))), "
     "groupArray(description)) FROM pg_catalog.pg_description)"
     "[concat(toString(" BASALT_OID("_1") "), '.', toString(_2))], '')"},
    {"shobj_description", 2, BASALT_NO_TEXT},
    {"format_type", 2, "postgresTypeName(_1, ifNull(_2, -1))"},
    {"pg_encoding_to_char", 1, "if(_1 = 6, 'UTF8', '')"},
    {"pg_char_to_encoding", 1, "if(upper(_1) IN ('UTF8', 'UNICODE'), 6, -1)"},
    {"pg_relation_size", 1, BASALT_BYTES},
    {"pg_relation_size", 2, BASALT_BYTES},
    {"pg_table_size", 1, BASALT_BYTES},
    {"pg_indexes_size", 1, "toInt64(0)"},
    {"pg_total_relation_size", 1, BASALT_BYTES},
    {"pg_database_size", 1,
     "(SELECT mapFromArrays(groupArray(name), groupArray(total)) FROM (SELECT database AS name, "
     "sum(bytes) AS total FROM pg_catalog.basalt_objects GROUP BY database))[toString(_1)]"},
    {"pg_size_pretty", 1,
     "multiIf(_1 < 10240, concat(toString(_1), ' bytes'), _1 < 10485760, concat(toString("
     "toInt64(round(_1 / 1024))), ' kB'), _1 < 10737418240, concat(toString(toInt64(round(_1 / "
     "1048576))), ' MB'), concat(toString(toInt64(round(_1 / 1073741824))), ' GB'))"},
    {"pg_tablespace_location", 1, "''"},
    {"current_schema", 0, "currentDatabase()"},
    {"current_schemas", 1, "if(_1, ['pg_catalog', currentDatabase()], [currentDatabase()])"},
    {"current_setting", 1, BASALT_MAP("lower(name)", "setting", "pg_settings") "[lower(_1)]"},
    {"current_setting", 2,
     "nullIf(" BASALT_MAP("lower(name)", "setting", "pg_settings") "[lower(_1)], '')"},
    {"set_config", 3, "_2"},
    {"version", 0, "concat('PostgreSQL 15.0 (Basalt, ClickHouse ', version(), ')')"},
    {"has_database_privilege", 2, BASALT_TRUE},
    {"has_database_privilege", 3, BASALT_TRUE},
    {"has_schema_privilege", 2, BASALT_TRUE},
    {"has_schema_privilege", 3, BASALT_TRUE},
    {"has_table_privilege", 2, BASALT_TRUE},
    {"has_table_privilege", 3, BASALT_TRUE},
    {"has_any_column_privilege", 2, BASALT_TRUE},
    {"has_column_privilege", 3, BASALT_TRUE},
    {"has_function_privilege", 2, BASALT_TRUE},
    {"pg_has_role", 2, BASALT_TRUE},
    {"pg_has_role", 3, BASALT_TRUE},
    {"row_security_active", 1, BASALT_FALSE},
    {"to_regclass", 1, "nullIf(" BASALT_MAP("name", "oid", "basalt_names") "[_1], 0)"},
    {"quote_ident", 1,
     "if(match(_1, '^[a-z_][a-z0-9_]*$'), _1, concat('\"', replaceAll(_1, '\"', '\"\"'), '\"'))"},
    {"array_upper", 2, "nullIf(toInt32(length(_1)), 0)"},
    {"array_length", 2, "nullIf(toInt32(length(_1)), 0)"},
    {"array_lower", 2, "if(empty(_1), NULL, toInt32(1))"},
    {"unnest", 1, "arrayJoin(_1)"},
    {"string_agg", 2, "if(count(_1) = 0, NULL, arrayStringConcat(groupArray(_1), _2))"},
    {"_pg_expandarray", 1,
     "arrayJoin(arrayMap((x, n) -> CAST((x, n), 'Tuple(x Int32, n Int32)'), _1, "
     "arrayEnumerate(_1)))"},
    {"split_part", 3, "splitByString(_2, _1)[_3]"},
    {"date_part", 2, nullptr},
};

// What PostgreSQL's functions mean where ours of that name, if there is one, means something else.
constexpr Template kMeanings[] = {
    // Sums of bigint are numeric there.
    {"sum", 1, "sumOrNull(postgresWide(_1))"},
    {"avg", 1, "avgOrNull(postgresWide(_1))"},
    {"md5", 1, "lower(hex(MD5(_1)))"},
    {"substr", 2, "substringUTF8(_1, greatest(_2, 1))"},
    {"substring", 2, "substringUTF8(_1, greatest(_2, 1))"},
    {"substr", 3, "substringUTF8(_1, greatest(_2, 1), greatest(_2 + _3 - greatest(_2, 1), 0))"},
    {"substring", 3, "substringUTF8(_1, greatest(_2, 1), greatest(_2 + _3 - greatest(_2, 1), 0))"},
    {"left", 2,
     "substringUTF8(_1, 1, if(_2 >= 0, _2, greatest(toInt64(lengthUTF8(_1)) + _2, 0)))"},
    {"replace", 3, "replaceAll(_1, _2, _3)"},
};

#undef BASALT_DEFINITION
#undef BASALT_BYTES

void put_arguments(AstPtr& ast, const AstList& arguments)
{
    if (const auto* identifier = ast->as<AstIdentifier>();
        identifier && identifier->parts.size() == 1 && identifier->parts[0].size() == 2 &&
        identifier->parts[0][0] == '_' && identifier->parts[0][1] >= '1' &&
        identifier->parts[0][1] <= '9')
    {
        const auto at = static_cast<size_t>(identifier->parts[0][1] - '1');
        ast = arguments.at(at)->clone();
        return;
    }
    ast->for_each_child([&](AstPtr& child) { put_arguments(child, arguments); });
}

void set_heights(Ast& ast)
{
    uint32_t height = 0;
    ast.for_each_child(
        [&](AstPtr& child)
        {
            set_heights(*child);
            height = std::max(height, child->height);
        });
    ast.height = height + 1;
}

AstPtr instantiate(const char* text, const AstList& arguments)
{
    AstPtr ast = parse_expression(text);
    put_arguments(ast, arguments);
    set_heights(*ast);
    return ast;
}

std::string lower(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c | 0x20);
    return text;
}

using DateParts = std::map<std::string, const char*, std::less<>>;

const DateParts& date_parts()
{
    static const DateParts parts = {
        {"year", "toYear(_1)"},       {"quarter", "toQuarter(_1)"},
        {"month", "toMonth(_1)"},     {"day", "toDayOfMonth(_1)"},
        {"hour", "toHour(_1)"},       {"minute", "toMinute(_1)"},
        {"doy", "toDayOfYear(_1)"},   {"isodow", "toDayOfWeek(_1)"},
        {"dow", "toDayOfWeek(_1) % 7"}, {"week", "toISOWeek(_1)"},
        {"isoyear", "toISOYear(_1)"},
    };
    return parts;
}

const DateParts& date_starts()
{
    static const DateParts starts = {
        {"year", "toStartOfYear(_1)"},     {"quarter", "toStartOfQuarter(_1)"},
        {"month", "toStartOfMonth(_1)"},   {"week", "toMonday(_1)"},
        {"day", "toStartOfDay(_1)"},       {"hour", "toStartOfHour(_1)"},
        {"minute", "toStartOfMinute(_1)"},
        {"second", "toStartOfSecond(toDateTime64(_1, 6))"},
    };
    return starts;
}

// date_part('year', x), extract('year', x) and date_trunc('year', x).
AstPtr with_date_part(const AstFunction& call, const DateParts& parts)
{
    AstPtr part = call.arguments[0];
    if (const auto* cast = part->as<AstFunction>(); cast && cast->name == "CAST")
        part = cast->arguments[0];
    const auto* literal = part->as<AstLiteral>();
    const auto found = literal ? parts.find(lower(literal->text)) : parts.end();
    if (found == parts.end())
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "This part of " + call.name + " is not implemented on the PostgreSQL wire");
    return instantiate(found->second, {call.arguments[1]});
}

// Names of PostgreSQL to names of ours that mean the same for every argument.
const std::map<std::string, const char*, std::less<>>& same_functions()
{
    static const std::map<std::string, const char*, std::less<>> same = {
        {"length", "lengthUTF8"},       {"char_length", "lengthUTF8"},
        {"character_length", "lengthUTF8"}, {"octet_length", "length"},
        {"lower", "lower"},             {"upper", "upper"}, // of collation C
        {"abs", "abs"},                 {"ceil", "ceil"},
        {"ceiling", "ceil"},            {"floor", "floor"},
        {"sqrt", "sqrt"},               {"exp", "exp"},
        {"ln", "log"},                  {"mod", "modulo"},
        {"coalesce", "coalesce"},       {"nullif", "nullIf"},
        {"reverse", "reverseUTF8"},     {"strpos", "positionUTF8"},
        {"starts_with", "startsWith"},  {"sign", "sign"},
        {"count", "count"},             {"sum", "sumOrNull"},
        {"avg", "avgOrNull"},
        {"min", "minOrNull"},           {"max", "maxOrNull"},
        {"bool_and", "minOrNull"},      {"bool_or", "maxOrNull"},
        {"every", "minOrNull"},         {"random", nullptr},
        {"countdistinct", "countDistinct"}, {"sumdistinct", "sumDistinctOrNull"},
    };
    return same;
}

} // namespace

AstPtr expand_postgres_call(const AstFunction& call, bool semantics)
{
    if (call.is_operator || call.has_parameters)
        return nullptr;
    // Ours of that name looks for a pattern in a text.
    const bool is_part = call.name == "date_part" || (semantics && call.name == "extract");
    if (is_part && call.arguments.size() == 2)
        return with_date_part(call, date_parts());
    if (semantics && call.name == "date_trunc" && call.arguments.size() == 2)
        return with_date_part(call, date_starts());
    for (const Template& one : kTemplates)
        if (one.text && one.name == call.name && one.arguments == call.arguments.size())
            return instantiate(one.text, call.arguments);
    if (!semantics)
        return nullptr;
    for (const Template& one : kMeanings)
        if (one.name == call.name && one.arguments == call.arguments.size())
            return instantiate(one.text, call.arguments);
    // Casts, CASE and the like come here too, under names of ours.
    static constexpr std::string_view kOurs[] = {"CAST", "unhex", "parseDateTime64BestEffort",
                                                 "substringUTF8", "exists"};
    if (std::find(std::begin(kOurs), std::end(kOurs), call.name) != std::end(kOurs))
        return nullptr;
    std::string name = lower(call.name);
    std::string suffix;
    if (call.name.ends_with("If") && call.name != "nullIf")
    {
        suffix = "If"; // FILTER (WHERE …)
        name.resize(name.size() - 2);
    }
    const auto found = same_functions().find(name);
    if (found == same_functions().end() || !found->second)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Function " + call.name + " with PostgreSQL's meaning is not implemented");
    auto function = std::static_pointer_cast<AstFunction>(call.clone());
    function->name = found->second + suffix;
    // count(*) counts rows, whatever they hold.
    if (name == "count" && !function->arguments.empty() &&
        function->arguments[0]->kind == AstKind::Asterisk)
        function->arguments.erase(function->arguments.begin());
    return function;
}

AstPtr postgres_series(AstPtr first, AstPtr last)
{
    return instantiate("range(ifNull(toInt64(_1), toInt64(0)), ifNull(toInt64(_2) + 1, "
                       "ifNull(toInt64(_1), toInt64(0))))",
                       {std::move(first), std::move(last)});
}

AstPtr postgres_name_cast(const std::string& type, const AstPtr& operand)
{
    const char* to_number = nullptr;
    const char* to_name = nullptr;
    if (type == "regclass")
    {
        to_number = "ifNull(toUInt32OrNull(_1), " BASALT_MAP("name", "oid", "basalt_names") "[_1])";
        to_name = BASALT_MAP("oid", "name", "basalt_objects") "[" BASALT_OID("_1") "]";
    }
    else if (type == "regtype")
    {
        to_number = BASALT_MAP("typname", "oid", "pg_type") "[_1]";
        to_name = "postgresTypeName(_1, -1)";
    }
    else if (type == "regnamespace")
    {
        to_number = BASALT_MAP("nspname", "oid", "pg_namespace") "[_1]";
        to_name = BASALT_MAP("oid", "nspname", "pg_namespace") "[" BASALT_OID("_1") "]";
    }
    else if (type == "regrole")
    {
        to_number = BASALT_MAP("rolname", "oid", "pg_roles") "[_1]";
        to_name = BASALT_MAP("oid", "rolname", "pg_roles") "[" BASALT_OID("_1") "]";
    }
    else
    {
        // 'pg_catalog.array_in'::regproc
        if (const auto* literal = operand->as<AstLiteral>();
            type == "regproc" && literal && literal->is_string() &&
            literal->text.starts_with("pg_catalog."))
            return AstLiteral::string(literal->text.substr(11));
        return nullptr;
    }
    if (const auto* literal = operand->as<AstLiteral>(); literal && literal->is_string())
    {
        std::string name = literal->text;
        name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
        return instantiate(to_number, {AstLiteral::string(std::move(name))});
    }
    return instantiate(to_name, {operand});
}

} // namespace basalt
