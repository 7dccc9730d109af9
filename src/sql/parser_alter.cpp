// ALTER TABLE and ALTER DATABASE.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

AstPtr Parser::parse_alter()
{
    const size_t begin = mark();
    expect_word("ALTER");
    if (AstPtr access = parse_access_create(begin, AccessVerb::Alter, false))
        return access;
    auto alter = std::make_shared<AstAlter>();
    if (accept_word("DATABASE"))
    {
        alter->is_database = true;
        alter->if_exists = accept_word("IF EXISTS");
        parse_database_name(alter->table.database, alter->table.database_parameter);
    }
    else
    {
        alter->temporary = accept_word("TEMPORARY");
        expect_word("TABLE");
        alter->if_exists = accept_word("IF EXISTS");
        parse_table_name_into(alter->table);
    }
    alter->cluster = parse_on_cluster();
    do
    {
        const bool brackets = accept(TokenType::OpenRound);
        alter->commands.push_back(alter->is_database ? parse_alter_database_command()
                                                     : parse_alter_command());
        if (brackets)
            expect(TokenType::CloseRound);
    } while (accept(TokenType::Comma));
    if (accept_word("SETTINGS"))
        alter->settings = parse_settings();
    return finish(std::move(alter), begin);
}

AstPtr Parser::parse_alter_database_command()
{
    const size_t begin = mark();
    auto command = std::make_shared<AstAlterCommand>();
    if (accept_word("MODIFY SETTING"))
    {
        command->action = AlterAction::ModifyDatabaseSetting;
        command->settings = parse_settings();
    }
    else
    {
        expect_word("MODIFY COMMENT");
        command->action = AlterAction::ModifyComment;
        command->comment = parse_string_literal();
    }
    return finish(std::move(command), begin);
}

void Parser::parse_position(AstAlterCommand& command)
{
    if (accept_word("FIRST"))
        command.first = true;
    else if (accept_word("AFTER"))
        command.after = parse_compound_name();
}

void Parser::parse_alter_statistics(AstAlterCommand& command, AlterAction action)
{
    command.action = action;
    if (action == AlterAction::AddStatistics)
        command.if_not_exists = accept_word("IF NOT EXISTS");
    else
        command.if_exists = accept_word("IF EXISTS");
    if (accept_word("ALL"))
    {
        command.names.push_back("*");
        return;
    }
    do
        command.names.push_back(parse_identifier());
    while (peek_is(TokenType::Comma) && peek_identifier(1) &&
           (peek_is(TokenType::Comma, 2) || peek_word("TYPE", 2) || peek_is(TokenType::End, 2) ||
            peek_is(TokenType::CloseRound, 2) || peek_is(TokenType::Semicolon, 2)) &&
           accept(TokenType::Comma));
    if (action != AlterAction::AddStatistics && action != AlterAction::ModifyStatistics)
        return;
    expect_word("TYPE");
    do
        command.statistics_types.push_back(parse_simple_function());
    while (peek_is(TokenType::Comma) && peek_identifier(1) &&
           (peek_is(TokenType::Comma, 2) || peek_is(TokenType::End, 2) ||
            peek_is(TokenType::OpenRound, 2) || peek_is(TokenType::CloseRound, 2) ||
            peek_is(TokenType::Semicolon, 2)) &&
           accept(TokenType::Comma));
}

// The rest of DROP, CLEAR and MATERIALIZE of COLUMN, INDEX, PROJECTION, STATISTICS.
bool Parser::parse_alter_object(AstAlterCommand& command, AlterAction column, AlterAction index,
                                AlterAction projection, AlterAction statistics)
{
    if (accept_word("COLUMN"))
        command.action = column;
    else if (accept_word("INDEX"))
        command.action = index;
    else if (accept_word("PROJECTION"))
        command.action = projection;
    else if (accept_word("STATISTICS"))
    {
        parse_alter_statistics(command, statistics);
        return true;
    }
    else
        return false;
    command.if_exists = accept_word("IF EXISTS");
    command.name = parse_compound_name();
    if (accept_word("IN"))
        command.partition = parse_partition();
    return true;
}

void Parser::parse_alter_add(AstAlterCommand& command)
{
    if (accept_word("INDEX"))
    {
        command.action = AlterAction::AddIndex;
        command.if_not_exists = accept_word("IF NOT EXISTS");
        command.declaration = parse_index_declaration();
    }
    else if (accept_word("PROJECTION"))
    {
        command.action = AlterAction::AddProjection;
        command.if_not_exists = accept_word("IF NOT EXISTS");
        command.declaration = parse_projection_declaration();
    }
    else if (accept_word("CONSTRAINT"))
    {
        command.action = AlterAction::AddConstraint;
        command.if_not_exists = accept_word("IF NOT EXISTS");
        command.declaration = parse_constraint_declaration();
        return;
    }
    else if (accept_word("STATISTICS"))
    {
        parse_alter_statistics(command, AlterAction::AddStatistics);
        return;
    }
    else
    {
        expect_word("COLUMN");
        command.action = AlterAction::AddColumn;
        command.if_not_exists = accept_word("IF NOT EXISTS");
        command.declaration = parse_column_declaration();
    }
    parse_position(command);
}

