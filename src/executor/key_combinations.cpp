#include "executor/key_combinations.h"

#include "base/error.h"
#include "functions/aggregate/grouped.h"

namespace basalt
{

namespace
{

constexpr uint16_t kUnseen = UINT16_MAX;
static_assert(kMaxCombinations <= kUnseen);

// What a key of a block may be: `domain` numbers, less than kMaxCombinations + 1.
struct Digit
{
    enum class Kind : uint8_t
    {
        One,   // the same in all rows
        Codes, // of a dictionary
        Bytes, // UInt8, Int8, Bool, Enum8
        Runs,  // the number of the run
    } kind = Kind::One;
    size_t domain = 1;
    const uint32_t* codes = nullptr;
    const uint8_t* bytes = nullptr;
    PodVector<uint32_t> run_begins; // of Runs
};

bool all_equal(const uint32_t* codes, size_t rows)
{
    uint32_t differences = 0;
    for (size_t i = 0; i < rows; ++i)
        differences |= codes[i] ^ codes[0];
    return differences == 0;
}

// Begins of the runs of equal bits; false when they are more than `most`.
template <class Bits>
bool find_runs(const Bits* values, size_t rows, size_t most, PodVector<uint32_t>& begins)
{
    constexpr size_t kStep = 64;
    begins.push_back(0);
    for (size_t base = 1; base < rows; base += kStep)
    {
        const size_t end = std::min(rows, base + kStep);
        Bits differences = 0;
        for (size_t i = base; i < end; ++i)
            differences |= static_cast<Bits>(values[i] ^ values[i - 1]);
        if (differences == 0)
            continue;
        for (size_t i = base; i < end; ++i)
            if (values[i] != values[i - 1])
                begins.push_back(static_cast<uint32_t>(i));
        if (begins.size() > most)
            return false;
    }
    return true;
}

template <class T> struct BitsOf
{
    using type = std::make_unsigned_t<T>;
};
template <> struct BitsOf<float>
{
    using type = uint32_t;
};
template <> struct BitsOf<double>
{
    using type = uint64_t;
};

template <class T> bool runs_of(const Column& column, size_t rows, size_t most, Digit& digit)
{
    const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column);
    if (!vector)
        return false;
    using Bits = typename BitsOf<T>::type;
    digit.kind = Digit::Kind::Runs;
    const bool few = find_runs(reinterpret_cast<const Bits*>(vector->data().data()), rows, most,
                               digit.run_begins);
    digit.domain = few ? digit.run_begins.size() : most + 1;
    return true;
}

// False when the column is of no kind that has a digit.
bool make_digit(const Column& column, size_t rows, size_t most, Digit& digit)
{
    switch (column.form())
    {
    case ColumnForm::Constant:
        return true;
    case ColumnForm::Dictionary:
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(column);
        digit.codes = dictionary.codes().data();
        if (all_equal(digit.codes, rows))
            return true;
        digit.kind = Digit::Kind::Codes;
        digit.domain = dictionary.dictionary()->size();
        return true;
    }
    case ColumnForm::Vector:
        break;
    default:
        return false;
    }
    const uint8_t* bytes = nullptr;
    if (const auto* unsigned_bytes = dynamic_cast<const VectorColumn<uint8_t>*>(&column))
        bytes = unsigned_bytes->data().data();
    else if (const auto* signed_bytes = dynamic_cast<const VectorColumn<int8_t>*>(&column))
        bytes = reinterpret_cast<const uint8_t*>(signed_bytes->data().data());
    if (bytes)
    {
        digit.kind = Digit::Kind::Bytes;
        digit.domain = 256;
        digit.bytes = bytes;
        return true;
    }
    return runs_of<uint32_t>(column, rows, most, digit) ||
           runs_of<uint64_t>(column, rows, most, digit) ||
           runs_of<int64_t>(column, rows, most, digit) ||
           runs_of<uint16_t>(column, rows, most, digit) ||
           runs_of<int32_t>(column, rows, most, digit) ||
           runs_of<int16_t>(column, rows, most, digit) ||
           runs_of<float>(column, rows, most, digit) ||
           runs_of<double>(column, rows, most, digit);
}

