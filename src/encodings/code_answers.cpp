#include "encodings/code_answers.h"

#include <algorithm>

namespace basalt::inline encodings
{

CodeAnswers::CodeAnswers(std::span<const uint8_t> answers) : answers_(answers)
{
    const auto first = std::find_if(answers.begin(), answers.end(), [](uint8_t a) { return a != 0; });
    const auto end = std::find(first, answers.end(), uint8_t{0});
    one_interval_ = std::all_of(first, end, [](uint8_t a) { return a == 1; }) &&
                    std::all_of(end, answers.end(), [](uint8_t a) { return a == 0; });
    first_ = static_cast<uint32_t>(first - answers.begin());
    length_ = static_cast<uint32_t>(end - first);
}

void CodeAnswers::apply(const uint32_t* codes, size_t count, uint8_t* out) const
{
    if (one_interval_)
    {
        const uint32_t first = first_;
        const uint32_t length = length_;
        for (size_t i = 0; i < count; ++i)
            out[i] = codes[i] - first < length;
        return;
    }
    const uint8_t* answers = answers_.data();
    for (size_t i = 0; i < count; ++i)
        out[i] = answers[codes[i]];
}

} // namespace basalt::encodings
