// INSERT in all its forms.

#include "engine/insert_rows.h"

#include "base/error.h"
#include "binder/binder.h"
#include "engine/select.h"
#include "sql/formatter.h"
#include "storage/storage_service.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace basalt
{

namespace
{

using Lanes = std::vector<std::unique_ptr<InsertLane>>;

// Each of these brings the rows into lanes, which are not finished yet.

Lanes insert_select(const AstInsert& insert, const TablePtr& table, Transaction& transaction,
                    StatementContext& statement)
{
    const auto metadata = table->metadata();
    const Header wanted = insert_header(insert, *metadata);
    AnalyzerContext analyzer = make_analyzer(statement);
    QueryExecution execution(analyze(insert.select, analyzer), statement.context);
    if (execution.header().size() != wanted.size())
        throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                    fmt::format("Number of columns doesn't match (source: {} and result: {})",
                                execution.header().size(), wanted.size()));
    // By position: the source's types, the target's names.
    Header given;
    for (size_t i = 0; i < wanted.size(); ++i)
        given.push_back({wanted[i].name, execution.header()[i].type});
    // What a table function stands for is written by one at a time.
    const bool alone = insert.table_function != nullptr;
    std::mutex one_at_a_time;
    Lanes lanes;
    for (size_t s = 0; s < (alone ? 1 : execution.stream_count()); ++s)
        lanes.push_back(std::make_unique<InsertLane>(statement.engine, table, given, transaction,
                                                     statement.context));
    execution.drain_parallel(
        [&](size_t stream, Block&& block)
        {
            for (size_t i = 0; i < block.width(); ++i)
                block[i].name = given[i].name;
            if (!alone)
                return lanes[stream]->write(std::move(block));
            std::lock_guard lock(one_at_a_time);
            lanes.front()->write(std::move(block));
        });
    return lanes;
}

// Columns of `block` in the order of `wanted`: by name, or by position when names differ.
Block arrange(Block block, const Header& wanted)
{
    if (block.width() != wanted.size())
        throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                    fmt::format("A block of {} columns was sent where {} are wanted",
                                block.width(), wanted.size()));
    std::vector<NamedColumn> columns;
    for (const auto& column : wanted)
        if (const int at = block.find(column.name); at >= 0)
            columns.push_back(block[static_cast<size_t>(at)]);
    if (columns.size() == wanted.size())
        return Block(std::move(columns), block.rows());
    for (size_t i = 0; i < wanted.size(); ++i)
        block[i].name = wanted[i].name;
    return block;
}

Lanes one_lane(const Header& given, const TablePtr& table, Transaction& transaction,
               bool hash_content, StatementContext& statement)
{
    Lanes lanes;
    lanes.push_back(std::make_unique<InsertLane>(statement.engine, table, given, transaction,
                                                 statement.context));
    if (hash_content)
        lanes.back()->hash_content();
    return lanes;
}

Lanes insert_blocks(const Header& wanted, const std::function<Block()>& next, const TablePtr& table,
                    Transaction& transaction, bool hash_content, StatementContext& statement)
{
    Lanes lanes;
    Header given = wanted;
    for (Block block = next(); block.rows() > 0; block = next())
    {
        block = arrange(std::move(block), wanted);
        const Header header = block.header();
        if (lanes.empty())
        {
            given = header;
            lanes = one_lane(given, table, transaction, hash_content, statement);
        }
        for (size_t i = 0; i < given.size(); ++i)
            if (!same_type(given[i].type, header[i].type))
                throw Error(error_codes::TYPE_MISMATCH,
                            fmt::format("Column {} was sent as {} and then as {}", given[i].name,
                                        given[i].type->name(), header[i].type->name()));
        lanes.front()->write(std::move(block));
    }
    if (lanes.empty())
        lanes = one_lane(given, table, transaction, hash_content, statement);
    return lanes;
}

Lanes insert_data(const AstInsert& insert, const Header& header, const TablePtr& table,
                  Transaction& transaction, bool hash_content, StatementContext& statement)
{
    Lanes lanes = one_lane(header, table, transaction, hash_content, statement);
    InsertRows source(insert.format, *statement.data, header, statement.context);
    for (;;)
    {
        InputBlock input = source.next();
        if (input.block.rows() == 0)
            break;
        lanes.front()->write(std::move(input.block), input.omitted);
    }
    return lanes;
}

bool has_views(const TablePtr& table, StatementContext& statement)
{
    return !statement.engine.catalog().views_of(table->table_name()).empty();
}

