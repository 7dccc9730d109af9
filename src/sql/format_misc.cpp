#include "sql/format_impl.h"

namespace basalt
{

void FormatWriter::database_name(const std::string& database, const AstPtr& parameter)
{
    if (parameter != nullptr)
        expression(*parameter);
    else
        name(database);
}

void FormatWriter::table_name(const AstTableName& table)
{
    if (!table.database.empty() || table.database_parameter != nullptr)
    {
        database_name(table.database, table.database_parameter);
        out += '.';
    }
    if (table.table == "*")
        out += '*';
    else
        database_name(table.table, table.table_parameter);
}

void FormatWriter::on_cluster(const std::string& cluster)
{
    if (cluster.empty())
        return;
    out += " ON CLUSTER ";
    name(cluster);
}

void FormatWriter::like(const AstPtr& pattern, bool negated, bool case_insensitive)
{
    if (pattern == nullptr)
        return;
    out += negated ? " NOT" : "";
    out += case_insensitive ? " ILIKE " : " LIKE ";
    expression(*pattern);
}

void FormatWriter::insert(const AstInsert& ast)
{
    out += "INSERT INTO ";
    if (ast.table_function != nullptr)
    {
        out += "FUNCTION ";
        expression(*ast.table_function);
        if (ast.partition_by != nullptr)
        {
            out += " PARTITION BY ";
            expression(*ast.partition_by);
        }
    }
    else
        table_name(ast.target);
    if (ast.has_columns)
    {
        out += " (";
        for (size_t i = 0; i < ast.columns.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            const auto* identifier = ast.columns[i]->as<AstIdentifier>();
            if (identifier == nullptr)
            {
                expression(*ast.columns[i]);
                continue;
            }
            dotted_name(identifier->parts.front());
        }
        out += ')';
    }
    if (ast.infile != nullptr)
    {
        out += " FROM INFILE ";
        expression(*ast.infile);
        if (ast.compression != nullptr)
        {
            out += " COMPRESSION ";
            expression(*ast.compression);
        }
    }
    settings_clause(ast.settings);
    if (ast.select != nullptr)
    {
        out += ' ';
        node(*ast.select);
    }
    else if (!ast.format.empty())
    {
        if (ast.settings != nullptr)
            line_break();
        else
            out += ' ';
        out += "FORMAT ";
        format_name(ast.format);
    }
}

void FormatWriter::drop(const AstDrop& ast)
{
    static constexpr const char* kActions[] = {"DROP ", "DETACH ", "TRUNCATE ", "UNDROP "};
    out += kActions[static_cast<size_t>(ast.action)];
    if (ast.object == ObjectKind::AllTables || ast.object == ObjectKind::TablesLike)
    {
        out += ast.object == ObjectKind::TablesLike ? "TABLES FROM " : "ALL TABLES FROM ";
        out += ast.if_exists ? "IF EXISTS " : "";
        database_name(ast.database, ast.database_parameter);
        like(ast.like, ast.not_like, ast.case_insensitive_like);
        on_cluster(ast.cluster);
        return;
    }
    out += ast.temporary ? "TEMPORARY " : "";
    switch (ast.object)
    {
    case ObjectKind::View:
        out += "VIEW ";
        break;
    case ObjectKind::Dictionary:
        out += "DICTIONARY ";
        break;
    case ObjectKind::Database:
        out += "DATABASE ";
        break;
    case ObjectKind::Function:
        out += "FUNCTION ";
        break;
    default:
        out += "TABLE ";
    }
    out += ast.if_exists ? "IF EXISTS " : ast.if_empty ? "IF EMPTY " : "";
    if (ast.object == ObjectKind::Database)
        database_name(ast.database, ast.database_parameter);
    for (size_t i = 0; i < ast.names.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        table_name(ast.names[i]);
    }
    if (!ast.uuid.empty())
        out += " UUID " + quote_string(ast.uuid);
    on_cluster(ast.cluster);
    out += ast.permanently ? " PERMANENTLY" : "";
    out += ast.sync ? " SYNC" : "";
    settings_clause(ast.settings);
}

void FormatWriter::rename(const AstRename& ast)
{
    const bool database = ast.object == ObjectKind::Database;
    if (ast.exchange)
        out += ast.object == ObjectKind::Dictionary ? "EXCHANGE DICTIONARIES " : "EXCHANGE TABLES ";
    else
        out += database                              ? "RENAME DATABASE "
               : ast.object == ObjectKind::Dictionary ? "RENAME DICTIONARY "
                                                      : "RENAME TABLE ";
    out += ast.if_exists ? "IF EXISTS " : "";
    const auto one = [&](const AstTableName& table)
    {
        if (database)
            database_name(table.database, table.database_parameter);
        else
            table_name(table);
    };
    for (size_t i = 0; i < ast.pairs.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        one(ast.pairs[i].from);
        out += ast.exchange ? " AND " : " TO ";
        one(ast.pairs[i].to);
    }
    on_cluster(ast.cluster);
}

void FormatWriter::exists(const AstExists& ast)
{
    out += ast.temporary ? "EXISTS TEMPORARY " : "EXISTS ";
    switch (ast.object)
    {
    case ObjectKind::Database:
        out += "DATABASE ";
        database_name(ast.name.database, ast.name.database_parameter);
        return;
    case ObjectKind::View:
        out += "VIEW ";
        break;
    case ObjectKind::Dictionary:
        out += "DICTIONARY ";
        break;
    default:
        out += "TABLE ";
    }
    table_name(ast.name);
}

void FormatWriter::explain(const AstExplain& ast)
{
    static constexpr const char* kKinds[] = {"",         " AST",      " SYNTAX",         " QUERY TREE",
                                             " PIPELINE", " ESTIMATE", " TABLE OVERRIDE",
                                             " CURRENT TRANSACTION"};
    out += "EXPLAIN";
    out += kKinds[static_cast<size_t>(ast.explain)];
    if (ast.settings != nullptr)
    {
        out += ' ';
        settings(*ast.settings);
    }
    if (ast.query != nullptr)
    {
        line_break();
        node(*ast.query);
    }
}

void FormatWriter::system(const AstSystem& ast)
{
    out += "SYSTEM " + ast.command;
    on_cluster(ast.cluster);
    if (!ast.table.table.empty() || ast.table.table_parameter != nullptr)
    {
        out += ' ';
        table_name(ast.table);
    }
    if (!ast.arguments.empty())
    {
        const bool names = ast.arguments.front()->kind == AstKind::Identifier;
        if (ast.command == "DROP QUERY CACHE")
            out += " TAG";
        else if (ast.command == "DROP SCHEMA CACHE")
            out += " FOR";
        for (size_t i = 0; i < ast.arguments.size(); ++i)
        {
            out += i > 0 && names ? ", " : " ";
            const auto* literal = ast.arguments[i]->as<AstLiteral>();
            const bool quoted =
                ast.command == "DROP QUERY CACHE" || ast.command == "UNFREEZE WITH NAME";
            if (literal != nullptr && !quoted)
                name(literal->text);
            else
                expression(*ast.arguments[i]);
        }
    }
    settings_clause(ast.settings);
}

void FormatWriter::optimize(const AstOptimize& ast)
{
    out += "OPTIMIZE TABLE ";
    table_name(ast.table);
    on_cluster(ast.cluster);
    if (ast.dry_run)
    {
        out += " DRY RUN PARTS ";
        list(ast.parts);
    }
    if (ast.partition != nullptr)
    {
        out += ' ';
        partition(*ast.partition->as<AstPartition>());
    }
    out += ast.is_final ? " FINAL" : "";
    out += ast.force ? " FORCE" : "";
    out += ast.deduplicate ? " DEDUPLICATE" : "";
    if (!ast.deduplicate_by.empty())
    {
        out += " BY ";
        list(ast.deduplicate_by);
    }
    out += ast.cleanup ? " CLEANUP" : "";
    settings_clause(ast.settings);
}

void FormatWriter::kill(const AstKill& ast)
{
    static constexpr const char* kKinds[] = {"QUERY", "MUTATION", "PART_MOVE_TO_SHARD",
                                             "TRANSACTION"};
    out += std::string("KILL ") + kKinds[static_cast<size_t>(ast.target)];
    on_cluster(ast.cluster);
    out += " WHERE ";
    expression(*ast.where);
    out += ast.mode == KillMode::Sync   ? " SYNC"
           : ast.mode == KillMode::Test ? " TEST"
                                        : " ASYNC";
}

void FormatWriter::check(const AstCheck& ast)
{
    out += "CHECK ";
    if (ast.all_tables)
        out += "ALL TABLES";
    else
    {
        out += "TABLE ";
        table_name(ast.table);
        if (ast.partition != nullptr)
        {
            out += ' ';
            partition(*ast.partition->as<AstPartition>());
        }
    }
    settings_clause(ast.settings);
}

void FormatWriter::backup(const AstBackup& ast)
{
    static constexpr const char* kElements[] = {"TABLE ",    "DICTIONARY ",      "VIEW ",
                                                "DATABASE ", "TEMPORARY TABLE ", "ALL"};
    out += ast.restore ? "RESTORE " : "BACKUP ";
    for (size_t i = 0; i < ast.elements.size(); ++i)
    {
        const BackupElement& one = ast.elements[i];
        out += i == 0 ? "" : ", ";
        out += kElements[static_cast<size_t>(one.element)];
        if (one.element == BackupElementKind::Database)
        {
            name(one.name.database);
            if (!one.new_name.database.empty())
            {
                out += " AS ";
                name(one.new_name.database);
            }
        }
        else if (one.element != BackupElementKind::All)
        {
            table_name(one.name);
            if (!one.new_name.table.empty())
            {
                out += " AS ";
                table_name(one.new_name);
            }
        }
        for (size_t p = 0; p < one.partitions.size(); ++p)
        {
            out += p == 0 ? " PARTITIONS " : ", ";
            const auto& partition = *one.partitions[p]->as<AstPartition>();
            if (partition.id != nullptr)
            {
                out += "ID ";
                expression(*partition.id);
            }
            else
                expression(*partition.value);
        }
        for (size_t e = 0; e < one.except_databases.size(); ++e)
        {
            out += e == 0 ? " EXCEPT DATABASES " : ", ";
            name(one.except_databases[e]);
        }
        for (size_t e = 0; e < one.except_tables.size(); ++e)
        {
            out += e == 0 ? " EXCEPT TABLES " : ", ";
            table_name(one.except_tables[e]);
        }
    }
    on_cluster(ast.cluster);
    out += ast.restore ? " FROM " : " TO ";
    expression(*ast.location);
    settings_clause(ast.settings);
    out += ast.async ? " ASYNC" : ast.sync ? " SYNC" : "";
}

void FormatWriter::transaction(const AstTransaction& ast)
{
    switch (ast.action)
    {
    case TransactionAction::Begin:
        out += "BEGIN TRANSACTION";
        break;
    case TransactionAction::Commit:
        out += "COMMIT";
        break;
    case TransactionAction::Rollback:
        out += "ROLLBACK";
        break;
    case TransactionAction::SetSnapshot:
        out += "SET TRANSACTION SNAPSHOT " + std::to_string(ast.snapshot);
        break;
    }
}

void FormatWriter::delete_from(const AstDelete& ast)
{
    out += "DELETE FROM ";
    table_name(ast.table);
    on_cluster(ast.cluster);
    in_partition(ast.partition);
    out += " WHERE ";
    expression(*ast.where);
    settings_clause(ast.settings);
}

void FormatWriter::update(const AstUpdate& ast)
{
    out += "UPDATE ";
    table_name(ast.table);
    on_cluster(ast.cluster);
    out += " SET ";
    assignments(ast.assignments);
    in_partition(ast.partition);
    out += " WHERE ";
    expression(*ast.where);
    settings_clause(ast.settings);
}

} // namespace basalt
