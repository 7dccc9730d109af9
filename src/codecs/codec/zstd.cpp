#include "base/error.h"
#include "codecs/codec.h"

#include <fmt/core.h>
#include <zstd.h>

namespace basalt
{

namespace
{

using namespace error_codes;

constexpr int kDefaultLevel = 1;
constexpr int kMaxLevel = 22;
constexpr int kMinWindowLog = 10;
constexpr int kMaxWindowLog = 31;

// Contexts cost more than small blocks do; each thread keeps one of each kind.
ZSTD_CCtx* thread_compressor()
{
    thread_local const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                                  &ZSTD_freeCCtx);
    if (!context)
        throw Error(CANNOT_ALLOCATE_MEMORY, "Cannot allocate a ZSTD context");
    return context.get();
}

ZSTD_DCtx* thread_decompressor()
{
    thread_local const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                                  &ZSTD_freeDCtx);
    if (!context)
        throw Error(CANNOT_ALLOCATE_MEMORY, "Cannot allocate a ZSTD context");
    return context.get();
}

// One ZSTD frame without checksum.
class Zstd : public Codec
{
public:
    Zstd(int level, int window_log) : level_(level), window_log_(window_log) {}

    CodecMethod method() const override { return CodecMethod::Zstd; }
    Role role() const override { return Role::General; }

    std::string description() const override
    {
        return window_log_ ? fmt::format("ZSTD({}, {})", level_, window_log_)
                           : fmt::format("ZSTD({})", level_);
    }

    void compress(std::string_view in, std::string& out) const override
    {
        ZSTD_CCtx* context = thread_compressor();
        ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level_);
        if (window_log_)
        {
            ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log_);
        }
        const size_t start = out.size();
        out.resize(start + ZSTD_compressBound(in.size()));
        const size_t size =
            ZSTD_compress2(context, out.data() + start, out.size() - start, in.data(), in.size());
        if (ZSTD_isError(size))
            throw Error(CANNOT_COMPRESS,
                        fmt::format("Cannot compress with ZSTD: {}", ZSTD_getErrorName(size)));
        out.resize(start + size);
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        const size_t size =
            ZSTD_decompressDCtx(thread_decompressor(), out, out_size, in.data(), in.size());
        if (ZSTD_isError(size))
            throw_cannot_decompress("ZSTD", ZSTD_getErrorName(size));
        if (size != out_size)
            throw_cannot_decompress("ZSTD", "wrong size");
    }

private:
    int level_;
    int window_log_; // 0: as the level says
};

} // namespace

void register_zstd(CodecRegistry& registry)
{
    registry.add(
        "ZSTD",
        [](const std::vector<std::string>& arguments, const CodecElement&) -> CodecPtr
        {
            if (arguments.size() > 2)
                throw Error(ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                            fmt::format("ZSTD codec must have 1 or 2 parameters, given {}",
                                        arguments.size()));
            int level = kDefaultLevel;
            int window_log = 0;
            if (!arguments.empty())
            {
                level =
                    static_cast<int>(codec_integer_argument("ZSTD", arguments[0], 0, INT32_MAX));
                if (level > kMaxLevel)
                    throw Error(ILLEGAL_CODEC_PARAMETER,
                                fmt::format("ZSTD codec can't have level more than {}, given {}",
                                            kMaxLevel, level));
            }
            if (arguments.size() == 2)
                window_log = static_cast<int>(
                    codec_integer_argument("ZSTD", arguments[1], kMinWindowLog, kMaxWindowLog));
            return std::make_shared<Zstd>(level, window_log);
        });
    registry.add_decoder(CodecMethod::Zstd,
                         []() -> CodecPtr { return std::make_shared<Zstd>(kDefaultLevel, 0); });
}

} // namespace basalt
