#pragma once

// Time and randomness are passed in, so that a crash or a TTL can be tested with a seed.
// Threads: all methods may be called from any thread.

#include "base/int_types.h"

namespace basalt
{

class Clock
{
public:
    virtual ~Clock() = default;
    virtual int64_t unix_us() = 0;      // wall time, microseconds since 1970 UTC
    virtual int64_t monotonic_ns() = 0; // never goes back
    int64_t unix_s() { return unix_us() / 1000000; }
};

class RandomSource
{
public:
    virtual ~RandomSource() = default;
    virtual uint64_t next_u64() = 0;
};

Clock& system_clock();
RandomSource& system_random();

// A clock that moves only when told, and xoshiro256++ from a seed, for tests.
class ManualClock : public Clock
{
public:
    explicit ManualClock(int64_t unix_us) : now_us_(unix_us) {}
    int64_t unix_us() override { return now_us_; }
    int64_t monotonic_ns() override { return now_us_ * 1000; }
    void advance_us(int64_t us) { now_us_ += us; }

private:
    int64_t now_us_;
};

class SeededRandom : public RandomSource
{
public:
    explicit SeededRandom(uint64_t seed);
    uint64_t next_u64() override;

private:
    uint64_t state_[4];
};

} // namespace basalt
