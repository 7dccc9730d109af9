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
    live_total_max_bytes_ = options_.live_total_max_bytes;
    if (live_total_max_bytes_ == 0)
    {
        constexpr uint64_t kMost = 1ull << 30;
        const uint64_t limit = memory_ ? memory_->limit_bytes() : 0;
        live_total_max_bytes_ = limit ? std::min(limit / 4, kMost) : kMost;
    }
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

bool StorageService::disk_is_short(uint64_t* free_bytes)
{
    const uint64_t free = files_.free_space(options_.path);
    if (free_bytes)
        *free_bytes = free;
    return free < reserved_bytes();
}

std::string StorageService::table_path(const std::string& uuid) const
{
    return join_path(join_path(join_path(options_.path, "store"), uuid.substr(0, 3)), uuid);
}

std::string StorageService::shadow_path(const std::string& name) const
{
    return join_path(join_path(options_.path, "shadow"), name);
}

std::string StorageService::next_shadow_name()
{
    std::lock_guard lock(shadow_mutex_);
    const std::string directory = join_path(options_.path, "shadow");
    create_durable_directory(files_, directory);
    const std::string path = join_path(directory, "increment.txt");
    const uint64_t last =
        files_.exists(path) ? std::strtoull(files_.read_whole(path).c_str(), nullptr, 10) : 0;
    const std::string next = std::to_string(last + 1);
    files_.replace_whole(path, next + "\n");
    return next;
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
