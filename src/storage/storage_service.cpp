#include "storage/storage_service.h"

#include "base/threads.h"
#include "storage/durable_directory.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

StorageService::StorageService(FileSystem& files, StorageOptions options, MemoryTracker* memory,
                               Clock& clock)
    : files_(files), options_(std::move(options)), memory_(memory), clock_(clock)
{
    create_durable_directory(files_, join_path(options_.path, "store"));
    key_context_ = make_context();
    ServerLogOptions log;
    log.directory = join_path(options_.path, "log");
    log.segment_bytes = options_.log_segment_bytes;
    log_ = std::make_unique<ServerLog>(files_, log, clock_, options_.report);
    const size_t threads =
        options_.merge_threads ? options_.merge_threads : std::max<size_t>(granted_cores(), 1);
    background_ = std::make_unique<Background>(threads,
                                               [this]
                                               {
                                                   if (!log_->wants_checkpoint())
                                                       return false;
                                                   try
                                                   {
                                                       log_->checkpoint();
                                                   }
                                                   catch (const std::exception& error)
                                                   {
                                                       report(error.what());
                                                   }
                                                   return false;
                                               });
}

StorageService::~StorageService()
{
    background_->stop();
}

void StorageService::start()
{
    if (options_.background)
        background_->start();
}

void StorageService::shutdown()
{
    background_->stop();
    try
    {
        log_->checkpoint();
    }
    catch (const std::exception& error)
    {
        // The log has it all: the next start reads more of it.
        report(fmt::format("The last checkpoint was not written: {}", error.what()));
    }
}

std::string StorageService::table_path(const std::string& uuid) const
{
    return join_path(join_path(join_path(options_.path, "store"), uuid.substr(0, 3)), uuid);
}

QueryContextPtr StorageService::make_context() const
{
    auto context = std::make_shared<QueryContext>(memory_);
    context->server_timezone = options_.server_timezone;
    context->clock = &clock_;
    context->start_unix_us = clock_.unix_us();
    return context;
}

void StorageService::report(const std::string& text) const
{
    if (options_.report)
        options_.report(text);
}

void StorageService::set_mutation_binder(MutationBinder binder)
{
    std::lock_guard lock(binder_mutex_);
    binder_ = std::move(binder);
}

StorageService::MutationBinder StorageService::mutation_binder() const
{
    std::lock_guard lock(binder_mutex_);
    return binder_;
}

} // namespace basalt
