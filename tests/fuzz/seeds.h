#pragma once

// Inputs that a fuzzer starts from: with BASALT_SEEDS=FOLDER in the environment the program writes them
// there and ends.

#include "columns/block.h"

#include <functional>
#include <string>
#include <vector>

namespace basalt
{

using SeedWriter = std::function<void(const std::string& bytes)>;
void write_seeds(const std::function<void(const SeedWriter&)>& make);

// A few rows of every kind of type.
std::vector<Block> seed_blocks();
// The types of seed_blocks(), as texts.
const std::vector<std::string>& seed_types();

} // namespace basalt
