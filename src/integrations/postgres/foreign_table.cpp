#include "integrations/postgres/foreign_table.h"

#include "base/error.h"
#include "catalog/function_table.h"
#include "postgres/copy_text.h"
#include "postgres/type_mapping.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

Connection connect(const ForeignName& foreign)
{
    ConnectionOptions options = foreign.connection;
    options.emplace_back("options", kReaderSession);
    return Connection(options);
}

SourceTable describe(Connection& connection, const ForeignName& foreign)
{
    auto source = describe_table(connection, foreign.schema, foreign.table);
    if (!source)
        throw Error(error_codes::UNKNOWN_TABLE,
                    fmt::format("PostgreSQL has no table {}.{}", foreign.schema, foreign.table));
    return std::move(*source);
}

// Rows of one query, block by block.
class Reader
{
public:
    Reader(const ForeignName& foreign, Header header, const ScanRequest& request,
           QueryContextPtr context)
        : connection_(connect(foreign)), header_(std::move(header)),
          block_rows_(std::max<size_t>(request.block_rows, 1)), context_(std::move(context))
    {
        const SourceTable source = describe(connection_, foreign);
        std::string columns;
        for (const auto& column : header_)
        {
            columns += (columns.empty() ? "" : ", ") + quote_name(column.name);
            readers_.emplace_back(column.type);
        }
        bool filter_sent, prewhere_sent;
        std::string where = sent_condition(request.filter, source, filter_sent);
        const std::string more = sent_condition(request.prewhere, source, prewhere_sent);
        if (!more.empty())
            where += (where.empty() ? "" : " AND ") + more;
        std::string sql = fmt::format("SELECT {} FROM {}", columns.empty() ? "1" : columns,
                                      source.quoted());
        if (!where.empty())
            sql += " WHERE " + where;
        if (request.limit && filter_sent && prewhere_sent)
            sql += fmt::format(" LIMIT {}", request.limit);
        connection_.start_copy_out("COPY (" + sql + ") TO STDOUT");
    }

    Block next()
    {
        std::vector<MutableColumnPtr> columns;
        for (const auto& column : header_)
            columns.push_back(column.type->create_column());
        size_t rows = 0;
        while (!ended_ && rows < block_rows_)
        {
            const auto row = connection_.next_copy_row();
            if (!row)
            {
                ended_ = true;
                break;
            }
            const auto& fields = line_.split(*row);
            for (size_t i = 0; i < columns.size(); ++i)
                if (fields[i].is_null)
                    readers_[i].append_null(*columns[i]);
                else
                    readers_[i].append(*columns[i], fields[i].text);
            ++rows;
        }
        context_->check_alive();
        Block block;
        for (size_t i = 0; i < columns.size(); ++i)
            block.add({std::move(columns[i]), header_[i].type, header_[i].name});
        block.set_rows(rows);
        return block;
    }

private:
    Connection connection_;
    Header header_;
    size_t block_rows_;
    QueryContextPtr context_;
    std::vector<ValueReader> readers_;
    CopyLine line_;
    bool ended_ = false;
};

class Sink final : public TableSink
{
public:
    Sink(const ForeignName& foreign, const TableMetadata& metadata) : connection_(connect(foreign))
    {
        const SourceTable source = describe(connection_, foreign);
        std::string columns;
        for (const auto& column : metadata.physical_header())
            columns += (columns.empty() ? "" : ", ") + quote_name(column.name);
        // One statement: all rows or none.
        connection_.start_copy_in(
            fmt::format("COPY {} ({}) FROM STDIN", source.quoted(), columns));
    }

    void write(Block block) override
    {
        const Block flat = block.flattened();
        std::string bytes, value;
        for (size_t row = 0; row < flat.rows(); ++row)
        {
            for (size_t i = 0; i < flat.width(); ++i)
            {
                if (i)
                    bytes.push_back('\t');
                value.clear();
                if (print_value(*flat[i].column, row, flat[i].type, value))
                    append_copy_field(bytes, value);
                else
                    bytes += "\\N";
            }
            bytes.push_back('\n');
            if (bytes.size() >= kChunkBytes)
            {
                connection_.put_copy_bytes(bytes);
                bytes.clear();
            }
        }
        connection_.put_copy_bytes(bytes);
    }
    void finish() override { connection_.finish_copy_in(); }

private:
    static constexpr size_t kChunkBytes = 256 << 10;
    Connection connection_;
};

