// The expected structures are what ClickHouse 26.7 answers to DESCRIBE format(…).

#include "base/error.h"
#include "formats/file_names.h"
#include "formats/infer.h"

#include <gtest/gtest.h>

namespace basalt
{

namespace
{

std::string infer(std::string_view format, std::string_view bytes, bool complete = true,
                  const Settings& settings = {})
{
    std::string text;
    for (const auto& column :
         infer_header(format, bytes, complete, FormatOptions::from(settings, "UTC")))
        text += (text.empty() ? "" : ", ") + column.name + " " + column.type->name();
    return text;
}

int code_of(std::string_view format, std::string_view bytes, const Settings& settings = {})
{
    try
    {
        infer(format, bytes, true, settings);
        return 0;
    }
    catch (const Error& error)
    {
        return error.code();
    }
}

TEST(Infer, Csv)
{
    EXPECT_EQ(infer("CSV", "1,x,1.5\n2,\"y z\",\n"),
              "c1 Nullable(Int64), c2 Nullable(String), c3 Nullable(Float64)");
    EXPECT_EQ(infer("CSV", "\"true\",true,\"5\",True"),
              "c1 Nullable(String), c2 Nullable(Bool), c3 Nullable(String), c4 Nullable(Bool)");
    EXPECT_EQ(infer("CSV", "\"2020-01-01\",2020-1-1,20200101,2020-02-31"),
              "c1 Nullable(Date), c2 Nullable(Date), c3 Nullable(Int64), c4 Nullable(Date)");
    EXPECT_EQ(infer("CSV", "\"2020-01-01 10:00:00\",2020-01-01T10:00:00.5Z,10:00:00"),
              "c1 Nullable(DateTime), c2 Nullable(DateTime64(9)), c3 Nullable(String)");
    EXPECT_EQ(infer("CSV", "\"[1,2]\",\"{'a':1}\",\"(1,'x')\""),
              "c1 Array(Nullable(Int64)), c2 Map(String, Nullable(Int64)), c3 Nullable(String)");
    EXPECT_EQ(infer("CSV", "[1,2,3]"),
              "c1 Nullable(String), c2 Nullable(Int64), c3 Nullable(String)");
    EXPECT_EQ(infer("CSV", " 5 , x "), "c1 Nullable(Int64), c2 Nullable(String)");
    EXPECT_EQ(infer("CSV", "0001,1e5,-5,+7,1.,.5,nan,inf"),
              "c1 Nullable(Int64), c2 Nullable(String), c3 Nullable(Int64), c4 Nullable(Int64), "
              "c5 Nullable(Float64), c6 Nullable(Float64), c7 Nullable(Float64), "
              "c8 Nullable(Float64)");
    EXPECT_EQ(infer("CSV", "18446744073709551615,99999999999999999999"),
              "c1 Nullable(UInt64), c2 Nullable(Float64)");
    EXPECT_EQ(infer("CSV", "-3\n18446744073709551615"), "c1 Nullable(UInt64)");
    EXPECT_EQ(infer("CSV", "true\n1"), "c1 Nullable(String)");
    EXPECT_EQ(infer("CSV", "2020-01-01\n2020-01-01 00:00:00\n2020-01-01 00:00:00.5"),
              "c1 Nullable(DateTime64(9))");
    EXPECT_EQ(infer("CSV", "\n"), "c1 Nullable(String)");
    EXPECT_EQ(infer("CSV", "\\N,NULL"), "c1 Nullable(String), c2 Nullable(String)");
    EXPECT_EQ(code_of("CSV", "1\n2,3"), 636);
    EXPECT_EQ(code_of("CSV", ""), 636);
}

TEST(Infer, HeaderOfCsv)
{
    EXPECT_EQ(infer("CSV", "a,b\n1,"), "a Nullable(Int64), b Nullable(String)");
    EXPECT_EQ(infer("CSV", "1e5\n5"), "1e5 Nullable(Int64)");
    EXPECT_EQ(infer("CSV", "a,b\n,"), "c1 Nullable(String), c2 Nullable(String)");
    EXPECT_EQ(infer("CSV", "a\nx\n5"), "c1 Nullable(String)");
    EXPECT_EQ(infer("CSV", "a,1\nx,2"), "c1 Nullable(String), c2 Nullable(Int64)");
    EXPECT_EQ(infer("CSV", "a,\nx,2"), "c1 Nullable(String), c2 Nullable(Int64)");
    EXPECT_EQ(code_of("CSV", "id,id\n1,2"), 636);
    EXPECT_EQ(infer("CSVWithNames", "a,b\n1,2"), "a Nullable(Int64), b Nullable(Int64)");
    EXPECT_EQ(code_of("CSVWithNames", "a,b"), 636);
    EXPECT_EQ(infer("CSVWithNamesAndTypes", "a,b\nUInt8,String\n1,2"), "a UInt8, b String");
    Settings settings;
    settings.set("input_format_csv_detect_header", "0");
    EXPECT_EQ(infer("CSV", "a\n1", true, settings), "c1 Nullable(String)");
}

TEST(Infer, TabSeparated)
{
    EXPECT_EQ(infer("TSV", "1\t\\N\ttrue\t[1,2]\t2020-01-01"),
              "c1 Nullable(Int64), c2 Nullable(String), c3 Nullable(Bool), "
              "c4 Array(Nullable(Int64)), c5 Nullable(Date)");
    EXPECT_EQ(infer("TSV", "(1,[1,2])\t{'a':1,'b':2.5}\t{1:2}"),
              "c1 Tuple(Nullable(Int64), Array(Nullable(Int64))), "
              "c2 Map(String, Nullable(Float64)), c3 Map(Int64, Nullable(Int64))");
    for (const char* text : {"[]", "[[]]", "[NULL]", "[a]", "[1,'a']", "()", "{}", "'x'", "[1] x",
                             "1,5", "2020-01", "2020-13-01", "2020.01.01", "12:30:00", "inf",
                             "truex", "[1,2]\n['a']", "[1]\nabc", "(1,2)\n(1,'a')"})
        EXPECT_EQ(infer("TSV", text), "c1 Nullable(String)") << text;
    EXPECT_EQ(infer("TSV", "['2020-01-01']"), "c1 Array(Nullable(Date))");
    EXPECT_EQ(infer("TSV", "1960-01-01\t2149-06-07\t2106-02-08 00:00:00"),
              "c1 Nullable(DateTime64(9)), c2 Nullable(DateTime64(9)), "
              "c3 Nullable(DateTime64(9))");
    EXPECT_EQ(infer("TSVRaw", "1\tx"), "c1 Nullable(Int64), c2 Nullable(String)");
    EXPECT_EQ(infer("TSV", "x\ty\n1\t2"), "x Nullable(Int64), y Nullable(Int64)");
}

TEST(Infer, JsonRows)
{
    const auto rows = [](std::string_view text) { return infer("JSONEachRow", text); };
    EXPECT_EQ(rows(R"({"a":1,"b":[1,2],"c":{"x":1}} {"a":2.5,"d":"2020-01-01 00:00:00"})"),
              "a Nullable(Float64), b Array(Nullable(Int64)), c Tuple(x Nullable(Int64)), "
              "d Nullable(DateTime)");
    EXPECT_EQ(rows(R"([{"a":1},{"a":"x"}])"), "a Nullable(String)");
    EXPECT_EQ(rows(R"({"a":true}{"a":1})"), "a Nullable(Int64)");
    EXPECT_EQ(rows(R"({"a":true}{"a":"x"})"), "a Nullable(String)");
    EXPECT_EQ(rows(R"({"a":{"x":1}}{"a":{"y":"q"}})"),
              "a Tuple(x Nullable(Int64), y Nullable(String))");
    EXPECT_EQ(rows(R"({"a":[{"x":1},{"y":2}]})"),
              "a Array(Tuple(x Nullable(Int64), y Nullable(Int64)))");
    EXPECT_EQ(rows(R"({"a":null}{"b":1})"), "a Nullable(String), b Nullable(Int64)");
    EXPECT_EQ(rows(R"({"a":{}})"), "a Nullable(String)");
    EXPECT_EQ(rows(R"({"a":{}}{"a":{"x":1}})"), "a Tuple(x Nullable(Int64))");
    EXPECT_EQ(rows(R"({"a":[]})"), "a Array(Nullable(String))");
    EXPECT_EQ(rows(R"({"a":[[1],[2,null]]}{"a":[]})"), "a Array(Array(Nullable(Int64)))");
    EXPECT_EQ(rows(R"({"a":["x"]}{"a":[1]})"), "a Array(Nullable(String))");
    EXPECT_EQ(rows(R"({"a":"2020-01-01"}{"a":"x"})"), "a Nullable(String)");
    EXPECT_EQ(rows(R"({"a":"2020-01-01"}{"a":5})"), "a Nullable(String)");
    EXPECT_EQ(rows(R"({"a":1e5})"), "a Nullable(Float64)");
    for (const char* text : {R"({"a":{"x":1}}{"a":5})", R"({"a":[1]}{"a":"x"})",
                             R"({"a":[1]}{"a":1})", R"({})", R"({"a":)", R"({"a":x})",
                             // These need Dynamic.
                             R"({"a":[1,"x"]})", R"({"a":[1,[2]]})"})
        EXPECT_EQ(code_of("JSONEachRow", text), 636) << text;
    // A row that was cut by the limit of bytes.
    EXPECT_EQ(infer("JSONEachRow", R"({"a":1}{"a":"te)", false), "a Nullable(Int64)");
    EXPECT_EQ(infer("CSV", "1,2\n3,\"4", false), "c1 Nullable(Int64), c2 Nullable(Int64)");
}

TEST(Infer, OtherFormats)
{
    EXPECT_EQ(infer("JSONCompactEachRow", "[1,\"x\",null]"),
              "c1 Nullable(Int64), c2 Nullable(String), c3 Nullable(String)");
    EXPECT_EQ(infer("JSONCompactEachRowWithNames", "[\"a\",\"b\"]\n[1,\"x\"]"),
              "a Nullable(Int64), b Nullable(String)");
    EXPECT_EQ(infer("JSONCompactEachRowWithNamesAndTypes", "[\"a\"]\n[\"UInt8\"]\n[1]"),
              "a UInt8");
    EXPECT_EQ(infer("JSON", R"({"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":1}]})"),
              "a UInt8");
    EXPECT_EQ(infer("JSON", R"({"a":1} {"a":2})"), "a Nullable(Int64)");
    EXPECT_EQ(infer("LineAsString", "x"), "line String");
    EXPECT_EQ(infer("RawBLOB", "x"), "raw_blob String");
    EXPECT_EQ(infer("JSONAsString", "{}"), "json String");
    EXPECT_EQ(infer("RowBinaryWithNamesAndTypes", std::string_view("\1\1a\5UInt8\1", 10)),
              "a UInt8");
    EXPECT_EQ(infer("Native", std::string_view("\1\1\1a\5UInt8\1", 11)), "a UInt8");
    EXPECT_EQ(code_of("Values", "(1)"), 636);
}

TEST(Infer, SettingsThatAreNotBuilt)
{
    Settings settings;
    settings.set("schema_inference_hints", "a UInt8");
    EXPECT_EQ(code_of("CSV", "1", settings), error_codes::NOT_IMPLEMENTED);
    Settings plain;
    plain.set("input_format_try_infer_dates", "0");
    plain.set("input_format_try_infer_integers", "0");
    EXPECT_EQ(infer("CSV", "1", true, plain), "c1 Nullable(Float64)");
}

TEST(FileNames, FormatsAndCompressions)
{
    EXPECT_EQ(format_of_file_name("a/b.csv"), "CSV");
    EXPECT_EQ(format_of_file_name("b.TSV.gz"), "TSV");
    EXPECT_EQ(format_of_file_name("b.jsonl.zst"), "JSONEachRow");
    EXPECT_EQ(format_of_file_name("x.JSONCompactEachRow"), "JSONCompactEachRow");
    EXPECT_EQ(format_of_file_name("a.csv/b"), std::nullopt);
    EXPECT_EQ(format_of_file_name("gz"), std::nullopt);
    EXPECT_EQ(compression_method("auto", "b.csv.gz"), "gzip");
    EXPECT_EQ(compression_method("none", "b.csv.gz"), "");
    EXPECT_EQ(compression_method("ZSTD", "b"), "zstd");
    EXPECT_THROW(compression_method("auto", "b.xz"), Error);
    EXPECT_THROW(compression_method("zip", "b"), Error);
}

} // namespace

} // namespace basalt
