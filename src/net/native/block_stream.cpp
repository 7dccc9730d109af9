#include "net/native/block_stream.h"

#include "base/error.h"
#include "formats/compression.h"
#include "formats/native.h"

namespace basalt
{

BlockStream::BlockStream(InputBuffer& in, OutputBuffer& out, uint64_t revision, bool compressed,
                         const std::string& codec)
    : in_(in), out_(out), revision_(revision)
{
    if (!compressed)
        return;
    unpacker_ = frame_decompressing_buffer(in_);
    packer_ = frame_compressing_buffer(out_, codec);
}

Block BlockStream::read()
{
    auto block = read_native_block(unpacker_ ? *unpacker_ : in_, revision_);
    if (!block)
        throw Error(error_codes::ATTEMPT_TO_READ_AFTER_EOF,
                    "The connection ended where a block was expected");
    return std::move(*block);
}

void BlockStream::write(const Block& block)
{
    write_native_block(block, compressed_out(), revision_);
    end();
}

void BlockStream::end()
{
    if (packer_)
        packer_->flush();
}

} // namespace basalt
