#include "engine/engine.h"

#include "base/error.h"
#include "base/threads.h"
#include "engine/server_log_access.h"
#include "storage/log/server_log.h"

#include <fmt/format.h>

namespace basalt
{

std::string random_uuid(RandomSource& random)
{
    uint64_t high = random.next_u64(), low = random.next_u64();
    high = (high & ~uint64_t{0xF000}) | 0x4000;
    low = (low & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                       high & 0xFFFF, low >> 48, low & 0xFFFFFFFFFFFF);
}

std::unique_ptr<Transaction> begin_transaction(Engine& engine)
{
    return engine.log().begin();
}

Engine::Engine(FileSystem& files, EngineOptions options)
    : files_(files), options_(std::move(options)),
      memory_("total", options_.memory_limit_bytes ? options_.memory_limit_bytes
                                                   : granted_memory_bytes() / 10 * 9)
{
    start_unix_s_ = system_clock().unix_s();
    server_uuid_ = random_uuid(system_random());
}

Engine::~Engine()
{
    stop();
}

QueryContextPtr Engine::make_context()
{
    auto context = std::make_shared<QueryContext>(&memory_);
    context->server_timezone = options_.timezone;
    context->settings.apply(options_.default_settings);
    context->start();
    return context;
}

void Engine::start()
{
    ServerLogOptions log_options;
    log_options.directory = options_.path + "/log";
    log_ = std::make_unique<ServerLog>(
        files_, log_options, system_clock(), [](const std::string& message)
        { std::fprintf(stderr, "basalt: log: %s\n", message.c_str()); });
    catalog_ = std::make_unique<Catalog>(files_, options_.path);
    register_engines(*this);
    register_all_table_function(*catalog_);
    catalog_->load([this](const std::string& text) { return attach_table(text); });
    if (!catalog_->database_exists("default"))
        catalog_->create_database({"default", "Atomic", random_uuid(system_random()), "", false},
                                  true);
    for (const auto& failure : catalog_->load_failures())
        std::fprintf(stderr, "basalt: table %s was not opened: %s\n", failure.name.full().c_str(),
                     failure.error.c_str());
}

void Engine::stop()
{
    if (stopped_)
        return;
    stopped_ = true;
    processes_.cancel_all();
    if (catalog_)
        catalog_->shutdown();
    catalog_.reset();
    log_.reset();
}

} // namespace basalt
