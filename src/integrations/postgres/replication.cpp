#include "integrations/postgres/replication.h"

#include "base/error.h"
#include "sql/ast_create.h"
#include "sql/parser.h"
#include "storage/storage_service.h"

#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

ReplicaOptions options_of(const DatabaseInfo& info)
{
    const AstPtr ast = parse_query("ATTACH DATABASE _ ENGINE = " + info.engine_full);
    return replica_options(*ast->as<AstCreateDatabase>()->storage);
}

} // namespace

PostgresReplication::PostgresReplication() = default;

PostgresReplication::~PostgresReplication()
{
    stop();
}

void PostgresReplication::register_in(Engine& engine)
{
    engine_ = &engine;
    engine.catalog().register_database_engine(kReplicaEngine, *this);
    engine.catalog().register_engine(
        kReplicaEngine,
        [&engine](const TableCreation& creation, Catalog&, QueryContextPtr) -> TablePtr
        {
            if (!creation.attach)
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "A single table of engine MaterializedPostgreSQL is not implemented: "
                            "make a database of it with materialized_postgresql_tables_list");
            return std::make_shared<ReplicaTable>(engine.storage(), creation.name, creation.uuid,
                                                  creation.metadata, true);
        });
}

void PostgresReplication::start()
{
    {
        std::lock_guard lock(mutex_);
        started_ = true;
    }
    for (const DatabaseInfo& info : engine_->catalog().databases())
        if (info.engine == kReplicaEngine)
            created(info);
    purger_ = std::thread([this] { purge_tables(); });
}

void PostgresReplication::purge_tables()
{
    constexpr auto kEvery = std::chrono::seconds(5);
    std::unique_lock lock(mutex_);
    while (!purger_end_.wait_for(lock, kEvery, [&] { return !started_; }))
    {
        lock.unlock();
        for (const DatabaseInfo& info : engine_->catalog().databases())
            if (info.engine == kReplicaEngine)
                for (const TablePtr& table : engine_->catalog().tables(info.name))
                    if (const auto replica = std::dynamic_pointer_cast<ReplicaTable>(table))
                        try
                        {
                            replica->purge();
                        }
                        catch (const std::exception& error)
                        {
                            engine_->storage().report(error.what());
                        }
        lock.lock();
    }
}

void PostgresReplication::stop()
{
    std::map<std::string, std::shared_ptr<Replicator>> replicators;
    {
        std::lock_guard lock(mutex_);
        replicators.swap(replicators_);
        started_ = false;
    }
    purger_end_.notify_all();
    if (purger_.joinable())
        purger_.join();
    for (const auto& [name, replicator] : replicators)
        replicator->stop();
}

std::vector<ReplicaStatus> PostgresReplication::statuses() const
{
    std::vector<std::shared_ptr<Replicator>> replicators;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [name, replicator] : replicators_)
            replicators.push_back(replicator);
    }
    std::vector<ReplicaStatus> statuses;
    for (const auto& replicator : replicators)
        statuses.push_back(replicator->status());
    return statuses;
}

std::map<std::string, std::vector<ConsistencyResult>> PostgresReplication::consistency() const
{
    std::map<std::string, std::shared_ptr<Replicator>> replicators;
    {
        std::lock_guard lock(mutex_);
        replicators = replicators_;
    }
    std::map<std::string, std::vector<ConsistencyResult>> results;
    for (const auto& [name, replicator] : replicators)
        results[name] = replicator->consistency();
    return results;
}

void PostgresReplication::check(const DatabaseInfo& info)
{
    options_of(info);
}

void PostgresReplication::created(const DatabaseInfo& info)
{
    auto replicator =
        std::make_shared<Replicator>(*engine_, info.name, info.uuid, options_of(info));
    std::lock_guard lock(mutex_);
    if (!started_)
        return; // start() will come
    replicators_[info.name] = replicator;
    replicator->start();
}

void PostgresReplication::dropping(const DatabaseInfo& info)
{
    std::shared_ptr<Replicator> replicator;
    {
        std::lock_guard lock(mutex_);
        const auto found = replicators_.find(info.name);
        if (found == replicators_.end())
            return;
        replicator = std::move(found->second);
        replicators_.erase(found);
    }
    replicator->stop();
    replicator->drop_remote();
}

} // namespace basalt::pg
