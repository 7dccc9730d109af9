#include "base/error.h"
#include "codecs/codec.h"

#include <cstring>

namespace basalt
{

namespace
{

class None : public Codec
{
public:
    CodecMethod method() const override { return CodecMethod::None; }
    std::string description() const override { return "NONE"; }
    Role role() const override { return Role::None; }
    void compress(std::string_view in, std::string& out) const override { out += in; }
    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.size() != out_size)
            throw_cannot_decompress("NONE", "wrong size");
        if (out_size)
            std::memcpy(out, in.data(), out_size);
    }
};

} // namespace

void register_none(CodecRegistry& registry)
{
    registry.add("NONE",
                 [](const std::vector<std::string>& arguments, const CodecElement&) -> CodecPtr
                 {
                     if (!arguments.empty())
                         throw Error(error_codes::DATA_TYPE_CANNOT_HAVE_ARGUMENTS,
                                     "Compression codec NONE cannot have arguments");
                     return std::make_shared<None>();
                 });
    registry.add_decoder(CodecMethod::None, []() -> CodecPtr { return std::make_shared<None>(); });
}

} // namespace basalt
