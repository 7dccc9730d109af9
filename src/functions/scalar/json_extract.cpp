// JSONExtract*, JSONHas, JSONLength, JSONType, JSONKey, isValidJSON, JSONArrayLength, toJSONString.

#include "columns/serialization.h"
#include "functions/scalar/array_items.h"
#include "functions/scalar/json_values.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

bool any_case(std::string_view name)
{
    return name.ends_with("CaseInsensitive");
}

// Calls f(row, element or null) for each row; null where the text is not JSON or has no such path.
template <class F> void for_each_element(const Call& call, size_t path_end, F&& f)
{
    const StringRows rows(call.column(0));
    const JsonPath path(call.name, call.arguments, 1, path_end, any_case(call.name));
    JsonParser parser;
    JsonElement root;
    bool parsed = false;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (i == 0 || !rows.constant())
            parsed = parser.parse(rows[i], root);
        JsonElement element = root;
        const bool found = parsed && path.follow(i, element);
        f(i, found ? &element : nullptr);
    }
}

// One typed value per row; the type's default where there is none.
ColumnPtr extract_typed(const Call& call, const TypePtr& type, size_t path_end,
                        bool bool_is_number)
{
    const auto reader = make_json_reader(type, call.context, bool_is_number);
    const MutableColumnPtr column = type->create_column();
    column->reserve(call.rows);
    for_each_element(call, path_end,
                     [&](size_t, const JsonElement* element)
                     {
                         if (!element || !reader->append(*element, *column))
                             column->append_default();
                     });
    return column;
}

ColumnPtr run_extract_simple(const Call& call)
{
    return extract_typed(call, call.result_type, call.size(), false);
}

template <TypeId kId> ColumnPtr run_extract_bool(const Call& call)
{
    return extract_typed(call, simple_type(TypeId::Bool), call.size(), true);
}

TypePtr last_type(const TypeCall& call)
{
    return type_from_name(constant_text(call.name, call.arguments, call.size() - 1));
}

ColumnPtr run_extract(const Call& call)
{
    return extract_typed(call, call.result_type, call.size() - 1, true);
}

ColumnPtr run_raw(const Call& call)
{
    StringWriter out(call.rows);
    for_each_element(call, call.size(),
                     [&](size_t, const JsonElement* element)
                     {
                         if (element)
                             write_json(out, *element);
                         out.end_row();
                     });
    return out.finish();
}

ColumnPtr run_has(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows);
    for_each_element(call, call.size(), [&](size_t i, const JsonElement* element)
                     { result->data()[i] = element != nullptr; });
    return result;
}

ColumnPtr run_length(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for_each_element(call, call.size(),
                     [&](size_t i, const JsonElement* element)
                     {
                         uint64_t length = 0;
                         if (element && element->is_array())
                             length = json_array(*element).size();
                         else if (element && element->is_object())
                             length = json_object(*element).size();
                         result->data()[i] = length;
                     });
    return result;
}

TypePtr json_type_type(const TypeCall&)
{
    return std::make_shared<EnumType>(
        TypeId::Enum8,
        std::vector<EnumType::Item>{{"Null", 0},
                                    {"String", '"'},
                                    {"Array", '['},
                                    {"Object", '{'},
                                    {"Bool", 'b'},
                                    {"Int64", 'i'},
                                    {"UInt64", 'u'},
                                    {"Double", 'd'}});
}

ColumnPtr run_type(const Call& call)
{
    auto result = std::make_shared<VectorColumn<int8_t>>(call.rows);
    for_each_element(call, call.size(),
                     [&](size_t i, const JsonElement* element)
                     {
                         // simdjson calls its kinds by the letters of this enum ("l" for Int64).
                         char kind = 0;
                         if (element && !element->is_null())
                             kind = static_cast<char>(element->type());
                         result->data()[i] = static_cast<int8_t>(kind == 'l'   ? 'i'
                                                                 : kind == 't' ? 'b'
                                                                               : kind);
                     });
    return result;
}

