// Short statements: DROP and kin, RENAME, EXISTS, DESCRIBE, USE, SYSTEM, OPTIMIZE, KILL, CHECK,
// BACKUP, transactions, DELETE, UPDATE.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

void Parser::parse_like(AstPtr& like, bool& negated, bool& case_insensitive)
{
    const size_t begin = mark();
    const bool is_not = accept_word("NOT");
    if (accept_word("ILIKE"))
        case_insensitive = true;
    else if (!accept_word("LIKE"))
    {
        if (mark() != begin)
            fail();
        return;
    }
    negated = is_not;
    like = parse_string_literal();
}

AstPtr Parser::parse_drop()
{
    const size_t begin = mark();
    auto drop = std::make_shared<AstDrop>();
    if (accept_word("DROP"))
    {
        if (AstPtr access = parse_access_drop(begin))
            return access;
        for (const char* what : {"NAMED COLLECTION", "WORKLOAD", "RESOURCE"})
            if (peek_words(what))
                not_implemented(std::string("DROP ") + what);
        if (accept_word("INDEX"))
        {
            auto command = std::make_shared<AstAlterCommand>();
            command->action = AlterAction::DropIndex;
            command->if_exists = accept_word("IF EXISTS");
            command->name = parse_identifier();
            auto alter = std::make_shared<AstAlter>();
            alter->create_or_drop_index = true;
            alter->commands.push_back(finish(std::move(command), begin));
            expect_word("ON");
            parse_table_name_into(alter->table);
            alter->cluster = parse_on_cluster();
            return finish(std::move(alter), begin);
        }
    }
    else if (accept_word("DETACH"))
        drop->action = DropAction::Detach;
    else if (accept_word("TRUNCATE"))
        drop->action = DropAction::Truncate;
    else
    {
        expect_word("UNDROP");
        drop->action = DropAction::Undrop;
    }
    const bool truncate = drop->action == DropAction::Truncate;
    drop->temporary = accept_word("TEMPORARY");
    if (truncate && (peek_words("ALL TABLES FROM") || peek_words("TABLES FROM")))
    {
        drop->object = accept_word("ALL") ? ObjectKind::AllTables : ObjectKind::TablesLike;
        accept_word("TABLES FROM");
        drop->if_exists = accept_word("IF EXISTS");
        parse_database_name(drop->database, drop->database_parameter);
        parse_like(drop->like, drop->not_like, drop->case_insensitive_like);
        drop->cluster = parse_on_cluster();
        return finish(std::move(drop), begin);
    }
    if (accept_word("DATABASE"))
        drop->object = ObjectKind::Database;
    else if (accept_word("VIEW"))
        drop->object = ObjectKind::View;
    else if (accept_word("DICTIONARY"))
        drop->object = ObjectKind::Dictionary;
    else if (drop->action == DropAction::Drop && accept_word("FUNCTION"))
        drop->object = ObjectKind::Function;
    else if (!accept_word("TABLE") && !truncate)
        fail();
    if (accept_word("IF EXISTS"))
        drop->if_exists = true;
    else if (accept_word("IF EMPTY"))
        drop->if_empty = true;
    if (drop->object == ObjectKind::Database)
        parse_database_name(drop->database, drop->database_parameter);
    else if (drop->object == ObjectKind::Function)
    {
        drop->names.emplace_back();
        drop->names.back().table = parse_identifier();
    }
    else
    {
        do
            drop->names.push_back(parse_table_name());
        while (accept(TokenType::Comma));
        if (drop->action == DropAction::Undrop)
            drop->uuid = parse_uuid();
    }
    drop->cluster = parse_on_cluster();
    if (drop->action == DropAction::Detach && accept_word("PERMANENTLY"))
        drop->permanently = true;
    if (accept_word("SYNC") || accept_word("NO DELAY"))
        drop->sync = true;
    if (accept_word("SETTINGS"))
        drop->settings = parse_settings();
    return finish(std::move(drop), begin);
}

AstPtr Parser::parse_rename(bool exchange)
{
    const size_t begin = mark();
    advance();
    auto rename = std::make_shared<AstRename>();
    rename->exchange = exchange;
    if (exchange)
    {
        if (accept_word("DICTIONARIES"))
            rename->object = ObjectKind::Dictionary;
        else
            expect_word("TABLES");
    }
    else if (accept_word("DATABASE"))
        rename->object = ObjectKind::Database;
    else if (accept_word("DICTIONARY"))
        rename->object = ObjectKind::Dictionary;
    else
        accept_word("TABLE");
    rename->if_exists = accept_word("IF EXISTS");
    do
    {
        RenamePair pair;
        const bool database = rename->object == ObjectKind::Database;
        if (database)
            parse_database_name(pair.from.database, pair.from.database_parameter);
        else
            parse_table_name_into(pair.from);
        expect_word(exchange ? "AND" : "TO");
        if (database)
            parse_database_name(pair.to.database, pair.to.database_parameter);
        else
            parse_table_name_into(pair.to);
        rename->pairs.push_back(std::move(pair));
    } while (accept(TokenType::Comma));
    rename->cluster = parse_on_cluster();
    return finish(std::move(rename), begin);
}

