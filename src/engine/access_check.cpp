#include "engine/access_check.h"

#include "base/error.h"
#include "catalog/view.h"
#include "engine/alter_privilege.h"
#include "engine/insert.h"
#include "engine/select.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

std::string lower_case(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return text;
}

class Checker
{
public:
    Checker(const EffectiveAccess& access, StatementContext& statement)
        : access_(access), statement_(statement)
    {
    }

    void check(const Ast& ast)
    {
        switch (ast.kind)
        {
        case AstKind::Select:
        case AstKind::SelectUnion:
        case AstKind::SetQuery:
        case AstKind::Transaction:
            return; // read checks, setting checks
        case AstKind::Explain:
            if (const auto* insert = inner(static_cast<const AstExplain&>(ast)).as<AstInsert>())
                check_insert(*insert);
            return;
        case AstKind::Insert:
            return check_insert(*ast.as<AstInsert>());
        case AstKind::CreateTable:
            return check_create(*ast.as<AstCreateTable>());
        case AstKind::CreateDatabase:
            return check_create_database(*ast.as<AstCreateDatabase>());
        case AstKind::CreateFunction:
            return access_.require("CREATE FUNCTION");
        case AstKind::CreateDictionary:
            return on_stored("CREATE DICTIONARY", ast.as<AstCreateDictionary>()->name);
        case AstKind::Drop:
            return check_drop(*ast.as<AstDrop>());
        case AstKind::Rename:
            return check_rename(*ast.as<AstRename>());
        case AstKind::Alter:
            return check_alter(*ast.as<AstAlter>());
        case AstKind::Delete:
            return on_table("ALTER DELETE", ast.as<AstDelete>()->table);
        case AstKind::Update:
            return check_update(*ast.as<AstUpdate>());
        case AstKind::Optimize:
            return on_table("OPTIMIZE", ast.as<AstOptimize>()->table);
        case AstKind::Check:
            if (ast.as<AstCheck>()->all_tables)
                return access_.require("CHECK");
            return on_table("CHECK", ast.as<AstCheck>()->table);
        case AstKind::Exists:
            return check_exists(*ast.as<AstExists>());
        case AstKind::Describe:
            return check_describe(*ast.as<AstDescribe>());
        case AstKind::Show:
            return check_show(*ast.as<AstShow>());
        case AstKind::Use:
            return access_.require("SHOW DATABASES", {ast.as<AstUse>()->database, {}, {}});
        case AstKind::Kill:
            return; // one's own queries; run_kill leaves out those of others
        case AstKind::System:
            return check_system(*ast.as<AstSystem>());
        case AstKind::Backup:
            return check_backup(*ast.as<AstBackup>());
        default:
            return check_access_statement(ast, statement_);
        }
    }

private:
    static const Ast& inner(const AstExplain& explain)
    {
        if (!explain.query)
            return explain;
        const auto* output = explain.query->as<AstQuery>();
        return output ? *output->statement : *explain.query;
    }

    bool is_temporary(const AstTableName& name) const
    {
        return name.database.empty() && statement_.session.temporary_tables.contains(name.table);
    }

    AccessPlace place(const AstTableName& name, const std::string& column = {}) const
    {
        const TableName full = statement_.resolve(name);
        return {full.database, full.table, column};
    }

    // Of a statement that means the catalog's table, whatever temporary tables the session has.
    void on_stored(std::string_view privilege, const AstTableName& name)
    {
        access_.require(privilege, place(name));
    }

    // Of a statement that takes the session's temporary table first.
    void on_table(std::string_view privilege, const AstTableName& name)
    {
        if (!is_temporary(name))
            access_.require(privilege, place(name));
    }

    void on_column(std::string_view privilege, const AstTableName& name, const std::string& column)
    {
        if (!is_temporary(name))
            access_.require(privilege, place(name, column));
    }

    void check_insert(const AstInsert& insert)
    {
        if (insert.table_function)
            return check_table_function(insert.table_function->as<AstFunction>()->name, access_);
        if (is_temporary(insert.target))
            return;
        if (access_.granted("INSERT", place(insert.target).database, insert.target.table, {}))
            return;
        const TablePtr table = statement_.get_table(insert.target);
        for (const auto& column : insert_header(insert, *table->metadata()))
            on_column("INSERT", insert.target, column.name);
    }