// 'host:port', 'database', 'table', 'user', 'password' and perhaps 'schema'.
ForeignName foreign_of(const std::vector<std::string>& arguments, const char* what)
{
    constexpr size_t kLeast = 5, kMost = 7;
    if (arguments.size() < kLeast || arguments.size() > kMost)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("{} needs 'host:port', 'database', 'table', 'user', 'password' and "
                                "perhaps 'schema'",
                                what));
    if (arguments.size() == kMost && !arguments[6].empty())
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("ON CONFLICT of {} is not implemented", what));
    ReplicaOptions options;
    std::tie(options.host, options.port) = parse_address(arguments[0]);
    options.database = arguments[1];
    options.user = arguments[3];
    options.password = arguments[4];
    ForeignName foreign;
    foreign.connection = options.connection();
    foreign.table = arguments[2];
    if (arguments.size() > kLeast && !arguments[5].empty())
        foreign.schema = arguments[5];
    return foreign;
}

} // namespace

ForeignTable::ForeignTable(TableName name, std::string uuid, TableMetadataPtr metadata,
                           ForeignName foreign)
    : name_(std::move(name)), uuid_(std::move(uuid)), metadata_(std::move(metadata)),
      foreign_(std::move(foreign))
{
}

TableName ForeignTable::table_name() const
{
    std::lock_guard lock(mutex_);
    return name_;
}

void ForeignTable::rename(const TableName& name)
{
    std::lock_guard lock(mutex_);
    name_ = name;
}

std::unique_ptr<Scan> ForeignTable::scan(const ScanRequest& request, QueryContextPtr context)
{
    std::vector<std::string> names = request.columns;
    for (const auto& condition : {request.filter, request.prewhere})
        if (condition)
            for (const auto& name : inputs_of({condition}))
                if (std::find(names.begin(), names.end(), name) == names.end())
                    names.push_back(name);
    Header header;
    for (const auto& name : names)
    {
        const ColumnDescription* column = metadata_->find_column(name);
        if (!column)
            throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                        fmt::format("There is no column {} in table {}", name,
                                    table_name().full()));
        header.push_back({column->name, column->type});
    }
    const auto reader = std::make_shared<Reader>(foreign_, header, request, context);
    return scan_generated([reader] { return reader->next(); }, header, request,
                          std::move(context));
}

std::unique_ptr<TableSink> ForeignTable::write(Transaction&, QueryContextPtr)
{
    return std::make_unique<Sink>(foreign_, *metadata_);
}

void register_foreign_tables(Catalog& catalog)
{
    catalog.register_engine(
        "PostgreSQL",
        [](const TableCreation& creation, Catalog&, QueryContextPtr) -> TablePtr
        {
            if (creation.metadata->columns.empty())
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Engine PostgreSQL without a list of columns is not implemented");
            return std::make_shared<ForeignTable>(
                creation.name, creation.uuid, creation.metadata,
                foreign_of(creation.metadata->engine_arguments, "Engine PostgreSQL"));
        });
    catalog.register_table_function(
        "postgresql",
        [](const std::vector<TableFunctionArgument>& arguments, Catalog&, QueryContextPtr)
        {
            std::vector<std::string> texts;
            for (const auto& argument : arguments)
                texts.push_back(table_function_text(argument, "postgresql"));
            const ForeignName foreign = foreign_of(texts, "Table function postgresql");
            Connection connection = connect(foreign);
            auto metadata = std::make_shared<TableMetadata>();
            for (const SourceColumn& column : describe(connection, foreign).columns)
            {
                ColumnDescription description;
                description.name = column.name;
                description.type = type_from_name(column_type_name(column.type));
                metadata->columns.push_back(std::move(description));
            }
            return std::make_shared<ForeignTable>(TableName{"_table_function", "postgresql"}, "",
                                                  std::move(metadata), foreign);
        });
}

} // namespace basalt::pg
