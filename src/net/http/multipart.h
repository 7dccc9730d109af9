#pragma once

// The body of a multipart/form-data request (RFC 7578), part by part, streamed. Broken bodies throw
// BAD_ARGUMENTS. Not thread-safe.

#include "io/buffer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace basalt
{

inline constexpr size_t kMaxBoundaryBytes = 200;
inline constexpr size_t kMaxPartHeadBytes = 16 << 10;
inline constexpr size_t kMaxParts = 1000;

// "multipart/form-data; boundary=X": X; nothing for another content type.
std::optional<std::string> multipart_boundary(std::string_view content_type);

class MultipartReader
{
public:
    MultipartReader(InputBuffer& in, const std::string& boundary);
    ~MultipartReader();

    struct Part
    {
        std::string name;
        std::optional<std::string> filename; // a file, not a field
    };
    // The next part; what was left of the one before is skipped. Nothing behind the last.
    std::optional<Part> next();
    // The part's bytes, up to its end.
    InputBuffer& body();

private:
    class Body;

    bool fill(); // false at the end of the input
    std::string read_line();
    size_t read_part(char* to, size_t size);
    void skip_part();

    InputBuffer& in_;
    std::string delimiter_; // line end, two dashes, boundary
    std::string window_;    // bytes that were read; [at_, end) is unused
    size_t at_ = 0;
    size_t parts_ = 0;
    bool in_part_ = false;
    bool ended_ = false;
    std::unique_ptr<Body> body_;
};

} // namespace basalt
