#include "formats/compression.h"

#include "base/error.h"
#include "codecs/codec.h"
#include "codecs/compressed_block.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <fmt/format.h>
#include <lz4frame.h>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace basalt
{

namespace
{

[[noreturn]] void broken(const char* what, const std::string& why)
{
    throw Error(error_codes::CANNOT_DECOMPRESS, fmt::format("Broken {} stream: {}", what, why));
}

// 15 + 32 lets zlib tell gzip from zlib by itself.
class ZlibInput : public InputBuffer
{
public:
    explicit ZlibInput(InputBuffer& source) : source_(source)
    {
        if (inflateInit2(&stream_, 15 + 32) != Z_OK)
            throw Error(error_codes::ZLIB_INFLATE_FAILED, "inflateInit2 failed");
    }
    ~ZlibInput() override { inflateEnd(&stream_); }

protected:
    size_t read_some(char* to, size_t size) override
    {
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        stream_.avail_out = static_cast<uInt>(size);
        while (stream_.avail_out == size)
        {
            if (source_.eof())
            {
                if (!ended_)
                    broken("gzip", "it ends too early");
                return 0;
            }
            if (ended_) // another member follows
            {
                inflateReset(&stream_);
                ended_ = false;
            }
            const auto in = source_.available();
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
            stream_.avail_in = static_cast<uInt>(in.size());
            const int rc = inflate(&stream_, Z_NO_FLUSH);
            source_.consume(in.size() - stream_.avail_in);
            if (rc == Z_STREAM_END)
                ended_ = true;
            else if (rc != Z_OK && rc != Z_BUF_ERROR)
                broken("gzip", stream_.msg ? stream_.msg : "bad data");
        }
        return size - stream_.avail_out;
    }

private:
    InputBuffer& source_;
    z_stream stream_{};
    bool ended_ = false;
};

class ZlibOutput : public BlockOutputBuffer
{
public:
    ZlibOutput(OutputBuffer& target, bool gzip, int level) : target_(target)
    {
        if (deflateInit2(&stream_, level, Z_DEFLATED, gzip ? 15 + 16 : 15, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            throw Error(error_codes::ZLIB_DEFLATE_FAILED, "deflateInit2 failed");
    }
    ~ZlibOutput() override { deflateEnd(&stream_); }
    void finish() override
    {
        flush();
        run(nullptr, 0, Z_FINISH);
    }

protected:
    void sink(const char* data, size_t size) override { run(data, size, Z_NO_FLUSH); }

private:
    void run(const char* data, size_t size, int mode)
    {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
        stream_.avail_in = static_cast<uInt>(size);
        char out[16384];
        do
        {
            stream_.next_out = reinterpret_cast<Bytef*>(out);
            stream_.avail_out = sizeof(out);
            deflate(&stream_, mode);
            target_.write(out, sizeof(out) - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    OutputBuffer& target_;
    z_stream stream_{};
};

class ZstdInput : public InputBuffer
{
public:
    explicit ZstdInput(InputBuffer& source) : source_(source), stream_(ZSTD_createDStream()) {}
    ~ZstdInput() override { ZSTD_freeDStream(stream_); }

protected:
    size_t read_some(char* to, size_t size) override
    {
        ZSTD_outBuffer out{to, size, 0};
        while (out.pos == 0)
        {
            if (source_.eof())
            {
                if (left_ != 0)
                    broken("zstd", "it ends too early");
                return 0;
            }
            const auto bytes = source_.available();
            ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
            left_ = ZSTD_decompressStream(stream_, &out, &in);
            if (ZSTD_isError(left_))
                broken("zstd", ZSTD_getErrorName(left_));
            source_.consume(in.pos);
        }
        return out.pos;
    }

private:
    InputBuffer& source_;
    ZSTD_DStream* stream_;
    size_t left_ = 0;
};

class ZstdOutput : public BlockOutputBuffer
{
public:
    ZstdOutput(OutputBuffer& target, int level) : target_(target), stream_(ZSTD_createCCtx())
    {
        ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, level);
    }
    ~ZstdOutput() override { ZSTD_freeCCtx(stream_); }
    void finish() override
    {
        flush();
        run(nullptr, 0, ZSTD_e_end);
    }

protected:
    void sink(const char* data, size_t size) override { run(data, size, ZSTD_e_continue); }

private:
    void run(const char* data, size_t size, ZSTD_EndDirective mode)
    {
        ZSTD_inBuffer in{data, size, 0};
        char bytes[16384];
        size_t left;
        do
        {
            ZSTD_outBuffer out{bytes, sizeof(bytes), 0};
            left = ZSTD_compressStream2(stream_, &out, &in, mode);
            if (ZSTD_isError(left))
                throw Error(error_codes::ZSTD_ENCODER_FAILED, ZSTD_getErrorName(left));
            target_.write(bytes, out.pos);
        } while (mode == ZSTD_e_end ? left != 0 : in.pos < in.size);
    }

    OutputBuffer& target_;
    ZSTD_CCtx* stream_;
};

class Lz4Input : public InputBuffer
{
public:
    explicit Lz4Input(InputBuffer& source) : source_(source)
    {
        LZ4F_createDecompressionContext(&stream_, LZ4F_VERSION);
    }
    ~Lz4Input() override { LZ4F_freeDecompressionContext(stream_); }

protected:
    size_t read_some(char* to, size_t size) override
    {
        for (;;)
        {
            if (source_.eof())
            {
                if (left_ != 0)
                    broken("lz4", "it ends too early");
                return 0;
            }
            const auto bytes = source_.available();
            size_t out = size, in = bytes.size();
            left_ = LZ4F_decompress(stream_, to, &out, bytes.data(), &in, nullptr);
            if (LZ4F_isError(left_))
                broken("lz4", LZ4F_getErrorName(left_));
            source_.consume(in);
            if (out > 0)
                return out;
        }
    }

private:
    InputBuffer& source_;
    LZ4F_dctx* stream_ = nullptr;
    size_t left_ = 0;
};

class Lz4Output : public BlockOutputBuffer
{
public:
    explicit Lz4Output(OutputBuffer& target) : target_(target)
    {
        LZ4F_createCompressionContext(&stream_, LZ4F_VERSION);
    }
    ~Lz4Output() override { LZ4F_freeCompressionContext(stream_); }
    void finish() override
    {
        flush();
        begin();
        space_.resize(LZ4F_compressBound(0, nullptr));
        emit(LZ4F_compressEnd(stream_, space_.data(), space_.size(), nullptr));
    }

protected:
    void sink(const char* data, size_t size) override
    {
        begin();
        space_.resize(LZ4F_compressBound(size, nullptr));
        emit(LZ4F_compressUpdate(stream_, space_.data(), space_.size(), data, size, nullptr));
    }

private:
    void begin()
    {
        if (begun_)
            return;
        begun_ = true;
        space_.resize(LZ4F_HEADER_SIZE_MAX);
        emit(LZ4F_compressBegin(stream_, space_.data(), space_.size(), nullptr));
    }
    void emit(size_t n)
    {
        if (LZ4F_isError(n))
            throw Error(error_codes::LZ4_ENCODER_FAILED, LZ4F_getErrorName(n));
        target_.write(space_.data(), n);
    }

    OutputBuffer& target_;
    LZ4F_cctx* stream_ = nullptr;
    std::vector<char> space_;
    bool begun_ = false;
};

class BrotliInput : public InputBuffer
{
public:
    explicit BrotliInput(InputBuffer& source)
        : source_(source), stream_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr))
    {
    }
    ~BrotliInput() override { BrotliDecoderDestroyInstance(stream_); }

protected:
    size_t read_some(char* to, size_t size) override
    {
        size_t out_left = size;
        auto* out = reinterpret_cast<uint8_t*>(to);
        while (out_left == size)
        {
            if (BrotliDecoderIsFinished(stream_))
                return 0;
            source_.eof();
            const auto bytes = source_.available();
            size_t in_left = bytes.size();
            const auto* in = reinterpret_cast<const uint8_t*>(bytes.data());
            const auto rc =
                BrotliDecoderDecompressStream(stream_, &in_left, &in, &out_left, &out, nullptr);
            source_.consume(bytes.size() - in_left);
            if (rc == BROTLI_DECODER_RESULT_ERROR)
                broken("br", BrotliDecoderErrorString(BrotliDecoderGetErrorCode(stream_)));
            if (rc == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT && source_.eof())
                broken("br", "it ends too early");
        }
        return size - out_left;
    }

private:
    InputBuffer& source_;
    BrotliDecoderState* stream_;
};

class BrotliOutput : public BlockOutputBuffer
{
public:
    BrotliOutput(OutputBuffer& target, int level)
        : target_(target), stream_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr))
    {
        BrotliEncoderSetParameter(stream_, BROTLI_PARAM_QUALITY, static_cast<uint32_t>(level));
    }
    ~BrotliOutput() override { BrotliEncoderDestroyInstance(stream_); }
    void finish() override
    {
        flush();
        run(nullptr, 0, BROTLI_OPERATION_FINISH);
    }

protected:
    void sink(const char* data, size_t size) override
    {
        run(data, size, BROTLI_OPERATION_PROCESS);
    }

private:
    void run(const char* data, size_t size, BrotliEncoderOperation operation)
    {
        const auto* in = reinterpret_cast<const uint8_t*>(data);
        char bytes[16384];
        do
        {
            size_t out_left = sizeof(bytes);
            auto* out = reinterpret_cast<uint8_t*>(bytes);
            if (!BrotliEncoderCompressStream(stream_, operation, &size, &in, &out_left, &out,
                                             nullptr))
                throw Error(error_codes::CANNOT_COMPRESS, "The br encoder failed");
            target_.write(bytes, sizeof(bytes) - out_left);
        } while (size > 0 || BrotliEncoderHasMoreOutput(stream_));
    }

    OutputBuffer& target_;
    BrotliEncoderState* stream_;
};

class FrameInput : public InputBuffer
{
public:
    explicit FrameInput(InputBuffer& source) : source_(source) {}

protected:
    size_t read_some(char* to, size_t size) override
    {
        while (at_ == block_.size())
        {
            const size_t head = kFrameChecksumBytes + kFrameHeaderBytes;
            const size_t have = source_.ensure(head);
            if (have == 0)
                return 0;
            if (have < head)
                broken("compressed", "it ends in a frame's head");
            const FrameHeader header = read_frame_header(source_.available());
            if (source_.ensure(header.frame_bytes()) < header.frame_bytes())
                broken("compressed", "it ends in a frame");
            block_.clear();
            at_ = 0;
            source_.consume(read_compressed_block(
                source_.available().substr(0, header.frame_bytes()), block_));
        }
        const size_t count = std::min(size, block_.size() - at_);
        std::memcpy(to, block_.data() + at_, count);
        at_ += count;
        return count;
    }

private:
    InputBuffer& source_;
    std::string block_;
    size_t at_ = 0;
};

class FrameOutput : public BlockOutputBuffer
{
public:
    FrameOutput(OutputBuffer& target, const std::string& codec)
        : BlockOutputBuffer(kFrameBytes), target_(target),
          codec_(codec_registry().make_from_text(codec))
    {
    }
    void finish() override { flush(); }

protected:
    void sink(const char* data, size_t size) override
    {
        while (size > 0)
        {
            const size_t count = std::min(size, kFrameBytes);
            frame_.clear();
            write_compressed_block(*codec_, {data, count}, frame_);
            target_.write(frame_);
            data += count;
            size -= count;
        }
    }

private:
    static constexpr size_t kFrameBytes = 1 << 20;
    OutputBuffer& target_;
    CodecPtr codec_;
    std::string frame_;
};

} // namespace

std::unique_ptr<InputBuffer> decompressing_buffer(const std::string& encoding, InputBuffer& source)
{
    if (encoding == "gzip" || encoding == "deflate" || encoding == "x-gzip")
        return std::make_unique<ZlibInput>(source);
    if (encoding == "zstd")
        return std::make_unique<ZstdInput>(source);
    if (encoding == "lz4")
        return std::make_unique<Lz4Input>(source);
    if (encoding == "br")
        return std::make_unique<BrotliInput>(source);
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("Unknown Content-Encoding '{}'", encoding));
}

