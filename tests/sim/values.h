#pragma once

// Random columns, cells and conditions.

#include "model.h"

namespace basalt::sim
{

Column random_column(Dice& dice, std::string name);
std::string random_cell(Dice& dice, const std::string& type);
std::string default_cell(const std::string& type); // of rows that never had the column
// The cell as an SQL expression of the column's type.
std::string sql_literal(const std::string& cell, const std::string& type);
std::string random_key(Dice& dice); // of column k
// Over columns of the table; what it says of NULL is false.
Predicate random_predicate(Dice& dice, const SimTable& table, uint64_t max_id);
// Empty, or a type that shows every value of this one by the same text.
std::string wider_type(const std::string& type);

} // namespace basalt::sim
