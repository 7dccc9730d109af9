// PostgreSQL's dialect: what its clients write comes out as trees of ours, and broken texts as errors.

#include "base/error.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <gtest/gtest.h>
#include <random>

namespace basalt
{
namespace
{

std::string ours(const std::string& text, bool semantics = false)
{
    ParserLimits limits;
    limits.postgres = true;
    limits.postgres_semantics = semantics;
    return format_query(*parse_query("SELECT " + text, limits)).substr(7);
}

TEST(PostgresDialect, Operators)
{
    EXPECT_EQ(ours("a ~ 'x'"), "match(a, 'x')");
    EXPECT_EQ(ours("a !~ 'x' AND b"), "`not`(match(a, 'x')) AND b");
    EXPECT_EQ(ours("a ~* 'x'"), "match(a, concat('(?i)', 'x'))");
    EXPECT_EQ(ours("a OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default"),
              "match(a, '^(t)$')");
    EXPECT_EQ(ours("a !~~ 'x%'"), "a NOT LIKE 'x%'");
    EXPECT_EQ(ours("a = ANY(b)"), "a IN (b)");
    EXPECT_EQ(ours("a <> ALL('{1,\"x y\",NULL}')"), "a NOT IN ['1', 'x y', NULL]");
    EXPECT_EQ(ours("a < ANY(b)"), "arrayExists(__element -> (a < __element), b)");
    EXPECT_EQ(ours("a / b", true), "postgresDivide(a, b)");
    EXPECT_EQ(ours("a / b"), "a / b");
}

TEST(PostgresDialect, Casts)
{
    EXPECT_EQ(ours("a::pg_catalog.text"), "CAST(a, 'String')");
    EXPECT_EQ(ours("a::\"char\""), "CAST(a, 'String')");
    EXPECT_EQ(ours("NULL::int4"), "CAST(NULL, 'Nullable(Int32)')");
    EXPECT_EQ(ours("'{1,2}'::integer[]"), "CAST(['1', '2'], 'Array(Int32)')");
    EXPECT_EQ(ours("1.50::numeric"), "CAST('1.50', 'Decimal(76, 2)')");
    EXPECT_EQ(ours("a::numeric(10,2)"), "CAST(a, 'Decimal(10, 2)')");
    EXPECT_EQ(ours("'x'::timestamp(3) without time zone"), "CAST('x', 'DateTime64(3)')");
    EXPECT_EQ(ours("CAST(a AS character varying(5))"),
              "substringUTF8(CAST(a, 'String'), 1, 5)");
    EXPECT_EQ(ours("a::UInt64"), "CAST(a, 'UInt64')");
    EXPECT_EQ(ours("ARRAY[1, 2]"), "[1, 2]");
}

TEST(PostgresDialect, OthersAreRefused)
{
    for (const char* text : {"right(a, 1)", "unknown_thing(1)", "to_char(a, 'x')"})
        EXPECT_THROW(ours(text, true), Error) << text;
    EXPECT_EQ(ours("length(a)", true), "lengthUTF8(a)");
    EXPECT_EQ(ours("length(a)"), "length(a)");
    EXPECT_EQ(ours("pg_catalog.pg_get_expr(a, b, true)"), "a");
    EXPECT_THROW(parse_query("SELECT a ~ 'x'"), Error);
}

TEST(PostgresDialect, BrokenTexts)
{
    const std::string good = "a.x OPERATOR(pg_catalog.~) '^(t)$' COLLATE \"C\" AND b = ANY('{1,2}'::int4[]) "
                             "AND c::regclass::text <> ALL(ARRAY(SELECT d FROM ((t JOIN u ON true) JOIN v "
                             "ON w))) OR pg_get_userbyid(e::oid) !~~* $$x$$";
    std::mt19937_64 random(1);
    size_t parsed = 0, refused = 0;
    for (size_t round = 0; round < 20000; ++round)
    {
        std::string text = good;
        if (round < good.size())
            text.resize(round);
        else
            for (int i = 0; i < 3; ++i)
                text[random() % text.size()] ^= static_cast<char>(1 << random() % 7);
        try
        {
            ours(text, round % 2 == 0);
            ++parsed;
        }
        catch (const Error& error)
        {
            EXPECT_NE(error.code(), error_codes::LOGICAL_ERROR) << text;
            ++refused;
        }
    }
    EXPECT_GT(refused, 0u);
    EXPECT_GT(parsed, 0u);
}

} // namespace
} // namespace basalt
