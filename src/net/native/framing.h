#pragma once

// Packets on a connection, framed or not, each direction by itself. Framed ("chunked"): a packet is
// pieces of a 4-byte little-endian length and so many bytes; length 0 ends the packet. One thread
// at a time.

#include "io/socket.h"

#include <memory>

namespace basalt
{

// A packet's bytes are gathered into pieces of at most this size.
inline constexpr size_t kMaxWrittenPieceBytes = 64 << 10;

// The content of framed packets one after another; their ends do not show. Any piece length is
// taken: bytes pass through as they come.
class ChunkedInput final : public InputBuffer
{
public:
    explicit ChunkedInput(InputBuffer& source) : source_(source) {}

    // Whether bytes of a packet are at hand, here or in the source.
    bool has_bytes();

protected:
    size_t read_some(char* to, size_t size) override;

private:
    InputBuffer& source_;
    uint32_t left_ = 0; // of the current piece
};

class ChunkedOutput final : public BlockOutputBuffer
{
public:
    explicit ChunkedOutput(OutputBuffer& target)
        : BlockOutputBuffer(kMaxWrittenPieceBytes), target_(target)
    {
    }
    void end_packet();

protected:
    void sink(const char* data, size_t size) override;

private:
    OutputBuffer& target_;
};

class PacketStream
{
public:
    explicit PacketStream(Socket& socket) : socket_(socket), raw_in_(socket), raw_out_(socket) {}

    InputBuffer& in() { return chunked_in_ ? static_cast<InputBuffer&>(*chunked_in_) : raw_in_; }
    OutputBuffer& out() { return chunked_out_ ? static_cast<OutputBuffer&>(*chunked_out_) : raw_out_; }

    // Both begin unframed.
    void frame_input() { chunked_in_ = std::make_unique<ChunkedInput>(raw_in_); }
    void frame_output() { chunked_out_ = std::make_unique<ChunkedOutput>(raw_out_); }

    void end_packet()
    {
        if (chunked_out_)
            chunked_out_->end_packet();
    }
    void flush() { raw_out_.flush(); }

    // Whether a packet, or the end of the connection, has come or comes within the timeout.
    bool wait_for_input(int64_t timeout_ms);

private:
    Socket& socket_;
    SocketInputBuffer raw_in_;
    SocketOutputBuffer raw_out_;
    std::unique_ptr<ChunkedInput> chunked_in_;
    std::unique_ptr<ChunkedOutput> chunked_out_;
};

} // namespace basalt
