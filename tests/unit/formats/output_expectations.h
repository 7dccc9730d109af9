#pragma once

#include <string_view>
#include <vector>

namespace basalt
{

// A literal with its length, so that it may hold zero bytes.
struct Bytes
{
    template <size_t N> constexpr Bytes(const char (&text)[N]) : view(text, N - 1) {}
    std::string_view view;
};

struct OutputExpectation
{
    struct Case
    {
        Bytes format;
        Bytes text;
    };
    Bytes native;   // the result's blocks
    Bytes settings; // name=value; name=value
    std::vector<Case> cases;
};

const std::vector<OutputExpectation>& output_expectations_1();
const std::vector<OutputExpectation>& output_expectations_2();
const std::vector<OutputExpectation>& output_expectations_3();
const std::vector<OutputExpectation>& output_expectations_4();

} // namespace basalt
