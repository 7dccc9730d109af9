#pragma once

// What the query log says of a query beside its figures.

#include "storage/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// What a query reads and writes, each name once, at most kMaxLoggedObjects of a kind.
struct QueryObjects
{
    std::vector<std::string> databases; // "d"
    std::vector<std::string> tables;    // "d.t"
    std::vector<std::string> columns;   // "d.t.c"

    void add(const Table& table, const std::vector<std::string>& columns_of_table);
};
inline constexpr size_t kMaxLoggedObjects = 1000;

// The same for queries that differ only in their literals and blanks.
uint64_t normalized_query_hash(std::string_view query);

} // namespace basalt
