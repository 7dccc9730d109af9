#include "storage/engines/engines.h"

namespace basalt
{

namespace
{

class NullTable final : public Table
{
public:
    NullTable(TableName name, std::string uuid, TableMetadataPtr metadata)
        : uuid_(std::move(uuid)), name_(std::move(name)), metadata_(std::move(metadata))
    {
    }

    std::string engine_name() const override { return "Null"; }
    TableMetadataPtr metadata() const override
    {
        std::lock_guard lock(mutex_);
        return metadata_;
    }
    void alter(TableMetadataPtr metadata, const std::vector<MutationCommand>&,
               QueryContextPtr) override
    {
        std::lock_guard lock(mutex_);
        metadata_ = std::move(metadata);
    }
    TableName table_name() const override
    {
        std::lock_guard lock(mutex_);
        return name_;
    }
    std::string uuid() const override { return uuid_; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        return scan_blocks({}, metadata()->physical_header(), request, std::move(context));
    }
    std::unique_ptr<TableSink> write(Transaction&, QueryContextPtr) override
    {
        class Sink final : public TableSink
        {
            void write(Block) override {}
            void finish() override {}
        };
        return std::make_unique<Sink>();
    }
    std::optional<uint64_t> total_rows() const override { return 0; }
    std::optional<uint64_t> total_bytes() const override { return 0; }
    void truncate(QueryContextPtr) override {}
    void rename(const TableName& name) override
    {
        std::lock_guard lock(mutex_);
        name_ = name;
    }

private:
    const std::string uuid_;
    mutable std::mutex mutex_;
    TableName name_;
    TableMetadataPtr metadata_;
};

} // namespace

TablePtr make_null_table(TableName name, std::string uuid, TableMetadataPtr metadata)
{
    return std::make_shared<NullTable>(std::move(name), std::move(uuid), std::move(metadata));
}

} // namespace basalt
