#pragma once

// The statements of tests/unit/sql/FOLDER/*.sql, one a line; lines that begin with -- are notes.

#include <string>
#include <vector>

namespace basalt
{

std::vector<std::string> read_corpus(const char* folder = "corpus");

} // namespace basalt
