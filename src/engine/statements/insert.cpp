// INSERT in all its forms.

#include "engine/insert_rows.h"

#include "base/error.h"
#include "engine/select.h"
#include "storage/storage_service.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

void insert_select(const AstInsert& insert, const TablePtr& table, Transaction& transaction,
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
    std::vector<std::unique_ptr<InsertLane>> lanes;
    for (size_t s = 0; s < execution.stream_count(); ++s)
        lanes.push_back(std::make_unique<InsertLane>(statement.engine, table, given, transaction,
                                                     statement.context));
    execution.drain_parallel(
        [&](size_t stream, Block&& block)
        {
            for (size_t i = 0; i < block.width(); ++i)
                block[i].name = given[i].name;
            lanes[stream]->write(std::move(block));
        });
    for (auto& lane : lanes)
        lane->finish();
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

void insert_blocks(const Header& wanted, const TablePtr& table, Transaction& transaction,
                   StatementContext& statement)
{
    const auto next =
        statement.request.insert_blocks(wanted, describe_columns(*table->metadata()));
    std::unique_ptr<InsertLane> lane;
    Header given = wanted;
    for (Block block = next(); block.rows() > 0; block = next())
    {
        block = arrange(std::move(block), wanted);
        const Header header = block.header();
        if (!lane)
            given = header;
        for (size_t i = 0; i < given.size(); ++i)
            if (!same_type(given[i].type, header[i].type))
                throw Error(error_codes::TYPE_MISMATCH,
                            fmt::format("Column {} was sent as {} and then as {}", given[i].name,
                                        given[i].type->name(), header[i].type->name()));
        if (!lane)
            lane = std::make_unique<InsertLane>(statement.engine, table, given, transaction,
                                                statement.context);
        lane->write(std::move(block));
    }
    if (!lane)
        lane = std::make_unique<InsertLane>(statement.engine, table, given, transaction,
                                            statement.context);
    lane->finish();
}

void insert_data(const AstInsert& insert, const TablePtr& table, Transaction& transaction,
                 StatementContext& statement)
{
    const auto metadata = table->metadata();
    const Header header = insert_header(insert, *metadata);
    if (statement.request.insert_blocks && takes_blocks_of(insert, statement.request.text))
    {
        insert_blocks(header, table, transaction, statement);
        return;
    }
    InsertLane lane(statement.engine, table, header, transaction, statement.context);
    InsertRows source(insert.format, *statement.data, header, statement.context);
    for (;;)
    {
        InputBlock input = source.next();
        if (input.block.rows() == 0)
            break;
        lane.write(std::move(input.block), input.omitted);
    }
    lane.finish();
}

} // namespace

ResultPtr run_insert(const AstInsert& insert, StatementContext& statement)
{
    if (insert.table_function)
        throw Error(error_codes::NOT_IMPLEMENTED, "INSERT INTO FUNCTION is not implemented");
    if (insert.infile)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "FROM INFILE is read by the client; the server does not open files");
    const TablePtr table = statement.get_table(insert.target);
    if (statement.objects)
        statement.objects->add(*table, {});
    auto transaction = statement.engine.storage().begin();
    if (insert.select)
        insert_select(insert, table, *transaction, statement);
    else
        insert_data(insert, table, *transaction, statement);
    transaction->commit();
    return nullptr;
}

} // namespace basalt
