// Statements of PostgreSQL that never reach the engine: transactions, settings, cursors.

#include "net/postgres/connection.h"

#include "base/error.h"
#include "net/postgres/postgres_settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// The second word of a statement, with or without quotes: a cursor's name.
std::string second_name(const PostgresStatement& statement)
{
    const std::string text = statement.text_without_parameters();
    constexpr std::string_view kBlanks = " \t\r\n";
    size_t at = text.find_first_not_of(kBlanks);
    at = text.find_first_of(kBlanks, at);
    at = text.find_first_not_of(kBlanks, at);
    if (at == std::string::npos)
        throw Error(error_codes::SYNTAX_ERROR, "The name of a cursor is missing");
    std::string name = fold_name(text.substr(at, text.find_first_of(kBlanks, at) - at));
    name.erase(std::remove(name.begin(), name.end(), '`'), name.end());
    return name;
}

} // namespace

std::optional<std::string> PostgresConnection::run_ours(const PostgresStatement& statement)
{
    const auto& words = statement.words;
    if (statement.is("BEGIN") || statement.is("START", "TRANSACTION"))
    {
        transaction_ = 'T';
        return statement.is("BEGIN") ? "BEGIN" : "START TRANSACTION";
    }
    if (statement.is("COMMIT") || statement.is("END") || statement.is("ROLLBACK") ||
        statement.is("ABORT"))
    {
        // ROLLBACK TO a savepoint goes on in the transaction.
        if (std::find(words.begin(), words.end(), "TO") != words.end())
        {
            transaction_ = 'T';
            return "ROLLBACK";
        }
        const bool failed = transaction_ == 'E';
        transaction_ = 'I';
        portals_.clear();
        cursors_.clear();
        return statement.is("ROLLBACK") || statement.is("ABORT") || failed ? "ROLLBACK" : "COMMIT";
    }
    if (transaction_ == 'E')
        throw Error(error_codes::INVALID_TRANSACTION,
                    "The transaction has failed; what follows is ignored until it ends");
    if (statement.is("SAVEPOINT") || statement.is("RELEASE"))
        return words[0];
    if (statement.is("DISCARD"))
    {
        prepared_.clear();
        portals_.clear();
        cursors_.clear();
        return "DISCARD ALL";
    }
    if (statement.is("DEALLOCATE"))
    {
        if (words.back() == "ALL")
            prepared_.clear();
        return "DEALLOCATE";
    }
    if (statement.is("LISTEN") || statement.is("UNLISTEN"))
        return words[0];
    if (statement.is("DECLARE"))
    {
        declare_cursor(statement);
        return "DECLARE CURSOR";
    }
    if (statement.is("MOVE"))
        return move_cursor(statement);
    if (statement.is("CLOSE"))
    {
        const std::string name = second_name(statement);
        if (name == "all")
            cursors_.clear();
        else
            cursors_.erase(name);
        return "CLOSE CURSOR";
    }
    if (auto tag = set_postgres_setting(statement, postgres_settings_))
    {
        if (const auto zone = postgres_settings_.find("timezone"); zone != postgres_settings_.end())
            session_.settings.set("session_timezone", zone->second);
        return tag;
    }
    return std::nullopt;
}

std::optional<std::string>
PostgresConnection::show_value(const PostgresStatement& statement) const
{
    if (!statement.is("SHOW") || statement.words.size() < 2)
        return std::nullopt;
    std::string name = fold_name(statement.words[1]);
    if (name == "transaction" && statement.words.size() > 2)
        name = "transaction_isolation";
    if (name == "time" && statement.words.size() > 2)
        name = "timezone";
    const auto it = postgres_settings_.find(name);
    if (it == postgres_settings_.end())
        return std::nullopt;
    return it->second;
}

// DECLARE name [NO SCROLL …] CURSOR [WITH HOLD …] FOR query
void PostgresConnection::declare_cursor(const PostgresStatement& statement)
{
    const std::string text = statement.text_without_parameters();
    const std::string upper = [&]
    {
        std::string result = text;
        for (char& c : result)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        return result;
    }();
    const size_t cursor = upper.find("CURSOR");
    const size_t start_at =
        cursor == std::string::npos ? cursor : upper.find("FOR", cursor + 6);
    if (start_at == std::string::npos)
        throw Error(error_codes::SYNTAX_ERROR, "DECLARE needs a name, CURSOR FOR and a query");
    const std::string name = second_name(statement);
    if (cursors_.contains(name))
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("Cursor {} already exists", name));
    if (cursors_.size() >= kMaxPostgresStatements)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE, "Too many cursors");
    open_cursor(name, text.substr(start_at + 3), settings_for(statement));
}

void PostgresConnection::open_cursor(const std::string& name, std::string text,
                                     std::vector<std::pair<std::string, std::string>> settings)
{
    auto running = start(text, settings);
    if (!wait_for_header(*running, {}))
        throw Error(error_codes::BAD_ARGUMENTS, "The statement of a cursor gives no rows");
    running->text = std::move(text);
    running->settings = std::move(settings);
    cursors_[name] = std::move(running);
}

// MOVE BACKWARD ALL IN name: the query runs again.
std::string PostgresConnection::move_cursor(const PostgresStatement& statement)
{
    const auto& words = statement.words;
    if (!(words.size() >= 4 && words[1] == "BACKWARD" && words[2] == "ALL"))
        throw Error(error_codes::NOT_IMPLEMENTED, "Cursors move to their begin only");
    std::string text = statement.text_without_parameters();
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    std::string name = fold_name(text.substr(text.find_last_of(" \t\r\n") + 1));
    name.erase(std::remove(name.begin(), name.end(), '`'), name.end());
    const auto found = cursors_.find(name);
    if (found == cursors_.end())
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("There is no cursor {}", name));
    const uint64_t rows = found->second->sent_rows;
    std::string query = found->second->text;
    auto settings = found->second->settings;
    cursors_.erase(found);
    open_cursor(name, std::move(query), std::move(settings));
    return fmt::format("MOVE {}", rows);
}

// FETCH [FORWARD] [n | ALL | NEXT] [FROM | IN] name
std::optional<std::pair<std::string, uint64_t>>
PostgresConnection::parse_fetch(const PostgresStatement& statement) const
{
    if (!statement.is("FETCH"))
        return std::nullopt;
    std::string text = statement.text_without_parameters();
    uint64_t count = 1;
    std::string name;
    size_t at = 0;
    while (at < text.size())
    {
        const size_t begin = text.find_first_not_of(" \t\r\n", at);
        if (begin == std::string::npos)
            break;
        size_t end = text.find_first_of(" \t\r\n", begin);
        if (end == std::string::npos)
            end = text.size();
        const std::string word = text.substr(begin, end - begin), low = fold_name(word);
        at = end;
        if (low == "fetch" || low == "forward" || low == "from" || low == "in" || low == "next")
            continue;
        if (low == "all")
            count = 0;
        else if (std::isdigit(static_cast<unsigned char>(word[0])))
            std::from_chars(word.data(), word.data() + word.size(), count);
        else if (low == "backward" || low == "prior" || low == "first" || low == "last" ||
                 low == "absolute" || low == "relative" || word[0] == '-')
            throw Error(error_codes::NOT_IMPLEMENTED, "Cursors only go forward");
        else
            name = low;
    }
    name.erase(std::remove(name.begin(), name.end(), '`'), name.end());
    if (!cursors_.contains(name))
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("There is no cursor {}", name));
    return std::make_pair(name, count);
}

} // namespace basalt
