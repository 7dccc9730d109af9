#include "postgres/source_table.h"

#include <gtest/gtest.h>

using namespace basalt::pg;

TEST(SourceTable, KnowsWhenRowsChangedBesideTheStream)
{
    SourceTable table;
    table.oid = 7;
    table.files = "100";
    table.column_versions = "a";
    const std::string copied = table.fingerprint();
    EXPECT_TRUE(table.has_rows_of(copied));
    table.files = "101"; // TRUNCATE, VACUUM FULL
    EXPECT_TRUE(table.has_rows_of(copied));
    table.column_versions = "b"; // ALTER … TYPE … USING
    EXPECT_FALSE(table.has_rows_of(copied));
    table.files = "100"; // SET DEFAULT
    EXPECT_TRUE(table.has_rows_of(copied));
    table.oid = 8;
    EXPECT_FALSE(table.has_rows_of(copied));
    EXPECT_FALSE(table.has_rows_of(""));
}
