#pragma once

// Tables that are queries. A view is put in place by the analyzer and is never scanned itself; a
// materialised view is read as its target table and written by inserts into its source.

#include "catalog/catalog.h"

namespace basalt
{

class View final : public ViewTable
{
public:
    View(const TableCreation& creation, AstPtr query, std::string database);

    std::string engine_name() const override { return "View"; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override;
    std::string uuid() const override { return uuid_; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    void alter(TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
               QueryContextPtr context) override;
    void rename(const TableName& name) override;

    AstPtr view_query() const override { return query_; }
    std::string view_database() const override { return database_; }

private:
    mutable std::mutex mutex_;
    TableName name_;
    std::string uuid_;
    TableMetadataPtr metadata_;
    AstPtr query_;
    std::string database_;
};

class MaterializedView final : public Table
{
public:
    // source: the first table of the query's FROM, empty when it has none that is a table.
    MaterializedView(const TableCreation& creation, Catalog& catalog, AstPtr query,
                     std::string database, TableName source, TableName target,
                     bool has_inner_table);

    std::string engine_name() const override { return "MaterializedView"; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override;
    std::string uuid() const override { return uuid_; }
    // Both act on the target table.
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context) override;
    std::optional<uint64_t> total_rows() const override;
    std::optional<uint64_t> total_bytes() const override;
    void optimize(const OptimizeCommand& command, QueryContextPtr context) override;
    void truncate(QueryContextPtr context) override;
    void rename(const TableName& name) override;

    AstPtr query() const { return query_; }
    const std::string& database() const { return database_; }
    const TableName& source() const { return source_; }
    TableName target() const;
    bool has_inner_table() const { return has_inner_table_; } // dropped with the view
    TablePtr target_table() const;                            // UNKNOWN_TABLE when gone

private:
    mutable std::mutex mutex_;
    Catalog& catalog_;
    TableName name_;
    std::string uuid_;
    TableMetadataPtr metadata_;
    AstPtr query_;
    std::string database_;
    TableName source_, target_;
    bool has_inner_table_;
};

// The first table of a query's FROM with `database` for an unqualified name; empty names when the
// query reads no table there (a table function, a subquery over nothing). Looks into subqueries
// in FROM and the first member of a UNION.
TableName source_of_query(const AstPtr& query, const std::string& database);

// ".inner_id.<uuid>", where a materialised view without TO keeps its rows.
std::string inner_table_name(const std::string& view_uuid, const std::string& view_name);

} // namespace basalt