ColumnPtr run_key(const Call& call)
{
    const StringRows rows(call.column(0));
    const JsonPath path(call.name, call.arguments, 1, call.size(), false);
    JsonParser parser;
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        JsonElement element;
        std::string_view key;
        if (parser.parse(rows[i], element) && path.follow(i, element, &key))
            out.write(key);
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_is_valid(const Call& call)
{
    const StringRows rows(call.column(0));
    JsonParser parser;
    JsonElement root;
    return map_rows<uint8_t>(call.rows, [&](size_t i) { return parser.parse(rows[i], root); });
}

ColumnPtr run_array_raw(const Call& call)
{
    StringWriter items(call.rows);
    PodVector<uint64_t> offsets(call.rows);
    for_each_element(call, call.size(),
                     [&](size_t i, const JsonElement* element)
                     {
                         if (element && element->is_array())
                             for (const JsonElement item : json_array(*element))
                             {
                                 write_json(items, item);
                                 items.end_row();
                             }
                         offsets[i] = items.column().offsets().size();
                     });
    return make_array(items.finish(), std::move(offsets));
}

ColumnPtr run_keys(const Call& call)
{
    StringWriter keys(call.rows);
    PodVector<uint64_t> offsets(call.rows);
    for_each_element(call, call.size(),
                     [&](size_t i, const JsonElement* element)
                     {
                         if (element && element->is_object())
                             for (const auto field : json_object(*element))
                                 keys.row(field.key);
                         offsets[i] = keys.column().offsets().size();
                     });
    return make_array(keys.finish(), std::move(offsets));
}

TypePtr pairs_of(const TypePtr& value)
{
    return array_of(std::make_shared<TupleType>(Types{simple_type(TypeId::String), value}));
}
TypePtr keys_and_values_type(const TypeCall& call)
{
    return pairs_of(last_type(call));
}
TypePtr keys_and_raw_type(const TypeCall&)
{
    return pairs_of(simple_type(TypeId::String));
}

template <bool kRaw> ColumnPtr run_keys_and_values(const Call& call)
{
    const TypePtr type = type_as<TupleType>(item_type(call.result_type)).elements()[1];
    const MutableColumnPtr values = type->create_column();
    std::unique_ptr<JsonReader> reader;
    if (!kRaw)
        reader = make_json_reader(type, call.context, true);
    StringWriter keys(call.rows);
    StringWriter raw(call.rows);
    PodVector<uint64_t> offsets(call.rows);
    for_each_element(call, call.size() - (kRaw ? 0 : 1),
                     [&](size_t i, const JsonElement* element)
                     {
                         if (element && element->is_object())
                             for (const auto field : json_object(*element))
                             {
                                 if (kRaw)
                                 {
                                     write_json(raw, field.value);
                                     raw.end_row();
                                 }
                                 // Values that do not fit are left out.
                                 else if (!reader->append(field.value, *values))
                                     continue;
                                 keys.row(field.key);
                             }
                         offsets[i] = keys.column().offsets().size();
                     });
    const size_t size = keys.column().size();
    const ColumnPtr second = kRaw ? raw.finish() : ColumnPtr(values);
    return make_array(TupleColumn::make({keys.finish(), second}, size), std::move(offsets));
}

TypePtr nullable_length(const TypeCall&)
{
    return make_nullable(simple_type(TypeId::UInt64));
}

ColumnPtr run_array_length(const Call& call)
{
    auto lengths = std::make_shared<VectorColumn<uint64_t>>(call.rows, 0);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for_each_element(call, 1,
                     [&](size_t i, const JsonElement* element)
                     {
                         if (element && element->is_array())
                             lengths->data()[i] = json_array(*element).size();
                         else
                             nulls->data()[i] = 1;
                     });
    return NullableColumn::make(lengths, nulls);
}

ColumnPtr run_to_json(const Call& call)
{
    TextOptions options;
    options.session_timezone = call.context.timezone();
    options.json_quote_64bit_integers =
        call.context.settings.get_bool("output_format_json_quote_64bit_integers");
    options.json_quote_denormals =
        call.context.settings.get_bool("output_format_json_quote_denormals");
    options.json_quote_decimals =
        call.context.settings.get_bool("output_format_json_quote_decimals");
    options.json_escape_forward_slashes =
        call.context.settings.get_bool("output_format_json_escape_forward_slashes");
    options.json_named_tuples_as_objects =
        call.context.settings.get_bool("output_format_json_named_tuples_as_objects");
    const SerializationPtr serialization = serialization_of(call.type(0));
    const ColumnPtr flat = to_flat(call.column(0));
    std::string bytes;
    StringOutputBuffer buffer(bytes);
    PodVector<uint64_t> offsets(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        serialization->write_text(*flat, i, buffer, TextPlace::Json, options);
        offsets[i] = buffer.count();
    }
    buffer.flush();
    auto result = std::make_shared<StringColumn>();
    result->chars().append(bytes.data(), bytes.size());
    result->offsets() = std::move(offsets);
    return result;
}

constexpr std::string_view kPath = "s [ si...";
constexpr std::string_view kTyped = "s si...";
constexpr auto kString = type_is<TypeId::String>;
constexpr auto kStrings = type_is_array_of<TypeId::String>;

constexpr FunctionSpec extract_as(std::string_view name, TypeRule type,
                                  Kernel run = run_extract_simple)
{
    return {name, kPath, type, run};
}
constexpr auto kInt = extract_as("JSONExtractInt", type_is<TypeId::Int64>);
constexpr auto kUInt = extract_as("JSONExtractUInt", type_is<TypeId::UInt64>);
constexpr auto kFloat = extract_as("JSONExtractFloat", type_is<TypeId::Float64>);
constexpr auto kText = extract_as("JSONExtractString", kString);
constexpr auto kBool = extract_as("JSONExtractBool", type_is<TypeId::UInt8>,
                                  run_extract_bool<TypeId::UInt8>);
constexpr auto kRaw = extract_as("JSONExtractRaw", kString, run_raw);
constexpr auto kArrayRaw = extract_as("JSONExtractArrayRaw", kStrings, run_array_raw);
constexpr auto kKeys = extract_as("JSONExtractKeys", kStrings, run_keys);
constexpr auto kPairsRaw = extract_as("JSONExtractKeysAndValuesRaw", keys_and_raw_type,
                                      run_keys_and_values<true>);
constexpr FunctionSpec kExtract{"JSONExtract", kTyped, last_type, run_extract};
constexpr FunctionSpec kPairs{"JSONExtractKeysAndValues", kTyped, keys_and_values_type,
                              run_keys_and_values<false>};

constexpr auto kIntFold = extract_as("JSONExtractIntCaseInsensitive", type_is<TypeId::Int64>);
constexpr auto kUIntFold = extract_as("JSONExtractUIntCaseInsensitive", type_is<TypeId::UInt64>);
constexpr auto kFloatFold = extract_as("JSONExtractFloatCaseInsensitive",
                                       type_is<TypeId::Float64>);
constexpr auto kTextFold = extract_as("JSONExtractStringCaseInsensitive", kString);
constexpr auto kBoolFold = extract_as("JSONExtractBoolCaseInsensitive", type_is<TypeId::UInt8>,
                                      run_extract_bool<TypeId::UInt8>);
constexpr auto kRawFold = extract_as("JSONExtractRawCaseInsensitive", kString, run_raw);
constexpr auto kArrayRawFold = extract_as("JSONExtractArrayRawCaseInsensitive", kStrings,
                                          run_array_raw);
constexpr auto kKeysFold = extract_as("JSONExtractKeysCaseInsensitive", kStrings, run_keys);
constexpr auto kPairsRawFold = extract_as("JSONExtractKeysAndValuesRawCaseInsensitive",
                                          keys_and_raw_type, run_keys_and_values<true>);
constexpr FunctionSpec kExtractFold{"JSONExtractCaseInsensitive", kTyped, last_type, run_extract};
constexpr FunctionSpec kPairsFold{"JSONExtractKeysAndValuesCaseInsensitive", kTyped,
                                  keys_and_values_type, run_keys_and_values<false>};

constexpr auto kHas = extract_as("JSONHas", type_is<TypeId::UInt8>, run_has);
constexpr auto kLength = extract_as("JSONLength", type_is<TypeId::UInt64>, run_length);
constexpr auto kType = extract_as("JSONType", json_type_type, run_type);
constexpr auto kKey = extract_as("JSONKey", kString, run_key);
constexpr FunctionSpec kValid{"isValidJSON", "s", type_is<TypeId::UInt8>, run_is_valid};
constexpr FunctionSpec kArrayLength{"JSONArrayLength", "s", nullable_length, run_array_length, 0,
                                    "JSON_ARRAY_LENGTH*"};
constexpr FunctionSpec kToJson{"toJSONString", "*", kString, run_to_json};

} // namespace

void register_json_extract(ScalarRegistry& registry)
{
    add_all<kInt, kUInt, kFloat, kText, kBool, kRaw, kArrayRaw, kKeys, kPairsRaw, kExtract,
            kPairs>(registry);
    add_all<kIntFold, kUIntFold, kFloatFold, kTextFold, kBoolFold, kRawFold, kArrayRawFold,
            kKeysFold, kPairsRawFold, kExtractFold, kPairsFold>(registry);
    add_all<kHas, kLength, kType, kKey, kValid, kArrayLength, kToJson>(registry);
}

} // namespace basalt
