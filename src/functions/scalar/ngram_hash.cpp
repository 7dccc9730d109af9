// ngramSimHash, ngramMinHash, ngramMinHashArg, wordShingleSimHash, wordShingleMinHash,
// wordShingleMinHashArg and their CaseInsensitive and UTF8 forms: near texts have near hashes.
// A piece (n characters, or n words) is hashed by CRC-32C of its bytes.

#include "codecs/hash.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>
#include <nmmintrin.h>

#include <array>
#include <map>

namespace basalt
{
namespace
{

constexpr int64_t kDefaultPieceSize = 3;
constexpr int64_t kMaxPieceSize = 25;
constexpr int64_t kDefaultHashes = 6;
constexpr int64_t kMaxHashes = 25;
constexpr size_t kShortestWord = 4; // bytes; shorter words are passed over

template <bool kFold> uint64_t crc_of(uint64_t crc, std::string_view text)
{
    for (const char c : text)
        crc = _mm_crc32_u8(static_cast<uint32_t>(crc),
                           static_cast<unsigned char>(kFold ? c | 0x20 : c));
    return crc;
}

bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           static_cast<signed char>(c) < 0;
}

// Calls f(hash, piece) for every piece.
template <bool kFold, class F> void for_each_ngram(std::string_view text, size_t n, F&& f)
{
    if (text.size() < n)
    {
        f(crc_of<kFold>(UINT64_MAX, text), text);
        return;
    }
    for (size_t at = 0; at + n <= text.size(); ++at)
        f(crc_of<kFold>(UINT64_MAX, text.substr(at, n)), text.substr(at, n));
}

// Of code points: as in ClickHouse the first n of a longer text are no piece.
template <bool kFold, class F> void for_each_ngram_utf8(std::string_view text, size_t n, F&& f)
{
    size_t begin = 0;
    size_t end = utf8_advance(text, 0, n - 1);
    if (end >= text.size())
    {
        f(crc_of<kFold>(UINT64_MAX, text), text);
        return;
    }
    end = utf8_advance(text, end, 1);
    while (end < text.size())
    {
        begin = utf8_advance(text, begin, 1);
        end = utf8_advance(text, end, 1);
        const std::string_view piece = text.substr(begin, end - begin);
        f(crc_of<kFold>(UINT64_MAX, piece), piece);
    }
}

template <bool kFold, class F> void for_each_shingle(std::string_view text, size_t n, F&& f)
{
    std::array<std::string_view, kMaxPieceSize> words; // the last n, in a ring
    size_t count = 0;
    const auto give = [&](size_t used)
    {
        uint64_t crc = UINT64_MAX;
        for (size_t k = count - used; k < count; ++k)
            crc = crc_of<kFold>(crc, words[k % n]);
        const std::string_view first = words[(count - used) % n];
        const std::string_view last = words[(count - 1) % n];
        f(crc, std::string_view(first.data(),
                                static_cast<size_t>(last.data() + last.size() - first.data())));
    };
    for (size_t at = 0; at < text.size();)
    {
        if (!is_word_byte(text[at]))
        {
            ++at;
            continue;
        }
        const size_t begin = at;
        while (at < text.size() && is_word_byte(text[at]))
            ++at;
        if (at - begin < kShortestWord)
            continue;
        words[count++ % n] = text.substr(begin, at - begin);
        if (count >= n)
            give(n);
    }
    if (count > 0 && count < n)
        give(count);
}

enum class Pieces : uint8_t
{
    Bytes,
    CodePoints,
    Words,
};

template <Pieces kPieces, bool kFold, class F>
void for_each_piece(std::string_view text, size_t n, F&& f)
{
    if constexpr (kPieces == Pieces::Bytes)
        for_each_ngram<kFold>(text, n, f);
    else if constexpr (kPieces == Pieces::CodePoints)
        for_each_ngram_utf8<kFold>(text, n, f);
    else
        for_each_shingle<kFold>(text, n, f);
}

// An optional constant argument between 1 and `most`.
size_t size_argument(std::string_view name, const Arguments& arguments, size_t argument,
                     int64_t otherwise, int64_t most)
{
    if (arguments.size() <= argument)
        return static_cast<size_t>(otherwise);
    const int64_t size = constant_integer(name, arguments, argument);
    const char* what =
        argument == 1 ? "Second argument (shingle size)" : "Third argument (num hashes)";
    if (size <= 0)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("{} of function {} cannot be zero", what, name));
    if (size > most)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("{} of function {} cannot be greater then {}", what, name, most));
    return static_cast<size_t>(size);
}

