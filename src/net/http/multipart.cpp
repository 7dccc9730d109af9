#include "net/http/multipart.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kReadBytes = 64 << 10;

[[noreturn]] void broken(const char* why)
{
    throw Error(error_codes::BAD_ARGUMENTS, fmt::format("Broken multipart body: {}", why));
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool starts_with_word(std::string_view text, std::string_view word)
{
    return text.size() >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin(),
                      [](char a, char b) { return a == lower(b); });
}

// The value of `; name=value` or `; name="value"`.
std::optional<std::string> attribute(std::string_view text, std::string_view name)
{
    size_t at = text.find(';');
    while (at < text.size())
    {
        ++at;
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
            ++at;
        const size_t equals = text.find('=', at);
        if (equals == std::string_view::npos)
            return std::nullopt;
        const bool wanted =
            equals - at == name.size() && starts_with_word(text.substr(at), name);
        std::string value;
        at = equals + 1;
        if (at < text.size() && text[at] == '"')
        {
            for (++at; at < text.size() && text[at] != '"'; ++at)
            {
                if (text[at] == '\\' && at + 1 < text.size())
                    ++at;
                value += text[at];
            }
            at = std::min(text.find(';', at), text.size());
        }
        else
        {
            const size_t end = std::min(text.find(';', at), text.size());
            value = text.substr(at, end - at);
            value.erase(value.find_last_not_of(" \t") + 1);
            at = end;
        }
        if (wanted)
            return value;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> multipart_boundary(std::string_view content_type)
{
    if (!starts_with_word(content_type, "multipart/form-data"))
        return std::nullopt;
    auto boundary = attribute(content_type, "boundary");
    if (!boundary || boundary->empty() || boundary->size() > kMaxBoundaryBytes)
        broken("its boundary is missing or too long");
    return boundary;
}

class MultipartReader::Body : public InputBuffer
{
public:
    explicit Body(MultipartReader& reader) : reader_(reader) {}

protected:
    size_t read_some(char* to, size_t size) override { return reader_.read_part(to, size); }

private:
    MultipartReader& reader_;
};

MultipartReader::MultipartReader(InputBuffer& in, const std::string& boundary)
    : in_(in), delimiter_("\r\n--" + boundary), window_("\r\n")
{
}

MultipartReader::~MultipartReader() = default;

bool MultipartReader::fill()
{
    if (at_ >= kReadBytes)
    {
        window_.erase(0, at_);
        at_ = 0;
    }
    const size_t old = window_.size();
    window_.resize(old + kReadBytes);
    const size_t got = in_.eof() ? 0 : in_.read(window_.data() + old, kReadBytes);
    window_.resize(old + got);
    return got > 0;
}

std::string MultipartReader::read_line()
{
    for (;;)
    {
        const size_t end = window_.find("\r\n", at_);
        if (end != std::string::npos)
        {
            std::string line = window_.substr(at_, end - at_);
            at_ = end + 2;
            return line;
        }
        if (window_.size() - at_ > kMaxPartHeadBytes)
            broken("the head of a part is too long");
        if (!fill())
            broken("it ends in the head of a part");
    }
}

size_t MultipartReader::read_part(char* to, size_t size)
{
    while (in_part_)
    {
        const size_t found = window_.find(delimiter_, at_);
        if (found == at_)
        {
            in_part_ = false;
            at_ += delimiter_.size();
            return 0;
        }
        // Bytes that cannot be the beginning of the delimiter.
        const size_t kept = delimiter_.size() - 1;
        const size_t sure = found != std::string::npos   ? found - at_
                            : window_.size() - at_ > kept ? window_.size() - at_ - kept
                                                           : 0;
        if (sure > 0)
        {
            const size_t count = std::min(sure, size);
            std::memcpy(to, window_.data() + at_, count);
            at_ += count;
            return count;
        }
        if (!fill())
            broken("it ends in the middle of a part");
    }
    return 0;
}

void MultipartReader::skip_part()
{
    char bytes[4096];
    while (in_part_)
        read_part(bytes, sizeof(bytes));
}

std::optional<MultipartReader::Part> MultipartReader::next()
{
    if (ended_)
        return std::nullopt;
    if (parts_ == 0)
        in_part_ = true; // what stands in front of the first boundary is nobody's
    skip_part();
    if (++parts_ > kMaxParts)
        broken("it has too many parts");
    while (window_.size() - at_ < 2 && fill())
    {
    }
    if (window_.compare(at_, 2, "--") == 0)
    {
        ended_ = true;
        return std::nullopt;
    }
    read_line();
    Part part;
    bool named = false;
    size_t head_bytes = 0;
    for (std::string line = read_line(); !line.empty(); line = read_line())
    {
        head_bytes += line.size();
        if (head_bytes > kMaxPartHeadBytes)
            broken("the head of a part is too long");
        if (!starts_with_word(line, "content-disposition:"))
            continue;
        if (auto name = attribute(line, "name"))
        {
            part.name = std::move(*name);
            named = true;
        }
        part.filename = attribute(line, "filename");
    }
    if (!named)
        broken("a part has no name");
    in_part_ = true;
    // An empty part: the delimiter's line end is the head's.
    at_ -= 2;
    if (window_.compare(at_, delimiter_.size(), delimiter_) != 0)
    {
        while (window_.size() - at_ < delimiter_.size() && fill())
        {
        }
        if (window_.compare(at_, delimiter_.size(), delimiter_) != 0)
            at_ += 2;
    }
    body_ = std::make_unique<Body>(*this);
    return part;
}

InputBuffer& MultipartReader::body()
{
    return *body_;
}

} // namespace basalt
