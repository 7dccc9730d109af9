#include "storage/table.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

[[noreturn]] void throw_unsupported(const Table& table, std::string_view what)
{
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("{} is not supported by engine {} of table {}", what,
                            table.engine_name(), table.table_name().full()));
}

} // namespace

Block Scan::fetch(const PodVector<uint64_t>&, const std::vector<std::string>&)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "This table cannot fetch rows by their ids");
}

std::unique_ptr<TableSink> Table::write(Transaction&, QueryContextPtr)
{
    throw_unsupported(*this, "INSERT");
}

void Table::alter(TableMetadataPtr, const std::vector<MutationCommand>&, QueryContextPtr)
{
    throw_unsupported(*this, "ALTER");
}

void Table::mutate(const std::vector<MutationCommand>&, bool, QueryContextPtr)
{
    throw_unsupported(*this, "Mutation");
}

void Table::change_partition(const PartitionCommand&, QueryContextPtr)
{
    throw_unsupported(*this, "ALTER of partitions");
}

void Table::optimize(const OptimizeCommand&, QueryContextPtr)
{
    throw_unsupported(*this, "OPTIMIZE");
}

void Table::truncate(QueryContextPtr)
{
    throw_unsupported(*this, "TRUNCATE");
}

void Table::rename(const TableName&)
{
    throw_unsupported(*this, "RENAME");
}

} // namespace basalt
