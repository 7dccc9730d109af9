#include "codecs/codec.h"

#include "base/error.h"
#include "codecs/codec/multiple.h"

#include <cctype>
#include <charconv>
#include <fmt/core.h>

namespace basalt
{

void register_all_codec(CodecRegistry& registry);

namespace
{

using namespace error_codes;

class CodecTextParser
{
public:
    explicit CodecTextParser(std::string_view text) : text_(text) {}

    std::vector<CodecDescription> parse()
    {
        std::vector<CodecDescription> chain;
        const size_t start = at_;
        if (word() == "CODEC" && take('('))
        {
            chain = list();
            if (!take(')'))
                fail();
        }
        else
        {
            at_ = start;
            chain = list();
        }
        skip_space();
        if (at_ != text_.size())
            fail();
        return chain;
    }

private:
    [[noreturn]] void fail() const
    {
        throw Error(SYNTAX_ERROR,
                    fmt::format("Cannot parse codec '{}' at position {}", text_, at_));
    }
    void skip_space()
    {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
            ++at_;
    }
    bool take(char c)
    {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    // Letters, digits and signs, or a quoted text without its quotes.
    std::string word()
    {
        skip_space();
        const size_t start = at_;
        if (at_ < text_.size() && text_[at_] == '\'')
        {
            const size_t end = text_.find('\'', start + 1);
            if (end == std::string_view::npos)
                fail();
            at_ = end + 1;
            return std::string(text_.substr(start + 1, end - start - 1));
        }
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                      text_[at_] == '_' || text_[at_] == '-' || text_[at_] == '.'))
            ++at_;
        return std::string(text_.substr(start, at_ - start));
    }
    std::vector<CodecDescription> list()
    {
        std::vector<CodecDescription> chain;
        do
        {
            CodecDescription codec;
            codec.name = word();
            if (codec.name.empty() || chain.size() == kMaxCodecChain)
                fail();
            if (take('(') && !take(')'))
            {
                do
                {
                    codec.arguments.push_back(word());
                    if (codec.arguments.back().empty() || codec.arguments.size() > kMaxCodecChain)
                        fail();
                } while (take(','));
                if (!take(')'))
                    fail();
            }
            chain.push_back(std::move(codec));
        } while (take(','));
        return chain;
    }

    std::string_view text_;
    size_t at_ = 0;
};

} // namespace

void CodecRegistry::add(std::string name, Make make)
{
    const bool added = by_name_.emplace(name, Entry{name, make}).second;
    BASALT_ASSERT(added);
}

void CodecRegistry::add_decoder(CodecMethod method, MakeDecoder make)
{
    const bool added = decoders_.emplace(static_cast<uint8_t>(method), make()).second;
    BASALT_ASSERT(added);
}

CodecPtr CodecRegistry::make(const CodecDescription& description, const CodecElement& element) const
{
    const auto found = by_name_.find(description.name);
    if (found == by_name_.end())
        throw Error(UNKNOWN_CODEC, fmt::format("Unknown codec family: {}", description.name));
    return found->second.make(description.arguments, element);
}

std::vector<CodecPtr> CodecRegistry::make_all(const std::vector<CodecDescription>& chain,
                                              const CodecElement& element) const
{
    if (chain.empty() || chain.size() > kMaxCodecChain)
        throw Error(BAD_ARGUMENTS, fmt::format("A codec has {} parts, from 1 to {} are allowed",
                                               chain.size(), kMaxCodecChain));
    std::vector<CodecPtr> codecs;
    for (const auto& description : chain)
        codecs.push_back(make(description, element));
    return codecs;
}

CodecPtr CodecRegistry::make_chain(const std::vector<CodecDescription>& chain,
                                   const CodecElement& element) const
{
    std::vector<CodecPtr> codecs = make_all(chain, element);
    return codecs.size() == 1 ? codecs[0] : make_codec_chain(std::move(codecs));
}

CodecPtr CodecRegistry::make_from_text(std::string_view text, const CodecElement& element) const
{
    return make_chain(parse_codec_text(text), element);
}

const Codec& CodecRegistry::decoder(uint8_t method_byte) const
{
    const auto found = decoders_.find(method_byte);
    if (found == decoders_.end())
        throw Error(UNKNOWN_CODEC, fmt::format("Unknown codec family code: {}", method_byte));
    return *found->second;
}