size_t piece_size(std::string_view name, const Arguments& arguments)
{
    return size_argument(name, arguments, 1, kDefaultPieceSize, kMaxPieceSize);
}
size_t hash_count(std::string_view name, const Arguments& arguments)
{
    return size_argument(name, arguments, 2, kDefaultHashes, kMaxHashes);
}

TypePtr sim_type(const TypeCall& call)
{
    piece_size(call.name, call.arguments);
    return simple_type(TypeId::UInt64);
}

// Each bit is that of most pieces.
template <Pieces kPieces, bool kFold> ColumnPtr run_sim(const Call& call)
{
    const StringRows rows(call.column(0));
    const size_t n = piece_size(call.name, call.arguments);
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              {
                                  std::array<int64_t, 64> votes{};
                                  for_each_piece<kPieces, kFold>(
                                      rows[i], n,
                                      [&](uint64_t hash, std::string_view)
                                      {
                                          for (size_t bit = 0; bit < votes.size(); ++bit)
                                              votes[bit] += hash >> bit & 1 ? 1 : -1;
                                      });
                                  uint64_t result = 0;
                                  for (size_t bit = 0; bit < votes.size(); ++bit)
                                      result |= uint64_t{votes[bit] > 0} << bit;
                                  return result;
                              });
}

// The least hashes from the greatest of them down, and the greatest from the least up.
struct Extremes
{
    std::map<uint64_t, std::string_view> least;
    std::map<uint64_t, std::string_view> greatest;

    template <Pieces kPieces, bool kFold>
    void fill(std::string_view text, size_t n, size_t most)
    {
        least.clear();
        greatest.clear();
        for_each_piece<kPieces, kFold>(text, n,
                                       [&](uint64_t hash, std::string_view piece)
                                       {
                                           least.emplace(hash, piece);
                                           if (least.size() > most)
                                               least.erase(std::prev(least.end()));
                                           greatest.emplace(hash, piece);
                                           if (greatest.size() > most)
                                               greatest.erase(greatest.begin());
                                       });
    }
};

TypePtr min_type(const TypeCall& call)
{
    piece_size(call.name, call.arguments);
    hash_count(call.name, call.arguments);
    return std::make_shared<TupleType>(Types(2, simple_type(TypeId::UInt64)));
}

template <Pieces kPieces, bool kFold> ColumnPtr run_min(const Call& call)
{
    const StringRows rows(call.column(0));
    const size_t n = piece_size(call.name, call.arguments);
    const size_t most = hash_count(call.name, call.arguments);
    auto low = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    auto high = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    Extremes extremes;
    for (size_t i = 0; i < call.rows; ++i)
    {
        extremes.fill<kPieces, kFold>(rows[i], n, most);
        uint64_t first = 0;
        for (auto at = extremes.least.rbegin(); at != extremes.least.rend(); ++at)
            first = city_hash64_combine(first, at->first);
        uint64_t second = 0;
        for (const auto& [hash, piece] : extremes.greatest)
            second = city_hash64_combine(second, hash);
        low->data()[i] = first;
        high->data()[i] = second;
    }
    return TupleColumn::make({low, high}, call.rows);
}

TypePtr arg_type(const TypeCall& call)
{
    piece_size(call.name, call.arguments);
    const TypePtr pieces = std::make_shared<TupleType>(
        Types(hash_count(call.name, call.arguments), simple_type(TypeId::String)));
    return std::make_shared<TupleType>(Types{pieces, pieces});
}

