#pragma once

// Values as PostgreSQL prints them into columns of the types that type_mapping chose. The session
// that prints them must use kReaderSession: times in UTC, dates in ISO order, floats whole.
//
// 'infinity', '-infinity' and times outside of 1900 … 2299 become the nearest value that the type
// holds (PostgreSQL reaches from 4713 BC to 294276). A NaN or infinite numeric, and one with more
// digits than its Decimal, has no such value.
// Errors: CANNOT_PARSE_TEXT names the value and the type. Nothing was appended then.
// Threads: a reader is immutable.

#include "columns/column.h"

#include <string>
#include <string_view>

namespace basalt::pg
{

// libpq's keyword `options` for connections whose values are read.
inline constexpr const char* kReaderSession =
    "-c datestyle=ISO -c intervalstyle=postgres -c timezone=UTC -c extra_float_digits=3 "
    "-c bytea_output=hex -c client_encoding=UTF8 -c wal_sender_timeout=600000";

class ValueReader
{
public:
    explicit ValueReader(const TypePtr& type);

    void append(Column& column, std::string_view text) const;
    // Where the column cannot hold NULL (arrays): its type's default.
    void append_null(Column& column) const { column.append_default(); }

private:
    using Append = bool (*)(const ValueReader& reader, Column& column, std::string_view text);

    static bool append_array(const ValueReader& reader, Column& column, std::string_view text);
    static bool append_nullable(const ValueReader& reader, Column& column, std::string_view text);
    static bool append_decimal(const ValueReader& reader, Column& column, std::string_view text);
    static bool append_other(const ValueReader& reader, Column& column, std::string_view text);

    TypePtr type_;
    Append append_ = nullptr;
    std::shared_ptr<const ValueReader> nested_; // Nullable and Array
    uint32_t precision_ = 0, scale_ = 0;        // Decimal
};

// The other way, for INSERT: one value as PostgreSQL reads it; false for NULL.
bool print_value(const Column& column, size_t row, const TypePtr& type, std::string& out);

} // namespace basalt::pg
