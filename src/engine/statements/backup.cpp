// BACKUP and RESTORE.

#include "base/error.h"
#include "engine/backup/create.h"
#include "engine/backup/location.h"
#include "engine/select.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string text_of(const SettingChange& change)
{
    const auto* literal = change.value ? change.value->as<AstLiteral>() : nullptr;
    if (!literal)
        throw Error(error_codes::CANNOT_PARSE_BACKUP_SETTINGS,
                    fmt::format("Setting {} must be a literal", change.name));
    return literal->text;
}

bool flag_of(const SettingChange& change)
{
    const std::string text = text_of(change);
    if (text != "0" && text != "1" && text != "true" && text != "false")
        throw Error(error_codes::CANNOT_PARSE_BACKUP_SETTINGS,
                    fmt::format("Setting {} is 0 or 1, not '{}'", change.name, text));
    return text == "1" || text == "true";
}

BackupOptions::Create create_of(const SettingChange& change)
{
    const std::string text = text_of(change);
    if (text == "if-not-exists")
        return BackupOptions::Create::IfNotExists;
    return flag_of(change) ? BackupOptions::Create::Yes : BackupOptions::Create::No;
}

BackupOptions options_of(const AstBackup& backup, StatementContext& statement, bool& is_async)
{
    const std::string root = statement.engine.backups_path();
    BackupOptions options;
    options.location = backup_location(*backup.location, root).text;
    is_async = backup.async;
    if (!backup.settings)
        return options;
    // What concerns clusters, remote stores and threads: nothing to do here.
    static const std::set<std::string, std::less<>> kWithoutEffect = {
        "deduplicate_files", "backup_restore_keeper_fault_injection_probability", "internal",
        "host_id", "replica_num", "shard_num", "allow_s3_native_copy", "s3_storage_class",
        "read_from_filesystem_cache", "experimental_lightweight_snapshot", "compression_method",
        "compression_level", "checksum_data_file_name", "use_same_s3_credentials_for_base_backup",
        "azure_attempt_to_create_container", "skip_unresolved_access_dependencies",
        "update_access_entities_dependents", "allow_unresolved_access_dependencies",
        "check_parts", "check_projection_parts", "allow_backup_broken_projections"};
    for (const auto& change : backup.settings->as<AstSetQuery>()->changes)
    {
        if (change.name == "id")
            options.id = text_of(change);
        else if (change.name == "async")
            is_async = flag_of(change);
        else if (change.name == "base_backup")
            options.base_location = backup_location(*change.value, root).text;
        else if (change.name == "structure_only")
            options.structure_only = flag_of(change);
        else if (change.name == "allow_non_empty_tables" && backup.restore)
            options.allow_non_empty_tables = flag_of(change);
        else if (change.name == "allow_different_table_def" && backup.restore)
            options.allow_different_table_def = flag_of(change);
        else if (change.name == "allow_different_database_def" && backup.restore)
            flag_of(change);
        else if (change.name == "create_table" && backup.restore)
            options.create_table = create_of(change);
        else if (change.name == "create_database" && backup.restore)
            options.create_database = create_of(change);
        else if (change.name == "password")
            throw Error(error_codes::NOT_IMPLEMENTED, "Encrypted backups are not implemented");
        else if (Settings::exists(change.name))
            statement.context->settings.set(change.name, text_of(change));
        else if (!kWithoutEffect.contains(change.name))
            throw Error(error_codes::UNKNOWN_SETTING,
                        fmt::format("Unknown setting {} of {}", change.name,
                                    backup.restore ? "RESTORE" : "BACKUP"));
    }
    return options;
}

ResultPtr result_of(const std::string& id, BackupStatus status)
{
    const TypePtr type = type_from_name(backup_status_type());
    auto ids = std::make_shared<StringColumn>();
    ids->append(id);
    auto statuses = type->create_column();
    statuses->append_value(static_cast<int64_t>(status));
    Block block({{ids, type_from_name("String"), "id"}, {statuses, type, "status"}});
    return result_of_blocks(block.header(), {block});
}

} // namespace

ResultPtr run_backup(const std::shared_ptr<const AstBackup>& backup, StatementContext& statement)
{
    if (!backup->cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    Engine& engine = statement.engine;
    bool is_async = false;
    BackupOptions options = options_of(*backup, statement, is_async);
    if (options.id.empty())
        options.id = random_uuid(*statement.context->random);
    BackupInfo info;
    info.id = options.id;
    info.name = options.location;
    info.base_name = options.base_location;
    info.query_id = statement.context->query_id;
    info.status = backup->restore ? BackupStatus::Restoring : BackupStatus::CreatingBackup;
    info.start_unix_us = statement.context->clock->unix_us();
    const uint64_t number = engine.backups().begin(std::move(info));

    const auto work = [backup, options, number](StatementContext& context)
    {
        Backups& backups = context.engine.backups();
        const auto end = [&](BackupStatus status, const std::string& error)
        {
            backups.update(number,
                           [&](BackupInfo& known)
                           {
                               known.status = status;
                               known.error = error;
                               known.end_unix_us = context.context->clock->unix_us();
                           });
        };
        const BackupProgress progress = [&](const auto& change)
        { backups.update(number, change); };
        try
        {
            if (backup->restore)
                restore_backup(backup->elements, options, context, progress);
            else
                create_backup(backup->elements, options, context, progress);
        }
        catch (const Error& error)
        {
            const bool is_cancelled = error.code() == error_codes::QUERY_WAS_CANCELLED;
            end(backup->restore ? (is_cancelled ? BackupStatus::RestoreCancelled
                                                : BackupStatus::RestoreFailed)
                                : (is_cancelled ? BackupStatus::BackupCancelled
                                                : BackupStatus::BackupFailed),
                error.full_text());
            throw;
        }
        end(backup->restore ? BackupStatus::Restored : BackupStatus::BackupCreated, "");
    };
    if (!is_async)
    {
        work(statement);
        return result_of(options.id,
                         backup->restore ? BackupStatus::Restored : BackupStatus::BackupCreated);
    }
    // The session goes on without it.
    auto context = engine.make_context();
    context->settings = statement.context->settings;
    context->query_id = statement.context->query_id;
    context->current_database = statement.context->current_database;
    engine.backups().run(context,
                         [&engine, context, work]
                         {
                             Session session;
                             QueryRequest request;
                             StatementContext own{engine, session, context, request, nullptr,
                                                  nullptr};
                             try
                             {
                                 work(own);
                             }
                             catch (const std::exception&)
                             {
                                 // system.backups tells.
                             }
                         });
    return result_of(options.id,
                     backup->restore ? BackupStatus::Restoring : BackupStatus::CreatingBackup);
}

} // namespace basalt