template <Pieces kPieces, bool kFold> ColumnPtr run_arg(const Call& call)
{
    const StringRows rows(call.column(0));
    const size_t n = piece_size(call.name, call.arguments);
    const size_t most = hash_count(call.name, call.arguments);
    std::vector<std::shared_ptr<StringColumn>> low;
    std::vector<std::shared_ptr<StringColumn>> high;
    for (size_t k = 0; k < most; ++k)
    {
        low.push_back(std::make_shared<StringColumn>());
        high.push_back(std::make_shared<StringColumn>());
    }
    Extremes extremes;
    for (size_t i = 0; i < call.rows; ++i)
    {
        extremes.fill<kPieces, kFold>(rows[i], n, most);
        size_t k = 0;
        for (auto at = extremes.least.rbegin(); at != extremes.least.rend(); ++at)
            low[k++]->append(at->second);
        for (; k < most; ++k)
            low[k]->append_default();
        k = 0;
        for (const auto& [hash, piece] : extremes.greatest)
            high[k++]->append(piece);
        for (; k < most; ++k)
            high[k]->append_default();
    }
    return TupleColumn::make({TupleColumn::make(Columns(low.begin(), low.end()), call.rows),
                              TupleColumn::make(Columns(high.begin(), high.end()), call.rows)},
                             call.rows);
}

constexpr Pieces kBytes = Pieces::Bytes;
constexpr Pieces kPoints = Pieces::CodePoints;
constexpr Pieces kWords = Pieces::Words;

#define BASALT_PIECES(VARIABLE, NAME, PIECES, POINTS)                                              \
    constexpr FunctionSpec VARIABLE##Sim{NAME "SimHash", "s [ i!", sim_type,                       \
                                         run_sim<PIECES, false>};                                  \
    constexpr FunctionSpec VARIABLE##SimFold{NAME "SimHashCaseInsensitive", "s [ i!", sim_type,    \
                                             run_sim<PIECES, true>};                               \
    constexpr FunctionSpec VARIABLE##SimUtf8{NAME "SimHashUTF8", "s [ i!", sim_type,               \
                                             run_sim<POINTS, false>};                              \
    constexpr FunctionSpec VARIABLE##SimFoldUtf8{NAME "SimHashCaseInsensitiveUTF8", "s [ i!",      \
                                                 sim_type, run_sim<POINTS, true>};                 \
    constexpr FunctionSpec VARIABLE##Min{NAME "MinHash", "s [ i! i!", min_type,                    \
                                         run_min<PIECES, false>};                                  \
    constexpr FunctionSpec VARIABLE##MinFold{NAME "MinHashCaseInsensitive", "s [ i! i!", min_type, \
                                             run_min<PIECES, true>};                               \
    constexpr FunctionSpec VARIABLE##MinUtf8{NAME "MinHashUTF8", "s [ i! i!", min_type,            \
                                             run_min<POINTS, false>};                              \
    constexpr FunctionSpec VARIABLE##MinFoldUtf8{NAME "MinHashCaseInsensitiveUTF8", "s [ i! i!",   \
                                                 min_type, run_min<POINTS, true>};                 \
    constexpr FunctionSpec VARIABLE##Arg{NAME "MinHashArg", "s [ i! i!", arg_type,                 \
                                         run_arg<PIECES, false>};                                  \
    constexpr FunctionSpec VARIABLE##ArgFold{NAME "MinHashArgCaseInsensitive", "s [ i! i!",        \
                                             arg_type, run_arg<PIECES, true>};                     \
    constexpr FunctionSpec VARIABLE##ArgUtf8{NAME "MinHashArgUTF8", "s [ i! i!", arg_type,         \
                                             run_arg<POINTS, false>};                              \
    constexpr FunctionSpec VARIABLE##ArgFoldUtf8{NAME "MinHashArgCaseInsensitiveUTF8",             \
                                                 "s [ i! i!", arg_type, run_arg<POINTS, true>};

BASALT_PIECES(kNgram, "ngram", kBytes, kPoints)
BASALT_PIECES(kShingle, "wordShingle", kWords, kWords)

#undef BASALT_PIECES

} // namespace

void register_ngram_hash(ScalarRegistry& registry)
{
    add_all<kNgramSim, kNgramSimFold, kNgramSimUtf8, kNgramSimFoldUtf8, kNgramMin, kNgramMinFold,
            kNgramMinUtf8, kNgramMinFoldUtf8, kNgramArg, kNgramArgFold, kNgramArgUtf8,
            kNgramArgFoldUtf8>(registry);
    add_all<kShingleSim, kShingleSimFold, kShingleSimUtf8, kShingleSimFoldUtf8, kShingleMin,
            kShingleMinFold, kShingleMinUtf8, kShingleMinFoldUtf8, kShingleArg, kShingleArgFold,
            kShingleArgUtf8, kShingleArgFoldUtf8>(registry);
}

} // namespace basalt
