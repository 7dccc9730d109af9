// ngramDistance and ngramSearch: how many n-grams two texts share. Four bytes or three code
// points; counted by 16 bits of their hash, as ClickHouse counts them.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>
#include <nmmintrin.h>

#include <algorithm>

namespace basalt
{

// Longer texts count as wholly different; a longer constant needle is refused.
inline constexpr size_t kMaxNgramBytes = 1 << 15;

namespace
{

constexpr size_t kGramBytes = 4;
constexpr size_t kGramPoints = 3;

uint16_t hash_of(uint64_t value)
{
    return static_cast<uint16_t>(_mm_crc32_u64(UINT64_MAX, value));
}

// The hashes of the n-grams of a text.
template <bool kUtf8, bool kFold> void grams_of(std::string_view text, std::vector<uint16_t>& out)
{
    out.clear();
    if constexpr (!kUtf8)
    {
        for (size_t i = 0; i + kGramBytes <= text.size(); ++i)
        {
            uint32_t gram = 0;
            for (size_t j = 0; j < kGramBytes; ++j)
            {
                auto c = static_cast<unsigned char>(text[i + j]);
                if (kFold && c >= 'A' && c <= 'Z')
                    c = static_cast<unsigned char>(c | 0x20);
                gram |= static_cast<uint32_t>(c) << (8 * j);
            }
            out.push_back(hash_of(gram));
        }
        return;
    }
    std::vector<uint32_t> points;
    for (size_t at = 0; at < text.size();)
    {
        const size_t length = std::min(utf8_sequence_length(text[at]), text.size() - at);
        uint32_t point = 0; // the bytes as they stand
        for (size_t j = 0; j < length; ++j)
            point |= static_cast<uint32_t>(static_cast<unsigned char>(text[at + j])) << (8 * j);
        if (kFold)
        {
            // ClickHouse's folding: bit 5 of every byte, and the least bit of a longer lead.
            for (size_t j = 0; j < length; ++j)
                point &= ~(uint32_t{1} << (8 * j + 5));
            if (length > 1)
                point &= ~uint32_t{1};
        }
        points.push_back(point);
        at += length;
    }
    for (size_t i = 0; i + kGramPoints <= points.size(); ++i)
        out.push_back(static_cast<uint16_t>(
            hash_of(static_cast<uint64_t>(points[i]) << 32 | points[i + 1]) ^
            hash_of(points[i + 2])));
}

struct Counter
{
    std::vector<int16_t> counts = std::vector<int16_t>(size_t{1} << 16);
    std::vector<uint16_t> grams;
    std::vector<uint16_t> needle;
};

template <bool kSearch, bool kUtf8, bool kFold> ColumnPtr run_ngrams(const Call& call)
{
    const StringRows texts(call.column(0));
    const StringRows needles(call.column(1));
    Counter counter;
    return map_rows<float>(
        call.rows,
        [&](size_t i)
        {
            const std::string_view text = texts[i];
            const std::string_view needle = needles[i];
            if (needle.size() > kMaxNgramBytes && needles.constant())
                throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                            fmt::format("String size of needle is too big for function {}. Should "
                                        "be at most {}",
                                        call.name, kMaxNgramBytes));
            if (text.size() > kMaxNgramBytes || needle.size() > kMaxNgramBytes)
                return kSearch ? 0.0f : 1.0f;
            grams_of<kUtf8, kFold>(needle, counter.needle);
            grams_of<kUtf8, kFold>(text, counter.grams);
            for (const uint16_t gram : counter.needle)
                ++counter.counts[gram];
            size_t apart = counter.needle.size();
            for (const uint16_t gram : counter.grams)
            {
                if (counter.counts[gram] > 0)
                    --apart;
                else if (!kSearch)
                    ++apart;
                --counter.counts[gram];
            }
            for (const uint16_t gram : counter.needle)
                counter.counts[gram] = 0;
            for (const uint16_t gram : counter.grams)
                counter.counts[gram] = 0;
            const auto distance = static_cast<float>(apart);
            if (kSearch)
                return 1.0f - distance / static_cast<float>(
                                             std::max<size_t>(counter.needle.size(), 1));
            return distance / static_cast<float>(std::max<size_t>(
                                  counter.needle.size() + counter.grams.size(), 1));
        });
}

constexpr auto kFloat = type_is<TypeId::Float32>;
constexpr FunctionSpec kDistance{"ngramDistance", "s s", kFloat, run_ngrams<false, false, false>};
constexpr FunctionSpec kDistanceFold{"ngramDistanceCaseInsensitive", "s s", kFloat,
                                     run_ngrams<false, false, true>};
constexpr FunctionSpec kDistanceUtf8{"ngramDistanceUTF8", "s s", kFloat,
                                     run_ngrams<false, true, false>};
constexpr FunctionSpec kDistanceFoldUtf8{"ngramDistanceCaseInsensitiveUTF8", "s s", kFloat,
                                         run_ngrams<false, true, true>};
constexpr FunctionSpec kSearch{"ngramSearch", "s s", kFloat, run_ngrams<true, false, false>};
constexpr FunctionSpec kSearchFold{"ngramSearchCaseInsensitive", "s s", kFloat,
                                   run_ngrams<true, false, true>};
constexpr FunctionSpec kSearchUtf8{"ngramSearchUTF8", "s s", kFloat,
                                   run_ngrams<true, true, false>};
constexpr FunctionSpec kSearchFoldUtf8{"ngramSearchCaseInsensitiveUTF8", "s s", kFloat,
                                       run_ngrams<true, true, true>};

} // namespace

void register_ngram_distance(ScalarRegistry& registry)
{
    add_all<kDistance, kDistanceFold, kDistanceUtf8, kDistanceFoldUtf8, kSearch, kSearchFold,
            kSearchUtf8, kSearchFoldUtf8>(registry);
}

} // namespace basalt