AstPtr Parser::parse_exists()
{
    const size_t begin = mark();
    expect_word("EXISTS");
    auto exists = std::make_shared<AstExists>();
    exists->temporary = accept_word("TEMPORARY");
    if (accept_word("DATABASE"))
        exists->object = ObjectKind::Database;
    else if (accept_word("VIEW"))
        exists->object = ObjectKind::View;
    else if (accept_word("DICTIONARY"))
        exists->object = ObjectKind::Dictionary;
    else
        accept_word("TABLE");
    if (exists->object == ObjectKind::Database)
        parse_database_name(exists->name.database, exists->name.database_parameter);
    else
        parse_table_name_into(exists->name);
    return finish(std::move(exists), begin);
}

AstPtr Parser::parse_describe()
{
    const size_t begin = mark();
    advance();
    auto describe = std::make_shared<AstDescribe>();
    if (peek_word("TABLE") && !peek_is(TokenType::Dot, 1) && !peek_is(TokenType::End, 1))
        advance();
    const size_t at = mark();
    auto element = std::make_shared<AstTableElement>();
    element->table = parse_table_expression();
    parse_alias(*element->table, true);
    describe->table = finish(std::move(element), at);
    return finish(std::move(describe), begin);
}

AstPtr Parser::parse_use()
{
    const size_t begin = mark();
    expect_word("USE");
    auto use = std::make_shared<AstUse>();
    if (peek_word("DATABASE") && (peek_identifier(1) || peek_is(TokenType::OpenCurly, 1)))
        advance();
    parse_database_name(use->database, use->database_parameter);
    return finish(std::move(use), begin);
}

AstPtr Parser::parse_optimize()
{
    const size_t begin = mark();
    expect_word("OPTIMIZE");
    expect_word("TABLE");
    auto optimize = std::make_shared<AstOptimize>();
    parse_table_name_into(optimize->table);
    optimize->cluster = parse_on_cluster();
    if (accept_word("DRY RUN PARTS"))
    {
        optimize->dry_run = true;
        do
            optimize->parts.push_back(parse_string_literal());
        while (accept(TokenType::Comma));
    }
    else if (peek_word("PARTITION"))
        optimize->partition = parse_partition();
    if (accept_word("FINAL"))
        optimize->is_final = true;
    if (accept_word("FORCE"))
        optimize->force = true;
    if (accept_word("DEDUPLICATE"))
    {
        optimize->deduplicate = true;
        if (accept_word("BY"))
            optimize->deduplicate_by = parse_expression_list(false);
    }
    if (accept_word("CLEANUP"))
        optimize->cleanup = true;
    if (accept_word("SETTINGS"))
        optimize->settings = parse_settings();
    return finish(std::move(optimize), begin);
}

AstPtr Parser::parse_kill()
{
    const size_t begin = mark();
    expect_word("KILL");
    auto kill = std::make_shared<AstKill>();
    if (accept_word("MUTATION"))
        kill->target = KillKind::Mutation;
    else if (accept_word("PART_MOVE_TO_SHARD"))
        kill->target = KillKind::PartMoveToShard;
    else if (accept_word("TRANSACTION"))
        kill->target = KillKind::Transaction;
    else
        expect_word("QUERY");
    kill->cluster = parse_on_cluster();
    expect_word("WHERE");
    kill->where = parse_expression();
    if (accept_word("SYNC"))
        kill->mode = KillMode::Sync;
    else if (accept_word("TEST"))
        kill->mode = KillMode::Test;
    else
        accept_word("ASYNC");
    return finish(std::move(kill), begin);
}

AstPtr Parser::parse_check()
{
    const size_t begin = mark();
    expect_word("CHECK");
    if (peek_word("GRANT"))
        not_implemented("CHECK GRANT");
    auto check = std::make_shared<AstCheck>();
    if (accept_word("ALL TABLES"))
        check->all_tables = true;
    else
    {
        expect_word("TABLE");
        parse_table_name_into(check->table);
        if (peek_word("PARTITION") || peek_word("PART"))
            check->partition = parse_partition();
    }
    if (accept_word("SETTINGS"))
        check->settings = parse_settings();
    return finish(std::move(check), begin);
}

