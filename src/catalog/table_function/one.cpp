#include "catalog/function_table.h"

namespace basalt
{

namespace
{

// system.one and one(): a row with dummy = 0.
class OneTable final : public FunctionTable
{
public:
    explicit OneTable(TableName name)
        : FunctionTable("one", "SystemOne", {{"dummy", simple_type(TypeId::UInt8)}}),
          name_(std::move(name))
    {
    }
    TableName table_name() const override { return name_; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        Block block({{make_constant(simple_type(TypeId::UInt8), Value(uint64_t{0}), 1),
                      simple_type(TypeId::UInt8), "dummy"}});
        return scan_blocks({std::move(block)}, metadata()->physical_header(), request,
                           std::move(context));
    }
    std::optional<uint64_t> total_rows() const override { return 1; }

private:
    TableName name_;
};

} // namespace

void register_one(Catalog& catalog)
{
    catalog.add_system_table(std::make_shared<OneTable>(TableName{"system", "one"}));
    catalog.register_table_function(
        "one", [](const std::vector<TableFunctionArgument>&, Catalog&, QueryContextPtr) -> TablePtr
        { return std::make_shared<OneTable>(TableName{"_table_function", "one"}); });
}

} // namespace basalt
