// isPrime and isProbablePrime: the strong test of Miller (1976) and Rabin (1980). To 64 bits the
// bases of Sinclair decide exactly; past that the first primes are the bases.

#include "functions/scalar/column_rows.h"

#include <fmt/core.h>

#include <array>
#include <bit>

namespace basalt
{

// Rounds of the strong test for numbers past 64 bits.
inline constexpr int64_t kDefaultPrimeRounds = 25;
inline constexpr int64_t kMaxPrimeRounds = 54; // of the bases below

namespace
{

constexpr std::array<uint8_t, kMaxPrimeRounds> kBases = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,
    67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151,
    157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251};

uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m)
{
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % m);
}

// By doubling and adding, so that nothing is wider than the modulus.
UInt256 multiply_modulo(UInt256 a, UInt256 b, const UInt256& m)
{
    UInt256 result(0);
    const auto add = [&](const UInt256& x, const UInt256& y)
    { return x >= m - y ? x - (m - y) : x + y; };
    a = a % m;
    for (; b != UInt256(0); b = b >> 1)
    {
        if (static_cast<uint64_t>(b) & 1)
            result = add(result, a);
        a = add(a, a);
    }
    return result;
}

template <class T> bool strong_test(const T& n, const T& odd, int twos, uint64_t base)
{
    const T one(1);
    T power = one;
    T square = T(base) % n;
    if (square == T(0))
        return true;
    for (T e = odd; e != T(0); e = e >> 1)
    {
        if (static_cast<uint64_t>(e) & 1)
            power = multiply_modulo(power, square, n);
        square = multiply_modulo(square, square, n);
    }
    if (power == one || power == n - one)
        return true;
    for (int i = 1; i < twos; ++i)
    {
        power = multiply_modulo(power, power, n);
        if (power == n - one)
            return true;
    }
    return false;
}

template <class T, class Bases> bool passes(const T& n, const Bases& bases, size_t rounds)
{
    T odd = n - T(1);
    int twos = 0;
    for (; (static_cast<uint64_t>(odd) & 1) == 0; odd = odd >> 1)
        ++twos;
    for (size_t i = 0; i < rounds; ++i)
        if (!strong_test(n, odd, twos, bases[i]))
            return false;
    return true;
}

bool is_prime(uint64_t n)
{
    for (const uint64_t small : kBases)
        if (n % small == 0)
            return n == small;
    if (n < 2)
        return false;
    constexpr std::array<uint64_t, 7> kExact = {2, 325, 9375, 28178, 450775, 9780504, 1795265022};
    return passes(n, kExact, kExact.size());
}

template <class T> bool is_probable_prime(const T& n, size_t rounds)
{
    if constexpr (sizeof(T) <= sizeof(uint64_t))
        return is_prime(n);
    else
    {
        if (n <= T(UINT64_MAX))
            return is_prime(static_cast<uint64_t>(n));
        for (const uint64_t small : kBases)
            if (n % T(small) == T(0))
                return false;
        return passes(UInt256(n), kBases, rounds);
    }
}

template <bool kProbable> TypePtr prime_type(const TypeCall& call)
{
    const TypePtr& type = call.type(0);
    const bool wide = type->is(TypeId::UInt128) || type->is(TypeId::UInt256);
    if (!type->is_unsigned() || type->is(TypeId::Bool) || (wide && !kProbable) ||
        type->physical() > PhysicalType::UInt256)
        throw_illegal_type(call.name, call.arguments, 0, "unsigned integer");
    if (kProbable && call.size() == 2)
    {
        const int64_t rounds = constant_integer(call.name, call.arguments, 1);
        if (rounds < 1 || rounds > kMaxPrimeRounds)
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        fmt::format("The number of rounds of function {} must be from 1 to {}",
                                    call.name, kMaxPrimeRounds));
    }
    return simple_type(TypeId::UInt8);
}

ColumnPtr run_prime(const Call& call)
{
    const auto rounds = static_cast<size_t>(
        call.size() == 2 ? constant_integer(call.name, call.arguments, 1) : kDefaultPrimeRounds);
    ColumnPtr result;
    visit_vector(call.type(0)->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     if constexpr (std::is_unsigned_v<T> || std::is_same_v<T, UInt128> ||
                                   std::is_same_v<T, UInt256>)
                     {
                         const NumberRows<T> rows(call.column(0));
                         result = map_rows<uint8_t>(
                             call.rows, [&](size_t i) { return is_probable_prime(rows[i], rounds); });
                     }
                 });
    return result;
}

constexpr FunctionSpec kPrime{"isPrime", "I", prime_type<false>, run_prime};
constexpr FunctionSpec kProbable{"isProbablePrime", "I [ i!", prime_type<true>, run_prime};

} // namespace

void register_primes(ScalarRegistry& registry)
{
    add_all<kPrime, kProbable>(registry);
}

} // namespace basalt
