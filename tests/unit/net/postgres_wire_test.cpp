// PostgreSQL's wire protocol: messages whole and broken, texts rewritten, values.

#include "net/postgres/copy_statement.h"
#include "net/postgres/messages.h"
#include "net/postgres/postgres_settings.h"
#include "net/postgres/text.h"
#include "net/postgres/values.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace basalt
{
namespace
{

std::string i16(int value)
{
    return {static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string i32(int64_t value)
{
    return i16(static_cast<int>(value >> 16 & 0xFFFF)) + i16(static_cast<int>(value & 0xFFFF));
}

std::string one(const std::string& text)
{
    const auto statements = split_postgres_text(text);
    EXPECT_EQ(statements.size(), 1u);
    return statements.empty() ? "" : statements[0].text_without_parameters();
}

TEST(PostgresText, QuotesBecomeOurs)
{
    EXPECT_EQ(one("SELECT 'it''s', 'a\\b'"), "SELECT 'it\\'s', 'a\\\\b'");
    EXPECT_EQ(one("SELECT E'a\\nb\\'c\\x41\\u00fc\\101'"), "SELECT 'a\nb\\'cA\u00fcA'");
    EXPECT_EQ(one("SELECT e'x''y'"), "SELECT 'x\\'y'");
    EXPECT_EQ(one("SELECT $$it's$$, $tag$a $$ b$tag$"), "SELECT 'it\\'s', 'a $$ b'");
    EXPECT_EQ(one("SELECT \"a\"\"b\", \"c\\d\""), "SELECT `a\"b`, `c\\\\d`");
    EXPECT_EQ(one("SELECT 1 /* a /* nested */ ; */ -- more ;\n, 2"), "SELECT 1    \n, 2");
    EXPECT_EQ(one("SELECT 1::text, a$b"), "SELECT 1::text, a$b");
    for (const char* broken : {"SELECT 'a", "SELECT E'a\\'", "SELECT \"a", "SELECT /* a",
                               "SELECT $x$ a $y$", "SELECT $0", "SELECT $70000"})
        EXPECT_THROW(split_postgres_text(broken), Error) << broken;
}

TEST(PostgresText, StatementsAndWords)
{
    const auto statements = split_postgres_text(" ; select 1; BEGIN ;;insert into \"x;y\" values (';')");
    ASSERT_EQ(statements.size(), 3u);
    EXPECT_TRUE(statements[0].is("SELECT"));
    EXPECT_TRUE(statements[0].returns_rows());
    EXPECT_TRUE(statements[1].is("BEGIN"));
    EXPECT_TRUE(statements[2].is("INSERT", "INTO"));
    EXPECT_FALSE(statements[2].returns_rows());
    EXPECT_TRUE(split_postgres_text("(SELECT 1)")[0].is("SELECT"));
    EXPECT_TRUE(split_postgres_text(" -- only this\n ; ").empty());
}

TEST(PostgresText, CatalogStatementsAreFolded)
{
    EXPECT_EQ(one("SELECT RelName FROM PG_Class, pg_am WHERE x = 'Y' AND \"Z\" = 1"),
              "select relname from pg_catalog.pg_class, pg_catalog.pg_am where x = 'Y' and `Z` = 1");
    EXPECT_EQ(one("SELECT pg_catalog.F(X), pg_g(1) FROM pg_catalog.pg_class"),
              "select pg_catalog.f(x), pg_g(1) from pg_catalog.pg_class");
    EXPECT_EQ(one("SELECT MyColumn FROM T"), "SELECT MyColumn FROM T");
    const auto statements = split_postgres_text("SELECT A; SELECT A FROM pg_class; SELECT 'pg_x', A");
    ASSERT_EQ(statements.size(), 3u);
    EXPECT_FALSE(statements[0].reads_catalog);
    EXPECT_TRUE(statements[1].reads_catalog);
    EXPECT_FALSE(statements[2].reads_catalog);
    EXPECT_EQ(statements[2].text_without_parameters(), " SELECT 'pg_x', A");
}

TEST(PostgresText, Parameters)
{
    const auto statement = split_postgres_text("SELECT $2, '$1', $1 LIMIT $3")[0];
    EXPECT_EQ(statement.parameter_count, 3u);
    EXPECT_EQ(statement.text({"'a'", "(5)", "10"}), "SELECT (5), '$1', 'a' LIMIT 10");
    EXPECT_EQ(statement.wants_number, (std::vector<bool>{false, false, true}));
}

TEST(PostgresMessages, Startup)
{
    const auto read = [](const std::string& body)
    {
        const std::string bytes = i32(static_cast<int64_t>(body.size() + 4)) + body;
        MemoryInputBuffer in(bytes);
        return read_postgres_startup(in);
    };
    const std::string parameters("user\0me\0database\0d\0\0", 20);
    const auto startup = read(i32(3 << 16) + parameters);
    EXPECT_EQ(startup.parameters.at("user"), "me");
    EXPECT_EQ(startup.parameters.at("database"), "d");
    EXPECT_EQ(read(i32(80877103)).kind, PostgresStartup::Kind::WantsTls);
    const auto cancel = read(i32(80877102) + i32(7) + i32(9));
    EXPECT_EQ(cancel.process_id, 7u);
    EXPECT_EQ(cancel.secret, 9u);
    EXPECT_THROW(read(i32(2 << 16) + parameters), Error);
    EXPECT_THROW(read(i32(3 << 16) + "user"), Error);
    const std::string long_one = i32(1 << 30);
    MemoryInputBuffer in(long_one);
    EXPECT_THROW(read_postgres_startup(in), Error);
}

TEST(PostgresMessages, ParseBindExecute)
{
    const auto parse = parse_postgres_parse(std::string("s\0SELECT $1\0", 12) + i16(1) + i32(23));
    EXPECT_EQ(parse.name, "s");
    EXPECT_EQ(parse.text, "SELECT $1");
    EXPECT_EQ(parse.parameter_types, (std::vector<uint32_t>{23}));
    const std::string bind_body = std::string("p\0s\0", 4) + i16(1) + i16(1) + i16(2) + i32(4) +
                                  i32(42) + i32(-1) + i16(2) + i16(0) + i16(1);
    const auto bind = parse_postgres_bind(bind_body);
    EXPECT_EQ(bind.portal, "p");
    ASSERT_EQ(bind.parameters.size(), 2u);
    EXPECT_FALSE(bind.parameters[1]);
    EXPECT_EQ(literal_of_parameter(bind.parameters[0], bind.parameter_format(0), 23, false),
              "CAST(42, 'Int32')");
    EXPECT_EQ(bind.result_format(0), 0);
    EXPECT_EQ(bind.result_format(1), 1);
    EXPECT_EQ(parse_postgres_execute(std::string("p\0", 2) + i32(10)).max_rows, 10u);
    EXPECT_EQ(parse_postgres_target(std::string("Sx\0", 3)).name, "x");
    EXPECT_THROW(parse_postgres_target(std::string("Xx\0", 3)), Error);
}

TEST(PostgresMessages, BrokenOnes)
{
    const std::string good_bind = std::string("p\0s\0", 4) + i16(1) + i16(1) + i16(2) + i32(4) +
                                  i32(42) + i32(-1) + i16(1) + i16(1);
    const std::string good_parse = std::string("s\0SELECT $1\0", 12) + i16(2) + i32(23) + i32(25);
    const auto attempt = [](const auto& read)
    {
        try
        {
            read();
        }
        catch (const Error& error)
        {
            EXPECT_NE(error.code(), error_codes::LOGICAL_ERROR);
        }
    };
    std::mt19937_64 random(1);
    for (int round = 0; round < 5000; ++round)
    {
        std::string bind = good_bind, parse = good_parse;
        for (int i = 0; i < 3; ++i)
        {
            bind[random() % bind.size()] = static_cast<char>(random());
            parse[random() % parse.size()] = static_cast<char>(random());
        }
        bind.resize(random() % (bind.size() + 1));
        parse.resize(random() % (parse.size() + 1));
        attempt([&] { parse_postgres_bind(bind); });
        attempt([&] { parse_postgres_parse(parse); });
        attempt([&] { parse_postgres_target(parse); });
        attempt([&] { parse_postgres_execute(bind); });
        attempt([&] { split_postgres_text(parse); });
        MemoryInputBuffer in(bind);
        attempt([&] { read_postgres_message(in); });
        MemoryInputBuffer first(bind);
        attempt([&] { read_postgres_startup(first); });
        attempt([&] { literal_of_parameter(bind, 1, static_cast<uint32_t>(random() % 30), false); });
    }
    // A length without the bytes takes no memory.
    const std::string lies = "Q" + i32(200 << 20);
    MemoryInputBuffer in(lies);
    EXPECT_THROW(read_postgres_message(in), Error);
}

std::optional<std::string> shown(const std::string& type_name, const std::string& text, int16_t format)
{
    const TypePtr type = type_from_name(type_name);
    auto column = type->create_column();
    const TextOptions options;
    parse_whole(text, type, *column, options);
    PostgresValues values(type, format, options);
    values.set(std::move(column));
    return values.at(0);
}

TEST(PostgresValues, Text)
{
    EXPECT_EQ(shown("Bool", "true", 0), "t");
    EXPECT_EQ(shown("Float64", "inf", 0), "Infinity");
    EXPECT_EQ(shown("Nullable(UInt8)", "5", 0), "5");
    EXPECT_EQ(shown("Array(Nullable(String))", "['a \"b\"',NULL,'c\\\\d']", 0),
              "{\"a \\\"b\\\"\",NULL,\"c\\\\d\"}");
    EXPECT_EQ(shown("Array(UInt8)", "[1,2]", 0), "{1,2}");
    EXPECT_EQ(postgres_column_of("x", type_from_name("Array(UInt8)")).type, 1005u);
    EXPECT_EQ(postgres_column_of("x", type_from_name("LowCardinality(Nullable(String))")).type, 25u);
    EXPECT_EQ(postgres_column_of("x", type_from_name("UInt64")).type, 1700u);
}

TEST(PostgresValues, Binary)
{
    EXPECT_EQ(shown("Int32", "-2", 1), std::string("\xFF\xFF\xFF\xFE", 4));
    EXPECT_EQ(shown("Bool", "true", 1), std::string("\1", 1));
    EXPECT_EQ(shown("Date", "2000-01-02", 1), std::string("\0\0\0\1", 4));
    EXPECT_EQ(shown("DateTime64(6, 'UTC')", "2000-01-01 00:00:00.000005", 1),
              std::string("\0\0\0\0\0\0\0\5", 8));
    EXPECT_EQ(shown("DateTime('UTC')", "1999-12-31 23:59:59", 1),
              std::string("\xFF\xFF\xFF\xFF\xFF\xF0\xBD\xC0", 8));
    EXPECT_EQ(shown("Decimal(9, 2)", "-12345.60", 1),
              i16(3) + i16(1) + i16(0x4000) + i16(1) + i16(1) + i16(2345) + i16(6000));
    EXPECT_EQ(shown("UInt64", "0", 1), i16(0) + i16(0) + i16(0) + i16(0));
    EXPECT_EQ(shown("UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", 1)->substr(0, 3), "\x61\xf0\xc4");
    EXPECT_EQ(literal_of_parameter(std::string("\0\0\0\1", 4), 1, 1082, false), "'2000-01-02'");
    EXPECT_EQ(literal_of_parameter(std::string("1); DROP"), 0, 25, false), "'1); DROP'");
    EXPECT_THROW(literal_of_parameter(std::string("1); DROP"), 0, 23, false), Error);
    EXPECT_EQ(literal_of_parameter(std::nullopt, 0, 23, false), "NULL");
}

TEST(PostgresCopy, Statements)
{
    const auto parse = [](const std::string& text)
    { return parse_copy(split_postgres_text(text)[0]); };
    EXPECT_FALSE(parse("SELECT 1"));
    const auto in = parse("COPY \"d\".\"t\" (a, b) FROM STDIN");
    ASSERT_TRUE(in && in->from);
    EXPECT_EQ(in->text, "INSERT INTO `d`.`t` (a, b) FORMAT TabSeparated\n");
    const auto csv = parse("copy t from stdin with (format csv, header, delimiter ';', null '')");
    EXPECT_EQ(csv->format, "CSVWithNames");
    EXPECT_EQ(csv->settings[0].second, ";");
    const auto out = parse("COPY (SELECT ')' AS x) TO STDOUT CSV");
    EXPECT_FALSE(out->from);
    EXPECT_EQ(out->text, "SELECT ')' AS x");
    EXPECT_EQ(parse("COPY t TO STDOUT")->text, "SELECT * FROM t");
    for (const char* refused : {"COPY t FROM '/etc/passwd'", "COPY t FROM PROGRAM 'x'",
                                "COPY t FROM STDIN WITH BINARY", "COPY t", "COPY t FROM STDIN (FORMAT binary)",
                                "COPY (SELECT 1) FROM STDIN", "COPY t FROM STDIN DELIMITER"})
        EXPECT_THROW(parse(refused), Error) << refused;
}

TEST(PostgresSettings, SetAndReset)
{
    auto settings = initial_postgres_settings("UTC");
    const auto set = [&](const std::string& text)
    { return set_postgres_setting(split_postgres_text(text)[0], settings); };
    EXPECT_EQ(set("SET timezone = 'Europe/Berlin'"), "SET");
    EXPECT_EQ(settings["timezone"], "Europe/Berlin");
    EXPECT_EQ(set("SET TIME ZONE 'UTC'"), "SET");
    EXPECT_EQ(settings["timezone"], "UTC");
    EXPECT_EQ(set("SET SESSION application_name TO x"), "SET");
    EXPECT_EQ(settings["application_name"], "x");
    EXPECT_EQ(set("SET extra_float_digits = 3"), "SET");
    EXPECT_EQ(set("RESET search_path"), "RESET");
    EXPECT_FALSE(set("SET max_threads = 1"));
    EXPECT_FALSE(set("SELECT 1"));
}

} // namespace
} // namespace basalt
