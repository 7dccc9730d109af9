#include "storage/engines/engines.h"

#include "base/error.h"
#include "columns/absent_value.h"
#include "storage/conversion.h"
#include "storage/mergetree/part_rewriter.h"

#include <map>

namespace basalt
{

namespace
{

// The columns of `header` out of a block: under the names that they had, converted, defaults where
// there was no such column.
Block reshape(const Block& block, const TableMetadata& metadata,
              const std::map<std::string, std::string>& former, const QueryContext& context)
{
    const Header header = metadata.physical_header();
    Block known;
    known.set_rows(block.rows());
    std::vector<const NamedType*> open;
    for (const auto& column : header)
    {
        const auto name = former.find(column.name);
        const int at = name == former.end() ? -1 : block.find(name->second);
        if (at < 0)
        {
            open.push_back(&column);
            continue;
        }
        NamedColumn old = block[static_cast<size_t>(at)];
        old.name = column.name;
        if (!same_type(old.type, column.type))
        {
            const auto convert = conversion_of(
                column.name, old.type, column.type,
                metadata.find_column(column.name)->default_expression, context);
            old.column = to_flat(ExpressionProgram({convert}, context).run(Block({old}))[0]);
            old.type = column.type;
        }
        known.add(std::move(old));
    }
    // Defaults may be made of each other.
    while (!open.empty())
    {
        std::vector<const NamedType*> later;
        for (const auto* column : open)
        {
            const auto& expression = metadata.find_column(column->name)->default_expression;
            bool ready = true;
            if (expression)
                for (const auto& input : inputs_of({expression}))
                    ready = ready && known.find(input) >= 0;
            if (!ready)
            {
                later.push_back(column);
                continue;
            }
            ColumnPtr values;
            if (expression)
                values = to_flat(ExpressionProgram({expression}, context).run(known)[0]);
            else
                values = to_flat(make_constant(column->type, absent_value(*column->type),
                                               block.rows()));
            known.add({values, column->type, column->name});
        }
        if (later.size() == open.size())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "A new column whose default reads an ALIAS column is not implemented for "
                        "tables of the engine Memory");
        open = std::move(later);
    }
    Block ordered;
    ordered.set_rows(block.rows());
    for (const auto& column : header)
        ordered.add(known[static_cast<size_t>(known.find(column.name))]);
    return ordered;
}

// Under which name blocks have each column that is not new.
std::map<std::string, std::string> former_names(const TableMetadata& before,
                                                const std::vector<MutationCommand>& commands)
{
    using Kind = MutationCommand::Kind;
    std::map<std::string, std::string> names;
    for (const auto& column : before.physical_header())
        names[column.name] = column.name;
    for (const auto& command : commands)
    {
        if (command.kind == Kind::DropColumn)
            names.erase(command.name);
        else if (command.kind == Kind::RenameColumn && names.contains(command.name))
        {
            names[command.new_name] = names[command.name];
            names.erase(command.name);
        }
    }
    return names;
}

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
    void alter(TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
               QueryContextPtr context) override
    {
        std::lock_guard lock(mutex_);
        const auto former = former_names(*metadata_, commands);
        std::vector<Block> blocks;
        for (const auto& block : blocks_)
            blocks.push_back(reshape(block, *metadata, former, *context));
        blocks_ = std::move(blocks);
        metadata_ = std::move(metadata);
    }
    void mutate(const std::vector<MutationCommand>& commands, bool,
                QueryContextPtr context) override
    {
        for (const auto& command : commands)
            if (command.kind != MutationCommand::Kind::Delete &&
                command.kind != MutationCommand::Kind::Update)
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Tables of the engine Memory take only DELETE and UPDATE");
        std::lock_guard lock(mutex_);
        const RowMutation mutation(commands, metadata_, *context);
        std::vector<Block> blocks;
        for (const auto& block : blocks_)
            if (Block changed = mutation.apply(block); changed.rows())
                blocks.push_back(std::move(changed));
        blocks_ = std::move(blocks);
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
