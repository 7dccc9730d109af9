#include "base/settings.h"

namespace basalt
{

SettingSupport setting_support(std::string_view name)
{
    (void)name;
    return SettingSupport::Accepted;
}

} // namespace basalt
