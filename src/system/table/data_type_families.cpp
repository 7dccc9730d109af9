#include "system/system_tables.h"

namespace basalt
{

namespace
{

struct Family
{
    const char* name;
    bool any_case;
    const char* alias_to;
};

constexpr Family kFamilies[] = {
    {"AggregateFunction", false, ""},
    {"Array", false, ""},
    {"BIGINT", true, "Int64"},
    {"BIGINT SIGNED", true, "Int64"},
    {"BIGINT UNSIGNED", true, "UInt64"},
    {"BINARY", true, "FixedString"},
    {"BINARY LARGE OBJECT", true, "String"},
    {"BINARY VARYING", true, "String"},
    {"BIT", true, "UInt64"},
    {"BLOB", true, "String"},
    {"BYTE", true, "Int8"},
    {"BYTEA", true, "String"},
    {"Bool", true, ""},
    {"CHAR", true, "String"},
    {"CHAR LARGE OBJECT", true, "String"},
    {"CHAR VARYING", true, "String"},
    {"CHARACTER", true, "String"},
    {"CHARACTER LARGE OBJECT", true, "String"},
    {"CHARACTER VARYING", true, "String"},
    {"CLOB", true, "String"},
    {"DEC", true, "Decimal"},
    {"DOUBLE", true, "Float64"},
    {"DOUBLE PRECISION", true, "Float64"},
    {"Date", true, ""},
    {"Date32", true, ""},
    {"DateTime", true, ""},
    {"DateTime32", true, ""},
    {"DateTime64", true, ""},
    {"Decimal", true, ""},
    {"Decimal128", true, ""},
    {"Decimal256", true, ""},
    {"Decimal32", true, ""},
    {"Decimal64", true, ""},
    {"ENUM", true, "Enum"},
    {"Enum", true, ""},
    {"Enum16", false, ""},
    {"Enum8", false, ""},
    {"FIXED", true, "Decimal"},
    {"FLOAT", true, "Float32"},
    {"FixedString", false, ""},
    {"Float32", false, ""},
    {"Float64", false, ""},
    {"INET4", true, "IPv4"},
    {"INET6", true, "IPv6"},
    {"INT", true, "Int32"},
    {"INT SIGNED", true, "Int32"},
    {"INT UNSIGNED", true, "UInt32"},
    {"INT1", true, "Int8"},
    {"INT1 SIGNED", true, "Int8"},
    {"INT1 UNSIGNED", true, "UInt8"},
    {"INTEGER", true, "Int32"},
    {"INTEGER SIGNED", true, "Int32"},
    {"INTEGER UNSIGNED", true, "UInt32"},
    {"IPv4", false, ""},
    {"IPv6", false, ""},
    {"Int128", false, ""},
    {"Int16", false, ""},
    {"Int256", false, ""},
    {"Int32", false, ""},
    {"Int64", false, ""},
    {"Int8", false, ""},
    {"IntervalDay", false, ""},
    {"IntervalHour", false, ""},
    {"IntervalMicrosecond", false, ""},
    {"IntervalMillisecond", false, ""},
    {"IntervalMinute", false, ""},
    {"IntervalMonth", false, ""},
    {"IntervalNanosecond", false, ""},
    {"IntervalQuarter", false, ""},
    {"IntervalSecond", false, ""},
    {"IntervalWeek", false, ""},
    {"IntervalYear", false, ""},
    {"LONGBLOB", true, "String"},
    {"LONGTEXT", true, "String"},
    {"LowCardinality", false, ""},
    {"MEDIUMBLOB", true, "String"},
    {"MEDIUMINT", true, "Int32"},
    {"MEDIUMINT SIGNED", true, "Int32"},
    {"MEDIUMINT UNSIGNED", true, "UInt32"},
    {"MEDIUMTEXT", true, "String"},
    {"Map", false, ""},
    {"NATIONAL CHAR", true, "String"},
    {"NATIONAL CHAR VARYING", true, "String"},
    {"NATIONAL CHARACTER", true, "String"},
    {"NATIONAL CHARACTER LARGE OBJECT", true, "String"},
    {"NATIONAL CHARACTER VARYING", true, "String"},
    {"NCHAR", true, "String"},
    {"NCHAR LARGE OBJECT", true, "String"},
    {"NCHAR VARYING", true, "String"},
    {"NUMERIC", true, "Decimal"},
    {"NVARCHAR", true, "String"},
    {"Nested", false, ""},
    {"Nothing", false, ""},
    {"Nullable", false, ""},
    {"REAL", true, "Float32"},
    {"SET", true, "UInt64"},
    {"SIGNED", true, "Int64"},
    {"SINGLE", true, "Float32"},
    {"SMALLINT", true, "Int16"},
    {"SMALLINT SIGNED", true, "Int16"},
    {"SMALLINT UNSIGNED", true, "UInt16"},
    {"SimpleAggregateFunction", false, ""},
    {"String", false, ""},
    {"TEXT", true, "String"},
    {"TIMESTAMP", true, "DateTime"},
    {"TINYBLOB", true, "String"},
    {"TINYINT", true, "Int8"},
    {"TINYINT SIGNED", true, "Int8"},
    {"TINYINT UNSIGNED", true, "UInt8"},
    {"TINYTEXT", true, "String"},
    {"Time", true, ""},
    {"Time64", true, ""},
    {"Tuple", false, ""},
    {"UInt128", false, ""},
    {"UInt16", false, ""},
    {"UInt256", false, ""},
    {"UInt32", false, ""},
    {"UInt64", false, ""},
    {"UInt8", false, ""},
    {"UNSIGNED", true, "UInt64"},
    {"UUID", false, ""},
    {"VARBINARY", true, "String"},
    {"VARCHAR", true, "String"},
    {"VARCHAR2", true, "String"},
    {"YEAR", true, "UInt16"},
    {"bool", true, "Bool"},
    {"boolean", true, "Bool"},
};

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (const auto& family : kFamilies)
    {
        rows.add_row();
        rows.set("name", family.name);
        rows.set_uint("case_insensitive", family.any_case);
        rows.set("alias_to", family.alias_to);
    }
}

} // namespace

void register_data_type_families(SystemTables& tables)
{
    tables.add({"data_type_families",
                parse_header(
                    "name String, case_insensitive UInt8, alias_to String, description String, "
                    "syntax String, examples String, introduced_in String, related Array(String)"),
                fill, ""});
}

} // namespace basalt
