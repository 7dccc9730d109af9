#include "base/error.h"
#include "codecs/codec.h"

#include <fmt/core.h>
#include <lz4.h>
#include <lz4hc.h>

namespace basalt
{

namespace
{

using namespace error_codes;

static_assert(kMaxCodecBytes <= LZ4_MAX_INPUT_SIZE);

// One raw LZ4 block. LZ4HC writes the same format with more effort.
class Lz4 : public Codec
{
public:
    CodecMethod method() const override { return CodecMethod::Lz4; }
    std::string description() const override { return "LZ4"; }
    Role role() const override { return Role::General; }

    void compress(std::string_view in, std::string& out) const override
    {
        if (in.size() > kMaxCodecBytes)
            throw Error(CANNOT_COMPRESS, "LZ4: block is too large");
        const int bound = LZ4_compressBound(static_cast<int>(in.size()));
        const size_t start = out.size();
        out.resize(start + static_cast<size_t>(bound));
        const int size = encode(in.data(), out.data() + start, static_cast<int>(in.size()), bound);
        if (size <= 0)
            throw Error(CANNOT_COMPRESS, "Cannot compress with LZ4");
        out.resize(start + static_cast<size_t>(size));
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.size() > kMaxCodecBytes || out_size > kMaxCodecBytes)
            throw_cannot_decompress("LZ4", "block is too large");
        const int size = LZ4_decompress_safe(in.data(), out, static_cast<int>(in.size()),
                                             static_cast<int>(out_size));
        if (size < 0 || static_cast<size_t>(size) != out_size)
            throw_cannot_decompress("LZ4", "malformed block");
    }

protected:
    virtual int encode(const char* from, char* to, int size, int bound) const
    {
        return LZ4_compress_default(from, to, size, bound);
    }
};

class Lz4Hc : public Lz4
{
public:
    explicit Lz4Hc(int level) : level_(level) {}
    std::string description() const override { return fmt::format("LZ4HC({})", level_); }

protected:
    int encode(const char* from, char* to, int size, int bound) const override
    {
        // About 256 KiB of state, kept per thread.
        thread_local const std::unique_ptr<LZ4_streamHC_t, int (*)(LZ4_streamHC_t*)> state(
            LZ4_createStreamHC(), &LZ4_freeStreamHC);
        if (!state)
            throw Error(CANNOT_ALLOCATE_MEMORY, "Cannot allocate LZ4HC state");
        return LZ4_compress_HC_extStateHC(state.get(), from, to, size, bound, level_);
    }

private:
    int level_;
};

} // namespace

void register_lz4(CodecRegistry& registry)
{
    registry.add("LZ4",
                 [](const std::vector<std::string>& arguments, const CodecElement&) -> CodecPtr
                 {
                     if (!arguments.empty())
                         throw Error(DATA_TYPE_CANNOT_HAVE_ARGUMENTS,
                                     "Compression codec LZ4 cannot have arguments");
                     return std::make_shared<Lz4>();
                 });
    registry.add("LZ4HC",
                 [](const std::vector<std::string>& arguments, const CodecElement&) -> CodecPtr
                 {
                     if (arguments.size() > 1)
                         throw Error(ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                                     fmt::format("LZ4HC codec must have 1 parameter, given {}",
                                                 arguments.size()));
                     // Any number is accepted and kept; the library takes what is out of range as
                     // its nearest level, and 0 as its default (9).
                     const int level = arguments.empty()
                                           ? 0
                                           : static_cast<int>(codec_integer_argument(
                                                 "LZ4HC", arguments[0], 0, INT32_MAX));
                     return std::make_shared<Lz4Hc>(level);
                 });
    registry.add_decoder(CodecMethod::Lz4, []() -> CodecPtr { return std::make_shared<Lz4>(); });
}

} // namespace basalt
