#include "base/clock.h"

#include <bit>
#include <chrono>
#include <mutex>
#include <random>

namespace basalt
{

namespace
{

class SystemClock : public Clock
{
public:
    int64_t unix_us() override
    {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
    int64_t monotonic_ns() override
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
};

class SystemRandom : public RandomSource
{
public:
    uint64_t next_u64() override
    {
        thread_local SeededRandom random{(uint64_t{std::random_device{}()} << 32) ^
                                         std::random_device{}()};
        return random.next_u64();
    }
};

uint64_t split_mix(uint64_t& x)
{
    x += 0x9E3779B97F4A7C15ull;
    uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

} // namespace

Clock& system_clock()
{
    static SystemClock clock;
    return clock;
}

RandomSource& system_random()
{
    static SystemRandom random;
    return random;
}

SeededRandom::SeededRandom(uint64_t seed)
{
    for (auto& word : state_)
        word = split_mix(seed);
}

// xoshiro256++, Blackman and Vigna 2019.
uint64_t SeededRandom::next_u64()
{
    const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

} // namespace basalt
