#include "engine/engine.h"

#include "base/error.h"
#include "base/threads.h"
#include "engine/backup/create.h"
#include "engine/make_table.h"
#include "storage/storage_service.h"

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

Engine::Engine(FileSystem& files, EngineOptions options)
    : files_(files), options_(std::move(options)),
      memory_("total", options_.memory_limit_bytes ? options_.memory_limit_bytes
                                                   : granted_memory_bytes() / 10 * 9),
      access_(files_, options_.path), authentication_(access_, *options_.clock)
{
    start_unix_s_ = options_.clock->unix_s();
    server_uuid_ = random_uuid(system_random());
}

Engine::~Engine()
{
    stop();
}

std::string Engine::backups_path() const
{
    return options_.backups_path.empty() ? join_path(options_.path, "backups")
                                         : options_.backups_path;
}

QueryContextPtr Engine::make_context()
{
    auto context = std::make_shared<QueryContext>(&memory_);
    context->server_timezone = options_.timezone;
    context->clock = options_.clock;
    context->settings.apply(options_.default_settings);
    context->start();
    return context;
}

void Engine::start()
{
    // First: a server that does not know its users must not open.
    access_.load();
    access_.add_from_config(options_.access_statements);
    if (!options_.default_password.empty())
        access_.set_default_password(options_.default_password);
    remove_unfinished_backups(files_, backups_path());
    StorageOptions storage;
    storage.path = options_.path;
    storage.server_timezone = options_.timezone;
    storage.report = [](const std::string& message)
    { std::fprintf(stderr, "basalt: %s\n", message.c_str()); };
    if (options_.adjust_storage)
        options_.adjust_storage(storage);
    storage_ = std::make_unique<StorageService>(files_, storage, &memory_, *options_.clock);
    catalog_ = std::make_unique<Catalog>(files_, options_.path);
    register_engines(*this);
    register_all_table_function(*catalog_);
    if (options_.register_more)
        options_.register_more(*this);
    storage_->set_mutation_binder(
        [this](const Table& table, const std::string& text, QueryContextPtr context)
        { return bind_mutation_text(*this, table, text, context); });
    catalog_->load([this](const std::string& text) { return attach_table(*this, text); });
    for (const auto& database : catalog_->databases())
        for (const auto& table : catalog_->tables(database.name))
            try
            {
                finish_alter(*this, table->table_name());
            }
            catch (const Error& error)
            {
                // Under its old description it would show wrong values.
                std::fprintf(stderr, "basalt: table %s was not opened: %s\n",
                             table->table_name().full().c_str(), error.full_text().c_str());
                catalog_->detach_table(table->table_name(), false);
            }
    if (!catalog_->database_exists("default"))
        catalog_->create_database({"default", "Atomic", random_uuid(system_random()), "", false},
                                  true);
    for (const auto& failure : catalog_->load_failures())
        std::fprintf(stderr, "basalt: table %s was not opened: %s\n",
                     failure.name.full().c_str(), failure.error.c_str());
    storage_->start();
}

void Engine::stop()
{
    if (stopped_)
        return;
    stopped_ = true;
    processes_.cancel_all();
    backups_.stop();
    async_inserts_.stop();
    if (catalog_)
        catalog_->shutdown();
    if (storage_)
        storage_->shutdown();
    catalog_.reset();
    storage_.reset();
}

} // namespace basalt