std::vector<CodecRegistry::Entry> CodecRegistry::entries() const
{
    std::vector<Entry> result;
    for (const auto& [name, entry] : by_name_)
        result.push_back(entry);
    return result;
}

const CodecRegistry& codec_registry()
{
    static const CodecRegistry registry = []
    {
        CodecRegistry result;
        register_all_codec(result);
        return result;
    }();
    return registry;
}

std::vector<CodecDescription> parse_codec_text(std::string_view text)
{
    return CodecTextParser(text).parse();
}

int64_t codec_integer_argument(std::string_view codec, const std::string& argument, int64_t low,
                               int64_t high)
{
    int64_t value = 0;
    const char* end = argument.data() + argument.size();
    const auto [stop, error] = std::from_chars(argument.data(), end, value);
    if (error != std::errc() || stop != end)
        throw Error(
            ILLEGAL_CODEC_PARAMETER,
            fmt::format("{} codec argument must be a whole number, got '{}'", codec, argument));
    if (value < low || value > high)
        throw Error(ILLEGAL_CODEC_PARAMETER,
                    fmt::format("{} codec argument must be from {} to {}, got {}", codec, low, high,
                                value));
    return value;
}

uint8_t codec_value_bytes(std::string_view codec, const std::vector<std::string>& arguments,
                          const CodecElement& element)
{
    if (arguments.size() > 1)
        throw Error(
            ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
            fmt::format("{} codec must have 1 parameter, given {}", codec, arguments.size()));
    if (arguments.size() == 1)
    {
        const int64_t bytes = codec_integer_argument(codec, arguments[0], 0, UINT8_MAX);
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            throw Error(ILLEGAL_CODEC_PARAMETER,
                        fmt::format("Argument value for {} codec can be 1, 2, 4 or 8, given {}",
                                    codec, bytes));
        return static_cast<uint8_t>(bytes);
    }
    if (element.kind == CodecElement::Kind::Bytes)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("Codec {} is not applicable for {} because the data type is not "
                                "of fixed size",
                                codec, element.type_name));
    if (element.bytes != 1 && element.bytes != 2 && element.bytes != 4 && element.bytes != 8)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("Codec {} is only applicable for data types of size 1, 2, 4, 8 "
                                "bytes. Given type {}",
                                codec, element.type_name));
    return element.bytes;
}

void check_codec_chain(const std::vector<CodecPtr>& chain, const CodecElement& element)
{
    using Role = Codec::Role;
    constexpr std::string_view kHint =
        "(Note: you can enable setting 'allow_suspicious_codecs' to skip this check)";
    std::string text;
    bool compresses = false;
    bool has_none = false;
    bool has_float = false;
    bool after_general = false;
    bool seen_general = false;
    for (const auto& codec : chain)
    {
        text += (text.empty() ? "" : ", ") + codec->description();
        const Role role = codec->role();
        after_general |= seen_general;
        seen_general |= role == Role::General;
        has_none |= role == Role::None;
        has_float |= role == Role::FloatValues;
        compresses |= role != Role::Prepares && role != Role::None;
    }
    if (has_none && chain.size() > 1)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("It does not make sense to have codec NONE along with other "
                                "compression codecs: {}. {}",
                                text, kHint));
    if (!compresses && !has_none)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("Compression codec {} does not compress anything. You may want "
                                "to add generic compression algorithm after other "
                                "transformations, like: {}, LZ4. {}",
                                text, text, kHint));
    if (after_general)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("The combination of compression codecs {} is meaningless, "
                                "because it does not make sense to apply any transformations "
                                "after generic compression algorithm. {}",
                                text, kHint));
    if (has_float && element.kind != CodecElement::Kind::Float)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("The combination of compression codecs {} is meaningless, "
                                "because it does not make sense to apply a floating-point time "
                                "series codec to non-floating-point columns {}",
                                text, kHint));
}

void throw_cannot_decompress(std::string_view codec, std::string_view reason)
{
    throw Error(CANNOT_DECOMPRESS,
                fmt::format("Cannot decompress {}-encoded data: {}", codec, reason));
}

} // namespace basalt
