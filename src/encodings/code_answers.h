#pragma once

// Answers that are known for each entry of a dictionary, given to rows by their codes.

#include "base/int_types.h"

#include <cstddef>
#include <span>

namespace basalt::inline encodings
{

class CodeAnswers
{
public:
    // answers: 0 or 1 for each entry; they outlive this.
    explicit CodeAnswers(std::span<const uint8_t> answers);

    // out[i] = answers[codes[i]]; every code is below the number of answers. Ones that stand side
    // by side are told by comparing codes, without looking anything up.
    void apply(const uint32_t* codes, size_t count, uint8_t* out) const;

private:
    std::span<const uint8_t> answers_;
    bool one_interval_ = false;
    uint32_t first_ = 0, length_ = 0; // of the interval of ones
};

} // namespace basalt::encodings
