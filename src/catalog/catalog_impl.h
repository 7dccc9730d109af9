#pragma once

// State of the catalog, shared by the files that implement it.

#include "catalog/catalog.h"
#include "catalog/metadata_files.h"

namespace basalt
{

struct Catalog::Impl
{
    struct Entry
    {
        TablePtr table;
        AstPtr create_query;
        bool persisted = false;
    };
    struct Database
    {
        DatabaseInfo info;
        std::map<std::string, Entry> tables;
    };

    Impl(FileSystem& files, const std::string& data_path) : metadata(files, data_path) {}

    mutable std::shared_mutex mutex;  // of everything below but `ddl`
    std::mutex ddl;                   // one change at a time; held around file writes
    MetadataFiles metadata;
    std::map<std::string, Database> databases;
    std::map<std::string, TableFactory> engines;
    std::map<std::string, DatabaseEngine*> database_engines;
    std::map<std::string, TableFunctionFactory> table_functions;
    std::map<std::string, std::string> table_functions_lower;
    std::vector<TablePtr> dropped;
    std::vector<LoadFailure> failures;

    bool persists(const Database& database) const
    {
        return metadata.enabled() && !database.info.system && database.info.engine != "Memory";
    }
    DatabaseEngine* engine_of(const DatabaseInfo& info) const
    {
        const auto it = database_engines.find(info.engine);
        return it == database_engines.end() ? nullptr : it->second;
    }
    Database& database(const std::string& name)
    {
        auto it = databases.find(name);
        if (it == databases.end())
            throw_unknown_database(name);
        return it->second;
    }
    [[noreturn]] void throw_unknown_database(const std::string& name) const;
    Entry& entry(const TableName& name)
    {
        Database& owner = database(name.database);
        auto it = owner.tables.find(name.table);
        if (it == owner.tables.end())
            throw_unknown_table(name);
        return it->second;
    }
    [[noreturn]] void throw_unknown_table(const TableName& name) const;
    static std::string database_text(const DatabaseInfo& info);
    void load_database(const MetadataFiles::DatabaseFile& file, const Attach& attach);
    void load_table(Database& database, const std::string& name, const std::string& text,
                    const Attach& attach);
};

// BAD_ARGUMENTS for an empty name, ARGUMENT_OUT_OF_BOUND for one that no file name can hold.
void check_catalog_name(const std::string& name);
} // namespace basalt