    void check_create(const AstCreateTable& create)
    {
        if (create.temporary)
            access_.require("CREATE TEMPORARY TABLE");
        else
        {
            const bool is_view = create.create != CreateKind::Table;
            on_stored(is_view ? "CREATE VIEW" : "CREATE TABLE", create.name);
            if (create.replace_table || create.create_or_replace)
                on_stored(is_view ? "DROP VIEW" : "DROP TABLE", create.name);
        }
        if (create.storage)
            if (const auto& engine = create.storage->as<AstStorage>()->engine)
                check_source(engine->as<AstFunction>()->name);
        if (!create.as_table.table.empty())
            on_stored("SHOW COLUMNS", create.as_table);
        if (create.create != CreateKind::MaterializedView)
            return;
        // The view works as the server, so its maker must be allowed to do what it will do.
        if (!create.to_table.table.empty())
            on_stored("INSERT", create.to_table);
        if (create.select)
        {
            AnalyzerContext analyzer = make_analyzer(statement_);
            analyze(create.select, analyzer);
        }
    }

    void check_create_database(const AstCreateDatabase& create)
    {
        access_.require("CREATE DATABASE", {create.name, {}, {}});
        if (create.storage)
            if (const auto& engine = create.storage->as<AstStorage>()->engine)
                check_source(engine->as<AstFunction>()->name);
    }

    // Engines that read and write elsewhere.
    void check_source(const std::string& engine)
    {
        const std::string lower = lower_case(engine);
        if (lower.find("postgresql") != std::string::npos)
            access_.require("POSTGRES");
        else if (lower == "file")
            access_.require("FILE");
        else if (lower == "url")
            access_.require("URL");
    }

    void check_drop(const AstDrop& drop)
    {
        switch (drop.object)
        {
        case ObjectKind::Database:
        case ObjectKind::AllTables:
        case ObjectKind::TablesLike:
        {
            const std::string& database =
                drop.database.empty() && !drop.names.empty() ? drop.names[0].database
                                                             : drop.database;
            const std::string privilege =
                drop.action == DropAction::Truncate ? "TRUNCATE" : "DROP DATABASE";
            // Its tables go with it.
            access_.require(privilege, {database, {}, {}});
            auto& catalog = statement_.engine.catalog();
            if (drop.action == DropAction::Drop && catalog.database_exists(database))
                for (const auto& table : catalog.tables(database))
                    access_.require("DROP TABLE", {database, table->table_name().table, {}});
            return;
        }
        case ObjectKind::Function:
            return access_.require("DROP FUNCTION");
        case ObjectKind::View:
        case ObjectKind::Table:
        case ObjectKind::Dictionary:
            break;
        default:
            return access_.require("ALL");
        }
        for (const auto& name : drop.names)
        {
            // DETACH means the catalog's.
            if (is_temporary(name) && drop.action != DropAction::Detach)
                continue;
            if (drop.temporary && name.database.empty())
                continue; // there is none: an error, not the catalog's
            if (drop.action == DropAction::Truncate)
                on_table("TRUNCATE", name);
            else if (drop.action == DropAction::Undrop)
                on_table("UNDROP TABLE", name);
            else
            {
                const TablePtr table = statement_.engine.catalog().find_table(
                    statement_.resolve(name));
                const bool is_view = table ? table->engine_name().ends_with("View")
                                           : drop.object == ObjectKind::View;
                on_stored(is_view                                   ? "DROP VIEW"
                          : drop.object == ObjectKind::Dictionary ? "DROP DICTIONARY"
                                                                    : "DROP TABLE",
                          name);
            }
        }
    }

    void check_rename(const AstRename& rename)
    {
        const auto moves = [&](const AstTableName& from, const AstTableName& to)
        {
            if (rename.object == ObjectKind::Database)
            {
                access_.require("DROP DATABASE", {from.database, {}, {}});
                access_.require("CREATE DATABASE", {to.database, {}, {}});
                return;
            }
            for (const char* privilege : {"SELECT", "DROP TABLE"})
                on_stored(privilege, from);
            for (const char* privilege : {"CREATE TABLE", "INSERT"})
                on_stored(privilege, to);
        };
        for (const auto& pair : rename.pairs)
        {
            moves(pair.from, pair.to);
            if (rename.exchange)
                moves(pair.to, pair.from);
        }
    }

    void check_update(const AstUpdate& update)
    {
        for (const auto& assignment : update.assignments)
            on_column("ALTER UPDATE", update.table,
                      assignment->as<AstAssignment>()->column);
    }

    void check_alter(const AstAlter& alter)
    {
        if (alter.is_database)
        {
            for (const auto& command : alter.commands)
                access_.require(command->as<AstAlterCommand>()->action ==
                                        AlterAction::ModifyComment
                                    ? "ALTER MODIFY DATABASE COMMENT"
                                    : "ALTER DATABASE SETTINGS",
                                {alter.table.database, {}, {}});
            return;
        }
        for (const auto& one : alter.commands)
            check_command(alter.table, *one->as<AstAlterCommand>());
    }

