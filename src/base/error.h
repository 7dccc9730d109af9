#pragma once

// The one exception of the project. A mistake of the user or of the world throws Error with a
// ClickHouse error code; a bug of ours calls BASALT_ASSERT and aborts. Nothing throws per row.

#include "base/error_codes.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace basalt
{

class Error : public std::exception
{
public:
    Error(int code, std::string message) : code_(code), message_(std::move(message)) {}

    int code() const { return code_; }
    const std::string& message() const { return message_; }

    // Adds words in front of the message: "while doing X: <message>". For use in catch blocks.
    void add_context(std::string_view context)
    {
        message_ = std::string(context) + ": " + message_;
    }

    // The form that drivers parse: "Code: 60. DB::Exception: <message>. (UNKNOWN_TABLE)".
    std::string full_text() const;

    const char* what() const noexcept override { return message_.c_str(); }

private:
    int code_;
    std::string message_;
};

// Name of a ClickHouse error code; empty for a number that has none.
std::string_view error_code_name(int code);


[[noreturn]] void assertion_failed(const char* what, const char* file, int line);

} // namespace basalt

// Checked in every build: for invariants whose breach would corrupt data.
#define BASALT_ASSERT(condition)                                                                   \
    ((condition) ? (void)0 : ::basalt::assertion_failed(#condition, __FILE__, __LINE__))

// Checked in debug and sanitizer builds only: for hot loops.
#ifdef NDEBUG
#define BASALT_DCHECK(condition) ((void)0)
#else
#define BASALT_DCHECK(condition) BASALT_ASSERT(condition)
#endif
