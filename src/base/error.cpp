#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

std::string Error::full_text() const
{
    return fmt::format("Code: {}. DB::Exception: {}{} ({})", code_, message_,
                       message_.empty() || message_.back() == '.' ? "" : ".",
                       error_code_name(code_));
}

void assertion_failed(const char* what, const char* file, int line)
{
    std::fprintf(stderr, "basalt: assertion failed: %s at %s:%d\n", what, file, line);
    std::fflush(stderr);
    std::abort();
}

} // namespace basalt