AstPtr Parser::parse_transaction()
{
    const size_t begin = mark();
    auto transaction = std::make_shared<AstTransaction>();
    if (accept_word("COMMIT"))
        transaction->action = TransactionAction::Commit;
    else if (accept_word("ROLLBACK"))
        transaction->action = TransactionAction::Rollback;
    else if (accept_word("START"))
        expect_word("TRANSACTION");
    else
    {
        expect_word("BEGIN");
        accept_word("TRANSACTION");
    }
    return finish(std::move(transaction), begin);
}

// From the word PARTITION or PART on.
AstPtr Parser::parse_partition()
{
    const size_t begin = mark();
    auto partition = std::make_shared<AstPartition>();
    const auto parse_text = [&]() -> AstPtr
    {
        return peek_is(TokenType::OpenCurly) ? parse_query_parameter() : parse_string_literal();
    };
    if (accept_word("PART"))
    {
        partition->is_part = true;
        partition->id = parse_text();
        return finish(std::move(partition), begin);
    }
    expect_word("PARTITION");
    if (peek_word("ID") && (peek_is(TokenType::String, 1) || peek_is(TokenType::OpenCurly, 1)))
    {
        advance();
        partition->id = parse_text();
    }
    else if (accept_word("ALL"))
        partition->all = true;
    else
        partition->value = parse_operand();
    return finish(std::move(partition), begin);
}

AstPtr Parser::parse_delete()
{
    const size_t begin = mark();
    expect_word("DELETE");
    expect_word("FROM");
    auto node = std::make_shared<AstDelete>();
    parse_table_name_into(node->table);
    node->cluster = parse_on_cluster();
    if (accept_word("IN"))
        node->partition = parse_partition();
    expect_word("WHERE");
    node->where = parse_expression();
    if (accept_word("SETTINGS"))
        node->settings = parse_settings();
    return finish(std::move(node), begin);
}

AstPtr Parser::parse_update()
{
    const size_t begin = mark();
    expect_word("UPDATE");
    auto node = std::make_shared<AstUpdate>();
    parse_table_name_into(node->table);
    node->cluster = parse_on_cluster();
    expect_word("SET");
    node->assignments = parse_update_assignments();
    if (accept_word("IN"))
        node->partition = parse_partition();
    expect_word("WHERE");
    node->where = parse_expression();
    if (accept_word("SETTINGS"))
        node->settings = parse_settings();
    return finish(std::move(node), begin);
}

// SET a = 1 IN PARTITION p: the IN is not an operator of the value.
AstList Parser::parse_update_assignments()
{
    in_partition_follows_ = true;
    AstList list = parse_assignments();
    in_partition_follows_ = false;
    return list;
}