void Parser::parse_alter_drop(AstAlterCommand& command)
{
    if (parse_alter_object(command, AlterAction::DropColumn, AlterAction::DropIndex,
                           AlterAction::DropProjection, AlterAction::DropStatistics))
        return;
    if (accept_word("CONSTRAINT"))
    {
        command.action = AlterAction::DropConstraint;
        command.if_exists = accept_word("IF EXISTS");
        command.name = parse_identifier();
    }
    else if (accept_word("DETACHED"))
    {
        command.action = AlterAction::DropDetachedPartition;
        command.partition = parse_partition();
    }
    else if (peek_word("PARTITION") || peek_word("PART"))
    {
        command.action = AlterAction::DropPartition;
        command.partition = parse_partition();
    }
    else
        fail("PARTITION");
}

void Parser::parse_alter_modify(AstAlterCommand& command)
{
    if (accept_word("ORDER BY"))
    {
        command.action = AlterAction::ModifyOrderBy;
        command.expression = parse_order_by_key();
    }
    else if (accept_word("SAMPLE BY"))
    {
        command.action = AlterAction::ModifySampleBy;
        command.expression = parse_expression();
    }
    else if (accept_word("TTL"))
    {
        command.action = AlterAction::ModifyTtl;
        command.ttl = parse_ttl_list();
    }
    else if (accept_word("SETTING"))
    {
        command.action = AlterAction::ModifySetting;
        command.settings = parse_settings();
    }
    else if (accept_word("QUERY"))
    {
        command.action = AlterAction::ModifyQuery;
        command.select = parse_select_union();
    }
    else if (peek_word("REFRESH"))
    {
        command.action = AlterAction::ModifyRefresh;
        command.refresh = parse_refresh();
    }
    else if (peek_word("COMMENT") && peek_is(TokenType::String, 1))
    {
        advance();
        command.action = AlterAction::ModifyComment;
        command.comment = parse_string_literal();
    }
    else if (accept_word("STATISTICS"))
        parse_alter_statistics(command, AlterAction::ModifyStatistics);
    else if (parse_sql_security(command.sql_security, command.definer))
    {
        command.action = AlterAction::ModifySqlSecurity;
        parse_sql_security(command.sql_security, command.definer);
    }
    else
    {
        accept_word("COLUMN");
        command.action = AlterAction::ModifyColumn;
        command.if_exists = accept_word("IF EXISTS");
        command.declaration = parse_column_declaration(true);
        if (accept_word("REMOVE"))
        {
            for (const char* what : {"DEFAULT", "MATERIALIZED", "ALIAS", "COMMENT", "CODEC",
                                     "TTL", "SETTINGS", "EPHEMERAL"})
            {
                if (accept_word(what))
                {
                    command.remove = what;
                    return;
                }
            }
            fail();
        }
        if (accept_word("MODIFY SETTING"))
        {
            command.column_settings_modified = true;
            do
                command.column_settings.push_back(parse_setting_change());
            while (peek_is(TokenType::Comma) && peek_identifier(1) &&
                   peek_is(TokenType::Equals, 2) && accept(TokenType::Comma));
            return;
        }
        if (accept_word("RESET SETTING"))
        {
            command.column_settings_reset = true;
            command.names = parse_setting_names();
            return;
        }
        parse_position(command);
    }
}

// At a comma behind which the next command of an ALTER begins: two words, which no element of a
// list of settings or TTL begins with.
bool Parser::peek_next_alter_command()
{
    if (!peek_is(TokenType::Comma) || !peek_is(TokenType::Word, 1) || !peek_is(TokenType::Word, 2))
        return false;
    for (const char* word :
         {"ADD", "DROP", "CLEAR", "MATERIALIZE", "MODIFY", "ALTER", "COMMENT", "RENAME", "REMOVE",
          "RESET", "DELETE", "UPDATE", "DETACH", "ATTACH", "REPLACE", "MOVE", "FREEZE", "UNFREEZE",
          "FETCH", "FORGET", "APPLY", "REWRITE"})
        if (peek_word(word, 1))
            return true;
    return false;
}

// Names with commas between; stops before a comma that begins the next command.
std::vector<std::string> Parser::parse_setting_names()
{
    std::vector<std::string> names;
    do
        names.push_back(parse_identifier());
    while (peek_is(TokenType::Comma) && peek_identifier(1) &&
           (peek_is(TokenType::Comma, 2) || peek_is(TokenType::End, 2) ||
            peek_is(TokenType::CloseRound, 2) || peek_is(TokenType::Semicolon, 2)) &&
           accept(TokenType::Comma));
    return names;
}