std::unique_ptr<OutputBuffer> compressing_buffer(const std::string& encoding, OutputBuffer& target,
                                                 int level)
{
    if (encoding == "gzip" || encoding == "deflate")
        return std::make_unique<ZlibOutput>(target, encoding == "gzip", level);
    if (encoding == "zstd")
        return std::make_unique<ZstdOutput>(target, level);
    if (encoding == "lz4")
        return std::make_unique<Lz4Output>(target);
    if (encoding == "br")
        return std::make_unique<BrotliOutput>(target, level);
    throw Error(error_codes::NOT_IMPLEMENTED, fmt::format("Unknown encoding '{}'", encoding));
}

std::unique_ptr<InputBuffer> frame_decompressing_buffer(InputBuffer& source)
{
    return std::make_unique<FrameInput>(source);
}

std::unique_ptr<OutputBuffer> frame_compressing_buffer(OutputBuffer& target,
                                                       const std::string& codec)
{
    return std::make_unique<FrameOutput>(target, codec);
}

std::string choose_encoding(const std::string& accept_encoding)
{
    // ClickHouse's order of preference.
    for (const char* name : {"gzip", "br", "zstd", "lz4", "deflate"})
        if (accept_encoding.find(name) != std::string::npos)
            return name;
    return "";
}

} // namespace basalt
