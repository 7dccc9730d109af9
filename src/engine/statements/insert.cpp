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

void insert_data(const AstInsert& insert, const TablePtr& table, Transaction& transaction,
                 StatementContext& statement)
{
    const auto metadata = table->metadata();
    const Header header = insert_header(insert, *metadata);
    InsertLane lane(statement.engine, table, header, transaction, statement.context);
    if (statement.request.insert_blocks)
    {
        auto next = statement.request.insert_blocks(header);
        for (Block block = next(); block.rows() > 0; block = next())
            lane.write(std::move(block));
        lane.finish();
        return;
    }
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
