#pragma once

// Blocks inside packets, compressed or not, in both directions of one query.

#include "columns/block.h"
#include "io/buffer.h"

#include <memory>
#include <string>

namespace basalt
{

class BlockStream
{
public:
    // codec: "LZ4", "ZSTD(1)" …; used for writing only, frames tell their own when read.
    BlockStream(InputBuffer& in, OutputBuffer& out, uint64_t revision, bool compressed,
                const std::string& codec);

    Block read();
    void write(const Block& block);
    // Another thing that goes the compressed way: write into it, then end().
    OutputBuffer& compressed_out() { return packer_ ? *packer_ : out_; }
    void end();

private:
    InputBuffer& in_;
    OutputBuffer& out_;
    uint64_t revision_;
    std::unique_ptr<InputBuffer> unpacker_;
    std::unique_ptr<OutputBuffer> packer_;
};

} // namespace basalt