// By what an INSERT is known again: the client's token always, unless it said that it wants none;
// the rows themselves where the table asks for it.
struct Deduplication
{
    bool by_token = false;
    bool by_content = false;
    TokenClaim claim;
};

Deduplication deduplication_of(const AstInsert& insert, const TablePtr& table,
                               StatementContext& statement)
{
    Deduplication result;
    const Settings& settings = statement.context->settings;
    if (settings.changed("insert_deduplicate") && !settings.get_bool("insert_deduplicate"))
        return result;
    result.claim.table_uuid = table->uuid();
    result.claim.text = settings.get("insert_deduplication_token");
    result.claim.while_waiting = [context = statement.context] { context->check_alive(); };
    // Rows that a view brings elsewhere are the same INSERT's.
    if (!result.claim.text.empty())
    {
        result.by_token = !result.claim.table_uuid.empty() &&
                          (table->keeps_tokens() || has_views(table, statement));
        return result;
    }
    const std::string* window =
        table->keeps_tokens()
            ? table->metadata()->find_setting("non_replicated_deduplication_window")
            : nullptr;
    const bool is_async = settings.changed("async_insert") && settings.get_bool("async_insert") &&
                          !settings.get_bool("async_insert_deduplicate");
    if (!window || insert.select || is_async || !settings.get_bool("insert_deduplicate"))
        return result;
    result.claim.by_content = true;
    result.claim.window = std::strtoull(window->c_str(), nullptr, 10);
    result.by_content = result.claim.window > 0;
    return result;
}

// What an INSERT of data under async_insert leaves in system.asynchronous_insert_log. Rows are
// durable before the answer unless the client said that it does not wait.
class AsyncRecord
{
public:
    AsyncRecord(const AstInsert& insert, const TablePtr& table, StatementContext& statement)
        : statement_(statement), context_(*statement.context)
    {
        const Settings& settings = context_.settings;
        is_async_ = !insert.select && settings.get_bool("async_insert");
        waits_ = !is_async_ || settings.get_bool("wait_for_async_insert");
        if (!is_async_)
            return;
        const TableName name = table->table_name();
        insert_.database = name.database;
        insert_.table = name.table;
        insert_.is_preprocessed =
            statement.request.insert_blocks && takes_blocks_of(insert, statement.request.text);
        insert_.format = insert_.is_preprocessed   ? "Native"
                         : insert.format.empty() ? "Values"
                                                 : insert.format;
        insert_.query = fmt::format("INSERT INTO {}.{} FORMAT {}", quote_identifier(name.database),
                                    quote_identifier(name.table), insert_.format);
        insert_.query_id = context_.query_id;
        insert_.received_unix_us = context_.clock->unix_us();
    }

    // Rows that could not be read or were refused.
    void fail(const Error& error)
    {
        if (is_async_ && !is_done_)
            record(AsyncInsertLogEntry::Status::ParsingError, error.full_text());
        is_done_ = true;
    }

    void commit(std::unique_ptr<Transaction> transaction)
    {
        is_done_ = true;
        if (!is_async_)
        {
            transaction->commit();
            return;
        }
        insert_.rows = context_.written_rows;
        insert_.bytes = context_.written_bytes;
        auto& inserts = statement_.engine.async_inserts();
        if (!waits_)
        {
            inserts.add(std::move(insert_), std::move(transaction), context_);
            return;
        }
        try
        {
            transaction->commit();
        }
        catch (const Error& error)
        {
            record(AsyncInsertLogEntry::Status::FlushError, error.full_text());
            throw;
        }
        record(AsyncInsertLogEntry::Status::Ok, "");
    }

private:
    void record(AsyncInsertLogEntry::Status status, std::string exception)
    {
        statement_.engine.async_inserts().record(std::move(insert_), status, std::move(exception));
    }

    StatementContext& statement_;
    const QueryContext& context_;
    AsyncInsert insert_;
    bool is_async_ = false;
    bool waits_ = true;
    bool is_done_ = false;
};

void discard(InputBuffer& data, const QueryContext& context)
{
    while (!data.eof())
    {
        context.check_alive();
        data.consume(data.available().size());
    }
}

bool has_rows(const Lanes& lanes)
{
    return std::any_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane->has_rows(); });
}

