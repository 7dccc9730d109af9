#pragma once

// Databases of engine MaterializedPostgreSQL and their tables, for a server: known to the catalog,
// started, stopped. Threads: all methods from any.

#include "catalog/catalog.h"
#include "integrations/postgres/replicator.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace basalt::pg
{

class PostgresReplication final : public DatabaseEngine
{
public:
    PostgresReplication();
    ~PostgresReplication() override;

    // Makes both engines known; before stored tables are opened.
    void register_in(Engine& engine);
    // Follows for every database there is.
    void start();
    // Before the engine stops.
    void stop();
    std::vector<ReplicaStatus> statuses() const;
    // By database.
    std::map<std::string, std::vector<ConsistencyResult>> consistency() const;

    void check(const DatabaseInfo& info) override;
    void created(const DatabaseInfo& info) override;
    void dropping(const DatabaseInfo& info) override;

private:
    Engine* engine_ = nullptr;
    mutable std::mutex mutex_;
    void purge_tables();

    std::map<std::string, std::shared_ptr<Replicator>> replicators_;
    std::thread purger_; // rewrites parts with many dead rows, beside the replicators
    std::condition_variable purger_end_;
    bool started_ = false;
};

} // namespace basalt::pg