namespace
{

// SYSTEM commands and what may follow the words.
enum class SystemTail : uint8_t
{
    Nothing,
    Table,     // [name]
    Names,     // [name, name]: dotted names
    Word,      // a name or string
    Text,      // a quoted text
};

struct SystemCommand
{
    const char* words;
    SystemTail tail;
};

constexpr const char* kSystemCaches[] = {
    "MARK CACHE", "PRIMARY INDEX CACHE", "UNCOMPRESSED CACHE", "INDEX MARK CACHE",
    "INDEX UNCOMPRESSED CACHE", "VECTOR SIMILARITY INDEX CACHE", "TEXT INDEX CACHES",
    "TEXT INDEX DICTIONARY CACHE", "TEXT INDEX HEADER CACHE", "TEXT INDEX POSTINGS CACHE",
    "TEXT INDEX TOKENS CACHE", "MMAP CACHE", "PAGE CACHE", "QUERY CONDITION CACHE",
    "QUERY CACHE", "COMPILED EXPRESSION CACHE", "FILESYSTEM CACHE", "SCHEMA CACHE",
    "FORMAT SCHEMA CACHE", "DNS CACHE", "CONNECTIONS CACHE", "S3 CLIENT CACHE",
    "ICEBERG METADATA CACHE", "PARQUET METADATA CACHE", "DISK METADATA CACHE",
    "DISTRIBUTED CACHE",
};

// Longer ones first where one begins another.
constexpr SystemCommand kSystemCommands[] = {
    {"FLUSH LOGS", SystemTail::Names},
    {"FLUSH ASYNC INSERT QUEUE", SystemTail::Names},
    {"FLUSH DISTRIBUTED", SystemTail::Table},
    {"RELOAD CONFIG", SystemTail::Nothing},
    {"RELOAD USERS", SystemTail::Nothing},
    {"RELOAD DICTIONARIES", SystemTail::Nothing},
    {"RELOAD DICTIONARY", SystemTail::Table},
    {"RELOAD FUNCTIONS", SystemTail::Nothing},
    {"RELOAD FUNCTION", SystemTail::Word},
    {"RELOAD EMBEDDED DICTIONARIES", SystemTail::Nothing},
    {"RELOAD ASYNCHRONOUS METRICS", SystemTail::Nothing},
    {"RELOAD MODELS", SystemTail::Nothing},
    {"RELOAD MODEL", SystemTail::Word},
    {"RELOAD SYMBOLS", SystemTail::Nothing},
    {"SYNC FILE CACHE", SystemTail::Nothing},
    {"SYNC FILESYSTEM CACHE", SystemTail::Word},
    {"SYNC REPLICA", SystemTail::Table},
    {"SYNC DATABASE REPLICA", SystemTail::Word},
    {"SYNC MERGES", SystemTail::Table},
    {"SYNC MUTATIONS", SystemTail::Table},
    {"SYNC TRANSACTION LOG", SystemTail::Nothing},
    {"RESTART REPLICAS", SystemTail::Nothing},
    {"RESTART REPLICA", SystemTail::Table},
    {"RESTORE REPLICA", SystemTail::Table},
    {"RESTART DISK", SystemTail::Word},
    {"DROP REPLICA", SystemTail::Word},
    {"WAIT LOADING PARTS", SystemTail::Table},
    {"WAIT VIEW", SystemTail::Table},
    {"REFRESH VIEW", SystemTail::Table},
    {"CANCEL VIEW", SystemTail::Table},
    {"LOAD PRIMARY KEY", SystemTail::Table},
    {"UNLOAD PRIMARY KEY", SystemTail::Table},
    {"PREWARM MARK CACHE", SystemTail::Table},
    {"PREWARM PRIMARY INDEX CACHE", SystemTail::Table},
    {"ENABLE FAILPOINT", SystemTail::Word},
    {"DISABLE FAILPOINT", SystemTail::Word},
    {"UNFREEZE WITH NAME", SystemTail::Text},
    {"JEMALLOC PURGE", SystemTail::Nothing},
    {"JEMALLOC ENABLE PROFILE", SystemTail::Nothing},
    {"JEMALLOC DISABLE PROFILE", SystemTail::Nothing},
    {"JEMALLOC FLUSH PROFILE", SystemTail::Nothing},
    {"SHUTDOWN", SystemTail::Nothing},
    {"SUSPEND", SystemTail::Nothing},
    {"KILL", SystemTail::Nothing},
};

constexpr SystemCommand kStartStopCommands[] = {
    {"MERGES", SystemTail::Table},
    {"TTL MERGES", SystemTail::Table},
    {"MOVES", SystemTail::Table},
    {"FETCHES", SystemTail::Table},
    {"REPLICATED SENDS", SystemTail::Table},
    {"REPLICATED VIEW", SystemTail::Table},
    {"REPLICATION QUEUES", SystemTail::Table},
    {"DISTRIBUTED SENDS", SystemTail::Table},
    {"PULLING REPLICATION LOG", SystemTail::Table},
    {"REDUCE BLOCKING PARTS", SystemTail::Table},
    {"CLEANUP", SystemTail::Table},
    {"VIRTUAL PARTS UPDATE", SystemTail::Table},
    {"VIEWS", SystemTail::Nothing},
    {"VIEW", SystemTail::Table},
    {"THREAD FUZZER", SystemTail::Nothing},
    {"LISTEN", SystemTail::Word},
};

} // namespace

