#include "catalog/view.h"

#include "sql/ast_create.h"

#include <fmt/format.h>

namespace basalt
{

View::View(const TableCreation& creation, AstPtr query, std::string database)
    : name_(creation.name), uuid_(creation.uuid), metadata_(creation.metadata),
      query_(std::move(query)), database_(std::move(database))
{
}

TableName View::table_name() const
{
    std::lock_guard lock(mutex_);
    return name_;
}

std::unique_ptr<Scan> View::scan(const ScanRequest&, QueryContextPtr)
{
    throw Error(error_codes::LOGICAL_ERROR,
                fmt::format("View {} is expanded before it is read", table_name().full()));
}

void View::alter(TableMetadataPtr metadata, const std::vector<MutationCommand>&, QueryContextPtr)
{
    std::lock_guard lock(mutex_);
    metadata_ = std::move(metadata);
}

void View::rename(const TableName& name)
{
    std::lock_guard lock(mutex_);
    name_ = name;
}

MaterializedView::MaterializedView(const TableCreation& creation, Catalog& catalog, AstPtr query,
                                   std::string database, TableName source, TableName target,
                                   bool has_inner_table)
    : catalog_(catalog), name_(creation.name), uuid_(creation.uuid),
      metadata_(creation.metadata), query_(std::move(query)), database_(std::move(database)),
      source_(std::move(source)), target_(std::move(target)), has_inner_table_(has_inner_table)
{
}

TableName MaterializedView::table_name() const
{
    std::lock_guard lock(mutex_);
    return name_;
}

TableName MaterializedView::target() const
{
    std::lock_guard lock(mutex_);
    return target_;
}

TablePtr MaterializedView::target_table() const
{
    return catalog_.get_table(target());
}

std::unique_ptr<Scan> MaterializedView::scan(const ScanRequest& request, QueryContextPtr context)
{
    return target_table()->scan(request, std::move(context));
}

std::unique_ptr<TableSink> MaterializedView::write(Transaction& transaction,
                                                   QueryContextPtr context)
{
    return target_table()->write(transaction, std::move(context));
}

std::optional<uint64_t> MaterializedView::total_rows() const
{
    const TablePtr table = has_inner_table_ ? catalog_.find_table(target()) : nullptr;
    return table ? table->total_rows() : std::nullopt;
}

std::optional<uint64_t> MaterializedView::total_bytes() const
{
    const TablePtr table = has_inner_table_ ? catalog_.find_table(target()) : nullptr;
    return table ? table->total_bytes() : std::nullopt;
}

void MaterializedView::optimize(const OptimizeCommand& command, QueryContextPtr context)
{
    target_table()->optimize(command, std::move(context));
}

void MaterializedView::truncate(QueryContextPtr context)
{
    if (has_inner_table_)
        target_table()->truncate(std::move(context));
}

void MaterializedView::rename(const TableName& name)
{
    std::lock_guard lock(mutex_);
    name_ = name;
}

TableName source_of_query(const AstPtr& query, const std::string& database)
{
    if (!query)
        return {};
    if (const auto* subquery = query->as<AstSubquery>())
        return source_of_query(subquery->query, database);
    if (const auto* members = query->as<AstSelectUnion>())
        return members->selects.empty() ? TableName{}
                                        : source_of_query(members->selects[0], database);
    const auto* select = query->as<AstSelect>();
    if (!select || select->from.empty())
        return {};
    const AstPtr& table = select->from[0]->as<AstTableElement>()->table;
    if (!table)
        return {};
    if (const auto* identifier = table->as<AstIdentifier>())
    {
        if (identifier->parts.size() == 1)
        {
            for (const AstPtr& element : select->with)
                if (const auto* with = element->as<AstWithElement>();
                    with && with->name == identifier->parts[0])
                    return source_of_query(with->subquery, database);
            return {database, identifier->parts[0]};
        }
        return {identifier->parts[0], identifier->parts[1]};
    }
    return table->kind == AstKind::Subquery ? source_of_query(table, database) : TableName{};
}

std::string inner_table_name(const std::string& view_uuid, const std::string& view_name)
{
    return view_uuid.empty() ? ".inner." + view_name : ".inner_id." + view_uuid;
}

} // namespace basalt
