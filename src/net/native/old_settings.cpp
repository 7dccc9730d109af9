#include "net/native/old_settings.h"

#include "base/settings.h"
#include "io/binary.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

const SettingDefinition* find_definition(std::string_view name)
{
    const auto all = setting_definitions();
    const auto it = std::lower_bound(all.begin(), all.end(), name,
                                     [](const SettingDefinition& a, std::string_view b)
                                     { return a.name < b; });
    return it != all.end() && it->name == name ? &*it : nullptr;
}

enum class WireForm
{
    Unsigned, // varint
    Signed,   // varint of the number in zigzag
    Text,
};

WireForm wire_form(const SettingDefinition& definition)
{
    // A flag in those times, words today.
    if (definition.name == "skip_unavailable_shards")
        return WireForm::Unsigned;
    const std::string_view type = definition.type;
    for (const std::string_view number :
         {"Bool", "UInt64", "NonZeroUInt64", "Seconds", "Milliseconds", "MaxThreads", "UInt64Auto",
          "BoolAuto"})
        if (type == number)
            return WireForm::Unsigned;
    if (type == "Int64" || type == "Int32")
        return WireForm::Signed;
    return WireForm::Text; // floats too
}

} // namespace

std::vector<NativeSetting> read_binary_settings(InputBuffer& in)
{
    std::vector<NativeSetting> settings;
    for (;;)
    {
        NativeSetting setting;
        setting.name = read_string(in, kMaxSettingBytes);
        if (setting.name.empty())
            return settings;
        if (settings.size() >= kMaxQuerySettings)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("More than {} settings", kMaxQuerySettings));
        const SettingDefinition* definition = find_definition(setting.name);
        if (!definition)
            throw Error(error_codes::UNKNOWN_SETTING,
                        fmt::format("Unknown setting '{}'", setting.name));
        switch (wire_form(*definition))
        {
        case WireForm::Unsigned:
            setting.value = fmt::format("{}", read_varint(in));
            break;
        case WireForm::Signed:
        {
            const uint64_t zigzag = read_varint(in);
            setting.value = fmt::format(
                "{}", static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1));
            break;
        }
        case WireForm::Text:
            setting.value = read_string(in, kMaxSettingBytes);
            break;
        }
        setting.important = true;
        settings.push_back(std::move(setting));
    }
}

} // namespace basalt
