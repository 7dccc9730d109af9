#include "engine/alter_privilege.h"

namespace basalt
{

const char* alter_privilege(AlterAction action)
{
    switch (action)
    {
    case AlterAction::AddIndex:
        return "ALTER ADD INDEX";
    case AlterAction::DropIndex:
        return "ALTER DROP INDEX";
    case AlterAction::ClearIndex:
        return "ALTER CLEAR INDEX";
    case AlterAction::MaterializeIndex:
        return "ALTER MATERIALIZE INDEX";
    case AlterAction::AddProjection:
        return "ALTER ADD PROJECTION";
    case AlterAction::DropProjection:
        return "ALTER DROP PROJECTION";
    case AlterAction::ClearProjection:
        return "ALTER CLEAR PROJECTION";
    case AlterAction::MaterializeProjection:
        return "ALTER MATERIALIZE PROJECTION";
    case AlterAction::AddConstraint:
        return "ALTER ADD CONSTRAINT";
    case AlterAction::DropConstraint:
        return "ALTER DROP CONSTRAINT";
    case AlterAction::AddStatistics:
    case AlterAction::ModifyStatistics:
    case AlterAction::DropStatistics:
    case AlterAction::ClearStatistics:
    case AlterAction::MaterializeStatistics:
        return "ALTER STATISTICS";
    case AlterAction::ModifyOrderBy:
        return "ALTER ORDER BY";
    case AlterAction::ModifySampleBy:
    case AlterAction::RemoveSampleBy:
        return "ALTER SAMPLE BY";
    case AlterAction::ModifyTtl:
    case AlterAction::RemoveTtl:
        return "ALTER TTL";
    case AlterAction::MaterializeTtl:
        return "ALTER MATERIALIZE TTL";
    case AlterAction::ModifySetting:
    case AlterAction::ResetSetting:
        return "ALTER SETTINGS";
    case AlterAction::ModifyQuery:
        return "ALTER VIEW MODIFY QUERY";
    case AlterAction::ModifyRefresh:
        return "ALTER VIEW MODIFY REFRESH";
    case AlterAction::ModifySqlSecurity:
        return "ALTER VIEW MODIFY SQL SECURITY";
    case AlterAction::ModifyComment:
        return "ALTER MODIFY COMMENT";
    case AlterAction::Delete:
    case AlterAction::DropPartition:
    case AlterAction::DetachPartition:
    case AlterAction::DropDetachedPartition:
    case AlterAction::ForgetPartition:
    case AlterAction::ApplyDeletedMask:
        return "ALTER DELETE";
    case AlterAction::ApplyPatches:
        return "ALTER UPDATE";
    case AlterAction::FreezePartition:
    case AlterAction::UnfreezePartition:
        return "ALTER FREEZE PARTITION";
    case AlterAction::FetchPartition:
        return "ALTER FETCH PARTITION";
    case AlterAction::RewriteParts:
        return "ALTER REWRITE PARTS";
    default:
        return "ALTER"; // those that need more than one privilege of one table
    }
}

} // namespace basalt