AstPtr Parser::parse_system()
{
    const size_t begin = mark();
    expect_word("SYSTEM");
    auto system = std::make_shared<AstSystem>();
    SystemTail tail = SystemTail::Nothing;
    const auto take = [&](const SystemCommand& command, const char* prefix)
    {
        if (!accept_word(command.words))
            return false;
        system->command = std::string(prefix) + command.words;
        tail = command.tail;
        return true;
    };
    bool found = false;
    for (const SystemCommand& one : kSystemCommands)
        if ((found = take(one, "")))
            break;
    if (!found && (accept_word("STOP") || accept_word("START")))
    {
        const char* prefix = token_text(tokens_[position_ - 1]).size() == 4 ? "STOP " : "START ";
        for (const SystemCommand& one : kStartStopCommands)
            if ((found = take(one, prefix)))
                break;
    }
    else if (!found && (accept_word("DROP") || accept_word("CLEAR")))
    {
        for (const char* cache : kSystemCaches)
            if ((found = take({cache, SystemTail::Nothing}, "DROP ")))
                break;
    }
    if (!found)
        fail();
    if (system->command == "DROP REPLICA")
        not_implemented("SYSTEM DROP REPLICA");
    system->cluster = parse_on_cluster();
    const auto add_word = [&]
    {
        const size_t at = mark();
        system->arguments.push_back(finish(AstLiteral::string(parse_name_or_string()), at));
    };
    if (tail == SystemTail::Table && (peek_identifier() || peek_is(TokenType::OpenCurly)))
        parse_table_name_into(system->table);
    else if (tail == SystemTail::Names)
    {
        while (peek_identifier())
        {
            const size_t at = mark();
            auto name = std::make_shared<AstIdentifier>();
            name->parts = parse_compound_parts();
            system->arguments.push_back(finish(std::move(name), at));
            if (!accept(TokenType::Comma))
                break;
        }
    }
    else if (tail == SystemTail::Word)
    {
        while (peek_is(TokenType::Word) || peek_is(TokenType::QuotedIdentifier) ||
               peek_is(TokenType::String))
            add_word();
    }
    else if (tail == SystemTail::Text)
        system->arguments.push_back(parse_string_literal());
    if (system->cluster.empty())
        system->cluster = parse_on_cluster();
    if (system->command == "SYNC REPLICA" &&
        (peek_word("STRICT") || peek_word("LIGHTWEIGHT") || peek_word("PULL")))
        add_word();
    else if (system->command == "DROP QUERY CACHE" && accept_word("TAG"))
        add_word();
    else if (system->command == "DROP SCHEMA CACHE" && accept_word("FOR"))
        add_word();
    else if (system->command == "DROP FILESYSTEM CACHE" &&
             (peek_identifier() || peek_is(TokenType::String)))
        add_word();
    if (accept_word("SETTINGS"))
        system->settings = parse_settings();
    return finish(std::move(system), begin);
}

AstPtr Parser::parse_backup(bool restore)
{
    const size_t begin = mark();
    advance();
    auto backup = std::make_shared<AstBackup>();
    backup->restore = restore;
    do
    {
        BackupElement element;
        bool database = false;
        if (accept_word("ALL"))
            element.element = BackupElementKind::All;
        else if (accept_word("DATABASE"))
        {
            element.element = BackupElementKind::Database;
            database = true;
        }
        else if (accept_word("TEMPORARY TABLE"))
            element.element = BackupElementKind::TemporaryTable;
        else if (accept_word("DICTIONARY"))
            element.element = BackupElementKind::Dictionary;
        else if (accept_word("VIEW"))
            element.element = BackupElementKind::View;
        else
            expect_word("TABLE");
        if (database)
            element.name.database = parse_identifier();
        else if (element.element != BackupElementKind::All)
            parse_table_name_into(element.name);
        if (element.element != BackupElementKind::All && accept_word("AS"))
        {
            if (database)
                element.new_name.database = parse_identifier();
            else
                parse_table_name_into(element.new_name);
        }
        if (accept_word("PARTITIONS") || accept_word("PARTITION"))
        {
            do
            {
                const size_t at = mark();
                auto partition = std::make_shared<AstPartition>();
                if (accept_word("ID"))
                    partition->id = parse_string_literal();
                else
                    partition->value = parse_operand();
                element.partitions.push_back(finish(std::move(partition), at));
            } while (peek_is(TokenType::Comma) && !peek_word("TABLE", 1) &&
                     !peek_word("DATABASE", 1) && !peek_word("ALL", 1) && accept(TokenType::Comma));
        }
        if (accept_word("EXCEPT DATABASES") || accept_word("EXCEPT DATABASE"))
        {
            do
                element.except_databases.push_back(parse_identifier());
            while (accept(TokenType::Comma));
        }
        if (accept_word("EXCEPT TABLES") || accept_word("EXCEPT TABLE"))
        {
            do
                element.except_tables.push_back(parse_table_name());
            while (accept(TokenType::Comma));
        }
        backup->elements.push_back(std::move(element));
    } while (accept(TokenType::Comma));
    backup->cluster = parse_on_cluster();
    expect_word(restore ? "FROM" : "TO");
    backup->location = parse_simple_function();
    if (accept_word("SETTINGS"))
        backup->settings = parse_settings();
    if (accept_word("ASYNC"))
        backup->async = true;
    else if (accept_word("SYNC"))
        backup->sync = true;
    return finish(std::move(backup), begin);
}

} // namespace basalt
