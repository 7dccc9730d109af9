#include "programs/programs.h"

#include "base/settings.h"

namespace basalt
{

std::vector<std::string> take_settings(int argc, char** argv, Settings& settings)
{
    std::vector<std::string> rest;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const size_t equals = argument.find('=');
        const std::string name =
            argument.starts_with("--")
                ? argument.substr(2, equals == std::string::npos ? equals : equals - 2)
                : "";
        if (name.empty() || !Settings::exists(name))
            rest.push_back(argument);
        else if (equals != std::string::npos)
            settings.set(name, argument.substr(equals + 1));
        else if (i + 1 < argc && argv[i + 1][0] != '-')
            settings.set(name, argv[++i]);
        else
            settings.set(name, "1");
    }
    return rest;
}

} // namespace basalt