    void check_command(const AstTableName& table, const AstAlterCommand& command)
    {
        const auto declared = [&]
        {
            const auto* column =
                command.declaration ? command.declaration->as<AstColumnDeclaration>() : nullptr;
            return column ? column->name : command.name;
        };
        switch (command.action)
        {
        case AlterAction::AddColumn:
            return on_column("ALTER ADD COLUMN", table, declared());
        case AlterAction::DropColumn:
            return on_column("ALTER DROP COLUMN", table, command.name);
        case AlterAction::ModifyColumn:
            return on_column("ALTER MODIFY COLUMN", table, declared());
        case AlterAction::CommentColumn:
            return on_column("ALTER COMMENT COLUMN", table, command.name);
        case AlterAction::RenameColumn:
            return on_column("ALTER RENAME COLUMN", table, command.name);
        case AlterAction::ClearColumn:
            return on_column("ALTER CLEAR COLUMN", table, command.name);
        case AlterAction::MaterializeColumn:
            return on_column("ALTER MATERIALIZE COLUMN", table, command.name);
        case AlterAction::Update:
            for (const auto& assignment : command.assignments)
                on_column("ALTER UPDATE", table, assignment->as<AstAssignment>()->column);
            return;
        case AlterAction::AttachPartition:
            if (!command.table.table.empty())
                on_stored("SELECT", command.table);
            return on_table("INSERT", table);
        case AlterAction::ReplacePartition:
            on_stored("SELECT", command.table);
            on_table("INSERT", table);
            return on_table("ALTER DELETE", table);
        case AlterAction::MovePartition:
            if (command.destination != MoveDestination::Table)
                return on_table("ALTER MOVE PARTITION", table);
            on_table("SELECT", table);
            on_table("ALTER DELETE", table);
            return on_stored("INSERT", command.table);
        case AlterAction::ModifyDatabaseSetting:
            return access_.require("ALTER DATABASE SETTINGS", {table.database, {}, {}});
        default:
            return on_table(alter_privilege(command.action), table);
        }
    }

    void check_exists(const AstExists& exists)
    {
        if (exists.object == ObjectKind::Database)
            access_.require("SHOW DATABASES",
                            {exists.name.database.empty() ? exists.name.table
                                                          : exists.name.database,
                             {},
                             {}});
        else if (!exists.temporary)
            on_table("SHOW TABLES", exists.name);
    }

    void check_describe(const AstDescribe& describe)
    {
        const auto* identifier =
            describe.table->as<AstTableElement>()->table->as<AstIdentifier>();
        if (!identifier)
            return; // analyzed as a query
        AstTableName name;
        name.table = identifier->parts.back();
        if (identifier->parts.size() > 1)
            name.database = identifier->parts[0];
        on_table("SHOW COLUMNS", name);
    }

    void check_show(const AstShow& show)
    {
        switch (show.show)
        {
        case ShowKind::CreateTable:
        case ShowKind::CreateView:
        case ShowKind::CreateDictionary:
        case ShowKind::Columns:
        case ShowKind::Indexes:
            return on_stored("SHOW COLUMNS", show.name);
        case ShowKind::CreateDatabase:
            return access_.require("SHOW DATABASES",
                                   {show.name.database.empty() ? show.name.table
                                                               : show.name.database,
                                    {},
                                    {}});
        case ShowKind::CreateUser:
        case ShowKind::Grants:
            for (const auto& name : show.names)
                if (name != access_.user().name && !access_.enabled_roles().contains(name))
                    access_.require("SHOW USERS");
            return;
        case ShowKind::CreateRole:
            for (const auto& name : show.names)
                if (!access_.enabled_roles().contains(name))
                    access_.require("SHOW ROLES");
            return;
        case ShowKind::CreateSettingsProfile:
        case ShowKind::SettingsProfiles:
            return access_.require("SHOW SETTINGS PROFILES");
        case ShowKind::CreateRowPolicy:
        case ShowKind::RowPolicies:
            return access_.require("SHOW ROW POLICIES");
        case ShowKind::Users:
            return access_.require("SHOW USERS");
        case ShowKind::Roles:
            return access_.require("SHOW ROLES");
        case ShowKind::Access:
            return access_.require("SHOW ACCESS");
        default:
            return;
        }
    }

    void check_system(const AstSystem& system)
    {
        std::string name = "SYSTEM " + system.command;
        PrivilegeSet needed;
        try
        {
            needed = find_privileges(name);
        }
        catch (const Error&)
        {
            name = "SYSTEM"; // no privilege of its own
        }
        if (!system.table.table.empty() && (needed & ~table_privileges()).none() && needed.any())
            on_stored(name, system.table);
        else
            access_.require(name);
    }

