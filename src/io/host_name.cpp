#include "io/host_name.h"

#include <unistd.h>

namespace basalt
{

const std::string& host_name()
{
    static const std::string name = []
    {
        char buffer[256] = {};
        return std::string(gethostname(buffer, sizeof(buffer) - 1) == 0 ? buffer : "");
    }();
    return name;
}

} // namespace basalt
