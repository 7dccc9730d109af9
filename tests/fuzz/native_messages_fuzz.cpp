// libFuzzer entry of the native protocol's messages and blocks: any bytes give a message or an Error, and
// what was read can be written and reads the same. The first byte picks the message, the second the
// revision.

#include "base/error.h"
#include "formats/native.h"
#include "net/native/block_stream.h"
#include "net/native/messages.h"
#include "net/native/protocol.h"
#include "tests/fuzz/seeds.h"

namespace
{

using namespace basalt;

constexpr uint64_t kRevisions[] = {54405, 54420, 54441, 54453, 54459, 54465, 54470, 54480};

template <class Write>
std::string bytes_of(const Write& write)
{
    std::string bytes;
    StringOutputBuffer out(bytes);
    write(out);
    out.finish();
    return bytes;
}

// Reads, writes, reads, writes: the two texts must be the same.
template <class Read, class Write>
void round_trip(InputBuffer& in, const Read& read, const Write& write)
{
    const std::string once = bytes_of([&](OutputBuffer& out) { write(out, read(in)); });
    MemoryInputBuffer again(once);
    const std::string twice = bytes_of([&](OutputBuffer& out) { write(out, read(again)); });
    BASALT_ASSERT(once == twice);
}

void read_blocks(InputBuffer& in, uint64_t revision, bool compressed)
{
    std::string ignored;
    StringOutputBuffer out(ignored);
    BlockStream stream(in, out, revision, compressed, "LZ4");
    for (int i = 0; i < 4; ++i)
    {
        const Block block = stream.read();
        for (size_t c = 0; c < block.width(); ++c)
        {
            BASALT_ASSERT(block[c].column->size() == block.rows());
            // Every value can be looked at.
            for (size_t row = 0; row < block.rows(); row += 1 + block.rows() / 16)
                (void)value_text(*block[c].column, row, block[c].type);
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 2)
        return 0;
    const uint64_t revision = kRevisions[data[1] % std::size(kRevisions)];
    MemoryInputBuffer in(std::string_view(reinterpret_cast<const char*>(data) + 2, size - 2));
    try
    {
        switch (data[0] % 8)
        {
        case 0:
            (void)read_client_hello(in);
            break;
        case 1:
            round_trip(
                in, [&](InputBuffer& from) { return read_addendum(from, revision); },
                [&](OutputBuffer& to, const Addendum& read)
                { write_addendum(to, read, revision); });
            break;
        case 2:
            (void)read_query(in, revision);
            break;
        case 3:
            (void)read_exception(in);
            break;
        case 4:
            (void)read_tables_status_request(in);
            break;
        case 5:
            read_blocks(in, revision, false);
            break;
        case 6:
            read_blocks(in, revision, true);
            break;
        case 7:
            (void)read_server_hello(in, revision);
            break;
        }
    }
    catch (const Error&)
    {
    }
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    write_seeds(
        [](const SeedWriter& seed)
        {
            const auto with_head = [&](char kind, char revision, const std::string& bytes)
            { seed(std::string{kind, revision} + bytes); };
            for (char r = 0; r < static_cast<char>(std::size(kRevisions)); ++r)
            {
                const uint64_t revision = kRevisions[static_cast<size_t>(r)];
                NativeQuery query;
                query.query_id = "q";
                query.text = "SELECT 1";
                query.settings.push_back({"max_threads", "1", true, false});
                query.parameters.emplace_back("x", "1");
                // Older ones are read only.
                if (revision >= basalt::revision::kParameters)
                    with_head(2, r, bytes_of([&](OutputBuffer& out)
                                             { write_query(out, query, revision); })
                                        .substr(1));
                for (const Block& block : seed_blocks())
                {
                    const std::string plain = bytes_of(
                        [&](OutputBuffer& out) { write_native_block(block, out, revision); });
                    with_head(5, r, plain);
                    std::string none, packed;
                    {
                        MemoryInputBuffer in(none);
                        StringOutputBuffer out(packed);
                        BlockStream stream(in, out, revision, true, "ZSTD(1)");
                        stream.write(block);
                        out.finish();
                    }
                    with_head(6, r, packed);
                }
            }
            ClientHello hello;
            hello.client_name = "c";
            hello.revision = 54480;
            hello.user = "u";
            with_head(0, 0, bytes_of([&](OutputBuffer& out) { write_client_hello(out, hello); })
                                .substr(1));
            ServerHello server;
            server.revision = 54480;
            with_head(7, 7, bytes_of([&](OutputBuffer& out)
                                     { write_server_hello(out, server, 54480); })
                                .substr(1));
            with_head(3, 0, bytes_of([&](OutputBuffer& out)
                                     { write_exception(out, Error(60, "no table")); })
                                .substr(1));
        });
    return 0;
}
