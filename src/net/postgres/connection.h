#pragma once

// The server's side of one PostgreSQL connection. One thread; queries run on others (QueryTask).

#include "net/postgres/messages.h"
#include "net/postgres/server.h"
#include "net/postgres/text.h"
#include "net/postgres/values.h"
#include "net/query_task.h"

#include "io/socket.h"

#include <functional>

namespace basalt
{

// Running queries by the key that their connections were given. Thread-safe.
class PostgresCancels
{
public:
    uint32_t add(uint32_t secret); // gives the process id
    void remove(uint32_t process_id);
    void set_task(uint32_t process_id, QueryTask* task); // null: nothing runs
    void cancel(uint32_t process_id, uint32_t secret);

private:
    struct Entry
    {
        uint32_t secret = 0;
        QueryTask* task = nullptr;
    };
    std::mutex mutex_;
    std::map<uint32_t, Entry> entries_;
    uint32_t last_id_ = 0;
};

struct CopyStatement;

class PostgresConnection
{
public:
    PostgresConnection(Engine& engine, const PostgresServerOptions& options, Socket& socket,
                       PostgresCancels& cancels, std::function<bool()> stopping);
    ~PostgresConnection();

    // Returns when the connection is over.
    void run();
    static void refuse(Socket& socket);

private:
    // A query that gives rows bit by bit.
    struct Running
    {
        ~Running();
        PostgresCancels* cancels = nullptr;
        uint32_t process_id = 0;
        std::unique_ptr<QueryTask> task;
        Header header;
        bool has_header = false;
        std::vector<PostgresColumn> columns;
        std::unique_ptr<FormatOptions> options;
        std::vector<PostgresValues> values;
        Block block;
        size_t row = 0;
        bool over = false;
        uint64_t sent_rows = 0;
        // Of a cursor: what runs again when it goes back to its begin.
        std::string text;
        std::vector<std::pair<std::string, std::string>> settings;
    };
    struct Prepared
    {
        PostgresStatement statement;
        std::vector<uint32_t> parameter_types;
    };
    struct Portal
    {
        PostgresStatement statement;
        std::string text; // with parameters
        std::vector<int16_t> result_formats;
        std::unique_ptr<Running> running;
        bool done = false;
    };

    bool handshake();
    void authenticate(const std::string& user);
    std::string read_password(); // the body of a password message
    EffectiveAccessPtr authenticate_by_scram(const LoginAttempt& attempt);
    void serve_message(const PostgresMessage& message);
    void end_series(); // ReadyForQuery
    void fail(const Error& error);

    void simple_query(const std::string& text);
    void run_simple(const PostgresStatement& statement);
    void parse(const PostgresMessage& message);
    void bind(const PostgresMessage& message);
    void describe(const PostgresMessage& message);
    void describe_statement(const Prepared& prepared);
    void execute(const PostgresMessage& message);
    void close(const PostgresMessage& message);

    // What PostgreSQL has and we answer ourselves: transactions, settings of PostgreSQL, cursors.
    // The tag; nothing when it is none of them.
    std::optional<std::string> run_ours(const PostgresStatement& statement);
    std::optional<std::string> show_value(const PostgresStatement& statement) const;
    void declare_cursor(const PostgresStatement& statement);
    void open_cursor(const std::string& name, std::string text,
                     std::vector<std::pair<std::string, std::string>> settings);
    std::string move_cursor(const PostgresStatement& statement);
    std::optional<std::pair<std::string, uint64_t>>
    parse_fetch(const PostgresStatement& statement) const;

    // False when it is no COPY.
    bool run_copy(const PostgresStatement& statement);
    void copy_in(const CopyStatement& copy);
    void copy_out(const CopyStatement& copy);
    static void note_copy_event(Running& running, const QueryEvent& event);

    using QuerySettings = std::vector<std::pair<std::string, std::string>>;
    // What makes our SQL answer as PostgreSQL would where the statement, or the session, is PostgreSQL's.
    QuerySettings settings_for(const PostgresStatement& statement) const;
    std::unique_ptr<Running>
    start(std::string text, const std::vector<std::pair<std::string, std::string>>& settings = {},
          InputBuffer* more = nullptr);
    // Waits for the columns; false when the statement has none and is over.
    bool wait_for_header(Running& running, const std::vector<int16_t>& formats);
    void wait_for_end(Running& running);
    // Up to max_rows (0: all). True when there may be more.
    bool send_rows(Running& running, uint64_t max_rows);
    bool next_block(Running& running);
    QueryEvent next_event(Running& running);
    static std::string tag_of(const PostgresStatement& statement, uint64_t rows);
    uint64_t written_rows(const Running& running) const;

    Engine& engine_;
    const PostgresServerOptions& options_;
    Socket& socket_;
    PostgresCancels& cancels_;
    std::function<bool()> stopping_;
    SocketInputBuffer in_;
    SocketOutputBuffer out_;
    Session session_;
    uint32_t process_id_ = 0;
    char transaction_ = 'I'; // I none, T in one, E in a failed one
    bool skips_to_sync_ = false;
    std::map<std::string, Prepared> prepared_;
    std::map<std::string, Portal> portals_;
    std::map<std::string, std::unique_ptr<Running>> cursors_;
    std::map<std::string, std::string> postgres_settings_; // in lower case
    std::string application_;
};

} // namespace basalt