// combined[i] += digit of row i * stride.
template <class Number>
void add_digit(const Digit& digit, size_t rows, uint32_t stride, Number* combined)
{
    switch (digit.kind)
    {
    case Digit::Kind::One:
        return;
    case Digit::Kind::Codes:
        for (size_t i = 0; i < rows; ++i)
            combined[i] = static_cast<Number>(combined[i] + digit.codes[i] * stride);
        return;
    case Digit::Kind::Bytes:
        for (size_t i = 0; i < rows; ++i)
            combined[i] = static_cast<Number>(combined[i] + digit.bytes[i] * stride);
        return;
    case Digit::Kind::Runs:
        for (size_t r = 0; r < digit.run_begins.size(); ++r)
        {
            const size_t end =
                r + 1 < digit.run_begins.size() ? digit.run_begins[r + 1] : rows;
            const uint32_t amount = static_cast<uint32_t>(r) * stride;
            for (size_t i = digit.run_begins[r]; i < end; ++i)
                combined[i] = static_cast<Number>(combined[i] + amount);
        }
        return;
    }
}

template <class Number>
void combine(const std::vector<Digit>& digits, size_t rows, PodVector<Number>& combined)
{
    combined.assign(rows, 0);
    uint32_t stride = 1;
    for (const Digit& digit : digits)
    {
        add_digit(digit, rows, stride, combined.data());
        stride *= static_cast<uint32_t>(digit.domain);
    }
}

// Numbers by first sight.
void number(const uint32_t* combined, size_t rows, size_t domain, RowCombinations& result)
{
    thread_local PodVector<uint16_t> seen;
    seen.assign(domain, kUnseen);
    for (size_t i = 0; i < rows; ++i)
    {
        uint16_t& code = seen[combined[i]];
        if (code == kUnseen) [[unlikely]]
        {
            code = static_cast<uint16_t>(result.first_rows.size());
            result.used.push_back(code);
            result.first_rows.push_back(static_cast<uint32_t>(i));
        }
        result.codes[i] = code;
    }
    result.numbers = result.first_rows.size();
}

// The combination itself is the number; rows are counted to see which are used.
void number_densely(const std::vector<Digit>& digits, size_t rows, size_t domain,
                    RowCombinations& result)
{
    combine(digits, rows, result.codes);
    result.numbers = domain;
    count_grouped({result.codes.data(), rows}, domain, result.counts);
    size_t unseen = domain;
    for (const uint64_t count : result.counts)
        unseen -= count == 0;
    PodVector<uint8_t> seen(domain, 0);
    for (size_t i = 0; unseen; ++i)
    {
        const uint16_t code = result.codes[i];
        if (seen[code])
            continue;
        seen[code] = 1;
        result.used.push_back(code);
        result.first_rows.push_back(static_cast<uint32_t>(i));
        --unseen;
    }
}

} // namespace

bool number_combinations(const Columns& keys, size_t rows, RowCombinations& result)
{
    if (rows == 0 || rows > UINT32_MAX)
        return false;
    // An array that is larger than the block is not worth its emptying.
    const size_t most = std::min(kMaxCombinations, rows);
    size_t product = 1;
    std::vector<Digit> digits(keys.size());
    for (size_t k = 0; k < keys.size(); ++k)
    {
        if (!make_digit(*keys[k], rows, most / product, digits[k]) ||
            digits[k].domain > most / product)
            return false;
        product *= digits[k].domain;
    }
    result.used.clear();
    result.first_rows.clear();
    result.counts.clear();
    result.codes.resize(rows);
    if (use_lanes(rows, product))
    {
        number_densely(digits, rows, product, result);
        return true;
    }
    const Digit* only = nullptr;
    size_t varying = 0;
    for (const Digit& digit : digits)
        if (digit.kind != Digit::Kind::One)
        {
            only = &digit;
            ++varying;
        }
    if (varying == 1 && only->kind == Digit::Kind::Codes)
    {
        number(only->codes, rows, product, result);
        return true;
    }
    thread_local PodVector<uint32_t> combined;
    combine(digits, rows, combined);
    number(combined.data(), rows, product, result);
    return true;
}

} // namespace basalt