AstPtr Parser::parse_alter_command()
{
    const size_t begin = mark();
    auto command = std::make_shared<AstAlterCommand>();
    AstAlterCommand& c = *command;
    const auto with_partition = [&](AlterAction action)
    {
        c.action = action;
        c.partition = parse_partition();
    };
    if (accept_word("ADD"))
        parse_alter_add(c);
    else if (accept_word("DROP"))
        parse_alter_drop(c);
    else if (accept_word("CLEAR"))
    {
        if (!parse_alter_object(c, AlterAction::ClearColumn, AlterAction::ClearIndex,
                                AlterAction::ClearProjection, AlterAction::ClearStatistics))
            fail();
    }
    else if (accept_word("MATERIALIZE TTL"))
    {
        c.action = AlterAction::MaterializeTtl;
        if (accept_word("IN"))
            c.partition = parse_partition();
    }
    else if (accept_word("MATERIALIZE"))
    {
        if (!parse_alter_object(c, AlterAction::MaterializeColumn, AlterAction::MaterializeIndex,
                                AlterAction::MaterializeProjection,
                                AlterAction::MaterializeStatistics))
            fail();
    }
    else if (accept_word("MODIFY"))
        parse_alter_modify(c);
    else if (accept_word("ALTER COLUMN"))
    {
        c.action = AlterAction::ModifyColumn;
        c.if_exists = accept_word("IF EXISTS");
        const size_t at = mark();
        if (peek_identifier() && peek_word("TYPE", 1))
        {
            auto column = std::make_shared<AstColumnDeclaration>();
            column->name = parse_identifier();
            advance();
            column->type = parse_type();
            c.declaration = finish(std::move(column), at);
        }
        else
            c.declaration = parse_column_declaration(true);
        parse_position(c);
    }
    else if (accept_word("COMMENT COLUMN"))
    {
        c.action = AlterAction::CommentColumn;
        c.if_exists = accept_word("IF EXISTS");
        c.name = parse_compound_name();
        c.comment = parse_string_literal();
    }
    else if (accept_word("RENAME COLUMN"))
    {
        c.action = AlterAction::RenameColumn;
        c.if_exists = accept_word("IF EXISTS");
        c.name = parse_compound_name();
        expect_word("TO");
        c.new_name = parse_compound_name();
    }
    else if (accept_word("REMOVE TTL"))
        c.action = AlterAction::RemoveTtl;
    else if (accept_word("REMOVE SAMPLE BY"))
        c.action = AlterAction::RemoveSampleBy;
    else if (accept_word("RESET SETTING"))
    {
        c.action = AlterAction::ResetSetting;
        c.names = parse_setting_names();
    }
    else if (accept_word("DELETE"))
    {
        c.action = AlterAction::Delete;
        if (accept_word("IN"))
            c.partition = parse_partition();
        expect_word("WHERE");
        c.where = parse_expression();
    }
    else if (accept_word("UPDATE"))
    {
        c.action = AlterAction::Update;
        c.assignments = parse_update_assignments();
        if (accept_word("IN"))
            c.partition = parse_partition();
        expect_word("WHERE");
        c.where = parse_expression();
    }
    else if (accept_word("DETACH"))
        with_partition(AlterAction::DetachPartition);
    else if (accept_word("ATTACH"))
    {
        with_partition(AlterAction::AttachPartition);
        if (accept_word("FROM"))
            parse_table_name_into(c.table);
    }
    else if (accept_word("REPLACE"))
    {
        with_partition(AlterAction::ReplacePartition);
        expect_word("FROM");
        parse_table_name_into(c.table);
    }
    else if (accept_word("MOVE"))
    {
        with_partition(AlterAction::MovePartition);
        expect_word("TO");
        if (accept_word("DISK"))
            c.destination = MoveDestination::Disk;
        else if (accept_word("VOLUME"))
            c.destination = MoveDestination::Volume;
        else if (accept_word("SHARD"))
            c.destination = MoveDestination::Shard;
        else
            expect_word("TABLE");
        if (c.destination == MoveDestination::Table)
            parse_table_name_into(c.table);
        else
            c.destination_name = parse_string();
    }
    else if (accept_word("FREEZE") || accept_word("UNFREEZE"))
    {
        c.action = token_text(tokens_[position_ - 1]).size() == 6 ? AlterAction::FreezePartition
                                                                  : AlterAction::UnfreezePartition;
        if (peek_word("PARTITION"))
            c.partition = parse_partition();
        if (accept_word("WITH NAME"))
            c.with_name = parse_string();
    }
    else if (accept_word("FETCH"))
    {
        with_partition(AlterAction::FetchPartition);
        expect_word("FROM");
        c.destination_name = parse_string();
    }
    else if (accept_word("FORGET"))
        with_partition(AlterAction::ForgetPartition);
    else if (accept_word("APPLY DELETED MASK") || accept_word("APPLY PATCHES") ||
             accept_word("REWRITE PARTS"))
    {
        const std::string_view last = token_text(tokens_[position_ - 1]);
        c.action = equals_ignoring_case(last, "MASK")      ? AlterAction::ApplyDeletedMask
                   : equals_ignoring_case(last, "PATCHES") ? AlterAction::ApplyPatches
                                                           : AlterAction::RewriteParts;
        if (accept_word("IN"))
            c.partition = parse_partition();
    }
    else
        fail("ALTER command");
    return finish(std::move(command), begin);
}

} // namespace basalt
