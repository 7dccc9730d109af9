// What a query may ask about itself and the server: version, currentDatabase, currentUser,
// hostName, uptime, queryID, getSetting, errorCodeToName …

#include "base/error.h"
#include "functions/named_function.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// The ClickHouse version whose SQL is spoken; drivers switch on it.
constexpr const char* kVersion = "26.7.2.1";
constexpr uint64_t kRevision = 54513;

class ContextConstant final : public NamedFunction
{
public:
    ContextConstant(std::string name, TypeId type, Value value)
        : NamedFunction(std::move(name)), type_(type), value_(std::move(value))
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0);
        return simple_type(type_);
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, value_, rows);
    }
    bool deterministic() const override { return false; }

private:
    TypeId type_;
    Value value_;
};

struct SettingValue
{
    TypePtr type;
    Value value;
};

SettingValue setting_value(const Settings& settings, const std::string& name)
{
    std::string_view type = "String";
    for (const auto definitions : {setting_definitions(), basalt_setting_definitions()})
        for (const auto& definition : definitions)
            if (definition.name == name)
                type = definition.type;
    if (type == "Bool")
        return {simple_type(TypeId::Bool), Value(uint64_t{settings.get_bool(name)})};
    if (type == "Float" || type == "Double" || type == "Seconds")
        return {simple_type(TypeId::Float64), Value(settings.get_float(name))};
    if (type.starts_with("UInt") || type == "NonZeroUInt64" || type == "Milliseconds" ||
        type == "MaxThreads")
    {
        const Value value(settings.get_uint(name));
        return {type_of_value(value), value};
    }
    if (type.starts_with("Int"))
    {
        const Value value(settings.get_int(name));
        return {type_of_value(value), value};
    }
    return {simple_type(TypeId::String), Value(std::string(settings.get(name)))};
}

class GetSetting final : public NamedFunction
{
public:
    GetSetting(std::string name, const QueryContext& context, bool with_default)
        : NamedFunction(std::move(name)), settings_(context.settings), with_default_(with_default)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), with_default_ ? 2 : 1);
        const std::string setting = constant_string(*this, arguments, 0);
        if (Settings::exists(setting))
            return setting_value(settings_, setting).type;
        if (with_default_)
            return arguments[1].type;
        throw Error(error_codes::UNKNOWN_SETTING, fmt::format("Unknown setting '{}'", setting));
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        const std::string setting = constant_string(*this, arguments, 0);
        if (!Settings::exists(setting))
            return arguments[1].column;
        return make_constant(type, setting_value(settings_, setting).value, rows);
    }
    bool default_nulls() const override { return false; }
    bool deterministic() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {0}; }

private:
    Settings settings_;
    bool with_default_;
};

class ErrorCodeToName final : public NamedFunction
{
public:
    ErrorCodeToName() : NamedFunction("errorCodeToName") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_integer())
            throw_illegal_type(*this, arguments[0].type);
        return std::make_shared<LowCardinalityType>(simple_type(TypeId::String));
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr numbers = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::Int64);
        const VectorView<int64_t> codes(*numbers);
        auto result = std::make_shared<StringColumn>();
        for (size_t i = 0; i < rows; ++i)
            result->append(codes[i] == 0 ? "OK" : error_code_name(static_cast<int>(codes[i])));
        return result;
    }
};

} // namespace

#define BASALT_CONTEXT(NAME, TYPE, VALUE, CASE_INSENSITIVE)                                        \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        []([[maybe_unused]] const QueryContext& context) -> ScalarFunctionPtr                      \
        { return std::make_shared<ContextConstant>(NAME, TypeId::TYPE, Value(VALUE)); },           \
        CASE_INSENSITIVE);

void register_system_info(ScalarRegistry& registry)
{
    BASALT_CONTEXT("version", String, std::string(kVersion), true)
    BASALT_CONTEXT("revision", UInt32, kRevision, true)
    BASALT_CONTEXT("currentDatabase", String, context.current_database, false)
    BASALT_CONTEXT("currentUser", String, context.user, false)
    BASALT_CONTEXT("hostName", String, context.host_name, false)
    BASALT_CONTEXT("FQDN", String, context.host_name, true)
    BASALT_CONTEXT("displayName", String, context.host_name, false)
    BASALT_CONTEXT("uptime", UInt32, context.server_uptime_s, false)
    BASALT_CONTEXT("queryID", String, context.query_id, false)
    BASALT_CONTEXT("initialQueryID", String, context.query_id, false)
    BASALT_CONTEXT("connectionId", UInt64, uint64_t{0}, true)
    registry.add_alias("DATABASE", "currentDatabase", true);
    registry.add_alias("SCHEMA", "currentDatabase", true);
    registry.add_alias("current_database", "currentDatabase", true);
    registry.add_alias("user", "currentUser", true);
    registry.add_alias("current_user", "currentUser", true);
    registry.add_alias("session_user", "currentUser", true);
    registry.add_alias("hostname", "hostName");
    registry.add_alias("fullHostName", "FQDN");
    registry.add_alias("query_id", "queryID", true);
    registry.add_alias("current_query_id", "queryID", true);
    registry.add_alias("initial_query_id", "initialQueryID", true);
    registry.add_alias("connection_id", "connectionId", true);
    registry.add("getSetting", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<GetSetting>("getSetting", context, false); });
    registry.add("getSettingOrDefault", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<GetSetting>("getSettingOrDefault", context, true); });
    registry.add("errorCodeToName", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<ErrorCodeToName>(); });
}

#undef BASALT_CONTEXT

} // namespace basalt
