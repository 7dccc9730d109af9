#pragma once

// Bytes to fewer bytes and back: LZ4, ZSTD, Delta … and chains of them, as ClickHouse's
// CODEC(…) clause names them. One codec is one file in codecs/codec/. Byte tables of every format
// stand in docs/format/codecs.md; they are ClickHouse's.
//
// A codec's bytes carry no size of the original and no checksum: codecs/compressed_block.h adds
// both. Decoders take hostile bytes: they throw CANNOT_DECOMPRESS or CORRUPTED_DATA, read and
// write nothing out of bounds, and allocate nothing the input merely claims.
// Threads: a Codec is immutable and may be used from any thread at once.

#include "base/int_types.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Codecs in one chain.
inline constexpr size_t kMaxCodecChain = 16;
// Largest input of one compress() and largest output of one decompress().
inline constexpr size_t kMaxCodecBytes = 1ull << 30;

// Method bytes of ClickHouse's frames. Numbers on disk: never reused.
enum class CodecMethod : uint8_t
{
    None = 0x02,
    Lz4 = 0x82, // also what LZ4HC writes
    Zstd = 0x90,
    Multiple = 0x91,
    Delta = 0x92,
    T64 = 0x93,
    DoubleDelta = 0x94,
    Gorilla = 0x95,
    Aes128 = 0x96, // this and the next, and from Alp on: not built
    Aes256 = 0x97,
    Fpc = 0x98, // not built
    Gcd = 0x9A,
    Alp = 0x9C,
    Quantized = 0x9E,
    Zxc = 0x9F
};

// What T64 writes into its first byte: which type the values had. Numbers on disk.
enum class T64Type : uint8_t
{
    None = 0,  // T64 does not take this type
    UInt8 = 1, // also Bool
    UInt16 = 2,
    UInt32 = 3,
    UInt64 = 4,
    Int8 = 6,
    Int16 = 7,
    Int32 = 8,
    Int64 = 9,
    Date = 13,
    DateTime = 14,
    DateTime64 = 15,
    Enum8 = 17,
    Enum16 = 18,
    Decimal32 = 19,
    Decimal64 = 20,
    IPv4 = 21,
    Date32 = 22,
    Time = 23
};

// What the bytes are, for codecs that look at values. For Nullable, Array and the like: of the
// values inside.
struct CodecElement
{
    enum class Kind : uint8_t
    {
        Bytes,   // no fixed width: only general codecs
        Integer, // also Decimal, Date, DateTime, Enum, IPv4: gcd and differences make sense
        Float,
        Other // fixed width, but neither: UUID, IPv6, FixedString
    };
    Kind kind = Kind::Bytes;
    uint8_t bytes = 0; // width of a value, 0 for Bytes
    T64Type t64_type = T64Type::None;
    std::string type_name; // for messages
};

class Codec
{
public:
    virtual ~Codec() = default;

    virtual CodecMethod method() const = 0;
    // As in a CREATE statement: "ZSTD(3)", "Delta(8)", "Delta(4), LZ4".
    virtual std::string description() const = 0;
    // What a chain may do with it; see check_codec_chain().
    enum class Role : uint8_t
    {
        General,     // makes any bytes smaller: LZ4, ZSTD. Only last in a chain
        Values,      // makes values of a column smaller: DoubleDelta, T64
        FloatValues, // the same, meant for floating-point columns: Gorilla, FPC
        Prepares,    // makes nothing smaller by itself: Delta, GCD
        None         // NONE
    };
    virtual Role role() const = 0;

    // Appends to `out`.
    virtual void compress(std::string_view in, std::string& out) const = 0;
    // Fills exactly `out_size` bytes or throws. `in` and `out` do not overlap.
    virtual void decompress(std::string_view in, char* out, size_t out_size) const = 0;
};

using CodecPtr = std::shared_ptr<const Codec>;

// A codec as written: its name and its literal arguments as text, `Delta(4)` = {"Delta", {"4"}}.
struct CodecDescription
{
    std::string name;
    std::vector<std::string> arguments;
};

class CodecRegistry
{
public:
    // Makes a codec from its arguments. ILLEGAL_CODEC_PARAMETER, ILLEGAL_SYNTAX_FOR_CODEC_TYPE or
    // BAD_ARGUMENTS where arguments or the element do not fit.
    using Make = CodecPtr (*)(const std::vector<std::string>& arguments,
                              const CodecElement& element);
    // Makes a codec that can decompress what a frame with this method byte holds.
    using MakeDecoder = CodecPtr (*)();

    struct Entry
    {
        std::string name;
        Make make = nullptr;
    };

    void add(std::string name, Make make);
    // One codec per method byte.
    void add_decoder(CodecMethod method, MakeDecoder make);

    // UNKNOWN_CODEC for a name that is not registered ("Default" is the caller's to replace),
    // NOT_IMPLEMENTED for one that only ClickHouse has. Names are case-sensitive, as there.
    CodecPtr make(const CodecDescription& description, const CodecElement& element) const;
    // A chain applies its codecs from left to right; one codec is itself. BAD_ARGUMENTS for an
    // empty or a too long one.
    CodecPtr make_chain(const std::vector<CodecDescription>& chain,
                        const CodecElement& element) const;
    // The codecs of a chain, one by one.
    std::vector<CodecPtr> make_all(const std::vector<CodecDescription>& chain,
                                   const CodecElement& element) const;
    // From text: "ZSTD(3)", "Delta(8), LZ4", "CODEC(Delta, ZSTD(1))". SYNTAX_ERROR if malformed.
    CodecPtr make_from_text(std::string_view text, const CodecElement& element = {}) const;

    // UNKNOWN_CODEC for a byte nobody wrote.
    const Codec& decoder(uint8_t method_byte) const;

    // In order of name.
    std::vector<Entry> entries() const;

private:
    std::map<std::string, Entry> by_name_;
    std::map<uint8_t, CodecPtr> decoders_;
};

// All codecs of the program; built at first use.
const CodecRegistry& codec_registry();

// Splits "Delta(8), ZSTD(1)", with or without CODEC( ) around. SYNTAX_ERROR if malformed.
std::vector<CodecDescription> parse_codec_text(std::string_view text);

// An argument that must be a whole number from `low` to `high`; ILLEGAL_CODEC_PARAMETER
// otherwise.
int64_t codec_integer_argument(std::string_view codec, const std::string& argument, int64_t low,
                               int64_t high);

// Width of values for Delta, DoubleDelta and Gorilla: the argument (1, 2, 4 or 8) or the
// element's. BAD_ARGUMENTS where neither fits.
uint8_t codec_value_bytes(std::string_view codec, const std::vector<std::string>& arguments,
                          const CodecElement& element);

// What ClickHouse refuses unless allow_suspicious_codecs: nothing that compresses, work after a
// general codec, NONE among others, float codecs on other columns. BAD_ARGUMENTS.
void check_codec_chain(const std::vector<CodecPtr>& chain, const CodecElement& element);

[[noreturn]] void throw_cannot_decompress(std::string_view codec, std::string_view reason);

} // namespace basalt
