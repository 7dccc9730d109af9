#pragma once

// ALTER TABLE and ALTER DATABASE. CREATE INDEX and DROP INDEX arrive as AstAlter too.

#include "sql/ast_create.h"

namespace basalt
{

enum class AlterAction : uint8_t
{
    AddColumn,         // column, if_not_exists, position
    DropColumn,        // name, if_exists
    ModifyColumn,      // column, if_exists, position; or remove / modify_settings / reset_settings
    CommentColumn,     // name, comment, if_exists
    RenameColumn,      // name, new_name, if_exists
    ClearColumn,       // name, partition, if_exists
    MaterializeColumn, // name, partition
    AddIndex,          // declaration, if_not_exists, position
    DropIndex,         // name, if_exists
    ClearIndex,        // name, partition, if_exists
    MaterializeIndex,  // name, partition, if_exists
    AddProjection,     // declaration, if_not_exists, position
    DropProjection,
    ClearProjection,
    MaterializeProjection,
    AddConstraint, // declaration, if_not_exists
    DropConstraint,
    AddStatistics,    // names, statistics types
    ModifyStatistics,
    DropStatistics,
    ClearStatistics,
    MaterializeStatistics,
    ModifyOrderBy, // expression
    ModifySampleBy,
    RemoveSampleBy,
    ModifyTtl, // ttl
    RemoveTtl,
    MaterializeTtl, // partition
    ModifySetting,  // settings
    ResetSetting,   // names
    ModifyQuery,    // select
    ModifyRefresh,  // refresh
    ModifyComment,  // comment
    ModifySqlSecurity,
    Delete, // where, partition
    Update, // assignments, where, partition
    DropPartition,       // partition, detached_parts
    DetachPartition,     // partition
    AttachPartition,     // partition, from_table (ATTACH PARTITION .. FROM)
    DropDetachedPartition, // partition
    ReplacePartition,    // partition, table
    MovePartition,       // partition; to_table, or destination kind and name
    FreezePartition,     // partition or null for all; with_name
    UnfreezePartition,
    FetchPartition, // partition, from
    ForgetPartition,
    ApplyDeletedMask, // partition
    ApplyPatches,
    RewriteParts,
    ModifyDatabaseSetting, // settings
};

enum class MoveDestination : uint8_t
{
    Table,
    Disk,
    Volume,
    Shard,
};

struct AstAlterCommand : AstNode<AstAlterCommand, AstKind::AlterCommand>
{
    AlterAction action = AlterAction::AddColumn;
    bool if_exists = false;
    bool if_not_exists = false;

    std::string name;
    std::string new_name;
    std::vector<std::string> names;

    AstPtr declaration; // column, index, constraint or projection
    bool first = false; // position FIRST
    std::string after;  // position AFTER name
    std::string remove; // MODIFY COLUMN c REMOVE DEFAULT | CODEC | TTL | COMMENT | ...
    // MODIFY COLUMN c MODIFY SETTING .. stands in column_settings, RESET SETTING .. in names.
    bool column_settings_modified = false;
    bool column_settings_reset = false;
    std::vector<SettingChange> column_settings;

    AstPtr partition; // AstPartition
    AstPtr expression; // ORDER BY, SAMPLE BY
    AstList ttl;
    AstList statistics_types; // AstFunction
    AstPtr settings;
    AstPtr select;
    AstPtr refresh;
    AstPtr comment;
    std::string sql_security;
    std::string definer;

    AstPtr where;
    AstList assignments;

    MoveDestination destination = MoveDestination::Table;
    std::string destination_name; // disk, volume, shard path; FETCH: the path it is from
    std::string with_name;        // FREEZE WITH NAME
    AstTableName table;              // REPLACE/ATTACH PARTITION FROM, MOVE PARTITION TO TABLE
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstAlter : AstNode<AstAlter, AstKind::Alter>
{
    bool is_database = false;
    bool temporary = false;
    bool if_exists = false;
    AstTableName table; // a database stands in .database
    std::string cluster;
    bool create_or_drop_index = false; // written CREATE INDEX or DROP INDEX
    AstList commands; // AstAlterCommand
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

} // namespace basalt
