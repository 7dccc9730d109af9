#include "catalog/create_table.h"
#include "sql/formatter.h"

#include <array>
#include <fmt/format.h>

namespace basalt
{

namespace
{

struct CodecFamily
{
    std::string_view name;
    bool compresses; // generic compression: nothing may follow it
    bool needs_fixed_size;
};

constexpr std::array kFamilies{
    CodecFamily{"NONE", true, false},        CodecFamily{"LZ4", true, false},
    CodecFamily{"LZ4HC", true, false},       CodecFamily{"ZSTD", true, false},
    CodecFamily{"Delta", false, true},       CodecFamily{"DoubleDelta", false, true},
    CodecFamily{"Gorilla", false, true},     CodecFamily{"T64", false, true},
    CodecFamily{"FPC", false, true},         CodecFamily{"GCD", false, true},
    CodecFamily{"Default", true, false},     CodecFamily{"AES_128_GCM_SIV", false, false},
    CodecFamily{"AES_256_GCM_SIV", false, false}, CodecFamily{"ALP", false, true},
};

const CodecFamily& family(const std::string& name)
{
    for (const CodecFamily& known : kFamilies)
        if (known.name == name)
            return known;
    throw Error(error_codes::UNKNOWN_CODEC, fmt::format("Unknown codec family: {}", name));
}

// Bytes of a value, 0 when they differ from value to value.
size_t fixed_bytes(const TypePtr& type)
{
    switch (strip_wrappers(type)->physical())
    {
    case PhysicalType::UInt8:
    case PhysicalType::Int8:
        return 1;
    case PhysicalType::UInt16:
    case PhysicalType::Int16:
        return 2;
    case PhysicalType::UInt32:
    case PhysicalType::Int32:
    case PhysicalType::Float32:
        return 4;
    case PhysicalType::UInt64:
    case PhysicalType::Int64:
    case PhysicalType::Float64:
        return 8;
    case PhysicalType::UInt128:
    case PhysicalType::Int128:
        return 16;
    case PhysicalType::UInt256:
    case PhysicalType::Int256:
        return 32;
    case PhysicalType::FixedString:
    {
        const TypePtr bare = strip_wrappers(type);
        return bare->is(TypeId::FixedString) ? type_as<FixedStringType>(bare).width() : 16;
    }
    case PhysicalType::Array:
    {
        const TypePtr bare = strip_wrappers(type);
        return bare->is(TypeId::Array) ? fixed_bytes(type_as<ArrayType>(bare).nested()) : 0;
    }
    default:
        return 0;
    }
}

bool is_tuple_like(const TypePtr& type)
{
    const TypePtr bare = strip_wrappers(type);
    return bare->is(TypeId::Tuple) || bare->is(TypeId::Map);
}

} // namespace

std::string bind_codec(const Ast& codec, const TypePtr& type, const QueryContext& context)
{
    const auto& list = *codec.as<AstFunction>();
    const bool checked = !context.settings.get_bool("allow_suspicious_codecs");
    std::string text;
    std::string written;
    bool compressed = false;
    bool transforms = false;
    for (const AstPtr& ast : list.arguments)
    {
        const auto* call = ast->as<AstFunction>();
        const std::string name =
            call ? call->name
                 : (ast->as<AstIdentifier>() ? ast->as<AstIdentifier>()->full_name() : "");
        const CodecFamily& known = family(name);
        if (name.starts_with("AES_"))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Codec {} is not implemented", name));
        const size_t bytes = fixed_bytes(type);
        if (known.needs_fixed_size && bytes == 0 && !is_tuple_like(type))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Codec {} is not applicable for {} because the data type is "
                                    "not of fixed size",
                                    name, type->name()));
        if (compressed && checked)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The combination of compression codecs {}, {} is meaningless, "
                                    "because it does not make sense to apply any transformations "
                                    "after generic compression algorithm. (Note: you can enable "
                                    "setting 'allow_suspicious_codecs' to skip this check).",
                                    text, name));
        compressed = compressed || (known.compresses && name != "NONE");
        transforms = transforms || !known.compresses;
        std::string arguments;
        if (call)
            for (const AstPtr& argument : call->arguments)
                arguments += (arguments.empty() ? "" : ", ") + format_query(*argument);
        if (arguments.empty())
        {
            if (name == "ZSTD")
                arguments = "1";
            else if (name == "LZ4HC")
                arguments = "9";
            else if ((name == "Delta" || name == "DoubleDelta" || name == "Gorilla" ||
                      name == "GCD" || name == "FPC") &&
                     bytes)
                arguments = name == "FPC" ? "12" : std::to_string(bytes);
        }
        text += (text.empty() ? "" : ", ") + name +
                (arguments.empty() ? "" : "(" + arguments + ")");
    }
    if (transforms && !compressed && checked && !text.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Compression codec {} does not compress anything. You may want to "
                                "add generic compression algorithm after other transformations, "
                                "like: {}, LZ4. (Note: you can enable setting "
                                "'allow_suspicious_codecs' to skip this check).",
                                text, text));
    return text;
}

} // namespace basalt
