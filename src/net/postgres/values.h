#pragma once

// Values between our types and PostgreSQL's: which type a column shows as, its values as text and
// bytes, parameters as literals of ours.

#include "columns/postgres_type.h"
#include "columns/serialization.h"
#include "columns/type.h"
#include "net/postgres/messages.h"

namespace basalt
{

// Types of ours that PostgreSQL has none for (maps, tuples, nested arrays) are text.
PostgresColumn postgres_column_of(const std::string& name, const TypePtr& type);

// One column's values, row by row. format: 0 text, 1 binary (NOT_IMPLEMENTED for types whose
// binary form is not built).
class PostgresValues
{
public:
    PostgresValues(const TypePtr& type, int16_t format, const TextOptions& options);

    void set(const ColumnPtr& column); // the next block's
    std::optional<std::string> at(size_t row) const;

private:
    std::string text_at(const Column& column, size_t row, const TypePtr& type) const;
    std::string array_text(const Column& column, size_t row) const;
    std::string binary_at(size_t row) const;

    TypePtr type_; // without Nullable and LowCardinality
    PostgresColumn shape_;
    bool is_array_;
    bool is_binary_;
    const TextOptions& options_;
    SerializationPtr serialization_;
    ColumnPtr column_;
};

// A parameter as a literal: text or bytes in PostgreSQL's form of type `oid` (0: not said).
// wants_number: it stands where only a number can.
std::string literal_of_parameter(const std::optional<std::string>& value, int16_t format,
                                 uint32_t oid, bool wants_number);
// What a parameter of a type may be while only its type is known.
std::string null_of_type(uint32_t oid);

} // namespace basalt
