#include "catalog/function_table.h"

namespace basalt
{

namespace
{

// system.one: a row with dummy = 0.
class OneTable final : public FunctionTable
{
public:
    OneTable() : FunctionTable("one", "SystemOne", {{"dummy", simple_type(TypeId::UInt8)}}) {}
    TableName table_name() const override { return {"system", "one"}; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        Block block({{make_constant(simple_type(TypeId::UInt8), Value(uint64_t{0}), 1),
                      simple_type(TypeId::UInt8), "dummy"}});
        return scan_blocks({std::move(block)}, metadata()->physical_header(), request,
                           std::move(context));
    }
    std::optional<uint64_t> total_rows() const override { return 1; }
};

} // namespace

void register_one(Catalog& catalog)
{
    catalog.add_system_table(std::make_shared<OneTable>());
}

} // namespace basalt
