#include "sql/format_impl.h"

namespace basalt
{

namespace
{

const char* show_words(ShowKind kind)
{
    switch (kind)
    {
    case ShowKind::Tables:
        return "TABLES";
    case ShowKind::Dictionaries:
        return "DICTIONARIES";
    case ShowKind::Databases:
        return "DATABASES";
    case ShowKind::Clusters:
        return "CLUSTERS";
    case ShowKind::Cluster:
        return "CLUSTER";
    case ShowKind::CreateTable:
        return "CREATE TABLE";
    case ShowKind::CreateView:
        return "CREATE VIEW";
    case ShowKind::CreateDictionary:
        return "CREATE DICTIONARY";
    case ShowKind::CreateDatabase:
        return "CREATE DATABASE";
    case ShowKind::CreateFunction:
        return "CREATE FUNCTION";
    case ShowKind::CreateUser:
        return "CREATE USER";
    case ShowKind::CreateRole:
        return "CREATE ROLE";
    case ShowKind::CreateRowPolicy:
        return "CREATE ROW POLICY";
    case ShowKind::CreateQuota:
        return "CREATE QUOTA";
    case ShowKind::CreateSettingsProfile:
        return "CREATE SETTINGS PROFILE";
    case ShowKind::Columns:
        return "COLUMNS";
    case ShowKind::Indexes:
        return "INDEXES";
    case ShowKind::Functions:
        return "FUNCTIONS";
    case ShowKind::Settings:
        return "SETTINGS";
    case ShowKind::Setting:
        return "SETTING";
    case ShowKind::ProcessList:
        return "PROCESSLIST";
    case ShowKind::Grants:
        return "GRANTS";
    case ShowKind::Engines:
        return "ENGINES";
    case ShowKind::Formats:
        return "FORMATS";
    case ShowKind::Merges:
        return "MERGES";
    case ShowKind::FilesystemCaches:
        return "FILESYSTEM CACHES";
    case ShowKind::Users:
        return "USERS";
    case ShowKind::Roles:
        return "ROLES";
    case ShowKind::CurrentRoles:
        return "CURRENT ROLES";
    case ShowKind::EnabledRoles:
        return "ENABLED ROLES";
    case ShowKind::RowPolicies:
        return "ROW POLICIES";
    case ShowKind::Quotas:
        return "QUOTAS";
    case ShowKind::CurrentQuota:
        return "CURRENT QUOTA";
    case ShowKind::SettingsProfiles:
        return "SETTINGS PROFILES";
    case ShowKind::Access:
        return "ACCESS";
    case ShowKind::Privileges:
        return "PRIVILEGES";
    case ShowKind::NamedCollections:
        return "NAMED COLLECTIONS";
    }
    return "";
}

} // namespace

void FormatWriter::show(const AstShow& ast)
{
    out += "SHOW ";
    out += ast.changed ? "CHANGED " : "";
    out += ast.extended ? "EXTENDED " : "";
    out += ast.full ? "FULL " : "";
    const bool create_temporary = ast.temporary && ast.show == ShowKind::CreateTable;
    out += ast.temporary && !create_temporary ? "TEMPORARY " : "";
    out += create_temporary ? "CREATE TEMPORARY TABLE" : show_words(ast.show);
    for (size_t i = 0; i < ast.names.size(); ++i)
    {
        out += i > 0 ? ", " : ast.show == ShowKind::Grants ? " FOR " : " ";
        user_name(ast.names[i]);
    }
    switch (ast.show)
    {
    case ShowKind::CreateDatabase:
        out += ' ';
        database_name(ast.name.database, ast.name.database_parameter);
        break;
    case ShowKind::CreateTable:
    case ShowKind::CreateView:
    case ShowKind::CreateDictionary:
    case ShowKind::CreateFunction:
        out += ' ';
        table_name(ast.name);
        break;
    case ShowKind::RowPolicies:
    case ShowKind::CreateRowPolicy:
        if (!ast.name.table.empty())
        {
            out += " ON ";
            table_name(ast.name);
        }
        break;
    case ShowKind::Columns:
    case ShowKind::Indexes:
    {
        AstTableName table = ast.name;
        table.database.clear();
        table.database_parameter = nullptr;
        out += " FROM ";
        table_name(table);
        if (!ast.name.database.empty())
        {
            out += " FROM ";
            name(ast.name.database);
        }
        break;
    }
    default:
        if (!ast.database.empty() || ast.name.database_parameter != nullptr)
        {
            out += " FROM ";
            database_name(ast.database, ast.name.database_parameter);
        }
    }
    like(ast.like, ast.not_like, ast.case_insensitive_like);
    if (ast.where != nullptr)
    {
        out += " WHERE ";
        expression(*ast.where);
    }
    if (ast.limit != nullptr)
    {
        out += " LIMIT ";
        expression(*ast.limit);
    }
    out += ast.with_implicit ? " WITH IMPLICIT" : "";
    out += ast.with_final ? " FINAL" : "";
}

} // namespace basalt
