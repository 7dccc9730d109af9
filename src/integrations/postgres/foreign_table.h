#pragma once

// Tables that stand in PostgreSQL and are read and written there: the engine PostgreSQL and the table
// function postgresql(). Conditions that PostgreSQL decides the same way are sent along, and LIMIT when
// all of them were; the rest is decided here.

#include "catalog/catalog.h"
#include "integrations/postgres/replica_options.h"
#include "postgres/source_table.h"
#include "postgres/value_reader.h"

#include <string>

namespace basalt::pg
{

// Members of IN that are sent along.
inline constexpr size_t kMaxSentMembers = 1000;

struct ForeignName
{
    ConnectionOptions connection; // of libpq
    std::string schema = "public";
    std::string table;
};

class ForeignTable final : public Table
{
public:
    ForeignTable(TableName name, std::string uuid, TableMetadataPtr metadata, ForeignName foreign);

    std::string engine_name() const override { return "PostgreSQL"; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override;
    std::string uuid() const override { return uuid_; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    // Rows are in PostgreSQL when finish() returns, all or none.
    std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context) override;
    void rename(const TableName& name) override;

private:
    mutable std::mutex mutex_;
    TableName name_;
    const std::string uuid_;
    const TableMetadataPtr metadata_;
    const ForeignName foreign_;
};

// The part of a condition that PostgreSQL decides as we do, as SQL; empty if there is none. `source`
// tells the columns' types there. complete: whether that is all of it.
std::string sent_condition(const ExpressionPtr& condition, const SourceTable& source,
                           bool& complete);

void register_foreign_tables(Catalog& catalog);

} // namespace basalt::pg
