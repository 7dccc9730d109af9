// INSERT in all its forms.

#include "engine/insert.h"

#include "base/error.h"
#include "binder/binder.h"
#include "engine/select.h"
#include "sql/parser.h"
#include "storage/storage_service.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Most rows parsed into one block of an INSERT with data.
constexpr size_t kInsertBlockRows = 65536;

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

// Parses and evaluates an expression of VALUES.
size_t value_expression(std::string_view text, const TypePtr& type, Column& into,
                        const QueryContext& context)
{
    // The expression ends at a comma or parenthesis outside quotes and brackets.
    size_t depth = 0, end = 0;
    char quote = 0;
    for (; end < text.size(); ++end)
    {
        const char c = text[end];
        if (quote)
        {
            if (c == '\\')
                ++end;
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '\'' || c == '"' || c == '`')
            quote = c;
        else if (c == '(' || c == '[' || c == '{')
            ++depth;
        else if (c == ')' || c == ']' || c == '}')
        {
            if (depth == 0)
                break;
            --depth;
        }
        else if (c == ',' && depth == 0)
            break;
    }
    const AstPtr ast = parse_expression(text.substr(0, end));
    const auto bound = cast_to(bind_expression(*ast, {}, context), type, context);
    Block one;
    one.set_rows(1);
    const ColumnPtr column = to_flat(ExpressionProgram({bound}, context).run(one)[0]);
    into.append_from(*column, 0);
    return end;
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
    const std::string name = insert.format.empty() ? "Values" : insert.format;
    const auto& entry = formats().get_input(name);
    InputFormatContext format_context;
    format_context.header = header;
    format_context.options = FormatOptions::from(statement.context->settings,
                                                 statement.context->timezone());
    const QueryContext* context = statement.context.get();
    format_context.expression = [context](std::string_view text, const TypePtr& type, Column& into)
    { return value_expression(text, type, into, *context); };
    std::unique_ptr<InputBuffer> file;
    InputBuffer* source = statement.data;
    auto format = entry.input(*source, std::move(format_context));
    for (;;)
    {
        InputBlock input = format->read(kInsertBlockRows);
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
    auto transaction = statement.engine.storage().begin();
    if (insert.select)
        insert_select(insert, table, *transaction, statement);
    else
        insert_data(insert, table, *transaction, statement);
    transaction->commit();
    return nullptr;
}

} // namespace basalt
