#include "storage/engines/engines.h"

#include "base/error.h"

namespace basalt
{

namespace
{

class MemoryTable final : public Table
{
public:
    MemoryTable(TableName name, std::string uuid, TableMetadataPtr metadata)
        : uuid_(std::move(uuid)), name_(std::move(name)), metadata_(std::move(metadata))
    {
    }

    std::string engine_name() const override { return "Memory"; }
    TableMetadataPtr metadata() const override
    {
        std::lock_guard lock(mutex_);
        return metadata_;
    }
    TableName table_name() const override
    {
        std::lock_guard lock(mutex_);
        return name_;
    }
    std::string uuid() const override { return uuid_; }

    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        std::vector<Block> blocks;
        TableMetadataPtr metadata;
        {
            std::lock_guard lock(mutex_);
            blocks = blocks_;
            metadata = metadata_;
        }
        return scan_blocks(std::move(blocks), metadata->physical_header(), request,
                           std::move(context));
    }

    std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context) override
    {
        return std::make_unique<Sink>(std::static_pointer_cast<MemoryTable>(shared_from_this()),
                                      transaction, std::move(context));
    }

    std::optional<uint64_t> total_rows() const override
    {
        std::lock_guard lock(mutex_);
        uint64_t rows = 0;
        for (const auto& block : blocks_)
            rows += block.rows();
        return rows;
    }
    std::optional<uint64_t> total_bytes() const override
    {
        std::lock_guard lock(mutex_);
        uint64_t bytes = 0;
        for (const auto& block : blocks_)
            bytes += block.byte_size();
        return bytes;
    }
    void truncate(QueryContextPtr) override
    {
        std::lock_guard lock(mutex_);
        blocks_.clear();
    }
    void rename(const TableName& name) override
    {
        std::lock_guard lock(mutex_);
        name_ = name;
    }

private:
    class Sink final : public TableSink
    {
    public:
        Sink(std::shared_ptr<MemoryTable> table, Transaction& transaction, QueryContextPtr context)
            : table_(std::move(table)), transaction_(transaction), context_(std::move(context)),
              header_(table_->metadata()->physical_header())
        {
        }
        void write(Block block) override
        {
            context_->check_alive();
            if (block.rows() == 0)
                return;
            Block ordered;
            for (const auto& column : header_)
            {
                const int at = block.find(column.name);
                BASALT_ASSERT(at >= 0);
                ordered.add({block[static_cast<size_t>(at)].column, column.type, column.name});
            }
            blocks_.push_back(std::move(ordered));
        }
        void finish() override
        {
            transaction_.on_commit(
                [table = table_, blocks = std::move(blocks_)]
                {
                    std::lock_guard lock(table->mutex_);
                    table->blocks_.insert(table->blocks_.end(), blocks.begin(), blocks.end());
                });
        }

    private:
        std::shared_ptr<MemoryTable> table_;
        Transaction& transaction_;
        QueryContextPtr context_;
        Header header_;
        std::vector<Block> blocks_;
    };

    const std::string uuid_;
    mutable std::mutex mutex_;
    TableName name_;
    TableMetadataPtr metadata_;
    std::vector<Block> blocks_;
};

} // namespace

TablePtr make_memory_table(TableName name, std::string uuid, TableMetadataPtr metadata)
{
    return std::make_shared<MemoryTable>(std::move(name), std::move(uuid), std::move(metadata));
}

} // namespace basalt
