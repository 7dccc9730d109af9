// Messages of the native protocol: round trips in every revision that changes one, and broken
// bytes of every kind.

#include "formats/native.h"
#include "io/binary.h"
#include "net/native/block_stream.h"
#include "net/native/framing.h"
#include "net/native/messages.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

namespace basalt
{
namespace
{

const std::vector<uint64_t> kRevisions = {54405, 54412, 54420, 54429, 54441, 54443, 54449,
                                          54453, 54458, 54460, 54463, 54470, 54471, 54474,
                                          54477, 54479, 54481, 54485, 54486};

std::string bytes_of(const std::function<void(OutputBuffer&)>& write)
{
    std::string bytes;
    StringOutputBuffer out(bytes);
    write(out);
    out.finish();
    return bytes;
}

template <class T> T parse(const std::string& bytes, const std::function<T(InputBuffer&)>& read)
{
    MemoryInputBuffer in(bytes);
    read_varint(in); // the packet's number
    T value = read(in);
    EXPECT_TRUE(in.eof());
    return value;
}

NativeQuery some_query(uint64_t revision)
{
    NativeQuery query;
    query.query_id = "an id";
    query.client.initial_user = "default";
    query.client.client_name = "a client";
    query.client.os_user = "somebody";
    query.client.version_major = 26;
    query.client.revision = revision;
    query.client.client_agent = "agent";
    query.settings = {{"max_threads", "3", true, false}, {"custom_x", "'a'", false, true}};
    query.compressed = true;
    query.text = "SELECT {x:String}";
    if (revision >= revision::kParameters)
        query.parameters = {{"x", "it's \\ here"}};
    return query;
}

Block some_block()
{
    auto numbers = std::make_shared<VectorColumn<uint64_t>>();
    auto texts = std::make_shared<StringColumn>();
    for (uint64_t i = 0; i < 100; ++i)
    {
        numbers->data().push_back(i);
        texts->append("text " + std::to_string(i));
    }
    return Block({{numbers, type_from_name("UInt64"), "n"},
                  {texts, type_from_name("String"), "s"}});
}

TEST(NativeMessages, HelloRoundTrip)
{
    ClientHello hello;
    hello.client_name = "x";
    hello.version_major = 18;
    hello.version_minor = 16;
    hello.revision = 54412;
    hello.database = "d";
    hello.user = "u";
    hello.password = "p";
    const auto read = parse<ClientHello>(
        bytes_of([&](OutputBuffer& out) { write_client_hello(out, hello); }), read_client_hello);
    EXPECT_EQ(read.client_name, "x");
    EXPECT_EQ(read.version_minor, 16u);
    EXPECT_EQ(read.revision, 54412u);
    EXPECT_EQ(read.database + read.user + read.password, "dup");

    for (const uint64_t revision : kRevisions)
    {
        ServerHello server;
        server.server_name = "s";
        server.version_patch = 7;
        server.revision = kNativeRevision;
        server.timezone = "Europe/Berlin";
        server.display_name = "host";
        server.nonce = 5;
        const auto answer = parse<ServerHello>(
            bytes_of([&](OutputBuffer& out) { write_server_hello(out, server, revision); }),
            [&](InputBuffer& in) { return read_server_hello(in, revision); });
        EXPECT_EQ(answer.timezone, "Europe/Berlin");
        EXPECT_EQ(answer.display_name, "host");
        EXPECT_EQ(answer.version_patch, 7u);
        EXPECT_EQ(answer.nonce, revision >= revision::kInterserverSecretV2 ? 5u : 0u);
    }
}

TEST(NativeMessages, QueryRoundTrip)
{
    for (const uint64_t revision : kRevisions)
    {
        if (revision < revision::kSettingsAsStrings)
            continue;
        const NativeQuery query = some_query(revision);
        const auto read = parse<NativeQuery>(
            bytes_of([&](OutputBuffer& out) { write_query(out, query, revision); }),
            [&](InputBuffer& in) { return read_query(in, revision); });
        EXPECT_EQ(read.query_id, query.query_id);
        EXPECT_EQ(read.text, query.text);
        EXPECT_TRUE(read.compressed);
        ASSERT_EQ(read.settings.size(), 2u);
        EXPECT_EQ(read.settings[0].value, "3");
        EXPECT_TRUE(read.settings[0].important);
        EXPECT_TRUE(read.settings[1].custom);
        EXPECT_EQ(read.parameters, query.parameters);
        EXPECT_EQ(read.client.client_name, "a client");
        EXPECT_EQ(read.client.client_agent, revision >= revision::kClientAgent ? "agent" : "");
    }
}

TEST(NativeMessages, SettingsOfOldPeers)
{
    // What ClickHouse 18.16 sends: a number, a text, a signed number, a flag that became words.
    const std::string bytes = bytes_of(
        [](OutputBuffer& out)
        {
            write_string(out, "id");
            out.write('\0'); // no client info
            write_string(out, "max_threads");
            write_varint(out, 300);
            write_string(out, "totals_mode");
            write_string(out, "after_having_inclusive");
            write_string(out, "http_zlib_compression_level");
            write_varint(out, 6);
            write_string(out, "skip_unavailable_shards");
            write_varint(out, 1);
            write_string(out, "");
            write_varint(out, kStageComplete);
            write_varint(out, 0);
            write_string(out, "SELECT 1");
        });
    MemoryInputBuffer in(bytes);
    const NativeQuery query = read_query(in, 54412);
    ASSERT_EQ(query.settings.size(), 4u);
    EXPECT_EQ(query.settings[0].value, "300");
    EXPECT_EQ(query.settings[1].value, "after_having_inclusive");
    EXPECT_EQ(query.settings[2].value, "3");
    EXPECT_EQ(query.settings[3].value, "1");
    EXPECT_EQ(query.text, "SELECT 1");
}

TEST(NativeMessages, ProgressAndProfileInfoRoundTrip)
{
    for (const uint64_t revision : kRevisions)
    {
        const NativeProgress progress{1, 2, 3, 4, 5, 6, 7};
        const auto read = parse<NativeProgress>(
            bytes_of([&](OutputBuffer& out) { write_progress(out, progress, revision); }),
            [&](InputBuffer& in) { return read_progress(in, revision); });
        EXPECT_EQ(read.read_rows, 1u);
        EXPECT_EQ(read.total_rows, 3u);
        EXPECT_EQ(read.total_bytes, revision >= revision::kTotalBytesInProgress ? 4u : 0u);
        EXPECT_EQ(read.written_bytes, revision >= revision::kWriteInfoInProgress ? 6u : 0u);
        const NativeProfileInfo info{10, 2, 300, 77};
        const auto info_read = parse<NativeProfileInfo>(
            bytes_of([&](OutputBuffer& out) { write_profile_info(out, info, revision); }),
            [&](InputBuffer& in) { return read_profile_info(in, revision); });
        EXPECT_EQ(info_read.bytes, 300u);
        EXPECT_EQ(info_read.rows_before_limit, 77u);
    }
}

TEST(NativeMessages, ExceptionRoundTrip)
{
    const Error error = parse<Error>(
        bytes_of([](OutputBuffer& out)
                 { write_exception(out, Error(error_codes::UNKNOWN_TABLE, "no such table")); }),
        read_exception);
    EXPECT_EQ(error.code(), 60);
    EXPECT_EQ(error.message(), "no such table");

    const std::string nested = bytes_of(
        [](OutputBuffer& out)
        {
            for (int depth = 0; depth < 2; ++depth)
            {
                write_fixed<int32_t>(out, 100 + depth);
                write_string(out, "DB::Exception");
                write_string(out, "DB::Exception: part " + std::to_string(depth));
                write_string(out, "");
                out.write(depth == 0 ? '\1' : '\0');
            }
        });
    MemoryInputBuffer in(nested);
    const Error both = read_exception(in);
    EXPECT_EQ(both.code(), 100);
    EXPECT_EQ(both.message(), "part 0: part 1");

    // Without end.
    std::string endless;
    for (int depth = 0; depth < 100; ++depth)
        endless += std::string("\1\0\0\0\0\0\0\1", 8);
    MemoryInputBuffer endless_in(endless);
    EXPECT_THROW(read_exception(endless_in), Error);
}

TEST(NativeMessages, Chunking)
{
    EXPECT_TRUE(agree_on_chunking("notchunked_optional", "chunked"));
    EXPECT_FALSE(agree_on_chunking("chunked_optional", "notchunked"));
    EXPECT_TRUE(agree_on_chunking("chunked", "notchunked_optional"));
    EXPECT_FALSE(agree_on_chunking("notchunked", "notchunked"));
    EXPECT_THROW(agree_on_chunking("notchunked", "chunked"), Error);

    const std::string text(200000, 'x');
    const std::string bytes = bytes_of(
        [&](OutputBuffer& target)
        {
            ChunkedOutput out(target);
            out.write("abc", 3);
            out.end_packet();
            out.write(text);
            out.end_packet();
        });
    EXPECT_EQ(bytes.substr(0, 11), std::string("\3\0\0\0abc\0\0\0\0", 11));
    MemoryInputBuffer source(bytes);
    ChunkedInput in(source);
    std::string got(3 + text.size(), '\0');
    in.read_exact(got.data(), got.size());
    EXPECT_EQ(got, "abc" + text);
    EXPECT_FALSE(in.has_bytes());
    EXPECT_TRUE(in.eof());
}

TEST(NativeMessages, CompressedBlocks)
{
    for (const std::string codec : {"LZ4", "ZSTD(1)", "NONE"})
    {
        const Block block = some_block();
        MemoryInputBuffer nothing("");
        const std::string bytes = bytes_of(
            [&](OutputBuffer& out)
            {
                BlockStream stream(nothing, out, kNativeRevision, true, codec);
                stream.write(block);
                stream.write(block);
            });
        MemoryInputBuffer in(bytes);
        std::string unused;
        StringOutputBuffer out(unused);
        BlockStream stream(in, out, kNativeRevision, true, codec);
        for (int i = 0; i < 2; ++i)
        {
            const Block read = stream.read();
            EXPECT_EQ(read.rows(), 100u);
            EXPECT_EQ(read[1].column->compare_at(7, *block[1].column, 7, 1), 0);
        }
        EXPECT_TRUE(in.eof());
    }
}

size_t peak_memory_bytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

// Cut off at every length and with bytes changed at random: a value or an Error, and no more memory
// than a limit says.
void torture(const std::string& good, const std::function<void(InputBuffer&)>& read)
{
    const auto attempt = [&](const std::string& bytes)
    {
        MemoryInputBuffer in(bytes);
        try
        {
            read(in);
        }
        catch (const Error& error)
        {
            EXPECT_NE(error.code(), error_codes::LOGICAL_ERROR);
        }
    };
    for (size_t size = 0; size < good.size(); ++size)
        attempt(good.substr(0, size));
    std::mt19937_64 random(good.size());
    for (int round = 0; round < 3000; ++round)
    {
        std::string bytes = good;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        attempt(bytes);
    }
    for (int round = 0; round < 1000; ++round)
    {
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes)
            c = static_cast<char>(random() % 3 ? random() : random() % 8);
        attempt(bytes);
    }
}

TEST(NativeMessages, BrokenMessages)
{
    const size_t before = peak_memory_bytes();
    const auto without_number = [](const std::string& bytes) { return bytes.substr(1); };
    for (const uint64_t revision : {54412, 54441, 54470, 54486})
    {
        torture(without_number(bytes_of([](OutputBuffer& out)
                                        { write_client_hello(out, {"c", 1, 2, 3, "d", "u", "p"}); })),
                [](InputBuffer& in) { read_client_hello(in); });
        ServerHello server;
        server.revision = kNativeRevision;
        torture(without_number(bytes_of([&](OutputBuffer& out)
                                        { write_server_hello(out, server, revision); })),
                [&](InputBuffer& in) { read_server_hello(in, revision); });
        torture(bytes_of([&](OutputBuffer& out) { write_addendum(out, {}, revision); }) + "x",
                [&](InputBuffer& in) { read_addendum(in, revision); });
        torture(without_number(bytes_of([&](OutputBuffer& out)
                                        { write_query(out, some_query(54486), 54486); })),
                [&](InputBuffer& in) { read_query(in, revision); });
        torture(without_number(bytes_of([&](OutputBuffer& out)
                                        { write_progress(out, {1, 2, 3, 4, 5, 6, 7}, revision); })),
                [&](InputBuffer& in) { read_progress(in, revision); });
        torture(without_number(bytes_of([&](OutputBuffer& out)
                                        { write_profile_info(out, {1, 2, 3, 4}, revision); })),
                [&](InputBuffer& in) { read_profile_info(in, revision); });
    }
    torture(without_number(
                bytes_of([](OutputBuffer& out) { write_exception(out, Error(1, "text")); })),
            [](InputBuffer& in) { read_exception(in); });
    torture(std::string("\2\1d\1t\1e\1u", 9), [](InputBuffer& in) { read_tables_status_request(in); });
    EXPECT_LT(peak_memory_bytes() - before, size_t{256} << 20);
}

TEST(NativeMessages, BrokenBlocks)
{
    const size_t before = peak_memory_bytes();
    for (const bool compressed : {false, true})
    {
        MemoryInputBuffer nothing("");
        const std::string good =
            bytes_of([&](OutputBuffer& out)
                     { BlockStream(nothing, out, kNativeRevision, compressed, "LZ4").write(some_block()); });
        torture(good,
                [&](InputBuffer& in)
                {
                    std::string unused;
                    StringOutputBuffer out(unused);
                    BlockStream(in, out, kNativeRevision, compressed, "LZ4").read();
                });
    }
    EXPECT_LT(peak_memory_bytes() - before, size_t{512} << 20);
}

TEST(NativeMessages, BrokenFrames)
{
    torture(std::string("\3\0\0\0abc\0\0\0\0\2\0\0\0de\0\0\0\0", 21),
            [](InputBuffer& source)
            {
                ChunkedInput in(source);
                std::string text(5, '\0');
                in.read_exact(text.data(), text.size());
            });
}

} // namespace
} // namespace basalt
