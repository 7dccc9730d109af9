#include "sql/format_impl.h"

namespace basalt
{

void FormatWriter::partition(const AstPartition& ast)
{
    if (ast.is_part)
    {
        out += "PART ";
        expression(*ast.id);
    }
    else if (ast.all)
        out += "PARTITION ALL";
    else if (ast.id != nullptr)
    {
        out += "PARTITION ID ";
        expression(*ast.id);
    }
    else
    {
        out += "PARTITION ";
        expression(*ast.value);
    }
}

void FormatWriter::in_partition(const AstPtr& ast)
{
    if (ast == nullptr)
        return;
    out += " IN ";
    partition(*ast->as<AstPartition>());
}

void FormatWriter::alter(const AstAlter& ast)
{
    if (ast.create_or_drop_index)
    {
        const auto& command = *ast.commands.front()->as<AstAlterCommand>();
        if (command.action == AlterAction::DropIndex)
        {
            out += command.if_exists ? "DROP INDEX IF EXISTS " : "DROP INDEX ";
            name(command.name);
            out += " ON ";
            table_name(ast.table);
            on_cluster(ast.cluster);
            return;
        }
        const auto& index = *command.declaration->as<AstIndexDeclaration>();
        out += index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
        out += command.if_not_exists ? "IF NOT EXISTS " : "";
        name(index.name);
        out += " ON ";
        table_name(ast.table);
        on_cluster(ast.cluster);
        out += ' ';
        expression(*index.expression);
        if (index.type != nullptr)
        {
            out += " TYPE ";
            expression(*index.type);
        }
        if (index.granularity != nullptr)
        {
            out += " GRANULARITY ";
            expression(*index.granularity);
        }
        return;
    }
    out += ast.is_database ? "ALTER DATABASE "
           : ast.temporary ? "ALTER TEMPORARY TABLE "
                           : "ALTER TABLE ";
    out += ast.if_exists ? "IF EXISTS " : "";
    if (ast.is_database)
        database_name(ast.table.database, ast.table.database_parameter);
    else
        table_name(ast.table);
    on_cluster(ast.cluster);
    ++indent_;
    for (size_t i = 0; i < ast.commands.size(); ++i)
    {
        out += i == 0 ? "" : ",";
        line_break();
        out += '(';
        alter_command(*ast.commands[i]->as<AstAlterCommand>());
        out += ')';
    }
    --indent_;
    settings_clause(ast.settings);
}

void FormatWriter::alter_command(const AstAlterCommand& ast)
{
    const auto with_name = [&](const char* words)
    {
        out += words;
        out += ast.if_exists ? "IF EXISTS " : "";
        dotted_name(ast.name);
        in_partition(ast.partition);
    };
    const auto add = [&](const char* words)
    {
        out += words;
        out += ast.if_not_exists ? "IF NOT EXISTS " : "";
    };
    const auto with_partition = [&](const char* words)
    {
        out += words;
        if (ast.partition != nullptr)
            partition(*ast.partition->as<AstPartition>());
    };
    const auto names = [&]
    {
        for (size_t i = 0; i < ast.names.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            if (ast.names[i] == "*")
                out += "ALL";
            else
                name(ast.names[i]);
        }
    };
    const auto statistics = [&](const char* words)
    {
        out += words;
        out += ast.if_exists ? "IF EXISTS " : ast.if_not_exists ? "IF NOT EXISTS " : "";
        names();
        if (!ast.statistics_types.empty())
        {
            out += " TYPE ";
            list(ast.statistics_types);
        }
    };
    const auto position = [&]
    {
        if (ast.first)
            out += " FIRST";
        else if (!ast.after.empty())
        {
            out += " AFTER ";
            dotted_name(ast.after);
        }
    };
    switch (ast.action)
    {
    case AlterAction::AddColumn:
        add("ADD COLUMN ");
        column(*ast.declaration->as<AstColumnDeclaration>());
        position();
        break;
    case AlterAction::DropColumn:
        with_name("DROP COLUMN ");
        break;
    case AlterAction::ClearColumn:
        with_name("CLEAR COLUMN ");
        break;
    case AlterAction::MaterializeColumn:
        with_name("MATERIALIZE COLUMN ");
        break;
    case AlterAction::ModifyColumn:
        out += ast.if_exists ? "MODIFY COLUMN IF EXISTS " : "MODIFY COLUMN ";
        column(*ast.declaration->as<AstColumnDeclaration>());
        if (!ast.remove.empty())
            out += " REMOVE " + ast.remove;
        else if (ast.column_settings_modified)
        {
            out += " MODIFY SETTING ";
            setting_changes(ast.column_settings);
        }
        else if (ast.column_settings_reset)
        {
            out += " RESET SETTING ";
            names();
        }
        position();
        break;
    case AlterAction::CommentColumn:
        with_name("COMMENT COLUMN ");
        out += ' ';
        expression(*ast.comment);
        break;
    case AlterAction::RenameColumn:
        with_name("RENAME COLUMN ");
        out += " TO ";
        dotted_name(ast.new_name);
        break;
    case AlterAction::AddIndex:
        add("ADD INDEX ");
        index(*ast.declaration->as<AstIndexDeclaration>());
        position();
        break;
    case AlterAction::DropIndex:
        with_name("DROP INDEX ");
        break;
    case AlterAction::ClearIndex:
        with_name("CLEAR INDEX ");
        break;
    case AlterAction::MaterializeIndex:
        with_name("MATERIALIZE INDEX ");
        break;
    case AlterAction::AddProjection:
        add("ADD PROJECTION ");
        projection(*ast.declaration->as<AstProjectionDeclaration>());
        position();
        break;
    case AlterAction::DropProjection:
        with_name("DROP PROJECTION ");
        break;
    case AlterAction::ClearProjection:
        with_name("CLEAR PROJECTION ");
        break;
    case AlterAction::MaterializeProjection:
        with_name("MATERIALIZE PROJECTION ");
        break;
    case AlterAction::AddConstraint:
        add("ADD CONSTRAINT ");
        constraint(*ast.declaration->as<AstConstraintDeclaration>());
        break;
    case AlterAction::DropConstraint:
        with_name("DROP CONSTRAINT ");
        break;
    case AlterAction::AddStatistics:
        statistics("ADD STATISTICS ");
        break;
    case AlterAction::ModifyStatistics:
        statistics("MODIFY STATISTICS ");
        break;
    case AlterAction::DropStatistics:
        statistics("DROP STATISTICS ");
        break;
    case AlterAction::ClearStatistics:
        statistics("CLEAR STATISTICS ");
        break;
    case AlterAction::MaterializeStatistics:
        statistics("MATERIALIZE STATISTICS ");
        break;
    case AlterAction::ModifyOrderBy:
    {
        out += "MODIFY ";
        AstStorage key;
        key.order_by = ast.expression;
        const bool multiline = multiline_;
        multiline_ = false;
        out.pop_back();
        storage(key);
        multiline_ = multiline;
        break;
    }
    case AlterAction::ModifySampleBy:
        out += "MODIFY SAMPLE BY ";
        expression(*ast.expression);
        break;
    case AlterAction::RemoveSampleBy:
        out += "REMOVE SAMPLE BY";
        break;
    case AlterAction::ModifyTtl:
        out += "MODIFY TTL ";
        ttl_list(ast.ttl);
        break;
    case AlterAction::RemoveTtl:
        out += "REMOVE TTL";
        break;
    case AlterAction::MaterializeTtl:
        out += "MATERIALIZE TTL";
        in_partition(ast.partition);
        break;
    case AlterAction::ModifySetting:
    case AlterAction::ModifyDatabaseSetting:
        out += "MODIFY SETTING ";
        settings(*ast.settings);
        break;
    case AlterAction::ResetSetting:
        out += "RESET SETTING ";
        names();
        break;
    case AlterAction::ModifyQuery:
        out += "MODIFY QUERY ";
        node(*ast.select);
        break;
    case AlterAction::ModifyRefresh:
        out += "MODIFY ";
        refresh(*ast.refresh->as<AstRefreshStrategy>());
        break;
    case AlterAction::ModifyComment:
        out += "MODIFY COMMENT ";
        expression(*ast.comment);
        break;
    case AlterAction::ModifySqlSecurity:
        out += "MODIFY ";
        sql_security(ast.sql_security, ast.definer);
        break;
    case AlterAction::Delete:
        out += "DELETE";
        in_partition(ast.partition);
        out += " WHERE ";
        expression(*ast.where);
        break;
    case AlterAction::Update:
        out += "UPDATE ";
        assignments(ast.assignments);
        in_partition(ast.partition);
        out += " WHERE ";
        expression(*ast.where);
        break;
    case AlterAction::DropPartition:
        with_partition("DROP ");
        break;
    case AlterAction::DetachPartition:
        with_partition("DETACH ");
        break;
    case AlterAction::AttachPartition:
        with_partition("ATTACH ");
        if (!ast.table.table.empty() || ast.table.table_parameter != nullptr)
        {
            out += " FROM ";
            table_name(ast.table);
        }
        break;
    case AlterAction::DropDetachedPartition:
        with_partition("DROP DETACHED ");
        break;
    case AlterAction::ReplacePartition:
        with_partition("REPLACE ");
        out += " FROM ";
        table_name(ast.table);
        break;
    case AlterAction::MovePartition:
        with_partition("MOVE ");
        if (ast.destination == MoveDestination::Table)
        {
            out += " TO TABLE ";
            table_name(ast.table);
            break;
        }
        out += ast.destination == MoveDestination::Disk     ? " TO DISK "
               : ast.destination == MoveDestination::Volume ? " TO VOLUME "
                                                            : " TO SHARD ";
        out += quote_string(ast.destination_name);
        break;
    case AlterAction::FreezePartition:
    case AlterAction::UnfreezePartition:
        out += ast.action == AlterAction::FreezePartition ? "FREEZE" : "UNFREEZE";
        with_partition(ast.partition == nullptr ? "" : " ");
        if (!ast.with_name.empty())
            out += " WITH NAME " + quote_string(ast.with_name);
        break;
    case AlterAction::FetchPartition:
        with_partition("FETCH ");
        out += " FROM " + quote_string(ast.destination_name);
        break;
    case AlterAction::ForgetPartition:
        with_partition("FORGET ");
        break;
    case AlterAction::ApplyDeletedMask:
        out += "APPLY DELETED MASK";
        in_partition(ast.partition);
        break;
    case AlterAction::ApplyPatches:
        out += "APPLY PATCHES";
        in_partition(ast.partition);
        break;
    case AlterAction::RewriteParts:
        out += "REWRITE PARTS";
        in_partition(ast.partition);
        break;
    }
}

} // namespace basalt
