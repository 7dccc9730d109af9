#include "programs/pager.h"

#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

Pager::Pager(const std::string& command)
{
    if (command.empty())
        return;
    std::fflush(stdout);
    std::FILE* pipe = popen(command.c_str(), "w");
    output_ = pipe ? dup(STDOUT_FILENO) : -1;
    if (!pipe || output_ < 0 || dup2(fileno(pipe), STDOUT_FILENO) < 0)
        throw Error(error_codes::CANNOT_CREATE_CHILD_PROCESS,
                    fmt::format("Cannot run the pager '{}': {}", command, std::strerror(errno)));
    pipe_ = pipe;
}

Pager::~Pager()
{
    if (!pipe_)
        return;
    std::fflush(stdout);
    dup2(output_, STDOUT_FILENO);
    close(output_);
    pclose(static_cast<std::FILE*>(pipe_));
}

} // namespace basalt