    void check_backup(const AstBackup& backup)
    {
        for (const auto& element : backup.elements)
        {
            AccessPlace where;
            switch (element.element)
            {
            case BackupElementKind::TemporaryTable:
                continue;
            case BackupElementKind::All:
                break;
            case BackupElementKind::Database:
                where.database = element.name.database.empty() ? element.name.table
                                                               : element.name.database;
                break;
            default:
                where = place(element.name);
            }
            if (!backup.restore)
            {
                access_.require("BACKUP", where);
                continue;
            }
            if (const auto& renamed = element.new_name;
                !renamed.table.empty() || !renamed.database.empty())
                where = element.element == BackupElementKind::Database
                            ? AccessPlace{renamed.database.empty() ? renamed.table
                                                                   : renamed.database,
                                          {},
                                          {}}
                            : place(renamed);
            if (where.table.empty())
                access_.require("CREATE DATABASE", where);
            access_.require("CREATE TABLE", where);
            access_.require("INSERT", where);
        }
    }

public:
    // Functions that reach outside the server need the kind of source they reach.
    static void check_table_function(const std::string& name, const EffectiveAccess& access)
    {
        static constexpr std::pair<std::string_view, const char*> kSources[] = {
            {"postgresql", "POSTGRES"}, {"file", "FILE"}, {"url", "URL"}, {"remote", "REMOTE"},
            {"remotesecure", "REMOTE"}, {"s3", "S3"},     {"mysql", "MYSQL"}};
        const std::string lower = lower_case(name); // functions are found in any case
        for (const auto& [function, source] : kSources)
            if (lower == function)
            {
                access.require("CREATE TEMPORARY TABLE");
                access.require(source);
            }
    }

private:
    const EffectiveAccess& access_;
    StatementContext& statement_;
};

} // namespace

void check_statement_access(const Ast& ast, StatementContext& statement)
{
    if (statement.session.access)
        Checker(*statement.session.access, statement).check(ast);
}

void require_select(const EffectiveAccess& access, const TableName& table,
                    const std::vector<std::string>& columns)
{
    if (access.granted("SELECT", table.database, table.table, {}))
        return;
    const std::set<std::string> names(columns.begin(), columns.end());
    if (names.empty() && access.granted_on_some("SELECT", table.database, table.table))
        return;
    if (names.empty())
        access.require("SELECT", {table.database, table.table, {}});
    std::string missing;
    for (const auto& name : names)
        if (!access.granted("SELECT", table.database, table.table, name))
            missing += (missing.empty() ? "" : ", ") + quote_identifier_if_needed(name);
    if (!missing.empty())
        throw Error(error_codes::ACCESS_DENIED,
                    fmt::format("{}: Not enough privileges. To execute this query, it's necessary "
                                "to have the grant SELECT({}) ON {}.{}",
                                access.user().name, missing,
                                quote_identifier_if_needed(table.database),
                                quote_identifier_if_needed(table.table)));
}

void add_read_checks(AnalyzerContext& analyzer, StatementContext& statement)
{
    const EffectiveAccessPtr access = statement.session.access;
    if (!access)
        return;
    // Targets of materialised views that the user may read.
    auto targets = std::make_shared<std::set<const Table*>>();
    analyzer.on_view = [access, targets](const Table& view, const TablePtr& target)
    {
        std::vector<std::string> columns;
        for (const auto& column : view.metadata()->columns)
            columns.push_back(column.name);
        require_select(*access, view.table_name(), columns);
        if (target)
            targets->insert(target.get());
    };
    analyzer.on_table_function = [access](const std::string& name)
    { Checker::check_table_function(name, *access); };
    analyzer.on_read = [access, targets, report = std::move(analyzer.on_read)](
                           const TablePtr& table, const std::vector<std::string>& columns)
    {
        const TableName name = table->table_name();
        if (name.database != "_table_function" &&
            name.database != "_temporary_and_external_tables" && !targets->contains(table.get()))
        {
            // Columns of the row's place (_part, …) belong to no grant.
            std::vector<std::string> stored;
            const auto metadata = table->metadata();
            for (const auto& column : columns)
                if (metadata->find_column(column))
                    stored.push_back(column);
            require_select(*access, name, stored);
        }
        if (report)
            report(table, columns);
    };
}

void refresh_access(Engine& engine, Session& session)
{
    if (!session.access || session.access->version() == engine.access().version())
        return;
    if (session.current_roles)
    {
        // A role that was taken away is no longer current.
        const auto state = engine.access().state();
        const auto& granted = state->user(session.user).roles;
        std::erase_if(*session.current_roles,
                      [&](const auto& role) { return !granted.contains(role); });
    }
    session.access = engine.access().effective(session.user, session.current_roles);
}

} // namespace basalt
