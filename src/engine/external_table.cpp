#include "engine/external_table.h"

#include "sql/ast_create.h"
#include "sql/parser.h"

namespace basalt
{

namespace
{

class SentRows : public Table
{
public:
    SentRows(std::string name, Header header, std::vector<Block> blocks)
        : name_(std::move(name)), header_(std::move(header)), blocks_(std::move(blocks))
    {
        auto metadata = std::make_shared<TableMetadata>();
        for (const auto& column : header_)
        {
            ColumnDescription description;
            description.name = column.name;
            description.type = column.type;
            metadata->columns.push_back(std::move(description));
        }
        metadata_ = std::move(metadata);
        for (const auto& block : blocks_)
            rows_ += block.rows();
    }

    std::string engine_name() const override { return "Memory"; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override { return {"_temporary_and_external_tables", name_}; }
    std::string uuid() const override { return ""; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        return scan_blocks(blocks_, header_, request, std::move(context));
    }
    std::optional<uint64_t> total_rows() const override { return rows_; }

private:
    std::string name_;
    Header header_;
    std::vector<Block> blocks_;
    TableMetadataPtr metadata_;
    uint64_t rows_ = 0;
};

} // namespace

Header parse_structure(std::string_view text)
{
    Header header;
    for (const auto& declaration : parse_column_declarations(text))
    {
        const auto* column = declaration->as<AstColumnDeclaration>();
        if (!column->type)
            throw Error(error_codes::SYNTAX_ERROR,
                        "Column " + column->name + " of the structure has no type");
        header.push_back(
            {column->name, type_from_name(column->type->as<AstTypeName>()->to_text())});
    }
    return header;
}

ExternalTable::ExternalTable(Session& session, std::string name, Header header,
                             std::vector<Block> blocks)
    : session_(session), name_(std::move(name))
{
    TablePtr& place = session_.temporary_tables[name_];
    hidden_ = std::move(place);
    place = std::make_shared<SentRows>(name_, std::move(header), std::move(blocks));
}

ExternalTable::~ExternalTable()
{
    if (hidden_)
        session_.temporary_tables[name_] = std::move(hidden_);
    else
        session_.temporary_tables.erase(name_);
}

} // namespace basalt
