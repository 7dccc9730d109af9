#include "base/arena.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

TEST(Arena, EmptyAllocationComesFirst)
{
    Arena arena;
    EXPECT_NE(arena.allocate(0), nullptr);
    EXPECT_EQ(arena.copy(""), "");
}

TEST(Arena, CopiesStayWhereTheyAre)
{
    Arena arena;
    std::vector<std::string_view> copies;
    for (size_t i = 0; i < 1000; ++i)
        copies.push_back(arena.copy(std::string(i * 7 % 300, static_cast<char>('a' + i % 26))));
    for (size_t i = 0; i < copies.size(); ++i)
        EXPECT_EQ(copies[i], std::string(i * 7 % 300, static_cast<char>('a' + i % 26)));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.allocate(1, 64)) % 64, 0u);
    EXPECT_NE(arena.allocate(size_t{40} << 20), nullptr);
}

} // namespace
} // namespace basalt