// Brings the rows into the transaction; false when there is nothing to bring, or it was before.
bool bring_rows(const AstInsert& insert, const TablePtr& table, Transaction& transaction,
                StatementContext& statement)
{
    Deduplication deduplication = deduplication_of(insert, table, statement);
    const TokenClaim& claim = deduplication.claim;
    Lanes lanes;
    if (insert.select)
    {
        if (deduplication.by_token && !transaction.add_token(claim))
            return false;
        lanes = insert_select(insert, table, transaction, statement);
        // Without rows there is nothing that must not come twice: the token stays free.
        if (deduplication.by_token && !has_rows(lanes))
            return false;
    }
    else
    {
        // The token is claimed when all rows are here: a client that stopped in the middle must not
        // keep its next attempt waiting.
        const bool is_known = deduplication.by_token && transaction.knows_token(claim);
        const Header header = insert_header(insert, *table->metadata());
        if (statement.request.insert_blocks && takes_blocks_of(insert, statement.request.text))
        {
            const auto next =
                statement.request.insert_blocks(header, describe_columns(*table->metadata()));
            if (is_known)
                while (next().rows() > 0)
                {
                }
            else
                lanes = insert_blocks(header, next, table, transaction, deduplication.by_content,
                                      statement);
        }
        else if (is_known)
            discard(*statement.data, *statement.context);
        else
            lanes = insert_data(insert, header, table, transaction, deduplication.by_content,
                                statement);
        if (deduplication.by_content)
            deduplication.claim.text = lanes.front()->content_hash();
        const bool is_claimed =
            deduplication.by_token || (deduplication.by_content && !claim.text.empty());
        if (is_known || (is_claimed && (!has_rows(lanes) || !transaction.add_token(claim))))
            return false;
    }
    for (auto& lane : lanes)
        lane->finish();
    return true;
}

// 'a UInt8, b String' of a header.
std::string structure_of(const Header& header)
{
    std::string structure;
    for (const auto& column : header)
        structure += fmt::format("{}{} {}", structure.empty() ? "" : ", ",
                                 quote_identifier(column.name), column.type->name());
    return structure;
}

// INSERT INTO FUNCTION f(…): a file without a structure gets that of the SELECT.
TablePtr function_table(const AstInsert& insert, StatementContext& statement)
{
    if (insert.partition_by)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "INSERT INTO FUNCTION … PARTITION BY is not implemented");
    const auto& call = *insert.table_function->as<AstFunction>();
    Catalog& catalog = statement.engine.catalog();
    const TableFunctionFactory* factory = catalog.find_table_function(call.name);
    if (!factory)
        throw Error(error_codes::UNKNOWN_FUNCTION,
                    fmt::format("Unknown table function {}", call.name));
    std::vector<TableFunctionArgument> arguments;
    for (const AstPtr& ast : call.arguments)
    {
        TableFunctionArgument argument;
        argument.ast = ast;
        if (ast->kind != AstKind::Identifier && ast->kind != AstKind::Subquery)
        {
            const auto bound = bind_expression(*ast, {}, *statement.context);
            if (!bound->is_constant())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Argument {} of table function {} must be constant",
                                        format_query(*ast), call.name));
            argument.value = bound->constant_column()->value_at(0);
            argument.type = bound->type();
        }
        arguments.push_back(std::move(argument));
    }
    if (call.name == "file" && insert.select && !arguments.empty())
    {
        constexpr size_t kStructure = 2; // its place among the arguments
        const auto add = [&](const std::string& text)
        {
            TableFunctionArgument argument;
            argument.value = Value(text);
            argument.type = simple_type(TypeId::String);
            arguments.push_back(std::move(argument));
        };
        while (arguments.size() < kStructure)
            add("auto");
        if (arguments.size() == kStructure)
        {
            AnalyzerContext analyzer = make_analyzer(statement);
            add(structure_of(analyze_header(insert.select, analyzer)));
        }
    }
    return (*factory)(arguments, catalog, statement.context);
}

} // namespace

ResultPtr run_insert(const AstInsert& insert, StatementContext& statement)
{
    if (insert.infile)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "FROM INFILE is read by the client; the server does not open files");
    const TablePtr table = insert.table_function ? function_table(insert, statement)
                                                 : statement.get_table(insert.target);
    if (statement.objects)
        statement.objects->add(*table, {});
    auto transaction = statement.engine.storage().begin();
    AsyncRecord async(insert, table, statement);
    try
    {
        if (bring_rows(insert, table, *transaction, statement))
            async.commit(std::move(transaction));
    }
    catch (const Error& error)
    {
        async.fail(error);
        throw;
    }
    return nullptr;
}

} // namespace basalt
