// Codecs that ClickHouse has and we do not: naming one says so instead of "unknown".

#include "base/error.h"
#include "codecs/codec.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

[[noreturn]] void throw_not_built(std::string_view name)
{
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("Compression codec {} is not implemented", name));
}

class Unbuilt : public Codec
{
public:
    Unbuilt(CodecMethod method, std::string name) : method_(method), name_(std::move(name)) {}

    CodecMethod method() const override { return method_; }
    std::string description() const override { return name_; }
    Role role() const override { return Role::Values; }
    void compress(std::string_view, std::string&) const override { throw_not_built(name_); }
    void decompress(std::string_view, char*, size_t) const override { throw_not_built(name_); }

private:
    CodecMethod method_;
    std::string name_;
};

template <CodecMethod method> void add(CodecRegistry& registry, const char* name)
{
    static const char* kept_name = name;
    registry.add(name,
                 [](const std::vector<std::string>&, const CodecElement&) -> CodecPtr
                 { throw_not_built(kept_name); });
    registry.add_decoder(method,
                         []() -> CodecPtr { return std::make_shared<Unbuilt>(method, kept_name); });
}

} // namespace

void register_unbuilt(CodecRegistry& registry)
{
    add<CodecMethod::Fpc>(registry, "FPC");
    add<CodecMethod::Alp>(registry, "ALP");
    add<CodecMethod::Zxc>(registry, "ZXC");
    add<CodecMethod::Quantized>(registry, "Quantized");
    add<CodecMethod::Aes128>(registry, "AES_128_GCM_SIV");
    add<CodecMethod::Aes256>(registry, "AES_256_GCM_SIV");
}

} // namespace basalt
